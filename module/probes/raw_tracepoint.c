// SPDX-License-Identifier: GPL-2.0
/*
 * rawtracepoint: a tracepoint with its raw arguments, of the kernel or of a
 * module that is there, comes or goes.
 *
 * The kernel calls a tracepoint's probes with the arguments in registers, as
 * any function; what lies beyond those that the tracepoint has is garbage, and
 * so are the upper bits of an argument that is narrower than a register.
 *
 * After tracepoint_synchronize_unregister() no handler runs that was
 * unregistered before.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "exec/handler.h"
#include "exec/stacktrace.h"
#include "probes/deferred_attach.h"
#include "probes/probes.h"

/**
 * struct tap_rawtp - a probe of a tracepoint
 * @probe: the common part
 * @link: in tap_rawtp_probes
 * @module: name of the tracepoint's module, or NULL: the kernel, or any
 * @name: name of the tracepoint
 * @handler: what the tracepoint calls
 * @tp: the tracepoint, or NULL: its module is not there
 * @owner: its module, or NULL: the kernel
 * @gone: it was there once, and went
 * @armed: @handler is registered with @tp
 *
 * From @tp on protected by tap_rawtp_lock.
 */
struct tap_rawtp {
	struct tapmod_probe probe;
	struct list_head link;
	const char *module;
	const char *name;
	void *handler;
	struct tracepoint *tp;
	struct module *owner;
	bool gone;
	bool armed;
};

/* A loaded module that has tracepoints. */
struct tap_tp_module {
	struct list_head link;
	struct module *mod;
};

/*
 * Orders the coming and going of modules with that of probes. Taken inside the
 * session's lock and inside the kernel's list of tracepoint modules; the
 * kernel's lock of tracepoints is taken inside it, and what tap_notice() takes.
 */
static DEFINE_MUTEX(tap_rawtp_lock);
static LIST_HEAD(tap_rawtp_probes);
static LIST_HEAD(tap_tp_modules);

static const u16 tap_rawtp_arg_offset[TAP_NR_ARGS] = { 0, 8, 16, 24, 32, 40 };

static struct tap_rawtp *to_tap_rawtp(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_rawtp, probe);
}

/*
 * Any program over the first five arguments. They are the only array, which nothing
 * writes to: a guard behind it would take as long as a test that rejects.
 */
static noinline int __no_stack_protector
tap_rawtp_five(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[] = { a, b, c, d, e };

	tap_tracepoint_enter();
	tap_event_handle(data, args, 0);
	tap_tracepoint_exit();
	return 0;
}
NOKPROBE_SYMBOL(tap_rawtp_five);

/*
 * On x86 the sixth is on the stack. A tracepoint that has less than six gives
 * what its caller happens to have there, which is always readable.
 */
static int __no_stack_protector
tap_rawtp_six(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	const u64 args[] = { a, b, c, d, e, f };

	tap_tracepoint_enter();
	tap_event_handle(data, args, 0);
	tap_tracepoint_exit();
	return 0;
}
NOKPROBE_SYMBOL(tap_rawtp_six);

/*
 * page_fault_kernel: reading memory that faults is an event of this probe itself, and
 * would recurse without end. So page faults are disabled meanwhile, as the kernel's
 * own readers do; an event that finds them disabled is of a reader that can do
 * without the memory.
 */
static int tap_rawtp_fault(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	const u64 args[] = { a, b, c, d, e, f };
	const struct tapmod_probe *probe = data;

	tap_tracepoint_enter();
	if (pagefault_disabled()) {
		this_cpu_inc(probe->counters->hits);
		this_cpu_inc(probe->counters->lost_fault);
	} else {
		pagefault_disable();
		tap_event_handle(data, args, 0);
		pagefault_enable();
	}
	tap_tracepoint_exit();
	return 0;
}
NOKPROBE_SYMBOL(tap_rawtp_fault);

/* A plain program has no use for the fifth. */
static __always_inline int
tap_rawtp_program(void *data, u64 a, u64 b, u64 c, u64 d)
{
	return tap_rawtp_five(data, a, b, c, d, 0);
}

/* The first arguments in order: they go from register to record. */
static __always_inline bool
tap_rawtp_shaped(void *data, u64 a, u64 b, u64 c, u64 d, int shape)
{
	const u64 args[] = { a, b, c, d };
	bool done;

	tap_tracepoint_enter();
	done = tap_event_shaped(data, args, shape, 0, true);
	tap_tracepoint_exit();
	return done;
}

/* An argument that the probe has no use for: it need not be kept. */
#define TAP_RAWTP_USED(arg, i)	((i) < (shape & ~TAP_SHAPE_COMM) ? (arg) : 0)

TAP_EVENT_HANDLERS(tap_rawtp, (void *data, u64 a, u64 b, u64 c, u64 d),
		   (data, TAP_RAWTP_USED(a, 0), TAP_RAWTP_USED(b, 1),
		    TAP_RAWTP_USED(c, 2), TAP_RAWTP_USED(d, 3)),
		   data, a, b, c, d);

