// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of keeping what belongs to a verdict: random streams of nested calls, spans and plain
 * events against the definition. Built with address and undefined behaviour sanitizers.
 */
#include <errno.h>
#include <linux/tap.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "selftests/lib/check.h"
#include "spec/probe_table.h"
#include "util/util.h"

#define EVENTS		20000
#define TASKS		40
#define CPUS		2
#define DEPTH		6
/* Prime, so that few tasks share a chain of events. */
#define CHAINS		1009
/* Memory of the stage that is too small for the events of a stream, and that is not. */
#define LITTLE		TAP_KEEP_MIN_MEMORY
#define PLENTY		(16 * TAP_KEEP_MIN_MEMORY)
/* Bytes that the stage takes for an event besides its slots, and for its lists, at most. */
#define HEAD		32
#define LISTS		(64 << 10)
#define RING_BYTES	(64U << 10)

enum { PLAIN = 1, CALL, OTHER_CALL, SPAN, MARK, FUNCGRAPH, PROBES };

/* The word of each record that has its index. */
#define WORD_INDEX	2
enum { SPAN_DURATION = 3, SPAN_TID, SPAN_CPU };

/**
 * struct fed - an event of a stream
 * @time: its time
 * @begin: of a verdict: the start of its window; of another: that of the last verdict of its task
 * @task: id of its task, made different for the idle task of each CPU
 * @slots: of its record
 * @bytes: that the stage had taken before it
 * @next: index of the next event in the same chain
 * @verdict: it is one
 * @pass: it belongs to no task
 * @delayed: its time is before that of an event before it
 * @wanted: a verdict asks for it
 * @given: the stage gave it
 */
struct fed {
	__u64 time;
	__u64 begin;
	__u32 task;
	__u32 slots;
	__u64 bytes;
	unsigned int next;
	bool verdict;
	bool pass;
	bool delayed;
	bool wanted;
	bool given;
};

/**
 * struct task - what a simulated task is doing
 * @tid: its id
 * @cpu: where it runs
 * @calls: begins of the calls under way
 * @depth: how many
 * @last_begin: start of the window of its last verdict
 */
struct task {
	__u32 tid;
	__u32 cpu;
	__u64 calls[DEPTH];
	unsigned int depth;
	__u64 last_begin;
};

static struct tap_probes probes;
static struct tap_keep *keep;
static struct fed fed[EVENTS];
static struct task tasks[TASKS];
static unsigned int first[CHAINS];
static unsigned int nr_fed, nr_given, last_given, given_at, disordered, foreign, wrong;
static bool ordered;
static __u64 seed, now, given_time, bytes, ring_pos;
static char ring[RING_BYTES] __attribute__((aligned(64)));
static int give_result;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % n;
}

static void add_probe(__u32 id, enum tap_probe_type type, const struct tap_field *fields,
		      unsigned int nr)
{
	struct tap_probe probe = { .id = id, .words = 8, .slots = 2 };

	probe.spec.type = type;
	probe.spec.event = strdup("event:x");
	probe.spec.target = strdup("x");
	probe.spec.nr_fields = nr;
	probe.spec.fields = calloc(nr + 1, sizeof(*fields));
	if (!probe.spec.fields)
		abort();
	if (nr)
		memcpy(probe.spec.fields, fields, nr * sizeof(*fields));
	if (tap_probes_add(&probes, &probe))
		abort();
}

static void add_probes(void)
{
	static const struct tap_field span[] = {
		{ .name = "duration", .format = TAP_FMT_DURATION, .word = SPAN_DURATION,
		  .words = 1, .flags = TAP_FIELD_F_HIDDEN },
		{ .name = "from.tid", .format = TAP_FMT_S32, .word = SPAN_TID, .words = 1 },
		{ .name = "from.cpu", .format = TAP_FMT_U32, .word = SPAN_CPU, .words = 1 },
	};

	add_probe(PLAIN, TAP_PROBE_KPROBE, NULL, 0);
	add_probe(CALL, TAP_PROBE_CALL, NULL, 0);
	add_probe(OTHER_CALL, TAP_PROBE_SYSCALL, NULL, 0);
	add_probe(SPAN, TAP_PROBE_SPAN, span, ARRAY_SIZE(span));
	add_probe(MARK, TAP_PROBE_MARK, NULL, 0);
	add_probe(FUNCGRAPH, TAP_PROBE_FUNCGRAPH, NULL, 0);
}

