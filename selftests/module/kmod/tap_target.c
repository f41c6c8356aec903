// SPDX-License-Identifier: GPL-2.0
/*
 * Functions and tracepoints for the tests to probe, see tap_target.h. The functions are
 * compiled as those of any driver, but neither inlined nor cloned.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#define CREATE_TRACE_POINTS
#include "tap_target_trace.h"

#include "tap_target.h"

/* For tests that make up dentries: the place of d_parent, which d_name follows. */
static unsigned int dentry_parent = offsetof(struct dentry, d_parent);
module_param(dentry_parent, uint, 0444);

#ifdef CONFIG_CC_IS_CLANG
/* clang leaves out arguments that the definition does not use, but not if it may be replaced. */
#define TAP_TARGET_FUNCTION	noinline __weak
#else
#define TAP_TARGET_FUNCTION	noinline __noclone
#endif

/* Storms that one file may have. */
#define TAP_TARGET_MAX_STORMS	16

/* Not static: the tests probe them by name. No header declares them. */
unsigned long tap_target_add(unsigned long a, unsigned long b);
unsigned long tap_target_six(unsigned long a, unsigned long b, unsigned long c,
			     unsigned long d, unsigned long e, unsigned long f);
long tap_target_fail(unsigned long i);
const void *tap_target_pointer(const void *p);
unsigned long tap_target_recurse(unsigned long depth);
unsigned long tap_target_sleep(unsigned int ms);
int tap_target_migrate(unsigned int cpu);
int tap_target_block(unsigned int generation);
void tap_target_irq(unsigned long i);
unsigned long tap_target_values(unsigned long a, unsigned long b,
				unsigned long c, unsigned long d,
				unsigned long e, unsigned long f);
int tap_target_typed(struct tap_target_object *object, const char *text,
		     enum tap_target_color color, bool yes, s16 small,
		     void __user *user);
unsigned long tap_target_store(struct tap_target_inner *inner, const char *const *texts,
			       unsigned long i);
unsigned long tap_target_inner(void);
unsigned long tap_target_middle(void);
unsigned long tap_target_outer(void);
unsigned long tap_target_push(unsigned long a);
unsigned long tap_target_loop(unsigned long turns);

/* A thread that calls tap_target_add() or fires the tracepoint until it is stopped. */
struct tap_storm {
	struct task_struct *task;
	unsigned long calls;
	unsigned int cpu;
	bool event;
};

struct tap_target {
	struct mutex lock;
	unsigned int nr_storms;
	struct tap_storm storms[TAP_TARGET_MAX_STORMS];
};

static struct tap_target_inner target_inner[] = {
	{ &target_inner[1], TAP_TARGET_NUMBER(0), "inner0" },
	{ &target_inner[2], TAP_TARGET_NUMBER(1), "inner1" },
	{ NULL, TAP_TARGET_NUMBER(2), "inner2" },
};

/* 7000 and the number of the CPU. */
static DEFINE_PER_CPU(u32, target_cpu);

static struct tap_target_object target_object = {
	.u8 = TAP_TARGET_U8,
	.s8 = TAP_TARGET_S8,
	.u16 = TAP_TARGET_U16,
	.s16 = TAP_TARGET_S16,
	.u32 = TAP_TARGET_U32,
	.s32 = TAP_TARGET_S32,
	.u64 = TAP_TARGET_U64,
	.s64 = TAP_TARGET_S64,
	.yes = true,
	.low = TAP_TARGET_LOW,
	.mid = TAP_TARGET_MID,
	.negative = TAP_TARGET_NEGATIVE,
	.color = TAP_TARGET_BLUE,
	.whole = TAP_TARGET_U64,
	.array = { TAP_TARGET_ELEMENT(0), TAP_TARGET_ELEMENT(1),
		   TAP_TARGET_ELEMENT(2), TAP_TARGET_ELEMENT(3) },
	.text = TAP_TARGET_TEXT,
	.string = TAP_TARGET_STRING,
	.inner = target_inner,
	.embedded = { target_inner, TAP_TARGET_NUMBER(9), "within" },
	.wild = (void *)TAP_TARGET_WILD,
	.function = tap_target_fail,
	.objects = {
		{ NULL, TAP_TARGET_NUMBER(0), "zero" },
		{ &target_inner[1], TAP_TARGET_NUMBER(1), "one" },
	},
};

