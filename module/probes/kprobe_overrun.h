/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_KPROBE_OVERRUN_H
#define _TAPMOD_PROBES_KPROBE_OVERRUN_H

#include <linux/types.h>

struct kprobe;

bool tap_kprobe_overruns(const struct kprobe *kp);

#endif /* _TAPMOD_PROBES_KPROBE_OVERRUN_H */
