// SPDX-License-Identifier: LGPL-2.1
/*
 * Reading the rings of a session, merged by time over the CPUs.
 *
 * Nothing is copied: an event refers to its slots in the ring. The tail gives slots
 * back to the writer. It moves beyond them only when the caller asks for the next
 * events.
 *
 * Events are taken in runs: from the ring that has the earliest event, until another
 * ring has an earlier one. So the merge works once for each run.
 *
 * Why the order is exact. The time never decreases along a ring. A round begins with
 * T = now - SLACK. A ring that is seen empty after that (nothing is reserved) can only
 * get records later than T: a writer reads the clock right before it reserves, and the
 * slack covers an interrupt in between and the time until its store is visible here. A
 * ring that has a reserved slot without a commit can only get records at or after the
 * last one seen of it. A ring that does not exist when the round begins can only get records
 * later than T: it is counted in @nr_made before its CPU runs. So each event at or before the
 * least of these bounds is final.
 * When each ring has a record to give, the earliest of them is final at any time.
 *
 * Where the clock jumped, each ring has a notice with the ticks to add from there on; the
 * head page has the ticks that records get now. So times are compared with these ticks
 * added: they go on over the jump. The first of the notices is given to the caller, those
 * of the other rings are skipped.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/record.h"
#include "session/plain_events.h"
#include "session/reader.h"
#include "session/ring_map.h"
#include "util/kway_merge.h"
#include "util/sized.h"

/* How far behind the clock a live reader stays. */
#define SLACK_NS	1000000ULL
/* How long it waits for a slot that is reserved and not committed. */
#define STALL_NS	50000000ULL
/* The tail is stored after this many bytes, and at the end of each round. */
#define PUBLISH_BYTES	(64 * TAP_SLOT_SIZE)
/* A round ends after this many events, but in a drain, so that the caller can look at its signals. */
#define ROUND_EVENTS	65536
/* A raw chunk is at most this long, so that the writer gets room early. */
#define CHUNK_BYTES	(256 * 1024)

#define PREFETCH_BYTES	(16 * TAP_SLOT_SIZE)

enum peek_result {
	PEEK_EMPTY,	/* nothing is reserved */
	PEEK_BLOCKED,	/* something is reserved and not committed */
	PEEK_RECORD,
};

/**
 * struct ring - the state of the reader in one ring
 * @map: the mapped pages
 * @pos: start of the next record
 * @published: the tail as last stored
 * @scan: raw reading: end of the committed records that were found
 * @join: from raw times to those of events; its @time is of the last record seen
 * @blocked_since: CLOCK_MONOTONIC ns at which @pos was first seen blocked; 0 if it is not
 * @slots: of the record at @pos, if there is one
 * @in_merge: the record at @pos is in the merge
 * @touched: it gave events since the last call
 * @given_up: the commit at @pos did not come within STALL_NS
 */
struct ring {
	struct tap_ring_map map;
	__u64 pos;
	__u64 published;
	__u64 scan;
	struct tap_join join;
	__u64 blocked_since;
	unsigned int slots;
	bool in_merge;
	bool touched;
	bool given_up;
};

struct tap_reader {
	struct tap_meta meta;
	const struct tap_meta *live;	/* the mapped page; NULL: rings in other memory */
	unsigned int nr_made;		/* of @live, when all rings were mapped that exist */
	struct tap_timebase tb;
	struct ring *rings;
	unsigned int nr_present;
	struct tap_merge merge;
	struct tap_reader_counts counts;
	__u64 bound;		/* events up to this time are final */
	__u64 last_time;	/* of the last event returned */
	__u64 jump_ticks;	/* TAP_JOIN_NS in ticks */
	__u64 jump_raw;		/* raw time after the last jump that was reported */
	const struct tap_record *jump_at;	/* the one that the caller gets */
	__u64 mask;
	__u64 publish;		/* bytes after which the tail is stored */
	unsigned int round_events;
	__u32 *touched;		/* rings with records that the caller may still use */
	unsigned int nr_touched;
	bool in_round;
	bool drain;
	bool all_jumps;		/* see tap_reader_all_jumps() */
	bool window;		/* @scan of each ring is the end of a window */
	__u64 base;		/* offset at which the layout of the rings begins */
	int fd;
	__u64 (*now)(void *arg);
	void *now_arg;
};

