/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_NOTIFY_H
#define _TAPMOD_CORE_NOTIFY_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/tap_record.h>
#include <linux/types.h>

struct tapmod_probe;
struct tapmod_session;

/**
 * struct tapmod_change - the contents of a notice
 * @what: selects the meaning of the other members
 * @since: raw time of the notice; if @what ends a state, the approximate raw time at which
 *	that state began; 0: none
 * @count: see enum tap_notice; else 0
 * @size: see enum tap_notice; else 0
 */
struct tapmod_change {
	enum tap_notice what;
	u64 since;
	u64 count;
	u64 size;
};

/**
 * struct tap_notices - notices of a session that are not in its stream yet
 * @lock: protects all members. May be taken inside the session's lock; no other lock is
 *	taken inside it
 * @waiting: notices that found no room in the ring, oldest first
 * @nr: length of @waiting, at most TAP_MAX_NOTICES
 * @unreported: notices dropped since the last TAP_NOTICE_DROPPED in the stream
 * @last: probe id of the notice that was dropped last
 * @since: raw time of the first dropped notice
 */
struct tap_notices {
	struct mutex lock;	/* protects all members */
	struct list_head waiting;
	unsigned int nr;
	u32 last;
	u64 unreported;
	u64 since;
};

void tap_notices_init(struct tap_notices *notices);
void tap_notices_free(struct tap_notices *notices);
void tap_notices_write(struct tapmod_session *session);
void tap_notice(struct tapmod_session *session, const struct tapmod_probe *probe,
		const struct tapmod_change *change);

#endif /* _TAPMOD_CORE_NOTIFY_H */
