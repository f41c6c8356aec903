/* SPDX-License-Identifier: GPL-2.0 */
/* The func probes of a session that share one ftrace_ops. */
#ifndef _TAPMOD_PROBES_FTRACE_FUNC_GROUP_H
#define _TAPMOD_PROBES_FTRACE_FUNC_GROUP_H

#include <linux/list.h>

struct tap_func;
struct tapmod_session;

int tap_func_group_arm(struct tapmod_session *session, struct list_head *funcs);
void tap_func_group_remove(struct tap_func *func, unsigned long addr);
void tap_func_group_leave(struct tap_func *func);
void tap_func_groups_update(const struct tapmod_session *session, struct list_head *empty);
void tap_func_groups_free(struct list_head *empty);

#endif /* _TAPMOD_PROBES_FTRACE_FUNC_GROUP_H */
