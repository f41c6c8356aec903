// SPDX-License-Identifier: GPL-2.0
/*
 * rawtracepoint: a tracepoint with its raw arguments, in the kernel or in a module, which
 * may be loaded and unloaded meanwhile.
 *
 * A tracepoint calls its probes as any function, with the arguments in registers. A
 * handler declares more arguments than the tracepoint may have: registers beyond those
 * have undefined contents, and so have the upper bits of an argument that is narrower than
 * a register.
 *
 * After tracepoint_synchronize_unregister() no handler runs that was unregistered before.
 */
#include <linux/cleanup.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "compat/hooks.h"
#include "exec/handler.h"
#include "exec/recursion.h"
#include "exec/span.h"
#include "exec/stacktrace.h"
#include "probes/deferred_attach.h"
#include "probes/probes.h"
#include "probes/raw_tracepoint_typed.h"

/**
 * struct tap_rawtp - a probe of a tracepoint
 * @probe: the common part
 * @link: in tap_rawtp_probes, from attach to detach
 * @module: module named in the target; NULL: the kernel itself, or any module
 * @name: name of the tracepoint
 * @handler: registered with @tp; chosen once, by tap_rawtp_choose()
 * @missed: events dropped by tap_rawtp_guard(), per CPU; NULL: @handler does not use it
 * @tp: the tracepoint; NULL: its module is not loaded
 * @owner: the module of @tp; NULL: the kernel itself
 * @gone: @tp was unloaded with its module
 * @armed: @handler is registered with @tp
 *
 * tap_rawtp_lock protects @link, @tp and what follows.
 */
struct tap_rawtp {
	struct tapmod_probe probe;
	struct list_head link;
	const char *module;
	const char *name;
	void *handler;
	u64 __percpu *missed;
	struct tracepoint *tp;
	struct module *owner;
	bool gone;
	bool armed;
};

/* A loaded module that has tracepoints; in tap_tp_modules. */
struct tap_tp_module {
	struct list_head link;
	struct module *mod;
};

/*
 * Protects both lists and their members, so that a module that is loaded or unloaded finds
 * a probe armed or not. Taken inside the session's lock, and by the notifier inside
 * tracepoint_module_list_mutex. tracepoints_mutex and tap_notices.lock are taken inside it.
 */
static DEFINE_MUTEX(tap_rawtp_lock);
static LIST_HEAD(tap_rawtp_probes);
static LIST_HEAD(tap_tp_modules);

/* The contexts of this CPU, as tap_guard_context(), in which tap_rawtp_guarded() runs. */
static DEFINE_PER_CPU(u32, tap_rawtp_busy);

static const u16 tap_rawtp_arg_offset[TAP_NR_ARGS] = { 0, 8, 16, 24, 32, 40 };

static struct tap_rawtp *to_tap_rawtp(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_rawtp, probe);
}

/*
 * The handler for all programs that use up to five arguments. No stack protector: @args is
 * the only array and is never written, and the check would cost as much as a filter that
 * rejects the event.
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
 * On x86 the sixth argument is on the stack. If the tracepoint has fewer, this reads
 * whatever its caller has there, which is readable memory.
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

static __always_inline void tap_rawtp_guard(struct tapmod_probe *probe, const u64 *args)
{
	u32 context = tap_guard_context();

	if (tap_guard_enter(&tap_rawtp_busy, context)) {
		tap_event_handle(probe, args, 0);
		tap_guard_exit(&tap_rawtp_busy, context);
	} else {
		this_cpu_inc(*to_tap_rawtp(probe)->missed);
	}
}

/*
 * The handler for programs that read memory, a stack or a counter: what they do may be an
 * event of the same tracepoint, see exec/recursion.h. Such an event is counted as missed.
 */
static int tap_rawtp_guarded(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	const u64 args[] = { a, b, c, d, e, f };

	tap_tracepoint_enter();
	tap_rawtp_guard(data, args);
	tap_tracepoint_exit();
	return 0;
}
NOKPROBE_SYMBOL(tap_rawtp_guarded);

#if TAP_CFI
/**
 * tap_rawtp_typed() - handle an event in a kernel with CONFIG_CFI
 * @data: the probe
 * @args: the arguments, at least TAP_NR_ARGS words
 *
 * Called by the handlers of raw_tracepoint_typed.c.
 *
 * Context: any.
 */