/* The time that a record would get now. */
static __u64 reader_now(const struct tap_reader *r)
{
	__u64 ticks = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < r->meta.nr_rings; cpu++)
		if (r->rings[cpu].map.head) {
			/* Before the clock: old ticks and a new clock are too early, not too late. */
			ticks = tap_load_acquire(&r->rings[cpu].map.head->clock);
			break;
		}
	return ticks + (r->now ? r->now(r->now_arg) : tap_timebase_now(&r->tb));
}

static void ring_publish(struct ring *ring)
{
	if (ring->published == ring->pos)
		return;
	/* Pairs: D, with the writer's A: no load from the slots comes after this store. */
	tap_store_release(&ring->map.tail->tail, ring->pos);
	ring->published = ring->pos;
}

/* Skips bytes that are no record. This happens in a damaged ring only. */
static void ring_skip(struct tap_reader *r, struct ring *ring, __u64 head)
{
	__u64 next = tap_record_resync(ring->map.slots, r->mask, ring->pos,
				       head, 0);

	r->counts.skipped += next - ring->pos;
	ring->pos = next;
}

/* The writer's position; one that is out of bounds cannot be skipped to. */
static __u64 ring_head(const struct tap_reader *r, const struct ring *ring)
{
	__u64 head = tap_load_once(&ring->map.head->head);

	if (head - ring->pos > r->mask + 1 || head % TAP_SLOT_SIZE)
		return ring->pos;
	return head;
}

/*
 * Skips a notice of a jump that another ring's notice has reported. @jump_raw is set by the first
 * of them; the same one is met again if its ring is peeked at twice.
 */
static bool ring_skips_jump(struct tap_reader *r, struct ring *ring,
			    const struct tap_record *rec)
{
	if (!tap_record_is_jump(rec) || r->all_jumps)
		return false;
	if (r->jump_raw == rec->value[TAP_NOTICE_COUNT] && r->jump_at != rec) {
		ring->pos += (__u64)ring->slots * TAP_SLOT_SIZE;
		return true;
	}
	r->jump_raw = rec->value[TAP_NOTICE_COUNT];
	r->jump_at = rec;
	return false;
}

static enum peek_result ring_peek(struct tap_reader *r, struct ring *ring)
{
	for (;;) {
		const struct tap_record *rec;
		__u64 head;

		rec = tap_ring_peek(ring->map.slots, r->mask, ring->pos);
		if (!rec) {
			head = ring_head(r, ring);
			if (head == ring->pos)
				return PEEK_EMPTY;
			/* It may have been committed since the first look. */
			rec = tap_ring_peek(ring->map.slots, r->mask,
					    ring->pos);
		}
		if (rec) {
			ring->slots = tap_record_slots(ring->map.slots, r->mask,
						       ring->pos, r->mask + 1,
						       0);
			if (ring->slots) {
				tap_join_time(&ring->join, rec, r->jump_ticks);
				ring->blocked_since = 0;
				ring->given_up = false;
				if (ring_skips_jump(r, ring, rec))
					continue;
				return PEEK_RECORD;
			}
			head = ring_head(r, ring);
		} else if (!r->drain) {
			return PEEK_BLOCKED;
		}
		/* No writer will commit it, or the slots are damaged. */
		if (head == ring->pos)
			return PEEK_EMPTY;
		ring_skip(r, ring, head);
	}
}

static __u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * 1000000000ULL + (__u64)ts.tv_nsec;
}

/* Whether the reader must still wait for a blocked ring. */
static bool ring_must_wait(struct tap_reader *r, struct ring *ring)
{
	__u64 now;

	if (ring->given_up)
		return false;
	now = monotonic_ns();
	if (!ring->blocked_since) {
		ring->blocked_since = now;
	} else if (now - ring->blocked_since > STALL_NS) {
		ring->given_up = true;
		r->counts.stalled++;
		return false;
	}
	return true;
}

