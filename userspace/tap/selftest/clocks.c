// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of a session: its rate, durations of known sleeps, and its order across CPUs.
 *
 * Two threads on two CPUs hand a number round through memory, and record it in between. So
 * each record happened after the one before it, and must not have an earlier time. Only
 * the raw time stamp counter may be earlier, by as much as the processor reads ahead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define SLEEPS		5
#define SLEEP_NS	2000000ULL
#define RATE_NS		100000000L
#define MAX_PPM		1000

#define ROUNDS		200	/* records of a pair of CPUs */
/* What a processor may read ahead: a window of 512 instructions, some of them slow. */
#define AHEAD_NS	1000
#define MAX_NEIGHBOURS	64
#define MAX_DISTANT	32
#define MAX_TIME_NS	10000000000ULL
#define PAIR_TIME_NS	2000000000ULL

/* ------------------------------------------------------ rate and durations */

static void check_sleep(struct rig *rig, const struct tap_event *ev)
{
	__u64 ns = rig_ns(rig, tap_event_word(ev, TAP_CALL_DURATION));

	if (ns < SLEEP_NS - SLEEP_NS * MAX_PPM / 1000000)
		test_fail(rig->t, "duration of a sleep of %llu ns: got %llu ns", SLEEP_NS,
			  (unsigned long long)ns);
	if (!(ev->rec->flags & TAP_F_DESCHEDULED))
		test_fail(rig->t, "a sleep: expected the flag \"descheduled\"");
	*(__u64 *)rig->arg += ns;
}

static void sleep_test(struct selftest *st)
{
	struct timespec time = { 0, SLEEP_NS };
	__u64 sum = 0, begin, took = 0;
	struct selftest_test t;
	struct rig rig;
	unsigned int i;

	test_begin(&t, st, "duration");
	if (!test_can(&t, TAP_FEATURE_SYSCALL, "it is tested with syscall:")) {
		test_end(&t);
		return;
	}
	if (!rig_open(&rig, &t, 0) && !rig_add(&rig, NULL, "syscall:nanosleep") &&
	    !rig_start(&rig)) {
		rig.event = check_sleep;
		rig.arg = &sum;
		for (i = 0; i < SLEEPS && !selftest_stopped(); i++) {
			begin = machine_now();
			syscall(SYS_nanosleep, &time, NULL);
			took += machine_now() - begin;
		}
		rig_stop(&rig);
		test_equal(&t, "records", SLEEPS, rig.records);
		/* The rate of the clock may be off by what clock_rate_test() allows. */
		if (sum > took + took * MAX_PPM / 1000000)
			test_fail(&t, "durations of %d sleeps: %llu ns, but they took %llu ns",
				  SLEEPS, (unsigned long long)sum, (unsigned long long)took);
		test_note(&t, "%d sleeps of 2 ms: %.3f ms on average", SLEEPS,
			  (double)sum / 1e6 / SLEEPS);
	}
	rig_close(&rig);
	test_end(&t);
}

static void rate_test(struct selftest *st)
{
	struct timespec time = { 0, RATE_NS };
	struct tap_time begin, end;
	struct selftest_test t;
	double ns, mono, ppm;
	struct rig rig;

	test_begin(&t, st, "clock-rate");
	if (!rig_open(&rig, &t, 0) && !rig_start(&rig)) {
		if (tap_session_time(rig.session, &begin) || nanosleep(&time, NULL) ||
		    tap_session_time(rig.session, &end)) {
			test_fail(&t, "the clock cannot be read");
		} else {
			ns = (double)rig_ns(&rig, end.out_raw - begin.out_raw);
			mono = (double)(end.out_mono - begin.out_mono);
			ppm = (ns - mono) / mono * 1e6;
			if (ppm > MAX_PPM || ppm < -MAX_PPM)
				test_fail(&t, "%.0f ns of CLOCK_MONOTONIC: got %.0f ns", mono, ns);
			test_note(&t, "%+.1f ppm of CLOCK_MONOTONIC in %.0f ms", ppm, mono / 1e6);
		}
	}
	rig_close(&rig);
	test_end(&t);
}

