/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_KPROBE_BATCH_H
#define _TAPMOD_PROBES_KPROBE_BATCH_H

#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/list.h>

struct tap_kprobe_batch;

/* Fewer kprobes are armed one by one, which takes 5 to 9 ms each. */
#define TAP_BATCH_MIN	16

/**
 * struct tap_batched - a kprobe or return probe that may be armed in a batch
 * @rp: the kernel's structure; for a kprobe only its @kp is used
 * @batch: the batch in which it is armed, or NULL; under the session's lock
 */
struct tap_batched {
	struct kretprobe rp;
	struct tap_kprobe_batch *batch;
};

#ifdef CONFIG_KPROBES_ON_FTRACE
struct tap_kprobe_batch *tap_kprobe_batch_make(unsigned int nr);
void tap_kprobe_batch_add(struct tap_kprobe_batch *batch, struct tap_batched *member);
int tap_kprobe_batch_start(struct tap_kprobe_batch *batch, struct list_head *batches);
void tap_kprobe_batch_remove(struct tap_batched *member);
void tap_kprobe_batches_stop(struct list_head *batches);

/* Whether a registered, disabled kprobe may be armed in a batch: it must be on ftrace. */
static inline bool tap_kprobe_batch_takes(struct kprobe *kp)
{
	return kprobe_ftrace(kp) && !kprobe_gone(kp);
}
#else
static inline struct tap_kprobe_batch *tap_kprobe_batch_make(unsigned int nr)
{
	return NULL;
}

static inline void tap_kprobe_batch_add(struct tap_kprobe_batch *batch, struct tap_batched *member)
{
}

static inline int tap_kprobe_batch_start(struct tap_kprobe_batch *batch,
					 struct list_head *batches)
{
	return -EOPNOTSUPP;
}

static inline void tap_kprobe_batch_remove(struct tap_batched *member)
{
}

static inline void tap_kprobe_batches_stop(struct list_head *batches)
{
}

static inline bool tap_kprobe_batch_takes(struct kprobe *kp)
{
	return false;
}
#endif

#endif /* _TAPMOD_PROBES_KPROBE_BATCH_H */