static void ring_blocked(struct tap_reader *r, struct ring *ring)
{
	if (ring->join.time < r->bound && ring_must_wait(r, ring))
		r->bound = ring->join.time;
}

/* The session may have had a reader before: this one goes on at the tail. */
static void ring_init(struct ring *ring)
{
	ring->pos = tap_load_once(&ring->map.tail->tail) &
		    ~(__u64)TAP_SLOT_INDEX_MASK;
	ring->scan = ring->pos;
	ring->published = ring->pos;
	ring->join.ticks = tap_load_once(&ring->map.head->clock);
}

/*
 * Maps the rings that exist and are not mapped: all of them at first, later those of CPUs
 * that came online. After an error the next call tries again.
 */
static int reader_map(struct tap_reader *r, struct tap_error *err)
{
	unsigned int made = tap_load_acquire(&r->live->nr_made), cpu;
	int ret;

	for (cpu = 0; cpu < r->meta.nr_rings; cpu++) {
		struct ring *ring = &r->rings[cpu];

		if (ring->map.head)
			continue;
		ret = tap_ring_map(&ring->map, r->fd, &r->meta, r->base, cpu, err);
		if (ret)
			return ret;
		if (!ring->map.head)
			continue;
		r->nr_present++;
		ring_init(ring);
	}
	r->nr_made = made;
	return 0;
}

/* Looks for rings of CPUs that came online. */
static void reader_look(struct tap_reader *r)
{
	if (r->live && tap_load_acquire(&r->live->nr_made) != r->nr_made)
		reader_map(r, NULL);
}

