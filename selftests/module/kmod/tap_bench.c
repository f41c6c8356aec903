// SPDX-License-Identifier: GPL-2.0
/*
 * Loops whose cost is measured, see tap_bench.h. The probed functions are compiled as those
 * of any driver; the loops themselves are not traced.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>
#include "compat/hooks.h"
#include "compat/uprobes.h"

#define CREATE_TRACE_POINTS
#include "tap_bench_trace.h"

#include "tap_bench.h"

#include "module/exec/handler.h"

/* Behind all headers that may have trace events. */
#include <tapmod/emit.h>

/* On each kernel of the lab, with CFI or without: the module knows the prototypes. */
static_assert(TAP_HOOK_FITS(sys_enter, TAP_SYS_ENTER_PARAMS));
static_assert(TAP_HOOK_FITS(sys_exit, TAP_SYS_EXIT_PARAMS));
static_assert(TAP_HOOK_FITS(sched_process_exec, TAP_PROCESS_EXEC_PARAMS));
static_assert(TAP_HOOK_FITS(sched_process_exit, TAP_PROCESS_EXIT_PARAMS));

/* The same values as those of the tracepoint tap_bench. */
TAP_EMIT_DEFINE(bench, unsigned long, a, unsigned long, b, unsigned long, c, unsigned long, d);

/* Slots of a ring without a reader; bench_loop() empties it before each loop. */
#define TAP_BENCH_SLOTS	2048

static struct tap_ring_writer bench_ring;
static struct tap_ring_tail bench_tail;
static struct tapmod_probe bench_probe = { .ident = 1 | 1 << 16 };

/* The ring code refers to these two; the loop never gets to call them. */
void tap_rings_wake(struct tap_ring_writer *w)
{
}

u64 tap_clock_other(enum tapmod_clock clock)
{
	return 0;
}

struct tap_resv tap_ring_slow_path(struct tap_ring_writer *w, unsigned int bytes)
{
	return tap_ring_reserve_slow(w, bytes);
}

static unsigned long bench_words[] = { 5, 6 };

unsigned long tap_bench_function(unsigned long a, unsigned long b,
				 unsigned long c, unsigned long d);

noinline unsigned long tap_bench_function(unsigned long a, unsigned long b,
					  unsigned long c, unsigned long d)
{
	barrier();
	return a + b + c + d;
}

#ifdef CONFIG_X86
#define BENCH_RET	ASM_RET
#define BENCH_NOP	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#else
#define BENCH_RET	"ret\n"
#define BENCH_NOP	"nop\n"
#endif

/*
 * Begins with an instruction of 5 bytes on x86, which the kernel may replace by a jump
 * instead of a breakpoint (optimized kprobe).
 */
void tap_bench_inside(unsigned long a, unsigned long b, unsigned long c,
		      unsigned long d);
asm(".text\n"
    ".balign 16\n"
    ".globl tap_bench_inside\n"
    ".type tap_bench_inside, @function\n"
    "tap_bench_inside:\n"
    BENCH_NOP
    BENCH_RET
    ".size tap_bench_inside, .-tap_bench_inside\n"
    /*
     * Never called: places for probes that must exist and not fire. At each place the kernel decodes
     * all from the symbol before it to the one behind, so there are some symbols.
     */
    ".balign 16\n"
    ".globl tap_bench_places\n"
    ".type tap_bench_places, @function\n"
    "tap_bench_places:\n"
    ".macro tap_bench_row\n"
    "tap_bench_row_\\@:\n" /* numbered by the assembler */
    "	.rept " __stringify(TAP_BENCH_ROW) "\n"
    BENCH_NOP
    "	.balign 8\n"
    "	.endr\n"
    ".endm\n"
    ".rept " __stringify(TAP_BENCH_ROWS) "\n"
    "	tap_bench_row\n"
    ".endr\n"
    BENCH_RET
    ".size tap_bench_places, .-tap_bench_places\n");

/* The hot path without the probe's counters: reserve, fill, commit. */
static __always_inline void bench_record(void)
{
	struct tap_ring_writer *w = &bench_ring;
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;

	if (!tap_ring_reserve_fast(w, head, TAP_SLOT_SIZE, true, &resv))
		return;
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, &bench_probe, resv.time, tap_context(0));
	rec->value[0] = resv.pos;
	rec->value[1] = resv.pos;
	rec->value[2] = resv.pos;
	rec->value[3] = resv.pos;
	tap_ring_commit(rec, resv.pos);
}

/*
 * The events that divide the time of tasks occur by a call of what a tracepoint calls, as the kernel
 * exports none of these tracepoints. That has no prototype here: before 5.18 sched_switch ignores
 * its last argument.
 */
