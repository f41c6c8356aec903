// SPDX-License-Identifier: LGPL-2.1
/*
 * Line prefixes: time, CPU and task. Most lines share the second and the task with a
 * recent line, so the text of both is cached.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/formatter.h"
#include "util/util.h"

#define NS_PER_SEC	1000000000ULL
/* The start of a line of JSON. */
#define TAP_JSON_TIME	"{\"type\":\"event\",\"time\":"
/* The same time as an integer. */
#define TAP_JSON_NS	",\"time_ns\":"
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
 * The cache. @piece is the text of @second (ns of the clock that lines show) up to the decimal
 * point. @last and @before are the times of the last two lines. @tasks is indexed by a hash.
 */
struct tap_line_prefix {
	__u64 second;
	struct tap_piece piece;
	char text[SECOND_TEXT];
	__u64 last, before;
	struct task tasks[TASKS];
};

/* Hours, minutes and seconds of the time of day. */
static char *put_clock(char *p, __u64 seconds)
{
	time_t time = (time_t)seconds;
	struct tm tm;

	if (!localtime_r(&time, &tm))
		return tap_put_u64(p, seconds);
	return p + strftime(p, SECOND_TEXT - 1, "%H:%M:%S", &tm);
}

static char *put_second_text(char *p, __u32 times, __u64 seconds)
{
	char *begin = p;

	/* Six digits follow the point. */
	if (times == TAP_TIMES_WALL)
		p = tap_put_right_text(begin, put_clock(p, seconds), TAP_TIME_WIDTH - 7);
	else
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
	p = tap_put_str(p, TAP_JSON_TIME);
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

static void set_second(struct tap_line_prefix *prefix, bool json, __u32 times, __u64 seconds)
{
	char *p = json ? put_second_json(prefix->text, seconds) :
			 put_second_text(prefix->text, times, seconds);

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
		set_second(prefix, json, TAP_TIMES_BOOT, 0);
	return prefix;
}

/* Nanoseconds of the clock that @fmt shows. The unsigned sum may wrap on its way. */
static __u64 shown_ns(const struct tap_formatter *fmt, __u64 raw)
{
	const struct tap_timebase *tb = &fmt->timebase;
	__u64 mono = tap_timebase_mono(tb, raw);

	return fmt->opts.times == TAP_TIMES_WALL ? mono - tb->mono + tb->real : mono;
}

/* Writes a time that is not that of a line's event: of a loss, of a notice. */
char *tap_put_moment(char *p, const struct tap_formatter *fmt, __u64 raw)
{
	__u64 ns = shown_ns(fmt, raw);

	if (fmt->opts.json || fmt->opts.times != TAP_TIMES_WALL)
		return tap_put_time(p, ns, fmt->opts.json);
	p = put_clock(p, ns / NS_PER_SEC);
	*p++ = '.';
	return tap_put_micros(p, (__u32)(ns % NS_PER_SEC) / 1000);
}

/* Writes the same behind that time in JSON: a double cannot hold the nanoseconds of 104 days. */
char *tap_put_moment_ns(char *p, const struct tap_formatter *fmt, __u64 raw)
{
	p = tap_put_str(p, TAP_JSON_NS);
	return tap_put_u64(p, shown_ns(fmt, raw));
}

/* The line before the next one is not printed: a later one replaces it. */
void tap_forget_when(const struct tap_formatter *fmt)
{
	fmt->prefix->last = fmt->prefix->before;
}

/* Events of several CPUs may be printed a little out of order: the time is then negative. */
static char *put_since_last(char *p, const struct tap_formatter *fmt, __u64 ns)
{
	struct tap_line_prefix *prefix = fmt->prefix;
	bool early = ns < prefix->last;
	__u64 since = !prefix->last ? 0 : early ? prefix->last - ns : ns - prefix->last;
	char *begin = p;

	prefix->before = prefix->last;
	prefix->last = ns;
	if (fmt->opts.json)
		p = tap_put_str(p, TAP_JSON_TIME);
	if (early)
		*p++ = '-';
	p = tap_put_time(p, since, fmt->opts.json);
	if (!fmt->opts.json)
		return tap_put_right_text(begin, p, TAP_TIME_WIDTH);
	p = tap_put_str(p, TAP_JSON_NS);
	return tap_put_s64(p, early ? -(__s64)since : (__s64)since);
}

/* Writes the time of an event. @raw is raw time. */
char *tap_put_when(char *p, const struct tap_formatter *fmt, __u64 raw)
{
	struct tap_line_prefix *prefix = fmt->prefix;
	__u64 ns = shown_ns(fmt, raw);

	if (fmt->opts.times == TAP_TIMES_DELTA)
		return put_since_last(p, fmt, ns);
	/* The unsigned difference also covers times before the cached second. */
	if (ns - prefix->second >= NS_PER_SEC)
		set_second(prefix, fmt->opts.json, fmt->opts.times, ns / NS_PER_SEC);
	p = tap_put_piece(p, &prefix->piece);
	if (!fmt->opts.json)
		return tap_put_micros(p, (__u32)(ns - prefix->second) / 1000);
	p = tap_put_nanos(p, (__u32)(ns - prefix->second));
	p = tap_put_str(p, TAP_JSON_NS);
	return tap_put_u64(p, ns);
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
