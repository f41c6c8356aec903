// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of what tap export is made of, with sanitizers; and the trace file of the tests that
 * read exports with other tools:
 *	export --write FILE [ROUNDS]	each kind of event, losses, notices, and so many seeded
 *rounds
 */
#include <errno.h>
#include <unistd.h>

#include "selftests/lib/fake_ring.h"
#include "selftests/lib/fake_symbols.h"
#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/file_sums.h"
#include "export/export.h"
#include "export/intern.h"
#include "export/json.h"
#include "export/nesting.h"
#include "export/proto.h"
#include "file/file_format.h"
#include "session/reader.h"

#define RING	(1U << 16)
#define CPUS	2
#define MANY	62
#define FRAMES	6

enum {
	OUTER = 1,
	INNER,
	MANY_VALUES,
	SPAN,
	GRAPH,
	SWITCH,
	FILE_VALUE,
	SAMPLE,
	COUNTED,
	NAMED,
	SHAPES,
	NO_TASK,
	CALL_COUNTED,
};

static char dir[] = "/tmp/tap-export-test-XXXXXX";
static __u64 seed = 25;

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T vfs_read\n"
	"ffffffff81000200 T ksys_read\n"
	"ffffffff81000300 T do_syscall_64\n"
	"ffffffff81000400 T asm_exc_page_fault\n"
	"ffffffff81000500 T last_function\n"
	"ffffffffc0000000 t drv_ioctl\t[drv]\n"
	"ffffffffc0000100 t drv_start\t[drv]\n";

#define K(n)		(0xffffffff81000010ULL + 0x100 * (n))
#define DRV		0xffffffffc0000010ULL

/**
 * struct trace - the file being written
 * @f: the rings
 * @probes: the probe table
 * @r: reads the rings
 * @w: the file
 * @maps: of this process, for the names of its functions
 * @collect: finds their addresses
 * @counters: of each probe, by id and CPU
 */
struct trace {
	struct fake f;
	struct tap_probes probes;
	struct tap_reader *r;
	struct tap_file_writer *w;
	struct tap_maps *maps;
	struct tap_usym_collect *collect;
	struct tap_counters counters[CALL_COUNTED + 1][CPUS];
};

static struct trace t;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % n;
}

static struct tap_value_names *value_names(void)
{
	struct tap_value_names *names = tap_value_names_new();

	if (!names || tap_value_names_add(names, 1, "READ", 4) ||
	    tap_value_names_add(names, 2, "WRITE\"\033", 7))
		abort();
	return names;
}

#define HIDDEN_COMM(word)	FIELD("comm", COMM, word, 2, .flags = TAP_FIELD_F_HIDDEN)

static void fill_calls(struct tap_value_names *names)
{
	const struct tap_field outer[] = {
		HIDDEN_COMM(2), FIELD("fd", S32, 4, 1), FIELD("kstack", KSTACK, 5, 1 + FRAMES),
		FIELD("ret", BOOL, TAP_CALL_RETVAL, 1, .flags = TAP_FIELD_F_HIDDEN, .element = TAP_FMT_U8),
	};
	const struct tap_field inner[] = {
		HIDDEN_COMM(2), FIELD("count", U64, 4, 1), FIELD("name", STRING, 5, 4),
		FIELD("mode", VALUE_NAME, 9, 1, .value_names = names),
		FIELD("flags", FLAGS, 10, 1, .value_names = names),
	};
	const struct tap_field graph[] = {
		HIDDEN_COMM(2), FIELD("size", X64, 4, 1),
		FIELD("got", S64, 5, 1, .flags = TAP_FIELD_F_RETURN),
	};
	const struct tap_field counted[] = {
		HIDDEN_COMM(2), FIELD("cycles", U64, 4, 1, .output = 1), FIELD("kstack", KSTACK, 5, 1 + FRAMES),
	};
	const struct tap_field named[] = {
		FIELD("func", FUNC, 2, 1, .flags = TAP_FIELD_F_HIDDEN), HIDDEN_COMM(3),
	};

	fake_probe(&t.probes, OUTER, TAP_PROBE_CALL, "call:ksys_read", 6 + FRAMES, outer, ARRAY_SIZE(outer));
	fake_probe(&t.probes, INNER, TAP_PROBE_CALL, "call:vfs_read", 11, inner, ARRAY_SIZE(inner));
	fake_probe(&t.probes, GRAPH, TAP_PROBE_FUNCGRAPH, "funcgraph:drv_start", 6, graph,
		   ARRAY_SIZE(graph));
	fake_probe(&t.probes, NAMED, TAP_PROBE_CALL, "call:drv_*", 5, named, ARRAY_SIZE(named));
	fake_probe(&t.probes, CALL_COUNTED, TAP_PROBE_CALL, "call:drv_ioctl", 6 + FRAMES, counted,
		   ARRAY_SIZE(counted));
}

