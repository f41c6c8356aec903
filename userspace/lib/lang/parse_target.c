// SPDX-License-Identifier: LGPL-2.1
/*
 * Targets in the kernel: [MODULE:]NAME[+OFFSET]. resolve.c checks whether they exist.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "lang/target.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/glob.h"

/* The parts of a target by probe type, and an example for error messages. */
struct parts {
	const char *before;
	const char *what;
	const char *example;
};

static const struct parts targets[] = {
	[TAP_PROBE_KPROBE] = { "module", "function", "vfs_read" },
	[TAP_PROBE_KRETPROBE] = { "module", "function", "vfs_read" },
	[TAP_PROBE_CALL] = { "module", "function", "vfs_read" },
	[TAP_PROBE_FUNC] = { "module", "function", "vfs_*" },
	[TAP_PROBE_FUNCGRAPH] = { "module", "function", "vfs_*" },
	[TAP_PROBE_RAWTP] = { "module", "tracepoint", "sched_switch" },
	[TAP_PROBE_TRACEPOINT] = { "subsystem", "tracepoint", "sched:sched_switch" },
	[TAP_PROBE_SYSCALL] = { "", "system call", "openat" },
	[TAP_PROBE_UPROBE] = { "", "program or library, and a function of it", "libc:malloc" },
	[TAP_PROBE_URETPROBE] = { "", "program or library, and a function of it", "libc:malloc" },
	[TAP_PROBE_UCALL] = { "", "program or library, and a function of it", "libc:malloc" },
	[TAP_PROBE_USDT] = { "", "program or library, and a USDT probe of it", "python3:gc__start" },
	[TAP_PROBE_USER_WATCH] = { "", "program or library, and a variable of it", "./app:count:4:w" },
	[TAP_PROBE_WATCHPOINT] = { "module", "symbol", "panic_timeout:4:w" },
};

static const struct parts emitted = { "module", "driver event", "my_driver:xmit" };

static const struct parts *parts_of(const struct tap_spec *spec)
{
	return spec->emit ? &emitted : &targets[spec->type];
}

/*
 * Reports that the target is missing. @at is the place for it, @type the type as
 * written. Returns -EINVAL.
 */
int tap_target_missing(const struct tap_parser *p, const char *at, const char *type)
{
	return tap_diag(p, at, 1, -EINVAL,
			"%s: needs a %s, e.g. %s:%s", type,
			parts_of(p->spec)->what, type, parts_of(p->spec)->example);
}

/*
 * Checks the alternatives in braces of a name. Braces within braces multiply, and each pair has a
 * comma: commas bound their number.
 */
int tap_target_braces(const struct tap_parser *p, struct tap_token t)
{
	unsigned int commas = 0, all = 1, more;
	size_t i, k, len;

	for (i = 0; i < t.len; i++) {
		len = tap_glob_braces(t.at + i, t.len - i);
		if (!len)
			continue;
		for (more = 1, k = 0; k < len; k++)
			more += t.at[i + k] == ',';
		commas += more;
		all *= more;
		if (commas > TAP_GLOB_ALTERNATIVES || all > TAP_GLOB_ALTERNATIVES)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"the braces make more than %d names; use several events",
					TAP_GLOB_ALTERNATIVES);
	}
	return 0;
}

/* Checks the characters of a module, function or tracepoint name. */
static int check_name(struct tap_parser *p, struct tap_token t, const char *what)
{
	bool part = !strcmp(what, parts_of(p->spec)->before);
	bool set = false;
	size_t i, braces = 0;

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL, "the name of the %s is missing",
			     what);
	if (isdigit((unsigned char)*t.at) && strcmp(what, "subsystem") &&
	    p->spec->type != TAP_PROBE_SYSCALL)
		return tap_diag(p, t.at, t.len, -EINVAL,
			     "\"%.*s\" is not the name of a %s; addresses are not accepted, write FUNCTION+OFFSET",
			     QUOTE(t), what);
	for (i = 0; i < t.len; i++) {
		if (t.at[i] == '[')
			set = true;
		/* Of alternatives @braces is the end, in the name itself only. */
		if (!part && tap_glob_braces(t.at + i, t.len - i) + i > braces &&
		    tap_glob_braces(t.at + i, t.len - i))
			braces = i + tap_glob_braces(t.at + i, t.len - i);
		if (i < braces && strchr("{,}", t.at[i]))
			continue;
		if (isalnum((unsigned char)t.at[i]) ||
		    strchr("_.$*?[]", t.at[i]) ||
		    (t.at[i] == '-' && strcmp(what, "function") &&
		     strcmp(what, "tracepoint") && strcmp(what, emitted.what)) ||
		    (set && strchr("!^-", t.at[i])))
			continue;
		if (t.at[i] == ',')
			return tap_diag(p, t.at + i, 1, -EINVAL,
				     "unexpected comma; separate values by spaces, and give each event its own -e");
		return tap_diag(p, t.at + i, 1, -EINVAL,
			     "the name of a %s cannot contain this character",
			     what);
	}
	return 0;
}

/*
 * Parses a number of at most @most, decimal or with 0x. Octal is refused: 010 would
 * surprise.
 */
