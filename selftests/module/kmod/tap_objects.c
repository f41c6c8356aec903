// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that are made and freed in many contexts, for tests of spans. Each begin calls
 * tap_objects_made() and fires the tracepoint of this name, with the object, its call site and
 * a step; each end calls tap_objects_freed() likewise. Parameters:
 *
 * make:   "COUNT SEED": makes objects at three call sites, and frees them from the task,
 *	   softirqs, hard interrupts, NMIs (x86; on others hard interrupts), other CPUs and
 *	   workers. Of each LEAK_ONE_IN objects it leaks one
 * leaked: the leaked objects, a line for each: address, call site
 * free:   frees them, from the task
 * script: steps in their order: "+N" begins the object N, which is only a number, "-N" ends it,
 *	   "wN" waits N ms, "@task", "@softirq", "@irq", "@nmi" and "@cpu" (a hard interrupt of
 *	   another CPU) are where the steps behind run, all in one interrupt
 * storm:  "COUNT KEYS": on each CPU a thread begins and ends random objects out of KEYS, COUNT
 *	   times, and interrupts itself and the others, which do the same
 * counts: begins and ends since make, script or storm began, and ends by context
 *
 * No pointer to a leaked object remains in memory: kmemleak finds it.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#define CREATE_TRACE_POINTS
#include "tap_objects_trace.h"

#ifdef CONFIG_CC_IS_CLANG
/* As in tap_target.c. */
#define TAP_OBJECTS_FUNCTION	noinline __weak
#else
#define TAP_OBJECTS_FUNCTION	noinline __noclone
#endif

#define LEAK_ONE_IN	10000
#define MAX_LEAKS	2000
/* Objects that exist at the same time, without those that are leaked. */
#define WINDOW		512
#define MAX_STEPS	256
#define SITES		3

enum objects_context {
	IN_TASK,
	IN_SOFTIRQ,
	IN_IRQ,
	IN_CPU,
	IN_WORK,
	IN_NMI,
	NR_CONTEXTS,
};

static const char *const context_names[NR_CONTEXTS] = {
	"task", "softirq", "irq", "cpu", "work", "nmi",
};

struct tap_object {
	struct llist_node node;
	u64 unused[5];
};

/* Called by name from the tests' probes. */
void tap_objects_made(unsigned long object, unsigned long site, unsigned long step);
void tap_objects_freed(unsigned long object, unsigned long step);
struct tap_object *tap_objects_first(void);
struct tap_object *tap_objects_second(void);
struct tap_object *tap_objects_third(void);

static struct kmem_cache *objects_cache;
static struct workqueue_struct *objects_wq;
static atomic_long_t objects_begun, objects_ended, objects_by[NR_CONTEXTS];
/* Objects that were handed to another context, and not freed yet. */
static atomic_long_t objects_pending;

/* Objects to free in a context. */
static struct llist_head objects_lists[NR_CONTEXTS];
/* Objects whose end was announced in an NMI; an interrupt frees them. */
static struct llist_head objects_late;

/* Objects that were leaked: the complement of the address, which kmemleak does not follow. */
static struct {
	unsigned long hidden;
	unsigned int site;
} objects_leaked[MAX_LEAKS];
static unsigned int objects_nr_leaked;

/* A step of a script. */
struct objects_step {
	char what;
	unsigned long n;
};

static struct objects_step objects_steps[MAX_STEPS];
/* Steps that an interrupt is to run. */
static unsigned int objects_from, objects_to;
static bool objects_ran;

static unsigned int objects_keys;

TAP_OBJECTS_FUNCTION void
tap_objects_made(unsigned long object, unsigned long site, unsigned long step)
{
	trace_tap_objects_made(object, site, step);
	barrier();
}

TAP_OBJECTS_FUNCTION void tap_objects_freed(unsigned long object, unsigned long step)
{
	trace_tap_objects_freed(object, step);
	barrier();
}

static void objects_begin(unsigned long object, unsigned long site, unsigned long step)
{
	atomic_long_inc(&objects_begun);
	tap_objects_made(object, site, step);
}

static void objects_end(unsigned long object, unsigned long step)
{
	atomic_long_inc(&objects_ended);
	tap_objects_freed(object, step);
}