/* ------------------------------------------------------- order across CPUs */

/**
 * struct pair - two threads that hand a number round
 * @st: the run
 * @token: the next number; its parity says whose turn it is
 * @abort: the partner takes too long
 */
struct pair {
	struct selftest *st;
	atomic_uint token;
	atomic_bool abort;
};

struct party {
	struct pair *pair;
	int cpu;
	unsigned int parity;
};

/**
 * struct clock_state - over all pairs
 * @times: of the numbers of the pair that runs; 0: not seen
 * @handoffs: between two records
 * @inversions: where the later record has the earlier time
 * @worst: largest inversion, ticks
 * @worst_pair: CPUs of the largest inversion
 * @shortest: time between two records that follow each other, ticks
 * @offset: largest offset of two clocks that the times of both directions suggest, ticks
 * @pairs: pairs that ended
 */
struct clock_state {
	__u64 times[ROUNDS];
	__u64 handoffs;
	__u64 inversions;
	__u64 worst;
	int worst_pair[2];
	__u64 shortest;
	__u64 offset;
	unsigned int pairs;
};

static inline void relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" : : : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("yield" : : : "memory");
#endif
}

/* Waits until it is this number's turn; the partner may have been preempted. */
static bool await(struct pair *pair, unsigned int number)
{
	__u64 begin = machine_now();
	unsigned int spins = 0;

	while (atomic_load_explicit(&pair->token, memory_order_acquire) != number) {
		if (++spins % 4096) {
			relax();
			continue;
		}
		if (atomic_load(&pair->abort) || selftest_stopped() ||
		    machine_now() - begin > PAIR_TIME_NS)
			return false;
		sched_yield();
	}
	return true;
}

