// SPDX-License-Identifier: GPL-2.0
/*
 * A ring of module/common/ring_core.h with a writer and a reader that count every event, and the
 * promises that are checked.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "selftests/ring/ring_world.h"

_Thread_local void (*shim_hook)(void);
_Thread_local bool shim_reader;
__u64 shim_clock;
__u64 shim_wakes;
__u64 shim_stale;

/* ------------------------------------------------------------- reporting */

unsigned int test_passed, test_failed;
unsigned int test_case;
unsigned int failed_cases;

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

void ok(bool good, const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", good ? "" : "not ", test_passed + test_failed + 1);
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

bool data_race(void)
{
	return TSAN && __atomic_load_n(&tsan_reports, __ATOMIC_RELAXED);
}

static const char * const promise_text[NR_PROMISES] = {
	[P_CONSERVED]	= "every attempt is either written or counted as lost",
	[P_GAP_SUM]	= "the gap records add up to the losses",
	[P_ONCE]	= "no slot is reserved that is unread or reserved",
	[P_COMPLETE]	= "the reader finds every written record, once, and no hole",
	[P_INTACT]	= "records arrive intact",
	[P_TIME]	= "time never decreases along the ring",
	[P_LIMIT]	= "the limit is at most one lap beyond the tail",
	[P_PENDING]	= "after an unreported loss the next writer takes the slow path",
	[P_NO_FALSE_LOSS] = "nothing is lost while there is room",
	[P_TAIL]	= "an honest reader's tail never counts as bad",
	[P_WAKE]	= "a writer that reaches a watermark wakes the reader",
	[P_TOTAL_INCLUDES] = "a gap record's TOTAL includes all LOST so far",
	[P_TOTAL_GROWS]	= "TOTAL never decreases along the ring",
	[P_BEGIN]	= "a gap record's BEGIN is not after the record",
	[P_OVERTAKE]	= "no writer goes over a record that an interrupted one has not committed",
	[P_SLOTS]	= "head - tail = read + skipped + there, in slots",
};

static ull broken[NR_PROMISES];
static char broken_how[NR_PROMISES][200];
char where[160];

void break_promise(enum promise p, const char *format, ...)
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

void report_promises(const char *title, unsigned int mask)
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

/* ---------------------------------------------------------------- random */

__u64 seed = 1;

static __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

__u64 next_random(__u64 *state)
{
	return mix(*state += 0x9e3779b97f4a7c15ULL);
}

/* ------------------------------------------------------------------ ring */

struct ring ring;
struct reader reader;

__u64 ring_unreported(void)
{
	return ring.w.head->lost - ring.w.reported;
}

static char *arena;
static size_t arena_bytes;

pthread_barrier_t together;

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

bool ring_canary(void)
{
	const char *slots = arena + 4 * PAGE;
	size_t i;

	for (i = ring.bytes; i % PAGE; i++)
		if (slots[i] != (char)0xa5)
			return false;
	return true;
}

void ring_unmap(void)
{
	free(ring.written_ids);
	free(reader.read_ids);
	munmap(arena, arena_bytes);
	arena = NULL;
}

/* Sets the ring up as tap_rings_alloc() does. */
void ring_init(__u64 bytes, __u64 watermark)
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

void ring_overwrite(void)
{
	ring.w.tail = &ring.w.passed;
	/* No reader moves this tail. */
	ring.honest = false;
}

void ring_track_ids(void)
{
	ring.written_ids = calloc(MAX_IDS, 1);
	reader.read_ids = calloc(MAX_IDS, 1);
	if (!ring.written_ids || !reader.read_ids)
		abort();
}

/* ---------------------------------------------------------------- writer */

/* A record of n slots has 4 + 7 (n - 1) words: its id, and words computed from the id. */
static __u64 word(__u64 id, unsigned int i)
{
	return i ? mix(id * 256 + i) : id;
}

void ring_fill(struct tap_record *rec, __u64 pos, __u64 time, __u64 id, unsigned int slots)
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

bool ring_write(unsigned int slots)
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
	ring_fill(rec, resv.pos, resv.time, id, slots);
	if (tap_ring_overwrites(&ring.w))
		PROMISE(peek_u64(&ring.w.head->head) - resv.pos <= ring.bytes, P_OVERTAKE,
			"head %llu before the commit of %llu",
			(ull)peek_u64(&ring.w.head->head), (ull)resv.pos);
	tap_ring_commit(rec, resv.pos);
	count(&ring.written);
	if (ring.written_ids && id < MAX_IDS)
		__atomic_fetch_add(&ring.written_ids[id], 1, __ATOMIC_RELAXED);
	return true;
}

