// SPDX-License-Identifier: GPL-2.0
/*
 * A session under test: from its opening to the check that all of it was removed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define MAX_RING_MEMORY	(64ULL << 20)
#define MAX_RECORD	512	/* bytes of a record of a test that uses rig_hit() */
#define FLUSH_ROUNDS	8

/* A ring may be made for each CPU that the machine could have: bounded all together. */
__u64 rig_ring_bytes(const struct selftest *st, __u64 wanted)
{
	__u64 page = (__u64)sysconf(_SC_PAGESIZE);

	while (wanted > page && wanted * st->info.out_nr_rings > MAX_RING_MEMORY)
		wanted /= 2;
	return wanted < page ? page : wanted;
}

/*
 * What a machine cannot do is skipped: the kernel lacks the source or the target, does not
 * allow it, or has no counter or debug register free.
 */
static int refuse(struct rig *rig, int code, const struct tap_error *err)
{
	switch (code) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
	case -EADDRNOTAVAIL:
	case -ENOSPC:
	case -EBUSY:
	case -EPERM:
	case -EACCES:
		test_skip(rig->t, "%s", err->text);
		break;
	default:
		test_fail(rig->t, "%s", *err->text ? err->text : strerror(-code));
	}
	return code;
}

int rig_open(struct rig *rig, struct selftest_test *t, __u64 ring_bytes)
{
	return rig_open_clock(rig, t, ring_bytes, TAP_SESSION_CLOCK_RAW);
}

int rig_open_clock(struct rig *rig, struct selftest_test *t, __u64 ring_bytes, __u32 clock)
{
	struct tap_session_opts opts = {
		.size = sizeof(opts),
		.ring_bytes = rig_ring_bytes(t->st, ring_bytes),
		.clock = clock,
	};
	struct tap_error err = { 0 };
	int ret;

	memset(rig, 0, sizeof(*rig));
	rig->t = t;
	rig->batch = SELFTEST_BATCH;
	if (opts.ring_bytes / MAX_RECORD < rig->batch)
		rig->batch = (unsigned int)(opts.ring_bytes / MAX_RECORD);
	removal_before(rig);
	ret = tap_session_open(&rig->session, &err);
	if (!ret)
		ret = tap_session_setup(rig->session, &opts, &err);
	if (!ret) {
		rig->probes = tap_probes_new();
		if (!rig->probes)
			ret = tap_error_set(&err, -ENOMEM, "out of memory");
	}
	if (ret)
		test_fail(t, "%s", err.text);
	return ret;
}

/* Takes the spec over on success. */
static int add_spec(struct rig *rig, const struct rig_opts *opts, struct tap_spec *spec,
		    struct tap_error *err)
{
	int ret = 0;

	if (opts->count)
		tap_spec_set_flags(spec, tap_spec_flags(spec) | TAP_CREATE_F_COUNT);
	if (!opts->any_task)
		ret = tap_spec_test(spec, TAP_VAR_TGID, 0, (__u64)getpid());
	if (ret)
		return tap_error_set(err, ret, "tap_spec_test: %s", strerror(-ret));
	tap_spec_set_limit(spec, TAP_NO_LIMIT);
	ret = tap_probe_create(rig->probes, rig->session, spec, err);
	if (ret)
		return ret;
	rig->ids[rig->nr++] = tap_probe_id(tap_probes_get(rig->probes,
							   tap_probes_nr(rig->probes) - 1));
	return 0;
}

static int expand(struct rig *rig, const struct rig_opts *opts, struct tap_spec *spec,
		  struct tap_error *err)
{
	struct tap_spec **list;
	int ret = 0;
	size_t nr;

	if (opts->nr_pmu)
		ret = tap_spec_pmu(spec, opts->pmu, opts->nr_pmu, err);
	if (!ret && (opts->nr_keys || opts->nr_values))
		ret = tap_spec_aggregate(spec, opts->keys, opts->nr_keys, opts->values,
					 opts->nr_values, 0, err);
	if (!ret)
		ret = tap_spec_expand(rig->t->st->syms, NULL, spec, &list, &nr, err);
	if (ret)
		return ret;
	/* Several functions may have the name: the first one would be arbitrary. */
	if (nr != 1)
		ret = tap_error_set(err, -EADDRNOTAVAIL, "%s: %zu places",
				    tap_spec_event(spec), nr);
	if (!ret)
		ret = add_spec(rig, opts, list[0], err);
	if (!ret)
		list[0] = NULL;
	tap_spec_list_free(list, nr);
	return ret;
}

