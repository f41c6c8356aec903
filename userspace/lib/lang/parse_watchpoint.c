// SPDX-License-Identifier: LGPL-2.1
/*
 * Watchpoints: PLACE:LEN:MODE, where PLACE is [MODULE:]SYMBOL[+OFF] or an address of the kernel, or
 * PATH:SYMBOL[+OFF] of a program or library; or (EXPR):LEN:MODE in EVENT, for what EXPR points to at
 * the first hit of EVENT.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lang/target.h"
#include "spec/probe_type.h"
#include "util/util.h"

#define OBJECT	"write watchpoint:(EXPR):LEN:MODE in EVENT, e.g. watchpoint:(&file->f_pos):8:w in kprobe:vfs_read"
#define EXAMPLE	"watchpoint:SYMBOL:LEN:MODE, e.g. watchpoint:panic_timeout:4:w"

static const struct {
	const char *name;
	__u64 access;
} modes[] = {
	{ "w", TAP_WATCH_WRITE },
	{ "rw", TAP_WATCH_READ | TAP_WATCH_WRITE },
	{ "x", TAP_WATCH_EXECUTE },
};

static bool executes(const struct tap_spec *spec)
{
	return spec->perf.config == TAP_WATCH_EXECUTE;
}

/* Cuts the text after the last colon off @t. */
static bool split(struct tap_token *t, struct tap_token *last)
{
	size_t at = t->len;

	while (at && t->at[at - 1] != ':')
		at--;
	*last = (struct tap_token) { t->at + at, t->len - at };
	t->len = at ? at - 1 : 0;
	return at;
}

static int parse_mode(struct tap_parser *p, struct tap_token t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!tap_token_is(t, modes[i].name))
			continue;
		p->spec->perf.config = modes[i].access;
		return 0;
	}
	if (tap_token_is(t, "r"))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"not every processor can watch reads alone; use rw, with \"if new == old\" for accesses that change nothing");
	return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
			"the last part must be w (written), rw (read or written) or x (executed)");
}

static int parse_length(struct tap_parser *p, struct tap_token t)
{
	if (t.len != 1 || !strchr("1248", *t.at))
		return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
				"a watchpoint covers 1, 2, 4 or 8 bytes; write " EXAMPLE);
	p->spec->perf.config2 = *t.at - '0';
	return 0;
}

static int parse_address(struct tap_parser *p, struct tap_token t)
{
	struct tap_perf *perf = &p->spec->perf;
	char text[sizeof("0x") + 16];
	size_t i;

	for (i = 2; i < t.len; i++)
		if (!isxdigit((unsigned char)t.at[i]))
			break;
	if (t.len < 3 || t.len >= sizeof(text) || i < t.len ||
	    (t.at[1] | 0x20) != 'x')
		return tap_diag(p, t.at, t.len, -EINVAL,
				"this is not an address; write it in hexadecimal after 0x, e.g. watchpoint:0xffffffff82000000:8:w");
	perf->config1 = strtoull(t.at, NULL, 16);
	if (perf->config1 % perf->config2 && !executes(p->spec))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"the processor watches %llu bytes only at a multiple of %llu; use a shorter length or two watchpoints",
				(unsigned long long)perf->config2,
				(unsigned long long)perf->config2);
	snprintf(text, sizeof(text), "0x%llx",
		 (unsigned long long)perf->config1);
	return tap_parse_target_text(p, text);
}

/*
 * Whether a place is in a program: the kernel's have no slash. A program or library without one
 * is not searched, as its name could be that of a module.
 */
static bool is_in_program(struct tap_token t)
{
	return *t.at == '"' || memchr(t.at, '/', t.len);
}

/* Parses PATH:SYMBOL[+OFF]. */
static int parse_program(struct tap_parser *p, struct tap_token t)
{
	struct tap_user_target target;

	p->spec->type = TAP_PROBE_USER_WATCH;
	tap_user_target_split(p->spec->type, t, &target);
	if (!target.name.len)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"the variable is missing; write watchpoint:PATH:SYMBOL:LEN:MODE, e.g. watchpoint:./app:count:4:w");
	if (!target.quoted && isdigit((unsigned char)*target.name.at))
		return tap_diag(p, target.name.at, target.name.len, -EINVAL,
				"a watchpoint in a program needs the name of a variable");
	return tap_user_target_parse(p, t);
}

static int check_rest(struct tap_parser *p, struct tap_token rest)
{
	if (!rest.len || (rest.len > 3 && !strncmp(rest.at, "if ", 3)))
		return 0;
	return tap_diag(p, rest.at, rest.len, -EINVAL,
			"only a condition can follow the event here; write in (EVENT if CONDITION)");
}

