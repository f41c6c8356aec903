// SPDX-License-Identifier: GPL-2.0
/*
 * func: the entry of a kernel function, or of each of many, through ftrace.
 *
 * The functions of a probe share one ftrace_ops, which the kernel arms and disarms in
 * one step. Where it is alone at a function the kernel gives it a trampoline that calls
 * the handler at once; where others (a kprobe, a live patch, ftrace itself, another
 * probe) trace the function too, all of them are called by turns.
 *
 * unregister_ftrace_function() waits until no handler runs, wherever it was: also
 * where RCU does not watch, and where a handler was preempted before it turned
 * that off.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/arch.h"
#include "core/session.h"
#include "exec/handler.h"
#include "exec/verifier.h"
#include "probes/deferred_attach.h"
#include "probes/kprobe_common.h"
#include "probes/probes.h"

/**
 * struct tap_func - a probe of functions
 * @probe: the common part
 * @ops: what ftrace calls; its filter has the functions
 * @missed: events that came while a handler was at work in the same context, by CPU
 * @link: in tap_funcs
 * @addrs: the functions that are there
 * @nr: how many
 * @armed: @ops is registered
 * @gone: all of them were there once, and went
 * @failed: the module that it waits for came, and it could not be armed
 *
 * From @link on protected by tap_funcs_lock.
 */
struct tap_func {
	struct tapmod_probe probe;
	struct ftrace_ops ops;
	u64 __percpu *missed;
	struct list_head link;
	unsigned long *addrs;
	unsigned int nr;
	bool armed;
	bool gone;
	bool failed;
};

/*
 * Orders the coming and going of modules with that of probes. Taken inside the
 * session's lock and the kernel's list of who wants to know of modules; ftrace's
 * locks are taken inside it, those of kprobes, and what tap_notice() takes.
 */
static DEFINE_MUTEX(tap_funcs_lock);
static LIST_HEAD(tap_funcs);

/* In which contexts of this CPU a handler is at work that calls functions. */
static DEFINE_PER_CPU(u32, tap_func_busy);

static struct tap_func *to_tap_func(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_func, probe);
}

#define ops_to_func(op)	container_of(op, struct tap_func, ops)

/* A bit for each context that may interrupt the others. */
static __always_inline u32 tap_func_context(void)
{
	unsigned int count = preempt_count();

	return count & NMI_MASK ? BIT(3) : count & HARDIRQ_MASK ? BIT(2) :
	       count & SOFTIRQ_OFFSET ? BIT(1) : BIT(0);
}

/*
 * Any program. It may read memory, which may fault; it may walk a stack, read a
 * counter, wake a reader: functions that may be traced themselves, and whose events
 * would come back to here without end. Such an event is missed, and counted; so is
 * one between an interrupt and what the kernel counts as its begin, and one where
 * RCU does not watch, which programs rely on.
 */
static noinline int
tap_func_program(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		 struct ftrace_regs *fregs)
{
	struct tap_func *func = ops_to_func(op);
	struct pt_regs regs __uninitialized;
	u32 context;

	preempt_disable_notrace();
	context = tap_func_context();
	if (unlikely(this_cpu_read(tap_func_busy) & context) ||
	    unlikely(!rcu_is_watching())) {
		this_cpu_inc(*func->missed);
	} else {
		this_cpu_or(tap_func_busy, context);
		tap_ftrace_regs(&regs, fregs, ip);
		tap_event_handle(&func->probe, &regs, 0);
		this_cpu_and(tap_func_busy, ~context);
	}
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_func_program);

/*
 * Arguments alone. This calls nothing and reads nothing but registers, so it needs
 * no guard, and may run anywhere: in an NMI, in the entry code, without RCU.
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

TAP_EVENT_HANDLERS(tap_func, (unsigned long ip, unsigned long parent,
			      struct ftrace_ops *op, struct ftrace_regs *fregs),
		   (ip, parent, op, fregs), op, fregs);

static __always_inline int
tap_func_of_program(unsigned long ip, unsigned long parent,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	return tap_func_program(ip, parent, op, fregs);
}

/* The same behind the function's address. */
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

TAP_EVENT_HANDLERS(tap_func_of, (unsigned long ip, unsigned long parent,
				 struct ftrace_ops *op, struct ftrace_regs *fregs),
		   (ip, parent, op, fregs), ip, op, fregs);

static void *tap_func_choose(const struct tapmod_probe *probe)
{
	unsigned int shape = tap_probe_shape(probe), i;

	if (shape == TAP_SHAPE_ANY)
		return tap_func_program;
	/* It is no register: the handlers have it for the first word alone. */
	for (i = 1; i < probe->nr_loads; i++)
		if (probe->offset[i] == TAP_FUNC_OFFSET)
			return tap_func_program;
	if (probe->nr_loads && probe->offset[0] == TAP_FUNC_OFFSET)
		return TAP_EVENT_CHOOSE(tap_func_of, shape);
	return TAP_EVENT_CHOOSE(tap_func, shape);
}

static int tap_func_parse(struct tapmod_probe *probe, char *target,
			  struct tap_program_env *env)
{
	env->arg_offset = tap_arg_offset;
	env->func = true;
	/* Of one that is there the kernel says that no function is called so. */
	return tap_is_deferred(probe) &&
	       (!tap_deferred_names_module(target) || strchr(target, '+')) ? -EINVAL : 0;
}

/* What the kernel allocates for a function of a filter, about. */
#define TAP_FUNC_FILTER_BYTES	64

static u64 tap_func_mem(struct tapmod_probe *probe, const struct tap_create *create)
{
	return (u64)create->nr_addrs * TAP_FUNC_FILTER_BYTES;
}