/* The word of slot @k that is its own in each record. */
static __u64 pattern(unsigned int index, unsigned int k)
{
	return (__u64)index << 32 | k << 8 | 0x5a;
}

static int take(void *arg, struct tap_event *ev)
{
	unsigned int index = (unsigned int)tap_event_word(ev, WORD_INDEX), k;
	struct fed *f = &fed[index];

	(void)arg;
	if (index >= nr_fed || f->given || f->slots != ev->slots || f->time != ev->time) {
		wrong++;
		return 0;
	}
	for (k = 1; k < ev->slots; k++)
		wrong += tap_event_word(ev, TAP_FIRST_VALUES + k * TAP_SLOT_VALUES - 1) !=
			 pattern(index, k);
	f->given = true;
	if (ordered && nr_given && index < last_given)
		disordered++;
	/* At once: those of one verdict, which is the event that came last, by time. */
	if (!ordered && !f->pass) {
		foreign += f->task != fed[nr_fed - 1].task;
		disordered += given_at == nr_fed && f->time < given_time;
		given_at = nr_fed;
		given_time = f->time;
	}
	last_given = index;
	nr_given++;
	return give_result;
}

/* Feeds an event, out of a ring in which records wrap. */
static int feed(const struct task *task, unsigned int probe, __u32 kind, __u64 time,
		unsigned int slots, const __u64 *words)
{
	struct tap_record rec = {
		.time = time, .probe = (__u16)probe, .slots = (__u8)slots, .kind = (__u8)kind,
		.tid = task ? task->tid : 0, .tgid = task ? task->tid : 0,
	};
	struct tap_event ev = {
		.data = ring, .pos = ring_pos, .mask = RING_BYTES - 1, .time = time,
		.cpu = task ? task->cpu : 0, .slots = slots,
	};
	struct tap_slot *slot;
	unsigned int k, i;

	memcpy(rec.value, words, sizeof(rec.value));
	memcpy(ring + (ring_pos & ev.mask), &rec, sizeof(rec));
	ev.rec = (const void *)(ring + (ring_pos & ev.mask));
	for (k = 1; k < slots; k++) {
		slot = (void *)(ring + ((ring_pos + k * TAP_SLOT_SIZE) & ev.mask));
		memset(slot, 0, sizeof(*slot));
		for (i = 0; k == 1 && i < 4; i++)
			slot->value[i] = words[TAP_FIRST_VALUES + i];
		slot->value[TAP_SLOT_VALUES - 1] = pattern((unsigned int)words[WORD_INDEX], k);
	}
	ring_pos += slots * TAP_SLOT_SIZE;
	if (tap_decode(&probes, &ev))
		abort();
	return tap_keep_event(keep, &ev);
}

/* Notes an event of a stream and feeds it. */
static void event(const struct task *task, unsigned int probe, __u32 kind, __u64 time,
		  __u64 duration, const __u64 *span)
{
	struct fed *f = &fed[nr_fed];
	__u64 words[TAP_FIRST_VALUES + 4] = { 0 };
	unsigned int slots = kind == TAP_KIND_EVENT ? 2 + below(below(20) ? 3 : 250) : 1;

	*f = (struct fed) {
		.time = time, .task = task ? task->tid ? task->tid : 1000 + task->cpu : 0,
		.slots = slots, .bytes = bytes, .verdict = probe >= CALL && probe <= SPAN,
		.pass = kind != TAP_KIND_EVENT || probe == MARK, .delayed = time < now,
	};
	f->wanted = f->pass;
	if (f->verdict)
		f->begin = time - duration;
	words[TAP_CALL_DURATION] = probe == SPAN ? 99999 : kind == TAP_KIND_NOTICE ?
				   TAP_NOTICE_ARMED : duration;
	words[WORD_INDEX] = nr_fed++;
	if (span)
		memcpy(words + SPAN_DURATION, span, 3 * sizeof(*span));
	bytes += HEAD + slots * TAP_SLOT_SIZE;
	if (feed(task, probe, kind, time, slots, words))
		wrong++;
}

