/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_KRETPROBE_H
#define _TAPMOD_PROBES_KRETPROBE_H

#include <linux/kprobes.h>

#include "exec/handler.h"
#include "probes/deferred_attach.h"
#include "probes/kprobe_batch.h"
#include "probes/kprobe_common.h"
#include "probes/return_pool.h"

struct tap_spare;

/**
 * struct tap_kretprobe - a probe on the kernel's kretprobes
 * @probe: the common part
 * @batched: its @rp; the type of probe sets the handlers and data_size
 * @deferred: state of the deferred attach
 * @spares: kretprobes whose instances the probe has taken, newest first. They stay
 *	registered until detach: calls in flight still use the instances of before
 * @seen: nmissed of @rp when tap_kretprobe_grow() last read it
 * @prepare: the kernel's pre_handler_kretprobe(), if tap_kretprobe_followed() is in its place
 * @pooled: its part in a shared pool, from which its instances may come
 * @fixed: the user set maxactive, so it is not raised
 */
struct tap_kretprobe {
	struct tapmod_probe probe;
	struct tap_batched batched;
	struct tap_deferred deferred;
	struct tap_spare *spares;
	unsigned int seen;
	kprobe_pre_handler_t prepare;
	struct tap_pooled pooled;
	bool fixed;
};

static inline struct tap_kretprobe *to_tap_kretprobe(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_kretprobe, probe);
}

static inline struct kretprobe *to_rp(const struct tapmod_probe *probe)
{
	return &to_tap_kretprobe(probe)->batched.rp;
}

/* The probe of a call in flight; NULL: it was unregistered since the entry. */
static __always_inline struct tapmod_probe *
ri_to_probe(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (TAP_KRETPROBE_LEAVES && unlikely(!rp))
		return NULL;
	return &container_of(rp, struct tap_kretprobe, batched.rp)->probe;
}

/*
 * Whether a call still counts; @probe is from ri_to_probe(). The kernel calls the return
 * handler for a call in flight even if the probe was disabled since the entry.
 */
static __always_inline bool tap_kretprobe_live(const struct tapmod_probe *probe)
{
	return (!TAP_KRETPROBE_LEAVES || likely(probe)) &&
	       likely(READ_ONCE(probe->enabled));
}

int tap_kretprobe_target(struct tapmod_probe *probe, char *target);
u64 tap_kretprobe_mem(struct tapmod_probe *probe, const struct tap_create *create);
int tap_kretprobe_register_idle(struct kretprobe *rp, int calls, size_t data_size);
int tap_kretprobe_register(struct tapmod_probe *probe,
			   const struct tap_create *create);
int tap_kretprobe_enable(struct tapmod_probe *probe);
void tap_kretprobe_disable(struct tapmod_probe *probe);
struct tap_batched *tap_kretprobe_batched(struct tapmod_probe *probe);
void tap_kretprobe_detach(struct tapmod_probe **probes, unsigned int nr);
u32 tap_kretprobe_state(const struct tapmod_probe *probe);
unsigned long tap_kretprobe_address(const struct tapmod_probe *probe);
void tap_kretprobe_missed(const struct tapmod_probe *probe,
			  struct tap_stats *stats);
u32 tap_kretprobe_maxactive(const struct tapmod_probe *probe);
u64 tap_kretprobe_grow(struct tapmod_probe *probe, u64 room, struct tapmod_change *change);
void tap_kretprobe_free(struct tapmod_probe *probe);

/* Members of struct tap_probe_ops that all kinds on struct tap_kretprobe have in common. */
#define TAP_KRETPROBE_OPS						\
	.size		= sizeof(struct tap_kretprobe),			\
	.wait		= true,						\
	.maxactive	= TAP_MAX_MAXACTIVE,				\
	.enable		= tap_kretprobe_enable,				\
	.disable	= tap_kretprobe_disable,			\
	.batched	= tap_kretprobe_batched,			\
	.sync		= TAP_SYNC_KPROBE | TAP_SYNC_RETURNS,		\
	.detach		= tap_kretprobe_detach,				\
	.free		= tap_kretprobe_free,				\
	.state		= tap_kretprobe_state,				\
	.address	= tap_kretprobe_address,			\
	.missed		= tap_kretprobe_missed,				\
	.maxactive_of	= tap_kretprobe_maxactive,			\
	.grow		= tap_kretprobe_grow

#endif /* _TAPMOD_PROBES_KRETPROBE_H */
