/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_PANIC_NOTIFIER_H
#define _TAP_COMPAT_LINUX_PANIC_NOTIFIER_H

/* As in cleanup.h. Kernels before 5.14 declare the list in linux/kernel.h. */
#if defined(__CHECKER__)
#include_next <linux/panic_notifier.h>
#elif __has_include_next("linux/panic_notifier.h")
#include_next <linux/panic_notifier.h>
#else
#include <linux/kernel.h>
#endif

#endif /* _TAP_COMPAT_LINUX_PANIC_NOTIFIER_H */
