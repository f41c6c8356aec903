/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints that the module needs for itself. With CONFIG_CFI the kernel calls a
 * handler only by its exact prototype, so their prototypes are compared with those of the
 * kernel's own headers.
 */
#ifndef _TAPMOD_COMPAT_HOOKS_H
#define _TAPMOD_COMPAT_HOOKS_H

#include <linux/interrupt.h>
#include <linux/kconfig.h>
#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/tap_task.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>

/* The kernel calls functions by pointers of their exact type only. */
#define TAP_CFI		(IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI))

#define TAP_SYS_ENTER_PARAMS	(void *data, struct pt_regs *regs, long nr)
#define TAP_SYS_EXIT_PARAMS	(void *data, struct pt_regs *regs, long ret)
#define TAP_PROCESS_EXEC_PARAMS						\
	(void *data, struct task_struct *tsk, pid_t old_pid,		\
	 struct linux_binprm *bprm)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define TAP_PROCESS_EXIT_PARAMS						\
	(void *data, struct task_struct *tsk, bool group_dead)
#else
#define TAP_PROCESS_EXIT_PARAMS	(void *data, struct task_struct *tsk)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define TAP_TASK_NEWTASK_PARAMS						\
	(void *data, struct task_struct *task, u64 clone_flags)
#else
#define TAP_TASK_NEWTASK_PARAMS						\
	(void *data, struct task_struct *task, unsigned long clone_flags)
#endif

