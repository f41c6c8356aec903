// SPDX-License-Identifier: GPL-2.0
/*
 * Test under load: all CPUs call one function at full speed, with small rings and a slow
 * reader. Every call is written or lost, and every loss is reported.
 */
#include "selftests/module/tap_harness.h"

#include <getopt.h>

static struct {
	__u64 count;
	__u64 ring_bytes;
	unsigned int pause_us;
	unsigned int cpus;
	bool paced;
} options = {
	.count = 1000000,
	.ring_bytes = 65536,
	.pause_us = 1000,
	.cpus = 2,
};

/**
 * struct writer - a thread that makes calls on one CPU
 * @ring: ring of that CPU
 * @ret: result of its last ioctl
 * @done: it has made all its calls
 */
struct writer {
	pthread_t thread;
	unsigned int cpu;
	__u32 function;
	int target;
	const struct test_ring *ring;
	int ret;
	bool done;
};

/* With pacing: calls made at a time, and only while half of the ring is free. */
static __u64 writer_turn(void)
{
	return options.paced ? options.ring_bytes / TAP_SLOT_SIZE / 4 : options.count;
}

static void writer_wait(const struct test_ring *ring)
{
	while (options.paced &&
	       __atomic_load_n(&ring->head->head, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&ring->tail->tail, __ATOMIC_ACQUIRE) > options.ring_bytes / 2)
		usleep(100);
}