static void round_begin(struct tap_reader *r)
{
	unsigned int cpu;

	r->in_round = true;
	r->round_events = 0;
	if (r->drain) {
		r->bound = UINT64_MAX;
	} else {
		__u64 slack = tap_timebase_ticks(&r->tb, SLACK_NS);
		__u64 now = reader_now(r);

		r->bound = now > slack ? now - slack : 0;
	}
	/* The clock was read before the rings: see the top of the file. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	reader_look(r);
	for (cpu = 0; cpu < r->meta.nr_rings; cpu++) {
		struct ring *ring = &r->rings[cpu];

		if (!ring->map.head || ring->in_merge)
			continue;
		switch (ring_peek(r, ring)) {
		case PEEK_RECORD:
			ring->in_merge = true;
			tap_merge_push(&r->merge, cpu, ring->join.time);
			break;
		case PEEK_BLOCKED:
			ring_blocked(r, ring);
			break;
		case PEEK_EMPTY:
			break;
		}
	}
}

static void round_end(struct tap_reader *r)
{
	unsigned int cpu;

	r->in_round = false;
	for (cpu = 0; cpu < r->meta.nr_rings; cpu++)
		if (r->rings[cpu].map.head)
			ring_publish(&r->rings[cpu]);
}

/* The caller no longer uses the events of the last call. */
static void reader_retire(struct tap_reader *r)
{
	while (r->nr_touched) {
		struct ring *ring = &r->rings[r->touched[--r->nr_touched]];

		ring->touched = false;
		if (ring->pos - ring->published >= r->publish)
			ring_publish(ring);
	}
}

/*
 * Takes events from the first ring while they are the earliest. The loop keeps its state
 * in variables: only ring_peek() changes the members, and the compiler cannot know that.
 */
static unsigned int reader_run(struct tap_reader *r, struct tap_event *ev,
			       unsigned int max)
{
	const __u32 cpu = tap_merge_first(&r->merge).stream;
	struct ring *ring = &r->rings[cpu];
	const void *const data = ring->map.slots;
	const __u64 mask = r->mask;
	__u64 until = tap_merge_until(&r->merge), last = r->last_time;
	__u64 pos = ring->pos, time = ring->join.time, ticks = ring->join.ticks;
	enum peek_result peek = PEEK_RECORD;
	struct tap_reader_counts seen = { 0 };
	unsigned int slots = ring->slots, n = 0;

	if (r->merge.nr < r->nr_present && until > r->bound)
		until = r->bound;
	if (!ring->touched) {
		ring->touched = true;
		r->touched[r->nr_touched++] = cpu;
	}
	do {
		const struct tap_record *rec =
			(const void *)tap_slot_at(data, mask, pos);

		__builtin_prefetch(tap_slot_at(data, mask,
					       pos + PREFETCH_BYTES));
		ev[n++] = (struct tap_event){
			.rec = rec, .data = data, .pos = pos, .mask = mask,
			.time = time, .cpu = cpu, .slots = slots,
		};
		tap_event_count(&seen, rec);
		if (__builtin_expect(time < last, 0))
			seen.disordered++;
		else
			last = time;
		pos += (__u64)slots * TAP_SLOT_SIZE;
		rec = tap_ring_peek(data, mask, pos);
		/* An event of one slot that is not earlier: there was no jump. */
		if (rec && rec->slots == 1 && rec->kind == TAP_KIND_EVENT &&
		    rec->time + ticks >= time) {
			slots = 1;
			time = rec->time + ticks;
			continue;
		}
		ring->pos = pos;
		ring->join.time = time;
		peek = ring_peek(r, ring);
		pos = ring->pos;
		time = ring->join.time;
		ticks = ring->join.ticks;
		slots = ring->slots;
	} while (peek == PEEK_RECORD && n < max && time <= until);
	ring->pos = pos;
	ring->join.time = time;
	ring->slots = slots;
	r->last_time = last;
	r->counts.events += seen.events;
	r->counts.gaps += seen.gaps;
	r->counts.lost += seen.lost;
	r->counts.disordered += seen.disordered;
	if (peek == PEEK_RECORD) {
		tap_merge_move(&r->merge, cpu, time);
		return n;
	}
	if (peek == PEEK_BLOCKED)
		ring_blocked(r, ring);
	ring->in_merge = false;
	tap_merge_pop(&r->merge, cpu);
	return n;
}

/* Whether the earliest event of the merge is final. */
static bool reader_may_give(const struct tap_reader *r)
{
	return r->merge.nr && (tap_merge_first(&r->merge).time <= r->bound ||
			       r->merge.nr == r->nr_present);
}

unsigned int tap_reader_events(struct tap_reader *r, struct tap_event *ev,
			       unsigned int max)
{
	unsigned int n = 0;

	reader_retire(r);
	if (!r->in_round)
		round_begin(r);
	if (!r->drain && max > ROUND_EVENTS - r->round_events)
		max = ROUND_EVENTS - r->round_events;
	while (n < max && reader_may_give(r))
		n += reader_run(r, ev + n, max - n);
	r->round_events += n;
	if (!n)
		round_end(r);
	return n;
}

int tap_reader_next(struct tap_reader *r, struct tap_event *ev)
{
	return (int)tap_reader_events(r, ev, 1);
}

bool tap_reader_held(const struct tap_reader *r)
{
	return r->merge.nr != 0;
}

void tap_reader_drain(struct tap_reader *r, bool on)
{
	r->drain = on;
	if (on)
		r->bound = UINT64_MAX;
}

void tap_reader_all_jumps(struct tap_reader *r)
{
	r->all_jumps = true;
}

const struct tap_timebase *tap_reader_timebase(const struct tap_reader *r)
{
	return &r->tb;
}

int tap_reader_counts(const struct tap_reader *r,
		      struct tap_reader_counts *counts)
{
	return tap_sized_write(counts, &r->counts, sizeof(r->counts));
}

const struct tap_meta *tap_reader_meta(const struct tap_reader *r)
{
	return &r->meta;
}

int tap_reader_poll(struct tap_reader *r, int timeout_ms)
{
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };
	int ret;

	if (r->fd < 0)
		return -EBADF;
	/* Events that are held back are due before the kernel would wake this thread. */
	if (r->merge.nr && (timeout_ms < 0 || timeout_ms > 1)) {
		ret = poll(NULL, 0, 1);
		return ret < 0 ? -errno : 1;
	}
	ret = poll(&pfd, 1, timeout_ms);
	if (ret < 0)
		return -errno;
	if (ret && pfd.revents & (POLLERR | POLLNVAL))
		return -EIO;
	return ret;
}

