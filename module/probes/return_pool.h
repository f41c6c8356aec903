/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_RETURN_POOL_H
#define _TAPMOD_PROBES_RETURN_POOL_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/tap.h>

struct tap_kretprobe;
struct tap_return_pool;
struct tap_return_stub;
struct tapmod_change;
struct tapmod_probe;

/**
 * struct tap_pooled - what a return probe has to do with the shared pool of its size
 * @pool: that pool; NULL: the probe has nothing to do with one
 * @members: in the pool's list, if the probe is a member
 * @stubs: newest first; NULL: the probe is no member, and has instances of its own
 * @made: a stub that is made, but not yet used, while the pool is enlarged
 * @entry: the probe's entry handler, or NULL; tap_return_pool_follow() calls it
 *
 * Under the session's lock. Handlers read @stubs, which does not change while they run but for
 * newer stubs, and @entry.
 */
struct tap_pooled {
	struct tap_return_pool *pool;
	struct list_head members;
	struct tap_return_stub *stubs;
	struct tap_return_stub *made;
	kretprobe_handler_t entry;
};

#if TAP_KRETPROBE_SHARES
u64 tap_return_pool_join(struct tap_kretprobe *own, const struct tap_create *create);
void tap_return_pool_leave(struct tap_kretprobe *own);
int tap_return_pool_register(struct tap_kretprobe *own);
void tap_return_pool_unregister(struct tap_kretprobe *own);
unsigned int tap_return_pool_detach(struct tapmod_probe **probes, unsigned int nr);
u64 tap_return_pool_grow(struct tap_kretprobe *own, struct tapmod_change *change);

static inline bool tap_is_pooled(const struct tap_pooled *pooled)
{
	return pooled->stubs;
}
#else
static inline u64 tap_return_pool_join(struct tap_kretprobe *own, const struct tap_create *create)
{
	return 0;
}

static inline void tap_return_pool_leave(struct tap_kretprobe *own)
{
}

static inline int tap_return_pool_register(struct tap_kretprobe *own)
{
	return -EOPNOTSUPP;
}

static inline void tap_return_pool_unregister(struct tap_kretprobe *own)
{
}

static inline unsigned int tap_return_pool_detach(struct tapmod_probe **probes, unsigned int nr)
{
	return nr;
}

static inline u64 tap_return_pool_grow(struct tap_kretprobe *own, struct tapmod_change *change)
{
	return 0;
}

static inline bool tap_is_pooled(const struct tap_pooled *pooled)
{
	return false;
}
#endif

#endif /* _TAPMOD_PROBES_RETURN_POOL_H */