static void *writer_main(void *data)
{
	struct writer *w = data;
	__u64 left = options.count;

	w->ret = test_pin(w->cpu);
	while (left && !w->ret) {
		__u64 turn = left < writer_turn() ? left : writer_turn();

		writer_wait(w->ring);
		w->ret = _test_target(w->target, TAP_TARGET_CALL, w->function, turn, 0, NULL);
		left -= turn;
	}
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/**
 * struct cpu_sums - what was read of the ring of one CPU
 * @value: least value of the next record: values only grow
 */
struct cpu_sums {
	__u64 events;
	__u64 gaps;
	__u64 gap_records;
	__u64 time;
	__u64 value;
};

FIXTURE(load)
{
	struct test_session s;
	int target;
	struct cpu_sums sums[TEST_MAX_RINGS];
};

TEST_KINDS(load);

FIXTURE_SETUP(load)
{
	self->s.fd = -1;
	self->target = -1;
	test_need_root();
	test_need_target();
	test_need_cpus((int)options.cpus);
	if (variant->kind->type == TAP_PROBE_RAWTP)
		test_need_raw_tracepoints();
	self->target = test_target_open(_metadata);
	test_session_open(_metadata, &self->s, options.ring_bytes);
}

FIXTURE_TEARDOWN(load)
{
	test_teardown();
}

/* Reads what all rings have now, and not what is written meanwhile. */
static void load_read(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self,
		      const struct test_kind *kind)
{
	unsigned int cpu;

	for (cpu = 0; cpu < self->s.nr_rings; cpu++) {
		struct test_ring *ring = &self->s.ring[cpu];
		struct cpu_sums *sums = &self->sums[cpu];
		struct test_record rec;
		__u64 end;

		if (!ring->tail)
			continue;
		end = ring->pos + options.ring_bytes;
		while (ring->pos < end && test_ring_next(ring, &rec)) {
			ASSERT_FALSE(rec.broken);
			ASSERT_LE(sums->time, rec.time);
			sums->time = rec.time;
			if (rec.kind == TAP_KIND_GAP) {
				sums->gaps += rec.word[TAP_GAP_LOST];
				sums->gap_records++;
				ASSERT_EQ(sums->gaps, rec.word[TAP_GAP_TOTAL]);
				sums->value += rec.word[TAP_GAP_LOST];
				continue;
			}
			ASSERT_EQ(TAP_KIND_EVENT, rec.kind)
				TH_LOG("notice %llu", rec.word[TAP_NOTICE_WHAT]);
			sums->events++;
			/* After a gap of n the value is exactly n larger. */
			ASSERT_EQ(sums->value, rec.word[kind->word]);
			sums->value++;
			/* Values start again with each turn. */
			if (sums->value == kind->first + writer_turn())
				sums->value = kind->first;
		}
	}
}

/* Whether the load is far larger than a ring, without pacing. */
static bool load_overflows(void)
{
	return !options.paced && options.count * TAP_SLOT_SIZE > 4 * options.ring_bytes;
}

/* Whether it is too early to read: some events must find a full ring, however fast the CPU is. */
static bool load_early(const struct test_session *s)
{
	return load_overflows() && !__atomic_load_n(&s->ring[0].head->lost, __ATOMIC_RELAXED);
}

static bool load_done(const struct writer *writers)
{
	unsigned int i;

	for (i = 0; i < options.cpus; i++)
		if (!__atomic_load_n(&writers[i].done, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

TEST_F_TIMEOUT(load, every_call_is_written_or_lost_and_every_loss_is_reported, 1200)
{
	struct tap_create create = test_create_arg(variant->kind->type,
						   variant->kind->target,
						   &variant->kind->fetch, 1);
	struct writer writers[TEST_MAX_RINGS] = {};
	struct tap_counters c[TEST_MAX_RINGS], all = {};
	struct cpu_sums sums = {};
	struct tap_stats stats;
	__u64 pending, begin;
	unsigned int i;
	bool done;
	__u32 id;

	for (i = 0; i < TEST_MAX_RINGS; i++)
		self->sums[i].value = variant->kind->first;
	/* A fast machine exceeds the default limit, and would be throttled. */
	create.limit = TAP_NO_LIMIT;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	id = create.out_id;
	test_ioctl_enable(id);
	begin = test_now_ms();
	for (i = 0; i < options.cpus; i++) {
		writers[i].cpu = i;
		writers[i].function = variant->kind->function;
		writers[i].target = self->target;
		writers[i].ring = &self->s.ring[i];
		ASSERT_EQ(0, pthread_create(&writers[i].thread, NULL, writer_main,
					    &writers[i]));
	}
	do {
		done = load_done(writers);
		if (done || !load_early(&self->s))
			load_read(_metadata, self, variant->kind);
		if (!done)
			usleep(options.pause_us);
	} while (!done);
	for (i = 0; i < options.cpus; i++) {
		pthread_join(writers[i].thread, NULL);
		EXPECT_EQ(0, writers[i].ret);
	}
	begin = test_now_ms() - begin;
	test_ioctl_disable(id);
	load_read(_metadata, self, variant->kind);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	load_read(_metadata, self, variant->kind);
	test_ioctl_stats(id, c, self->s.nr_rings, &stats);

	printf("# CPU        hits    written       lost       read   reported  gap records\n");
	for (i = 0; i < options.cpus; i++) {
		const struct cpu_sums *s = &self->sums[i];
		__u64 lost = c[i].lost_full + c[i].lost_nested;

		printf("# cpu%-3u %10llu %10llu %10llu %10llu %10llu %12llu\n", i,
		       c[i].hits, c[i].written, lost, s->events, s->gaps,
		       s->gap_records);
		EXPECT_EQ(options.count, c[i].hits);
		EXPECT_EQ(c[i].hits, c[i].written + lost);
		EXPECT_EQ(c[i].written, s->events);
		EXPECT_EQ(lost, s->gaps);
		EXPECT_EQ(lost, self->s.ring[i].head->lost);
		EXPECT_EQ(0, self->s.ring[i].head->bad_tail);
		all.hits += c[i].hits;
		all.written += c[i].written;
		all.lost_full += lost;
		sums.events += s->events;
		sums.gaps += s->gaps;
		sums.gap_records += s->gap_records;
	}
	printf("# all    %10llu %10llu %10llu %10llu %10llu %12llu\n", all.hits,
	       all.written, all.lost_full, sums.events, sums.gaps,
	       sums.gap_records);
	printf("# written + lost = %llu, %s, ring of %llu bytes, %llu ms\n",
	       all.written + all.lost_full, variant->kind->event, options.ring_bytes, begin);
	/* kselftest programs end without flushing stdout. */
	fflush(stdout);
	EXPECT_EQ(options.count * options.cpus, all.written + all.lost_full);
	EXPECT_EQ(0, stats.out_nmissed + stats.out_nmissed_return);
	/* Otherwise the test has not tested a full ring. */
	if (options.paced)
		EXPECT_EQ(0, all.lost_full);
	if (load_overflows())
		EXPECT_LT(0, all.lost_full);
}

static void usage(FILE *out)
{
	fprintf(out,
		"usage: load_test [OPTION]...\n"
		"  -c COUNT     calls on each processor (default 1000000)\n"
		"  -b BYTES     slots of each ring (default 65536)\n"
		"  -p USEC      how long the reader sleeps after each look (default 1000)\n"
		"  -n CPUS      processors (default 2)\n"
		"  -w           wait for the reader, so that nothing is lost\n"
		"  -v TYPE      kprobe, kretprobe, call or rawtp alone\n");
}

int main(int argc, char **argv)
{
	char *harness_argv[] = { argv[0], "-v", NULL, NULL };
	int option, harness_argc = 1;

	while ((option = getopt(argc, argv, "c:b:p:n:wv:h")) != -1) {
		switch (option) {
		case 'c':
			options.count = strtoull(optarg, NULL, 0);
			break;
		case 'b':
			options.ring_bytes = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			options.pause_us = atoi(optarg);
			break;
		case 'n':
			options.cpus = atoi(optarg);
			break;
		case 'w':
			options.paced = true;
			break;
		case 'v':
			harness_argv[2] = optarg;
			harness_argc = 3;
			break;
		default:
			usage(option == 'h' ? stdout : stderr);
			return option != 'h';
		}
	}
	if (optind < argc || !options.count || !options.cpus ||
	    options.cpus > TEST_MAX_RINGS) {
		usage(stderr);
		return 1;
	}
	/* The harness parses the options again. */
	optind = 1;
	return test_harness_run(harness_argc, harness_argv);
}
