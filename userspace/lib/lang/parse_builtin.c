// SPDX-License-Identifier: LGPL-2.1
/*
 * Variables and registers of the event language, and the probe types that have them.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "elf/elf_object.h"
#include "lang/target.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "util/arch.h"
#include "util/registers.h"
#include "util/suggest.h"
#include "util/util.h"

#define SAMPLE	"it has ip, period and, for a page fault, addr"
#define MARK	"text (mark, file:), value (file:) or missed (interval:)"

#define VARIABLES	"$arg1 to $arg6, $args, $retval, $duration, $comm, $pid, $tid, $cpu, $uid, $cgroup, $now, $current, $ppid, $in_irq, $in_softirq, $in_nmi, $migrated, $descheduled, $nested, $enclosed, $failed, $returned_null, $kstack, $ustack, $stack and $stackN"

static const struct {
	const char *name;
	enum tap_builtin builtin;
	__u32 value;
} builtins[] = {
	{ "retval", TAP_BUILTIN_RETVAL, 0 },
	{ "ret", TAP_BUILTIN_RETVAL, 0 },
	{ "failed", TAP_BUILTIN_FAILED, 0 },
	{ "returned_null", TAP_BUILTIN_RETURNED_NULL, 0 },
	{ "duration", TAP_BUILTIN_DURATION, 0 },
	{ "comm", TAP_BUILTIN_COMM, 0 },
	{ "pid", TAP_BUILTIN_VAR, TAP_VAR_TGID },
	{ "tgid", TAP_BUILTIN_VAR, TAP_VAR_TGID },
	{ "tid", TAP_BUILTIN_VAR, TAP_VAR_TID },
	{ "cpu", TAP_BUILTIN_VAR, TAP_VAR_CPU },
	{ "uid", TAP_BUILTIN_VAR, TAP_VAR_UID },
	{ "cgroup", TAP_BUILTIN_VAR, TAP_VAR_CGROUP },
	{ "enclosed", TAP_BUILTIN_VAR, TAP_VAR_ENCLOSED },
	{ "syscall", TAP_BUILTIN_VAR, TAP_VAR_SYSCALL },
	{ "now", TAP_BUILTIN_VAR, TAP_VAR_TIME },
	{ "current", TAP_BUILTIN_CURRENT, 0 },
	{ "ppid", TAP_BUILTIN_PPID, 0 },
	{ "args", TAP_BUILTIN_ARGS, 0 },
	{ "in_irq", TAP_BUILTIN_FLAG, TAP_F_HARDIRQ },
	{ "in_softirq", TAP_BUILTIN_FLAG, TAP_F_SOFTIRQ },
	{ "in_nmi", TAP_BUILTIN_FLAG, TAP_F_NMI },
	{ "migrated", TAP_BUILTIN_FLAG, TAP_F_MIGRATED },
	{ "descheduled", TAP_BUILTIN_FLAG, TAP_F_DESCHEDULED },
	{ "nested", TAP_BUILTIN_FLAG, TAP_F_NESTED },
	{ "kstack", TAP_BUILTIN_KSTACK, 0 },
	{ "ustack", TAP_BUILTIN_USTACK, 0 },
};

/* Variables of other tools for columns that each line has anyway. */
static const char *const in_each_line[] = {
	"time", "ts", "nsecs", "event", "probe", "func",
};

/* Reserved for later versions. */
static const char *const later[] = { "gid" };

static bool one_of(struct tap_token t, const char *const *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (tap_token_is(t, list[i]))
			return true;
	return false;
}

/**
 * tap_literal_find() - find a number that the language has a word for
 * @name: the word
 * @value: set on success
 *
 * Return: 0 or -ENOENT.
 */
int tap_literal_find(struct tap_token name, __u64 *value)
{
	static const char *const zero[] = { "NULL", "false" };

	*value = tap_token_is(name, "true");
	return *value || one_of(name, zero, ARRAY_SIZE(zero)) ? 0 : -ENOENT;
}

/**
 * tap_builtin_find() - find a variable that may be written without its $
 * @name: the name as written, without a $
 * @builtin: set to the variable
 * @value: set to the value that the variable's node needs
 *
 * A name of the scope takes precedence; the caller has to look there first.
 *
 * Return: 0 or -ENOENT.
 */
int tap_builtin_find(struct tap_token name, enum tap_builtin *builtin,
		     __u64 *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++) {
		if (!tap_token_is(name, builtins[i].name))
			continue;
		*builtin = builtins[i].builtin;
		*value = builtins[i].value;
		return 0;
	}
	return -ENOENT;
}

/* A span has what its sides keep for it. */
static int span_has_not(const struct tap_parser *p, struct tap_token t, const char *what)
{
	return tap_diag(p, t.at, t.len, -EINVAL,
			"a span has no %s of its own; give one of its sides a value, e.g. x=%.*s in front of its on, and use x, from.x or to.x",
			what, QUOTE(t));
}

/*
 * Arguments and registers hold the values of the function's entry. Refuses probe types
 * that do not run there.
 */
