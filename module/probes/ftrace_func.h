/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_FTRACE_FUNC_H
#define _TAPMOD_PROBES_FTRACE_FUNC_H

#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "core/probe.h"

struct tap_func_group;

/**
 * struct tap_func_target - where a group leads an event
 * @handler: called with preemption off; turns it on. Does not change
 */
struct tap_func_target {
	void (*handler)(unsigned long ip, unsigned long parent, struct tap_func_target *target,
			struct ftrace_regs *fregs);
};

/**
 * struct tap_func - a probe of functions
 * @probe: the common part
 * @ops: its filter has the functions; registered with ftrace while armed alone
 * @target: has the handler for events that come through a group; chosen once, as @ops.func
 * @missed: events dropped by tap_func_program(), per CPU
 * @link: in tap_funcs, from attach to detach
 * @pending: in a list of probes to be armed; else empty
 * @group: armed in this group; NULL: armed alone, or not armed
 * @addrs: addresses of the functions, each once, without those whose module was unloaded
 * @nr: entries of @addrs
 * @exact: @addrs are the addresses that ftrace reports, so that a group can find them
 * @armed: events come: @ops is registered, or @group has the functions
 * @gone: all functions were unloaded with their modules
 * @failed: the module of a deferred probe was loaded, and the probe could not be armed
 *
 * tap_funcs_lock protects @link and what follows.
 */
struct tap_func {
	struct tapmod_probe probe;
	struct ftrace_ops ops;
	struct tap_func_target target;
	u64 __percpu *missed;
	struct list_head link;
	struct list_head pending;
	struct tap_func_group *group;
	unsigned long *addrs;
	unsigned int nr;
	bool exact;
	bool armed;
	bool gone;
	bool failed;
};

/* ftrace_func.c */
extern struct mutex tap_funcs_lock;

#endif /* _TAPMOD_PROBES_FTRACE_FUNC_H */