/* Where a function of that name begins, as a kprobe finds it. */
static int tap_func_find(const char *name, unsigned long *addr)
{
	struct kprobe kp = {
		.symbol_name	= name,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	/* Found, even if there must be no kprobe; but not where its module goes. */
	*addr = (unsigned long)kp.addr;
	return *addr && ret != -ENOENT ? 0 : ret;
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
		return 0;
	}
	func->addrs = kvmalloc(sizeof(*addrs), GFP_KERNEL_ACCOUNT);
	return func->addrs ? 0 : -ENOMEM;
}

/* Finds the place in each function, or says that one has none. */
static int tap_func_filter(struct tap_func *func)
{
	return tap_register_error(ftrace_set_filter_ips(&func->ops, func->addrs,
							func->nr, 0, 1));
}

static int tap_func_find_filter(struct tap_func *func)
{
	int ret = tap_func_find(func->probe.target, func->addrs);

	func->nr = 1;
	if (!ret)
		ret = tap_func_filter(func);
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
	func->ops.func = tap_func_choose(probe);
	/* Nobody is to turn ftrace off meanwhile: that would lose events, and not say so. */
	func->ops.flags = FTRACE_OPS_FL_PERMANENT | TAP_FTRACE_FLAGS;
	guard(mutex)(&tap_funcs_lock);
	ret = create->nr_addrs ? tap_func_filter(func) :
				 tap_func_find_filter(func);
	/* Its module may have gone between a look for the name and one at the place. */
	if (ret == -EADDRNOTAVAIL && tap_is_deferred(probe))
		ret = tap_func_find_filter(func);
	if (ret && !(ret == -ENOENT && tap_is_deferred(probe)))
		return ret;
	list_add(&func->link, &tap_funcs);
	return 0;
}

static int tap_func_arm(struct tap_func *func)
{
	int ret = register_ftrace_function(&func->ops);

	func->armed = !ret;
	return ret;
}

static int tap_func_enable(struct tapmod_probe *probe)
{
	struct tap_func *func = to_tap_func(probe);

	guard(mutex)(&tap_funcs_lock);
	/* Its module may have come since. */
	if (func->armed)
		return 0;
	/* To ftrace a filter that is empty is one that all functions pass. */
	if (!func->nr)
		return tap_is_deferred(probe) ? 0 : -ENOENT;
	return tap_func_arm(func);
}

static void tap_func_disarm(struct tap_func *func)
{
	if (func->armed)
		unregister_ftrace_function(&func->ops);
	func->armed = false;
}

static void tap_func_disable(struct tapmod_probe *probe)
{
	guard(mutex)(&tap_funcs_lock);
	tap_func_disarm(to_tap_func(probe));
}

/* Disabling has waited. */
static void tap_func_sync(void)
{
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
	.enable		= tap_func_enable,
	.disable	= tap_func_disable,
	.sync		= tap_func_sync,
	.detach		= tap_func_detach,
	.free		= tap_func_free,
	.state		= tap_func_state,
	.address	= tap_func_address,
	.missed		= tap_func_missed,
};

/*
 * Code of a module goes: its functions leave the filter, or they would be those of
 * whatever is loaded there next. The last ones leave by disarming: an empty filter
 * is none.
 */
static void tap_func_forget(struct tap_func *func, struct module *mod,
			    bool init)
{
	unsigned int i, kept = 0;

	for (i = 0; i < func->nr; i++)
		if (!(init ? within_module_init(func->addrs[i], mod) :
			     within_module(func->addrs[i], mod)))
			func->addrs[kept++] = func->addrs[i];
	if (kept == func->nr)
		return;
	func->gone = !kept;
	if (!kept && func->armed)
		tap_deferred_notice(&func->probe, TAP_NOTICE_GONE);
	if (!kept)
		tap_func_disarm(func);
	else if (ftrace_set_filter_ips(&func->ops, func->addrs, kept, 0, 1))
		pr_warn("%s: functions of %s that went stay in its filter\n",
			func->probe.name, module_name(mod));
	func->nr = kept;
}

static void tap_func_come(struct tap_func *func)
{
	int ret = tap_func_find_filter(func);

	if (!ret && READ_ONCE(func->probe.enabled))
		ret = tap_func_arm(func);
	func->failed = ret;
	if (ret)
		tap_deferred_warn(&func->probe, ret);
	else
		func->gone = false;
	if (func->armed)
		tap_deferred_notice(&func->probe, TAP_NOTICE_ARMED);
}

static int tap_func_module_notify(struct notifier_block *nb,
				  unsigned long action, void *data)
{
	struct tap_func *func;

	guard(mutex)(&tap_funcs_lock);
	list_for_each_entry(func, &tap_funcs, link) {
		if (action != MODULE_STATE_COMING)
			/* When a module is live the code of its begin goes. */
			tap_func_forget(func, data, action == MODULE_STATE_LIVE);
		else if (!func->nr && tap_is_deferred(&func->probe) &&
			 tap_deferred_target_in(func->probe.target, module_name(data)))
			tap_func_come(func);
	}
	return NOTIFY_OK;
}

static struct notifier_block tap_func_module_nb = {
	.notifier_call = tap_func_module_notify,
};

/**
 * tap_func_init() - register for modules that are loaded and unloaded
 *
 * Return: 0 or -errno.
 */
int tap_func_init(void)
{
	return register_module_notifier(&tap_func_module_nb);
}

/**
 * tap_func_exit() - no session is left
 */
void tap_func_exit(void)
{
	unregister_module_notifier(&tap_func_module_nb);
}
