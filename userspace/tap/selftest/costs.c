// SPDX-License-Identifier: GPL-2.0
/*
 * What an event of each kind takes, out of the times of the tests before: for --budget, in the
 * file of run/costs.h.
 */
#include <string.h>

#include "run/costs.h"
#include "selftest/selftest.h"

#define LOOPS	1000000
/* Kprobes that are armed together, at least. */
#define BATCH	TAP_COST_BATCH

/* Keeps what an event of a kind took, with its record. */
void costs_note(struct selftest *st, const char *name, double ns)
{
	unsigned int type;

	for (type = 0; type < TAP_COST_KINDS; type++)
		if (costs_kind(type) && !strcmp(costs_kind(type), name))
			st->event_ns[type] = ns;
	if (!strcmp(name, "kstack"))
		st->kstack_ns = ns;
	else if (!strcmp(name, "ustack"))
		st->ustack_ns = ns;
}

static __u32 whole(double ns)
{
	return ns < 1 ? 1 : (__u32)(ns + 0.5);
}

/* Other kprobes, so that the module arms all of the session by one ftrace_ops of its own. */
static void add_others(struct rig *rig)
{
	struct tap_spec *spec, **list;
	struct tap_error err;
	unsigned int made = 0;
	size_t i, nr;

	if (tap_spec_parse("kprobe:vfs_*", &spec, &err))
		return;
	if (!tap_spec_expand(rig->t->st->syms, NULL, spec, &list, &nr, &err)) {
		for (i = 0; i < nr && made < BATCH; i++) {
			if (tap_probe_create(rig->probes, rig->session, list[i], &err))
				continue;
			list[i] = NULL;
			made++;
		}
		tap_spec_list_free(list, nr);
	}
	tap_spec_free(spec);
}

/* What an event of a kprobe takes that a test rejects; 0 if that was not measured. */
static double rejected_ns(struct selftest_test *t, bool batch)
{
	const struct trigger *trigger = &trigger_lseek;
	struct rig rig;
	double baseline, ns = 0;

	if (trigger->open())
		return 0;
	baseline = rig_baseline(t->st, trigger);
	if (!rig_open(&rig, t, 64 << 10) &&
	    !rig_add(&rig, NULL, "kprobe:%s $arg2 if $arg2 == 1", t->st->function)) {
		if (batch)
			add_others(&rig);
		if (!rig_start(&rig) && !rig_hit(&rig, trigger, SELFTEST_HITS)) {
			rig_stop(&rig);
			ns = rig.per_hit > baseline ? rig.per_hit - baseline : 0;
		}
	}
	rig_close(&rig);
	trigger->close();
	return ns;
}

static __u32 thousand_ns(void)
{
	__u64 begin = machine_now();

	/* Two instructions each. */
	trigger_instructions(LOOPS);
	return whole((double)(machine_now() - begin) * 1000 / (2.0 * LOOPS));
}

static int store(struct selftest *st, double rejected, double batch)
{
	double kprobe = st->event_ns[TAP_PROBE_KPROBE], record = kprobe - rejected;
	double uprobe = st->event_ns[TAP_PROBE_UPROBE];
	struct tap_costs costs;
	unsigned int type;

	tap_costs_default(&costs);
	if (record < 0)
		record = 0;
	costs.record = whole(record);
	if (batch > 0)
		costs.batch = whole(batch);
	costs.thousand = thousand_ns();
	for (type = 0; type < TAP_COST_KINDS; type++)
		if (st->event_ns[type] > 0)
			costs.hit[type] = whole(st->event_ns[type] - record);
	if (st->kstack_ns > 0)
		costs.kstack = whole(st->kstack_ns - kprobe);
	if (st->ustack_ns > 0 && uprobe > 0)
		costs.ustack = whole(st->ustack_ns - uprobe);
	return costs_store(COSTS_FILE, &costs);
}

void costs_test(struct selftest *st)
{
	struct selftest_test t;
	double rejected, batch;
	int ret;

	test_begin(&t, st, "costs");
	if (!*st->function || st->event_ns[TAP_PROBE_KPROBE] <= 0)
		test_skip(&t, "no kprobe was measured");
	rejected = t.status == SELFTEST_OK ? rejected_ns(&t, false) : 0;
	batch = t.status == SELFTEST_OK ? rejected_ns(&t, true) : 0;
	if (t.status == SELFTEST_OK && rejected > 0 && !selftest_stopped()) {
		ret = store(st, rejected, batch);
		if (ret)
			test_skip(&t, COSTS_FILE ": %s", strerror(-ret));
		test_note(&t, "for --budget, in " COSTS_FILE);
		test_note(&t, "an event of a kprobe that is rejected takes %.0f ns, one of many %.0f ns", rejected,
			  batch);
	}
	test_end(&t);
}