static void objects_reset(void)
{
	unsigned int i;

	atomic_long_set(&objects_begun, 0);
	atomic_long_set(&objects_ended, 0);
	for (i = 0; i < NR_CONTEXTS; i++)
		atomic_long_set(&objects_by[i], 0);
}

static u64 objects_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static void objects_drain(enum objects_context context)
{
	struct llist_node *list = llist_del_all(&objects_lists[context]);
	struct tap_object *object, *next;

	llist_for_each_entry_safe(object, next, list, node) {
		objects_end((unsigned long)object, 0);
		atomic_long_inc(&objects_by[context]);
		if (context == IN_NMI) {
			llist_add(&object->node, &objects_late);
			continue;
		}
		kmem_cache_free(objects_cache, object);
		atomic_long_dec(&objects_pending);
	}
}

/* By the clock: loops of mdelay() are too short where a kernel could not calibrate them. */
static void objects_wait(unsigned long ms)
{
	u64 end = ktime_get_mono_fast_ns() + ms * NSEC_PER_MSEC;

	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

static void objects_run_steps(void)
{
	unsigned int i;

	for (i = objects_from; i < objects_to; i++) {
		const struct objects_step *step = &objects_steps[i];

		if (step->what == '+')
			objects_begin(step->n, 0, i);
		else if (step->what == '-')
			objects_end(step->n, i);
		else
			objects_wait(step->n);
	}
	/* Pairs with smp_load_acquire() in objects_script_part(). */
	smp_store_release(&objects_ran, true);
}

static DEFINE_PER_CPU(unsigned long, objects_any_count);

/* An event of a storm. */
static void objects_any(void)
{
	u64 state = this_cpu_inc_return(objects_any_count) ^ (u64)raw_smp_processor_id() << 32;
	unsigned long n, key;

	objects_random(&state);
	n = objects_random(&state);
	key = 1 + (n >> 8) % objects_keys;
	if (n & 128)
		objects_begin(key, 0, n);
	else
		objects_end(key, n);
}

/* What an interrupt is to do. */
static void (*objects_do)(void);

static void objects_interrupt(enum objects_context context)
{
	void (*what)(void) = READ_ONCE(objects_do);

	if (what)
		what();
	else
		objects_drain(context);
	/* No jump: the function is in the stacks. */
	barrier();
}

static void objects_irq(struct irq_work *work)
{
	objects_interrupt(IN_IRQ);
}
static DEFINE_PER_CPU(struct irq_work, objects_irq_work);

/* Frees what NMIs have left. */
static void objects_late_irq(struct irq_work *work)
{
	struct tap_object *object, *next;

	llist_for_each_entry_safe(object, next, llist_del_all(&objects_late), node) {
		kmem_cache_free(objects_cache, object);
		atomic_long_dec(&objects_pending);
	}
}
static DEFINE_PER_CPU(struct irq_work, objects_late_work);

static void objects_softirq(struct tasklet_struct *tasklet)
{
	objects_interrupt(IN_SOFTIRQ);
}
static DECLARE_TASKLET(objects_tasklet, objects_softirq);

static void objects_ipi(void *unused)
{
	objects_interrupt(IN_CPU);
}

static void objects_worker(struct work_struct *work)
{
	objects_drain(IN_WORK);
}
static DECLARE_WORK(objects_work, objects_worker);

#ifdef CONFIG_X86_LOCAL_APIC
#define objects_have_nmi	true

static bool objects_nmis;

static int objects_nmi(unsigned int type, struct pt_regs *regs)
{
	/* Several NMIs may become one: none of them is unknown. */
	if (!READ_ONCE(objects_nmis))
		return NMI_DONE;
	objects_interrupt(IN_NMI);
	if (!llist_empty(&objects_late))
		irq_work_queue(this_cpu_ptr(&objects_late_work));
	return NMI_HANDLED;
}

static void objects_send_nmi(int cpu)
{
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

static int objects_nmi_begin(void)
{
	int ret = register_nmi_handler(NMI_LOCAL, objects_nmi, 0, "tap_objects");

	WRITE_ONCE(objects_nmis, !ret);
	return ret;
}

static void objects_nmi_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "tap_objects");
}
#else
#define objects_have_nmi	false