/* The second output is a counter. */
static void fill_counter(struct tap_spec *spec)
{
	spec->ops = calloc(2, sizeof(*spec->ops));
	if (!spec->ops)
		abort();
	spec->ops[0] = (struct tap_op) { .code = TAP_OP_ARG, .dst = TAP_OP_OUT, .size = 8 };
	spec->ops[1] = (struct tap_op) { .code = TAP_OP_PMU, .dst = TAP_OP_OUT, .size = 8 };
	spec->nr_ops = 2;
}

static void fill_others(struct tap_value_names *names)
{
	struct tap_field many[MANY + 1] = { HIDDEN_COMM(MANY) };
	const struct tap_field span[] = {
		FIELD("duration", DURATION, 0, 1, .flags = TAP_FIELD_F_HIDDEN),
		HIDDEN_COMM(2), FIELD("request", U64, 1, 1),
	};
	const struct tap_field sched_switch[] = {
		FIELD("prev_comm", CHARS, 0, 2, .count = 16),
		FIELD("prev_pid", S32, 2, 1),
		FIELD("prev_prio", S32, 3, 1),
		FIELD("prev_state", FLAGS, 4, 1, .value_names = names),
		FIELD("next_comm", CHARS, 5, 2, .count = 16),
		FIELD("next_pid", S32, 7, 1),
		FIELD("next_prio", S32, 8, 1),
	};
	const struct tap_field file[] = { FIELD("value", S64, 0, 1) };
	const struct tap_field sample[] = {
		HIDDEN_COMM(0),
		FIELD("ip", SYMBOL, 2, 1),
		FIELD("cycles", U64, 3, 1, .output = 1),
		FIELD("kstack", KSTACK, 4, 1 + FRAMES),
		FIELD("ustack", USTACK, 5 + FRAMES, 1 + FRAMES),
	};
	const struct tap_field counted[] = {
		HIDDEN_COMM(0),
		FIELD("n", U64, 2, 1, .output = 0),
		FIELD("cache_misses", U64, 3, 1, .output = 1),
	};
	const struct tap_field shapes[] = {
		FIELD("yes", BOOL, 0, 1),
		FIELD("letter", CHAR, 1, 1),
		FIELD("ip", IP, 2, 1),
		FIELD("mac", MAC, 3, 1, .count = 6),
		FIELD("uuid", UUID, 4, 2, .count = 16),
		FIELD("dev", DEV, 6, 1),
		FIELD("array", AUTO, 7, 2, .element = TAP_FMT_U16, .count = 7),
		FIELD("text", CHARS, 9, 4, .count = 32),
		FIELD("gone", U64, 13, 1, .output = 3),
		FIELD("which", X64, 14, 1, .flags = TAP_FIELD_F_ABSENT),
		FIELD("negative", S64, 15, 1),
		FIELD("largest", U64, 16, 1),
		FIELD("a\"\\b", X64, 17, 1),
		FIELD("err", ERRNO, 18, 1),
	};
	const struct tap_field plain[] = { FIELD("a", U64, 0, 1) };
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		many[1 + i] = (struct tap_field) FIELD("", U64, i, 1);
		snprintf(many[1 + i].name, sizeof(many[1 + i].name), "v%02u", i);
		many[1 + i].word = (__u16)i;
		many[1 + i].format = i % 3 ? i % 3 == 1 ? TAP_FMT_S64 : TAP_FMT_X64 : TAP_FMT_U64;
	}
	fake_probe(&t.probes, MANY_VALUES, TAP_PROBE_KPROBE, "kprobe:many", MANY + 2, many,
		   MANY + 1);
	fake_probe(&t.probes, SPAN, TAP_PROBE_SPAN, "span:request", 4, span, ARRAY_SIZE(span));
	fake_probe(&t.probes, SWITCH, TAP_PROBE_TRACEPOINT, "tracepoint:sched:sched_switch", 9,
		   sched_switch, ARRAY_SIZE(sched_switch));
	fake_probe(&t.probes, FILE_VALUE, TAP_PROBE_MARK, "file:/proc/meminfo:MemFree", 1, file,
		   ARRAY_SIZE(file));
	fake_probe(&t.probes, SAMPLE, TAP_PROBE_EVENT, "profile:hz:99", 6 + 2 * FRAMES, sample,
		   ARRAY_SIZE(sample));
	fake_probe(&t.probes, COUNTED, TAP_PROBE_KPROBE, "kprobe:counted", 4, counted,
		   ARRAY_SIZE(counted));
	fake_probe(&t.probes, SHAPES, TAP_PROBE_KPROBE, "kprobe:shapes", 19, shapes,
		   ARRAY_SIZE(shapes));
	fake_probe(&t.probes, NO_TASK, TAP_PROBE_KPROBE, "kprobe:plain", 1, plain,
		   ARRAY_SIZE(plain));
}

