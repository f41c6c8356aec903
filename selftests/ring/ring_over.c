// SPDX-License-Identifier: GPL-2.0
/*
 * Overwrite mode: writers that interrupt one another, and two sets of rings that are exchanged.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftests/ring/ring_over.h"
#include "selftests/ring/ring_world.h"

#define RING_BYTES	4096
#define MAX_DEPTH	3	/* softirq, hard interrupt, NMI */
/* Steps of a writer between two interrupts, on average; few while a storm lasts. */
#define CALM_STEPS	400
#define STORM_STEPS	80
#define OVER_PROMISES	(1U << P_CONSERVED | 1U << P_COMPLETE | 1U << P_INTACT | 1U << P_TIME | \
			 1U << P_OVERTAKE | 1U << P_SLOTS | 1U << P_GAP_SUM)

static struct {
	__u64 random;
	unsigned int depth;
	unsigned int steps;
	unsigned int longest;	/* records of an interrupt */
	unsigned int max_slots;
} storm;

static void storm_point(void)
{
	__u64 stale = shim_stale;
	unsigned int n;

	/* A tail that passes records whatever their sequence words say. */
	if (BREAK == 9)
		ring.w.passed.tail = ring.w.head->head;
	if (storm.depth == MAX_DEPTH || next_random(&storm.random) % storm.steps)
		return;
	storm.depth++;
	for (n = 1 + next_random(&storm.random) % storm.longest; n; n--)
		ring_write(1 + next_random(&storm.random) % storm.max_slots);
	storm.depth--;
	shim_stale = stale;
}

static void over_check(void)
{
	__u64 lost = ring.lost_full + ring.lost_nested;

	PROMISE(ring.attempts == ring.written + lost && ring.w.head->lost == lost &&
		!ring.lost_full, P_CONSERVED,
		"%llu attempts, %llu written, %llu lost nested, %llu full, ring says %llu",
		(ull)ring.attempts, (ull)ring.written, (ull)ring.lost_nested,
		(ull)ring.lost_full, (ull)ring.w.head->lost);
	PROMISE(!ring.w.head->bad_tail, P_CONSERVED, "a tail of the ring's own is bad");
}

/*
 * The writers run for some time, then end, and the ring is read: as a set of rings that was
 * exchanged. It goes on from there.
 */
void case_overwrite(__u64 records)
{
	static const struct {
		unsigned int watermark, longest, max_slots, steps;
	} kind[] = {
		{ 1024, 1, 1, CALM_STEPS },
		{ 256, 3, 4, CALM_STEPS },
		/* More than a lap while a writer is interrupted: the law of the nested writer. */
		{ 512, 40, 4, CALM_STEPS },
		{ 64, 8, MAX_SLOTS, STORM_STEPS },
	};
	unsigned int k;
	__u64 lost = 0;

	test_case = 7;
	for (k = 0; k < sizeof(kind) / sizeof(kind[0]); k++) {
		__u64 head, dumps = 0;

		snprintf(where, sizeof(where), "overwrite %u: ", k);
		ring_init(RING_BYTES, kind[k].watermark);
		ring_overwrite();
		storm.random = seed ^ (20 + k);
		storm.longest = kind[k].longest;
		storm.max_slots = kind[k].max_slots;
		storm.steps = kind[k].steps;
		while (ring.attempts < records / 4) {
			unsigned int n = 1 + next_random(&storm.random) % 200;

			shim_hook = storm_point;
			while (n--)
				ring_write(1 + next_random(&storm.random) % kind[k].max_slots);
			shim_hook = NULL;
			/* What is lost last is reported as TAP_IOC_FLUSH does it. */
			ring_flush();
			PROMISE(!ring_unreported(), P_GAP_SUM, "%llu pending",
				(ull)ring_unreported());
			ring_dump();
			over_check();
			dumps++;
		}
		head = ring.w.head->head;
		printf("# %llu attempts, %llu lost; %llu of %llu slots read in %llu dumps\n",
		       (ull)ring.attempts, (ull)ring.lost_nested,
		       (ull)(head - ring.skipped) / SLOT, (ull)head / SLOT, (ull)dumps);
		ok(head > 100 * RING_BYTES && ring.skipped && ring.skipped < head,
		   "overwrite, interrupts of up to %u records: %llu laps", kind[k].longest,
		   (ull)head / RING_BYTES);
		/* Only a storm fills the ring with records that are not committed. */
		ok(!ring.lost_nested || kind[k].longest > 1,
		   "overwrite, interrupts of up to %u records: %llu lost", kind[k].longest,
		   (ull)ring.lost_nested);
		lost += ring.lost_nested;
		report_promises("overwrite", OVER_PROMISES);
		ring_unmap();
	}
	ok(lost, "overwrite: interrupted writers filled the ring, %llu losses are nested ones",
	   (ull)lost);
}