/* Interrupts that are always possible, as after an NMI. */
static void objects_send_nmi(int cpu)
{
	if (cpu == raw_smp_processor_id())
		irq_work_queue(this_cpu_ptr(&objects_irq_work));
	else
		smp_call_function_single(cpu, objects_ipi, NULL, 1);
}

static int objects_nmi_begin(void)
{
	return 0;
}

static void objects_nmi_end(void)
{
}
#endif

/* Another CPU than this one, if there is one. */
static int objects_other_cpu(void)
{
	int cpu = cpumask_next(raw_smp_processor_id(), cpu_online_mask);

	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/* Makes an interrupt, or another context, that calls objects_interrupt(). */
static void objects_raise(enum objects_context context)
{
	int cpu;

	preempt_disable();
	cpu = objects_other_cpu();
	switch (context) {
	case IN_SOFTIRQ:
		tasklet_schedule(&objects_tasklet);
		break;
	case IN_IRQ:
		irq_work_queue(this_cpu_ptr(&objects_irq_work));
		break;
	case IN_CPU:
		smp_call_function_single(cpu, objects_ipi, NULL, 1);
		break;
	case IN_WORK:
		queue_work(objects_wq, &objects_work);
		break;
	case IN_NMI:
		objects_send_nmi(raw_smp_processor_id());
		break;
	default:
		break;
	}
	preempt_enable();
}

/* Waits until all interrupts have done their work. */
static void objects_settle(void)
{
	int cpu;

	while (atomic_long_read(&objects_pending))
		usleep_range(1000, 2000);
	for_each_online_cpu(cpu) {
		irq_work_sync(per_cpu_ptr(&objects_irq_work, cpu));
		irq_work_sync(per_cpu_ptr(&objects_late_work, cpu));
	}
	tasklet_kill(&objects_tasklet);
}

static void objects_free(struct tap_object *object, enum objects_context context)
{
	if (!object)
		return;
	if (context == IN_TASK) {
		objects_end((unsigned long)object, 0);
		atomic_long_inc(&objects_by[context]);
		kmem_cache_free(objects_cache, object);
		return;
	}
	atomic_long_inc(&objects_pending);
	if (context == IN_NMI && !objects_have_nmi)
		context = IN_IRQ;
	llist_add(&object->node, &objects_lists[context]);
	objects_raise(context);
}

static noinline struct tap_object *objects_alloc(unsigned int site)
{
	struct tap_object *object = kmem_cache_zalloc(objects_cache, GFP_KERNEL);

	if (object)
		objects_begin((unsigned long)object, site, 0);
	return object;
}

/* The call sites. What follows the call keeps it from becoming a jump. */
TAP_OBJECTS_FUNCTION struct tap_object *tap_objects_first(void)
{
	struct tap_object *object = objects_alloc(0);

	barrier();
	return object;
}

TAP_OBJECTS_FUNCTION struct tap_object *tap_objects_second(void)
{
	struct tap_object *object = objects_alloc(1);

	barrier();
	return object;
}

TAP_OBJECTS_FUNCTION struct tap_object *tap_objects_third(void)
{
	struct tap_object *object = objects_alloc(2);

	barrier();
	return object;
}

static int objects_leak(struct tap_object *object, unsigned int site)
{
	if (objects_nr_leaked == MAX_LEAKS) {
		objects_free(object, IN_TASK);
		return -ENOSPC;
	}
	objects_leaked[objects_nr_leaked].hidden = ~(unsigned long)object;
	objects_leaked[objects_nr_leaked++].site = site;
	return 0;
}

static int objects_make_some(struct tap_object **window, unsigned long count, u64 seed)
{
	unsigned long i, leak = 0;
	u64 state = seed;
	int ret = 0;

	for (i = 0; i < count && !ret; i++) {
		struct tap_object **place = &window[i % WINDOW], *object;
		unsigned int site = objects_random(&state) % SITES;

		if (i % LEAK_ONE_IN == 0)
			leak = i + objects_random(&state) % LEAK_ONE_IN;
		objects_free(*place, objects_random(&state) % NR_CONTEXTS);
		*place = NULL;
		if (site == 0)
			object = tap_objects_first();
		else if (site == 1)
			object = tap_objects_second();
		else
			object = tap_objects_third();
		if (!object)
			ret = -ENOMEM;
		else if (i == leak)
			ret = objects_leak(object, site);
		else
			*place = object;
		cond_resched();
	}
	for (i = 0; i < WINDOW; i++) {
		objects_free(window[i], i % NR_CONTEXTS);
		window[i] = NULL;
	}
	return ret;
}

static int objects_make_set(const char *text, const struct kernel_param *param)
{
	struct tap_object **window;
	unsigned long count;
	u64 seed;
	int ret;

	if (sscanf(text, "%lu %llu", &count, &seed) != 2)
		return -EINVAL;
	window = kcalloc(WINDOW, sizeof(*window), GFP_KERNEL);
	if (!window)
		return -ENOMEM;
	objects_reset();
	ret = objects_make_some(window, count, seed);
	objects_settle();
	kfree(window);
	return ret;
}

static int objects_free_set(const char *text, const struct kernel_param *param)
{
	while (objects_nr_leaked)
		objects_free((void *)~objects_leaked[--objects_nr_leaked].hidden, IN_TASK);
	return 0;
}

static int objects_leaked_get(char *text, const struct kernel_param *param)
{
	unsigned int i;
	int len = 0;

	/* A page, with 19 bytes for a line. */
	if (objects_nr_leaked > PAGE_SIZE / 20)
		return -E2BIG;
	for (i = 0; i < objects_nr_leaked; i++)
		len += sprintf(text + len, "%lx %u\n", ~objects_leaked[i].hidden,
			       objects_leaked[i].site);
	return len;
}

static int objects_counts_get(char *text, const struct kernel_param *param)
{
	int i, len = sprintf(text, "begins=%ld ends=%ld", atomic_long_read(&objects_begun),
			     atomic_long_read(&objects_ended));

	for (i = 0; i < NR_CONTEXTS; i++)
		len += sprintf(text + len, " %s=%ld", context_names[i],
			       atomic_long_read(&objects_by[i]));
	return len + sprintf(text + len, "\n");
}

/* ----------------------------------------------------------------- scripts */

static int objects_script_part(enum objects_context context, unsigned int from, unsigned int to)
{
	unsigned int tries;

	if (from == to)
		return 0;
	if (context == IN_NMI && !objects_have_nmi)
		return -EOPNOTSUPP;
	objects_from = from;
	objects_to = to;
	WRITE_ONCE(objects_ran, false);
	WRITE_ONCE(objects_do, objects_run_steps);
	if (context == IN_TASK)
		objects_run_steps();
	else
		objects_raise(context);
	/* Pairs with smp_store_release() in objects_run_steps(). */
	for (tries = 0; !smp_load_acquire(&objects_ran) && tries < 10000; tries++)
		usleep_range(1000, 2000);
	objects_settle();
	WRITE_ONCE(objects_do, NULL);
	return objects_ran ? 0 : -ETIMEDOUT;
}

static int objects_script_set(const char *text, const struct kernel_param *param)
{
	int context = IN_TASK;
	char *words = kstrdup(text, GFP_KERNEL), *rest = words, *word;
	unsigned int from = 0, nr = 0;
	int ret = words ? 0 : -ENOMEM;

	objects_reset();
	while (!ret && (word = strsep(&rest, " \n"))) {
		if (!*word)
			continue;
		if (*word == '@') {
			ret = objects_script_part(context, from, nr);
			from = nr;
			context = match_string(context_names, NR_CONTEXTS, word + 1);
			if (context < 0 || context == IN_WORK)
				ret = -EINVAL;
			continue;
		}
		if (nr == MAX_STEPS || !strchr("+-w", *word)) {
			ret = -EINVAL;
			continue;
		}
		objects_steps[nr].what = *word;
		ret = kstrtoul(word + 1, 0, &objects_steps[nr++].n);
	}
	if (!ret)
		ret = objects_script_part(context, from, nr);
	kfree(words);
	return ret;
}

/* ------------------------------------------------------------------ storms */

static unsigned long objects_storm_count;
static atomic_t objects_storms;

static int objects_storm(void *unused)
{
	u64 state = raw_smp_processor_id();
	unsigned long i;

	for (i = 0; i < objects_storm_count; i++) {
		u64 n = objects_random(&state) % 64;

		preempt_disable();
		if (n == IN_NMI)
			objects_send_nmi(n & 1 ? raw_smp_processor_id() : objects_other_cpu());
		else if (n < NR_CONTEXTS && n != IN_WORK)
			objects_raise(n);
		else
			objects_any();
		preempt_enable();
		cond_resched();
	}
	atomic_dec(&objects_storms);
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

static int objects_storm_set(const char *text, const struct kernel_param *param)
{
	struct task_struct **tasks;
	int cpu, ret = 0;

	if (sscanf(text, "%lu %u", &objects_storm_count, &objects_keys) != 2 || !objects_keys)
		return -EINVAL;
	tasks = kcalloc(nr_cpu_ids, sizeof(*tasks), GFP_KERNEL);
	if (!tasks)
		return -ENOMEM;
	objects_reset();
	WRITE_ONCE(objects_do, objects_any);
	for_each_online_cpu(cpu) {
		tasks[cpu] = kthread_create(objects_storm, NULL, "tap_objects/%d", cpu);
		if (IS_ERR(tasks[cpu])) {
			ret = PTR_ERR(tasks[cpu]);
			tasks[cpu] = NULL;
			break;
		}
		kthread_bind(tasks[cpu], cpu);
		atomic_inc(&objects_storms);
		wake_up_process(tasks[cpu]);
	}
	while (atomic_read(&objects_storms))
		usleep_range(1000, 2000);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (tasks[cpu])
			kthread_stop(tasks[cpu]);
	objects_settle();
	/* A tasklet or NMI that was raised last. */
	msleep(20);
	WRITE_ONCE(objects_do, NULL);
	kfree(tasks);
	return ret;
}

static const struct kernel_param_ops objects_make_ops = { .set = objects_make_set };
module_param_cb(make, &objects_make_ops, NULL, 0200);
static const struct kernel_param_ops objects_free_ops = { .set = objects_free_set };
module_param_cb(free, &objects_free_ops, NULL, 0200);
static const struct kernel_param_ops objects_script_ops = { .set = objects_script_set };
module_param_cb(script, &objects_script_ops, NULL, 0200);
static const struct kernel_param_ops objects_storm_ops = { .set = objects_storm_set };
module_param_cb(storm, &objects_storm_ops, NULL, 0200);
static const struct kernel_param_ops objects_leaked_ops = { .get = objects_leaked_get };
module_param_cb(leaked, &objects_leaked_ops, NULL, 0444);
static const struct kernel_param_ops objects_counts_ops = { .get = objects_counts_get };
module_param_cb(counts, &objects_counts_ops, NULL, 0444);

static int __init objects_init(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		tap_irq_work_init_hard(per_cpu_ptr(&objects_irq_work, cpu), objects_irq);
		tap_irq_work_init_hard(per_cpu_ptr(&objects_late_work, cpu), objects_late_irq);
	}
	/* Not merged with another cache of this size: addresses are used again soon. */
	objects_cache = kmem_cache_create("tap_object", sizeof(struct tap_object), 0,
					  SLAB_HWCACHE_ALIGN, NULL);
	objects_wq = alloc_workqueue("tap_objects", WQ_UNBOUND, 0);
	ret = objects_cache && objects_wq ? objects_nmi_begin() : -ENOMEM;
	if (ret) {
		if (objects_wq)
			destroy_workqueue(objects_wq);
		kmem_cache_destroy(objects_cache);
	}
	return ret;
}
module_init(objects_init);

static void __exit objects_exit(void)
{
	objects_free_set(NULL, NULL);
	objects_settle();
	objects_nmi_end();
	destroy_workqueue(objects_wq);
	kmem_cache_destroy(objects_cache);
}
module_exit(objects_exit);

MODULE_DESCRIPTION("objects that are leaked on purpose, for the tests of tapmod");
MODULE_LICENSE("GPL");
