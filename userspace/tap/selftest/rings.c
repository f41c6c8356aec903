// SPDX-License-Identifier: GPL-2.0
/*
 * The rings and the reader: losses of a full ring, and several CPUs that write while one
 * thread reads.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "selftest/selftest.h"

#define MAX_WRITERS	8
#define WRITES		2000
#define WRITER_SHIFT	40

/* The kind of probe for what any kind would do. */
static const char *function_event(const struct selftest *st, char *event, size_t size)
{
	if (*st->function && st->info.out_features & TAP_FEATURE_KPROBE)
		snprintf(event, size, "kprobe:%s $arg2", st->function);
	else if (st->info.out_features & TAP_FEATURE_RAWTP)
		snprintf(event, size, "rawtracepoint:sys_enter $arg2 if $arg2 == %d", SYS_lseek);
	else
		return NULL;
	return event;
}

static void overflow_run(struct rig *rig, struct selftest_test *t, unsigned int hits)
{
	struct selftest *st = t->st;
	struct tap_counters sum;
	__u64 read;
	unsigned int i;

	/* One ring alone is filled, and nobody reads it meanwhile. */
	machine_pin(st, st->cpus[0]);
	for (i = 0; i < hits; i++)
		trigger_lseek.hit(i);
	machine_unpin(st);
	tap_reader_drain(rig->reader, true);
	rig_read(rig);
	read = rig->records;
	/* There is room again. */
	for (i = 0; i < 10; i++)
		trigger_lseek.hit(i);
	rig_stop(rig);
	rig_sum(rig, 0, &sum);
	test_equal(t, "records after the ring was read", 10, rig->records - read);
	test_equal(t, "records written", rig->records, sum.written);
	test_equal(t, "events written and lost", hits + 10, sum.written + sum.lost_full +
		   sum.lost_nested + sum.lost_fault + sum.throttled);
	test_equal(t, "losses in gap records", sum.lost_full + sum.lost_nested, rig->lost);
	if (!sum.lost_full)
		test_fail(t, "a full ring lost nothing");
	if (!rig->gaps)
		test_fail(t, "gap records: expected at least 1, got 0");
	test_note(t, "%u events = %llu records + %llu lost, %llu reported in %llu gap record(s)",
		  hits + 10, (unsigned long long)rig->records, (unsigned long long)sum.lost_full,
		  (unsigned long long)rig->lost, (unsigned long long)rig->gaps);
}

static void overflow_test(struct selftest *st)
{
	unsigned int hits = 3 * (unsigned int)sysconf(_SC_PAGESIZE) / TAP_SLOT_SIZE;
	struct selftest_test t;
	char event[160];
	struct rig rig;

	test_begin(&t, st, "ring-full");
	if (!function_event(st, event, sizeof(event)) || trigger_lseek.open()) {
		test_skip(&t, "this kernel has no probe that it could be tested with");
		test_end(&t);
		return;
	}
	if (!rig_open(&rig, &t, 0) && !rig_add(&rig, NULL, "%s", event) && !rig_start(&rig))
		overflow_run(&rig, &t, hits);
	rig_close(&rig);
	trigger_lseek.close();
	test_end(&t);
}

/**
 * struct writer - a thread that calls lseek()
 * @st: the run
 * @cpu: its CPU
 * @id: in the upper bits of its offsets
 * @writes: how many
 * @ended: how many threads have ended; shared
 */
struct writer {
	struct selftest *st;
	int cpu;
	unsigned int id;
	unsigned int writes;
	atomic_uint *ended;
};

static void *write_all(void *arg)
{
	struct writer *w = arg;
	int fd = trigger_memfd();
	unsigned int i;

	machine_pin(w->st, w->cpu);
	for (i = 0; i < w->writes && fd >= 0; i++)
		syscall(SYS_lseek, fd, (__u64)(w->id + 1) << WRITER_SHIFT | i, SEEK_SET);
	if (fd >= 0)
		close(fd);
	atomic_fetch_add(w->ended, 1);
	return NULL;
}

struct order {
	unsigned int next[MAX_WRITERS];
	unsigned int wrong;
};

/* The records of each thread must come in its own order. */
static void check_order(struct rig *rig, const struct tap_event *ev)
{
	struct order *order = rig->arg;
	__u64 value = tap_event_word(ev, 0);
	__u64 id = (value >> WRITER_SHIFT) - 1;

	if (id >= MAX_WRITERS || (value & ((1ULL << WRITER_SHIFT) - 1)) != order->next[id]++)
		order->wrong++;
}

static void threads_run(struct rig *rig, struct selftest_test *t, unsigned int nr,
			unsigned int writes)
{
	struct selftest *st = t->st;
	struct writer writers[MAX_WRITERS];
	pthread_t threads[MAX_WRITERS];
	struct tap_counters sum;
	atomic_uint ended = 0;
	unsigned int i, made;
	__u64 begin = machine_now();

	for (made = 0; made < nr; made++) {
		writers[made] = (struct writer) {
			st, st->cpus[(__u64)made * st->nr_cpus / nr], made, writes, &ended,
		};
		if (pthread_create(&threads[made], NULL, write_all, &writers[made]))
			break;
	}
	while (atomic_load(&ended) < made) {
		tap_reader_poll(rig->reader, 20);
		rig_read(rig);
	}
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	rig_stop(rig);
	rig_sum(rig, 0, &sum);
	test_equal(t, "threads", nr, made);
	test_equal(t, "records read", sum.written, rig->records);
	test_equal(t, "records", (__u64)made * writes, rig->records + sum.lost_full);
	test_equal(t, "losses in gap records", sum.lost_full + sum.lost_nested, rig->lost);
	/* Records between two losses are out of count. */
	if (!sum.lost_full)
		test_equal(t, "records out of a thread's order", 0,
			   ((struct order *)rig->arg)->wrong);
	test_note(t, "%llu records of %u threads read while they ran, %llu lost, %.1f ms",
		  (unsigned long long)rig->records, made, (unsigned long long)sum.lost_full,
		  (double)(machine_now() - begin) / 1e6);
}

static void threads_test(struct selftest *st)
{
	__u64 bytes = rig_ring_bytes(st, 256 << 10);
	unsigned int writes = WRITES, nr = st->nr_cpus < MAX_WRITERS ? st->nr_cpus : MAX_WRITERS;
	struct order order = { { 0 }, 0 };
	struct selftest_test t;
	char event[160];
	struct rig rig;

	test_begin(&t, st, "ring-threads");
	if (!*st->function || !(st->info.out_features & TAP_FEATURE_KPROBE)) {
		test_skip(&t, "it is tested with a kprobe");
		test_end(&t);
		return;
	}
	function_event(st, event, sizeof(event));
	if (!rig_open(&rig, &t, bytes) && !rig_add(&rig, NULL, "%s", event) && !rig_start(&rig)) {
		rig.event = check_order;
		rig.arg = &order;
		threads_run(&rig, &t, nr, writes);
	}
	rig_close(&rig);
	test_end(&t);
}

void rings_test(struct selftest *st)
{
	overflow_test(st);
	threads_test(st);
}
