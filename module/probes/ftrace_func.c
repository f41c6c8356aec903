// SPDX-License-Identifier: GPL-2.0
/*
 * func: the entry of one or of many kernel functions, through ftrace.
 *
 * The functions of a probe share one ftrace_ops, which the kernel arms and disarms in one
 * step. At a function that no one else traces, ftrace calls the handler directly from a
 * trampoline. Elsewhere (a kprobe, a live patch, another probe) ftrace calls all ops in
 * turn. From the TAP_FUNC_ALONE + 1st probe of a session on, probes share an ftrace_ops as
 * well, see ftrace_func_group.c.
 *
 * unregister_ftrace_function() waits for all handlers, also for those that run where RCU
 * does not watch, and those that were preempted before they disabled preemption.
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "compat/arch.h"
#include "core/session.h"
#include "exec/handler.h"
#include "exec/recursion.h"
#include "exec/verifier.h"
#include "probes/deferred_attach.h"
#include "probes/ftrace_func.h"
#include "probes/ftrace_func_group.h"
#include "probes/kprobe_common.h"
#include "probes/probes.h"

/*
 * Protects tap_funcs and its members, so that a module that is loaded or unloaded finds a
 * probe armed or not. Taken inside the session's lock; the module notifier takes it without
 * one, inside the rwsem of the kernel's module_notify_list. The locks of ftrace,
 * kprobe_mutex and tap_notices.lock are taken inside it.
 */
DEFINE_MUTEX(tap_funcs_lock);
static LIST_HEAD(tap_funcs);

/*
 * Probes of a session that are armed alone, at most: an event costs less then, and each
 * takes an update of ftrace of its own.
 */
#define TAP_FUNC_ALONE	3

/* The contexts of this CPU, as tap_guard_context(), in which tap_func_program() runs. */
static DEFINE_PER_CPU(u32, tap_func_busy);

static struct tap_func *to_tap_func(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_func, probe);
}

#define ops_to_func(op)		container_of(op, struct tap_func, ops)
#define target_to_func(to)	container_of(to, struct tap_func, target)

/*
 * The handler for all programs. A program may read memory, walk a stack, read a counter
 * or wake a reader. The functions that do so may be traced, and would call this handler
 * again without end. So an event is counted as missed if this CPU runs the handler in the
 * same context. That also drops an event of an interrupt that comes before the interrupt
 * is in preempt_count. An event where RCU does not watch is missed as well: programs rely
 * on RCU. @parent is not used, and the handlers for plain probes pass 0: so they need not
 * keep it while they record.
 */