static struct tap_spec *spec_of(__u32 id)
{
	size_t i;

	for (i = 0; i < t.probes.nr; i++)
		if (t.probes.list[i].id == id)
			return &t.probes.list[i].spec;
	abort();
}

static void fill_probes(void)
{
	struct tap_value_names *names = value_names();

	fill_calls(names);
	fill_others(names);
	tap_value_names_put(names);
	fill_counter(spec_of(COUNTED));
	fill_counter(spec_of(CALL_COUNTED));
	fill_counter(spec_of(SAMPLE));
	spec_of(NAMED)->name = strdup("drv");
}

static void drain(void)
{
	unsigned int cpu;
	const void *data;
	size_t len;
	__u64 pos;

	for (cpu = 0; cpu < CPUS; cpu++)
		while (!tap_reader_chunk(t.r, cpu, &pos, &data, &len) && len)
			if (tap_usym_collect_data(t.collect, cpu, pos, data, len) ||
			    tap_file_data(t.w, cpu, pos, data, len) ||
			    tap_reader_release(t.r, cpu, len))
				abort();
}

/**
 * struct at - where an event happens
 * @cpu: its CPU
 * @tid: its thread
 * @flags: TAP_F_*
 */
struct at {
	unsigned int cpu;
	__u32 tid;
	__u32 flags;
};

static struct tap_slot *further(unsigned int cpu, __u64 pos, unsigned int i)
{
	return tap_ring_slot(&t.f.w[cpu], pos + (1 + i / TAP_SLOT_VALUES) * TAP_SLOT_SIZE);
}

/* Writes a record; false if the ring is full. */
static bool put_kind(unsigned int kind, const struct at *at, __u32 probe, const __u64 *words,
		     unsigned int nr)
{
	unsigned int slots = tap_words_slots(nr), i;
	struct tap_resv resv = tap_ring_reserve(&t.f.w[at->cpu], slots * TAP_SLOT_SIZE);
	struct tap_record *rec;

	if (resv.pos & TAP_RESV_FAILED)
		return false;
	if (kind == TAP_KIND_EVENT)
		t.counters[probe][at->cpu].written++;
	fake_fill(&t.f, at->cpu, resv.pos, resv.time, probe, slots, 0);
	rec = tap_ring_slot(&t.f.w[at->cpu], resv.pos);
	rec->kind = (__u8)kind;
	rec->flags = at->flags;
	rec->tid = at->tid;
	rec->tgid = at->tid ? (__u32)getpid() : 0;
	for (i = 0; i < nr; i++) {
		if (i < TAP_FIRST_VALUES)
			rec->value[i] = words[i];
		else
			further(at->cpu, resv.pos, i - TAP_FIRST_VALUES)
				->value[(i - TAP_FIRST_VALUES) % TAP_SLOT_VALUES] = words[i];
	}
	tap_ring_commit(rec, resv.pos);
	return true;
}

static void put(const struct at *at, __u32 probe, const __u64 *words)
{
	unsigned int nr = tap_probes_find(&t.probes, probe)->words;

	if (!put_kind(TAP_KIND_EVENT, at, probe, words, nr)) {
		drain();
		if (!put_kind(TAP_KIND_EVENT, at, probe, words, nr))
			abort();
	}
}

static void set_text(__u64 *words, const char *text, size_t bytes)
{
	memset(words, 0, bytes);
	memcpy(words, text, strlen(text));
}

static void set_comm(__u64 *words, __u32 tid)
{
	char comm[32];

	snprintf(comm, sizeof(comm), tid ? "t\xc3\xa4sk/%u" : "swapper", tid);
	comm[15] = '\0';
	set_text(words, comm, 16);
}

static void advance(void)
{
	fake_time += 10 + below(1000);
}

/* ------------------------------------------------------- the kinds of events */