/* ------------------------------- two sets of rings that are exchanged */

#define SET_BYTES	1024

struct set {
	struct tap_ring_writer w;
	char memory[TAP_RING_PAGE + SET_BYTES] __attribute__((aligned(64)));
	__u64 read;		/* position of the reader */
};

static struct set sets[2];
static struct set *active;
/* Odd while a writer runs: what preemption off is for a grace period. */
static __u64 running;
static bool writer_done;

static void *exchange_writer(void *arg)
{
	__u64 wanted = *(__u64 *)arg, id = 0;

	pthread_barrier_wait(&together);
	while (id < wanted) {
		struct tap_record *rec;
		struct tap_resv resv;
		struct set *set;

		__atomic_store_n(&running, running + 1, __ATOMIC_SEQ_CST);
		set = __atomic_load_n(&active, __ATOMIC_SEQ_CST);
		resv = tap_ring_reserve(&set->w, SLOT);
		if (!(resv.pos & TAP_RESV_FAILED)) {
			rec = tap_ring_slot(&set->w, resv.pos);
			rec->time = resv.time;
			rec->probe = 1;
			rec->slots = 1;
			rec->kind = TAP_KIND_EVENT;
			rec->value[0] = id++;
			tap_ring_commit(rec, resv.pos);
		}
		__atomic_store_n(&running, running + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&writer_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* What synchronize_rcu() promises: a writer that has the old pointer has ended. */
static void exchange_wait(void)
{
	__u64 seen = __atomic_load_n(&running, __ATOMIC_SEQ_CST);

	if (BREAK == 10 || !(seen & 1))
		return;
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) == seen)
		sched_yield();
}

/* Reads a set that no writer has; returns the number of wrong records. */
static __u64 exchange_read(struct set *set, __u64 *next, __u64 *skipped)
{
	__u64 head = set->w.head->head, wrong = 0, lap = head - set->read;

	if (lap > SET_BYTES) {
		*skipped += lap - SET_BYTES;
		*next += (lap - SET_BYTES) / SLOT;
		set->read = head - SET_BYTES;
	}
	for (; set->read < head; set->read += SLOT) {
		const struct tap_record *rec = tap_ring_slot(&set->w, set->read);

		wrong += rec->seq != tap_slot_seq(set->read, 0) || rec->value[0] != (*next)++;
	}
	return wrong;
}

void case_exchange(__u64 records)
{
	__u64 wrong = 0, next = 0, skipped = 0, exchanges = 0;
	pthread_t thread;
	unsigned int i;

	test_case = 8;
	for (i = 0; i < 2; i++) {
		struct tap_ring_writer *w = &sets[i].w;

		w->head = (void *)sets[i].memory;
		w->tail = &w->passed;
		w->mask = SET_BYTES - 1;
		w->watermark = 256;
		w->mark = 256;
		w->limit = 255;
	}
	active = &sets[0];
	if (pthread_create(&thread, NULL, exchange_writer, &records))
		abort();
	pthread_barrier_wait(&together);
	/* However fast this thread is, the writer has overwritten slots once. */
	while (__atomic_load_n(&sets[0].w.head->head, __ATOMIC_ACQUIRE) <= SET_BYTES && !data_race())
		sched_yield();
	while (!__atomic_load_n(&writer_done, __ATOMIC_ACQUIRE) && !data_race()) {
		struct set *old = active;

		__atomic_store_n(&active, &sets[++exchanges % 2], __ATOMIC_SEQ_CST);
		exchange_wait();
		wrong += exchange_read(old, &next, &skipped);
	}
	pthread_join(thread, NULL);
	wrong += exchange_read(active, &next, &skipped);
	ok(!wrong && next == records && skipped,
	   "exchange: %llu records in two sets, %llu slots overwritten, %llu wrong",
	   (ull)next, (ull)skipped / SLOT, (ull)wrong);
	printf("# %llu exchanges\n", (ull)exchanges);
	report_promises("exchange", 0);
}
