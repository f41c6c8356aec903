// SPDX-License-Identifier: GPL-2.0
/*
 * watchpoint:(EXPR):LEN:MODE in EVENT: EVENT, with EXPR as its value, is armed in a session of its own,
 * whose records no output has. At its first hit the watchpoint of the run gets its address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/run.h"

/* Hits that are read at once. */
#define EVENTS	16

/**
 * struct armer - the event of a watchpoint
 * @watch: the watchpoint, in the probe table of the run
 * @first: its first probe in the table of the session that arms
 * @end: the one behind its last
 * @hits: records that were read
 * @done: the watchpoint has its address, or cannot be armed
 */
struct armer {
	const struct tap_probe *watch;
	size_t first;
	size_t end;
	__u64 hits;
	bool done;
};

/**
 * struct run_arm - the session that arms
 * @session: its only records are hits of the events
 * @reader: of @session
 * @probes: of @session
 * @list: one for each watchpoint; allocated
 * @nr: number of @list
 * @waiting: those that are not @done
 */
struct run_arm {
	struct tap_session *session;
	struct tap_reader *reader;
	struct tap_probes *probes;
	struct armer *list;
	size_t nr;
	size_t waiting;
};

static const struct tap_spec *watch_spec(const struct armer *armer)
{
	return tap_probe_spec(armer->watch);
}

/* The event as the user wrote it. */
static const char *event_of(const struct run_arm *arm, const struct armer *armer)
{
	return tap_spec_wanted(tap_probe_spec(tap_probes_get(arm->probes, armer->first)));
}

static int open_session(struct run *run, struct run_arm *arm, struct tap_error *err)
{
	/* A reader that sleeps is woken by the first record. */
	const struct tap_session_opts setup = {
		.size = sizeof(setup),
		.ring_bytes = (__u64)sysconf(_SC_PAGESIZE),
		.watermark = TAP_SLOT_SIZE,
		.clock = run->opts->clock,
	};
	int ret = tap_session_open(&arm->session, err);

	if (!ret)
		ret = tap_session_setup(arm->session, &setup, err);
	if (!ret && run->child.pid && !run->opts->all) {
		ret = tap_session_follow(arm->session, (__u32)run->child.pid);
		if (ret)
			tap_explain(err, TAP_IOC_FOLLOW, ret, NULL);
	}
	arm->probes = tap_probes_new();
	if (!ret && !arm->probes)
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	return ret;
}

static int create(struct run *run, struct run_arm *arm, struct armer *armer, struct tap_error *err)
{
	struct tap_spec *spec, **list = NULL;
	size_t nr = 0, i;
	int ret = tap_spec_parse(tap_spec_armed_by(watch_spec(armer)), &spec, err);

	if (ret)
		return ret;
	tap_spec_set_pid(spec, run->opts->pid);
	if (tap_spec_needs_symbols(spec) && !tap_spec_known(spec) && !run_symbols(run, err))
		ret = err->code;
	if (!ret)
		ret = tap_spec_expand(run->syms, run->types, spec, &list, &nr, err);
	tap_spec_free(spec);
	armer->first = tap_probes_nr(arm->probes);
	for (i = 0; i < nr && !ret; i++) {
		ret = run_add_ops(run, list[i], true, err);
		if (!ret)
			ret = tap_probe_create(arm->probes, arm->session, list[i], err);
		if (!ret)
			list[i] = NULL;
	}
	tap_spec_list_free(list, nr);
	armer->end = tap_probes_nr(arm->probes);
	return ret;
}

int run_arm_create(struct run *run, struct tap_error *err)
{
	size_t i, nr = tap_probes_nr(run->probes);
	const struct tap_probe *probe;
	struct run_arm *arm;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		probe = tap_probes_get(run->probes, i);
		if (!tap_spec_armed_by(tap_probe_spec(probe)))
			continue;
		arm = run->arm;
		if (!arm) {
			arm = calloc(1, sizeof(*arm));
			run->arm = arm;
			if (arm)
				arm->list = calloc(nr, sizeof(*arm->list));
			if (!arm || !arm->list)
				return tap_error_set(err, -ENOMEM, "out of memory");
			ret = open_session(run, arm, err);
		}
		if (ret)
			break;
		arm->list[arm->nr].watch = probe;
		ret = create(run, arm, &arm->list[arm->nr++], err);
	}
	if (!ret && run->arm)
		ret = tap_reader_open(&run->arm->reader, run->arm->session, err);
	return ret;
}

int run_arm_start(struct run *run, struct tap_error *err)
{
	struct run_arm *arm = run->arm;
	int ret;

	if (!arm)
		return 0;
	ret = tap_session_enable(arm->session, 0);
	if (ret)
		return tap_explain(err, TAP_IOC_ENABLE, ret, NULL);
	arm->waiting = arm->nr;
	return 0;
}