__u64 ring_flush(void)
{
	return tap_ring_reserve_slow(&ring.w, 0).pos;
}

/* ---------------------------------------------------------------- reader */

const void *ring_slots(void)
{
	return (const char *)ring.w.head + PAGE;
}

const struct tap_slot *slot_at(__u64 pos)
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

__u64 reader_drain(__u64 most)
{
	void (*hook)(void) = shim_hook;
	__u64 n;

	/* The reader is on another CPU: the writer's interrupts do not occur here. */
	shim_hook = NULL;
	shim_reader = true;
	/* With a writer, one race is enough: TSan takes long for each. */
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
		/* Moves on even if the record is corrupt: an infinite loop would report nothing. */
		reader.pos += rec->slots ? rec->slots * SLOT : SLOT;
	}
	if (n)
		tap_store_release(&ring.tail->tail, reader.pos);
	shim_reader = false;
	shim_hook = hook;
	return n;
}

void ring_dump(void)
{
	__u64 head = ring.w.head->head, from = reader.pos, read = 0;

	if (head - reader.pos > ring.bytes)
		reader.pos = head - ring.bytes;
	ring.skipped += reader.pos - from;
	while (reader.pos < head) {
		const struct tap_record *rec = tap_ring_peek(ring_slots(), ring.w.mask, reader.pos);
		__u64 pos = reader.pos;

		if (!rec) {
			/* A record whose start is gone: only at the oldest slots. */
			PROMISE(!read, P_COMPLETE, "a hole at %llu", (ull)pos);
			ring.skipped += SLOT;
			reader.pos += SLOT;
			continue;
		}
		reader_drain(1);
		read += reader.pos - pos;
	}
	PROMISE(reader.pos == head && ring.w.passed.tail <= head, P_SLOTS,
		"reader at %llu, passed %llu, head %llu", (ull)reader.pos,
		(ull)ring.w.passed.tail, (ull)head);
	PROMISE(head - from <= ring.bytes || read + MAX_SLOTS * SLOT > ring.bytes, P_SLOTS,
		"%llu of %llu bytes read", (ull)read, (ull)ring.bytes);
}

void world_check(void)
{
	__u64 limit = ring.w.limit, tail = ring.tail->tail;
	__u64 lost = ring.lost_full + ring.lost_nested;

	PROMISE(limit <= tail + ring.bytes, P_LIMIT, "limit %llu, tail %llu",
		(ull)limit, (ull)tail);
	PROMISE(limit != tail + TAP_LIMIT_FULL ||
		tail + ring.bytes - ring.w.head->head <= SLOT, P_LIMIT,
		"limit %llu, tail %llu: the ring has room", (ull)limit, (ull)tail);
	PROMISE(!ring_unreported() || limit < ring.w.head->head + SLOT, P_PENDING,
		"%llu pending, limit %llu", (ull)ring_unreported(), (ull)limit);
	PROMISE(ring.attempts == ring.written + lost &&
		ring.w.head->lost == lost, P_CONSERVED,
		"%llu attempts, %llu written, %llu lost, ring says %llu",
		(ull)ring.attempts, (ull)ring.written, (ull)lost,
		(ull)ring.w.head->lost);
	PROMISE(!ring.w.head->bad_tail, P_TAIL, "%llu times",
		(ull)ring.w.head->bad_tail);
}

void world_check_end(void)
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
	PROMISE(reader.lost == lost && !ring_unreported(), P_GAP_SUM,
		"gaps say %llu, %llu lost, %llu pending", (ull)reader.lost,
		(ull)lost, (ull)ring_unreported());
	if (reader.in_order)
		PROMISE(reader.next_id == ring.attempts, P_COMPLETE,
			"ended at %llu of %llu", (ull)reader.next_id,
			(ull)ring.attempts);
	for (id = 0; ring.written_ids && id < ring.attempts && id < MAX_IDS; id++)
		PROMISE(ring.written_ids[id] == reader.read_ids[id], P_COMPLETE,
			"record %llu written %u times, read %u times", (ull)id,
			ring.written_ids[id], reader.read_ids[id]);
}
