/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_GOVERNOR_H
#define _TAPMOD_SESSION_GOVERNOR_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct tapmod_probe;
struct tapmod_session;
struct tap_full_ring;

/**
 * struct tap_governor - looks after a session, ten times a second
 * @tick: does so while a probe is enabled
 * @least: the least limit that a probe of the session ever had
 * @nr: how often it has looked
 * @time: when its last look began, in nanoseconds
 * @raw: the same in the session's clock
 * @lost: events that were lost until then
 * @before: those until the losses began that go on
 * @since: raw time of about that
 * @losing: they do, for so many ticks more if none follows; 0: they do not
 *
 * Under the session's lock.
 */
struct tap_governor {
	struct delayed_work tick;
	u32 least;
	u32 losing;
	u64 nr;
	u64 time;
	u64 raw;
	u64 lost;
	u64 before;
	u64 since;
};

/**
 * struct tap_governed - what it knows of a probe
 * @limit: how many records a second it may make on a CPU
 * @left: for how many ticks it is throttled; 0: it is not
 * @full_ring: the rings that its hits find then; NULL: it never was
 * @nr: the governor's, when its records were last counted
 * @since: raw time at which it was throttled
 * @told: hits dropped that notices have told of
 *
 * Under the session's lock, as @full_ring is where there is nothing else to say of it.
 */
struct tap_governed {
	u32 limit;
	u32 left;
	struct tap_full_ring __percpu *full_ring;
	u64 nr;
	u64 since;
	u64 told;
};

void tap_governor_init(struct tapmod_session *session);
void tap_governor_start(struct tapmod_session *session);
void tap_governor_stop(struct tapmod_session *session);
void tap_governor_add(struct tapmod_session *session, struct tapmod_probe *probe,
		      u32 limit);
void tap_governor_disabled(struct tapmod_session *session, struct tapmod_probe *probe);
void tap_governor_free(struct tapmod_probe *probe);
u64 tap_governor_dropped(const struct tapmod_probe *probe, int cpu);

#endif /* _TAPMOD_SESSION_GOVERNOR_H */
