/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_PERF_EVENT_H
#define _TAP_COMPAT_LINUX_PERF_EVENT_H

#include_next <linux/perf_event.h>
#include <linux/version.h>

/* Where a sample's memory is; 0: nobody said. Since 6.1 nobody clears what is not there. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
#define tap_sample_addr(data)						\
	((data)->sample_flags & PERF_SAMPLE_ADDR ? (data)->addr : 0)
#else
#define tap_sample_addr(data)	((data)->addr)
#endif

#endif /* _TAP_COMPAT_LINUX_PERF_EVENT_H */