void tap_rawtp_typed(void *data, const u64 *args)
{
	struct tapmod_probe *probe = data;

	tap_tracepoint_enter();
	if (to_tap_rawtp(probe)->missed)
		tap_rawtp_guard(probe, args);
	else
		tap_event_handle(probe, args, 0);
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(tap_rawtp_typed);
#endif

/*
 * page_fault_kernel: if the program reads memory that faults, that is an event of this
 * probe, and so on without end. So page faults are disabled meanwhile, as
 * copy_from_kernel_nofault() does. An event that finds them disabled comes from such a
 * reader and is counted as lost_fault.
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

/* TAP_FOLLOWED_HANDLERS() calls this if a shaped handler fails; shapes use four arguments. */
static __always_inline int
tap_rawtp_program(void *data, u64 a, u64 b, u64 c, u64 d)
{
	return tap_rawtp_five(data, a, b, c, d, 0);
}

/* For the first arguments in order, which go from registers to the record. */
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

/* 0 for an argument that the shape does not use, so that the compiler need not save it. */
#define TAP_RAWTP_USED(arg, i)	((i) < TAP_SHAPE_LOADS(shape) ? (arg) : 0)

TAP_FOLLOWED_HANDLERS(int, tap_rawtp, (void *data, u64 a, u64 b, u64 c, u64 d),
		      (data, TAP_RAWTP_USED(a, 0), TAP_RAWTP_USED(b, 1),
		       TAP_RAWTP_USED(c, 2), TAP_RAWTP_USED(d, 3)),
		      data, a, b, c, d);

/*
 * For one argument behind the first, which stays in its register. If the program is run after
 * all, it has only this argument, and finds it anywhere.
 */
static __always_inline int
tap_rawtp_any_one(void *data, u64 b, u64 c, u64 d, u64 e, int shape)
{
	struct tapmod_probe *probe = data;
	const u16 at = probe->offset[0];
	const u64 value = at == 8 ? b : at == 16 ? c : at == 24 ? d : e;
	bool done;

	tap_tracepoint_enter();
	done = tap_event_shaped_words(probe, &value, NULL, shape, 0, false);
	tap_tracepoint_exit();
	return likely(done) ? 0 :
	       tap_rawtp_five(data, value, value, value, value, value);
}

/* For several of the first five arguments, in any order. */
static __always_inline int
tap_rawtp_any_several(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, int shape)
{
	const u64 args[] = { a, b, c, d, e };
	bool done;

	tap_tracepoint_enter();
	done = tap_event_shaped(data, args, shape, 0, false);
	tap_tracepoint_exit();
	return likely(done) ? 0 : tap_rawtp_five(data, a, b, c, d, e);
}

/* The handlers for arguments that are not in order. No stack protector: as tap_rawtp_five(). */
#define TAP_RAWTP_ANY(SUFFIX, SHAPE)						\
static int __no_stack_protector							\
tap_rawtp_any_##SUFFIX(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)		\
{										\
	return TAP_SHAPE_LOADS(SHAPE) == 1 ?					\
	       tap_rawtp_any_one(data, b, c, d, e, SHAPE) :			\
	       tap_rawtp_any_several(data, a, b, c, d, e, SHAPE);		\
}										\
NOKPROBE_SYMBOL(tap_rawtp_any_##SUFFIX)

TAP_RAWTP_ANY(1, 1);
TAP_RAWTP_ANY(2, 2);
TAP_RAWTP_ANY(3, 3);
TAP_RAWTP_ANY(4, 4);
TAP_RAWTP_ANY(comm1, TAP_SHAPE_COMM | 1);
TAP_RAWTP_ANY(comm2, TAP_SHAPE_COMM | 2);
TAP_RAWTP_ANY(comm3, TAP_SHAPE_COMM | 3);
TAP_RAWTP_ANY(comm4, TAP_SHAPE_COMM | 4);
TAP_RAWTP_ANY(followed_1, TAP_SHAPE_FOLLOWED | 1);
TAP_RAWTP_ANY(followed_2, TAP_SHAPE_FOLLOWED | 2);
TAP_RAWTP_ANY(followed_3, TAP_SHAPE_FOLLOWED | 3);
TAP_RAWTP_ANY(followed_4, TAP_SHAPE_FOLLOWED | 4);
TAP_RAWTP_ANY(followed_comm1, TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 1);
TAP_RAWTP_ANY(followed_comm2, TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 2);
TAP_RAWTP_ANY(followed_comm3, TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 3);
TAP_RAWTP_ANY(followed_comm4, TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 4);

/* The key of a side of a span, if it is the event's only word: one of the first five arguments. */
static __always_inline u64
tap_rawtp_key(const struct tapmod_probe *probe, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u16 at = probe->offset[0];

	return !at ? a : at == 8 ? b : at == 16 ? c : at == 24 ? d : e;
}

/* The handlers of sides that have only a key. */
#define TAP_RAWTP_SIDE(SIDE)							\
static int tap_rawtp_##SIDE(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)	\
{										\
	int ret;								\
										\
	tap_tracepoint_enter();							\
	ret = tap_span_##SIDE##_key(data, tap_rawtp_key(data, a, b, c, d, e),	\
				    tap_context(0));				\
	tap_tracepoint_exit();							\
	return ret;								\
}										\
NOKPROBE_SYMBOL(tap_rawtp_##SIDE)

TAP_RAWTP_SIDE(from);
TAP_RAWTP_SIDE(to);

/* @shape has a load: without one, all arguments are in order. */
static void *tap_rawtp_any_choose(unsigned int shape)
{
	switch (shape) {
	case 1:
		return tap_rawtp_any_1;
	case 2:
		return tap_rawtp_any_2;
	case 3:
		return tap_rawtp_any_3;
	case 4:
		return tap_rawtp_any_4;
	case TAP_SHAPE_COMM | 1:
		return tap_rawtp_any_comm1;
	case TAP_SHAPE_COMM | 2:
		return tap_rawtp_any_comm2;
	case TAP_SHAPE_COMM | 3:
		return tap_rawtp_any_comm3;
	case TAP_SHAPE_COMM | 4:
		return tap_rawtp_any_comm4;
	case TAP_SHAPE_FOLLOWED | 1:
		return tap_rawtp_any_followed_1;
	case TAP_SHAPE_FOLLOWED | 2:
		return tap_rawtp_any_followed_2;
	case TAP_SHAPE_FOLLOWED | 3:
		return tap_rawtp_any_followed_3;
	case TAP_SHAPE_FOLLOWED | 4:
		return tap_rawtp_any_followed_4;
	case TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 1:
		return tap_rawtp_any_followed_comm1;
	case TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 2:
		return tap_rawtp_any_followed_comm2;
	case TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 3:
		return tap_rawtp_any_followed_comm3;
	case TAP_SHAPE_FOLLOWED | TAP_SHAPE_COMM | 4:
		return tap_rawtp_any_followed_comm4;
	default:
		return tap_rawtp_five;
	}
}

/**
 * tap_program_harmless() - whether a program does nothing that may be an event
 * @prog: a verified program
 *
 * Return: true if its handler needs no guard against events of its own probe.
 */
bool tap_program_harmless(const struct tap_program *prog)
{
	u32 i;

	for (i = 0; i < prog->nr_ops; i++) {
		switch (prog->ops[i].code) {
		case TAP_OP_LOAD:
		case TAP_OP_LOAD_USER:
		case TAP_OP_BYTES:
		case TAP_OP_BYTES_USER:
		case TAP_OP_STRING:
		case TAP_OP_STRING_USER:
		case TAP_OP_MATCH:
		case TAP_OP_MATCH_USER:
		case TAP_OP_LENGTH:
		case TAP_OP_LENGTH_USER:
		case TAP_OP_KSTACK:
		case TAP_OP_USTACK:
		case TAP_OP_JOIN:
		case TAP_OP_JOIN_USER:
		case TAP_OP_PATH:
		case TAP_OP_DENTRY:
		case TAP_OP_USTACK_COPY:
		case TAP_OP_PMU:
			return false;
		}
	}
	return true;
}

/* The handler of a side may run the program of its span as well. */
static bool tap_rawtp_harmless(const struct tapmod_probe *probe)
{
	return tap_program_harmless(&probe->prog) &&
	       (!probe->span || tap_program_harmless(&probe->span->probe.prog));
}

/* The handler; NULL: a kernel with CONFIG_CFI does not let us have this tracepoint. */
static void *tap_rawtp_choose(const struct tap_rawtp *rawtp)
{
	const struct tapmod_probe *probe = &rawtp->probe;
	unsigned int shape = tap_probe_shape(probe), i;
	bool in_order = true;

	if (TAP_CFI)
		return tap_rawtp_typed_handler(rawtp->name);
	/* Plain programs read no memory. */
	if (shape == TAP_SHAPE_ANY && !strcmp(rawtp->name, "page_fault_kernel"))
		return tap_rawtp_fault;
	if (!tap_rawtp_harmless(probe))
		return tap_rawtp_guarded;
	for (i = 0; i < probe->prog.entry.end; i++) {
		const struct tap_insn *insn = &probe->prog.entry.insns[i];

		if (insn->code != TAP_INSN_BASE &&
		    insn->code != TAP_INSN_BASE_PART)
			continue;
		if (insn->off == tap_rawtp_arg_offset[5])
			return tap_rawtp_six;
		in_order &= insn->off == (i - probe->prog.entry.tests) * sizeof(u64);
	}
	if (probe->span_one && !probe->prog.tested)
		return probe->side == TAP_SIDE_FROM ? tap_rawtp_from : tap_rawtp_to;
	if (shape == TAP_SHAPE_ANY)
		return tap_rawtp_five;
	if (in_order)
		return TAP_FOLLOWED_CHOOSE(tap_rawtp, shape);
	return tap_rawtp_any_choose(shape);
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

/* Looks for the probe's tracepoint in one module, and sets @tp and @owner if it is there. */
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
 * @name: its name without a module
 *
 * Context: any.
 * Return: the tracepoint, which is never freed; or NULL.
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
	/* A deferred probe must name its module: see tap_deferred_names_module(). */
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
	/* The headers of a module are not known here, even if its names are. */
	if (TAP_CFI && (!rawtp->tp || rawtp->owner))
		return -EOPNOTSUPP;
	rawtp->handler = tap_rawtp_choose(rawtp);
	if (!rawtp->handler)
		return -EOPNOTSUPP;
	if (rawtp->handler == tap_rawtp_guarded ||
	    (TAP_CFI && !tap_rawtp_harmless(probe))) {
		rawtp->missed = alloc_percpu_gfp(u64, GFP_KERNEL_ACCOUNT);
		if (!rawtp->missed)
			return -ENOMEM;
	}
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

static void tap_rawtp_detach(struct tapmod_probe **probes, unsigned int nr)
{
	guard(mutex)(&tap_rawtp_lock);
	while (nr--)
		list_del(&to_tap_rawtp(probes[nr])->link);
}

static void tap_rawtp_free(struct tapmod_probe *probe)
{
	free_percpu(to_tap_rawtp(probe)->missed);
}

static void tap_rawtp_missed(const struct tapmod_probe *probe,
			     struct tap_stats *stats)
{
	const struct tap_rawtp *rawtp = to_tap_rawtp(probe);
	int cpu;

	if (!rawtp->missed)
		return;
	for_each_possible_cpu(cpu)
		stats->out_nmissed += READ_ONCE(*per_cpu_ptr(rawtp->missed, cpu));
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
		pr_warn("out of memory: new probes will not find tracepoints of module %s\n",
			module_name(mod));
	}
	list_for_each_entry(rawtp, &tap_rawtp_probes, link) {
		if (rawtp->tp || !tap_rawtp_find_in(rawtp, mod))
			continue;
		if (!READ_ONCE(rawtp->probe.enabled))
			continue;
		if (tap_rawtp_arm(rawtp))
			pr_warn("%s:%s: module loaded, but the probe cannot be armed\n",
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

/* The kernel calls this under tracepoint_module_list_mutex. */
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
	.sync		= TAP_SYNC_TRACEPOINT,
	.detach		= tap_rawtp_detach,
	.free		= tap_rawtp_free,
	.state		= tap_rawtp_state,
	.address	= tap_rawtp_address,
	.missed		= tap_rawtp_missed,
};

/**
 * tap_rawtp_init() - register for modules with tracepoints; lists those that are loaded
 *
 * Context: process, module load.
 * Return: 0 or -errno.
 */
int tap_rawtp_init(void)
{
	return register_tracepoint_module_notifier(&tap_tp_module_nb);
}

/**
 * tap_rawtp_exit() - unregister from the notifier, and free the list of modules
 *
 * Context: process, module unload: no session exists.
 */
void tap_rawtp_exit(void)
{
	struct tap_tp_module *m, *next;

	/* Calls the notifier for each loaded module, with MODULE_STATE_GOING. */
	unregister_tracepoint_module_notifier(&tap_tp_module_nb);
	list_for_each_entry_safe(m, next, &tap_tp_modules, link)
		kfree(m);
}