#define BENCH_SWITCH_PARAMS						\
	(void *data, bool preempt, struct task_struct *prev,		\
	 struct task_struct *next, unsigned int prev_state)

static void bench_no_switch TAP_SCHED_SWITCH_PARAMS { }
static void bench_no_task TAP_SCHED_TASK_PARAMS { }
static void bench_no_irq_entry TAP_IRQ_ENTRY_PARAMS { }
static void bench_no_irq_exit TAP_IRQ_EXIT_PARAMS { }
static void bench_no_vector TAP_VECTOR_PARAMS { }
static void bench_no_softirq TAP_SOFTIRQ_PARAMS { }
static void bench_no_lock TAP_CONTENTION_BEGIN_PARAMS { }
static void bench_no_unlock TAP_CONTENTION_END_PARAMS { }

/* By enum tap_bench_hook. The kernel has no event of that name if @tp is NULL. */
static struct {
	const char *name;
	void *empty;
	struct tracepoint *tp;
} bench_hooks[TAP_BENCH_NR_HOOKS] = {
	[TAP_BENCH_SWITCH] = { "sched_switch", bench_no_switch },
	[TAP_BENCH_WAKING] = { "sched_waking", bench_no_task },
	[TAP_BENCH_WAKEUP] = { "sched_wakeup", bench_no_task },
	[TAP_BENCH_IRQ_ENTRY] = { "irq_handler_entry", bench_no_irq_entry },
	[TAP_BENCH_IRQ_EXIT] = { "irq_handler_exit", bench_no_irq_exit },
	[TAP_BENCH_TIMER_ENTRY] = { "local_timer_entry", bench_no_vector },
	[TAP_BENCH_TIMER_EXIT] = { "local_timer_exit", bench_no_vector },
	[TAP_BENCH_SOFTIRQ_ENTRY] = { "softirq_entry", bench_no_softirq },
	[TAP_BENCH_SOFTIRQ_EXIT] = { "softirq_exit", bench_no_softirq },
	[TAP_BENCH_LOCK] = { "contention_begin", bench_no_lock },
	[TAP_BENCH_UNLOCK] = { "contention_end", bench_no_unlock },
};

static void bench_find(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < TAP_BENCH_NR_HOOKS; i++)
		if (!strcmp(tp->name, bench_hooks[i].name))
			bench_hooks[i].tp = tp;
}

#define BENCH_FIRE(params, hook, ...)	\
	((void (*)params)bench_hooks[hook].tp->iterator)(NULL, __VA_ARGS__)

/* Events of this task, and of init_task, which no session follows. */
static __always_inline void bench_fire(enum tap_bench_hook hook)
{
	switch (hook) {
	case TAP_BENCH_SWITCH:
		BENCH_FIRE(BENCH_SWITCH_PARAMS, hook, false, current, &init_task, 0);
		break;
	case TAP_BENCH_WAKING:
	case TAP_BENCH_WAKEUP:
		BENCH_FIRE(TAP_SCHED_TASK_PARAMS, hook, &init_task);
		break;
	case TAP_BENCH_IRQ_ENTRY:
		BENCH_FIRE(TAP_IRQ_ENTRY_PARAMS, hook, 1, NULL);
		break;
	case TAP_BENCH_IRQ_EXIT:
		BENCH_FIRE(TAP_IRQ_EXIT_PARAMS, hook, 1, NULL, 0);
		break;
	case TAP_BENCH_TIMER_ENTRY:
	case TAP_BENCH_TIMER_EXIT:
		BENCH_FIRE(TAP_VECTOR_PARAMS, hook, 0);
		break;
	case TAP_BENCH_SOFTIRQ_ENTRY:
	case TAP_BENCH_SOFTIRQ_EXIT:
		BENCH_FIRE(TAP_SOFTIRQ_PARAMS, hook, 1);
		break;
	case TAP_BENCH_LOCK:
		BENCH_FIRE(TAP_CONTENTION_BEGIN_PARAMS, hook, &bench_hooks, 0);
		break;
	case TAP_BENCH_UNLOCK:
		BENCH_FIRE(TAP_CONTENTION_END_PARAMS, hook, &bench_hooks, 0);
		break;
	default:
		bench_fire(TAP_BENCH_TIMER_ENTRY);
		bench_fire(TAP_BENCH_SOFTIRQ_ENTRY);
		bench_fire(TAP_BENCH_SOFTIRQ_EXIT);
		bench_fire(TAP_BENCH_TIMER_EXIT);
		bench_fire(TAP_BENCH_SWITCH);
	}
}