/* Whether the kernel calls handlers of tracepoint @name with parameters @params. */
#define TAP_HOOK_FITS(name, params)					\
	__builtin_types_compatible_p(typeof(check_trace_callback_type_##name), \
				     void(void (*)params))

/*
 * Whether the handlers may be registered. Those of the process tracepoints use no
 * parameter but @data; without CFI they run with any prototype.
 */
#define TAP_HOOKS_FIT							\
	(TAP_HOOK_FITS(sys_enter, TAP_SYS_ENTER_PARAMS) &&		\
	 TAP_HOOK_FITS(sys_exit, TAP_SYS_EXIT_PARAMS) &&		\
	 (!TAP_CFI ||							\
	  (TAP_HOOK_FITS(sched_process_exec, TAP_PROCESS_EXEC_PARAMS) &&	\
	   TAP_HOOK_FITS(sched_process_exit, TAP_PROCESS_EXIT_PARAMS))))

/* Whether a handler of new tasks may be registered. Without CFI it runs with both prototypes. */
#define TAP_NEWTASK_FITS						\
	(!TAP_CFI || TAP_HOOK_FITS(task_newtask, TAP_TASK_NEWTASK_PARAMS))

/*
 * The hooks by which the time of tasks is divided. Their handlers use the parameters, so each
 * prototype must fit with and without CFI; else the module has no TAP_FEATURE_DIVISION.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define TAP_SCHED_SWITCH_PARAMS						\
	(void *data, bool preempt, struct task_struct *prev,		\
	 struct task_struct *next, unsigned int prev_state)
#else
#define TAP_SCHED_SWITCH_PARAMS						\
	(void *data, bool preempt, struct task_struct *prev,		\
	 struct task_struct *next)
#endif
#define TAP_SCHED_TASK_PARAMS	(void *data, struct task_struct *task)
#define TAP_IRQ_ENTRY_PARAMS	(void *data, int irq, struct irqaction *action)
#define TAP_IRQ_EXIT_PARAMS	(void *data, int irq, struct irqaction *action, int ret)
#define TAP_SOFTIRQ_PARAMS	(void *data, unsigned int vec_nr)

#define TAP_DIVISION_FITS						\
	(TAP_HOOK_FITS(sched_switch, TAP_SCHED_SWITCH_PARAMS) &&	\
	 TAP_HOOK_FITS(sched_waking, TAP_SCHED_TASK_PARAMS) &&		\
	 TAP_HOOK_FITS(sched_wakeup, TAP_SCHED_TASK_PARAMS) &&		\
	 TAP_HOOK_FITS(irq_handler_entry, TAP_IRQ_ENTRY_PARAMS) &&	\
	 TAP_HOOK_FITS(irq_handler_exit, TAP_IRQ_EXIT_PARAMS) &&	\
	 TAP_HOOK_FITS(softirq_entry, TAP_SOFTIRQ_PARAMS) &&		\
	 TAP_HOOK_FITS(softirq_exit, TAP_SOFTIRQ_PARAMS))

/* Whether the handler by which places of tasks are given back fits. */
#define TAP_TASKS_FIT	TAP_HOOK_FITS(sched_process_free, TAP_SCHED_TASK_PARAMS)

/*
 * Waits for locks: since 5.19. Other kernels have no prototype to compare, and then the kernel has
 * no tracepoint of the name either.
 */
#define TAP_CONTENTION_BEGIN_PARAMS	(void *data, void *lock, unsigned int flags)
#define TAP_CONTENTION_END_PARAMS	(void *data, void *lock, int ret)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
#include <trace/events/lock.h>
#define TAP_CONTENTION_FITS						\
	(TAP_HOOK_FITS(contention_begin, TAP_CONTENTION_BEGIN_PARAMS) &&	\
	 TAP_HOOK_FITS(contention_end, TAP_CONTENTION_END_PARAMS))
#else
#define TAP_CONTENTION_FITS	0
#endif

/*
 * Interrupts that have no handler of a driver: those of the local APIC, and of arm64's processors
 * to each other. Of each name in TAP_VECTORS there are the tracepoints name_entry and name_exit.
 */
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#define TAP_VECTOR_PARAMS	(void *data, int vector)
#define TAP_VECTORS							\
	{ "local_timer", "reschedule", "call_function", "call_function_single",	\
	  "x86_platform_ipi" }
#define TAP_VECTORS_FIT							\
	(TAP_HOOK_FITS(local_timer_entry, TAP_VECTOR_PARAMS) &&		\
	 TAP_HOOK_FITS(reschedule_entry, TAP_VECTOR_PARAMS) &&		\
	 TAP_HOOK_FITS(call_function_entry, TAP_VECTOR_PARAMS))
#else
#include <trace/events/ipi.h>
#define TAP_VECTOR_PARAMS	(void *data, const char *reason)
#define TAP_VECTORS	{ "ipi" }
#define TAP_VECTORS_FIT							\
	(TAP_HOOK_FITS(ipi_entry, TAP_VECTOR_PARAMS) &&			\
	 TAP_HOOK_FITS(ipi_exit, TAP_VECTOR_PARAMS))
#endif

/* State of a task; 0: it can run. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define tap_task_state(task)	READ_ONCE((task)->__state)
#else
#define tap_task_state(task)	((unsigned int)READ_ONCE((task)->state))
#endif

/* It waits for one of the spinlocks of PREEMPT_RT, which sleep. */
#ifdef TASK_RTLOCK_WAIT
#define TAP_TASK_RTLOCK_WAIT	TASK_RTLOCK_WAIT
#else
#define TAP_TASK_RTLOCK_WAIT	0
#endif

/* Bits of an owner that are no part of the address of its task. */
#define TAP_LOCK_OWNER_BITS	7ULL

/* Where a lock of contention_begin, with LCB_F_* flags, has its owner; 0: nowhere. */
static __always_inline u64 tap_lock_owner_at(u64 lock, u32 flags)
{
#ifdef LCB_F_MUTEX
	if (flags & LCB_F_PERCPU)
		return 0;
#ifdef CONFIG_PREEMPT_RT
	/* Semaphores and rwlocks have the rtmutex somewhere inside. */
	if (flags & LCB_F_RT && !(flags & (LCB_F_READ | LCB_F_WRITE)))
		return lock + offsetof(struct rt_mutex_base, owner);
#else
	if (flags & LCB_F_MUTEX)
		return lock + offsetof(struct mutex, owner);
	if (flags & LCB_F_RT)
		return lock + offsetof(struct rt_mutex_base, owner);
	if (!(flags & LCB_F_SPIN) && flags & (LCB_F_READ | LCB_F_WRITE))
		return lock + offsetof(struct rw_semaphore, owner);
#endif
#endif
	return 0;
}

/*
 * enum tap_lock_kind of a lock for which the current task begins to wait. Without flags it is a
 * semaphore or a spinlock: TAP_LOCK_SEMAPHORE. The spinlocks of PREEMPT_RT that sleep have the flag
 * of the rtmutex inside; the state of the task tells, which is set before the event.
 */
static __always_inline u32 tap_lock_kind(u32 flags)
{
#ifdef LCB_F_MUTEX
	bool rwlock = flags & (LCB_F_READ | LCB_F_WRITE);
	bool rtlock = tap_task_state(current) & TAP_TASK_RTLOCK_WAIT;

	if (flags & LCB_F_PERCPU)
		return TAP_LOCK_PERCPU_RWSEM;
	if (flags & LCB_F_MUTEX)
		return TAP_LOCK_MUTEX;
	if (rwlock)
		return flags & LCB_F_SPIN || rtlock ? TAP_LOCK_RWLOCK : TAP_LOCK_RWSEM;
	if (flags & LCB_F_RT)
		return rtlock ? TAP_LOCK_SPINLOCK : TAP_LOCK_RTMUTEX;
	return flags ? TAP_LOCK_SPINLOCK : TAP_LOCK_SEMAPHORE;
#else
	return TAP_LOCK_NONE;
#endif
}

/* Whether readers have a lock with this owner: RWSEM_READER_OWNED, which is private. */
static __always_inline bool tap_lock_has_reader(u32 flags, u64 owner)
{
#ifdef LCB_F_MUTEX
	return !(flags & (LCB_F_MUTEX | LCB_F_RT)) && owner & 1;
#else
	return false;
#endif
}

#endif /* _TAPMOD_COMPAT_HOOKS_H */
