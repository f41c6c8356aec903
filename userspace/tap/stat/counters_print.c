// SPDX-License-Identifier: GPL-2.0
/*
 * Printing counters: a line for each, with a ratio of two of them where it is usual.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "util/buffer.h"
#include "stat/counters_print.h"

/* Longer names make only their own line longer. */
#define MAX_WIDTH	50

/* A name with its CPU. */
#define MAX_NAME	256

/**
 * struct value - what a counter counted in an interval
 * @count: scaled to the whole interval if the counter was multiplexed
 * @enabled: time that it was enabled, ns
 * @running: time that it was on the processor, ns
 * @ns: elapsed time
 * @missing: this machine does not have it
 */
struct value {
	double count;
	__u64 enabled;
	__u64 running;
	__u64 ns;
	bool missing;
};

static void add_slot(struct value *v, const struct tap_count *now,
		     const struct tap_count *last)
{
	__u64 enabled = now->enabled - last->enabled;
	__u64 running = now->running - last->running;
	double count = (double)(now->value - last->value);

	if (running && running < enabled)
		count *= (double)enabled / (double)running;
	v->count += count;
	v->enabled += enabled;
	v->running += running;
}

/*
 * The sum over all CPUs or threads, or the value of one of them. On a CPU the time
 * is what the kernel measured; in a task that would be the time that the task ran,
 * so the time of the interval is used.
 */
static struct value value_of(const struct counters *counters,
			     const struct counter *c,
			     const struct counters_moment *moment, long only)
{
	static const struct tap_count none;
	size_t i, nr = counters->tasks ? c->nr_ids : counters->slots;
	struct value v = { .missing = c->code != 0 };
	__u64 before, longest = 0;

	for (i = 0; i < nr && !v.missing; i++) {
		if (only >= 0 && (size_t)only != i)
			continue;
		before = v.enabled;
		add_slot(&v, &c->now[i], moment->all ? &none : &c->last[i]);
		if (v.enabled - before > longest)
			longest = v.enabled - before;
	}
	v.ns = counters->tasks ? moment->ns : longest;
	return v;
}

/* Whether the counter counts nanoseconds. */
static bool is_clock(const struct tap_perf *perf)
{
	return perf->type == PERF_TYPE_SOFTWARE &&
	       (perf->config == PERF_COUNT_SW_CPU_CLOCK ||
		perf->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* ---------------------------------------------------------------- notes */

#define CACHE(_cache, _op, _result)					\
	(PERF_COUNT_HW_CACHE_##_cache | PERF_COUNT_HW_CACHE_OP_##_op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##_result << 16)

/**
 * struct ratio - a ratio of two counters
 * @type: of both counters
 * @config: the numerator, whose line shows the ratio
 * @of: the denominator
 * @percent: print it as a percentage
 * @text: its unit
 */
struct ratio {
	__u32 type;
	__u64 config;
	__u64 of;
	bool percent;
	const char *text;
};

static const struct ratio ratios[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	  PERF_COUNT_HW_CPU_CYCLES, false, "insn per cycle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, true, "of all branches" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	  PERF_COUNT_HW_CACHE_REFERENCES, true, "of all cache references" },
	{ PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), CACHE(L1D, READ, ACCESS),
	  true, "of all L1-dcache loads" },
	{ PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), CACHE(LL, READ, ACCESS),
	  true, "of all LLC loads" },
	{ PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS),
	  CACHE(DTLB, READ, ACCESS), true, "of all dTLB loads" },
};

/* The counter with this configuration and the flags of c. */
static const struct counter *partner(const struct counters *counters,
				     const struct counter *c, __u64 config)
{
	size_t i;

	for (i = 0; i < counters->nr; i++) {
		const struct counter *other = &counters->list[i];

		if (other->perf.type == c->perf.type &&
		    other->perf.config == config &&
		    other->perf.flags == c->perf.flags && !other->code)
			return other;
	}
	return NULL;
}

/**
 * struct note - the value of a ratio
 * @value: the ratio
 * @text: its unit, or NULL
 * @percent: @value is a percentage
 */
struct note {
	double value;
	const char *text;
	bool percent;
};

static struct note note_of(const struct counters *counters,
			   const struct counter *c, const struct value *v,
			   const struct counters_moment *moment, long only)
{
	struct note note = { 0 };
	const struct counter *other;
	struct value of;
	size_t i;

	if (is_clock(&c->perf) && v->ns) {
		note = (struct note) { v->count / (double)v->ns,
				       "CPUs used", false };
		return note;
	}
	for (i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		const struct ratio *r = &ratios[i];

		if (r->type != c->perf.type || r->config != c->perf.config)
			continue;
		other = partner(counters, c, r->of);
		if (!other)
			continue;
		of = value_of(counters, other, moment, only);
		if (of.count > 0)
			note = (struct note) {
				v->count / of.count * (r->percent ? 100 : 1),
				r->text, r->percent };
	}
	return note;
}