static struct tap_token without_blanks(struct tap_token t)
{
	while (t.len && isspace((unsigned char)*t.at)) {
		t.at++;
		t.len--;
	}
	while (t.len && isspace((unsigned char)t.at[t.len - 1]))
		t.len--;
	return t;
}

/* Whether an event has a hit, in the kernel, at which an address of the kernel can be read. */
static int check_armer(struct tap_parser *p, struct tap_token event, const struct tap_spec *armer)
{
	if (tap_probe_is_user(armer->type))
		return tap_diag(p, event.at, event.len, -EINVAL,
				"this event is in a program, and watches memory of the kernel; name a variable instead: watchpoint:PATH:SYMBOL:LEN:MODE");
	if (armer->type == TAP_PROBE_SPAN || armer->type == TAP_PROBE_MARK)
		return tap_diag(p, event.at, event.len, -EINVAL,
				"this event names no object of the kernel; take the function that gets it, e.g. in kprobe:FUNC");
	return 0;
}

/*
 * Parses "in EVENT" or "in (EVENT if CONDITION)" behind the word of the watchpoint. The text that
 * arms is EVENT with @expr as its value.
 */
static int parse_armer(struct tap_parser *p, struct tap_token expr)
{
	struct tap_token in = tap_token_next(p), event, rest = { p->at, 0 };
	struct tap_spec armer;
	int ret;

	if (!tap_token_is(in, "in"))
		return tap_diag(p, in.at, in.len ? in.len : 1, -EINVAL,
				"the event that names the object is missing; " OBJECT);
	event = tap_value_next(p);
	if (event.len > 1 && *event.at == '(' && event.at[event.len - 1] == ')') {
		event = without_blanks((struct tap_token) { event.at + 1, event.len - 2 });
		rest = event;
		while (rest.len && !isspace((unsigned char)*rest.at)) {
			rest.at++;
			rest.len--;
		}
		event.len -= rest.len;
		rest = without_blanks(rest);
	}
	if (!event.len)
		return tap_diag(p, in.at, in.len, -EINVAL, "the event is missing here; " OBJECT);
	ret = check_rest(p, rest);
	if (ret)
		return ret;
	if (asprintf(&p->spec->armed_by, "%.*s address=%.*s:x64 %.*s", (int)event.len, event.at,
		     (int)expr.len, expr.at, (int)rest.len, rest.at) < 0) {
		p->spec->armed_by = NULL;
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	}
	ret = tap_spec_parse_into(&armer, p->spec->armed_by, p->err);
	if (ret)
		return ret;
	ret = check_armer(p, event, &armer);
	tap_spec_clear(&armer);
	return ret;
}

/* Sets the target to the text of the expression; parse_armer() follows. */
static int parse_object(struct tap_parser *p, struct tap_token place)
{
	char text[TAP_MAX_TARGET];

	if (place.len >= sizeof(text))
		return tap_diag(p, place.at, place.len, -EINVAL,
				"the expression is longer than %d characters", TAP_MAX_TARGET - 1);
	snprintf(text, sizeof(text), "%.*s", (int)place.len, place.at);
	p->spec->perf.flags = TAP_PERF_F_LATER;
	return tap_parse_target_text(p, text);
}

/* Parses the target of a watchpoint. */
int tap_watchpoint_parse(struct tap_parser *p, struct tap_token t)
{
	bool object = *t.at == '(';
	struct tap_spec *spec = p->spec;
	struct tap_token place, len, mode;
	char *event;
	int ret;

	if (object) {
		p->at = t.at;
		t = tap_value_next(p);
	}
	place = t;
	spec->perf = (struct tap_perf) {
		.size = sizeof(spec->perf), .type = PERF_TYPE_BREAKPOINT,
	};
	if (!split(&place, &mode) || !split(&place, &len))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"LEN or MODE is missing; write " EXAMPLE);
	ret = parse_mode(p, mode);
	if (!ret)
		ret = parse_length(p, len);
	if (ret)
		return ret;
	if (!object && (memchr(place.at, '*', place.len) || memchr(place.at, '?', place.len) ||
			memchr(place.at, '[', place.len)))
		return tap_diag(p, place.at, place.len, -EINVAL,
				"a watchpoint cannot be a glob; name one symbol, as the processor has only four watchpoints");
	ret = object ? parse_object(p, place) :
	      is_in_program(place) ? parse_program(p, place) :
	      place.len && isdigit((unsigned char)*place.at) ?
	      parse_address(p, place) : tap_target_parse(p, place);
	if (ret)
		return ret;
	if (asprintf(&event, "%s:%.*s:%.*s", spec->event, (int)len.len, len.at,
		     (int)mode.len, mode.at) < 0)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	free(spec->event);
	spec->event = event;
	return object ? parse_armer(p, place) : 0;
}