static int check_entry(const struct tap_parser *p, struct tap_token t, bool arg)
{
	enum tap_probe_type type = p->spec->type;

	if (tap_probe_is_return(type))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"at the return %s are no longer available; use %s:, which saves them at entry",
				arg ? "the arguments" : "the registers",
				tap_probe_is_user(type) ? "ucall" : "call");
	if (type == TAP_PROBE_RAWTP && !arg)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a tracepoint has no registers; it has $arg1 to $arg6");
	if (type == TAP_PROBE_FUNC && !arg)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"func: has only the registers of arguments, $arg1 to $arg6; use kprobe: for the others");
	if (type == TAP_PROBE_TRACEPOINT)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a tracepoint has no $argN; use the names of its fields, or rawtracepoint:, which has $arg1 to $arg6");
	if (type == TAP_PROBE_SPAN)
		return span_has_not(p, t, arg ? "argument" : "register");
	if (type == TAP_PROBE_EVENT)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a sample has no arguments and no registers; " SAMPLE);
	if (tap_probe_is_watch(type))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a watchpoint has no %s; it has ip, and with w or rw also old and new",
				arg ? "arguments" : "registers");
	if (type == TAP_PROBE_MARK)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a user program writes this event, so it has no arguments and no registers; it has " MARK);
	if (type == TAP_PROBE_USDT)
		return 0;
	if (arg && p->spec->elf && tap_elf_is_32bit(p->spec->elf))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a 32-bit program passes its arguments on the stack; the first is +4($stack):u32");
	if (type == TAP_PROBE_SYSCALL && !arg)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"syscall: has no registers; it has $arg1 to $arg6 and the names of the arguments");
	if (arg && p->spec->source)
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a line or an inlined function has no arguments in their registers; write the name of a variable or parameter");
	if (arg && ((type == TAP_PROBE_KPROBE && strchr(p->spec->target, '+')) ||
		    (type == TAP_PROBE_UPROBE && tap_spec_inside(p->spec))))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"arguments are valid only at the start of the function; at an offset use registers, e.g. "
				TAP_ARCH_REG_EXAMPLE);
	return 0;
}

/**
 * tap_builtin_check() - refuse a variable that the probe type does not have
 * @p: the text; its spec has the type
 * @t: the variable in the text
 * @builtin: the variable
 * @value: value of its node
 *
 * Return: 0, or -EINVAL with the error message set.
 */
int tap_builtin_check(const struct tap_parser *p, struct tap_token t,
		      enum tap_builtin builtin, __u64 value)
{
	enum tap_probe_type type = p->spec->type;
	const char *name = builtin == TAP_BUILTIN_RETVAL ? "$retval" :
							   "duration";
	const char *u = tap_probe_is_user(type) ? "u" : "";

	switch (builtin) {
	case TAP_BUILTIN_ARG:
		return check_entry(p, t, true);
	case TAP_BUILTIN_ARGS:
		return tap_probe_is_return(type) ? check_entry(p, t, true) : 0;
	case TAP_BUILTIN_STACK:
	case TAP_BUILTIN_STACK_WORD:
		return check_entry(p, t, false);
	case TAP_BUILTIN_FAILED:
	case TAP_BUILTIN_RETURNED_NULL:
		return tap_builtin_check(p, t, TAP_BUILTIN_RETVAL, 0);
	case TAP_BUILTIN_RETVAL:
	case TAP_BUILTIN_DURATION:
		if (type == TAP_PROBE_SPAN && builtin == TAP_BUILTIN_DURATION)
			return 0;
		if (tap_probe_is_call(type) ||
		    (tap_probe_is_return(type) &&
		     builtin == TAP_BUILTIN_RETVAL))
			return 0;
		if (type == TAP_PROBE_USDT)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"a USDT probe has no %s; it has its arguments",
					name);
		if (type == TAP_PROBE_RAWTP || type == TAP_PROBE_TRACEPOINT)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"a tracepoint has no %s; it has %s",
					name, type == TAP_PROBE_RAWTP && !p->spec->emit ?
					"$arg1 to $arg6" : "its fields");
		if (type == TAP_PROBE_EVENT)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"a sample has no %s; " SAMPLE, name);
		if (type == TAP_PROBE_SPAN)
			return span_has_not(p, t, "return value");
		if (tap_probe_is_watch(type))
			return tap_diag(p, t.at, t.len, -EINVAL,
					"a watchpoint has no %s; it has ip, and with w or rw also old and new",
					name);
		if (type == TAP_PROBE_MARK)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"a user program writes this event, so it has no %s; it has " MARK,
					name);
		if (tap_probe_is_return(type))
			return tap_diag(p, t.at, t.len, -EINVAL,
					"%s: fires at the return only, so it has no duration; use %scall:",
					tap_spec_type_name(type), u);
		return tap_diag(p, t.at, t.len, -EINVAL,
				"%s is not available at the start of a function; use %s%scall:, which has it and the arguments",
				name, builtin != TAP_BUILTIN_RETVAL ? "" :
				*u ? "uretprobe:, or " : "kretprobe:, or ", u);
	case TAP_BUILTIN_KSTACK:
	case TAP_BUILTIN_USTACK:
		return type == TAP_PROBE_SPAN ? span_has_not(p, t, "stack") : 0;
	case TAP_BUILTIN_FLAG:
		if (tap_probe_is_call(type) ||
		    !(value & (TAP_F_MIGRATED | TAP_F_DESCHEDULED | TAP_F_NESTED)))
			return 0;
		return tap_diag(p, t.at, t.len, -EINVAL,
				"%.*s is known when a call returns; use %scall:, or syscall:",
				QUOTE(t), u);
	case TAP_BUILTIN_COMM:
	case TAP_BUILTIN_PMU:
	case TAP_BUILTIN_CURRENT:
	case TAP_BUILTIN_PPID:
		return 0;
	case TAP_BUILTIN_VAR:
		if (value == TAP_VAR_ENCLOSED && type != TAP_PROBE_CALL)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"%.*s is known of calls of the kernel; use call:", QUOTE(t));
		if (value != TAP_VAR_SYSCALL || type == TAP_PROBE_SYSCALL)
			return 0;
		return tap_diag(p, t.at, t.len, -EINVAL,
				"only syscall: has $syscall, the number of the system call");
	}
	return 0;
}