/* Watched by name. */
extern struct tap_target_watched tap_target_watched;
struct tap_target_watched tap_target_watched;
static DEFINE_SPINLOCK(target_watched_lock);

/* TAP_TARGET_AREA bytes; vmalloc() leaves the page behind them unmapped. */
static void *target_area;

/* The stack that the last tap_target_inner() saved. */
static unsigned long target_stack[TAP_TARGET_FRAMES];
static unsigned int target_frames;

static DECLARE_WAIT_QUEUE_HEAD(target_released);
static unsigned int target_generation;
static atomic_t target_blocked;

TAP_TARGET_FUNCTION unsigned long tap_target_add(unsigned long a, unsigned long b)
{
	barrier();
	return a + b;
}

TAP_TARGET_FUNCTION unsigned long
tap_target_six(unsigned long a, unsigned long b, unsigned long c,
	       unsigned long d, unsigned long e, unsigned long f)
{
	barrier();
	return a + b + c + d + e + f;
}

TAP_TARGET_FUNCTION long tap_target_fail(unsigned long i)
{
	barrier();
	return TAP_TARGET_ERROR;
}

TAP_TARGET_FUNCTION unsigned long
tap_target_store(struct tap_target_inner *inner, const char *const *texts, unsigned long i)
{
	*inner = target_inner[(i + 1) % ARRAY_SIZE(target_inner)];
	barrier();
	return i;
}

TAP_TARGET_FUNCTION const void *tap_target_pointer(const void *p)
{
	barrier();
	return p;
}

TAP_TARGET_FUNCTION unsigned long tap_target_recurse(unsigned long depth)
{
	unsigned long below;

	if (!depth)
		return 0;
	below = tap_target_recurse(depth - 1);
	/* Keeps the compiler from turning the recursion into a loop. */
	barrier();
	return below + 1;
}

TAP_TARGET_FUNCTION unsigned long tap_target_sleep(unsigned int ms)
{
	unsigned long before = current->nvcsw + current->nivcsw;

	/*
	 * usleep_range() uses hrtimers: msleep() is too short if timer ticks are delayed.
	 * Repeat if the time was over before the task slept, as on a busy host.
	 */
	do {
		usleep_range(ms * 1000, ms * 1000 + 500);
	} while (before == current->nvcsw + current->nivcsw);
	return ms;
}

TAP_TARGET_FUNCTION unsigned long tap_target_loop(unsigned long turns)
{
	unsigned long i;

	for (i = 0; i < turns; i++)
		barrier();
	return i;
}

