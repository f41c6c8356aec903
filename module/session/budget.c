// SPDX-License-Identifier: GPL-2.0
/*
 * The budget of a session: the share of each CPU that its probes together may take.
 *
 * The hot path has no code for it. Each CPU has a balance, to which the budget's share of the time
 * is added, and from which the cost of the events is taken: the counters that there are anyway,
 * times the costs that user space gave for each probe. A balance below 0 first drops the events
 * that would become records: they take the way of a throttled probe, and are counted. If the
 * balance still falls, the probes are disarmed until it has recovered. So debts are always paid:
 * over a few seconds the share is that of the budget, however fast the events came.
 *
 * What the looks, arming and disarming take is charged to the CPU that runs them.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/notify.h"
#include "core/probe.h"
#include "core/session.h"
#include "memory/memory.h"
#include "session/budget.h"
#include "session/governor.h"
#include "session/session_ops.h"

/* Longest time between two looks, while the looks themselves take little. */
#define TAP_BUDGET_LOOK_NS	(25 * NSEC_PER_MSEC)

/* Looks take at most a quarter of the budget. */
#define TAP_BUDGET_LOOK_SHARE	4

/*
 * Part of the time of arming and disarming in which they wait, that it takes of each CPU: at each
 * tick RCU looks whether its grace period is over. Counted on 6.1: 40,000 instructions in 4 ms.
 */
#define TAP_BUDGET_WAIT_SHARE	100

/* Nanoseconds of a CPU that the budget has for a second. */
static u64 tap_budget_second(const struct tap_budget_use *use)
{
	return use->permille * (NSEC_PER_SEC / 1000);
}

/* The largest balance; a session goes on when it is reached. */
static s64 tap_budget_full(const struct tap_budget_use *use)
{
	return tap_budget_second(use) + use->arming;
}

/* How far the balance may fall while events are dropped. */
static s64 tap_budget_floor(const struct tap_budget_use *use)
{
	return -(s64)(tap_budget_second(use) / 8);
}

/* Sets @total of all CPUs, and @hits. */
static void tap_budget_sum(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;
	const struct tap_counters *c;
	struct tapmod_probe *probe;
	unsigned long i;
	int cpu;

	use->hits = 0;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(use->cpus, cpu)->total = 0;
	xa_for_each(&session->probes, i, probe) {
		u64 hit = probe->governed.hit_cost, passed = probe->governed.passed_cost;

		if (!hit && !passed)
			continue;
		for_each_possible_cpu(cpu) {
			c = per_cpu_ptr(probe->counters, cpu);
			use->hits += READ_ONCE(c->hits);
			per_cpu_ptr(use->cpus, cpu)->total += READ_ONCE(c->hits) * hit +
				(READ_ONCE(c->written) + READ_ONCE(c->aggregated)) * passed;
		}
		cond_resched();
	}
}

/*
 * The rate of the hits is measured from here: a storm begins when the balances are full, since they
 * are full as long as nothing is over the budget.
 */
static void tap_budget_mark(struct tap_budget_use *use)
{
	use->full_hits = use->hits;
	use->full_time = use->time;
}

static void tap_budget_set_rate(struct tap_budget_use *use)
{
	u64 hits = use->hits > use->full_hits ? use->hits - use->full_hits : 0;
	u64 us = max_t(u64, div_u64(use->time - use->full_time, NSEC_PER_USEC), 1);

	use->before = div64_u64(hits * USEC_PER_SEC, us);
}

/* The probes were disarmed for so long. */
static void tap_budget_miss(struct tap_budget_use *use, u64 ns)
{
	u64 hits = use->before * div_u64(ns, NSEC_PER_USEC) + use->unseen_rest;

	use->paused += ns;
	use->unseen += div64_u64_rem(hits, USEC_PER_SEC, &use->unseen_rest);
}