__attribute__((noinline)) static void export_test_outer(void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

__attribute__((noinline)) static void export_test_inner(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop");
}

static const char *const texts[] = {
	"zeros",
	"t\xc3\xa4st \xe4\xb8\xad\xf0\x9f\x90\xa7",
	"a\tb\nc\\d\re\"",
	"\033[2J\x7f",
	"bad \xff\xfe utf",
	"",
};

/* One of two stacks, or none. */
static void set_stack(__u64 *words)
{
	static const __u64 frames[] = { K(1), K(2), K(3) };
	unsigned int nr = below(4);

	words[0] = nr < 2 ? TAP_TEXT_ABSENT : 8 * nr;
	memcpy(words + 1, frames, sizeof(frames));
}

static void put_inner(const struct at *at, __u64 duration)
{
	__u64 w[11] = { duration, below(3) ? below(4096) : (__u64)-2, [4] = below(1U << 20),
			[9] = below(3), [10] = below(8) };
	const char *text = texts[below(ARRAY_SIZE(texts))];

	set_comm(w + 2, at->tid);
	set_text(w + 6, text, 24);
	w[5] = strlen(text);
	put(at, INNER, w);
}

static void put_outer(const struct at *at, __u64 duration)
{
	__u64 w[6 + FRAMES] = { duration, below(4096), [4] = (__u64)(__s64)((int)below(100) - 1) };

	set_comm(w + 2, at->tid);
	set_stack(w + 5);
	put(at, OUTER, w);
}

static void put_graph(const struct at *at, __u64 duration, bool entry)
{
	__u64 w[6] = { duration, entry ? 0 : 7, [4] = below(1 << 16), [5] = below(9) };
	struct at there = *at;

	there.flags |= entry ? TAP_F_ENTRY : 0;
	set_comm(w + 2, at->tid);
	put(&there, GRAPH, w);
}

static void put_many(const struct at *at)
{
	__u64 w[MANY + 2];
	unsigned int i;

	for (i = 0; i < MANY; i++)
		w[i] = ((__u64)below(1U << 31) << 33 | below(1U << 31)) >> below(64);
	set_comm(w + MANY, at->tid);
	put(at, MANY_VALUES, w);
}

static void put_span(const struct at *at, __u64 duration, __u64 request)
{
	__u64 w[4] = { duration, request };

	set_comm(w + 2, at->tid);
	put(at, SPAN, w);
}

/* The thread of each CPU that the switches tell of. */
static __u32 running[CPUS];

static void put_switch(unsigned int cpu)
{
	struct at at = { .cpu = cpu, .tid = running[cpu] };
	__u32 next = below(4) ? 101 + below(4) : 0;
	__u64 w[9] = { [2] = at.tid, [3] = 120, [4] = below(3), [7] = next, [8] = next ? 120 : 0 };

	set_comm(w, at.tid);
	set_comm(w + 5, next);
	put(&at, SWITCH, w);
	running[cpu] = next;
}

static void put_sample(const struct at *at)
{
	__u64 w[6 + 2 * FRAMES] = { [2] = K(1), [3] = 10101010 };
	__u64 *user = w + 5 + FRAMES;
	unsigned int kind = below(4);

	set_comm(w, at->tid);
	w[4] = 8 * (kind ? 4 : 0) | (kind == 1 ? TAP_TEXT_TRUNCATED : 0) |
	       (kind ? 0 : TAP_TEXT_ABSENT);
	w[5] = K(1) + 8 * (kind == 2);
	w[6] = kind == 3 ? DRV : K(2);
	w[7] = kind == 2 ? K(4) : K(3);
	w[8] = K(0);
	/* A function of this program, at its first instruction, and its caller. */
	user[0] = 8 * 2;
	user[1] = (__u64)(uintptr_t)export_test_inner;
	user[2] = kind == 3 ? 0x7fff00000000 : (__u64)(uintptr_t)export_test_outer + 2;
	put(at, SAMPLE, w);
}

static void put_counted(const struct at *at)
{
	__u64 w[4] = { [2] = below(9), [3] = fake_time / 7 };
	__u64 call[6 + FRAMES] = { 5, 0, [4] = 1000 + below(1000) };

	set_comm(w, at->tid);
	put(at, COUNTED, w);
	fake_time += 20;
	set_comm(call + 2, at->tid);
	set_stack(call + 5);
	put(at, CALL_COUNTED, call);
}

static void put_named(const struct at *at, __u64 duration)
{
	__u64 w[5] = { duration, 0, DRV + 0x100 * below(2) - 0x10 };

	set_comm(w + 3, at->tid);
	put(at, NAMED, w);
}

static void put_shapes(const struct at *at)
{
	__u64 w[19] = {
		below(2), 'x', 0x0100007f, 0x665544332211, 0x1122334455667788, 0x99aabbccddeeff00,
		8U << 20 | 1, 0x0004000300020001, 0x00000007000600ff, [13] = 5, [14] = 1 << 3,
		[15] = (__u64)-5000000000, [16] = UINT64_MAX, [17] = 0xfedcba98, [18] = (__u64)-110,
	};
	struct at there = *at;

	set_text(w + 9, texts[below(ARRAY_SIZE(texts))], 32);
	there.flags |= TAP_F_ABSENT;
	put(&there, SHAPES, w);
}

/* ---------------------------------------------------------------- the story */

static __u64 spans[8];
static __u64 requests;

/* Spans begin and end at any time, in any thread. */
static void step_span(const struct at *at)
{
	unsigned int i = below(ARRAY_SIZE(spans));

	if (spans[i])
		put_span(at, fake_time - spans[i], ++requests);
	spans[i] = spans[i] ? 0 : fake_time;
}

static void put_event(const struct at *at)
{
	__u64 one = below(100);

	switch (below(9)) {
	case 0:
		put_many(at);
		break;
	case 1:
		put_switch(at->cpu);
		break;
	case 2:
		one *= 1024;
		put(&(struct at) { .cpu = at->cpu, .tid = 9000 }, FILE_VALUE, &one);
		break;
	case 3:
		put_sample(at);
		break;
	case 4:
		put_counted(at);
		break;
	case 5:
		put_shapes(at);
		break;
	case 6:
		put(at, NO_TASK, &one);
		break;
	default:
		step_span(at);
	}
	advance();
}

/* A call, with what is inside of it: events, calls of the same task, an interrupt, the other CPU.
 */
static void call(const struct at *at, unsigned int depth)
{
	__u64 begin = fake_time;
	unsigned int i, kind = below(4), nr = depth < 5 ? below(4) : 0;

	if (kind == 3)
		put_graph(at, 0, true);
	/* Calls of one tick, and those that begin and end together. */
	if (below(4))
		advance();
	for (i = 0; i < nr; i++) {
		const struct at interrupt = { at->cpu, at->tid, TAP_F_HARDIRQ };
		const struct at softirq = { at->cpu, at->tid, TAP_F_SOFTIRQ };
		const struct at other = { !at->cpu, at->tid ? 0 : 105, at->flags };

		switch (below(7)) {
		case 0:
			call(at->flags ? at : below(2) ? &interrupt : &softirq, depth + 1);
			break;
		case 1:
			call(depth ? at : &other, 4);
			break;
		case 2:
		case 3:
			put_event(at);
			break;
		default:
			call(at, depth + 1);
		}
	}
	if (kind == 0)
		put_outer(at, fake_time - begin);
	else if (kind == 1)
		put_inner(at, fake_time - begin);
	else if (kind == 2)
		put_named(at, fake_time - begin);
	else
		put_graph(at, fake_time - begin, false);
	if (below(4))
		advance();
}

/* Fills a ring until records are lost; their number is in the next gap record. */
static void lose(unsigned int cpu, unsigned int nr)
{
	const struct at at = { .cpu = cpu, .tid = 200 };
	__u64 word = 1;

	while (put_kind(TAP_KIND_EVENT, &at, NO_TASK, &word, 1))
		fake_time++;
	while (--nr)
		put_kind(TAP_KIND_EVENT, &at, NO_TASK, &word, 1);
	drain();
}

static void put_notice(unsigned int cpu, __u32 probe, __u64 what)
{
	const __u64 words[4] = { what, fake_time - 5, 3, 1000 };

	put_kind(TAP_KIND_NOTICE, &(struct at) { .cpu = cpu }, probe, words, 4);
	advance();
}

/* What does not happen in the rounds. */
static void put_rare(void)
{
	const struct at task = { .cpu = 0, .tid = 101 };
	const struct at idle0 = { .cpu = 0 }, idle1 = { .cpu = 1 };
	const struct at nmi = { .cpu = 1, .tid = 102, .flags = TAP_F_NMI };
	const struct at endless = { .cpu = 1, .tid = 103, .flags = TAP_F_NO_RETURN };

	put_inner(&endless, 0);
	put_inner(&nmi, 3);
	advance();
	/* The idle tasks of two CPUs have the id 0; a task whose calls overlap as its clock jumped.
	 */
	put_inner(&idle0, 300);
	fake_time += 100;
	put_outer(&idle1, 300);
	put_outer(&task, 500);
	fake_time += 100;
	put_inner(&task, 300);
	fake_time += 1000;
	/* A parent and its child begin together, or end together; or both have no duration. */
	put_inner(&task, 30);
	fake_time += 10;
	put_outer(&task, 40);
	fake_time += 100;
	put_inner(&task, 30);
	put_outer(&task, 40);
	fake_time += 100;
	put_inner(&task, 0);
	put_outer(&task, 0);
	advance();
	put_notice(0, INNER, TAP_NOTICE_THROTTLED);
	put_notice(1, INNER, TAP_NOTICE_RESUMED);
	put_notice(0, 0, TAP_NOTICE_CPU);
}

static void open_trace(const char *path)
{
	struct tap_file_info info = {
		.size = sizeof(info),
		.sysname = "Linux", .release = "6.1.0", .nodename = "box", .machine = "x86_64",
		.command = "tap record -e call:vfs_read", .tool = "0.2.0",
		.nr_cpus = CPUS, .page_size = 4096, .date = 1700000000,
	};
	struct tap_symbols *syms = load_symbols(dir, kallsyms);
	struct tap_timebase timebase;
	struct tap_error err;

	/* More than 104 days of uptime: a double cannot hold it. */
	fake_time = 10000000000000001ULL;
	fake_init(&t.f, CPUS, RING, 0);
	fill_probes();
	tap_maps_open(&t.maps, &err);
	if (!t.maps || tap_timebase_init(&timebase, &t.f.meta) ||
	    tap_usym_collect_open(&t.collect, t.maps, &t.probes, &timebase) ||
	    tap_reader_open_memory(&t.r, &t.f.meta, t.f.heads, t.f.tails, t.f.slots, NULL, NULL) ||
	    tap_file_create(&t.w, path, &err) ||
	    tap_file_begin(t.w, &info, &t.f.meta, &t.probes, syms, &err))
		abort();
	tap_symbols_free(syms);
}

static void write_counters(void)
{
	struct tap_file_stats stats = { .size = sizeof(stats), .nr_cpus = CPUS };

	for (stats.id = 1; stats.id <= CALL_COUNTED; stats.id++) {
		stats.counters = t.counters[stats.id];
		if (tap_file_stats(t.w, &stats))
			abort();
	}
}

static void close_trace(void)
{
	drain();
	write_counters();
	if (tap_usym_collect_write(t.collect, t.w) || tap_file_finish(t.w))
		abort();
	tap_usym_collect_close(t.collect);
	tap_maps_close(t.maps);
	tap_reader_close(t.r);
	tap_probes_clear(&t.probes);
	fake_free(&t.f);
}

static void write_trace(const char *path, unsigned long rounds)
{
	unsigned long i;

	open_trace(path);
	put_rare();
	for (i = 0; i < rounds; i++) {
		const struct at at = { .cpu = below(CPUS),
				       .tid = below(8) ?
						      below(2) ? 101 + below(4) : 1000 + (__u32)i :
						      0 };

		call(&at, 0);
		put_event(&at);
		if (i % 100 == 50)
			lose((unsigned int)i / 100 % CPUS, 1 + below(20));
	}
	close_trace();
}

/* ---------------------------------------------------------------------- JSON */

static void test_json(void)
{
	static const char line[] =
		"{\"a\":1,\"b\\\"\":\"x,}]\\\\\",\"c\":{\"d\":[1,{\"e\":\"]\"},[]],\"f\":null},\"g\":[\"h\",-2,true]}\n";
	static const struct {
		const char *name;
		const char *value;
	} members[] = {
		{ "a", "1" },
		{ "b\\\"", "\"x,}]\\\\\"" },
		{ "c", "{\"d\":[1,{\"e\":\"]\"},[]],\"f\":null}" },
		{ "g", "[\"h\",-2,true]" },
	};
	static const char escaped[] = "\\\"\\\\\\u0009\\u001b\\ufffd\xc3\xa4 z";
	const struct json whole = { line, sizeof(line) - 2 },
			  text = { escaped, sizeof(escaped) - 1 };
	const struct json none = { "{}", 2 };
	struct json name, value;
	const char *at = json_members(&whole);
	bool right = true;
	char raw[64];
	size_t i;

	for (i = 0; json_member(&at, &name, &value); i++)
		right &= i < ARRAY_SIZE(members) &&
			 json_is(&name, members[i].name, strlen(members[i].name)) &&
			 json_is(&value, members[i].value, strlen(members[i].value));
	ok(right && i == ARRAY_SIZE(members), "members of an object");
	at = json_members(&value);
	for (i = 0; json_element(&at, &value); i++)
		;
	ok(i == 3 && json_is(&value, "true", 4), "elements of an array");
	at = json_members(&none);
	ok(!json_member(&at, &name, &value), "an empty object");
	*json_text(&text, raw) = '\0';
	ok(same(raw, "\"\\\t\033\xef\xbf\xbd\xc3\xa4 z"), "the bytes of a string");
}

/* --------------------------------------------------------- Protocol Buffers */

static void test_proto(void)
{
	static const unsigned char want[] = {
		0x08, 0x96, 0x01, /* field 1: 150 */
		0xda, 0x05, 0x8a, 0x80, 0x80, 0x00, /* field 91, 10 bytes in a long form */
		0x12, 0x01, 'x', /* field 2: bytes */
		0x1a, 0x82, 0x80, 0x80, 0x00, '"',  '\n', /* field 3: out of JSON */
		0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
	};
	const struct json text = { "\\\"\\u000a", 8 };
	struct proto p = { 0 };
	size_t message;

	proto_number(&p, 1, 150);
	message = proto_begin(&p, 91);
	proto_bytes(&p, 2, "x", 1);
	proto_json(&p, 3, &text);
	proto_end(&p, message);
	proto_number(&p, 4, UINT64_MAX);
	ok(!p.failed && p.buf.len == sizeof(want) && !memcmp(p.buf.data, want, sizeof(want)),
	   "numbers, bytes and messages");
	tap_buffer_free(&p.buf);
}

static void test_intern(void)
{
	struct intern table = { 0 };
	bool added, right = true;
	__u32 number, i;

	ok(intern_number(&table, 1, "a", 1, &added) == 1 && added,
	   "the first text has the number 1");
	ok(intern_number(&table, 1, "a", 1, &added) == 1 && !added, "once");
	ok(intern_number(&table, 2, "a", 1, &added) == 2 && added, "texts of two kinds are two");
	for (i = 0; !intern_full(&table); i++) {
		number = intern_number(&table, 3, &i, sizeof(i), &added);
		right &= added && number == 3 + i;
	}
	for (i = 0; i < 1000; i++)
		right &= intern_number(&table, 3, &i, sizeof(i), &added) == 3 + i && !added;
	ok(right && table.nr >= INTERN_ENTRIES / 2, "many texts");
	intern_clear(&table);
	ok(intern_number(&table, 3, "a", 1, &added) == 1 && added && !intern_full(&table),
	   "it begins again");
	while (intern_number(&table, 4, &i, sizeof(i), &added))
		i++;
	ok(table.nr == INTERN_ENTRIES - 1, "a table without room says so");
	intern_free(&table);
}

/* --------------------------------------------------------------------- nesting */

#define SLICES	200000
#define TRACKS	40

/**
 * struct shown - a slice that is on a track
 * @begin: its begin
 * @end: its end
 */
struct shown {
	__u64 begin;
	__u64 end;
};

/* As a reader does: by time, and those of one time as they were written. */
static bool reader_agrees(const struct shown *slices, unsigned int nr)
{
	/* Two entries a slice: its begin is 2 * i, its end 2 * i + 1. */
	unsigned int *by_time = calloc(2 * nr + 1, sizeof(*by_time)),
		     *stack = calloc(nr + 1, sizeof(*stack));
	unsigned int i, k, depth = 0;
	bool right = by_time && stack;

	for (i = 0; right && i < 2 * nr; i++) {
		__u64 at = i % 2 ? slices[i / 2].end : slices[i / 2].begin;

		for (k = i; k; k--) {
			const struct shown *s = &slices[by_time[k - 1] / 2];

			if ((by_time[k - 1] % 2 ? s->end : s->begin) <= at)
				break;
			by_time[k] = by_time[k - 1];
		}
		by_time[k] = i;
	}
	for (i = 0; right && i < 2 * nr; i++) {
		if (by_time[i] % 2)
			right = depth && stack[--depth] == by_time[i] / 2;
		else
			stack[depth++] = by_time[i] / 2;
	}
	free(by_time);
	free(stack);
	return right && !depth;
}

/* Slices of few times on few tracks: most overlap. Each track that accepts all is what a reader
 * sees. */
static void test_nesting(void)
{
	static struct shown slices[TRACKS][SLICES / TRACKS + 1];
	unsigned int nr[TRACKS] = { 0 }, i, track, accepted = 0, refused = 0;
	struct nesting n = { 0 };
	__u64 now = 100, begin;
	bool fits, right = true;

	for (i = 0; i < SLICES / 10; i++) {
		now += below(3);
		begin = now - below(below(5) ? 12 : 60);
		track = below(TRACKS);
		right &= !nesting_fits(&n, 1 + track, begin, now, &fits);
		accepted += fits;
		refused += !fits;
		if (fits)
			slices[track][nr[track]++] = (struct shown) { begin, now };
	}
	for (i = 0; i < TRACKS; i++)
		right &= reader_agrees(slices[i], nr[i]);
	ok(right && accepted > 5000 && refused > 1000, "slices that fit are what a reader sees");
	nesting_free(&n);
}

static void test_forgotten(void)
{
	struct nesting n = { 0 };
	bool fits, right = true;
	unsigned int i;

	for (i = 0; i < 3 * 4096; i++)
		right &= !nesting_fits(&n, 1, 10 * i, 10 * i + 5, &fits) && fits;
	ok(right, "slices beside each other fit");
	ok(!nesting_fits(&n, 1, 10 * 4096 * 2 + 7, 10 * i, &fits) && fits,
	   "one around the last thousands fits");
	ok(!nesting_fits(&n, 1, 7, 10 * i + 1, &fits) && !fits,
	   "one around those that are forgotten does not");
	for (i = 0; i < 5000; i++)
		right &= !nesting_fits(&n, 10 + i, 200000 + 10 * i, 200000 + 10 * i + 5, &fits) &&
			 fits;
	ok(right && n.nr < 4096, "tracks are forgotten, too");
	ok(!nesting_fits(&n, 10, 200000, 300000, &fits) && !fits,
	   "then a slice from before does not fit");
	nesting_free(&n);
}

static void test_lanes(void)
{
	struct nesting n = { 0 };
	__u64 lane[5], other;
	unsigned int i;

	ok(!nesting_lane(&n, 1, 10, 20, &lane[0]) && !nesting_lane(&n, 1, 15, 25, &lane[1]) &&
	   lane[0] != lane[1], "slices that overlap have two lanes");
	ok(!nesting_lane(&n, 1, 20, 30, &lane[2]) && lane[2] == lane[0],
	   "a lane is free at the end of its slice");
	ok(!nesting_lane(&n, 2, 40, 50, &other) && other != lane[0] && other != lane[1],
	   "owners share no lane");
	for (i = 0; i < 1000; i++)
		if (nesting_lane(&n, 3, 100, 200 + i, &lane[3 + i % 2]) ||
		    (i && lane[3] == lane[4]))
			break;
	ok(i == 1000, "more slices than lanes that are known");
	nesting_free(&n);
}

/* ---------------------------------------------------------------- damaged files */

#define DAMAGED	600

/* All formats, to a device. Damage may make any text and any number of a record. */
static void try_file(const char *path, unsigned int *whole)
{
	static const char *const formats[] = { "json", "tsv", "perfetto", "pprof" };
	struct export *x = calloc(1, sizeof(*x));
	struct tap_error err = { 0 };
	size_t i;

	if (!x)
		abort();
	memset(x->wanted, true, sizeof(x->wanted));
	x->path = path;
	x->quiet = true;
	for (i = 0; i < ARRAY_SIZE(formats) && !tap_file_open(&x->file, path, &err); i++) {
		x->probes = tap_file_probes(x->file);
		x->to = export_format(formats[i]);
		*whole += !export_run(x, "/dev/null");
		tap_file_close(x->file);
	}
	free(x);
}

static void test_damaged(void)
{
	size_t size, nr = 0, at, i, begins[16];
	unsigned int round, whole = 0, intact = 0;
	struct tap_file_chunk chunk;
	int errors = dup(STDERR_FILENO);
	char path[64], *data, *copy;

	snprintf(path, sizeof(path), "%s/trace.tap", dir);
	write_trace(path, 6);
	data = damage_load(path, &size);
	copy = malloc(size);
	for (at = sizeof(struct tap_file_header); at < size && nr < ARRAY_SIZE(begins);
	     at += sizeof(chunk) + (chunk.length + 7) / 8 * 8) {
		memcpy(&chunk, data + at, sizeof(chunk));
		begins[nr++] = at;
	}
	if (!freopen("/dev/null", "w", stderr))
		abort();
	try_file(path, &intact);
	for (round = 0; copy && round < DAMAGED; round++) {
		memcpy(copy, data, size);
		for (i = 0; i < 1 + round % 5; i++) {
			at = begins[below((unsigned int)nr)];
			memcpy(&chunk, data + at, sizeof(chunk));
			damage_at(copy, size,
				  at + sizeof(chunk) + below((unsigned int)chunk.length + 1));
		}
		file_resum(copy, size);
		damage_store(path, copy, size);
		alarm(60);
		try_file(path, &whole);
		alarm(0);
	}
	fflush(stderr);
	dup2(errors, STDERR_FILENO);
	close(errors);
	ok(intact == 4, "a file is exported in each format");
	ok(whole > 100 && whole < 4 * DAMAGED, "damaged ones as far as they can be read");
	unlink(path);
	free(copy);
	free(data);
}

int main(int argc, char **argv)
{
	native_dir(dir);
	if (argc >= 3 && !strcmp(argv[1], "--write")) {
		write_trace(argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : 300);
	} else {
		test_json();
		test_proto();
		test_intern();
		test_nesting();
		test_forgotten();
		test_lanes();
		test_damaged();
	}
	rmdir(dir);
	return argc >= 3 ? 0 : check_end();
}