/* ---------------------------------------------------------------- lines */

static double percent_running(const struct value *v)
{
	return v->enabled ? 100.0 * (double)v->running / (double)v->enabled : 0;
}

static double rate_of(const struct value *v)
{
	return v->ns ? v->count * 1e9 / (double)v->ns : 0;
}

static void print_text(const struct counters_moment *m,
		       const struct counter *c, const char *event,
		       const struct value *v, const struct note *note)
{
	char count[TAP_PUT_DURATION_MAX + 32], rate[32] = "-";

	if (v->missing) {
		strcpy(count, "<not supported>");
	} else if (!v->running) {
		strcpy(count, "<not counted>");
	} else if (is_clock(&c->perf)) {
		*tap_put_duration(count, (__u64)v->count) = '\0';
	} else {
		snprintf(count, sizeof(count), "%.0f", v->count);
		snprintf(rate, sizeof(rate), "%.1f", rate_of(v));
	}
	fprintf(m->to, "%10.3f %-*s %15s %15s", (double)m->time / 1e9, m->width,
		event, count, rate);
	if (note->text && v->running)
		fprintf(m->to, note->percent ? "  %.2f%% %s" : "  %.2f %s",
			note->value, note->text);
	if (v->running && v->running < v->enabled)
		fprintf(m->to, "  [multiplexed: counted %.1f%% of the time, scaled]",
			percent_running(v));
	fputc('\n', m->to);
}

static void print_json(const struct counters_moment *m,
		       const struct counter *c, long cpu,
		       const struct value *v, const struct note *note)
{
	fprintf(m->to, "{\"type\":\"counter\",\"time\":%.3f,\"seconds\":%.3f,\"event\":",
		(double)m->time / 1e9, (double)m->ns / 1e9);
	tool_json(m->to, c->name);
	if (cpu >= 0)
		fprintf(m->to, ",\"cpu\":%ld", cpu);
	if (v->missing || !v->running)
		fprintf(m->to, ",\"count\":null,\"state\":\"%s\"",
			v->missing ? "not supported" : "not counted");
	else
		fprintf(m->to, ",\"count\":%.0f,\"rate\":%.1f,\"state\":\"%s\"",
			v->count, rate_of(v),
			v->running < v->enabled ? "multiplexed" : "counted");
	fprintf(m->to, ",\"enabled_ns\":%llu,\"running_ns\":%llu",
		(unsigned long long)v->enabled, (unsigned long long)v->running);
	if (note->text && v->running) {
		fprintf(m->to, ",\"metric\":%.4f,\"unit\":", note->value);
		tool_json(m->to, note->text);
	}
	fprintf(m->to, "%s}\n", m->all ? ",\"total\":true" : "");
}

static void print_line(const struct counters *counters,
		       const struct counter *c,
		       const struct counters_moment *m, long only, bool named)
{
	struct value v = value_of(counters, c, m, only);
	struct note note = note_of(counters, c, &v, m, only);
	char event[MAX_NAME];

	if (counters->run->opts->json) {
		print_json(m, c, named ? only : -1, &v, &note);
		return;
	}
	if (named)
		snprintf(event, sizeof(event), "CPU %ld %s", only, c->name);
	print_text(m, c, named ? event : c->name, &v, &note);
}

int counters_width(const struct counters *counters)
{
	size_t i, len, most = strlen("COUNTER");

	for (i = 0; i < counters->nr; i++) {
		len = strlen(counters->list[i].name);
		if (counters->run->opts->per_cpu)
			len += strlen("CPU 123 ");
		if (len > most)
			most = len < MAX_WIDTH ? len : MAX_WIDTH;
	}
	return (int)most;
}

void counters_print(const struct counters *counters,
		    const struct counters_moment *moment)
{
	const struct options *opts = counters->run->opts;
	size_t i, cpu;

	if (!counters->nr)
		return;
	if (!opts->json)
		fprintf(moment->to, "%10s %-*s %15s %15s\n", "TIME",
			moment->width, "COUNTER", "COUNT", "PER SECOND");
	for (i = 0; i < counters->nr; i++) {
		const struct counter *c = &counters->list[i];

		if (!opts->per_cpu || c->code) {
			print_line(counters, c, moment,
				   opts->one_cpu ? (long)opts->cpu : -1, false);
			continue;
		}
		for (cpu = 0; cpu < counters->slots; cpu++)
			if (c->now[cpu].enabled &&
			    (!opts->one_cpu || cpu == opts->cpu))
				print_line(counters, c, moment, (long)cpu, true);
	}
}