int rig_add(struct rig *rig, const struct rig_opts *opts, const char *fmt, ...)
{
	static const struct rig_opts usual;
	struct tap_error err = { 0 };
	struct tap_spec *spec;
	char event[1200];
	va_list ap;
	int ret;

	if (rig->nr == SELFTEST_PROBES)
		return -ENOSPC;
	va_start(ap, fmt);
	vsnprintf(event, sizeof(event), fmt, ap);
	va_end(ap);
	ret = tap_spec_parse(event, &spec, &err);
	if (!ret) {
		ret = expand(rig, opts ? opts : &usual, spec, &err);
		tap_spec_free(spec);
	}
	return ret ? refuse(rig, ret, &err) : 0;
}

/* Adds a counter of this thread; it is in no probe table, since it has no records. */
int rig_add_counter(struct rig *rig, const char *name)
{
	struct tap_error err = { 0 };
	struct tap_spec *spec;
	struct tap_perf perf;
	int ret;

	if (rig->nr == SELFTEST_PROBES)
		return -ENOSPC;
	ret = tap_perf_parse(name, &perf, &err);
	if (!ret)
		ret = tap_spec_new_counter(&spec, name, &perf, (__u32)getpid());
	if (!ret) {
		ret = tap_session_create(rig->session, spec, &rig->ids[rig->nr]);
		if (ret)
			tap_explain(&err, TAP_IOC_CREATE, ret, spec);
		tap_spec_free(spec);
	}
	if (ret)
		return refuse(rig, ret, &err);
	rig->nr++;
	return 0;
}

int rig_start(struct rig *rig)
{
	struct tap_error err = { 0 };
	struct tap_time time;
	int ret;

	ret = tap_reader_open(&rig->reader, rig->session, &err);
	if (!ret)
		ret = tap_timebase_init(&rig->tb, tap_reader_meta(rig->reader));
	if (ret) {
		test_fail(rig->t, "%s", *err.text ? err.text : "the meta page is not valid");
		return ret;
	}
	ret = tap_session_enable(rig->session, 0);
	if (ret) {
		tap_explain(&err, TAP_IOC_ENABLE, ret,
			    tap_probes_nr(rig->probes) ?
			    tap_probe_spec(tap_probes_get(rig->probes, 0)) : NULL);
		return refuse(rig, ret, &err);
	}
	rig->enabled = true;
	if (!tap_session_time(rig->session, &time))
		rig->begin = time.out_raw;
	return 0;
}

static void take(struct rig *rig, struct tap_event *ev)
{
	if (ev->rec->kind == TAP_KIND_GAP) {
		rig->gaps++;
		rig->lost += ev->rec->value[TAP_GAP_LOST];
		return;
	}
	if (ev->rec->kind == TAP_KIND_NOTICE) {
		rig->notices++;
		return;
	}
	rig->records++;
	if (ev->time < rig->last)
		rig->backwards++;
	rig->last = ev->time;
	if (tap_decode(rig->probes, ev)) {
		test_fail(rig->t, "record %llu is not as its probe's layout says",
			  (unsigned long long)rig->records);
		return;
	}
	if (rig->event)
		rig->event(rig, ev);
}

