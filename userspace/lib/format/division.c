// SPDX-License-Identifier: LGPL-2.1
/*
 * How the duration of a call divides. As text below the line of the call:
 *	        run 412us, preempted 2.1ms, lock 9.8ms (mutex 9.7ms, was held by kworker/1:2 90), sleep 18.6ms, irq 294us
 *	        longest wait 18.6ms (sleep): wait_for_completion < drv_start < drv_ioctl; ended by irq/33-drv 77: complete < drv_irq_thread
 * As JSON an object with nanoseconds; the stacks are values of their own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/division.h"
#include "format/stack.h"
#include "format/value.h"
#include "spec/field.h"
#include "util/buffer.h"
#include "util/sized.h"
#include "util/util.h"

/* Frames of a stack that are printed in one line. */
#define FRAMES_SHOWN	6
/* Bytes of the line without the stacks, and of a number with its name. */
#define FIXED_MAX	1024

/* By enum tap_task_part. */
static const char *const part_names[TAP_NR_PARTS] = {
	"run", "irq", "softirq", "preempted", "lock", "io", "sleep",
};

/* By enum tap_lock_kind. */
static const char *const lock_names[] = {
	"", "spinlock", "rwlock", "mutex", "rtmutex", "rwsem", "percpu_rwsem", "semaphore",
};

/* In the order of reading: what the task did itself, then what it waited for. */
static const enum tap_task_part order[] = {
	TAP_PART_RUN, TAP_PART_PREEMPTED, TAP_PART_LOCK, TAP_PART_IO, TAP_PART_SLEEP,
	TAP_PART_IRQ, TAP_PART_SOFTIRQ,
};

/*
 * Functions that are on the stack of each wait, or of each wake-up, at its inner end. They are left
 * out as long as others follow.
 */
static const char *const always_there[] = {
	"__schedule", "schedule", "schedule_timeout", "schedule_preempt_disabled",
	"schedule_hrtimeout_range", "schedule_hrtimeout_range_clock", "io_schedule",
	"io_schedule_timeout", "preempt_schedule", "try_to_wake_up", "wake_up_process",
	"wake_up_state", "default_wake_function", "autoremove_wake_function",
	"woken_wake_function", "__wake_up_common", "__wake_up_common_lock", "__wake_up_locked",
	"swake_up_locked", "hrtimer_wakeup", "process_timeout", "wake_up_q",
};

static const char *lock_name(__u32 kind)
{
	return kind && kind < ARRAY_SIZE(lock_names) ? lock_names[kind] : "unknown kind";
}

const char *tap_part_name(__u32 part)
{
	return part_names[part < TAP_NR_PARTS ? part : TAP_PART_SLEEP];
}

/* Upper bound of the bytes that the functions of this file write. */
size_t tap_division_max(const struct tap_formatter_opts *opts)
{
	return FIXED_MAX + 2 * (FRAMES_SHOWN + 1) * tap_frame_max(opts);
}

static char *put_ticks(char *p, const struct tap_formatter_opts *opts, __u64 ticks)
{
	return tap_put_number(p, opts, TAP_FMT_DURATION, NULL, ticks);
}

static bool is_always_there(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(always_there); i++)
		if (strlen(always_there[i]) == len && !strncmp(always_there[i], name, len))
			return true;
	return false;
}

/* Writes a name as tap_put_frame() does, without its offset and its module. */
static char *put_function(char *p, const struct tap_formatter_opts *opts, __u64 addr, bool call)
{
	char *begin = p, *plus;

	p = tap_put_frame(p, opts, false, addr - call);
	*p = '\0';
	plus = strstr(begin, "+0x");
	return plus ? plus : p;
}

/* Writes the functions of a stack in one line, the innermost first. */
static char *put_chain(char *p, const struct tap_formatter_opts *opts, const __u64 *words)
{
	size_t nr = (words[0] & TAP_TEXT_LEN) / 8, i, shown = 0;
	char *begin, *end;

	for (i = 0; i < nr && i < TAP_WAIT_FRAMES && shown < FRAMES_SHOWN; i++) {
		begin = shown ? tap_put_str(p, " < ") : p;
		end = put_function(begin, opts, words[1 + i], i);
		if (!shown && i + 1 < nr && is_always_there(begin, (size_t)(end - begin)))
			continue;
		p = end;
		shown++;
	}
	return i < nr || words[0] & (TAP_TEXT_TRUNCATED | TAP_TEXT_ABSENT) ?
	       tap_put_str(p, " < ...") : p;
}

int tap_format_chain(const struct tap_formatter_opts *opts, const __u64 *words, char *buf, size_t size)
{
	struct tap_formatter_opts text;
	int ret = tap_sized_read(&text, sizeof(text), opts);
	char *line, *end;
	size_t len;

	if (ret)
		return ret;
	text.json = false;
	line = malloc(tap_division_max(&text));
	if (!line)
		return -ENOMEM;
	end = put_chain(line, &text, words);
	len = (size_t)(end - line);
	if (len < size) {
		memcpy(buf, line, len);
		buf[len] = '\0';
	}
	free(line);
	return len < size ? (int)len : -ENOSPC;
}

/* The clocks of CPUs may differ, and a file may be damaged: the parts may have more than it. */
static __u64 unaccounted(const struct tap_division *d, __u64 duration)
{
	unsigned int i;

	for (i = 0; i < TAP_NR_PARTS; i++)
		duration -= d->part[i] < duration ? d->part[i] : duration;
	return duration;
}

