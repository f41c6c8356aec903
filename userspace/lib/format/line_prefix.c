// SPDX-License-Identifier: LGPL-2.1
/*
 * Line prefixes: time, CPU and task. Most lines share the second and the task with a
 * recent line, so the text of both is cached.
 */
#include <stdlib.h>

#include "format/formatter.h"
#include "util/util.h"

#define NS_PER_SEC	1000000000ULL
/* Must be a power of two. */
#define TASKS		64
/* Upper bound of both forms: a name whose bytes become 6 each, and numbers. */
#define TASK_TEXT	224
#define SECOND_TEXT	64

/* The cached text of a task on a CPU; an empty piece is an unused entry. */
struct task {
	__u64 comm[TAP_COMM_LEN / 8];
	__u32 tid;
	__u32 tgid;
	__u32 cpu;
	bool named;
	struct tap_piece piece;
	char text[TASK_TEXT];
};

/*
 * The cache. @piece is the text of @second (CLOCK_MONOTONIC ns) up to the decimal
 * point. @tasks is indexed by a hash.
 */
struct tap_line_prefix {
	__u64 second;
	struct tap_piece piece;
	char text[SECOND_TEXT];
	struct task tasks[TASKS];
};

static char *put_second_text(char *p, __u64 seconds)
{
	/* Six digits follow the point. */
	p = tap_put_right(p, seconds, TAP_TIME_WIDTH - 7);
	*p++ = '.';
	return p;
}

static char *put_who_text(char *p, const struct tap_event *ev, const char *comm)
{
	char *begin;

	*p++ = ' ';
	p = tap_put_right(p, ev->cpu, TAP_CPU_WIDTH);
	*p++ = ' ';
	begin = p;
	if (comm)
		p = tap_put_text(p, comm, TAP_COMM_LEN, false);
	else
		*p++ = '-';
	p = tap_put_pad(p, begin + TAP_COMM_WIDTH);
	*p++ = ' ';
	p = tap_put_right(p, ev->rec->tid, TAP_TID_WIDTH);
	*p++ = ' ';
	return p;
}

static char *put_second_json(char *p, __u64 seconds)
{
	p = tap_put_str(p, "{\"type\":\"event\",\"time\":");
	p = tap_put_u64(p, seconds);
	*p++ = '.';
	return p;
}

static char *put_who_json(char *p, const struct tap_event *ev, const char *comm)
{
	p = tap_put_str(p, ",\"cpu\":");
	p = tap_put_u64(p, ev->cpu);
	if (comm) {
		p = tap_put_str(p, ",\"comm\":\"");
		p = tap_put_json(p, comm, TAP_COMM_LEN);
		*p++ = '"';
	}
	p = tap_put_str(p, ",\"tid\":");
	p = tap_put_u64(p, ev->rec->tid);
	p = tap_put_str(p, ",\"pid\":");
	p = tap_put_u64(p, ev->rec->tgid);
	return tap_put_str(p, ",\"event\":\"");
}

static void set_second(struct tap_line_prefix *prefix, bool json, __u64 seconds)
{
	char *p = json ? put_second_json(prefix->text, seconds) :
			 put_second_text(prefix->text, seconds);

	prefix->second = seconds * NS_PER_SEC;
	prefix->piece.text = prefix->text;
	prefix->piece.len = (size_t)(p - prefix->text);
}

/*
 * Allocates an empty cache for lines of text or JSON. The caller has to free() it.
 * Returns NULL if out of memory.
 */
struct tap_line_prefix *tap_line_prefix_open(bool json)
{
	struct tap_line_prefix *prefix = calloc(1, sizeof(*prefix));

	if (prefix)
		set_second(prefix, json, 0);
	return prefix;
}

/* Writes the time of an event. @raw is raw time. */
char *tap_put_when(char *p, const struct tap_formatter *fmt, __u64 raw)
{
	struct tap_line_prefix *prefix = fmt->prefix;
	__u64 ns = tap_timebase_mono(&fmt->timebase, raw);

	/* The unsigned difference also covers times before the cached second. */
	if (ns - prefix->second >= NS_PER_SEC)
		set_second(prefix, fmt->opts.json, ns / NS_PER_SEC);
	ns -= prefix->second;
	p = tap_put_piece(p, &prefix->piece);
	return fmt->opts.json ? tap_put_nanos(p, (__u32)ns) :
				tap_put_micros(p, (__u32)ns / 1000);
}

/* Writes the CPU and the task of an event. */
char *tap_put_whom(char *p, const struct tap_formatter *fmt,
		   const struct tap_event *ev)
{
	__u32 tid = ev->rec->tid, tgid = ev->rec->tgid;
	struct task *task = &fmt->prefix->tasks[(tid ^ ev->cpu) % TASKS];
	int word = ev->probe->comm_word;
	__u64 comm[TAP_COMM_LEN / 8] = { 0 };
	unsigned int i;

	for (i = 0; word >= 0 && i < ARRAY_SIZE(comm); i++)
		comm[i] = tap_event_word(ev, (unsigned int)word + i);
	if (task->comm[0] != comm[0] || task->comm[1] != comm[1] ||
	    task->tid != tid || task->tgid != tgid || task->cpu != ev->cpu ||
	    task->named != (word >= 0) || !task->piece.len) {
		char *end = fmt->opts.json ?
			put_who_json(task->text, ev,
					  word < 0 ? NULL : (char *)comm) :
			put_who_text(task->text, ev,
					  word < 0 ? NULL : (char *)comm);

		memcpy(task->comm, comm, sizeof(comm));
		task->tid = tid;
		task->tgid = tgid;
		task->cpu = ev->cpu;
		task->named = word >= 0;
		task->piece.text = task->text;
		task->piece.len = (size_t)(end - task->text);
	}
	return tap_put_piece(p, &task->piece);
}