/*
 * Finds the end of the committed records, at most CHUNK_BYTES further. Raw records keep their
 * raw times, so only ring_peek(), which sees all but plain events, follows jumps of the clock.
 */
static void ring_scan(struct tap_reader *r, struct ring *ring)
{
	/* ring_peek() works at @pos: that is the position of the scan until the end. */
	__u64 pos = ring->pos, end = pos + CHUNK_BYTES;

	ring->pos = ring->scan;
	for (;;) {
		const struct tap_record *rec;

		ring->pos = tap_plain_events(ring->map.slots, r->mask, ring->pos, end, UINT64_MAX,
					     &r->counts.events);
		if (ring->pos >= end || ring_peek(r, ring) != PEEK_RECORD)
			break;
		rec = (const void *)tap_slot_at(ring->map.slots, r->mask, ring->pos);
		tap_event_count(&r->counts, rec);
		ring->pos += (__u64)ring->slots * TAP_SLOT_SIZE;
	}
	ring->scan = ring->pos;
	ring->pos = pos;
}

int tap_reader_chunk(struct tap_reader *r, unsigned int cpu, __u64 *pos,
		     const void **ptr, size_t *len)
{
	struct ring *ring;
	__u64 to_end, avail;

	if (cpu >= r->meta.nr_rings)
		return -ENXIO;
	if (!r->rings[cpu].map.head)
		reader_look(r);
	if (!r->rings[cpu].map.head)
		return -ENXIO;
	ring = &r->rings[cpu];
	if (!r->window && ring->scan - ring->pos < CHUNK_BYTES)
		ring_scan(r, ring);
	avail = ring->scan - ring->pos;
	to_end = r->mask + 1 - (ring->pos & r->mask);
	*pos = ring->pos;
	*ptr = (const char *)ring->map.slots + (ring->pos & r->mask);
	*len = (size_t)(avail < to_end ? avail : to_end);
	return 0;
}

int tap_reader_release(struct tap_reader *r, unsigned int cpu, size_t len)
{
	struct ring *ring;

	if (cpu >= r->meta.nr_rings || !r->rings[cpu].map.head ||
	    len % TAP_SLOT_SIZE)
		return -EINVAL;
	ring = &r->rings[cpu];
	if (len > ring->scan - ring->pos)
		return -EINVAL;
	ring->pos += len;
	ring_publish(ring);
	return 0;
}

/*
 * Passes the records of a ring from @pos on, up to one that is later than @last: with @count they
 * are counted. Returns its position.
 */
static __u64 ring_pass(struct tap_reader *r, const struct ring *ring, __u64 pos, __u64 head,
		       __u64 last, bool count)
{
	const void *const data = ring->map.slots;
	__u64 events = 0;

	for (;;) {
		const struct tap_record *rec;
		unsigned int slots;

		pos = tap_plain_events(data, r->mask, pos, head, last, &events);
		rec = pos < head ? tap_ring_peek(data, r->mask, pos) : NULL;
		slots = !rec || rec->time > last ? 0 :
			tap_record_slots(data, r->mask, pos, head - pos, 0);
		if (!slots)
			break;
		if (count)
			tap_event_count(&r->counts, rec);
		pos += (__u64)slots * TAP_SLOT_SIZE;
	}
	if (count)
		r->counts.events += events;
	return pos;
}

/* Finds the records of a window in a ring; false if it has something else than records. */
static bool ring_window(struct tap_reader *r, struct ring *ring, __u64 from, __u64 to, bool *whole)
{
	const void *const data = ring->map.slots;
	__u64 head = tap_load_acquire(&ring->map.head->head), pos = ring->pos, oldest;

	if (head % TAP_SLOT_SIZE || head < pos)
		return false;
	if (head - pos > r->mask + 1) {
		oldest = head - (r->mask + 1);
		/* The start of the oldest record may be gone. */
		if (!tap_ring_peek(data, r->mask, oldest))
			oldest = tap_record_resync(data, r->mask, oldest, head, 0);
		r->counts.skipped += oldest - pos;
		pos = oldest;
		if (pos == head || tap_ring_peek(data, r->mask, pos)->time > from)
			*whole = false;
	}
	ring->pos = from ? ring_pass(r, ring, pos, head, from - 1, false) : pos;
	ring->scan = ring_pass(r, ring, ring->pos, head, to, true);
	return ring_pass(r, ring, ring->scan, head, UINT64_MAX, false) == head;
}

