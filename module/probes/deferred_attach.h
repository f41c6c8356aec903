/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_DEFERRED_ATTACH_H
#define _TAPMOD_PROBES_DEFERRED_ATTACH_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/notify.h"
#include "core/probe.h"

/**
 * struct tap_deferred - a kprobe or return probe whose module may be loaded later
 * @probe: has %TAP_CREATE_F_WAIT; NULL: not deferred, and the other members are not used
 * @rp: the kernel's structure; for a kprobe only its @kp is used
 * @reg: registers the probe, disabled; returns 0 or the UAPI's -errno
 * @link: in tap_deferred_list, from attach to detach
 * @registered: @rp is registered with the kernel
 * @armed: @rp is registered and enabled
 * @gone: the module was loaded once, and has been unloaded
 * @failed: the module was loaded, and the probe could not be armed
 * @leaves: it is being unregistered, since its code is freed
 * @nmissed: nmissed of the kprobe, summed over registrations that have ended
 * @nmissed_return: nmissed of the kretprobe, summed over the same
 *
 * tap_deferred_lock protects @link and what follows, and *@rp.
 */
struct tap_deferred {
	struct tapmod_probe *probe;
	struct kretprobe *rp;
	int (*reg)(struct tapmod_probe *probe);
	struct list_head link;
	bool registered;
	bool armed;
	bool gone;
	bool failed;
	bool leaves;
	unsigned long nmissed;
	unsigned long nmissed_return;
};

int tap_deferred_attach(struct tap_deferred *deferred, struct tapmod_probe *probe,
			struct kretprobe *rp, int (*reg)(struct tapmod_probe *probe));
int tap_deferred_enable(struct tap_deferred *deferred);
void tap_deferred_disable(struct tap_deferred *deferred);
bool tap_deferred_leave(struct tap_deferred *deferred);
u32 tap_deferred_state(struct tap_deferred *deferred);
unsigned long tap_deferred_address(struct tap_deferred *deferred);
void tap_deferred_missed(struct tap_deferred *deferred, struct tap_stats *stats);

int tap_deferred_init(void);
void tap_deferred_exit(void);

/* Whether a probe is attached when its module is loaded. */
static inline bool tap_is_deferred(const struct tapmod_probe *probe)
{
	return probe->flags & TAP_CREATE_F_WAIT;
}

bool tap_deferred_names_module(const char *target);
bool tap_deferred_target_in(const char *target, const char *module);
void tap_deferred_warn(const struct tapmod_probe *probe, int err);
void tap_deferred_notice(const struct tapmod_probe *probe, enum tap_notice what);

#endif /* _TAPMOD_PROBES_DEFERRED_ATTACH_H */