static noinline void
tap_func_program(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		 struct ftrace_regs *fregs)
{
	struct tap_func *func = ops_to_func(op);
	struct pt_regs regs __uninitialized;
	u32 context;

	preempt_disable_notrace();
	context = tap_guard_context();
	if (unlikely(!rcu_is_watching()) ||
	    !tap_guard_enter(&tap_func_busy, context)) {
		this_cpu_inc(*func->missed);
	} else {
		tap_ftrace_regs(&regs, fregs, ip);
		tap_event_handle(&func->probe, &regs, 0);
		tap_guard_exit(&tap_func_busy, context);
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_func_program);

/*
 * The handler for plain probes. It calls no function and reads only registers, so it
 * cannot recurse, and may run anywhere: in an NMI, in entry code, where RCU does not watch.
 */
static __always_inline bool
tap_func_shaped(struct ftrace_ops *op, struct ftrace_regs *fregs, int shape)
{
	bool done;

	preempt_disable_notrace();
	done = tap_event_shaped(&ops_to_func(op)->probe, tap_ftrace_args(fregs),
				shape, 0, false);
	preempt_enable_notrace();
	return done;
}

TAP_FOLLOWED_HANDLERS(void, tap_func,
		      (unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		       struct ftrace_regs *fregs),
		      (ip, 0, op, fregs), op, fregs);

static __always_inline void
tap_func_of_program(unsigned long ip, unsigned long parent,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	tap_func_program(ip, 0, op, fregs);
}

/* As tap_func_shaped(), for a record that begins with the function's address. */
static __always_inline bool
tap_func_of_shaped(unsigned long ip, struct ftrace_ops *op,
		   struct ftrace_regs *fregs, int shape)
{
	bool done;

	preempt_disable_notrace();
	done = tap_event_shaped_ftrace(&ops_to_func(op)->probe, ip,
				       tap_ftrace_args(fregs), shape);
	preempt_enable_notrace();
	return done;
}

TAP_FOLLOWED_HANDLERS(void, tap_func_of,
		      (unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		       struct ftrace_regs *fregs),
		      (ip, 0, op, fregs), ip, op, fregs);

/*
 * The same handlers for events that come through a group, which calls them with preemption
 * off. It ends with a jump to the handler, so the handler turns preemption on.
 */
static void tap_func_in_program(unsigned long ip, unsigned long parent,
				struct tap_func_target *target, struct ftrace_regs *fregs)
{
	tap_func_program(ip, 0, &target_to_func(target)->ops, fregs);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_func_in_program);

static __always_inline bool
tap_func_in_shaped(struct tap_func_target *target, struct ftrace_regs *fregs, int shape)
{
	bool done = tap_event_shaped(&target_to_func(target)->probe, tap_ftrace_args(fregs),
				     shape, 0, false);

	if (likely(done))
		preempt_enable_notrace();
	return done;
}

TAP_FOLLOWED_HANDLERS(void, tap_func_in,
		      (unsigned long ip, unsigned long parent, struct tap_func_target *target,
		       struct ftrace_regs *fregs),
		      (ip, 0, target, fregs), target, fregs);

static __always_inline void
tap_func_in_of_program(unsigned long ip, unsigned long parent,
		       struct tap_func_target *target, struct ftrace_regs *fregs)
{
	tap_func_in_program(ip, 0, target, fregs);
}

static __always_inline bool
tap_func_in_of_shaped(unsigned long ip, struct tap_func_target *target,
		      struct ftrace_regs *fregs, int shape)
{
	bool done = tap_event_shaped_ftrace(&target_to_func(target)->probe, ip,
					    tap_ftrace_args(fregs), shape);

	if (likely(done))
		preempt_enable_notrace();
	return done;
}

TAP_FOLLOWED_HANDLERS(void, tap_func_in_of,
		      (unsigned long ip, unsigned long parent, struct tap_func_target *target,
		       struct ftrace_regs *fregs),
		      (ip, 0, target, fregs), ip, target, fregs);

/* The shape for which handlers are compiled; sets @of: the first word is the address. */
static unsigned int tap_func_shape(const struct tapmod_probe *probe, bool *of)
{
	unsigned int i;

	*of = probe->nr_loads && probe->offset[0] == TAP_FUNC_OFFSET;
	/* The address is not in @fregs; tap_func_of_shaped() takes it as the first word only. */
	for (i = 1; i < probe->nr_loads; i++)
		if (probe->offset[i] == TAP_FUNC_OFFSET)
			return TAP_SHAPE_ANY;
	return tap_probe_shape(probe);
}

static tap_ftrace_callback tap_func_choose(const struct tapmod_probe *probe)
{
	bool of;
	unsigned int shape = tap_func_shape(probe, &of);

	return of ? TAP_FOLLOWED_CHOOSE(tap_func_of, shape) :
		    TAP_FOLLOWED_CHOOSE(tap_func, shape);
}

static struct tap_func_target tap_func_choose_in(const struct tapmod_probe *probe)
{
	bool of;
	unsigned int shape = tap_func_shape(probe, &of);

	return (struct tap_func_target) {
		.handler = of ? TAP_FOLLOWED_CHOOSE(tap_func_in_of, shape) :
				TAP_FOLLOWED_CHOOSE(tap_func_in, shape),
	};
}

static int tap_func_parse(struct tapmod_probe *probe, char *target,
			  struct tap_program_env *env)
{
	env->arg_offset = tap_arg_offset;
	env->func = true;
	/* If it is not deferred, register_kprobe() returns -ENOENT for such a name. */
	return tap_is_deferred(probe) &&
	       (!tap_deferred_names_module(target) || strchr(target, '+')) ? -EINVAL : 0;
}

/* Estimate of what ftrace allocates for a function in a filter, and a group in its table. */
#define TAP_FUNC_FILTER_BYTES	224

static u64 tap_func_mem(struct tapmod_probe *probe, const struct tap_create *create)
{
	return (u64)create->nr_addrs * TAP_FUNC_FILTER_BYTES;
}

/*
 * The address is right even if kprobes refuse it; -ENOENT: the module is unloaded. At
 * offset 1 they refuse each function that ftrace knows, as its first instruction is longer.
 * A kprobe that is registered would have to be unregistered, which waits.
 */
static int tap_func_find(const char *name, unsigned long *addr)
{
	int ret = tap_kprobe_look_up(name, 1, addr);

	if (!*addr || ret == -ENOENT)
		return ret ?: -ENOENT;
	*addr -= 1;
	return 0;
}

static int tap_func_compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Makes the addresses those that ftrace reports, if possible, and each of them unique. */
static void tap_func_normalize(struct tap_func *func)
{
	unsigned int i, nr = 0;
	unsigned long call;

	func->exact = true;
	for (i = 0; i < func->nr; i++) {
		call = tap_ftrace_call(func->addrs[i]);
		if (call)
			func->addrs[i] = call;
		else
			func->exact = false;
		cond_resched();
	}
	sort(func->addrs, func->nr, sizeof(*func->addrs), tap_func_compare, NULL);
	for (i = 0; i < func->nr; i++)
		if (!nr || func->addrs[i] != func->addrs[nr - 1])
			func->addrs[nr++] = func->addrs[i];
	func->nr = nr;
}

static int tap_func_addrs(struct tap_func *func, const struct tap_create *create)
{
	unsigned long *addrs;

	BUILD_BUG_ON(sizeof(*addrs) != sizeof(u64));
	func->nr = create->nr_addrs ?: 1;
	if (create->nr_addrs) {
		addrs = vmemdup_user(u64_to_user_ptr(create->addrs),
				     func->nr * sizeof(*addrs));
		if (IS_ERR(addrs))
			return PTR_ERR(addrs);
		func->addrs = addrs;
		tap_func_normalize(func);
		return 0;
	}
	func->addrs = kvmalloc(sizeof(*addrs), GFP_KERNEL_ACCOUNT);
	return func->addrs ? 0 : -ENOMEM;
}

/* Sets the filter. -EADDRNOTAVAIL: ftrace has no place in one of the functions. */
static int tap_func_filter(struct tap_func *func)
{
	return tap_register_error(ftrace_set_filter_ips(&func->ops, func->addrs,
							func->nr, 0, 1));
}

static int tap_func_find_filter(struct tap_func *func)
{
	int ret = tap_func_find(func->probe.target, func->addrs);

	func->nr = 1;
	if (!ret) {
		tap_func_normalize(func);
		ret = tap_func_filter(func);
	}
	func->nr = !ret;
	return ret;
}

static int tap_func_attach(struct tapmod_probe *probe,
			   const struct tap_create *create)
{
	struct tap_func *func = to_tap_func(probe);
	int ret;

	if (tap_is_deferred(probe) && create->nr_addrs)
		return -EINVAL;
	ret = tap_func_addrs(func, create);
	if (ret)
		return ret;
	func->missed = alloc_percpu_gfp(u64, GFP_KERNEL_ACCOUNT);
	if (!func->missed)
		return -ENOMEM;
	INIT_LIST_HEAD(&func->pending);
	func->ops.func = tap_ftrace_func(tap_func_choose(probe));
	func->target = tap_func_choose_in(probe);
	/* PERMANENT: kernel.ftrace_enabled cannot be set to 0, which would lose events silently. */
	func->ops.flags = FTRACE_OPS_FL_PERMANENT | TAP_FTRACE_FLAGS;
	guard(mutex)(&tap_funcs_lock);
	if (!create->nr_addrs)
		ret = tap_func_find_filter(func);
	else
		ret = tap_module_goes(func->addrs, func->nr) ? -EADDRNOTAVAIL :
							       tap_func_filter(func);
	/* The module may be unloaded between symbol lookup and the filter; retry once. */
	if (ret == -EADDRNOTAVAIL && tap_is_deferred(probe))
		ret = tap_func_find_filter(func);
	if (ret && !(ret == -ENOENT && tap_is_deferred(probe)))
		return ret;
	list_add(&func->link, &tap_funcs);
	return 0;
}

/* Arms a probe alone. */
static int tap_func_arm(struct tap_func *func)
{
	int ret = register_ftrace_function(&func->ops);

	func->armed = !ret;
	func->probe.session->nr_func_alone += func->armed;
	return ret;
}

/*
 * Arms probes of a session, linked by @pending: alone, as long as there are few, or else as
 * a group. On error none or some of them are armed.
 */
static int tap_func_arm_list(struct tapmod_session *session, struct list_head *funcs)
{
	unsigned int nr = session->nr_func_alone;
	struct tap_func *func;
	int ret;

	lockdep_assert_held(&tap_funcs_lock);
	list_for_each_entry(func, funcs, pending)
		nr++;
	list_for_each_entry(func, funcs, pending) {
		if (nr > TAP_FUNC_ALONE && func->exact)
			continue;
		ret = tap_func_arm(func);
		if (ret)
			return ret;
	}
	return tap_func_group_arm(session, funcs);
}

/* Only collects the probe: tap_func_flush() arms it. */
static int tap_func_enable(struct tapmod_probe *probe)
{
	struct tap_func *func = to_tap_func(probe);

	guard(mutex)(&tap_funcs_lock);
	/* tap_func_arm_come() may have armed it: @enabled was set before this call. */
	if (func->armed)
		return 0;
	/* ftrace takes an empty filter for "all functions". */
	if (!func->nr)
		return tap_is_deferred(probe) ? 0 : -ENOENT;
	list_add_tail(&func->pending, &probe->session->func_pending);
	return 0;
}

/* A probe that leaves a group stays in its filter until tap_func_groups_update(). */
static void tap_func_disarm(struct tap_func *func)
{
	list_del_init(&func->pending);
	if (!func->armed)
		return;
	func->armed = false;
	if (func->group) {
		tap_func_group_leave(func);
		return;
	}
	tap_ftrace_unregister(&func->ops);
	func->probe.session->nr_func_alone--;
}

static void tap_func_disable(struct tapmod_probe *probe)
{
	guard(mutex)(&tap_funcs_lock);
	tap_func_disarm(to_tap_func(probe));
}

/**
 * tap_func_flush() - complete what ->enable() and ->disable() of func probes have begun
 * @session: its probes
 *
 * Updates the kernel's code a few times, for any number of probes.
 *
 * Context: process, may sleep, under the session's lock, or in its release.
 * Return: 0 or -errno of arming; then some of the probes that were enabled are not armed.
 */
int tap_func_flush(struct tapmod_session *session)
{
	struct tap_func *func, *next;
	LIST_HEAD(empty);
	int ret;

	mutex_lock(&tap_funcs_lock);
	ret = tap_func_arm_list(session, &session->func_pending);
	list_for_each_entry_safe(func, next, &session->func_pending, pending)
		list_del_init(&func->pending);
	tap_func_groups_update(session, &empty);
	mutex_unlock(&tap_funcs_lock);
	tap_func_groups_free(&empty);
	return ret;
}

static void tap_func_detach(struct tapmod_probe **probes, unsigned int nr)
{
	guard(mutex)(&tap_funcs_lock);
	while (nr--)
		list_del(&to_tap_func(probes[nr])->link);
}

static void tap_func_free(struct tapmod_probe *probe)
{
	struct tap_func *func = to_tap_func(probe);

	ftrace_free_filter(&func->ops);
	free_percpu(func->missed);
	kvfree(func->addrs);
}

static u32 tap_func_state(const struct tapmod_probe *probe)
{
	const struct tap_func *func = to_tap_func(probe);

	guard(mutex)(&tap_funcs_lock);
	return func->armed ? TAP_STATE_ENABLED :
	       func->failed ? TAP_STATE_FAILED :
	       func->gone ? TAP_STATE_GONE : TAP_STATE_WAITING;
}

static unsigned long tap_func_address(const struct tapmod_probe *probe)
{
	const struct tap_func *func = to_tap_func(probe);

	guard(mutex)(&tap_funcs_lock);
	return func->nr == 1 ? func->addrs[0] : 0;
}

static void tap_func_missed(const struct tapmod_probe *probe,
			    struct tap_stats *stats)
{
	int cpu;

	for_each_possible_cpu(cpu)
		stats->out_nmissed +=
			READ_ONCE(*per_cpu_ptr(to_tap_func(probe)->missed, cpu));
}

const struct tap_probe_ops tap_func_ops = {
	.size		= sizeof(struct tap_func),
	.feature	= TAP_FEATURE_FUNC,
	.wait		= true,
	.funcs		= true,
	.parse		= tap_func_parse,
	.pool		= tap_func_mem,
	.attach		= tap_func_attach,
	.sync		= TAP_SYNC_KPROBE,
	.enable		= tap_func_enable,
	.disable	= tap_func_disable,
	.detach		= tap_func_detach,
	.free		= tap_func_free,
	.state		= tap_func_state,
	.address	= tap_func_address,
	.missed		= tap_func_missed,
};

static bool tap_func_freed(unsigned long addr, const struct module *mod, bool init)
{
	return init ? within_module_init(addr, mod) : within_module(addr, mod);
}

/* Takes functions out of the filter of the probe itself. */
static void tap_func_unfilter(struct tap_func *func, unsigned long *freed, unsigned int nr)
{
	if (ftrace_set_filter_ips(&func->ops, freed, nr, 1, 0) &&
	    ftrace_set_filter_ips(&func->ops, func->addrs, func->nr, 0, 1))
		pr_warn("%s: cannot remove freed functions from the ftrace filter\n",
			func->probe.name);
}

/*
 * Code of a module is freed: its functions leave the filter, before another module can be
 * loaded there. When the last ones leave, the probe is disarmed instead: ftrace takes an
 * empty filter for "all functions".
 */
static void tap_func_forget(struct tap_func *func, struct module *mod,
			    bool init)
{
	unsigned int i, kept = 0, nr = func->nr;
	unsigned long addr;

	/* The functions that are freed go to the end of the array. */
	for (i = 0; i < nr; i++) {
		addr = func->addrs[i];
		if (tap_func_freed(addr, mod, init))
			continue;
		func->addrs[i] = func->addrs[kept];
		func->addrs[kept++] = addr;
	}
	if (kept == nr)
		return;
	func->gone = !kept;
	if (!kept) {
		if (func->armed)
			tap_deferred_notice(&func->probe, TAP_NOTICE_GONE);
		tap_func_disarm(func);
		func->nr = 0;
		return;
	}
	for (i = kept; func->group && i < nr; i++)
		tap_func_group_remove(func, func->addrs[i]);
	func->nr = kept;
	tap_func_unfilter(func, &func->addrs[kept], nr - kept);
}

/* Result of arming a deferred probe, whose module was loaded. */
static void tap_func_came(struct tap_func *func, int ret)
{
	func->failed = ret;
	if (ret)
		tap_deferred_warn(&func->probe, ret);
	else
		func->gone = false;
	if (func->armed)
		tap_deferred_notice(&func->probe, TAP_NOTICE_ARMED);
}

/* Arms the probes of one session after the other, each session's in one step. */
static void tap_func_arm_come(struct list_head *come)
{
	struct tap_func *func, *next;
	struct tapmod_session *session;
	LIST_HEAD(mine);
	int ret;

	while (!list_empty(come)) {
		session = list_first_entry(come, struct tap_func, pending)->probe.session;
		list_for_each_entry_safe(func, next, come, pending)
			if (func->probe.session == session)
				list_move_tail(&func->pending, &mine);
		ret = tap_func_arm_list(session, &mine);
		list_for_each_entry_safe(func, next, &mine, pending) {
			list_del_init(&func->pending);
			tap_func_came(func, func->armed ? 0 : ret);
		}
	}
}

static void tap_func_module_coming(struct module *mod)
{
	struct tap_func *func;
	LIST_HEAD(come);
	int ret;

	list_for_each_entry(func, &tap_funcs, link) {
		if (func->nr || !tap_is_deferred(&func->probe) ||
		    !tap_deferred_target_in(func->probe.target, module_name(mod)))
			continue;
		ret = tap_func_find_filter(func);
		if (!ret && READ_ONCE(func->probe.enabled))
			list_add_tail(&func->pending, &come);
		else
			tap_func_came(func, ret);
	}
	tap_func_arm_come(&come);
}

static int tap_func_module_notify(struct notifier_block *nb,
				  unsigned long action, void *data)
{
	struct tap_func *func;
	LIST_HEAD(empty);

	mutex_lock(&tap_funcs_lock);
	if (action == MODULE_STATE_COMING) {
		tap_func_module_coming(data);
	} else {
		list_for_each_entry(func, &tap_funcs, link) {
			/* At MODULE_STATE_LIVE the init code has run, and is freed. */
			tap_func_forget(func, data, action == MODULE_STATE_LIVE);
			cond_resched();
		}
		tap_func_groups_update(NULL, &empty);
	}
	mutex_unlock(&tap_funcs_lock);
	tap_func_groups_free(&empty);
	return NOTIFY_OK;
}

static struct notifier_block tap_func_module_nb = {
	.notifier_call = tap_func_module_notify,
};

/**
 * tap_func_init() - register for modules that are loaded and unloaded
 *
 * Context: process, module load.
 * Return: 0 or -errno.
 */
int tap_func_init(void)
{
	return register_module_notifier(&tap_func_module_nb);
}

/**
 * tap_func_exit() - unregister from the notifier
 *
 * Context: process, module unload: no session exists.
 */
void tap_func_exit(void)
{
	unregister_module_notifier(&tap_func_module_nb);
}
