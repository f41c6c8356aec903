// SPDX-License-Identifier: GPL-2.0
/*
 * Completes an event: its type, then its values, formats and condition.
 *
 * The lists of words follow the parser (lang/parse_event.c, parse_builtin.c, parse_format.c), which
 * has them for its own use. selftests/tool/complete_test gives each word to the parser.
 */
#include <ctype.h>
#include <string.h>

#include "cmd/complete.h"
#include "cmd/complete_event.h"
#include "cmd/complete_target.h"
#include "compile/compile.h"
#include "kernel/ksyms.h"
#include "kernel/syscalls.h"
#include "kernel/tracefs.h"
#include "tool.h"

/**
 * struct word_help - a word, and a few words about it
 * @name: the word
 * @about: printed behind it
 */
struct word_help {
	const char *name;
	const char *about;
};

/* Those without a colon stand alone; the first thirteen are those of tap list. */
static const struct word_help event_types[] = {
	{ "kprobe:", "the entry of a kernel function" },
	{ "kretprobe:", "the return of a kernel function" },
	{ "call:", "a whole call: arguments, duration, return value" },
	{ "func:", "entries of many functions at once, through ftrace" },
	{ "funcgraph:", "calls as a graph" },
	{ "tracepoint:", "a tracepoint with its fields" },
	{ "rawtracepoint:", "a tracepoint with its raw arguments" },
	{ "emit:", "an event of a driver's own" },
	{ "syscall:", "a whole system call" },
	{ "uprobe:", "the entry of a function of a program or library" },
	{ "uretprobe:", "its return" },
	{ "ucall:", "a whole call in a program or library" },
	{ "usdt:", "a USDT probe of a program or library" },
	{ "hardware:", "samples by a counter of the processor" },
	{ "software:", "samples by an event of the kernel" },
	{ "profile:", "samples by a clock" },
	{ "watchpoint:", "memory that is written, read or executed" },
	{ "mark", "the texts of tap mark" },
	{ "printk", "messages of the kernel" },
	{ "interval:", "a tick" },
	{ "file:", "a value of /proc or /sys" },
	{ "line:", "a line of a module's source" },
	{ "inline:", "a function, also where it is inlined" },
	{ "uinline:", "the same in a program or library" },
	{ "span:", "from one event to another with the same key" },
};

/* Types that tap list takes. */
#define LISTED	13

static const struct word_help kinds[] = {
	{ "counters", "all counters of this machine" },
	{ "hardware", "counters of the processor" },
	{ "cache", "counters of its caches" },
	{ "software", "counters of the kernel" },
	{ "pmu", "counters that sysfs names" },
};

static const struct word_help builtins[] = {
	{ "pid", "process" },
	{ "tid", "thread" },
	{ "comm", "name of the thread" },
	{ "cpu", "CPU" },
	{ "uid", "user" },
	{ "cgroup", "id of the cgroup" },
	{ "now", "time of the kernel's clock, in ns" },
	{ "current", "the task, a pointer" },
	{ "ppid", "process of the parent" },
	{ "in_irq", "in a hard interrupt" },
	{ "in_softirq", "in a softirq" },
	{ "in_nmi", "in a non-maskable interrupt" },
	{ "kstack", "stack of the kernel" },
	{ "ustack", "stack of the program" },
};

static const struct word_help formats[] = {
	{ "u8", NULL }, { "u16", NULL }, { "u32", NULL }, { "u64", "unsigned decimal" },
	{ "s8", NULL }, { "s16", NULL }, { "s32", NULL }, { "s64", "signed decimal" },
	{ "x8", NULL }, { "x16", NULL }, { "x32", NULL }, { "x64", "hexadecimal" },
	{ "string", "text at an address" },
	{ "ustring", "text in user memory" },
	{ "char", "a character" },
	{ "sym", "a kernel address by name" },
	{ "usym", "an address of the program by name" },
	{ "bool", NULL },
	{ "errno", "an error by its name" },
	{ "ns", "a time" },
	{ "us", NULL }, { "ms", NULL },
	{ "be16", NULL }, { "be32", NULL }, { "be64", "decimal, in the order of the network" },
	{ "ip", NULL }, { "ip6", "an address of the internet" },
	{ "mac", "an address of a network card" },
	{ "uuid", NULL },
	{ "dev", "a device, MAJOR:MINOR" },
	{ "diff", "what a call has changed" },
};

