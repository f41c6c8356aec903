// SPDX-License-Identifier: GPL-2.0
/*
 * Native stress test of the ring of module/common/ring_core.h: it runs the module's algorithm over
 * primitives that interrupt themselves.
 *
 *	make -C selftests/ring run-ring_core-plain	(-asan, -tsan: sanitizers)
 *	build/native/ring_core-plain [RECORDS [SEED]]
 *
 * RECORDS is the number of records of the concurrent cases, 20 million by default (TSan: 2
 * million).
 *
 * Negative controls: with -DBREAK=N (1 to 10, see ring_shim.h; 2, 5, 6, 7 and 10 with
 * -fsanitize=thread) and --expect-failure as first argument, the exit status is 0 only if the case
 * that must detect that weakness failed.
 */
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

#include "selftests/ring/ring_nested.h"
#include "selftests/ring/ring_over.h"
#include "selftests/ring/ring_world.h"

/* --------------------------------------------- 1: one writer, many laps */

static void case_laps(__u64 records)
{
	__u64 random = seed, i = 0, n, crossings = 0, head;

	test_case = 1;
	snprintf(where, sizeof(where), "laps: ");
	ring_init(4096, 1024);
	reader.in_order = true;
	shim_wakes = 0;
	while (i < records) {
		for (n = next_random(&random) % 64 + 1; n; n--, i++) {
			head = ring.w.head->head;
			ring_write(1);
			crossings += ring.w.head->head / 1024 > head / 1024;
		}
		world_check();
		reader_drain(~0ULL);
	}
	world_check_end();
	world_check();
	ok(!ring.lost_full && reader.events == i && !reader.gaps,
	   "one writer: %llu laps, all %llu records read, none lost",
	   (ull)(ring.w.head->head / ring.bytes), (ull)i);
	ok(shim_wakes == crossings,
	   "one writer: %llu wake-ups for %llu watermarks crossed",
	   (ull)shim_wakes, (ull)crossings);
	report_promises("one writer", ALL_PROMISES & ~(1U << P_WAKE));
	ring_unmap();
}

/* -------------------------------------------- 2: writer beside a reader */

struct stream {
	__u64 records;
	unsigned int max_slots;
	bool sleepy;
	bool done;
};

static void *stream_reader(void *arg)
{
	struct stream *stream = arg;
	__u64 random = seed ^ 2;
	bool done;

	pthread_barrier_wait(&together);
	do {
		done = __atomic_load_n(&stream->done, __ATOMIC_ACQUIRE);
		if (!reader_drain(next_random(&random) % 512 + 1))
			sched_yield();
		if (stream->sleepy && next_random(&random) % 2048 == 0)
			usleep(next_random(&random) % 3000);
	} while (!done && !data_race());
	return NULL;
}

