// SPDX-License-Identifier: GPL-2.0
/*
 * Probes in the kernel: all kinds see the same calls of lseek().
 */
#include <string.h>
#include <sys/syscall.h>

#include "selftest/selftest.h"

/* Where struct pt_regs has the second argument of a system call. */
#if defined(__x86_64__)
#define SECOND_ARG	"104"	/* si */
#else
#define SECOND_ARG	"8"	/* regs[1] */
#endif

#define NO_KRETPROBES	"this kernel was built without CONFIG_KRETPROBES"

static const struct series kprobe = {
	"kprobe", TAP_FEATURE_KPROBE, "this kernel was built without CONFIG_KPROBES",
	&trigger_lseek, .arg = 0, .ret = -1,
};

static const struct series kretprobe = {
	"kretprobe", TAP_FEATURE_KRETPROBE, NO_KRETPROBES, &trigger_lseek,
	.arg = -1, .ret = 0,
};

static const struct series call = {
	"call", TAP_FEATURE_CALL, NO_KRETPROBES, &trigger_lseek,
	.arg = TAP_CALL_FETCHES, .ret = TAP_CALL_RETVAL, .call = true,
};

static const struct series funcgraph = {
	"funcgraph", TAP_FEATURE_FUNCGRAPH,
	"before 5.11 a kernel does not say at the entry of a function in which call that is",
	&trigger_lseek, .arg = TAP_CALL_FETCHES, .ret = TAP_CALL_RETVAL, .call = true,
	.graph = true,
};

static const struct series func = {
	"func", TAP_FEATURE_FUNC,
	"this kernel was built without CONFIG_DYNAMIC_FTRACE",
	&trigger_lseek, .arg = 0, .ret = -1,
};

/* The same without a test of the process. */
static const struct series kprobe_all = {
	"kprobe-all", TAP_FEATURE_KPROBE, "this kernel was built without CONFIG_KPROBES",
	&trigger_lseek, .arg = 0, .ret = -1, .all = true,
};

static const struct series kretprobe_all = {
	"kretprobe-all", TAP_FEATURE_KRETPROBE, NO_KRETPROBES, &trigger_lseek,
	.arg = -1, .ret = 0, .all = true,
};

static const struct series call_all = {
	"call-all", TAP_FEATURE_CALL, NO_KRETPROBES, &trigger_lseek,
	.arg = TAP_CALL_FETCHES, .ret = TAP_CALL_RETVAL, .call = true, .all = true,
};

static const struct series rawtracepoint = {
	"rawtracepoint", TAP_FEATURE_RAWTP, "this kernel was built without CONFIG_TRACEPOINTS",
	&trigger_lseek, .arg = 0, .ret = -1,
};

static const struct series tracepoint = {
	"tracepoint", TAP_FEATURE_TRACEPOINT,
	"this kernel was built without CONFIG_PERF_EVENTS or CONFIG_EVENT_TRACING",
	&trigger_lseek, .arg = 0, .ret = -1,
};

static const struct series system_call = {
	"syscall", TAP_FEATURE_SYSCALL, "this kernel has other prototypes of tracepoints",
	&trigger_lseek, .arg = TAP_CALL_FETCHES, .ret = TAP_CALL_RETVAL, .call = true,
};

/* The innermost frame is the function, and something called it. */
static void check_kstack(struct rig *rig, const struct tap_event *ev, unsigned int i)
{
	const char *function = rig->t->st->function;
	__u64 frames = (tap_event_word(ev, 1) & TAP_TEXT_LEN) / 8;
	char name[128] = "";

	if (frames < 2)
		test_fail(rig->t, "stack of event %u: expected several frames, got %llu", i,
			  (unsigned long long)frames);
	else if (tap_symbols_lookup(rig->t->st->syms, tap_event_word(ev, 2), name,
				    sizeof(name)) ||
		 strncmp(name, function, strlen(function)))
		test_fail(rig->t, "stack of event %u: expected %s first, got %#llx %s", i,
			  function, (unsigned long long)tap_event_word(ev, 2), name);
}

static const struct series kstack = {
	"kstack", TAP_FEATURE_KPROBE, "it is tested with a kprobe", &trigger_lseek,
	.arg = 0, .ret = -1, .check = check_kstack,
};

static void function_test(struct selftest *st, const struct series *series, const char *type,
			  const char *values)
{
	char event[160];

	snprintf(event, sizeof(event), "%s:%s %s", type, st->function, values);
	series_test(st, series, event, SELFTEST_HITS);
}

static void skip(struct selftest *st, const char *name, const char *why)
{
	struct selftest_test t;

	test_begin(&t, st, name);
	test_skip(&t, "%s", why);
	test_end(&t);
}

void kernel_kinds_test(struct selftest *st)
{
	static const struct {
		const struct series *series;
		const char *type;
		const char *values;
	} functions[] = {
		{ &kprobe, "kprobe", "$arg2" },
		{ &kprobe_all, "kprobe", "$arg2" },
		{ &kretprobe, "kretprobe", "$retval" },
		{ &kretprobe_all, "kretprobe", "$retval" },
		{ &call, "call", "$arg2" },
		{ &call_all, "call", "$arg2" },
		{ &funcgraph, "funcgraph", "$arg2" },
		{ &func, "func", "$arg2" },
		{ &kstack, "kprobe", "$arg2 kstack[8]" },
	};
	char event[160];
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].series == &kstack && !st->addresses)
			skip(st, kstack.name,
			     "addresses of the kernel are hidden (kptr_restrict, or no CAP_SYSLOG)");
		else if (*st->function)
			function_test(st, functions[i].series, functions[i].type,
				      functions[i].values);
		else
			skip(st, functions[i].series->name, st->syms ?
			     "this kernel has none of the functions that lseek() is known to call" :
			     st->syms_error.text);
	snprintf(event, sizeof(event),
		 "rawtracepoint:sys_enter +" SECOND_ARG "($arg1):u64 if $arg2 == %d", SYS_lseek);
	series_test(st, &rawtracepoint, event, SELFTEST_HITS);
	snprintf(event, sizeof(event), "tracepoint:raw_syscalls:sys_enter args[1] if id == %d",
		 SYS_lseek);
	series_test(st, &tracepoint, event, SELFTEST_HITS);
	series_test(st, &system_call, "syscall:lseek $arg2", SELFTEST_HITS);
}