#define SIZE(table)	(sizeof(table) / sizeof((table)[0]))

static void offer(const char *word, size_t before, const struct word_help *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		candidate_print(word, before, list[i].name, "", list[i].about);
}

/* ------------------------------------------------------------------ values */

/**
 * struct target - the event whose names are wanted
 * @type: its type as written, without the colon
 * @name: its target
 */
struct target {
	char type[32];
	char name[TAP_MAX_TARGET];
};

static bool is(const struct target *t, const char *type)
{
	return !strcmp(t->type, type);
}

static bool is_call(const struct target *t)
{
	return is(t, "call") || is(t, "funcgraph") || is(t, "syscall") || is(t, "ucall");
}

static bool is_function(const struct target *t)
{
	return is(t, "kprobe") || is(t, "func") || is(t, "call") || is(t, "funcgraph");
}

static void split_event(const char *event, struct target *t)
{
	size_t len = strcspn(event, ": \t"), rest;

	memset(t, 0, sizeof(*t));
	snprintf(t->type, sizeof(t->type), "%.*s", (int)len, event);
	if (is(t, "tp"))
		strcpy(t->type, "tracepoint");
	if (is(t, "rawtp"))
		strcpy(t->type, "rawtracepoint");
	if (event[len] != ':')
		return;
	event += len + 1;
	rest = strcspn(event, " \t");
	if (rest < sizeof(t->name))
		memcpy(t->name, event, rest);
}

/* The module of a function or raw tracepoint: not every one is of vmlinux. */
static void add_module(struct target *t)
{
	struct tap_symbols *syms;
	char text[TAP_MAX_TARGET];
	size_t i;

	if (strchr(t->name, ':'))
		return;
	syms = tap_symbols_cached(NULL);
	for (i = 0; syms && i < syms->nr && is_function(t); i++)
		if (!strcmp(syms->list[i].name, t->name))
			break;
	if (syms && is_function(t) && i < syms->nr && *syms->list[i].module) {
		snprintf(text, sizeof(text), "%.60s:%.180s", syms->list[i].module, t->name);
		strcpy(t->name, text);
	}
	for (i = 0; syms && i < syms->nr_tracepoints && is(t, "rawtracepoint"); i++) {
		const struct tap_tracepoint *tp = &syms->tracepoints[i];

		if (!strcmp(tp->name, t->name) && *tp->module) {
			snprintf(text, sizeof(text), "%.60s:%.180s", tp->module, tp->name);
			strcpy(t->name, text);
			break;
		}
	}
	tap_symbols_free(syms);
}

static int open_scope(struct target *t, struct tap_types *types, struct tap_scope *scope)
{
	struct tap_error err;
	char vmlinux[TAP_MAX_TARGET + sizeof(TAP_VMLINUX)];
	enum tap_probe_type type;
	int ret;

	if (is(t, "tracepoint"))
		return tap_scope_tracepoint(scope, NULL, t->name, &err);
	if (is(t, "syscall"))
		return tap_scope_syscalls(scope, t->name, &err);
	if (!types)
		return -1;
	if (is(t, "emit"))
		return tap_scope_emit(scope, types, t->name, &err);
	if (!is_function(t) && !is(t, "rawtracepoint"))
		return -1;
	type = is_function(t) ? TAP_PROBE_CALL : TAP_PROBE_RAWTP;
	if (!strchr(t->name, ':')) {
		snprintf(vmlinux, sizeof(vmlinux), TAP_VMLINUX ":%s", t->name);
		ret = tap_scope_open(scope, types, type, vmlinux, &err);
		if (!ret && !*scope->why)
			return 0;
		if (!ret)
			tap_scope_close(scope);
		add_module(t);
	}
	return strchr(t->name, ':') ? tap_scope_open(scope, types, type, t->name, &err) : -1;
}