int tap_offset_parse(struct tap_parser *p, struct tap_token t, __u64 most,
		     __u64 *value)
{
	bool hex = t.len > 2 && t.at[0] == '0' && (t.at[1] | 0x20) == 'x';
	size_t i = hex ? 2 : 0;
	__u64 n = 0;

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL,
			     "the offset is missing after the +");
	for (; i < t.len; i++) {
		int c = t.at[i] | 0x20;

		if (c >= '0' && c <= '9')
			n = n * (hex ? 16 : 10) + (c - '0');
		else if (hex && c >= 'a' && c <= 'f')
			n = n * 16 + (c - 'a' + 10);
		else
			return tap_diag(p, t.at + i, 1, -EINVAL,
				     "an offset is a decimal number, or hexadecimal after 0x");
		if (n > most)
			return tap_diag(p, t.at, t.len, -EINVAL,
				     "the offset is larger than any %s",
				     most == TAP_MAX_FUNCTION ? "function" :
								"file");
	}
	*value = n;
	return 0;
}

static int parse_offset(struct tap_parser *p, struct tap_token *name,
			__u64 *offset)
{
	const char *plus = memchr(name->at, '+', name->len);
	size_t i;
	const char *type = tap_spec_type_name(p->spec->type);
	struct tap_token t;
	int ret;

	*offset = 0;
	if (!plus)
		return 0;
	t.at = plus + 1;
	t.len = name->at + name->len - t.at;
	name->len = plus - name->at;
	if (p->spec->type == TAP_PROBE_RAWTP ||
	    p->spec->type == TAP_PROBE_TRACEPOINT)
		return tap_diag(p, plus, t.len + 1, -EINVAL,
			     "a tracepoint has no offset");
	if (p->spec->type == TAP_PROBE_SYSCALL)
		return tap_diag(p, plus, t.len + 1, -EINVAL,
			     "a system call has no offset");
	ret = tap_offset_parse(p, t, TAP_MAX_FUNCTION, offset);
	if (ret)
		return ret;
	if (p->spec->type != TAP_PROBE_KPROBE &&
	    p->spec->type != TAP_PROBE_WATCHPOINT && *offset)
		return tap_diag(p, plus, t.len + 1, -EINVAL,
			     "%s: probes a whole function and takes no offset; probe an instruction with kprobe:%.*s+0x%llx",
			     type, QUOTE(*name), (unsigned long long)*offset);
	for (i = 0; i < name->len && !tap_glob_braces(name->at + i, name->len - i); i++)
		;
	if (*offset && (tap_glob_literal(name->at) < name->len || i < name->len))
		return tap_diag(p, plus, t.len + 1, -EINVAL,
			     "an offset needs one function, not a glob");
	return 0;
}

/* Sets the target of a spec, and the name of the event after it. Returns 0 or -ENOMEM. */
int tap_parse_target_text(struct tap_parser *p, const char *text)
{
	p->spec->target = strdup(text);
	if (asprintf(&p->spec->event, "%s:%s", p->spec->emit ? "emit" :
		     tap_spec_type_name(p->spec->type), text) < 0)
		p->spec->event = NULL;
	if (p->spec->target && p->spec->event)
		return 0;
	return tap_error_set(p->err, -ENOMEM, "out of memory");
}

/* Parses [MODULE:]NAME[+OFF] and sets the target of the spec. */
int tap_target_parse(struct tap_parser *p, struct tap_token t)
{
	const char *before = parts_of(p->spec)->before;
	const char *what = parts_of(p->spec)->what;
	const char *colon = memchr(t.at, ':', t.len);
	struct tap_token module = { t.at, 0 }, name = t;
	char text[TAP_MAX_TARGET];
	__u64 offset;
	size_t len, i;
	int ret, n;

	if (colon && p->spec->type == TAP_PROBE_SYSCALL)
		return tap_diag(p, colon, 1, -EINVAL,
			     "a system call has no module; write syscall:NAME or a glob");
	if (colon) {
		module.len = colon - t.at;
		name.at = colon + 1;
		name.len = t.at + t.len - name.at;
		ret = check_name(p, module, before);
		if (ret)
			return ret;
		colon = memchr(name.at, ':', name.len);
		if (colon)
			return tap_diag(p, colon, 1, -EINVAL,
				     "one colon too many; a target is %s or %s:%s, and a format follows a value after a space",
				     what, before, what);
	} else if (p->spec->emit) {
		return tap_diag(p, t.at, t.len, -EINVAL,
			     "the module is missing; write emit:MODULE:%.*s", QUOTE(t));
	} else if (p->spec->type == TAP_PROBE_TRACEPOINT) {
		return tap_diag(p, t.at, t.len, -EINVAL,
			     "the subsystem is missing; name it, e.g. tracepoint:sched:sched_switch, or use rawtracepoint:%.*s, which has the raw arguments",
			     QUOTE(t));
	}
	ret = parse_offset(p, &name, &offset);
	if (ret)
		return ret;
	ret = check_name(p, name, what);
	if (!ret)
		ret = tap_target_braces(p, name);
	if (ret)
		return ret;

	n = snprintf(text, sizeof(text), "%.*s%s%.*s", (int)module.len,
		     module.at, module.len ? ":" : "", (int)name.len, name.at);
	len = n;
	if (len < sizeof(text) && offset)
		len += snprintf(text + len, sizeof(text) - len, "+0x%llx",
				(unsigned long long)offset);
	if (len >= sizeof(text))
		return tap_diag(p, t.at, t.len, -EINVAL,
			     "the target is longer than %d characters",
			     TAP_MAX_TARGET - 1);
	/* The kernel names the module snd-pcm snd_pcm. In a set of a glob - is a range. */
	if (p->spec->type != TAP_PROBE_TRACEPOINT &&
	    !memchr(module.at, '[', module.len))
		for (i = 0; i < module.len; i++)
			if (text[i] == '-')
				text[i] = '_';
	return tap_parse_target_text(p, text);
}
