// SPDX-License-Identifier: GPL-2.0
/*
 * A run of the self-test: its tests in their order, and the block for a report.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define BEGIN_MARK	"----- begin tap doctor --selftest -----"
#define END_MARK	"----- end tap doctor --selftest -----"
#define MAX_CPU_TIME	45000000000ULL

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* Tests end early after a signal, and remove what they have made. */
bool selftest_stopped(void)
{
	return interrupted;
}

static void catch_signals(void)
{
	/* A second one ends the program, and the kernel closes its session. */
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static const char *word_of(enum selftest_status status)
{
	static const char *const words[] = { "ok", "skip", "FAIL" };

	return words[status];
}

static int found_address(void *arg, __u64 addr, const char *name, const char *module)
{
	(void)arg;
	(void)addr;
	(void)name;
	(void)module;
	return 1;
}

/* What all tests stand on. */
static int prepare(struct selftest *st)
{
	struct tap_session *session;
	struct tap_error err;
	const char *function;
	int ret;

	ret = tap_session_open(&session, &err);
	if (ret)
		return tool_fail(&err);
	ret = tap_session_info(session, &st->info);
	tap_session_close(session);
	if (ret) {
		tool_error("the module does not answer: %s", strerror(-ret));
		return TOOL_FAILED;
	}
	if (machine_cpus(st)) {
		tool_error("no CPU of this process is found: sched_getaffinity() fails");
		return TOOL_FAILED;
	}
	st->syms = tap_symbols_cached(&st->syms_error);
	st->addresses = st->syms && tap_symbols_each(st->syms, found_address, NULL);
	function = trigger_lseek_function(st);
	snprintf(st->function, sizeof(st->function), "%s", function ? function : "");
	removal_begin(st);
	return 0;
}

static void run_tests(struct selftest *st)
{
	static void (*const tests[])(struct selftest *st) = {
		kernel_kinds_test, user_kinds_test, costs_test, counters_test, watchpoint_test, marks_test,
		tables_test, rings_test, clocks_test,
	};
	struct selftest_test t;
	size_t i;

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]) && !interrupted; i++) {
		if (machine_cpu_time() < MAX_CPU_TIME) {
			tests[i](st);
			continue;
		}
		test_begin(&t, st, "time");
		test_fail(&t, "the tests took %.0f s of a processor; the rest was left out",
			  (double)machine_cpu_time() / 1e9);
		test_end(&t);
		break;
	}
	removal_test(st);
}

/* ------------------------------------------------------------------- output */

static void print_item(void *arg, const char *name, const char *text)
{
	(void)arg;
	printf("%-10s %s\n", name, text);
}

static void json_item(void *arg, const char *name, const char *text)
{
	bool *first = arg;

	fputs(*first ? "" : ",", stdout);
	*first = false;
	tool_json(stdout, name);
	putchar(':');
	tool_json(stdout, text);
}

static void print_block(struct selftest *st, const char *sums)
{
	unsigned int i;

	puts("\n" BEGIN_MARK);
	machine_describe(st, print_item, NULL);
	for (i = 0; i < st->nr_lines; i++)
		printf("%-4s %-15s %s\n", word_of(st->lines[i].status), st->lines[i].name,
		       st->lines[i].text);
	printf("%s\n" END_MARK "\n", sums);
}

static void print_json(struct selftest *st, double seconds, double cpu_seconds)
{
	bool first = true;
	unsigned int i;

	fputs("{\"machine\":{", stdout);
	machine_describe(st, json_item, &first);
	fputs("},\"tests\":[", stdout);
	for (i = 0; i < st->nr_lines; i++) {
		printf("%s{\"test\":", i ? "," : "");
		tool_json(stdout, st->lines[i].name);
		printf(",\"status\":\"%s\",\"text\":", word_of(st->lines[i].status));
		tool_json(stdout, st->lines[i].text);
		putchar('}');
	}
	printf("],\"ok\":%u,\"skipped\":%u,\"failed\":%u,\"interrupted\":%s,\"seconds\":%.1f,\"cpu_seconds\":%.1f}\n",
	       st->counts[SELFTEST_OK], st->counts[SELFTEST_SKIP], st->counts[SELFTEST_FAIL],
	       interrupted ? "true" : "false", seconds, cpu_seconds);
}

static void print_results(struct selftest *st, double seconds)
{
	double cpu_seconds = (double)machine_cpu_time() / 1e9;
	char sums[160];

	if (st->json) {
		print_json(st, seconds, cpu_seconds);
		return;
	}
	snprintf(sums, sizeof(sums), "%u ok, %u skipped, %u failed%s; %.1f s, %.1f s of a processor",
		 st->counts[SELFTEST_OK], st->counts[SELFTEST_SKIP], st->counts[SELFTEST_FAIL],
		 interrupted ? ", interrupted" : "", seconds, cpu_seconds);
	print_block(st, sums);
}

/**
 * selftest_run() - test each kind of probe on this machine
 * @json: print one JSON object instead of text
 * @counter_there: whether the processor has a counter of this name: 0 or -errno
 *
 * Return: exit status: 0 if no test failed and at least one succeeded.
 */
int selftest_run(bool json, int (*counter_there)(const char *name))
{
	struct selftest *st = calloc(1, sizeof(*st));
	__u64 begin = machine_now();
	int ret;

	if (!st) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	st->json = json;
	st->counter_there = counter_there;
	catch_signals();
	ret = prepare(st);
	if (!ret) {
		run_tests(st);
		print_results(st, (double)(machine_now() - begin) / 1e9);
		ret = interrupted || st->counts[SELFTEST_FAIL] || !st->counts[SELFTEST_OK] ?
		      TOOL_FAILED : 0;
	}
	tap_symbols_free(st->syms);
	free(st->cpus);
	free(st);
	return ret;
}
