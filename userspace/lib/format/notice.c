// SPDX-License-Identifier: LGPL-2.1
/*
 * Notices, as a line of text of their own or a JSON object:
 *	-- kprobe:vfs_read has more than 1000 hits a second: throttled since 123.456789 --
 *	{"type":"notice","time":123.456789012,"time_ns":123456789012,"cpu":0,
 *	 "event":"kprobe:vfs_read","what":"throttled","since":123.456789012,"count":0,"size":1000}
 * A notice of the session itself has no event:
 *	-- CPU 2 came online at 123.456789 and has a ring of 1048576 bytes --
 * A jump of the clock is about no probe:
 *	-- the clock of the events jumped (...): the times go on at 123.456789 --
 *	{"type":"notice","time":123.456789012,"time_ns":123456789012,"cpu":0,
 *	 "what":"clock","before":1234567,"after":1234,"ticks":9876543}
 */
#include "format/formatter.h"
#include "util/util.h"

/* In place of the message of TAP_NOTICE_CPU if the size is 0. */
#define CPU_FAILED	\
	"CPU %c came online at %t without memory for its ring or for the table of a probe: events on it are lost"

/* In place of the message of TAP_NOTICE_OVER_BUDGET if the count is 1. */
#define PAUSED	\
	"over the budget at %t: all probes are disarmed, and what happens now is not seen"

#define COLOR_NOTICE	"\033[1;33m"

/*
 * For each notice a word for JSON, and a message that follows the name of the probe. In
 * the message %c is the count, %s the size, %b the start of the state, %t the time of
 * the notice.
 */
static const struct {
	const char *word;
	const char *text;
} notices[] = {
	[TAP_NOTICE_ARMED] = { "armed", " was armed at %t: its module was loaded" },
	[TAP_NOTICE_GONE] = { "gone", " was removed at %t: its module is being unloaded" },
	[TAP_NOTICE_MAXACTIVE_RAISED] = { "maxactive_raised",
		" has room for %s calls at once since %t: %c were missed since %b" },
	[TAP_NOTICE_THROTTLED] = { "throttled",
		" has more than %s hits a second on a CPU: throttled since %t" },
	[TAP_NOTICE_RESUMED] = { "resumed",
		" resumed at %t: %c hits were dropped since %b" },
	[TAP_NOTICE_DROPPED] = { "dropped",
		" and others: %c notices were dropped since %b" },
	[TAP_NOTICE_MISSED] = { "missed",
		" missed an event at %t: its data were overwritten while they were copied" },
	[TAP_NOTICE_UNWATCHED] = { "unwatched",
		" missed accesses by %c threads at %t: a thread was being created, no debug register was free, or there were too many processes" },
	[TAP_NOTICE_CPU] = { "cpu",
		"CPU %c came online at %t and has a ring of %s bytes" },
	[TAP_NOTICE_OVER_BUDGET] = { "over_budget",
		"over the budget at %t: events are dropped" },
	[TAP_NOTICE_IN_BUDGET] = { "in_budget",
		"in the budget at %t: events are recorded again; %c were dropped since %b" },
	[TAP_NOTICE_UNSEEN] = { "unseen",
		"the probes were disarmed from %b to %t: about %c hits were not seen, if they came as before" },
};

/* Joins a raw time of a notice to the time of its event: see struct tap_event. */
static char *put_raw(char *p, const struct tap_formatter *fmt, const struct tap_event *ev,
		     __u64 raw)
{
	__u64 time = raw + (ev->time - ev->rec->time);

	/* The clock jumped in between. */
	return tap_put_moment(p, fmt, time > ev->time ? ev->time : time);
}

static char *put_message(char *p, const struct tap_formatter *fmt,
			 const struct tap_event *ev, const char *text)
{
	const __u64 *value = ev->rec->value;

	for (; *text; text++) {
		if (*text != '%') {
			*p++ = *text;
			continue;
		}
		switch (*++text) {
		case 'b':
			p = put_raw(p, fmt, ev, value[TAP_NOTICE_SINCE]);
			break;
		case 't':
			p = tap_put_moment(p, fmt, ev->time);
			break;
		case 'c':
			p = tap_put_u64(p, value[TAP_NOTICE_COUNT]);
			break;
		default:
			p = tap_put_u64(p, value[TAP_NOTICE_SIZE]);
		}
	}
	return p;
}