static void *hand_round(void *arg)
{
	struct party *party = arg;
	struct pair *pair = party->pair;
	int fd = trigger_memfd();
	unsigned int i;

	if (fd < 0 || !machine_pin(pair->st, party->cpu))
		atomic_store(&pair->abort, true);
	for (i = party->parity; i < ROUNDS; i += 2) {
		if (atomic_load(&pair->abort) || !await(pair, i)) {
			atomic_store(&pair->abort, true);
			break;
		}
		syscall(SYS_lseek, fd, trigger_lseek.arg(i), SEEK_SET);
		atomic_store_explicit(&pair->token, i + 1, memory_order_release);
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void note_time(struct rig *rig, const struct tap_event *ev)
{
	struct clock_state *s = rig->arg;
	__u64 i = (tap_event_word(ev, 0) - trigger_lseek.arg(0)) /
		  (trigger_lseek.arg(1) - trigger_lseek.arg(0));

	if (i < ROUNDS)
		s->times[i] = ev->time;
}

/* The shortest way there and the shortest way back differ by twice the clocks' offset. */
static void conclude_pair(struct clock_state *s, int a, int b)
{
	__s64 least[2] = { INT64_MAX, INT64_MAX }, delta;
	unsigned int i;
	__u64 offset;

	for (i = 1; i < ROUNDS; i++) {
		delta = (__s64)(s->times[i] - s->times[i - 1]);
		if (delta < least[i % 2])
			least[i % 2] = delta;
		s->handoffs++;
		if (delta >= 0)
			continue;
		s->inversions++;
		if ((__u64)-delta > s->worst) {
			s->worst = (__u64)-delta;
			s->worst_pair[0] = a;
			s->worst_pair[1] = b;
		}
	}
	for (i = 0; i < 2; i++)
		if (least[i] >= 0 && (__u64)least[i] < s->shortest)
			s->shortest = (__u64)least[i];
	offset = (__u64)llabs(least[0] - least[1]) / 2;
	if (offset > s->offset)
		s->offset = offset;
	s->pairs++;
}

static bool run_pair(struct rig *rig, struct clock_state *s, int a, int b)
{
	struct pair pair = { .st = rig->t->st };
	struct party parties[2] = { { &pair, a, 0 }, { &pair, b, 1 } };
	__u64 before = rig->records;
	pthread_t thread;

	if (pthread_create(&thread, NULL, hand_round, &parties[0]))
		return false;
	hand_round(&parties[1]);
	pthread_join(thread, NULL);
	/* Both have returned: nothing need be held back. */
	tap_reader_drain(rig->reader, true);
	rig_read(rig);
	if (atomic_load(&pair.abort))
		return false;
	if (test_equal(rig->t, "records of two CPUs", ROUNDS, rig->records - before))
		conclude_pair(s, a, b);
	return true;
}

/* All neighbours, and CPUs that are far from each other, up to a bound of each. */
static unsigned int run_pairs(struct rig *rig, struct clock_state *s)
{
	struct selftest *st = rig->t->st;
	unsigned int n = st->nr_cpus, near, far, i, at, wanted;
	__u64 begin = machine_now();

	near = n - 1 < MAX_NEIGHBOURS ? n - 1 : MAX_NEIGHBOURS;
	far = n < 4 ? 0 : n / 2 < MAX_DISTANT ? n / 2 : MAX_DISTANT;
	wanted = near + far;
	for (i = 0; i < wanted && !selftest_stopped(); i++) {
		if (machine_now() - begin > MAX_TIME_NS)
			break;
		if (i < near) {
			at = (unsigned int)((__u64)i * (n - 1) / near);
			run_pair(rig, s, st->cpus[at], st->cpus[at + 1]);
		} else {
			at = (unsigned int)((__u64)(i - near) * (n / 2) / far);
			run_pair(rig, s, st->cpus[at], st->cpus[at + n / 2]);
		}
	}
	machine_unpin(st);
	return wanted;
}

static void conclude(struct rig *rig, const struct clock_state *s, unsigned int wanted)
{
	bool ahead = tap_reader_meta(rig->reader)->clock == TAP_CLOCK_TSC &&
		     rig_ns(rig, s->worst) <= AHEAD_NS;
	struct selftest_test *t = rig->t;

	if (s->inversions && !ahead)
		test_fail(t, "%llu inversions in %llu handoffs between CPUs, the largest %llu ns, between CPU %d and %d",
			  (unsigned long long)s->inversions, (unsigned long long)s->handoffs,
			  (unsigned long long)rig_ns(rig, s->worst), s->worst_pair[0],
			  s->worst_pair[1]);
	if (!s->pairs) {
		test_skip(t, "the threads could not run on two CPUs at the same time");
		return;
	}
	test_note(t, "%llu inversions in %llu handoffs between %u of %u pairs of CPUs",
		  (unsigned long long)s->inversions, (unsigned long long)s->handoffs, s->pairs,
		  wanted);
	if (s->inversions && ahead)
		test_note(t, "the largest %llu ns: the counter was read ahead",
			  (unsigned long long)rig_ns(rig, s->worst));
	test_note(t, "shortest %llu ns, offset of two clocks at most %llu ns",
		  (unsigned long long)rig_ns(rig, s->shortest),
		  (unsigned long long)rig_ns(rig, s->offset));
}

static void order_test(struct selftest *st, const char *name, __u32 clock)
{
	struct clock_state s = { .shortest = UINT64_MAX };
	struct selftest_test t;
	struct rig rig;

	test_begin(&t, st, name);
	if (st->nr_cpus < 2)
		test_skip(&t, "this process may use one CPU only");
	else if (!*st->function || !(st->info.out_features & TAP_FEATURE_KPROBE))
		test_skip(&t, "it is tested with a kprobe");
	if (t.status == SELFTEST_SKIP) {
		test_end(&t);
		return;
	}
	if (!rig_open_clock(&rig, &t, 64 << 10, clock) &&
	    !rig_add(&rig, NULL, "kprobe:%s $arg2", st->function) && !rig_start(&rig)) {
		rig.event = note_time;
		rig.arg = &s;
		conclude(&rig, &s, run_pairs(&rig, &s));
		rig_stop(&rig);
	}
	rig_close(&rig);
	test_end(&t);
}

void clocks_test(struct selftest *st)
{
	rate_test(st);
	sleep_test(st);
	order_test(st, "clock-order", TAP_SESSION_CLOCK_RAW);
	order_test(st, "clock-ordered", TAP_SESSION_CLOCK_ORDERED);
}
