/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the files of this room call in each other: sessions, probes, commands.
 */
#ifndef _TAPMOD_SESSION_SESSION_OPS_H
#define _TAPMOD_SESSION_SESSION_OPS_H

#include <linux/tap.h>
#include <linux/types.h>

struct cpumask;
struct file;
struct seq_file;
struct tapmod_probe;
struct tapmod_session;

/**
 * struct tap_sums - counters of one or several probes, of several CPUs
 * @counters: sums of what TAP_IOC_STATS returns for each CPU
 * @nmissed: sum of out_nmissed of struct tap_stats
 * @nmissed_return: sum of out_nmissed_return of struct tap_stats
 */
struct tap_sums {
	struct tap_counters counters;
	u64 nmissed;
	u64 nmissed_return;
};

/* session_list.c */
void tap_sessions_add(struct tapmod_session *session);
void tap_sessions_remove(struct tapmod_session *session);
struct tapmod_session *tap_sessions_get(u64 id, u64 last);
void tap_sessions_put(struct tapmod_session *session);

/* ioctl.c */
long tap_session_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
int tap_session_enable(struct tapmod_session *session, u32 id);
int tap_session_disable(struct tapmod_session *session, u32 id);

/* fdinfo.c */
void tap_session_fdinfo(struct seq_file *seq, struct file *file);

/* probe_lifecycle.c */
u64 tap_probe_features(void);
int tapmod_probe_create(struct tapmod_session *session, const struct tap_create *create,
			u32 *id);
int tap_probe_enable(struct tapmod_session *session, u32 id);
int tap_probe_place(struct tapmod_session *session, u32 id, u64 address);
int tap_probe_disable(struct tapmod_session *session, u32 id);
int tap_probe_delete(struct tapmod_session *session, u32 id);
void tap_probes_pause(struct tapmod_session *session);
void tap_probes_resume(struct tapmod_session *session);
struct tapmod_probe *tap_probe_find(struct tapmod_session *session, u32 id);
void tap_probes_sync(struct tapmod_session *session);
void tap_session_detach(struct tapmod_session *session);

/* panic.c */
void tap_panic_join(struct tapmod_session *session);
void tap_panic_leave(struct tapmod_session *session);
void tap_panic_init(void);
void tap_panic_exit(void);

/* window.c */
int tap_window(struct tapmod_session *session, struct tap_window *window);

/* probe_stats.c */
u32 tap_probe_state(const struct tapmod_probe *probe);
u32 tap_probe_maxactive(const struct tapmod_probe *probe);
int tap_probe_info(struct tapmod_session *session, struct tap_probe_info *info);
int tap_probe_stats(struct tapmod_session *session, struct tap_stats *stats);
void tap_probe_sum(struct tapmod_probe *probe, const struct cpumask *cpus,
		   struct tap_sums *sums);

#endif /* _TAPMOD_SESSION_SESSION_OPS_H */