/* The number N of $argN and $stackN. */
static bool numbered(struct tap_token t, const char *name, __u64 *n)
{
	size_t len = strlen(name), i;

	if (t.len <= len || t.len > len + 4 || memcmp(t.at, name, len))
		return false;
	*n = 0;
	for (i = len; i < t.len; i++) {
		if (!isdigit((unsigned char)t.at[i]))
			return false;
		*n = *n * 10 + (t.at[i] - '0');
	}
	return true;
}

/* Looks up a $-variable and sets @node->builtin and @node->value. */
int tap_variable_parse(const struct tap_parser *p, struct tap_node *node)
{
	struct tap_token t = node->t, word = { t.at + 1, t.len - 1 };
	struct tap_suggest s;
	char near[128];
	size_t i;

	if (numbered(word, "arg", &node->value)) {
		node->builtin = TAP_BUILTIN_ARG;
		if (!node->value--)
			return tap_diag(p, t.at, t.len, -EINVAL,
					"arguments are numbered from 1; use $arg1 to $arg6");
		if (node->value > 5 && p->spec->type != TAP_PROBE_USDT)
			return tap_diag(p, t.at, t.len, -EOPNOTSUPP,
					"only $arg1 to $arg6 are passed in registers; $stackN reads a word of the stack");
	} else if (numbered(word, "stack", &node->value)) {
		node->builtin = TAP_BUILTIN_STACK_WORD;
	} else if (tap_token_is(word, "arg*")) {
		node->builtin = TAP_BUILTIN_ARGS;
	} else if (tap_token_is(word, "stack")) {
		node->builtin = TAP_BUILTIN_STACK;
	} else if (tap_builtin_find(word, &node->builtin, &node->value)) {
		goto unknown;
	}
	return tap_builtin_check(p, t, node->builtin, node->value);

unknown:
	/* ftrace writes the fields of a tracepoint so. */
	if (p->spec->type == TAP_PROBE_TRACEPOINT && word.len) {
		node->kind = TAP_NODE_NAME;
		node->t = word;
		return 0;
	}
	if (one_of(word, later, ARRAY_SIZE(later)))
		return tap_diag(p, t.at, t.len, -EOPNOTSUPP,
				"$%.*s is " TAP_LATER "; there are " VARIABLES,
				QUOTE(word));
	if (one_of(word, in_each_line, ARRAY_SIZE(in_each_line)))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"$%.*s is not a variable; each line shows the time and the event anyway",
				QUOTE(word));
	tap_suggest_begin(&s, word.at, word.len);
	tap_suggest_offer(&s, "arg1", 4);
	tap_suggest_offer(&s, "stack", 5);
	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		tap_suggest_offer(&s, builtins[i].name,
				  strlen(builtins[i].name));
	return tap_diag(p, t.at, t.len, -EINVAL,
			"no variable $%.*s%s%s There are " VARIABLES,
			QUOTE(word),
			tap_suggest_text(&s, "$", "", near, sizeof(near)),
			s.nr ? "" : ".");
}

/* Looks up a register and sets @node->value to its offset in struct pt_regs. */
int tap_register_parse(const struct tap_parser *p, struct tap_node *node)
{
	struct tap_token t = node->t, word = { t.at + 1, t.len - 1 };
	int offset = tap_register_offset(word.at, word.len);
	struct tap_suggest s;
	char near[128];

	if (offset < 0) {
		tap_suggest_begin(&s, word.at, word.len);
		tap_register_suggest(&s);
		return tap_diag(p, t.at, t.len, -EINVAL,
				"no register %%%.*s%s%s There are %s",
				QUOTE(word),
				tap_suggest_text(&s, "%", "", near,
						 sizeof(near)),
				s.nr ? "" : ".", tap_register_list());
	}
	node->value = offset;
	return check_entry(p, t, false);
}