/* Arguments and fields; returns how many there are. */
static size_t offer_scope(const char *word, size_t before, struct target *t)
{
	struct tap_scope scope = { 0 };
	struct tap_types *types = NULL;
	char text[256];
	size_t i, nr = 0;

	if (strpbrk(t->name, "*?["))
		return 0;
	if (is(t, "emit"))
		types = tap_types_new();
	else if ((is_function(t) || is(t, "rawtracepoint")) && tap_types_open(&types, NULL))
		types = NULL;
	if (!open_scope(t, types, &scope)) {
		for (i = 0; i < scope.nr; i++) {
			if (scope.names[i].quiet)
				continue;
			tap_type_declare(&scope.names[i].type, scope.names[i].name, text,
					 sizeof(text));
			candidate_print(word, before, scope.names[i].name, "", text);
			nr++;
		}
		tap_scope_close(&scope);
	}
	tap_types_free(types);
	return nr;
}

static void offer_names(const char *word, size_t before, const char *event)
{
	struct target t = { 0 };
	char arg[16];
	size_t nr;
	int i;

	if (event)
		split_event(event, &t);
	nr = event ? offer_scope(word, before, &t) : 0;
	if (strpbrk(t.name, "*?[{"))
		candidate_print(word, before, "func", "", "which probe of the glob it is");
	if (is_call(&t))
		candidate_print(word, before, "duration", "", "time from entry to return");
	if (is_call(&t) || is(&t, "kretprobe") || is(&t, "uretprobe"))
		candidate_print(word, before, "retval", "", "the return value");
	if (!nr && (is_function(&t) || is(&t, "rawtracepoint") || is(&t, "emit") || is(&t, "syscall") ||
		    is(&t, "uprobe") || is(&t, "ucall")))
		for (i = 1; i <= 6; i++) {
			snprintf(arg, sizeof(arg), "$arg%d", i);
			candidate_print(word, before, arg, "", "an argument without a type");
		}
	offer(word, before, builtins, SIZE(builtins));
}

void complete_expr(const char *word, size_t from, const char *event)
{
	size_t at = strlen(word);

	while (at > from && (isalnum((unsigned char)word[at - 1]) ||
			     strchr("_$%", word[at - 1])))
		at--;
	/* Members and registers are not known here. */
	if (word[at] == '%' || (at > from && strchr(".>%", word[at - 1])))
		return;
	if (at > from && word[at - 1] == ':')
		offer(word, at, formats, SIZE(formats));
	else
		offer_names(word, at, event);
}

/* Where the target ends: at the first blank that is in no quotes; or NULL. */
static const char *end_of_target(const char *word)
{
	bool quoted = false;

	for (; *word; word++) {
		quoted ^= *word == '"';
		if (!quoted && isspace((unsigned char)*word))
			return word;
	}
	return NULL;
}

/* True if an operand of a condition ends before @last: an operator follows, not a name. */
static bool after_operand(const char *from, const char *last)
{
	while (last > from && isspace((unsigned char)last[-1]))
		last--;
	if (last == from || !(isalnum((unsigned char)last[-1]) || strchr("_)]\"", last[-1])))
		return false;
	return last - from < 3 || memcmp(last - 3, " if", 3) != 0;
}

static void complete_values(const char *word, const char *from)
{
	const char *last = strrchr(word, ' ') + 1;
	bool condition = strstr(from, " if ") != NULL;

	/* A text in quotes. */
	if (strchr(last, '"') || (condition && after_operand(from, last)))
		return;
	complete_expr(word, (size_t)((condition ? from : last) - word),
		      word + tap_spec_name_len(word));
	if (!condition)
		candidate_print(word, (size_t)(last - word), "if", "", "a condition follows");
}

/* ---------------------------------------------------------------- counters */

struct counter_words {
	const char *word;
	size_t before;
	int kind;
};

