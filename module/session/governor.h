/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_GOVERNOR_H
#define _TAPMOD_SESSION_GOVERNOR_H

#include <linux/types.h>

struct tapmod_probe;
struct tapmod_session;

void tap_governor_init(struct tapmod_session *session);
void tap_governor_start(struct tapmod_session *session);
void tap_governor_due(struct tapmod_session *session);
void tap_governor_stop(struct tapmod_session *session);
void tap_governor_add(struct tapmod_session *session, struct tapmod_probe *probe,
		      u32 limit);
void tap_governor_disabled(struct tapmod_session *session, struct tapmod_probe *probe);
void tap_governor_free(struct tapmod_probe *probe);
void tap_governor_drop(struct tapmod_session *session);
u64 tap_governor_record(struct tapmod_session *session);
u64 tap_governor_dropped(const struct tapmod_probe *probe, int cpu);

#endif /* _TAPMOD_SESSION_GOVERNOR_H */
