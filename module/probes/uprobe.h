/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_UPROBE_H
#define _TAPMOD_PROBES_UPROBE_H

#include <linux/path.h>
#include <linux/sched/signal.h>
#include "compat/uprobes.h"

#include "exec/handler.h"

/**
 * struct tap_uprobe - a probe of a program
 * @probe: the common part
 * @uc: its handlers are set by the kind of probe
 * @pid: the process whose events are wanted; or NULL
 * @path: the file as it was given: its mount cannot go as long as we have it
 * @inode: where its pages are, which may be below an overlay
 * @offset: of the instruction in the file
 * @semaphore: of the semaphore, or 0
 * @uprobe: the kernel's own, while it is registered
 */
struct tap_uprobe {
	struct tapmod_probe probe;
	struct uprobe_consumer uc;
	struct pid *pid;
	struct path path;
	struct inode *inode;
	u64 offset;
	u64 semaphore;
	struct uprobe *uprobe;
};

static inline struct tap_uprobe *to_tap_uprobe(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_uprobe, probe);
}

static __always_inline struct tap_uprobe *uc_to_uprobe(struct uprobe_consumer *uc)
{
	return container_of(uc, struct tap_uprobe, uc);
}

/**
 * tap_uprobe_wanted() - whether an event is of a process that is wanted
 * @uprobe: the probe
 */
static __always_inline bool tap_uprobe_wanted(const struct tap_uprobe *uprobe)
{
	/* Its number may be another one's as soon as it is gone. */
	return likely(!uprobe->pid) || task_tgid(current) == uprobe->pid;
}

int tap_uprobe_unwanted(struct tap_uprobe *uprobe);
bool tap_uprobe_is_of(const struct tap_uprobe *uprobe,
		      const struct mm_struct *mm);
int tap_uprobe_add(struct tap_uprobe *uprobe, struct uprobe_consumer *uc);
void tap_uprobe_remove(struct tap_uprobe *uprobe, struct uprobe_consumer *uc);
int tap_uprobe_attach(struct tapmod_probe *probe, const struct tap_create *create);
int tap_uprobe_enable(struct tapmod_probe *probe);
void tap_uprobe_disable(struct tapmod_probe *probe);
void tap_uprobe_sync(void);
void tap_uprobe_detach(struct tapmod_probe **probes, unsigned int nr);
void tap_uprobe_free(struct tapmod_probe *probe);

#endif /* _TAPMOD_PROBES_UPROBE_H */