/* Reads what there is. */
void rig_read(struct rig *rig)
{
	struct tap_event ev;

	while (tap_reader_next(rig->reader, &ev) > 0)
		take(rig, &ev);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Runs a batch on the next CPU; returns nanoseconds. */
static __u64 hit_batch(struct selftest *st, const struct trigger *trigger, unsigned int from,
		       unsigned int nr, int *cpu)
{
	__u64 begin;
	unsigned int i;

	*cpu = st->cpus[st->next_cpu++ % st->nr_cpus];
	if (!machine_pin(st, *cpu))
		*cpu = -1;
	begin = machine_now();
	for (i = from; i < from + nr; i++)
		trigger->hit(i);
	return machine_now() - begin;
}

/*
 * Fires the trigger n times, a batch on each CPU, and reads the records of each batch: all
 * writers have returned, so that nothing need be held back. Returns 0, or -EINTR after a
 * signal.
 */
int rig_hit(struct rig *rig, const struct trigger *trigger, unsigned int n)
{
	struct selftest *st = rig->t->st;
	double per_hit[SELFTEST_HITS];
	unsigned int done, nr, i, batches = 0;
	__u64 ns;
	int cpu;

	if (!rig->cpu_of)
		rig->cpu_of = malloc(SELFTEST_HITS * sizeof(*rig->cpu_of));
	if (!rig->cpu_of || n > SELFTEST_HITS)
		return -ENOMEM;
	tap_reader_drain(rig->reader, true);
	for (done = 0; done < n && !selftest_stopped(); done += nr) {
		nr = n - done < rig->batch ? n - done : rig->batch;
		ns = hit_batch(st, trigger, done, nr, &cpu);
		rig->took += ns;
		per_hit[batches++] = (double)ns / nr;
		for (i = done; i < done + nr; i++)
			rig->cpu_of[i] = cpu;
		rig->hits += nr;
		rig_read(rig);
	}
	machine_unpin(st);
	qsort(per_hit, batches, sizeof(*per_hit), compare);
	rig->per_hit = batches ? per_hit[batches / 2] : 0;
	return selftest_stopped() ? -EINTR : 0;
}

/* What an event takes without a probe, nanoseconds: the median over batches. */
double rig_baseline(struct selftest *st, const struct trigger *trigger)
{
	double per_hit[8];
	unsigned int i;
	int cpu;

	for (i = 0; i < 8; i++)
		per_hit[i] = (double)hit_batch(st, trigger, i * SELFTEST_BATCH, SELFTEST_BATCH,
					       &cpu) / SELFTEST_BATCH;
	machine_unpin(st);
	qsort(per_hit, 8, sizeof(*per_hit), compare);
	return per_hit[4];
}

/* Disables the probes and reads the rest. */
void rig_stop(struct rig *rig)
{
	__u64 pending = 0;
	unsigned int i;

	if (!rig->enabled)
		return;
	rig->enabled = false;
	if (tap_session_disable(rig->session, 0))
		test_fail(rig->t, "the probes could not be disabled");
	tap_reader_drain(rig->reader, true);
	rig_read(rig);
	for (i = 0; i < FLUSH_ROUNDS; i++) {
		if (tap_session_flush(rig->session, &pending))
			break;
		rig_read(rig);
		if (!pending)
			break;
	}
	if (pending)
		test_fail(rig->t, "%llu losses are still not reported after reading",
			  (unsigned long long)pending);
}

const struct tap_probe *rig_probe(const struct rig *rig, unsigned int i)
{
	return tap_probes_find(rig->probes, rig->ids[i]);
}

/* Adds up the counters of a disabled probe; they must be consistent on each CPU. */
void rig_sum(struct rig *rig, unsigned int i, struct tap_counters *sum)
{
	unsigned int nr = tap_session_nr_rings(rig->session), cpu;
	struct tap_counters *list = calloc(nr, sizeof(*list)), *c;
	struct tap_stats stats;

	memset(sum, 0, sizeof(*sum));
	if (!list || tap_session_stats(rig->session, rig->ids[i], &stats, list, nr)) {
		test_fail(rig->t, "the counters cannot be read");
		free(list);
		return;
	}
	for (cpu = 0; cpu < nr; cpu++) {
		c = &list[cpu];
		if (!tap_counters_balanced(c))
			test_fail(rig->t,
				  "sum on CPU %u: hits %llu, but written %llu + filtered %llu + aggregated %llu + lost %llu + throttled %llu",
				  cpu, (unsigned long long)c->hits,
				  (unsigned long long)c->written,
				  (unsigned long long)c->filtered,
				  (unsigned long long)c->aggregated,
				  (unsigned long long)(c->lost_full + c->lost_nested +
						       c->lost_fault),
				  (unsigned long long)c->throttled);
		tap_counters_add(sum, c);
	}
	if (stats.out_nmissed + stats.out_nmissed_return)
		test_note(rig->t, "%llu missed by the kernel",
			  (unsigned long long)(stats.out_nmissed + stats.out_nmissed_return));
	free(list);
}

__u64 rig_ns(const struct rig *rig, __u64 ticks)
{
	return tap_timebase_ns(&rig->tb, ticks);
}

/* Ends the session, and checks the reader and that everything was removed. */
void rig_close(struct rig *rig)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };

	rig_stop(rig);
	if (rig->reader) {
		tap_reader_counts(rig->reader, &counts);
		test_equal(rig->t, "bytes that are no record", 0, counts.skipped);
		test_equal(rig->t, "records that were never finished", 0, counts.stalled);
		test_equal(rig->t, "records read after a later one", 0, rig->backwards);
	}
	tap_reader_close(rig->reader);
	tap_probes_free(rig->probes);
	tap_session_close(rig->session);
	free(rig->cpu_of);
	removal_after(rig);
}
