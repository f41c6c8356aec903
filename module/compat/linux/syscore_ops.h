/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks around a suspend, while one CPU runs with interrupts off. Newer kernels pass
 * them an argument; stable releases have that too, so Kbuild looks into the kernel's header.
 */
#ifndef _TAP_COMPAT_LINUX_SYSCORE_OPS_H
#define _TAP_COMPAT_LINUX_SYSCORE_OPS_H

#include_next <linux/syscore_ops.h>

#ifdef TAP_HAVE_STRUCT_SYSCORE
#define TAP_SYSCORE_PARAMS	(void *data)
#define TAP_SYSCORE(_name, _suspend, _resume)				\
static const struct syscore_ops _name##_ops = {				\
	.suspend = (_suspend), .resume = (_resume),			\
};									\
static struct syscore _name = { .ops = &_name##_ops }
#define tap_syscore_register(s)		register_syscore(s)
#define tap_syscore_unregister(s)	unregister_syscore(s)
#else
#define TAP_SYSCORE_PARAMS	(void)
#define TAP_SYSCORE(_name, _suspend, _resume)				\
static struct syscore_ops _name = {					\
	.suspend = (_suspend), .resume = (_resume),			\
}

#define tap_syscore_register(s)		register_syscore_ops(s)
#define tap_syscore_unregister(s)	unregister_syscore_ops(s)
#endif

#endif /* _TAP_COMPAT_LINUX_SYSCORE_OPS_H */
