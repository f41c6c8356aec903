/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints that the module needs for itself. With CONFIG_CFI the kernel calls a
 * handler only by its exact prototype, so their prototypes are compared with those of the
 * kernel's own headers.
 */
#ifndef _TAPMOD_COMPAT_HOOKS_H
#define _TAPMOD_COMPAT_HOOKS_H

#include <linux/kconfig.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
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

#endif /* _TAPMOD_COMPAT_HOOKS_H */