static char *put_text(char *p, const struct tap_formatter *fmt,
		      const struct tap_line *line, const struct tap_event *ev,
		      const char *text)
{
	if (fmt->opts.color)
		p = tap_put_str(p, COLOR_NOTICE);
	p = tap_put_str(p, "-- ");
	if (line) {
		p = tap_put_piece(p, &line->event);
		/* Removes the padding of the column. */
		while (p[-1] == ' ')
			p--;
	}
	p = put_message(p, fmt, ev, text);
	p = tap_put_str(p, " --");
	if (fmt->opts.color)
		p = tap_put_str(p, TAP_COLOR_OFF);
	return p;
}

static char *put_json(char *p, const struct tap_formatter *fmt,
		      const struct tap_line *line, const struct tap_event *ev,
		      const char *word)
{
	p = tap_put_str(p, "{\"type\":\"notice\",\"time\":");
	p = tap_put_moment(p, fmt, ev->time);
	p = tap_put_moment_ns(p, fmt, ev->time);
	p = tap_put_str(p, ",\"cpu\":");
	p = tap_put_u64(p, ev->cpu);
	if (line) {
		p = tap_put_str(p, ",\"event\":\"");
		p = tap_put_piece(p, &line->event);
		p = tap_put_str(p, "\"");
	}
	p = tap_put_str(p, ",\"what\":\"");
	p = tap_put_str(p, word);
	p = tap_put_str(p, "\",\"since\":");
	p = put_raw(p, fmt, ev, ev->rec->value[TAP_NOTICE_SINCE]);
	p = tap_put_str(p, ",\"count\":");
	p = tap_put_u64(p, ev->rec->value[TAP_NOTICE_COUNT]);
	p = tap_put_str(p, ",\"size\":");
	p = tap_put_u64(p, ev->rec->value[TAP_NOTICE_SIZE]);
	return tap_put_str(p, "}");
}

char *tap_put_jump(char *p, const struct tap_formatter *fmt, const struct tap_event *ev)
{
	const __u64 *value = ev->rec->value;

	if (fmt->opts.json) {
		p = tap_put_str(p, "{\"type\":\"notice\",\"time\":");
		p = tap_put_moment(p, fmt, ev->time);
		p = tap_put_moment_ns(p, fmt, ev->time);
		p = tap_put_str(p, ",\"cpu\":");
		p = tap_put_u64(p, ev->cpu);
		p = tap_put_str(p, ",\"what\":\"clock\",\"before\":");
		p = tap_put_u64(p, value[TAP_NOTICE_SINCE]);
		p = tap_put_str(p, ",\"after\":");
		p = tap_put_u64(p, value[TAP_NOTICE_COUNT]);
		p = tap_put_str(p, ",\"ticks\":");
		p = tap_put_u64(p, value[TAP_NOTICE_SIZE]);
		return tap_put_str(p, "}\n");
	}
	if (fmt->opts.color)
		p = tap_put_str(p, COLOR_NOTICE);
	p = tap_put_str(p, "-- the clock of the events jumped (a suspend, or a move of the virtual machine): the times go on at ");
	p = tap_put_moment(p, fmt, ev->time);
	p = tap_put_str(p, " --");
	if (fmt->opts.color)
		p = tap_put_str(p, TAP_COLOR_OFF);
	return tap_put_str(p, "\n");
}

/* Whether a notice is about the session itself, not a probe. */
static bool of_session(__u64 what)
{
	return what == TAP_NOTICE_CPU || what == TAP_NOTICE_OVER_BUDGET ||
	       what == TAP_NOTICE_IN_BUDGET || what == TAP_NOTICE_UNSEEN;
}

char *tap_put_notice(char *p, const struct tap_formatter *fmt,
		     const struct tap_line *line, const struct tap_event *ev)
{
	__u64 what = ev->rec->value[TAP_NOTICE_WHAT];
	const char *text;

	/* A notice of a later version, or one that would need a probe. */
	if (what >= ARRAY_SIZE(notices) || !notices[what].word ||
	    (!line && !of_session(what)))
		return p;
	text = notices[what].text;
	if (what == TAP_NOTICE_CPU && !ev->rec->value[TAP_NOTICE_SIZE])
		text = CPU_FAILED;
	if (what == TAP_NOTICE_OVER_BUDGET && ev->rec->value[TAP_NOTICE_COUNT])
		text = PAUSED;
	p = fmt->opts.json ? put_json(p, fmt, line, ev, notices[what].word) :
			     put_text(p, fmt, line, ev, text);
	*p++ = '\n';
	return p;
}
