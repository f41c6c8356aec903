/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of module/common/ring_core.h with a writer and a reader that keep account of
 * every event, and the promises that are checked on them.
 */
#ifndef _TEST_RING_RING_WORLD_H
#define _TEST_RING_RING_WORLD_H

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

static unsigned int test_nr, test_passed, test_failed;
static unsigned int test_case;		/* 1 to 6, as the cases below */
static unsigned int failed_cases;	/* bit mask */
static unsigned int tsan_reports;

#if TSAN
/* ThreadSanitizer calls this for each report; we set the exit status. */
void __tsan_on_report(void *report);
void __tsan_on_report(void *report)
{
	(void)report;
	__atomic_fetch_add(&tsan_reports, 1, __ATOMIC_RELAXED);
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "exitcode=0";
}
#endif

__attribute__((format(printf, 2, 3)))
static void ok(bool good, const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", good ? "" : "not ", ++test_nr);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	if (good) {
		test_passed++;
	} else {
		test_failed++;
		failed_cases |= 1U << test_case;
	}
}

/* More reports of ThreadSanitizer would only take long. */
static bool data_race(void)
{
	return TSAN && __atomic_load_n(&tsan_reports, __ATOMIC_RELAXED);
}

/* What the ring promises, and how often it did not hold. */
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
	NR_PROMISES
};

static const char * const promise_text[NR_PROMISES] = {
	[P_CONSERVED]	= "every attempt is either written or counted as lost",
	[P_GAP_SUM]	= "the gap records add up to the losses",
	[P_ONCE]	= "no slot is reserved that is unread or another's",
	[P_COMPLETE]	= "the reader finds every written record, once, and no hole",
	[P_INTACT]	= "records arrive intact",
	[P_TIME]	= "time never decreases along the ring",
	[P_LIMIT]	= "the limit is never beyond the tail's reach",
	[P_PENDING]	= "a loss that is not told makes the next writer look",
	[P_NO_FALSE_LOSS] = "nothing is lost while there is room",
	[P_TAIL]	= "an honest reader's tail never counts as bad",
	[P_WAKE]	= "whoever comes to a watermark wakes the reader",
	[P_TOTAL_INCLUDES] = "a gap record's TOTAL includes all LOST so far",
	[P_TOTAL_GROWS]	= "TOTAL never decreases along the ring",
	[P_BEGIN]	= "a gap record's BEGIN is not after the record",
};

static ull broken[NR_PROMISES];
static char broken_how[NR_PROMISES][200];
static char where[160];			/* what is being tried, for broken_how */

__attribute__((format(printf, 2, 3)))
static void break_promise(enum promise p, const char *format, ...)
{
	va_list args;
	int n;

	if (broken[p]++)
		return;
	n = snprintf(broken_how[p], sizeof(broken_how[p]), "%s", where);
	va_start(args, format);
	vsnprintf(broken_how[p] + n, sizeof(broken_how[p]) - n, format, args);
	va_end(args);
}

#define PROMISE(cond, p, ...)						\
	do {								\
		if (__builtin_expect(!(cond), 0))			\
			break_promise(p, __VA_ARGS__);			\
	} while (0)

/* Reports the promises of the mask and forgets how they went. */
static void report_promises(const char *title, unsigned int mask)
{
	int p;

	for (p = 0; p < NR_PROMISES; p++) {
		if (!(mask & 1U << p))
			continue;
		ok(!broken[p], "%s: %s", title, promise_text[p]);
		if (broken[p])
			printf("# %llu times, first: %s\n", broken[p],
			       broken_how[p]);
	}
	memset(broken, 0, sizeof(broken));
	if (TSAN) {
		unsigned int reports =
			__atomic_exchange_n(&tsan_reports, 0, __ATOMIC_RELAXED);

		ok(!reports, "%s: no data race", title);
	}
}

#define ALL_PROMISES	((1U << NR_PROMISES) - 1)

/* ---------------------------------------------------------------- random */

static __u64 seed = 1;

static __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static __u64 next_random(__u64 *state)
{
	return mix(*state += 0x9e3779b97f4a7c15ULL);
}

/* ------------------------------------------------------------------ ring */

