/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_KPROBE_COMMON_H
#define _TAPMOD_PROBES_KPROBE_COMMON_H

#include <linux/errno.h>
#include <linux/types.h>

struct ftrace_ops;
struct kprobe;
struct tap_batched;

bool tap_kprobe_denied(const struct kprobe *kp, bool returns);
int tap_kprobe_look_up(const char *symbol, unsigned int offset, unsigned long *addr);
bool tap_module_goes(const unsigned long *addrs, unsigned int nr);
int tap_ftrace_unregister(struct ftrace_ops *ops);
void tap_kprobe_disarm(struct kprobe *kp);
void tap_kprobe_disable_batched(struct tap_batched *batched);

/*
 * The errno of the UAPI for a failed registration. All arguments were checked before, so
 * -EINVAL from the kernel can only mean that the place exists and must not be probed.
 */
static inline int tap_register_error(int err)
{
	return err == -EINVAL ? -EADDRNOTAVAIL : err;
}

/* The errno of the UAPI for a failed enable: -EINVAL is a kprobe whose module is gone. */
static inline int tap_enable_error(int err)
{
	return err == -EINVAL ? -ENOENT : err;
}

#endif /* _TAPMOD_PROBES_KPROBE_COMMON_H */