static void call_ends(struct task *task)
{
	__u64 begin = task->calls[--task->depth];

	/* Without a verdict the return makes no record. */
	if (now - begin < 400)
		return;
	event(task, task->depth % 2 ? CALL : OTHER_CALL, TAP_KIND_EVENT, now, now - begin, NULL);
	task->last_begin = begin;
}

static void span_ends(struct task *task)
{
	__u64 duration = below(60);
	bool apart = !below(4);
	__u64 span[] = { duration, task->tid, task->cpu };

	if (duration > now)
		duration = span[0] = now;
	if (apart)
		span[task->tid ? 1 : 2] += 1;
	event(task, SPAN, TAP_KIND_EVENT, now, apart ? 0 : duration, span);
	task->last_begin = now - (apart ? 0 : duration);
}

static void step(bool delays)
{
	struct task *task = &tasks[below(TASKS)];
	__u64 back = delays && !below(10) ? below(30) : 0;

	now += below(3);
	switch (below(12)) {
	case 0:
	case 1:
		if (task->depth < DEPTH)
			task->calls[task->depth++] = now;
		break;
	case 2:
		if (task->depth)
			call_ends(task);
		break;
	case 3:
		span_ends(task);
		break;
	case 4:
		event(task, MARK, TAP_KIND_EVENT, now, 0, NULL);
		break;
	case 5:
		event(NULL, 0, below(2) ? TAP_KIND_GAP : TAP_KIND_NOTICE, now, 0, NULL);
		break;
	case 6:
		/* The thread ends, another one gets its id. */
		if (!below(20))
			task->depth = 0;
		break;
	default:
		if (task->tid && !below(10))
			task->cpu ^= 1;
		event(task, PLAIN, TAP_KIND_EVENT, now > back ? now - back : 0, 0, NULL);
		fed[nr_fed - 1].begin = task->last_begin;
	}
}

static void open_stage(__u64 memory, bool in_order)
{
	struct tap_keep_opts opts = {
		.size = sizeof(opts), .memory = memory, .probes = &probes, .ordered = in_order,
		.give = take,
	};
	unsigned int id;

	tap_keep_close(keep);
	if (tap_keep_open(&keep, &opts))
		abort();
	for (id = CALL; id <= SPAN; id++)
		if (tap_keep_verdict(keep, tap_probes_find(&probes, id)))
			abort();
	ordered = in_order;
	nr_fed = nr_given = last_given = given_at = disordered = foreign = wrong = 0;
	bytes = ring_pos = 0;
	now = 0;
	give_result = 0;
}

/* Links the events of each task, so that the definition does not read those of all tasks. */
static void link_events(void)
{
	unsigned int i, *chain;

	for (i = 0; i < CHAINS; i++)
		first[i] = nr_fed;
	for (i = nr_fed; i-- > 0;) {
		chain = &first[fed[i].task % CHAINS];
		fed[i].next = *chain;
		*chain = i;
	}
}

/* The first event of the chain of @f. */
static unsigned int chain_of(const struct fed *f)
{
	return first[f->task % CHAINS];
}

/* The definition: each verdict asks for the events of its task in its window. */
static void set_wanted(void)
{
	unsigned int i, k;

	for (i = 0; i < nr_fed; i++)
		for (k = chain_of(&fed[i]); fed[i].verdict && k < nr_fed; k = fed[k].next)
			if (!fed[k].pass && fed[k].task == fed[i].task &&
			    fed[k].time >= fed[i].begin && fed[k].time <= fed[i].time)
				fed[k].wanted = true;
}

/* Verdicts with an event of their task that was dropped before they came. */
static unsigned int count_incomplete(void)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < nr_fed; i++) {
		for (k = chain_of(&fed[i]); fed[i].verdict && k < i; k = fed[k].next)
			if (!fed[k].pass && !fed[k].given && fed[k].task == fed[i].task &&
			    fed[k].time >= fed[i].begin)
				break;
		nr += fed[i].verdict && k < i;
	}
	return nr;
}