int tap_reader_window(struct tap_reader *r, __u64 from, __u64 to, bool *whole)
{
	unsigned int cpu;
	int ret = 0;

	r->window = true;
	*whole = true;
	reader_look(r);
	for (cpu = 0; cpu < r->meta.nr_rings; cpu++)
		if (r->rings[cpu].map.head && !ring_window(r, &r->rings[cpu], from, to, whole))
			ret = -EBADMSG;
	return ret;
}

static struct tap_reader *reader_alloc(const struct tap_meta *meta)
{
	struct tap_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->fd = -1;
	r->meta = *meta;
	r->mask = meta->ring_bytes - 1;
	r->publish = PUBLISH_BYTES;
	r->jump_ticks = UINT64_MAX;
	if (r->publish > meta->ring_bytes / 4)
		r->publish = meta->ring_bytes / 4;
	r->rings = calloc(meta->nr_rings, sizeof(*r->rings));
	r->touched = calloc(meta->nr_rings, sizeof(*r->touched));
	if (!r->rings || !r->touched ||
	    tap_merge_init(&r->merge, meta->nr_rings) ||
	    tap_timebase_init(&r->tb, meta)) {
		tap_reader_close(r);
		return NULL;
	}
	r->jump_ticks = tap_timebase_ticks(&r->tb, TAP_JOIN_NS);
	return r;
}

int tap_reader_open(struct tap_reader **reader, struct tap_session *session,
		    struct tap_error *err)
{
	return tap_reader_open_set(reader, session, 0, err);
}

int tap_reader_open_set(struct tap_reader **reader, struct tap_session *session,
			__u64 offset, struct tap_error *err)
{
	int fd = tap_session_fd(session);
	const struct tap_meta *live;
	struct tap_reader *r;
	struct tap_meta meta;
	int ret;

	ret = tap_meta_map(fd, &meta, &live, offset, err);
	if (ret)
		return ret;
	r = reader_alloc(&meta);
	if (!r) {
		tap_meta_unmap(live);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	r->fd = fd;
	r->base = offset;
	r->live = live;
	ret = reader_map(r, err);
	if (ret) {
		tap_reader_close(r);
		return ret;
	}
	*reader = r;
	return 0;
}

int tap_reader_open_memory(struct tap_reader **reader,
			   const struct tap_meta *meta,
			   const struct tap_ring_head *const *heads,
			   struct tap_ring_tail *const *tails,
			   const void *const *slots, __u64 (*now)(void *arg),
			   void *now_arg)
{
	struct tap_reader *r;
	unsigned int cpu;
	int ret;

	ret = tap_meta_check(meta, NULL);
	if (ret)
		return ret;
	r = reader_alloc(meta);
	if (!r)
		return -ENOMEM;
	r->now = now;
	r->now_arg = now_arg;
	for (cpu = 0; cpu < meta->nr_rings; cpu++) {
		struct ring *ring = &r->rings[cpu];

		if (!heads[cpu])
			continue;
		ring->map.head = heads[cpu];
		ring->map.tail = tails[cpu];
		ring->map.slots = slots[cpu];
		r->nr_present++;
		ring_init(ring);
	}
	*reader = r;
	return 0;
}

void tap_reader_close(struct tap_reader *r)
{
	unsigned int cpu;

	if (!r)
		return;
	for (cpu = 0; r->live && r->rings && cpu < r->meta.nr_rings; cpu++)
		tap_ring_unmap(&r->rings[cpu].map, &r->meta);
	tap_meta_unmap(r->live);
	free(r->rings);
	tap_merge_free(&r->merge);
	free(r->touched);
	free(r);
}
