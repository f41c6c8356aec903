/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_KPROBE_COMMON_H
#define _TAPMOD_PROBES_KPROBE_COMMON_H

#include <linux/errno.h>
#include <linux/types.h>

struct kprobe;
struct tap_batched;

bool tap_kprobe_denied(const struct kprobe *kp);
void tap_kprobe_disarm(struct kprobe *kp);
void tap_kprobe_disable_batched(struct tap_batched *batched);
void tap_kprobe_sync(void);

/**
 * tap_register_error() - the errno of the UAPI for a failed registration
 * @err: what register_kprobe() or register_kretprobe() returned
 *
 * Every argument was checked before, so EINVAL can only mean that the place exists
 * and must not be probed.
 */
static inline int tap_register_error(int err)
{
	return err == -EINVAL ? -EADDRNOTAVAIL : err;
}

/**
 * tap_enable_error() - the errno of the UAPI for a failed enabling
 * @err: what enable_kprobe() or enable_kretprobe() returned
 *
 * EINVAL is a kprobe whose module is gone.
 */
static inline int tap_enable_error(int err)
{
	return err == -EINVAL ? -ENOENT : err;
}

#endif /* _TAPMOD_PROBES_KPROBE_COMMON_H */
