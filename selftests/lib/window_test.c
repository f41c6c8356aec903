// SPDX-License-Identifier: GPL-2.0
/*
 * Windows out of rings that are overwritten: exactly the records of the time, whatever their
 * lengths are and wherever the ring begins.
 */
#include <errno.h>
#include <libtap.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "session/reader.h"

#define CPUS		2
#define RING_BYTES	4096
#define ROUNDS		400

static __u64 random_state = 27;

static unsigned int below(unsigned int n)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(random_state >> 33) % n;
}

/* Writes a record of some slots; its value is its time. */
static void write_record(struct tap_ring_writer *w, unsigned int slots)
{
	struct tap_resv resv = tap_ring_reserve(w, slots * TAP_SLOT_SIZE);
	struct tap_record *rec = tap_ring_slot(w, resv.pos);
	unsigned int k;

	if (resv.pos & TAP_RESV_FAILED)
		abort();
	memset(rec, 0, sizeof(*rec));
	rec->time = resv.time;
	rec->probe = 1;
	rec->slots = (__u8)slots;
	rec->kind = TAP_KIND_EVENT;
	rec->value[0] = resv.time;
	for (k = 1; k < slots; k++) {
		struct tap_slot *slot = tap_ring_slot(w, resv.pos + k * TAP_SLOT_SIZE);

		slot->seq = tap_slot_seq(resv.pos + k * TAP_SLOT_SIZE, k);
		slot->value[0] = resv.time;
	}
	tap_ring_commit(rec, resv.pos);
}

/* What a reader must find in a ring: the positions and times of what was written. */
struct written {
	__u64 pos[100000];
	__u64 time[100000];
	unsigned int nr;
};

static struct written written[CPUS];

/* Reads the window of a CPU; returns whether it has exactly the records of its time. */
static bool read_cpu(struct tap_reader *reader, unsigned int cpu, __u64 head, __u64 from, __u64 to,
		     __u64 *bytes)
{
	const struct written *w = &written[cpu];
	__u64 oldest = head > RING_BYTES ? head - RING_BYTES : 0, pos;
	const void *data;
	unsigned int i = 0;
	bool good = true;
	size_t len, at;

	while (i < w->nr && (w->pos[i] < oldest || w->time[i] < from))
		i++;
	for (;;) {
		if (tap_reader_chunk(reader, cpu, &pos, &data, &len))
			return false;
		if (!len)
			break;
		for (at = 0; at < len; at += TAP_SLOT_SIZE) {
			const struct tap_record *rec = (const void *)((const char *)data + at);

			if (rec->seq != tap_slot_seq(pos + at, 0))
				continue;
			good &= i < w->nr && w->pos[i] == pos + at && w->time[i] == rec->time &&
				rec->time >= from && rec->time <= to;
			i++;
		}
		*bytes += len;
		if (tap_reader_release(reader, cpu, len))
			return false;
	}
	return good && (i == w->nr || w->time[i] > to);
}

/* Whether a ring has all records from a time on that it had not given before. */
static bool goes_back(unsigned int cpu, __u64 head, __u64 tail, __u64 from)
{
	const struct written *w = &written[cpu];
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->pos[i] >= tail && head > RING_BYTES && w->pos[i] < head - RING_BYTES &&
		    w->time[i] >= from)
			return false;
	return true;
}

static void test_windows(void)
{
	unsigned int wrong = 0, whole_wrong = 0, shorts = 0, failed = 0, round, cpu, n;
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	__u64 since = 0, bytes = 0, sum = 0;
	struct tap_reader *reader;
	struct fake fake;
	bool whole;

	fake_init(&fake, CPUS, RING_BYTES, 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		fake.w[cpu].tail = &fake.w[cpu].passed;
		fake.w[cpu].watermark = 256;
		fake.w[cpu].mark = 256;
		fake.w[cpu].limit = 255;
	}
	if (tap_reader_open_memory(&reader, &fake.meta, fake.heads, fake.tails, fake.slots, NULL,
				   NULL))
		abort();
	fake_time = 1000;
	for (round = 0; round < ROUNDS; round++) {
		__u64 head[CPUS], tail[CPUS], from, to;
		bool back = true;

		since = fake_time + 1;
		for (n = below(200); n; n--) {
			struct written *w;

			cpu = below(CPUS);
			w = &written[cpu];
			fake_time += below(3);
			w->pos[w->nr] = fake.heads[cpu]->head;
			w->time[w->nr++] = fake_time;
			write_record(&fake.w[cpu], 1 + below(round % 2 ? 1 : 6));
		}
		fake_time++;
		from = since + below(100);
		to = from + below(150);
		for (cpu = 0; cpu < CPUS; cpu++) {
			head[cpu] = fake.heads[cpu]->head;
			tail[cpu] = fake.tails[cpu]->tail;
			back &= goes_back(cpu, head[cpu], tail[cpu], from);
		}
		failed += !!tap_reader_window(reader, from, to, &whole);
		/* It may say that a window is short that just is not; never the other way. */
		whole_wrong += whole && !back;
		shorts += !whole;
		for (cpu = 0; cpu < CPUS; cpu++)
			wrong += !read_cpu(reader, cpu, head[cpu], from, to, &bytes);
	}
	for (cpu = 0; cpu < CPUS; cpu++)
		sum += fake.heads[cpu]->head;
	tap_reader_counts(reader, &counts);
	check(!failed && !wrong, "%u windows have exactly the records of their time, %u are wrong",
	      ROUNDS, wrong);
	check(!whole_wrong && shorts && shorts < ROUNDS,
	      "%u windows are short: no other lacks a record", shorts);
	check(counts.skipped && bytes && bytes + counts.skipped <= sum,
	      "%llu of %llu bytes were read, %llu overwritten", (unsigned long long)bytes,
	      (unsigned long long)sum, (unsigned long long)counts.skipped);

	/* What is no record behind the oldest one is an error. */
	written[0].nr = 0;
	for (n = 0; n < 4; n++)
		write_record(&fake.w[0], 1);
	((struct tap_record *)tap_ring_slot(&fake.w[0], fake.heads[0]->head - 128))->seq = 0;
	check(tap_reader_window(reader, 0, UINT64_MAX, &whole) == -EBADMSG,
	      "a ring that is damaged is said to be");
	tap_reader_close(reader);
	fake_free(&fake);
}

int main(void)
{
	test_windows();
	return check_end();
}
