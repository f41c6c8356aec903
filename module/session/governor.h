/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_GOVERNOR_H
#define _TAP_GOVERNOR_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct tap_probe;
struct tap_session;
struct tap_shut;

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
 * @shut: the rings that its hits find then; NULL: it never was
 * @nr: the governor's, when its records were last counted
 * @since: raw time at which it was throttled
 * @told: hits dropped that notices have told of
 *
 * Under the session's lock, as @shut is where there is nothing else to say of it.
 */
struct tap_governed {
	u32 limit;
	u32 left;
	struct tap_shut __percpu *shut;
	u64 nr;
	u64 since;
	u64 told;
};

void tap_governor_init(struct tap_session *session);
void tap_governor_start(struct tap_session *session);
void tap_governor_stop(struct tap_session *session);
void tap_governor_add(struct tap_session *session, struct tap_probe *probe,
		      u32 limit);
void tap_governor_disabled(struct tap_session *session, struct tap_probe *probe);
void tap_governor_free(struct tap_probe *probe);
u64 tap_governor_dropped(const struct tap_probe *probe, int cpu);

#endif /* _TAP_GOVERNOR_H */