/* Brings the balances up to now. The costs of a probe that was deleted meanwhile are forgotten. */
static void tap_budget_account(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;
	u64 now = ktime_get_ns(), elapsed = now - use->time;
	u64 credit = div_u64(elapsed * use->permille, 1000), cost;
	struct tap_budget_cpu *on;
	int cpu;

	tap_budget_sum(session);
	use->least = tap_budget_full(use);
	use->rate = 0;
	use->fell = 0;
	for_each_online_cpu(cpu) {
		on = per_cpu_ptr(use->cpus, cpu);
		cost = on->total > on->seen ? on->total - on->seen : 0;
		on->seen = on->total;
		on->spent += cost;
		on->balance = min_t(s64, on->balance + credit - cost, tap_budget_full(use));
		if (on->balance >= use->least)
			continue;
		use->least = on->balance;
		use->rate = div_u64(elapsed, NSEC_PER_USEC);
		use->fell = cost > credit ? cost - credit : 0;
	}
	if (use->state == TAP_BUDGET_DROPS)
		use->dropping += elapsed;
	else if (use->state == TAP_BUDGET_PAUSES)
		tap_budget_miss(use, elapsed);
	use->time = now;
	if (use->state != TAP_BUDGET_PAUSES && use->least >= tap_budget_full(use))
		tap_budget_mark(use);
}

/* Charges what this worker has taken to its CPU. */
static void tap_budget_charge(struct tap_budget_use *use, u64 ns)
{
	struct tap_budget_cpu *on = per_cpu_ptr(use->cpus, raw_smp_processor_id());

	on->spent += ns;
	on->balance -= ns;
}

static void tap_budget_tell(struct tapmod_session *session, enum tap_notice what, u64 since,
			    u64 count)
{
	const struct tapmod_change change = {
		.what = what,
		.since = since,
		.count = count,
		.size = session->budget.permille,
	};

	tap_notice(session, NULL, &change);
	tap_notices_write(session);
}

/**
 * struct tap_budget_watch - a stretch of work that may sleep
 * @run: for how long this task has run before it
 * @begin: ktime_get_ns()
 */
struct tap_budget_watch {
	u64 run;
	u64 begin;
};

/* The time that this task has run. The kernel brings it up to date when the task sleeps. */
static u64 tap_budget_runtime(void)
{
	usleep_range(1, 10);
	return READ_ONCE(current->se.sum_exec_runtime);
}

static struct tap_budget_watch tap_budget_watch(void)
{
	const u64 run = tap_budget_runtime();

	return (struct tap_budget_watch) { .run = run, .begin = ktime_get_ns() };
}

/* Charges the stretch: the run to this CPU, the wait to all. Returns what this CPU took. */
static u64 tap_budget_watched(struct tap_budget_use *use, const struct tap_budget_watch *watch)
{
	u64 run = tap_budget_runtime() - watch->run, all = ktime_get_ns() - watch->begin;
	u64 waited = all > run ? div_u64(all - run, TAP_BUDGET_WAIT_SHARE) : 0;
	struct tap_budget_cpu *on;
	int cpu;

	for_each_online_cpu(cpu) {
		on = per_cpu_ptr(use->cpus, cpu);
		on->spent += waited;
		on->balance -= waited;
	}
	tap_budget_charge(use, run);
	return run + waited;
}

static void tap_budget_drop(struct tapmod_session *session)
{
	session->budget.since = tap_clock_read(session->rings.clock);
	session->budget.state = TAP_BUDGET_DROPS;
	tap_governor_drop(session);
	tap_budget_tell(session, TAP_NOTICE_OVER_BUDGET, session->budget.since, 0);
}

/* Records events again; tells how many were not seen, and how many were dropped. */
static void tap_budget_go_on(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;

	if (use->state == TAP_BUDGET_PAUSES)
		tap_budget_tell(session, TAP_NOTICE_UNSEEN, use->disarmed,
				use->unseen - use->reported);
	use->reported = use->unseen;
	use->state = TAP_BUDGET_RUNS;
	use->dropped += tap_governor_record(session);
	tap_budget_tell(session, TAP_NOTICE_IN_BUDGET, use->since, use->dropped);
	use->dropped = 0;
}

