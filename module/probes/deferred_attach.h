/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_LATE_H
#define _TAP_LATE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/notify.h"
#include "core/probe.h"

/**
 * struct tap_late - a kprobe or return probe whose module may come and go
 * @probe: it has %TAP_CREATE_F_WAIT, or none of the following is used
 * @rp: the kernel's own; of a kprobe its kp alone
 * @reg: registers it, disabled; as tap_probe_ops has it for attach
 * @link: in tap_lates
 * @registered: with the kernel
 * @armed: and enabled
 * @gone: it was there once, and went
 * @failed: its module came, and it could not be armed
 * @nmissed: of the kp of registrations that have ended
 * @nmissed_return: of the rp of those
 *
 * From @link on protected by tap_lates_lock, as what @rp points to.
 */
struct tap_late {
	struct tap_probe *probe;
	struct kretprobe *rp;
	int (*reg)(struct tap_probe *probe);
	struct list_head link;
	bool registered;
	bool armed;
	bool gone;
	bool failed;
	unsigned long nmissed;
	unsigned long nmissed_return;
};

int tap_late_attach(struct tap_late *late, struct tap_probe *probe,
		    struct kretprobe *rp, int (*reg)(struct tap_probe *probe));
int tap_late_enable(struct tap_late *late);
void tap_late_disable(struct tap_late *late);
bool tap_late_leave(struct tap_late *late);
u32 tap_late_state(struct tap_late *late);
unsigned long tap_late_address(struct tap_late *late);
void tap_late_missed(struct tap_late *late, struct tap_stats *stats);

int tap_late_init(void);
void tap_late_exit(void);

/**
 * tap_late_waits() - whether a probe comes and goes with its module
 * @probe: any
 */
static inline bool tap_late_waits(const struct tap_probe *probe)
{
	return probe->flags & TAP_CREATE_F_WAIT;
}

bool tap_late_named(const char *target);
bool tap_late_of(const char *target, const char *module);
void tap_late_warn(const struct tap_probe *probe, int err);
void tap_late_notice(const struct tap_probe *probe, enum tap_notice what);

#endif /* _TAP_LATE_H */