static void *tap_rawtp_choose(const struct tap_rawtp *rawtp)
{
	const struct tapmod_probe *probe = &rawtp->probe;
	unsigned int shape = tap_probe_shape(probe), i;
	bool in_order = true;

	/* A plain program reads no memory. */
	if (shape == TAP_SHAPE_ANY && !strcmp(rawtp->name, "page_fault_kernel"))
		return tap_rawtp_fault;
	for (i = 0; i < probe->prog.entry.end; i++) {
		const struct tap_insn *insn = &probe->prog.entry.insns[i];

		if (insn->code != TAP_INSN_BASE &&
		    insn->code != TAP_INSN_BASE_PART)
			continue;
		if (insn->off == tap_rawtp_arg_offset[5])
			return tap_rawtp_six;
		in_order &= insn->off == i * sizeof(u64);
	}
	/* The handlers for a shape look at the first four only. */
	if (!in_order || shape == TAP_SHAPE_ANY)
		return tap_rawtp_five;
	return TAP_EVENT_CHOOSE(tap_rawtp, shape);
}

struct tap_tp_search {
	const char *name;
	struct tracepoint *found;
};

static void tap_tp_match(struct tracepoint *tp, void *data)
{
	struct tap_tp_search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/* Looks in one module for the probe's tracepoint, and takes it. */
static bool tap_rawtp_find_in(struct tap_rawtp *rawtp, struct module *mod)
{
	struct tap_tp_search search = { .name = rawtp->name };

	if (rawtp->module && strcmp(rawtp->module, module_name(mod)))
		return false;
	tap_module_each_tracepoint(mod, tap_tp_match, &search);
	if (!search.found)
		return false;
	rawtp->tp = search.found;
	rawtp->owner = mod;
	rawtp->gone = false;
	return true;
}

/**
 * tap_tracepoint_find() - find a tracepoint of the kernel itself
 * @name: its name
 *
 * Return: the tracepoint, which stays, or NULL.
 */
struct tracepoint *tap_tracepoint_find(const char *name)
{
	struct tap_tp_search search = { .name = name };

	for_each_kernel_tracepoint(tap_tp_match, &search);
	return search.found;
}

static void tap_rawtp_find(struct tap_rawtp *rawtp)
{
	struct tap_tp_module *m;

	if (!rawtp->module) {
		rawtp->tp = tap_tracepoint_find(rawtp->name);
		if (rawtp->tp)
			return;
	}
	list_for_each_entry(m, &tap_tp_modules, link)
		if (tap_rawtp_find_in(rawtp, m->mod))
			return;
}

static int tap_rawtp_arm(struct tap_rawtp *rawtp)
{
	int ret;

	if (rawtp->armed || !rawtp->tp)
		return 0;
	tap_stack_tp_iter(&rawtp->probe.tp_iters[0], rawtp->tp->iterator);
	ret = tracepoint_probe_register_prio_may_exist(rawtp->tp,
						       rawtp->handler,
						       &rawtp->probe,
						       TRACEPOINT_DEFAULT_PRIO);
	rawtp->armed = !ret;
	return ret;
}

static void tap_rawtp_disarm(struct tap_rawtp *rawtp)
{
	if (rawtp->armed)
		tracepoint_probe_unregister(rawtp->tp, rawtp->handler,
					    &rawtp->probe);
	rawtp->armed = false;
}

static int tap_rawtp_parse(struct tapmod_probe *probe, char *target,
			   struct tap_program_env *env)
{
	struct tap_rawtp *rawtp = to_tap_rawtp(probe);
	char *colon = strchr(target, ':');

	if (colon) {
		*colon++ = 0;
		rawtp->module = target;
	}
	rawtp->name = colon ?: target;
	env->arg_offset = tap_rawtp_arg_offset;
	/* As tap_deferred_names_module(). */
	if (tap_is_deferred(probe) && !rawtp->module)
		return -EINVAL;
	return *rawtp->name && *target ? 0 : -EINVAL;
}

static int tap_rawtp_attach(struct tapmod_probe *probe,
			    const struct tap_create *create)
{
	struct tap_rawtp *rawtp = to_tap_rawtp(probe);

	guard(mutex)(&tap_rawtp_lock);
	tap_rawtp_find(rawtp);
	if (!rawtp->tp && !tap_is_deferred(probe))
		return -ENOENT;
	rawtp->handler = tap_rawtp_choose(rawtp);
	list_add(&rawtp->link, &tap_rawtp_probes);
	return 0;
}

static int tap_rawtp_enable(struct tapmod_probe *probe)
{
	struct tap_rawtp *rawtp = to_tap_rawtp(probe);

	guard(mutex)(&tap_rawtp_lock);
	if (rawtp->gone && !tap_is_deferred(probe))
		return -ENOENT;
	return tap_rawtp_arm(rawtp);
}

static void tap_rawtp_disable(struct tapmod_probe *probe)
{
	guard(mutex)(&tap_rawtp_lock);
	tap_rawtp_disarm(to_tap_rawtp(probe));
}

/**
 * tap_rawtp_sync() - as tap_probe_ops, for all that tracepoints call
 */
void tap_rawtp_sync(void)
{
	tracepoint_synchronize_unregister();
}

static void tap_rawtp_detach(struct tapmod_probe **probes, unsigned int nr)
{
	guard(mutex)(&tap_rawtp_lock);
	while (nr--)
		list_del(&to_tap_rawtp(probes[nr])->link);
}

static u32 tap_rawtp_state(const struct tapmod_probe *probe)
{
	const struct tap_rawtp *rawtp = to_tap_rawtp(probe);

	guard(mutex)(&tap_rawtp_lock);
	return rawtp->armed ? TAP_STATE_ENABLED :
	       rawtp->gone ? TAP_STATE_GONE : TAP_STATE_WAITING;
}

static unsigned long tap_rawtp_address(const struct tapmod_probe *probe)
{
	guard(mutex)(&tap_rawtp_lock);
	return (unsigned long)to_tap_rawtp(probe)->tp;
}

static void tap_tp_module_coming(struct module *mod)
{
	struct tap_tp_module *m = kzalloc(sizeof(*m), GFP_KERNEL);
	struct tap_rawtp *rawtp;

	guard(mutex)(&tap_rawtp_lock);
	if (m) {
		m->mod = mod;
		list_add(&m->link, &tap_tp_modules);
	} else {
		pr_warn("out of memory: tracepoints of %s will not be found\n",
			module_name(mod));
	}
	list_for_each_entry(rawtp, &tap_rawtp_probes, link) {
		if (rawtp->tp || !tap_rawtp_find_in(rawtp, mod))
			continue;
		if (!READ_ONCE(rawtp->probe.enabled))
			continue;
		if (tap_rawtp_arm(rawtp))
			pr_warn("%s:%s came and could not be armed\n",
				module_name(mod), rawtp->name);
		else
			tap_deferred_notice(&rawtp->probe, TAP_NOTICE_ARMED);
	}
}

static void tap_tp_module_going(struct module *mod)
{
	struct tap_tp_module *m, *next;
	struct tap_rawtp *rawtp;

	guard(mutex)(&tap_rawtp_lock);
	list_for_each_entry(rawtp, &tap_rawtp_probes, link) {
		if (rawtp->owner != mod)
			continue;
		if (rawtp->armed)
			tap_deferred_notice(&rawtp->probe, TAP_NOTICE_GONE);
		tap_rawtp_disarm(rawtp);
		rawtp->tp = NULL;
		rawtp->owner = NULL;
		rawtp->gone = true;
	}
	list_for_each_entry_safe(m, next, &tap_tp_modules, link) {
		if (m->mod == mod) {
			list_del(&m->link);
			kfree(m);
		}
	}
}

/* The kernel calls this with its list of tracepoint modules locked. */
static int tap_tp_module_notify(struct notifier_block *nb, unsigned long action,
				void *data)
{
	struct tp_module *tp_mod = data;

	if (action == MODULE_STATE_COMING)
		tap_tp_module_coming(tp_mod->mod);
	else if (action == MODULE_STATE_GOING)
		tap_tp_module_going(tp_mod->mod);
	return NOTIFY_OK;
}

static struct notifier_block tap_tp_module_nb = {
	.notifier_call = tap_tp_module_notify,
};

const struct tap_probe_ops tap_rawtp_ops = {
	.size		= sizeof(struct tap_rawtp),
	.feature	= TAP_FEATURE_RAWTP,
	.wait		= true,
	.parse		= tap_rawtp_parse,
	.attach		= tap_rawtp_attach,
	.enable		= tap_rawtp_enable,
	.disable	= tap_rawtp_disable,
	.sync		= tap_rawtp_sync,
	.detach		= tap_rawtp_detach,
	.state		= tap_rawtp_state,
	.address	= tap_rawtp_address,
};

/**
 * tap_rawtp_init() - learn which modules have tracepoints, now and from now on
 *
 * Return: 0 or -errno.
 */
int tap_rawtp_init(void)
{
	return register_tracepoint_module_notifier(&tap_tp_module_nb);
}

/**
 * tap_rawtp_exit() - forget them; no session is left
 */
void tap_rawtp_exit(void)
{
	struct tap_tp_module *m, *next;

	/* Tells of every module that is there as if it went. */
	unregister_tracepoint_module_notifier(&tap_tp_module_nb);
	list_for_each_entry_safe(m, next, &tap_tp_modules, link)
		kfree(m);
}