void tap_bench_wait(void);
u64 tap_bench_waits(void);

/* The events of a sleep of this task, which is not switched out. Interrupts are off. */
noinline void tap_bench_wait(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	BENCH_FIRE(BENCH_SWITCH_PARAMS, TAP_BENCH_SWITCH, false, current, &init_task, 0);
	__set_current_state(TASK_RUNNING);
	BENCH_FIRE(TAP_SCHED_TASK_PARAMS, TAP_BENCH_WAKING, current);
	BENCH_FIRE(BENCH_SWITCH_PARAMS, TAP_BENCH_SWITCH, false, &init_task, current, 0);
}

/* The last key of TAP_BENCH_BEGINS. */
static unsigned long bench_key;

static __always_inline void bench_turn(u64 loop)
{
	switch (loop) {
	case TAP_BENCH_CALL:
		tap_bench_function((unsigned long)bench_words, 2, 3, 4);
		break;
	case TAP_BENCH_TRACEPOINT:
		trace_tap_bench(1, 2, 3, 4);
		break;
	case TAP_BENCH_EMIT:
		tap_emit_bench(1, 2, 3, 4);
		break;
	case TAP_BENCH_BEGINS:
		trace_tap_bench(1, ++bench_key, 3, 4);
		break;
	case TAP_BENCH_PAIR:
		trace_tap_bench(1, 2, 3, 4);
		trace_tap_bench_end(1, 2, 3, 4);
		break;
	case TAP_BENCH_RECORD:
		bench_record();
		break;
	case TAP_BENCH_INSIDE:
		tap_bench_inside(1, 2, 3, 4);
		break;
	case TAP_BENCH_WAIT:
		tap_bench_wait();
		break;
	case TAP_BENCH_HOOKS ... TAP_BENCH_HOOKS + TAP_BENCH_TICK:
		bench_fire(loop - TAP_BENCH_HOOKS);
		break;
	default:
		barrier();
	}
}

static __always_inline u64 bench_loop(u64 loop)
{
	unsigned long flags;
	unsigned int i;
	u64 begin;

	bench_tail.tail = bench_ring.head->head;
	bench_ring.limit = bench_tail.tail + bench_ring.mask + 1;
	local_irq_save(flags);
	begin = tap_clock_counter();
	for (i = 0; i < TAP_BENCH_LOOPS; i++)
		bench_turn(loop);
	begin = tap_clock_counter() - begin;
	local_irq_restore(flags);
	return begin;
}

/*
 * With further = 2: the system call has four frames, this function three (the loop is
 * inlined), and tap_bench_function() one: TAP_BENCH_FRAMES.
 */
static noinline u64 bench_deep(unsigned int further)
{
	u64 ticks = further ? bench_deep(further - 1) :
			      bench_loop(TAP_BENCH_CALL);

	barrier();
	return ticks;
}

noinline u64 tap_bench_waits(void)
{
	return bench_loop(TAP_BENCH_WAIT);
}