TAP_TARGET_FUNCTION int tap_target_migrate(unsigned int cpu)
{
	return set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

TAP_TARGET_FUNCTION int tap_target_block(unsigned int generation)
{
	int ret;

	atomic_inc(&target_blocked);
	ret = wait_event_killable(target_released,
				  READ_ONCE(target_generation) != generation);
	atomic_dec(&target_blocked);
	return ret;
}

TAP_TARGET_FUNCTION void tap_target_irq(unsigned long i)
{
	barrier();
}

TAP_TARGET_FUNCTION unsigned long
tap_target_values(unsigned long a, unsigned long b, unsigned long c,
		  unsigned long d, unsigned long e, unsigned long f)
{
	barrier();
	return f;
}

TAP_TARGET_FUNCTION int
tap_target_typed(struct tap_target_object *object, const char *text,
		 enum tap_target_color color, bool yes, s16 small,
		 void __user *user)
{
	barrier();
	return object->color;
}

TAP_TARGET_FUNCTION unsigned long tap_target_inner(void)
{
	target_frames = stack_trace_save(target_stack, TAP_TARGET_FRAMES, 0);
	trace_tap_target_event(0, 0, 0, 0, 0, 0);
	return target_frames;
}

TAP_TARGET_FUNCTION unsigned long tap_target_middle(void)
{
	unsigned long ret = tap_target_inner();

	/* Keeps the call from becoming a tail call, here and below. */
	barrier();
	return ret + 1;
}

TAP_TARGET_FUNCTION unsigned long tap_target_outer(void)
{
	unsigned long ret = tap_target_middle();

	barrier();
	return ret + 1;
}

#ifdef CONFIG_X86_64
/* push and pop, of one byte each, move the stack pointer: unwinding differs by place. */
asm(".pushsection .text\n"
    ".globl tap_target_push\n"
    ".type tap_target_push, @function\n"
    "tap_target_push:\n"
    "	push %rbx\n"
    "	mov %rdi, %rbx\n"
    "	mov %rbx, %rax\n"
    "	pop %rbx\n"
    ASM_RET
    ".size tap_target_push, . - tap_target_push\n"
    ".popsection\n");
#else
unsigned long tap_target_push(unsigned long a)
{
	return a;
}
#endif

/* Enters tap_target_migrate() on another CPU than @to, and returns on @to. */
static int target_migrate(unsigned int to)
{
	unsigned int from;
	int ret;

	if (to >= nr_cpu_ids || !cpu_online(to))
		return -EINVAL;
	from = cpumask_any_but(cpu_online_mask, to);
	if (from < nr_cpu_ids) {
		ret = set_cpus_allowed_ptr(current, cpumask_of(from));
		if (ret)
			return ret;
	}
	ret = tap_target_migrate(to);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	return ret;
}

struct tap_target_work {
	struct irq_work irq;
	struct tasklet_struct soft;
	u32 function;
	unsigned long i;
};

static void target_chain(u64 left_out)
{
	if (!left_out)
		tap_target_outer();
	else if (left_out == 1)
		tap_target_middle();
	else
		tap_target_inner();
}

static void target_interrupted(const struct tap_target_work *work)
{
	if (work->function == TAP_TARGET_CHAIN)
		target_chain(work->i);
	else
		tap_target_irq(work->i);
}

static void target_hardirq(struct irq_work *irq)
{
	target_interrupted(container_of(irq, struct tap_target_work, irq));
}

static void target_softirq(struct tasklet_struct *soft)
{
	target_interrupted(container_of(soft, struct tap_target_work, soft));
}

static void target_interrupt(bool hard, u32 function, unsigned long i)
{
	struct tap_target_work work = { .function = function, .i = i };

	tap_irq_work_init_hard(&work.irq, target_hardirq);
	tasklet_setup(&work.soft, target_softirq);
	if (hard) {
		irq_work_queue(&work.irq);
		irq_work_sync(&work.irq);
	} else {
		tasklet_schedule(&work.soft);
		/* Waits until the tasklet has run. */
		tasklet_kill(&work.soft);
	}
}

static u64 target_write(void)
{
	struct tap_target_watched *w = &tap_target_watched;
	u64 value;

	spin_lock(&target_watched_lock);
	WRITE_ONCE(w->u64, w->u64 + 1);
	WRITE_ONCE(w->u32, w->u32 + 1);
	WRITE_ONCE(w->u16, w->u16 + 1);
	WRITE_ONCE(w->u8, w->u8 + 1);
	value = w->u64;
	spin_unlock(&target_watched_lock);
	return value;
}

/* The tracepoint's arguments on the stack come to lie at any place of a page. */
static noinline void target_wide(u64 i)
{
	void *deeper = __builtin_alloca(i % 256 * 16 + 16);

	barrier_data(deeper);
	trace_tap_target_wide(i, TAP_TARGET_ARG(1), TAP_TARGET_ARG(2), TAP_TARGET_ARG(3),
			      TAP_TARGET_ARG(4), TAP_TARGET_ARG(5), TAP_TARGET_ARG(6),
			      TAP_TARGET_ARG(7), TAP_TARGET_ARG(8), TAP_TARGET_ARG(9),
			      TAP_TARGET_ARG(10), TAP_TARGET_ARG(11));
}

static u64 target_store(u64 i)
{
	static const char *const texts[] = { "one", "", "three", NULL };
	struct tap_target_inner inner = { };

	/* The compiler knows that the function overwrites it. */
	barrier_data(&inner);
	return tap_target_store(&inner, texts, i);
}

static u64 target_turn(const struct tap_target_run *run, u64 i)
{
	switch (run->function) {
	case TAP_TARGET_ADD:
		return tap_target_add(i, TAP_TARGET_ADDEND);
	case TAP_TARGET_SIX:
		return tap_target_six(TAP_TARGET_ARG(0), TAP_TARGET_ARG(1),
				      TAP_TARGET_ARG(2), TAP_TARGET_ARG(3),
				      TAP_TARGET_ARG(4), TAP_TARGET_ARG(5));
	case TAP_TARGET_FAIL:
		return tap_target_fail(i);
	case TAP_TARGET_POINTER:
		return (unsigned long)tap_target_pointer(&target_released);
	case TAP_TARGET_VALUES:
		return tap_target_values(run->arg[0], run->arg[1], run->arg[2],
					 run->arg[3], run->arg[4], run->arg[5]);
	case TAP_TARGET_PASS:
		trace_tap_target_event(run->arg[0], run->arg[1], run->arg[2],
				       run->arg[3], run->arg[4], run->arg[5]);
		return 0;
	case TAP_TARGET_TYPED:
		return tap_target_typed(&target_object, target_object.text,
					TAP_TARGET_BLUE, true, -2,
					u64_to_user_ptr(run->arg[0]));
	case TAP_TARGET_FIELDS:
		trace_tap_target_fields(&target_object);
		return 0;
	case TAP_TARGET_HARDIRQ:
	case TAP_TARGET_SOFTIRQ:
		target_interrupt(run->function == TAP_TARGET_HARDIRQ,
				 run->function, i);
		return 0;
	case TAP_TARGET_CHAIN:
		if (run->arg[0] == TAP_TARGET_IN_TASK)
			target_chain(run->arg[1]);
		else
			target_interrupt(run->arg[0] == TAP_TARGET_IN_HARDIRQ,
					 run->function, run->arg[1]);
		return 0;
	case TAP_TARGET_PUSH:
		return tap_target_push(1);
	case TAP_TARGET_WRITE:
		return target_write();
	case TAP_TARGET_READ:
		return READ_ONCE(tap_target_watched.u64);
	case TAP_TARGET_WIDE:
		target_wide(i);
		return 0;
	case TAP_TARGET_STORE:
		return target_store(i);
	default:
		trace_tap_target_event(i, TAP_TARGET_ARG(1), TAP_TARGET_ARG(2),
				       TAP_TARGET_ARG(3), TAP_TARGET_ARG(4),
				       TAP_TARGET_ARG(5));
		return 0;
	}
}

static int target_call(struct tap_target_run *run)
{
	u64 i;

	switch (run->function) {
	case TAP_TARGET_RECURSE:
		if (run->count > TAP_TARGET_MAX_DEPTH)
			return -EINVAL;
		run->out_result = tap_target_recurse(run->count);
		return 0;
	case TAP_TARGET_SLEEP:
		run->out_result = tap_target_sleep(run->count);
		return 0;
	case TAP_TARGET_LOOP:
		run->out_result = tap_target_loop(run->count);
		return 0;
	case TAP_TARGET_MIGRATE:
		run->out_result = 0;
		return target_migrate(run->cpu);
	case TAP_TARGET_BLOCK:
		run->out_result = 0;
		return tap_target_block(READ_ONCE(target_generation));
	case TAP_TARGET_HARDIRQ:
	case TAP_TARGET_SOFTIRQ:
	case TAP_TARGET_CHAIN:
	case TAP_TARGET_PUSH:
	case TAP_TARGET_WRITE:
	case TAP_TARGET_READ:
	case TAP_TARGET_ADD:
	case TAP_TARGET_SIX:
	case TAP_TARGET_FAIL:
	case TAP_TARGET_POINTER:
	case TAP_TARGET_EVENT:
	case TAP_TARGET_VALUES:
	case TAP_TARGET_PASS:
	case TAP_TARGET_TYPED:
	case TAP_TARGET_FIELDS:
	case TAP_TARGET_WIDE:
	case TAP_TARGET_STORE:
		for (i = 0; i < run->count; i++) {
			run->out_result = target_turn(run, i);
			if (!(i % 1024)) {
				cond_resched_tasks_rcu_qs();
				if (fatal_signal_pending(current))
					return -EINTR;
			}
		}
		return 0;
	default:
		return -EINVAL;
	}
}

static int target_storm(void *data)
{
	struct tap_storm *storm = data;

	while (!kthread_should_stop()) {
		if (storm->event)
			trace_tap_target_event(storm->calls++, storm->cpu,
					       0, 0, 0, 0);
		else
			tap_target_add(storm->calls++, storm->cpu);
		/* Lets synchronize_rcu_tasks() end, which frees trampolines. */
		if (!(storm->calls % 256))
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static int target_start(struct tap_target *target, unsigned int cpu, bool event)
{
	struct tap_storm *storm;

	if (target->nr_storms == TAP_TARGET_MAX_STORMS || cpu >= nr_cpu_ids ||
	    !cpu_online(cpu))
		return -EINVAL;
	storm = &target->storms[target->nr_storms];
	storm->calls = 0;
	storm->cpu = cpu;
	storm->event = event;
	storm->task = kthread_create(target_storm, storm, "tap_storm/%u", cpu);
	if (IS_ERR(storm->task))
		return PTR_ERR(storm->task);
	kthread_bind(storm->task, cpu);
	/* kthread_stop() needs the task even if it has never run. */
	get_task_struct(storm->task);
	wake_up_process(storm->task);
	target->nr_storms++;
	return 0;
}

static u64 target_calm(struct tap_target *target)
{
	u64 calls = 0;

	while (target->nr_storms) {
		struct tap_storm *storm = &target->storms[--target->nr_storms];

		kthread_stop(storm->task);
		put_task_struct(storm->task);
		calls += storm->calls;
	}
	return calls;
}

static void target_release_blocked(void)
{
	WRITE_ONCE(target_generation, target_generation + 1);
	wake_up_all(&target_released);
}

static int target_command(struct tap_target *target, unsigned int cmd,
			  struct tap_target_run *run)
{
	int ret = 0;

	/* Without the lock: a call may take long. */
	if (cmd == TAP_TARGET_CALL)
		return target_call(run);

	mutex_lock(&target->lock);
	switch (cmd) {
	case TAP_TARGET_STORM:
		ret = target_start(target, run->cpu,
				   run->function == TAP_TARGET_EVENT);
		break;
	case TAP_TARGET_CALM:
		run->out_result = target_calm(target);
		break;
	case TAP_TARGET_RELEASE:
		target_release_blocked();
		break;
	case TAP_TARGET_BLOCKED:
		run->out_result = atomic_read(&target_blocked);
		break;
	case TAP_TARGET_FILL:
		run->out_result = (unsigned long)target_area;
		if (run->arg[0] && copy_from_user(target_area,
						  u64_to_user_ptr(run->arg[0]),
						  TAP_TARGET_AREA))
			ret = -EFAULT;
		break;
	case TAP_TARGET_STACK:
		run->out_result = target_frames;
		if (copy_to_user(u64_to_user_ptr(run->arg[0]), target_stack,
				 sizeof(target_stack)))
			ret = -EFAULT;
		break;
	default:
		ret = -ENOTTY;
	}
	mutex_unlock(&target->lock);
	return ret;
}

static long target_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct tap_target_run __user *user = (void __user *)arg;
	struct tap_target_run run;
	int ret;

	if (copy_from_user(&run, user, sizeof(run)))
		return -EFAULT;
	ret = target_command(file->private_data, cmd, &run);
	if (ret)
		return ret;
	return copy_to_user(user, &run, sizeof(run)) ? -EFAULT : 0;
}

static int target_open(struct inode *inode, struct file *file)
{
	struct tap_target *target = kzalloc(sizeof(*target), GFP_KERNEL);

	if (!target)
		return -ENOMEM;
	mutex_init(&target->lock);
	file->private_data = target;
	return 0;
}

static int target_close(struct inode *inode, struct file *file)
{
	struct tap_target *target = file->private_data;

	target_calm(target);
	target_release_blocked();
	mutex_destroy(&target->lock);
	kfree(target);
	return 0;
}

static const struct file_operations target_fops = {
	.owner		= THIS_MODULE,
	.open		= target_open,
	.release	= target_close,
	.unlocked_ioctl	= target_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/* 0666: some tests call without any capability. */
static struct miscdevice target_miscdev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "tap_target",
	.mode	= 0666,
	.fops	= &target_fops,
};

static int __init target_init(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu)
		per_cpu(target_cpu, cpu) = 7000 + cpu;
	target_area = vzalloc(TAP_TARGET_AREA);
	if (!target_area)
		return -ENOMEM;
	ret = misc_register(&target_miscdev);
	if (ret)
		vfree(target_area);
	return ret;
}

static void __exit target_exit(void)
{
	misc_deregister(&target_miscdev);
	vfree(target_area);
}

module_init(target_init);
module_exit(target_exit);
MODULE_DESCRIPTION("What the tests of tapmod probe");
MODULE_LICENSE("GPL");
