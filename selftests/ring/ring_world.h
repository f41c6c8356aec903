/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of module/common/ring_core.h with a writer and a reader that count every event, and the
 * promises that are checked.
 */
#ifndef _TEST_RING_RING_WORLD_H
#define _TEST_RING_RING_WORLD_H

#include <pthread.h>
#include <stdbool.h>

#include "selftests/ring/ring_shim.h"
#include "module/common/ring_core.h"

#if defined(__SANITIZE_THREAD__)
#define TSAN	1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN	1
#endif
#endif
#ifndef TSAN
#define TSAN	0
#endif

typedef unsigned long long ull;

#define SLOT		TAP_SLOT_SIZE
#define PAGE		TAP_RING_PAGE
#define MAX_SLOTS	20

/* ------------------------------------------------------------- reporting */

extern unsigned int test_passed, test_failed;
extern unsigned int test_case;		/* 1 to 8: the case of ring_core_test.c */
extern unsigned int failed_cases;	/* bit mask */

__attribute__((format(printf, 2, 3)))
void ok(bool good, const char *format, ...);

/* Whether ThreadSanitizer has reported a race; more reports would only take time. */
bool data_race(void);

/* What the ring promises; the number of violations is counted for each. */
enum promise {
	P_CONSERVED,
	P_GAP_SUM,
	P_ONCE,
	P_COMPLETE,
	P_INTACT,
	P_TIME,
	P_LIMIT,
	P_PENDING,
	P_NO_FALSE_LOSS,
	P_TAIL,
	P_WAKE,
	P_TOTAL_INCLUDES,
	P_TOTAL_GROWS,
	P_BEGIN,
	P_OVERTAKE,
	P_SLOTS,
	NR_PROMISES
};

extern char where[160];		/* the current step, for reports */

__attribute__((format(printf, 2, 3)))
void break_promise(enum promise p, const char *format, ...);

#define PROMISE(cond, p, ...)						\
	do {								\
		if (__builtin_expect(!(cond), 0))			\
			break_promise(p, __VA_ARGS__);			\
	} while (0)

#define ALL_PROMISES	((1U << NR_PROMISES) - 1)

/* Reports the promises in @mask and clears their counts. */
void report_promises(const char *title, unsigned int mask);

/* ---------------------------------------------------------------- random */

extern __u64 seed;

__u64 next_random(__u64 *state);

/* ------------------------------------------------------------------ ring */

/* Highest id where each record is checked. */
#define MAX_IDS		(1U << 24)

/* The ring under test and the state of the writers. */
struct ring {
	struct tap_ring_writer w;
	struct tap_ring_tail *tail;
	__u64 bytes;
	__u64 attempts;
	__u64 written;
	__u64 lost_full;
	__u64 lost_nested;
	__u64 skipped;		/* overwrite mode: bytes that ring_dump() did not find as records */
	bool honest;		/* the tail is valid: reservations are checked against it */
	__u8 *written_ids;	/* optional, by id */
};

extern struct ring ring;

/* The reader and what it has read. */
struct reader {
	__u64 pos;
	__u64 events;
	__u64 gaps;
	__u64 time;
	__u64 lost;		/* sum of LOST */
	__u64 total;		/* the last TOTAL */
	__u64 next_id;		/* one writer: the next expected id */
	bool in_order;		/* one writer: ids and LOST must fit exactly */
	__u8 *read_ids;		/* optional, by id */
};

extern struct reader reader;

/* Lets two threads start together. */
extern pthread_barrier_t together;

void ring_init(__u64 bytes, __u64 watermark);
void ring_track_ids(void);
void ring_unmap(void);

/* Losses that no gap record has reported yet. */
__u64 ring_unreported(void);

/* Makes a new ring one whose writers go over old records. */
void ring_overwrite(void);

/* Whether no write went beyond the slots of a ring of less than a page. */
bool ring_canary(void);

static inline __u64 peek_u64(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- writer */

void ring_fill(struct tap_record *rec, __u64 pos, __u64 time, __u64 id, unsigned int slots);

/* Writes one record, from any context; false if it was lost. */
bool ring_write(unsigned int slots);

__u64 ring_flush(void);

/* ---------------------------------------------------------------- reader */

const void *ring_slots(void);
const struct tap_slot *slot_at(__u64 pos);

/* Reads at most @most records; moves the tail once, after that. */
__u64 reader_drain(__u64 most);

/* With no writer running, in overwrite mode: reads what the ring still has of it. */
void ring_dump(void);

/* With no writer running: checks the ring's state and counters. */
void world_check(void);

/* After all writers: reads the remaining records and checks that none is missing. */
void world_check_end(void);

#endif /* _TEST_RING_RING_WORLD_H */