static char *put_task(char *p, const char comm[16], __u32 tid)
{
	p = tap_put_text(p, comm, TAP_COMM_LEN, false);
	*p++ = ' ';
	return tap_put_u64(p, tid);
}

/* The longest wait for a lock. */
static char *put_lock(char *p, const struct tap_formatter_opts *opts, const struct tap_division *d)
{
	p = tap_put_str(p, " (");
	p = tap_put_str(p, lock_name(d->lock_kind));
	*p++ = ' ';
	p = put_ticks(p, opts, d->lock_wait);
	if (d->holder_tid == TAP_HOLDER_READER) {
		p = tap_put_str(p, ", was held by a reader");
	} else if (d->holder_tid) {
		p = tap_put_str(p, ", was held by ");
		p = put_task(p, d->holder_comm, d->holder_tid);
	}
	*p++ = ')';
	return p;
}

static char *put_wait(char *p, const struct tap_formatter_opts *opts, const struct tap_division *d,
		      const struct tap_event *ev)
{
	__u64 words[1 + TAP_WAIT_FRAMES] = { 0 };

	p = tap_put_str(p, "\n        longest wait ");
	p = put_ticks(p, opts, d->wait);
	p = tap_put_str(p, " (");
	p = tap_put_str(p, tap_part_name(d->wait_part));
	*p++ = ')';
	if (tap_event_wait_stack(ev, "wait.stack", words)) {
		p = tap_put_str(p, ": ");
		p = put_chain(p, opts, words);
	}
	if (!d->waker_tid && !*d->waker_comm)
		return p;
	p = tap_put_str(p, "; ended by ");
	p = put_task(p, d->waker_comm, d->waker_tid);
	if (tap_event_wait_stack(ev, "waker.stack", words)) {
		p = tap_put_str(p, ": ");
		p = put_chain(p, opts, words);
	}
	return p;
}

/*
 * Writes the lines below that of the event, each with a line break in front. @p has room for
 * tap_division_max() bytes.
 */
char *tap_put_division_text(char *p, const struct tap_formatter_opts *opts,
			    const struct tap_event *ev)
{
	const char *comma = "";
	struct tap_division d;
	__u64 duration, rest;
	unsigned int i;

	if (tap_event_division(ev, &d, &duration))
		return tap_put_str(p, "\n        (not divided)");
	p = tap_put_str(p, "\n        ");
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		if (!d.part[order[i]])
			continue;
		p = tap_put_str(p, comma);
		p = tap_put_str(p, part_names[order[i]]);
		*p++ = ' ';
		p = put_ticks(p, opts, d.part[order[i]]);
		if (order[i] == TAP_PART_LOCK && d.lock_wait)
			p = put_lock(p, opts, &d);
		comma = ", ";
	}
	rest = unaccounted(&d, duration);
	if (rest) {
		p = tap_put_str(p, " [unaccounted ");
		p = put_ticks(p, opts, rest);
		*p++ = ']';
	}
	return d.wait ? put_wait(p, opts, &d, ev) : p;
}

static char *put_member(char *p, const struct tap_formatter_opts *opts, const char *name,
			__u64 ticks)
{
	*p++ = '"';
	p = tap_put_str(p, name);
	p = tap_put_str(p, "\":");
	return put_ticks(p, opts, ticks);
}

static char *put_json_task(char *p, const char *name, const char comm[16], __u32 tid)
{
	p = tap_put_str(p, ",\"");
	p = tap_put_str(p, name);
	p = tap_put_str(p, "\":{\"comm\":\"");
	p = tap_put_json(p, comm, TAP_COMM_LEN);
	p = tap_put_str(p, "\",\"tid\":");
	p = tap_put_u64(p, tid);
	*p++ = '}';
	return p;
}

static char *put_json_lock(char *p, const struct tap_formatter_opts *opts,
			   const struct tap_division *d)
{
	p = tap_put_str(p, ",\"lock_wait\":{");
	p = put_member(p, opts, "duration", d->lock_wait);
	p = tap_put_str(p, ",\"kind\":\"");
	p = tap_put_str(p, lock_name(d->lock_kind));
	*p++ = '"';
	if (d->holder_tid == TAP_HOLDER_READER)
		p = tap_put_str(p, ",\"holder\":\"a reader\"");
	else if (d->holder_tid)
		p = put_json_task(p, "holder", d->holder_comm, d->holder_tid);
	*p++ = '}';
	return p;
}

/* Writes the object of a division. @p has room for tap_division_max() bytes. */
char *tap_put_division(char *p, const struct tap_formatter_opts *opts, const __u64 *words)
{
	const struct tap_division *d = (const struct tap_division *)words;
	unsigned int i;

	*p++ = '{';
	for (i = 0; i < TAP_NR_PARTS; i++) {
		if (i)
			*p++ = ',';
		p = put_member(p, opts, part_names[i], d->part[i]);
	}
	if (d->lock_wait)
		p = put_json_lock(p, opts, d);
	if (!d->wait) {
		*p++ = '}';
		return p;
	}
	p = tap_put_str(p, ",\"wait\":{");
	p = put_member(p, opts, "duration", d->wait);
	p = tap_put_str(p, ",\"part\":\"");
	p = tap_put_str(p, tap_part_name(d->wait_part));
	*p++ = '"';
	if (d->waker_tid || *d->waker_comm)
		p = put_json_task(p, "waker", d->waker_comm, d->waker_tid);
	return tap_put_str(p, "}}");
}