static void tap_budget_pause(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;
	struct tap_budget_watch watch = tap_budget_watch();

	tap_budget_set_rate(use);
	use->disarmed = tap_clock_read(session->rings.clock);
	if (use->state == TAP_BUDGET_RUNS)
		use->since = use->disarmed;
	tap_probes_pause(session);
	/* Until here hits were counted. */
	tap_budget_account(session);
	use->state = TAP_BUDGET_PAUSES;
	use->pauses++;
	use->arming = tap_budget_watched(use, &watch);
	/* Nothing is armed that could use the full rings. */
	use->dropped += tap_governor_record(session);
	tap_budget_tell(session, TAP_NOTICE_OVER_BUDGET, use->since, 1);
}

/* Arms the probes again. */
static void tap_budget_resume(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;
	struct tap_budget_watch watch = tap_budget_watch();

	/* They end while nothing is enabled. */
	tap_governor_start(session);
	tap_probes_resume(session);
	use->arming += tap_budget_watched(use, &watch);
	/* Until here they were not. */
	tap_budget_account(session);
	tap_budget_mark(use);
	tap_budget_go_on(session);
}

static u64 tap_budget_until(const struct tap_budget_use *use)
{
	s64 room = use->least - (use->state == TAP_BUDGET_DROPS ? tap_budget_floor(use) : 0);
	u64 longest = max_t(u64, TAP_BUDGET_LOOK_NS,
			    div_u64(use->look * TAP_BUDGET_LOOK_SHARE * 1000, use->permille));

	if (use->state == TAP_BUDGET_PAUSES)
		return div_u64((tap_budget_full(use) - use->least) * 1000ULL, use->permille);
	if (!use->fell || room <= 0)
		return longest;
	return min(longest, div64_u64(room * use->rate, use->fell) * NSEC_PER_USEC);
}

/* Whether a probe is enabled, or will be when the budget allows it. */
static bool tap_budget_needed(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe)
		if (probe->enabled || probe->governed.paused)
			return true;
	return false;
}

/* Returns the jiffies until the next look; 0: none is needed. */
static unsigned long tap_budget_look(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;
	u64 begin = ktime_get_ns();

	if (!tap_budget_needed(session))
		return 0;
	tap_budget_account(session);
	use->look = ktime_get_ns() - begin;
	tap_budget_charge(use, use->look);
	if (use->state != TAP_BUDGET_PAUSES && use->least < tap_budget_floor(use)) {
		tap_budget_pause(session);
	} else if (use->state == TAP_BUDGET_RUNS && use->least < 0) {
		tap_budget_drop(session);
	} else if (use->least >= tap_budget_full(use)) {
		if (use->state == TAP_BUDGET_DROPS)
			tap_budget_go_on(session);
		else if (use->state == TAP_BUDGET_PAUSES)
			tap_budget_resume(session);
	}
	return nsecs_to_jiffies(tap_budget_until(use)) + 1;
}

static void tap_budget_work(struct work_struct *work)
{
	struct tapmod_session *session = container_of(to_delayed_work(work),
						      struct tapmod_session, budget.work);
	unsigned long delay = 1;

	/* A command may hold the lock for seconds. */
	if (mutex_trylock(&session->lock)) {
		delay = tap_budget_look(session);
		mutex_unlock(&session->lock);
	}
	if (delay)
		queue_delayed_work(system_highpri_wq, &session->budget.work, delay);
}

/* Prepares the budget of a session that is all zero: it has none. */
void tap_budget_init(struct tapmod_session *session)
{
	INIT_DELAYED_WORK(&session->budget.work, tap_budget_work);
}

/*
 * Starts the looks after probes were enabled, or when the budget is set; they end by themselves.
 * The session is locked.
 */
void tap_budget_start(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;

	if (!use->cpus)
		return;
	tap_budget_account(session);
	tap_budget_mark(use);
	/* Arms what the budget has disarmed. */
	if (use->state == TAP_BUDGET_PAUSES)
		tap_budget_resume(session);
	else if (use->state == TAP_BUDGET_DROPS)
		tap_budget_go_on(session);
	mod_delayed_work(system_highpri_wq, &use->work, 1);
}

/*
 * After probes were disabled or deleted: if none is left to be armed again, what the session does
 * not see from now on is not for its budget. The session is locked.
 */