static int offer_counter(enum tap_perf_kind kind, const char *name, const char *alias,
			 void *arg)
{
	const struct counter_words *w = arg;

	if (w->kind >= 0 && (int)kind != w->kind)
		return 0;
	candidate_print(w->word, w->before, name, "", alias);
	if (alias && *(w->word + w->before))
		candidate_print(w->word, w->before, alias, "", name);
	return 0;
}

static void each_counter(struct counter_words *w)
{
	tap_perf_each(offer_counter, w);
}

void complete_counters(const char *word)
{
	const char *comma = strrchr(word, ','), *equals = strchr(word, '=');
	struct counter_words w = { .word = word, .kind = -1 };

	if (!strncmp(word, "--", 2) && equals)
		w.before = (size_t)(equals + 1 - word);
	if (comma)
		w.before = (size_t)(comma + 1 - word);
	each_counter(&w);
}

/* ------------------------------------------------------------------ events */

/* What follows "profile:" and the like; false if the type is another. */
static bool complete_sample(const char *word, size_t colon)
{
	static const struct word_help units[] = {
		{ "hz:", "times a second" }, { "s:", "seconds" },
		{ "ms:", "milliseconds" }, { "us:", "microseconds" },
	};
	static const struct word_help modes[] = {
		{ "w", "writes" }, { "rw", "reads and writes" }, { "x", "executions" },
	};
	static const struct word_help lengths[] = {
		{ "1:", NULL }, { "2:", NULL }, { "4:", NULL }, { "8:", NULL },
	};
	struct counter_words w = { .word = word, .before = colon };
	const char *rest = word + colon, *second = strchr(rest, ':'), *third;

	if (!strncmp(word, "profile:", colon)) {
		if (!second)
			offer(word, colon, units, SIZE(units));
	} else if (!strncmp(word, "interval:", colon)) {
		if (!second)
			offer(word, colon, units + 1, 2);
	} else if (!strncmp(word, "hardware:", colon) || !strncmp(word, "software:", colon)) {
		if (second)
			return true;
		w.kind = *word == 's' ? TAP_PERF_SOFTWARE : TAP_PERF_HARDWARE;
		each_counter(&w);
		w.kind = TAP_PERF_CACHE;
		if (*word == 'h')
			each_counter(&w);
	} else if (!strncmp(word, "watchpoint:", colon)) {
		/* The colons behind an expression. */
		second = word[colon] == '(' ? strstr(word, "):") : second;
		second += second && *second == ')';
		third = second ? strchr(second + 1, ':') : NULL;
		if (third)
			offer(word, (size_t)(third + 1 - word), modes, SIZE(modes));
		else if (second)
			offer(word, (size_t)(second + 1 - word), lengths, SIZE(lengths));
	} else {
		return false;
	}
	return true;
}

/* watchpoint:(EXPR):LEN:MODE in EVENT: the part behind the mode, up to the type of the event. */
static bool complete_armer(const char *word)
{
	static const struct word_help in = { "in", "the event that names the object" };
	const char *end = strncmp(word, "watchpoint:(", 12) ? NULL : strstr(word, "):");
	const char *blank = end ? strchr(end, ' ') : NULL;

	if (!blank)
		return false;
	if (strncmp(blank, " in ", 4)) {
		offer(word, (size_t)(blank + 1 - word), &in, 1);
	} else if (!strpbrk(blank + 4, ": ")) {
		blank += 4 + (blank[4] == '(');
		offer(word, (size_t)(blank - word), event_types, LISTED);
	}
	return true;
}

void complete_event(const char *word, bool list)
{
	const char *colon = strchr(word, ':');
	const char *blank = end_of_target(word);

	if (blank) {
		if (!list && !complete_armer(word))
			complete_values(word, blank);
	} else if (!colon) {
		offer(word, 0, event_types, list ? LISTED : SIZE(event_types));
		if (list)
			offer(word, 0, kinds, SIZE(kinds));
	} else if (!complete_sample(word, (size_t)(colon + 1 - word))) {
		complete_target(word);
	}
}