static void run_stream(__u64 start, __u64 memory, bool in_order, bool delays)
{
	unsigned int i;

	seed = start;
	open_stage(memory, in_order);
	for (i = 0; i < TASKS; i++)
		tasks[i] = (struct task) {
			.tid = i < CPUS ? 0 : 100 + i, .cpu = i % CPUS,
		};
	/* Two tasks may share a list if no verdict is incomplete and no event is delayed. */
	for (i = CPUS; i < TASKS && memory == PLENTY && !delays; i += 2)
		tasks[i].tid = tasks[i + 1].tid + (1 << 20);
	while (nr_fed < EVENTS)
		step(delays);
	wrong += tap_keep_end(keep) != 0;
}

static void check_stream(__u64 start, __u64 memory, bool in_order, bool delays)
{
	unsigned int i, extra = 0, missing = 0, early = 0, late = 0, verdicts = 0;
	struct tap_keep_counts counts = { .size = sizeof(counts) };
	unsigned int incomplete, gaps = 0;
	char what[96];

	run_stream(start, memory, in_order, delays);
	link_events();
	set_wanted();
	tap_keep_counts(keep, &counts);
	for (i = 0; i < nr_fed; i++) {
		const struct fed *f = &fed[i];

		verdicts += f->verdict;
		extra += f->given && !f->wanted;
		if (f->given || !f->wanted)
			continue;
		missing++;
		/* Its verdict was over when it came, and is not the last one. */
		if (f->delayed && f->time < f->begin)
			late++;
	}
	incomplete = count_incomplete();
	/* An event is dropped only if later ones took its room. */
	for (i = 0; i < nr_fed && memory == LITTLE; i++) {
		unsigned int k;

		if (fed[i].given || !fed[i].wanted)
			continue;
		for (k = fed[i].next; k < nr_fed; k = fed[k].next)
			if (fed[k].verdict && fed[k].task == fed[i].task &&
			    fed[k].begin <= fed[i].time && fed[k].time >= fed[i].time)
				break;
		early += k < nr_fed && fed[k].bytes - fed[i].bytes <
			 memory - LISTS - 2 * TAP_MAX_SLOTS * TAP_SLOT_SIZE && !fed[i].delayed;
	}
	for (i = 0; i < nr_fed; i++)
		gaps += fed[i].pass && fed[i].slots == 1;
	snprintf(what, sizeof(what), "seed %llu, %llu MiB, %s%s", (unsigned long long)start,
		 (unsigned long long)(memory >> 20), in_order ? "by time" : "at once",
		 delays ? ", delayed writers" : "");
	check(!wrong && !disordered && !foreign, "%s: records are as they came, in order (%u, %u, %u)",
	      what, wrong, disordered, foreign);
	check(!extra, "%s: nothing is kept that no verdict asks for (%u)", what, extra);
	if (memory == PLENTY)
		check(missing == late, "%s: all that a verdict asks for is kept (%u of %u missing)",
		      what, missing - late, nr_fed);
	else
		check(missing && counts.incomplete, "%s: memory is too small for some (%u)", what,
		      missing);
	check(counts.incomplete == incomplete, "%s: %llu of %u verdicts are incomplete (%u)", what,
	      (unsigned long long)counts.incomplete, verdicts, incomplete);
	if (memory == LITTLE)
		check(!early, "%s: nothing is dropped while there is room (%u)", what,
		      early);
	check(counts.verdicts == verdicts && counts.kept + gaps == nr_given &&
	      counts.kept + counts.not_kept + gaps == nr_fed,
	      "%s: the counts add up (%llu kept, %llu not kept)", what,
	      (unsigned long long)counts.kept, (unsigned long long)counts.not_kept);
}

static void test_streams(void)
{
	__u64 start;

	for (start = 1; start <= 4; start++) {
		check_stream(start, PLENTY, false, false);
		check_stream(start, PLENTY, true, false);
		check_stream(start, LITTLE, false, false);
		check_stream(start, LITTLE, true, false);
		check_stream(start, PLENTY, start & 1, true);
	}
}