void tap_budget_end(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;

	if (use->state == TAP_BUDGET_RUNS || tap_budget_needed(session))
		return;
	tap_budget_account(session);
	tap_budget_go_on(session);
}

/* Stops the looks and waits for one that runs. No other task uses the session. */
void tap_budget_stop(struct tapmod_session *session)
{
	cancel_delayed_work_sync(&session->budget.work);
}

static u64 tap_budget_bytes(void)
{
	return (u64)num_possible_cpus() * sizeof(struct tap_budget_cpu);
}

void tap_budget_free(struct tapmod_session *session)
{
	if (!session->budget.cpus)
		return;
	free_percpu(session->budget.cpus);
	tap_memory_uncharge(&session->memory, tap_budget_bytes());
}

static int tap_budget_alloc(struct tapmod_session *session)
{
	struct tap_budget_use *use = &session->budget;

	if (use->cpus)
		return 0;
	if (tap_memory_charge(&session->memory, tap_budget_bytes()))
		return -ENOMEM;
	use->cpus = alloc_percpu_gfp(struct tap_budget_cpu, GFP_KERNEL_ACCOUNT);
	if (!use->cpus) {
		tap_memory_uncharge(&session->memory, tap_budget_bytes());
		return -ENOMEM;
	}
	use->first = ktime_get_ns();
	use->time = use->first;
	return 0;
}

/* Costs from user space, checked: an allocated array, or an ERR_PTR. */
static struct tap_cost *tap_budget_costs(struct tapmod_session *session,
					 const struct tap_budget *budget)
{
	struct tap_cost *costs = vmemdup_user(u64_to_user_ptr(budget->costs),
					      (size_t)budget->nr_costs * sizeof(*costs));
	int ret = 0;
	u32 i;

	if (IS_ERR(costs))
		return costs;
	for (i = 0; i < budget->nr_costs && !ret; i++)
		ret = costs[i].__reserved ? -EINVAL :
		      xa_load(&session->probes, costs[i].id) ? 0 : -ENOENT;
	if (!ret)
		return costs;
	kvfree(costs);
	return ERR_PTR(ret);
}

static int tap_budget_set(struct tapmod_session *session, const struct tap_budget *budget)
{
	struct tap_cost *costs = NULL;
	struct tapmod_probe *probe;
	int cpu, ret;
	u32 i;

	if (budget->nr_costs)
		costs = tap_budget_costs(session, budget);
	if (IS_ERR(costs))
		return PTR_ERR(costs);
	ret = tap_budget_alloc(session);
	for (i = 0; i < budget->nr_costs && !ret; i++) {
		probe = xa_load(&session->probes, costs[i].id);
		probe->governed.hit_cost = costs[i].hit;
		probe->governed.passed_cost = costs[i].passed;
	}
	kvfree(costs);
	if (ret)
		return ret;
	session->budget.permille = budget->permille;
	/* What was before costs nothing. */
	tap_budget_sum(session);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(session->budget.cpus, cpu)->seen =
			per_cpu_ptr(session->budget.cpus, cpu)->total;
	tap_budget_start(session);
	return 0;
}

/* TAP_IOC_BUDGET. Returns 0 or the UAPI's -errno. */
int tap_budget(struct tapmod_session *session, struct tap_budget *budget)
{
	struct tap_budget_use *use = &session->budget;
	int cpu, ret;

	if (budget->flags || budget->permille > 1000 || budget->nr_costs > TAP_MAX_PROBES ||
	    (!budget->permille && (budget->nr_costs || budget->costs)))
		return -EINVAL;
	if (budget->permille) {
		ret = tap_budget_set(session, budget);
		if (ret)
			return ret;
	}
	budget->out_spent = 0;
	budget->out_time = 0;
	if (use->cpus) {
		tap_budget_account(session);
		budget->out_time = use->time - use->first;
		for_each_possible_cpu(cpu)
			budget->out_spent = max(budget->out_spent,
						per_cpu_ptr(use->cpus, cpu)->spent);
	}
	budget->out_dropping = use->dropping;
	budget->out_paused = use->paused;
	budget->out_unseen = use->unseen;
	budget->out_pauses = use->pauses;
	budget->out_permille = use->permille;
	return 0;
}