static void case_stream(__u64 records, unsigned int max_slots, bool sleepy)
{
	struct stream stream = {
		.records = records, .max_slots = max_slots, .sleepy = sleepy,
	};
	__u64 random = seed ^ 1, i;
	char title[64];
	pthread_t thread;

	test_case = 2;
	snprintf(where, sizeof(where), "stream: ");
	ring_init(sleepy ? 1 << 20 : 1 << 12, sleepy ? 1 << 18 : 1 << 10);
	reader.in_order = true;
	if (pthread_create(&thread, NULL, stream_reader, &stream))
		abort();
	pthread_barrier_wait(&together);
	/* A writer that never waits would be laps ahead, and lose all records. */
	for (i = 0; i < records && !data_race(); i++)
		if (!ring_write(max_slots == 1 ? 1 :
				1 + next_random(&random) % max_slots) &&
		    next_random(&random) % 64 == 0)
			sched_yield();
	__atomic_store_n(&stream.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	world_check();
	world_check_end();
	world_check();
	printf("# %llu attempts, %llu written, %llu lost, %llu gap records\n",
	       (ull)ring.attempts, (ull)ring.written, (ull)ring.lost_full,
	       (ull)reader.gaps);
	ok(ring.attempts == records && ring.written && !ring.lost_nested,
	   "stream of records of up to %u slots: %llu written beside a %s reader",
	   max_slots, (ull)records, sleepy ? "sleepy" : "busy");
	snprintf(title, sizeof(title), "stream, up to %u slots, %s reader",
		 max_slots, sleepy ? "sleepy" : "busy");
	report_promises(title, ALL_PROMISES & ~(1U << P_WAKE | 1U << P_NO_FALSE_LOSS));
	ring_unmap();
}

/* ------------------------------------------------- 4: real interruption */

static const int nest_signals[] = { SIGUSR1, SIGUSR2, SIGURG };
static __u64 signal_random;
static __u64 signals_taken, signals_deep;
static int signal_depth;

static void on_signal(int sig)
{
	(void)sig;
	if (++signal_depth > 1)
		signals_deep++;
	signals_taken++;
	/* The signal handlers race for this state; the numbers are random anyway. */
	ring_write(1 + next_random(&signal_random) % 4);
	signal_depth--;
}

struct signaller {
	pthread_t target;
	bool done;
};

static void *signal_sender(void *arg)
{
	struct signaller *s = arg;
	__u64 random = seed ^ 4;

	pthread_barrier_wait(&together);
	while (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
		unsigned int burst = 1 + next_random(&random) % 3;
		unsigned int spin = next_random(&random) % 2048;

		while (burst--)
			pthread_kill(s->target,
				     nest_signals[next_random(&random) % 3]);
		/* The reader, which is on this CPU too. */
		reader_drain(next_random(&random) % 256);
		while (spin--)
			__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

static void case_signals(__u64 wanted)
{
	struct signaller s = { .target = pthread_self() };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	time_t end = time(NULL) + 20;
	__u64 random = seed ^ 5;
	pthread_t thread;
	int n;

	test_case = 4;
	snprintf(where, sizeof(where), "signals: ");
	if (TSAN) {
		/* TSan delays signals, so that they would not interrupt the writer. */
		printf("# signals are not tested under ThreadSanitizer\n");
		return;
	}
	ring_init(1 << 14, 1 << 12);
	ring_track_ids();
	/* Only later signals interrupt a handler. */
	for (n = 0; n < 3; n++) {
		sigaddset(&action.sa_mask, nest_signals[n]);
		sigaction(nest_signals[n], &action, NULL);
	}
	if (pthread_create(&thread, NULL, signal_sender, &s))
		abort();
	pthread_barrier_wait(&together);
	while (__atomic_load_n(&signals_taken, __ATOMIC_RELAXED) < wanted &&
	       (ring.attempts % 4096 || time(NULL) < end))
		if (!ring_write(1 + next_random(&random) % 4) &&
		    next_random(&random) % 64 == 0)
			sched_yield();
	__atomic_store_n(&s.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	for (n = 0; n < 3; n++)
		signal(nest_signals[n], SIG_IGN);
	world_check();
	world_check_end();
	world_check();
	printf("# %llu of the signals inside another; %llu written, %llu lost\n",
	       (ull)signals_deep, (ull)ring.written,
	       (ull)(ring.lost_full + ring.lost_nested));
	ok(signals_taken >= wanted / 100 && ring.written,
	   "signals: a writer was interrupted by %llu of them",
	   (ull)signals_taken);
	report_promises("signals", ALL_PROMISES & ~(1U << P_WAKE | 1U << P_NO_FALSE_LOSS));
	ring_unmap();
}

/* ------------------------------------------------------ 5: hostile tail */

static __u64 hostile_tail(__u64 *random)
{
	__u64 head = peek_u64(&ring.w.head->head);
	__u64 tail = peek_u64(&ring.tail->tail);

	switch (next_random(random) % 12) {
	case 0:  return next_random(random);
	case 1:  return tail + 1;
	case 2:  return tail - 1;
	case 3:  return 1ULL << 63;
	case 4:  return head + SLOT;
	case 5:  return head - ring.bytes - SLOT;
	case 6:  return head - (next_random(random) % 64) * SLOT;
	case 7:  return ~0ULL;
	case 8:  return 0;
	case 9:  return head + (1ULL << 63);
	case 10: return head - SLOT / 2;
	default: return head;
	}
}

static __u64 hostile_random;

static void hostile_point(void)
{
	void (*hook)(void) = shim_hook;

	if (next_random(&hostile_random) % 4)
		return;
	shim_hook = NULL;
	tap_store_once(&ring.tail->tail, hostile_tail(&hostile_random));
	shim_hook = hook;
}

/* Returns whether the fast path could never go beyond one lap. */
static bool hostile_writes(__u64 records, __u64 *random)
{
	bool within = true;
	__u64 i;

	shim_hook = hostile_point;
	for (i = 0; i < records; i++) {
		ring_write(1 + next_random(random) % MAX_SLOTS);
		within &= ring.w.limit <= ring.w.head->head + ring.bytes;
	}
	shim_hook = NULL;
	return within;
}

/* Makes tail and reader consistent again: the ring must work from here on. */
static bool hostile_recovers(void)
{
	__u64 head = ring.w.head->head, lost, written;
	int i;

	reader.pos = head;
	tap_store_release(&ring.tail->tail, head);
	lost = ring.lost_full + ring.lost_nested;
	written = ring.written;
	for (i = 0; i < 1000; i++) {
		ring_write(1 + i % 3);
		reader_drain(~0ULL);
	}
	return ring.lost_full + ring.lost_nested == lost &&
	       ring.written == written + 1000 &&
	       reader.pos == ring.w.head->head && !ring_unreported();
}

static void check_hostile_end(const char *title, bool counted)
{
	__u64 lost = ring.lost_full + ring.lost_nested;

	ok(ring.attempts == ring.written + lost && ring.w.head->lost == lost,
	   "%s: of %llu attempts %llu written and %llu lost", title,
	   (ull)ring.attempts, (ull)ring.written, (ull)lost);
	/* With a concurrent writer it may be that no bad tail was seen at the time of a check. */
	ok(ring.w.head->bad_tail || !counted, "%s: counted %llu bad tails",
	   title, (ull)ring.w.head->bad_tail);
	ok(hostile_recovers(), "%s: a valid tail is accepted again", title);
	/* After a valid tail all promises to the reader hold. */
	report_promises(title, 1U << P_INTACT | 1U << P_TIME);
}

static void *hostile_writer(void *arg)
{
	bool *done = arg;
	__u64 random = seed ^ 6;

	pthread_barrier_wait(&together);
	while (!__atomic_load_n(done, __ATOMIC_ACQUIRE))
		__atomic_store_n(&ring.tail->tail, hostile_tail(&random),
				 __ATOMIC_RELAXED);
	return NULL;
}

static void case_hostile(__u64 records)
{
	static const __s64 bad[] = { 1, 32, SLOT, -1, -32, -8192 };
	bool done = false, counted = true, refused = true;
	__u64 random = seed ^ 7, i;
	pthread_t thread;

	test_case = 5;
	snprintf(where, sizeof(where), "hostile: ");

	ring_init(4096, 1024);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		__u64 before = ring.w.head->bad_tail;

		ring.w.limit = 0;
		ring.tail->tail = ring.w.head->head + bad[i];
		refused &= !ring_write(1);
		counted &= ring.w.head->bad_tail == before + 1;
		ring.tail->tail = ring.w.head->head;
		refused &= ring_write(1);
	}
	ok(refused && counted,
	   "hostile tail: refuses the record, is counted, and has no effect after a valid one");
	ring_unmap();

	/* On a new ring, a tail just below zero is not just behind the head. */
	for (refused = true, i = 1; i < 64; i++) {
		ring_init(4096, 1024);
		ring.w.limit = 0;
		ring.tail->tail = -i * SLOT;
		refused &= !ring_write(2) && ring.w.head->bad_tail == 1;
		ring.tail->tail = 0;
		refused &= ring_write(1) && ring.w.limit <= ring.bytes;
		ring_unmap();
	}
	ok(refused, "hostile tail: below zero is refused");

	/* Tails between the steps of a writer, on new rings. */
	hostile_random = seed ^ 8;
	for (refused = true, i = 0; i < records / 100; i++) {
		ring_init(4096, 512);
		ring.honest = false;
		refused &= hostile_writes(8, &random);
		ring_unmap();
	}
	ok(refused, "hostile tail: the limit of a new ring stays within one lap");

	/* And on a ring that wraps. Slots fill whole pages: guard pages adjoin them. */
	ring_init(4096, 512);
	ring.honest = false;
	ok(hostile_writes(records / 4, &random),
	   "hostile tail: the limit stays within one lap");
	check_hostile_end("hostile tail between steps", true);
	ring_unmap();

	ring_init(4096, 512);
	ring.honest = false;
	if (pthread_create(&thread, NULL, hostile_writer, &done))
		abort();
	pthread_barrier_wait(&together);
	for (i = 0; i < records; i++)
		ring_write(1 + next_random(&random) % MAX_SLOTS);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	check_hostile_end("hostile tail beside the writer", false);
	ring_unmap();
}

/* ----------------------------------------- 6: a reader that starts anywhere */

/* Returns the next position from @pos on where a record starts, or the head. */
static __u64 resync(__u64 pos, __u64 head)
{
	while (pos < head && slot_at(pos)->seq != tap_slot_seq(pos, 0))
		pos += SLOT;
	return pos;
}

static void case_resync(unsigned int rounds)
{
	static __u64 begins[4096];
	unsigned int slots = 1 << 12 >> TAP_SLOT_SHIFT, nr = 0, wrong = 0;
	unsigned int first_words = 0, holes = 0, round, i;
	__u64 random = seed ^ 9;

	test_case = 6;
	snprintf(where, sizeof(where), "resync: ");
	ring_init(slots * SLOT, slots * SLOT / 4);
	reader.in_order = true;
	for (round = 0; round < rounds; round++) {
		__u64 head, low, pos;
		struct tap_resv hole;

		/* Random records, all read, so that the last lap is complete. */
		for (i = 1 + next_random(&random) % 32; i; i--) {
			begins[nr++ % 4096] = ring.w.head->head;
			ring_write(1 + next_random(&random) % MAX_SLOTS);
			reader_drain(~0ULL);
		}
		head = ring.w.head->head;
		low = head > ring.bytes ? head - ring.bytes : 0;
		for (pos = low; pos < head; pos += SLOT) {
			__u64 want = head;

			for (i = nr; i && i + 4096 > nr; i--) {
				if (begins[(i - 1) % 4096] < pos)
					break;
				want = begins[(i - 1) % 4096];
			}
			wrong += resync(pos, head) != want;
		}
		/*
		 * A reserved record that is not committed: none of its slots may look like a
		 * record.
		 */
		i = 1 + next_random(&random) % MAX_SLOTS;
		hole = tap_ring_reserve(&ring.w, i * SLOT);
		ring.attempts++;
		for (pos = head; pos < head + i * SLOT; pos += SLOT) {
			first_words += slot_at(pos)->seq == tap_slot_seq(pos, 0);
			holes++;
		}
		begins[nr++ % 4096] = head;
		ring_fill(tap_ring_slot(&ring.w, head), head, hole.time,
		     ring.attempts - 1, i);
		for (pos = head; pos < head + i * SLOT; pos += SLOT)
			first_words += slot_at(pos)->seq == tap_slot_seq(pos, 0);
		tap_ring_commit(tap_ring_slot(&ring.w, head), head);
		ring.written++;
		reader_drain(~0ULL);
	}
	world_check_end();
	ok(!wrong, "a reader that starts at any slot finds the next record");
	ok(!first_words, "none of %u reserved slots looks committed too early",
	   holes);
	report_promises("records of 1 to 20 slots", 1U << P_CONSERVED |
			1U << P_COMPLETE | 1U << P_INTACT | 1U << P_TIME);
	ring_unmap();
}

/* Sequence words have the documented value for every length of a record. */
static void case_sequence_words(void)
{
	unsigned int k, bad = 0;
	__u64 pos;

	test_case = 6;
	for (pos = 0; pos < 1 << 16; pos += SLOT) {
		for (k = 0; k < TAP_MAX_SLOTS; k++) {
			__u64 word = tap_slot_seq(pos, k);

			/* K is in the low bits; 0 only for the first slot. */
			bad += (word & ~(__u64)TAP_SLOT_INDEX_MASK) != pos + SLOT;
			bad += !(word & TAP_SLOT_INDEX_MASK) != !k;
		}
	}
	ok(!bad, "sequence words differ between first and further slots, up to %d",
	   TAP_MAX_SLOTS);
}

/* ------------------------------------------------------------------ main */

int main(int argc, char **argv)
{
	static const unsigned int break_case[] = { 0, 3, 2, 3, 3, 2, 2, 2, 3, 7, 8 };
	__u64 records = TSAN ? 2000000 : 20000000;
	bool expect_failure = false;

	if (argc > 1 && !strcmp(argv[1], "--expect-failure")) {
		expect_failure = true;
		argc--;
		argv++;
	}
	if (argc > 1)
		records = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	if (!records || argc > 3) {
		fprintf(stderr, "usage: ring_core_test [--expect-failure] [RECORDS [SEED]]\n");
		return 2;
	}
	printf("# %llu records, seed %llu%s\n", (ull)records, (ull)seed,
	       TSAN ? ", ThreadSanitizer" : "");

	if (pthread_barrier_init(&together, NULL, 2))
		abort();
	case_laps(records / 10 + 100000);
	case_stream(records, 1, true);
	case_stream(records / 4, 1, false);
	case_stream(records / 10, MAX_SLOTS, true);
	if (!expect_failure || (break_case[BREAK] != 2 && break_case[BREAK] != 8)) {
		case_nested(records >= 5000000);
		case_signals(records / 200);
		case_hostile(records / 10);
		case_sequence_words();
		case_resync(200);
		case_overwrite(records / 10);
	}
	case_exchange(records / 20 + 10000);
	printf("%u passed, %u failed\n", test_passed, test_failed);
	if (!expect_failure)
		return test_failed ? 1 : 0;
	if ((break_case[BREAK] == 2 || break_case[BREAK] == 8) && !TSAN) {
		printf("# only ThreadSanitizer can see this weakness\n");
		return 0;
	}
	if (failed_cases & 1U << break_case[BREAK]) {
		printf("# failed as expected\n");
		return 0;
	}
	printf("# case %u should have failed\n", break_case[BREAK]);
	return 1;
}