/* Ids of written and of read records, where each is to be checked. */
#define MAX_IDS		(1U << 24)

/* The ring under test and all that the writer side knows of it. */
static struct ring {
	struct tap_ring_writer w;
	struct tap_ring_tail *tail;
	__u64 bytes;
	__u64 attempts;
	__u64 written;
	__u64 lost_full;
	__u64 lost_nested;
	bool honest;		/* the tail is: reservations are checked against it */
	__u8 *written_ids;	/* optional, by id */
} ring;

/* The reader and what it has seen. */
static struct reader {
	__u64 pos;
	__u64 events;
	__u64 gaps;
	__u64 time;
	__u64 lost;		/* sum of LOST */
	__u64 total;		/* the last TOTAL */
	__u64 next_id;		/* one writer: the id that comes next */
	bool in_order;		/* one writer: ids and LOST must fit exactly */
	__u8 *read_ids;		/* optional, by id */
} reader;

/* Losses that no gap record has told of yet. */
static __u64 ring_untold(void)
{
	return ring.w.head->lost - ring.w.told;
}

static char *arena;
static size_t arena_bytes;

/* Lets two threads begin together. */
static pthread_barrier_t together;

/* Guard page, tail page, guard page, head page, slots, guard page. */
static void ring_map(__u64 bytes)
{
	size_t slots = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	char *p;

	arena_bytes = 5 * PAGE + slots;
	arena = mmap(NULL, arena_bytes, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		abort();
	p = arena + PAGE;
	if (mprotect(p, PAGE, PROT_READ | PROT_WRITE) ||
	    mprotect(p + 2 * PAGE, PAGE + slots, PROT_READ | PROT_WRITE))
		abort();
	memset(p + 3 * PAGE + bytes, 0xa5, slots - bytes);
}

/* Whether nobody wrote behind the slots of a ring less than a page. */
static bool ring_canary(void)
{
	const char *slots = arena + 4 * PAGE;
	size_t i;

	for (i = ring.bytes; i % PAGE; i++)
		if (slots[i] != (char)0xa5)
			return false;
	return true;
}

static void ring_unmap(void)
{
	free(ring.written_ids);
	free(reader.read_ids);
	munmap(arena, arena_bytes);
	arena = NULL;
}

/* As tap_rings_alloc() does it. */
static void ring_init(__u64 bytes, __u64 watermark)
{
	ring_map(bytes);
	memset(&ring, 0, sizeof(ring));
	memset(&reader, 0, sizeof(reader));
	ring.bytes = bytes;
	ring.honest = true;
	ring.tail = (void *)(arena + PAGE);
	ring.w.tail = ring.tail;
	ring.w.head = (void *)(arena + 3 * PAGE);
	ring.w.mask = bytes - 1;
	ring.w.watermark = watermark;
	ring.w.mark = watermark;
	ring.w.limit = watermark - 1;
}

static void ring_track_ids(void)
{
	ring.written_ids = calloc(MAX_IDS, 1);
	reader.read_ids = calloc(MAX_IDS, 1);
	if (!ring.written_ids || !reader.read_ids)
		abort();
}

static __u64 peek_u64(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- writer */

/* A record of n slots has 4 + 7 (n - 1) words: its id, and functions of it. */
static __u64 word(__u64 id, unsigned int i)
{
	return i ? mix(id * 256 + i) : id;
}

static void fill(struct tap_record *rec, __u64 pos, __u64 time, __u64 id,
		 unsigned int slots)
{
	unsigned int i = 0, k, j;

	rec->time = time;
	rec->probe = (__u16)(1 + id % 1000);
	rec->slots = (__u8)slots;
	rec->kind = TAP_KIND_EVENT;
	rec->flags = (__u32)id;
	rec->tid = (__u32)mix(id);
	rec->tgid = (__u32)~id;
	for (j = 0; j < TAP_FIRST_VALUES; j++)
		rec->value[j] = word(id, i++);
	shim_point();
	for (k = 1; k < slots; k++) {
		struct tap_slot *slot = tap_ring_slot(&ring.w, pos + k * SLOT);

		slot->seq = tap_slot_seq(pos + k * SLOT, k);
		for (j = 0; j < TAP_SLOT_VALUES; j++)
			slot->value[j] = word(id, i++);
	}
}

static void count(__u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* One complete write, from whatever context; false if it was lost. */
static __attribute__((noinline)) bool ring_write(unsigned int slots)
{
	__u64 id = __atomic_fetch_add(&ring.attempts, 1, __ATOMIC_RELAXED);
	struct tap_record *rec;
	struct tap_resv resv;

	if (BREAK == 3)
		__atomic_store_n(&shim_stale, __atomic_add_fetch(&shim_clock, 1,
				 __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	resv = tap_ring_reserve(&ring.w, slots * SLOT);
	if (resv.pos & TAP_RESV_FAILED) {
		count(resv.pos == TAP_RESV_FULL ? &ring.lost_full :
						  &ring.lost_nested);
		return false;
	}
	if (ring.honest)
		PROMISE(resv.pos + slots * SLOT - peek_u64(&ring.tail->tail) <=
			ring.bytes, P_ONCE, "reserved %llu for %u with tail %llu",
			(ull)resv.pos, slots, (ull)peek_u64(&ring.tail->tail));
	rec = tap_ring_slot(&ring.w, resv.pos);
	fill(rec, resv.pos, resv.time, id, slots);
	tap_ring_commit(rec, resv.pos);
	count(&ring.written);
	if (ring.written_ids && id < MAX_IDS)
		__atomic_fetch_add(&ring.written_ids[id], 1, __ATOMIC_RELAXED);
	return true;
}

static __u64 ring_flush(void)
{
	return tap_ring_reserve_slow(&ring.w, 0).pos;
}

/* ---------------------------------------------------------------- reader */

static const void *ring_slots(void)
{
	return (const char *)ring.w.head + PAGE;
}

static const struct tap_slot *slot_at(__u64 pos)
{
	return (const void *)((const char *)ring_slots() + (pos & ring.w.mask));
}

static void read_gap(const struct tap_record *rec)
{
	__u64 lost = rec->value[TAP_GAP_LOST];
	__u64 total = rec->value[TAP_GAP_TOTAL];

	reader.gaps++;
	reader.lost += lost;
	reader.next_id += lost;
	PROMISE(rec->slots == 1 && !rec->probe && !rec->flags && !rec->tid &&
		!rec->tgid && !rec->value[TAP_GAP_RESERVED], P_INTACT,
		"gap record at %llu", (ull)reader.pos);
	PROMISE(total >= reader.lost, P_TOTAL_INCLUDES,
		"TOTAL %llu, LOST so far %llu", (ull)total, (ull)reader.lost);
	PROMISE(total >= reader.total, P_TOTAL_GROWS, "TOTAL %llu after %llu",
		(ull)total, (ull)reader.total);
	PROMISE(!lost || rec->value[TAP_GAP_BEGIN] <= rec->time, P_BEGIN,
		"BEGIN %llu in a record of %llu", (ull)rec->value[TAP_GAP_BEGIN],
		(ull)rec->time);
	reader.total = total;
}

static void read_event(const struct tap_record *rec)
{
	__u64 id = rec->value[0];
	unsigned int i = 0, k, j;
	bool intact;

	intact = rec->slots >= 1 && rec->slots <= MAX_SLOTS &&
		 rec->kind == TAP_KIND_EVENT && rec->probe == 1 + id % 1000 &&
		 rec->flags == (__u32)id && rec->tid == (__u32)mix(id) &&
		 rec->tgid == (__u32)~id;
	for (j = 0; j < TAP_FIRST_VALUES; j++)
		intact &= rec->value[j] == word(id, i++);
	for (k = 1; intact && k < rec->slots; k++) {
		const struct tap_slot *slot = slot_at(reader.pos + k * SLOT);

		intact &= slot->seq == tap_slot_seq(reader.pos + k * SLOT, k);
		for (j = 0; j < TAP_SLOT_VALUES; j++)
			intact &= slot->value[j] == word(id, i++);
	}
	PROMISE(intact, P_INTACT, "record %llu at %llu", (ull)id,
		(ull)reader.pos);
	reader.events++;
	if (reader.in_order) {
		PROMISE(id == reader.next_id, P_COMPLETE,
			"record %llu where %llu was due", (ull)id,
			(ull)reader.next_id);
		reader.next_id = id + 1;
	}
	if (reader.read_ids && id < MAX_IDS)
		reader.read_ids[id]++;
}

/* Reads at most so many records; the tail is moved once, at the end. */
static __u64 reader_drain(__u64 most)
{
	void (*hook)(void) = shim_hook;
	__u64 n;

	/* The reader is on another CPU: no interrupts of the writer's here. */
	shim_hook = NULL;
	shim_reader = true;
	/* Beside a writer, a race is enough: each one takes TSan its time. */
	for (n = 0; n < most && (most == ~0ULL || !data_race()); n++) {
		const struct tap_record *rec =
			tap_ring_peek(ring_slots(), ring.w.mask, reader.pos);

		if (!rec)
			break;
		PROMISE(rec->time >= reader.time, P_TIME, "%llu after %llu",
			(ull)rec->time, (ull)reader.time);
		reader.time = rec->time;
		if (rec->kind == TAP_KIND_GAP)
			read_gap(rec);
		else
			read_event(rec);
		/* Also if it is nonsense: an infinite loop shows nothing. */
		reader.pos += rec->slots ? rec->slots * SLOT : SLOT;
	}
	if (n)
		tap_store_release(&ring.tail->tail, reader.pos);
	shim_reader = false;
	shim_hook = hook;
	return n;
}

/* All is quiet: does the ring hold what it says? */
static void check_quiet(void)
{
	__u64 limit = ring.w.limit, tail = ring.tail->tail;
	__u64 lost = ring.lost_full + ring.lost_nested;

	PROMISE(limit <= tail + ring.bytes, P_LIMIT, "limit %llu, tail %llu",
		(ull)limit, (ull)tail);
	PROMISE(limit != tail + TAP_LIMIT_FULL ||
		tail + ring.bytes - ring.w.head->head <= SLOT, P_LIMIT,
		"limit %llu, tail %llu: there is room", (ull)limit, (ull)tail);
	PROMISE(!ring_untold() || limit < ring.w.head->head + SLOT, P_PENDING,
		"%llu pending, limit %llu", (ull)ring_untold(), (ull)limit);
	PROMISE(ring.attempts == ring.written + lost &&
		ring.w.head->lost == lost, P_CONSERVED,
		"%llu attempts, %llu written, %llu lost, ring says %llu",
		(ull)ring.attempts, (ull)ring.written, (ull)lost,
		(ull)ring.w.head->lost);
	PROMISE(!ring.w.head->bad_tail, P_TAIL, "%llu times",
		(ull)ring.w.head->bad_tail);
}

/* All is quiet, and the reader reads what is left. */
static void check_end(void)
{
	__u64 lost = ring.lost_full + ring.lost_nested;
	__u64 id;

	reader_drain(~0ULL);
	ring_flush();
	reader_drain(~0ULL);
	PROMISE(reader.pos == ring.w.head->head, P_COMPLETE,
		"reader at %llu, head %llu", (ull)reader.pos,
		(ull)ring.w.head->head);
	PROMISE(reader.events == ring.written, P_COMPLETE,
		"%llu written, %llu read", (ull)ring.written,
		(ull)reader.events);
	PROMISE(reader.lost == lost && !ring_untold(), P_GAP_SUM,
		"gaps say %llu, %llu lost, %llu pending", (ull)reader.lost,
		(ull)lost, (ull)ring_untold());
	if (reader.in_order)
		PROMISE(reader.next_id == ring.attempts, P_COMPLETE,
			"ended at %llu of %llu", (ull)reader.next_id,
			(ull)ring.attempts);
	for (id = 0; ring.written_ids && id < ring.attempts && id < MAX_IDS; id++)
		PROMISE(ring.written_ids[id] == reader.read_ids[id], P_COMPLETE,
			"record %llu written %u times, read %u times", (ull)id,
			ring.written_ids[id], reader.read_ids[id]);
}

#endif /* _TEST_RING_RING_WORLD_H */
