/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of probes: an ops table for each, and the functions that the session calls.
 */
#ifndef _TAPMOD_PROBES_PROBES_H
#define _TAPMOD_PROBES_PROBES_H

#include <linux/tap.h>

#include "core/probe.h"

struct tapmod_session;
struct tracepoint;

extern const struct tap_probe_ops tap_kprobe_ops;
extern const struct tap_probe_ops tap_kretprobe_ops;
extern const struct tap_probe_ops tap_call_ops;
extern const struct tap_probe_ops tap_rawtp_ops;
extern const struct tap_probe_ops tap_syscall_ops;
extern const struct tap_probe_ops tap_tracepoint_ops;
extern const struct tap_probe_ops tap_perf_sample_ops;
extern const struct tap_probe_ops tap_uprobe_ops;
extern const struct tap_probe_ops tap_uretprobe_ops;
extern const struct tap_probe_ops tap_ucall_ops;
extern const struct tap_probe_ops tap_count_ops;
extern const struct tap_probe_ops tap_watchpoint_ops;
extern const struct tap_probe_ops tap_user_watch_ops;
extern const struct tap_probe_ops tap_mark_ops;
extern const struct tap_probe_ops tap_func_ops;
extern const struct tap_probe_ops tap_span_ops;

/* sync.c */
void tap_sync(u32 kinds);

/* raw_tracepoint.c */
int tap_rawtp_init(void);
void tap_rawtp_exit(void);
void tap_rawtp_typed(void *data, const u64 *args);
struct tracepoint *tap_tracepoint_find(const char *name);
bool tap_program_harmless(const struct tap_program *prog);

/* watchpoint.c */
int tap_watchpoints_init(void);
void tap_watchpoints_exit(void);

/* ftrace_func.c */
int tap_func_init(void);
void tap_func_exit(void);
int tap_func_flush(struct tapmod_session *session);

/* perf_count.c */
int tap_count_read(struct tapmod_session *session, const struct tap_count_read *read);

/* follow.c */
int tap_follow_prepare(struct tapmod_session *session);
int tap_follow(struct tapmod_session *session, const struct tap_follow *follow);
void tap_follow_stop(struct tapmod_session *session);
void tap_follow_free(struct tapmod_session *session);

/* span.c */
int tap_span_load(struct tapmod_probe *probe, const struct tap_create *create);
int tap_span_alloc(struct tapmod_probe *probe);
bool tap_span_has_sides(const struct tapmod_probe *probe);
int tap_span_look_into(struct tapmod_session *session, struct tapmod_probe *probe,
		       const struct tap_create *create, struct tap_program_env *env);
int tap_span_join(struct tapmod_session *session, struct tapmod_probe *probe,
		  const struct tap_create *create);
void tap_span_joined(struct tapmod_probe *probe);
void tap_span_leave(struct tapmod_probe *probe);
int tap_span_read(struct tapmod_session *session, struct tap_span_read *read);

/* task_hooks.c */
bool tap_division_possible(void);
int tap_tasks_create(struct tapmod_session *session, struct tap_tasks *arg);
void tap_tasks_undo(struct tapmod_session *session);
void tap_tasks_stop(struct tapmod_session *session);

/* mark.c */
int tap_mark(struct tapmod_session *session, struct tap_mark *mark);

#endif /* _TAPMOD_PROBES_PROBES_H */