static int bench_empty(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(bench_empty);

static struct kprobe bench_kprobe = {
	.symbol_name	= "tap_bench_function",
	.pre_handler	= bench_empty,
};

/* The cost of a kprobe in the kernel alone: its handler does nothing. */
static notrace int bench_loop_empty(u64 *ticks)
{
	int ret;

	/* register_kprobe() needs these as they were before the first registration. */
	bench_kprobe.addr = NULL;
	bench_kprobe.flags = 0;
	ret = register_kprobe(&bench_kprobe);
	if (ret)
		return ret;
	*ticks = bench_loop(TAP_BENCH_CALL);
	unregister_kprobe(&bench_kprobe);
	return 0;
}

static int bench_empty_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(bench_empty_return);

/* With a handler at the entry, as kretprobes of tapmod have one. */
static struct kretprobe bench_kretprobe = {
	.entry_handler	= bench_empty_return,
	.handler	= bench_empty_return,
	.maxactive	= 16,
};

/* The cost of a kretprobe in the kernel alone. */
static notrace int bench_loop_empty_return(u64 *ticks)
{
	int ret;

	/* As for register_kprobe(). */
	memset(&bench_kretprobe.kp, 0, sizeof(bench_kretprobe.kp));
	bench_kretprobe.kp.symbol_name = "tap_bench_function";
	ret = register_kretprobe(&bench_kretprobe);
	if (ret)
		return ret;
	*ticks = bench_loop(TAP_BENCH_CALL);
	unregister_kretprobe(&bench_kretprobe);
	return 0;
}

static notrace void bench_empty_event(void *data, unsigned long a, unsigned long b,
				      unsigned long c, unsigned long d)
{
	tap_tracepoint_enter();
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(bench_empty_event);

/* The cost of a tracepoint in the kernel alone: since 7.0 it leaves preemption to the handler. */
static notrace int bench_loop_empty_event(u64 *ticks)
{
	int ret = register_trace_tap_bench(bench_empty_event, NULL);

	if (ret)
		return ret;
	*ticks = bench_loop(TAP_BENCH_TRACEPOINT);
	unregister_trace_tap_bench(bench_empty_event, NULL);
	tracepoint_synchronize_unregister();
	return 0;
}

/* Whether the kernel has the events of TAP_BENCH_HOOKS + @hook. */
static bool bench_has(unsigned int hook)
{
	unsigned int i;

	for (i = 0; i < TAP_BENCH_NR_HOOKS; i++)
		if ((hook == TAP_BENCH_TICK || hook == i) && !bench_hooks[i].tp)
			return false;
	return true;
}

/* The loops of TAP_BENCH_HOOKS; each has its own code, without a switch. */
static noinline u64 bench_loop_hooks(unsigned int hook)
{
	switch (hook) {
#define BENCH_HOOK(hook) case hook: return bench_loop(TAP_BENCH_HOOKS + (hook))
	BENCH_HOOK(TAP_BENCH_SWITCH);
	BENCH_HOOK(TAP_BENCH_WAKING);
	BENCH_HOOK(TAP_BENCH_WAKEUP);
	BENCH_HOOK(TAP_BENCH_IRQ_ENTRY);
	BENCH_HOOK(TAP_BENCH_IRQ_EXIT);
	BENCH_HOOK(TAP_BENCH_TIMER_ENTRY);
	BENCH_HOOK(TAP_BENCH_TIMER_EXIT);
	BENCH_HOOK(TAP_BENCH_SOFTIRQ_ENTRY);
	BENCH_HOOK(TAP_BENCH_SOFTIRQ_EXIT);
	BENCH_HOOK(TAP_BENCH_LOCK);
	BENCH_HOOK(TAP_BENCH_UNLOCK);
	default: return bench_loop(TAP_BENCH_HOOKS + TAP_BENCH_TICK);
	}
}

/* The same, with handlers that do nothing. */
static int bench_loop_empty_hooks(unsigned int hook, u64 *ticks)
{
	unsigned int i, set = 0;
	int ret = 0;

	for (i = 0; i < TAP_BENCH_NR_HOOKS && !ret; i++) {
		if (hook != TAP_BENCH_TICK && hook != i)
			continue;
		ret = tracepoint_probe_register(bench_hooks[i].tp, bench_hooks[i].empty, NULL);
		if (!ret)
			set |= BIT(i);
	}
	if (!ret)
		*ticks = bench_loop_hooks(hook);
	for (i = 0; i < TAP_BENCH_NR_HOOKS; i++)
		if (set & BIT(i))
			tracepoint_probe_unregister(bench_hooks[i].tp, bench_hooks[i].empty, NULL);
	tracepoint_synchronize_unregister();
	return ret;
}

static int bench_uprobe_entry TAP_UPROBE_PARAMS
{
	return 0;
}
NOKPROBE_SYMBOL(bench_uprobe_entry);

static int bench_uprobe_return TAP_URETPROBE_PARAMS
{
	return 0;
}
NOKPROBE_SYMBOL(bench_uprobe_return);

static struct uprobe_consumer bench_consumer;
static struct uprobe *bench_uprobe;

/* The caller keeps the program open, and sets one uprobe at a time. */
static int bench_set_uprobe(const struct tap_bench_uprobe *set)
{
	struct file *file = fget(set->file);
	struct inode *inode;

	if (!file)
		return -EBADF;
	inode = d_real_inode(file->f_path.dentry);
	if (!set->handlers) {
		tap_uprobe_unregister(bench_uprobe, inode, set->offset,
				      &bench_consumer);
		uprobe_unregister_sync();
		fput(file);
		return 0;
	}
	bench_consumer.handler = set->handlers & TAP_BENCH_ENTRY ?
				 bench_uprobe_entry : NULL;
	bench_consumer.ret_handler = set->handlers & TAP_BENCH_RETURN ?
				     bench_uprobe_return : NULL;
	bench_uprobe = tap_uprobe_register(inode, set->offset, 0, &bench_consumer);
	fput(file);
	return PTR_ERR_OR_ZERO(bench_uprobe);
}

static notrace long tap_bench_ioctl(struct file *file, unsigned int cmd,
				    unsigned long arg)
{
	struct tap_bench_run __user *user = (void __user *)arg;
	struct tap_bench_uprobe uprobe;
	struct tap_bench_run run;
	int ret;

	if (cmd == TAP_BENCH_UPROBE)
		return copy_from_user(&uprobe, user, sizeof(uprobe)) ?
		       -EFAULT : bench_set_uprobe(&uprobe);
	if (cmd != TAP_BENCH_RUN)
		return -ENOTTY;
	if (copy_from_user(&run, user, sizeof(run)))
		return -EFAULT;
	/* bench_loop() is inlined for each constant, so its loop has no switch. */
	switch (run.loop) {
	case TAP_BENCH_CALL:
		run.out_ticks = bench_loop(TAP_BENCH_CALL);
		break;
	case TAP_BENCH_TRACEPOINT:
		run.out_ticks = bench_loop(TAP_BENCH_TRACEPOINT);
		break;
	case TAP_BENCH_NOTHING:
		run.out_ticks = bench_loop(TAP_BENCH_NOTHING);
		break;
	case TAP_BENCH_RECORD:
		run.out_ticks = bench_loop(TAP_BENCH_RECORD);
		break;
	case TAP_BENCH_INSIDE:
		run.out_ticks = bench_loop(TAP_BENCH_INSIDE);
		break;
	case TAP_BENCH_EMIT:
		run.out_ticks = bench_loop(TAP_BENCH_EMIT);
		break;
	case TAP_BENCH_BEGINS:
		run.out_ticks = bench_loop(TAP_BENCH_BEGINS);
		break;
	case TAP_BENCH_PAIR:
		run.out_ticks = bench_loop(TAP_BENCH_PAIR);
		break;
	case TAP_BENCH_DEEP:
		run.out_ticks = bench_deep(2);
		break;
	case TAP_BENCH_EMPTY:
		ret = bench_loop_empty(&run.out_ticks);
		if (ret)
			return ret;
		break;
	case TAP_BENCH_EMPTY_EVENT:
		ret = bench_loop_empty_event(&run.out_ticks);
		if (ret)
			return ret;
		break;
	case TAP_BENCH_EMPTY_RETURN:
		ret = bench_loop_empty_return(&run.out_ticks);
		if (ret)
			return ret;
		break;
	case TAP_BENCH_WAIT:
	case TAP_BENCH_WAITS:
		if (!bench_has(TAP_BENCH_SWITCH) || !bench_has(TAP_BENCH_WAKING))
			return -EOPNOTSUPP;
		run.out_ticks = run.loop == TAP_BENCH_WAIT ? bench_loop(TAP_BENCH_WAIT) :
							     tap_bench_waits();
		break;
	case TAP_BENCH_HOOKS ... TAP_BENCH_HOOKS + TAP_BENCH_TICK:
		if (!bench_has(run.loop - TAP_BENCH_HOOKS))
			return -EOPNOTSUPP;
		run.out_ticks = bench_loop_hooks(run.loop - TAP_BENCH_HOOKS);
		break;
	case TAP_BENCH_EMPTY_HOOKS ... TAP_BENCH_EMPTY_HOOKS + TAP_BENCH_TICK:
		if (!bench_has(run.loop - TAP_BENCH_EMPTY_HOOKS))
			return -EOPNOTSUPP;
		ret = bench_loop_empty_hooks(run.loop - TAP_BENCH_EMPTY_HOOKS, &run.out_ticks);
		if (ret)
			return ret;
		break;
	default:
		return -EINVAL;
	}
	return copy_to_user(user, &run, sizeof(run)) ? -EFAULT : 0;
}

static const struct file_operations tap_bench_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= tap_bench_ioctl,
};

static struct miscdevice tap_bench_miscdev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "tap_bench",
	.mode	= 0600,
	.fops	= &tap_bench_fops,
};

static int __init tap_bench_init(void)
{
	void *page = kzalloc(PAGE_SIZE + TAP_BENCH_SLOTS * TAP_SLOT_SIZE,
			     GFP_KERNEL);
	int ret;

	if (!page)
		return -ENOMEM;
	for_each_kernel_tracepoint(bench_find, NULL);
	bench_ring.head = page;
	bench_ring.tail = &bench_tail;
	bench_ring.mask = TAP_BENCH_SLOTS * TAP_SLOT_SIZE - 1;
	ret = misc_register(&tap_bench_miscdev);
	if (ret)
		kfree(page);
	return ret;
}

static void __exit tap_bench_exit(void)
{
	misc_deregister(&tap_bench_miscdev);
	kfree(bench_ring.head);
}

module_init(tap_bench_init);
module_exit(tap_bench_exit);
MODULE_DESCRIPTION("Loops to measure tapmod with");
MODULE_LICENSE("GPL");