static void test_apart(void)
{
	struct tap_keep_counts counts = { .size = sizeof(counts) };
	const struct task a = { .tid = 5 }, idle0 = { .cpu = 0 }, idle1 = { .cpu = 1 };
	const __u64 same_cpu[] = { 50, 0, 1 }, other_cpu[] = { 50, 0, 0 }, other_tid[] = { 50, 6, 0 };

	open_stage(LITTLE, false);
	event(&a, PLAIN, TAP_KIND_EVENT, 10, 0, NULL);
	event(&idle0, PLAIN, TAP_KIND_EVENT, 11, 0, NULL);
	event(&idle1, PLAIN, TAP_KIND_EVENT, 12, 0, NULL);
	event(&a, SPAN, TAP_KIND_EVENT, 20, 0, other_tid);
	ok(nr_given == 1 && !fed[0].given && fed[3].given,
	   "a span that began in another task keeps itself only");
	event(&idle1, SPAN, TAP_KIND_EVENT, 21, 0, other_cpu);
	ok(nr_given == 2 && !fed[2].given,
	   "the idle tasks of two CPUs are different tasks");
	event(&idle1, SPAN, TAP_KIND_EVENT, 22, 50, same_cpu);
	ok(nr_given == 4 && fed[2].given && !fed[1].given,
	   "a span of the idle task keeps the events of its CPU");
	tap_keep_counts(keep, &counts);
	ok(counts.apart == 2 && counts.verdicts == 3, "spans of two tasks are counted");
}

static void test_edges(void)
{
	struct tap_keep_opts opts = {
		.size = sizeof(opts), .memory = LITTLE, .probes = &probes, .give = take,
	};
	const struct task a = { .tid = 5 };
	struct tap_keep *other = NULL;

	open_stage(LITTLE, false);
	event(&a, PLAIN, TAP_KIND_EVENT, 0, 0, NULL);
	event(&a, CALL, TAP_KIND_EVENT, 10, ~0ULL, NULL);
	ok(nr_given == 2, "a duration of more than its time begins at 0");
	event(&a, PLAIN, TAP_KIND_EVENT, 10, 0, NULL);
	event(&a, PLAIN, TAP_KIND_EVENT, 11, 0, NULL);
	ok(nr_given == 3, "an event of the same time behind the verdict is kept");
	event(&a, CALL, TAP_KIND_EVENT, 20, 15, NULL);
	event(&a, CALL, TAP_KIND_EVENT, 30, 12, NULL);
	event(&a, PLAIN, TAP_KIND_EVENT, 6, 0, NULL);
	event(&a, PLAIN, TAP_KIND_EVENT, 31, 0, NULL);
	ok(nr_given == 7 && fed[6].given, "a delayed event is kept by the verdict before the last");
	give_result = -EPIPE;
	ok(feed(&a, CALL, TAP_KIND_EVENT, 32, 2, (const __u64[8]){ 5, 0, 7 }) == -EPIPE,
	   "an error of the caller ends the call");
	opts.memory = TAP_KEEP_MIN_MEMORY - 1;
	ok(tap_keep_open(&other, &opts) == -EINVAL, "too little memory is refused");
	opts.memory = TAP_KEEP_MAX_MEMORY + 1;
	ok(tap_keep_open(&other, &opts) == -EINVAL, "too much memory is refused");
	opts.memory = LITTLE;
	opts.give = NULL;
	ok(tap_keep_open(&other, &opts) == -EINVAL, "events must be given to somebody");
	ok(tap_keep_verdict(keep, tap_probes_find(&probes, PLAIN)) == -EINVAL &&
	   tap_keep_verdict(keep, tap_probes_find(&probes, MARK)) == -EINVAL &&
	   tap_keep_verdict(keep, tap_probes_find(&probes, FUNCGRAPH)) == -EINVAL,
	   "an event without a duration is no verdict");
}

int main(void)
{
	add_probes();
	test_streams();
	test_apart();
	test_edges();
	tap_keep_close(keep);
	tap_probes_clear(&probes);
	return check_end();
}
