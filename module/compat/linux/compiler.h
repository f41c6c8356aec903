/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_COMPILER_H
#define _TAP_COMPAT_LINUX_COMPILER_H

#include_next <linux/compiler.h>

/* The kernel defines it since 6.9; gcc has the attribute since 12. */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized	__attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

#endif /* _TAP_COMPAT_LINUX_COMPILER_H */
