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
 * @uc: consumer; the type of probe sets its handlers
 * @pid: the process whose events are recorded; NULL: all
 * @path: the file as it was opened; the reference pins its mount
 * @inode: the inode whose pages are mapped; for a file on an overlay the one below it
 * @offset: offset of the instruction in the file
 * @semaphore: offset of the USDT semaphore in the file; 0: none
 * @uprobe: from tap_uprobe_register(), while registered; always NULL before 6.12
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

/* Whether the current process is the one whose events are recorded. */
static __always_inline bool tap_uprobe_wanted(const struct tap_uprobe *uprobe)
{
	/* Compares struct pid, which the probe holds; the number may be reused. */
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
void tap_uprobe_detach(struct tapmod_probe **probes, unsigned int nr);
void tap_uprobe_free(struct tapmod_probe *probe);

#endif /* _TAPMOD_PROBES_UPROBE_H */
