/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_UACCESS_H
#define _TAP_COMPAT_LINUX_UACCESS_H

#include_next <linux/uaccess.h>
#include <linux/version.h>

/**
 * tap_user_okay() - whether user memory is that of the current task
 *
 * In an NMI it may be that of another task: the CPU may be between the switch of the page
 * tables and that of current. copy_from_user_nofault() of later kernels tests
 * nmi_uaccess_okay() itself, which modules cannot call. Traps of kprobes count as NMIs, so
 * refusing them all is no choice.
 *
 * Context: any; current->mm is not NULL.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) && defined(CONFIG_X86)
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/processor.h>

static __always_inline bool tap_user_okay(void)
{
	return likely(!in_nmi()) || native_read_cr3_pa() == __pa(current->mm->pgd);
}
#else
static __always_inline bool tap_user_okay(void)
{
	return true;
}
#endif

#endif /* _TAP_COMPAT_LINUX_UACCESS_H */