int run_arm_fd(const struct run *run)
{
	return run->arm && run->arm->waiting ? tap_session_fd(run->arm->session) : -1;
}

/* Ends an event, and returns how many of its hits had passed its conditions. */
static __u64 end_armer(struct run_arm *arm, const struct armer *armer)
{
	__u32 nr = tap_session_nr_rings(arm->session), cpu;
	struct tap_counters *counters = calloc(nr, sizeof(*counters));
	struct tap_stats stats;
	__u64 hits = 0;
	size_t i;

	for (i = armer->first; i < armer->end; i++) {
		__u32 id = tap_probe_id(tap_probes_get(arm->probes, i));

		tap_session_disable(arm->session, id);
		if (!counters || tap_session_stats(arm->session, id, &stats, counters, nr))
			continue;
		for (cpu = 0; cpu < nr; cpu++)
			hits += counters[cpu].hits - counters[cpu].filtered;
	}
	free(counters);
	return hits;
}

static void arm_watch(struct run *run, struct armer *armer, const struct tap_event *ev, __u64 addr)
{
	const char *watch = tap_spec_event(watch_spec(armer)), *event = event_of(run->arm, armer);
	struct run_arm *arm = run->arm;
	struct tap_error err;
	__u64 hits, first, now;
	int ret = tap_session_watch(run->session, tap_probe_id(armer->watch), addr);

	now = run_now();
	first = tap_timebase_mono(tap_reader_timebase(arm->reader), ev->time);
	hits = end_armer(arm, armer);
	armer->done = true;
	arm->waiting--;
	if (ret) {
		tap_explain(&err, TAP_IOC_ENABLE, ret, watch_spec(armer));
		tool_error("%s; it was to be armed at 0x%llx, which %s named", err.text,
			   (unsigned long long)addr, event);
		return;
	}
	tool_error("%s: armed at 0x%llx, %llu us after %s named it: accesses before that were missed; %llu other hits of it by then are not followed",
		   watch, (unsigned long long)addr,
		   (unsigned long long)(now > first ? now - first : 0) / 1000, event,
		   (unsigned long long)(hits ? hits - 1 : 0));
}

static const struct tap_field *address_field(const struct tap_probe *probe)
{
	const struct tap_field *field;
	unsigned int i;

	for (i = 0; (field = tap_probe_field(probe, i)); i++)
		if (!strcmp(field->name, "address"))
			break;
	return field;
}

static void arm_event(struct run *run, struct tap_event *ev)
{
	struct run_arm *arm = run->arm;
	const struct tap_field *field;
	struct armer *armer = arm->list;
	size_t i;
	__u64 addr;

	if (tap_decode(arm->probes, ev) || !ev->probe)
		return;
	for (i = 0; tap_probes_get(arm->probes, i) != ev->probe; i++)
		;
	while (i >= armer->end)
		armer++;
	field = address_field(ev->probe);
	if (armer->done || !field)
		return;
	armer->hits++;
	addr = tap_event_word(ev, field->word);
	/* A member of NULL, or memory of a program, is no object. */
	if (!tap_event_absent(ev, field) && (__s64)addr < 0)
		arm_watch(run, armer, ev, addr);
}

void run_arm_read(struct run *run)
{
	struct tap_event ev[EVENTS];
	unsigned int nr, i;

	if (run_arm_fd(run) < 0)
		return;
	/* The reader holds a hit back for a millisecond: so long the descriptor stays readable. */
	do {
		nr = tap_reader_events(run->arm->reader, ev, EVENTS);
		for (i = 0; i < nr; i++)
			arm_event(run, &ev[i]);
	} while (nr && run->arm->waiting);
}

void run_arm_stop(struct run *run)
{
	struct run_arm *arm = run->arm;
	const char *watch, *event;
	__u64 hits;
	size_t i;

	for (i = 0; arm && i < arm->nr && arm->waiting; i++) {
		if (arm->list[i].done)
			continue;
		watch = tap_spec_event(watch_spec(&arm->list[i]));
		event = event_of(arm, &arm->list[i]);
		hits = end_armer(arm, &arm->list[i]);
		if (!hits)
			tool_error("%s: was never armed: %s was not hit", watch, event);
		else if (hits > arm->list[i].hits)
			tool_error("%s: was never armed: the run ended while %s was hit for the first time",
				   watch, event);
		else
			tool_error("%s: was never armed: at %llu hits of %s the expression was no address of the kernel, or could not be read",
				   watch, (unsigned long long)hits, event);
	}
	if (arm)
		arm->waiting = 0;
}

void run_arm_close(struct run *run)
{
	struct run_arm *arm = run->arm;

	if (!arm)
		return;
	tap_reader_close(arm->reader);
	tap_probes_free(arm->probes);
	tap_session_close(arm->session);
	free(arm->list);
	free(arm);
	run->arm = NULL;
}
