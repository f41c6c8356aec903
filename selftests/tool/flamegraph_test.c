// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of flame graphs: recordings with known stacks are folded and drawn. Built with
 * sanitizers. "flame --write FILE" only writes the recording for
 * selftests/tool/flamegraph_browser_test.
 */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "selftests/lib/fake_ring.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/file_sums.h"
#include "selftests/lib/check.h"

#include "spec/probe_table.h"
#include "flame/fold.h"
#include "flame/svg.h"
#include "file/file_format.h"
#include "selftests/lib/fake_symbols.h"
#include "session/reader.h"
#include "symbolize/maps_track.h"
#include "trace_file.h"

#define ROOM		12	/* frames that fit a record */
#define RING		65536

enum { WITH_STACKS = 1, CALL = 2, WITHOUT = 3 };

static char dir[] = "/tmp/tap-flame-test-XXXXXX";
static char path[64];

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T vfs_read\n"
	"ffffffff81000200 t ksys_read\n"
	"ffffffff81000300 t do_syscall_64\n"
	"ffffffff81000400 t abort_all\n"
	"ffffffff81000500 t next_function\n"
	"ffffffff81000600 t asm_exc\n"
	"ffffffffc0000000 t snd_open\t[snd]\n"
	"ffffffffc0000100 t snd_close\t[snd]\n";

#define K(off)		(0xffffffff81000000ULL + (off))

/**
 * struct trace_file - a trace file being written
 * @f: one ring
 * @probes: the probe table
 * @r: reader of the ring
 * @w: writer of the file
 * @keep: collects the names of this program, or NULL
 */
struct trace_file {
	struct fake f;
	struct tap_probes probes;
	struct tap_reader *r;
	struct tap_file_writer *w;
	struct tap_usym_collect *keep;
};

/**
 * struct sample - an event to be written
 * @probe: WITH_STACKS, CALL or WITHOUT
 * @comm: name of its task
 * @kernel: kernel addresses, the innermost first, terminated by 0
 * @user: user addresses, the innermost first, terminated by 0
 * @kernel_head: TAP_TEXT_TRUNCATED or TAP_TEXT_ABSENT
 * @user_head: TAP_TEXT_TRUNCATED or TAP_TEXT_ABSENT
 * @flags: flags of the record
 * @duration: duration of a call
 */
struct sample {
	unsigned int probe;
	const char *comm;
	__u64 kernel[ROOM];
	__u64 user[ROOM];
	__u64 kernel_head;
	__u64 user_head;
	__u32 flags;
	__u64 duration;
};

static void fill_probes(struct tap_probes *probes)
{
	const struct tap_field stacks[] = {
		FIELD("comm", COMM, 2, 2, .flags = TAP_FIELD_F_HIDDEN),
		FIELD("kstack", KSTACK, 4, 1 + ROOM),
		FIELD("ustack", USTACK, 5 + ROOM, 1 + ROOM),
	};
	const struct tap_field plain[] = { FIELD("a", U64, 0, 1) };

	fake_probe(probes, WITH_STACKS, TAP_PROBE_KPROBE, "kprobe:vfs_read",
		   6 + 2 * ROOM, stacks, ARRAY_SIZE(stacks));
	fake_probe(probes, CALL, TAP_PROBE_CALL, "call:vfs_read",
		   6 + 2 * ROOM, stacks, ARRAY_SIZE(stacks));
	fake_probe(probes, WITHOUT, TAP_PROBE_KPROBE, "kprobe:plain", 4, plain,
		   ARRAY_SIZE(plain));
}

static void begin(struct trace_file *rec)
{
	struct tap_file_info info = {
		.size = sizeof(info),
		.sysname = "Linux", .release = "6.1.0", .nodename = "box",
		.command = "tap record -e 'kprobe:vfs_read a<b && \"c\"\x01\xff'",
		.nr_cpus = 1, .page_size = 4096, .date = 1700000000,
	};
	struct tap_symbols *syms = load_symbols(dir, kallsyms);
	struct tap_error err;

	memset(rec, 0, sizeof(*rec));
	fake_init(&rec->f, 1, RING, 0);
	fill_probes(&rec->probes);
	if (tap_reader_open_memory(&rec->r, &rec->f.meta, rec->f.heads,
				   rec->f.tails, rec->f.slots, NULL, NULL) ||
	    tap_file_create(&rec->w, path, &err) ||
	    tap_file_begin(rec->w, &info, &rec->f.meta, &rec->probes, syms,
			   &err))
		abort();
	tap_symbols_free(syms);
}

static void drain(struct trace_file *rec)
{
	const void *data;
	size_t len;
	__u64 pos;

	while (!tap_reader_chunk(rec->r, 0, &pos, &data, &len) && len)
		if ((rec->keep &&
		     tap_usym_collect_data(rec->keep, 0, pos, data, len)) ||
		    tap_file_data(rec->w, 0, pos, data, len) ||
		    tap_reader_release(rec->r, 0, len))
			abort();
}

static void end(struct trace_file *rec)
{
	drain(rec);
	if (rec->keep && tap_usym_collect_write(rec->keep, rec->w))
		abort();
	if (tap_file_finish(rec->w))
		abort();
	tap_reader_close(rec->r);
	tap_probes_clear(&rec->probes);
	fake_free(&rec->f);
}

static void set_stack(struct trace_file *rec, __u64 pos, unsigned int word,
		      const __u64 *frames, __u64 head)
{
	unsigned int nr = 0;

	for (; nr < ROOM && frames[nr]; nr++)
		fake_set_word(&rec->f, 0, pos, word + 1 + nr, frames[nr]);
	/* Keeps a length that exceeds the room, for tests. */
	if (!(head & TAP_TEXT_LEN))
		head |= nr * 8;
	fake_set_word(&rec->f, 0, pos, word, head);
}

static void write_sample(struct trace_file *rec, const struct sample *s)
{
	unsigned int slots = tap_probes_find(&rec->probes, s->probe)->slots;
	struct tap_resv resv;
	struct tap_record *head;
	char comm[16] = "";
	__u64 words[2];

	resv = tap_ring_reserve(&rec->f.w[0], slots * TAP_SLOT_SIZE);
	if (resv.pos & TAP_RESV_FAILED) {
		drain(rec);
		resv = tap_ring_reserve(&rec->f.w[0], slots * TAP_SLOT_SIZE);
	}
	if (resv.pos & TAP_RESV_FAILED)
		abort();
	fake_fill(&rec->f, 0, resv.pos, resv.time, s->probe, slots, 0);
	head = tap_ring_slot(&rec->f.w[0], resv.pos);
	head->flags = s->flags;
	head->tgid = (__u32)getpid();
	if (s->probe != WITHOUT) {
		memcpy(comm, s->comm, strlen(s->comm));
		memcpy(words, comm, sizeof(words));
		fake_set_word(&rec->f, 0, resv.pos, TAP_CALL_DURATION, s->duration);
		fake_set_word(&rec->f, 0, resv.pos, 2, words[0]);
		fake_set_word(&rec->f, 0, resv.pos, 3, words[1]);
		set_stack(rec, resv.pos, 4, s->kernel, s->kernel_head);
		set_stack(rec, resv.pos, 5 + ROOM, s->user, s->user_head);
	}
	tap_ring_commit(head, resv.pos);
	fake_time += 1000;
}

static void write_samples(const struct sample *list, size_t nr)
{
	struct trace_file rec;
	size_t i;

	begin(&rec);
	for (i = 0; i < nr; i++)
		write_sample(&rec, &list[i]);
	end(&rec);
}

static int resolve(const void *file, __u64 addr, char *buf, size_t len)
{
	return tap_file_lookup(file, addr, buf, len);
}

/* Names of programs: each covers 256 bytes. */
static const char *const user_names[] = {
	[0] = NULL,
	[1] = "main+0x10 [prog] main.c:12",
	[2] = "std::vector<int, a&b>::operator+(char)+0x8 [lib]",
	[3] = "0x1234 [lib c.so, replaced]",
	[4] = "Ljava/lang/String;::x\033[2J\xff+0x0 [perf-1.map]",
	[5] = "\xef\xbf\xbe</svg><script>alert(1)</script>+0x1 [x]",
	[6] = "\xc3\xa4\xe4\xb8\xad+0x1",
	[7] = "+0x",
	[8] = "",
};

#define U(i)		((__u64)(i) << 8 | 0x10)

static __u64 user_time;

static int resolve_user(const void *arg, __u32 tgid, __u64 ns, __u64 addr,
			char *buf, size_t len)
{
	(void)arg;
	user_time = ns;
	if (tgid != (__u32)getpid() || addr >> 8 >= ARRAY_SIZE(user_names) ||
	    !user_names[addr >> 8])
		return -ENOENT;
	snprintf(buf, len, "%s", user_names[addr >> 8]);
	return 0;
}

/* Folds the file; the caller frees the tree. */
static int fold_file(struct flame_fold *fold, bool duration)
{
	struct tap_file_reader *file;
	struct tap_error err;
	struct tap_event ev;
	int ret;

	if (tap_file_open(&file, path, &err)) {
		printf("# %s\n", err.text);
		abort();
	}
	memset(fold, 0, sizeof(*fold));
	fold->duration = duration;
	fold->names.timebase = tap_file_timebase(file);
	fold->names.resolve = resolve;
	fold->names.resolve_arg = file;
	fold->names.resolve_user = resolve_user;
	ret = flame_tree_init(&fold->tree);
	while (!ret && tap_file_next(file, &ev))
		if (!tap_decode(tap_file_probes(file), &ev) && ev.probe)
			ret = flame_fold_event(fold, &ev);
	if (!ret)
		ret = flame_tree_finish(&fold->tree);
	tap_file_close(file);
	return ret;
}

static char *folded(const struct flame_tree *tree)
{
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	flame_print_folded(tree, f);
	fclose(f);
	return text;
}

static char *drawn(const struct flame_tree *tree, const char *title)
{
	struct flame_svg svg = {
		.tree = tree, .title = title, .subtitle = "sub",
	};
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	flame_print_svg(&svg, f);
	fclose(f);
	return text;
}

/* The tree is consistent: children fit in their parents, and own weights add up. */
static bool consistent(const struct flame_tree *tree, __u64 sum)
{
	const struct flame_node *n = tree->nodes;
	__u64 selfs = n[0].self;
	size_t seen = 1;
	__u32 node = 0;

	while ((node = flame_tree_next(tree, node, true))) {
		const struct flame_node *p = &n[n[node].parent];

		seen++;
		selfs += n[node].self;
		if (n[node].depth != p->depth + 1 ||
		    n[node].begin < p->begin || n[node].total < n[node].self ||
		    n[node].begin + n[node].total > p->begin + p->total ||
		    (n[node].sibling && n[n[node].sibling].begin !=
		     n[node].begin + n[node].total))
			return false;
	}
	return seen == tree->nr && selfs == sum && n[0].total == sum &&
	       tree->sum == sum;
}

static const struct sample samples[] = {
	{ .probe = WITH_STACKS, .comm = "cat",
		  .kernel = { K(0x100), K(0x210), K(0x310) },
		  .user = { U(1), U(2) } },
	{ .probe = WITH_STACKS, .comm = "cat",
		  .kernel = { K(0x100), K(0x210), K(0x310) },
		  .user = { U(1), U(2) } },
	{ .probe = WITH_STACKS, .comm = "cat",
		  .kernel = { K(0x100), K(0x210) },
		  .user_head = TAP_TEXT_ABSENT },
	/* abort_all() ends with this call. */
	{ .probe = WITH_STACKS, .comm = "cat",
		  .kernel = { K(0x500), K(0x500) },
		  .user = { U(1) } },
	{ .probe = WITH_STACKS, .comm = "a;b c",
		  .user = { U(1), U(3) },
		  .kernel_head = TAP_TEXT_ABSENT,
		  .user_head = TAP_TEXT_TRUNCATED },
	{ .probe = WITH_STACKS, .comm = "cut",
		  .kernel = { K(0x100) },
		  .user = { U(1) },
		  .kernel_head = TAP_TEXT_TRUNCATED },
	{ .probe = WITH_STACKS, .comm = "half",
		  .user = { U(1) },
		  .user_head = TAP_TEXT_ABSENT },
	{ .probe = WITH_STACKS, .comm = "no",
		  .kernel_head = TAP_TEXT_ABSENT,
		  .user_head = TAP_TEXT_ABSENT },
	{ .probe = WITHOUT, .comm = "" },
	/* Interrupted at its first instruction; this is not a return address. */
	{ .probe = WITH_STACKS, .comm = "irq",
		  .kernel = { K(0x100), K(0x610), K(0x500), K(0x500) } },
	{ .probe = WITH_STACKS, .comm = "mod",
		  .kernel = { 0xffffffffc0000010ULL, 0x1000 },
		  .user = { 0x7fff00000000ULL } },
	{ .probe = WITH_STACKS, .comm = "",
		  .user = { U(4), U(5), U(6), U(7), U(8) } },
	{ .probe = CALL, .comm = "call",
		  .kernel = { K(0x100) },
		  .duration = 5000 },
	{ .probe = CALL, .comm = "call",
		  .kernel = { K(0x100), K(0x210) },
		  .duration = 70 },
	{ .probe = CALL, .comm = "call",
		  .kernel = { K(0x100) },
		  .flags = TAP_F_NO_RETURN },
};

static const char samples_folded[] =
	"?;?;+0x;\xc3\xa4\xe4\xb8\xad;"
	"\xef\xbf\xbe</svg><script>alert(1)</script>;"
	"Ljava/lang/String:::x?[2J? 1\n"
	"a:b c;[...];[lib c.so, replaced];main 1\n"
	"call;ksys_read_[k];vfs_read_[k] 1\n"
	"call;vfs_read_[k] 2\n"
	"cat;ksys_read_[k];vfs_read_[k] 1\n"
	"cat;main;abort_all_[k];next_function_[k] 1\n"
	"cat;std::vector<int, a&b>::operator+(char);main;"
	"do_syscall_64_[k];ksys_read_[k];vfs_read_[k] 2\n"
	"cut;main;[...]_[k];vfs_read_[k] 1\n"
	"half;[...];main 1\n"
	"irq;abort_all_[k];next_function_[k];asm_exc_[k];vfs_read_[k] 1\n"
	"mod;0x7fff00000000;0xfff_[k];snd_open_[k] 1\n";

static void test_folding(void)
{
	struct flame_fold fold;
	char *text;

	fake_time = 5000000;
	write_samples(samples, ARRAY_SIZE(samples));
	ok(!fold_file(&fold, false), "a recording is folded");
	text = folded(&fold.tree);
	ok(same(text, samples_folded), "the folded lines are the known ones");
	free(text);
	ok(fold.events == ARRAY_SIZE(samples) && fold.stackless == 2 &&
	   !fold.timeless, "events without a stack are counted");
	ok(consistent(&fold.tree, ARRAY_SIZE(samples) - 2),
	   "the weights add up to the events with a stack");
	ok(user_time == 5000000 + 11 * 1000,
	   "an address of a program is resolved at the time of its event");
	flame_tree_free(&fold.tree);

	ok(!fold_file(&fold, true), "a recording is folded by duration");
	text = folded(&fold.tree);
	ok(same(text, "call;ksys_read_[k];vfs_read_[k] 70\n"
		      "call;vfs_read_[k] 5000\n"), "the weight of a call is its duration");
	free(text);
	ok(fold.events == ARRAY_SIZE(samples) && fold.stackless == 2 &&
	   fold.timeless == ARRAY_SIZE(samples) - 4 &&
	   consistent(&fold.tree, 5070), "events without a duration are counted");
	flame_tree_free(&fold.tree);
}

static void test_hostile(void)
{
	static const struct sample long_ones[] = {
		{ .probe = WITH_STACKS, .comm = "long",
		  .kernel = { K(0x100), K(0x210) },
		  .kernel_head = TAP_TEXT_LEN },
		{ .probe = WITH_STACKS, .comm = "odd",
		  .kernel = { K(0x100), K(0x210) },
		  .kernel_head = 15 },
	};
	static const struct sample endless[] = {
		{ .probe = CALL, .comm = "call",
		  .kernel = { K(0x100) },
		  .duration = UINT64_MAX },
		{ .probe = CALL, .comm = "call",
		  .kernel = { K(0x100) },
		  .duration = 1 },
	};
	struct flame_fold fold;
	char *text;

	write_samples(long_ones, 2);
	ok(!fold_file(&fold, false), "lengths that are too large are accepted");
	text = folded(&fold.tree);
	/* Words that were not set have values of fake_value(). */
	ok(strstr(text, "ksys_read_[k];vfs_read_[k] 1\n") &&
	   strstr(text, "odd;vfs_read_[k] 1\n"),
	   "frames are limited to the room of the record");
	free(text);
	flame_tree_free(&fold.tree);
	write_samples(endless, 2);
	ok(fold_file(&fold, true) == -EOVERFLOW,
	   "durations whose sum overflows are refused");
	flame_tree_free(&fold.tree);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text++)
		nr++;
	return nr;
}

static void test_svg(void)
{
	struct flame_fold fold;
	char *text, *again;

	write_samples(samples, ARRAY_SIZE(samples));
	ok(!fold_file(&fold, false), "a recording is folded for drawing");
	text = drawn(&fold.tree, "a<b> & \"c\"\x01\xff\xef\xbf\xbf");
	again = drawn(&fold.tree, "a<b> & \"c\"\x01\xff\xef\xbf\xbf");
	ok(same(again, text), "the same tree gives the same picture");
	ok(strstr(text, ">a&lt;b&gt; &amp; &quot;c&quot;??\?</text>"),
	   "a title is escaped");
	ok(strstr(text, "<title>?&lt;/svg&gt;&lt;script&gt;alert(1)&lt;/script&gt; (1 event, 7.69%)</title>"),
	   "a name is escaped");
	ok(count(text, "<script") == 1 && count(text, "</svg>") ==
	   count(text, "<svg"), "there is one script, and elements are closed");
	ok(count(text, "http") == 1 && strstr(text, "\"http://www.w3.org/2000/svg\""),
	   "the picture loads nothing");
	ok(count(text, "class=\"frame\"") == fold.tree.nr, "all frames are drawn");
	ok(strstr(text, "<title>all (13 events, 100.00%)</title>"), "the root");
	ok(strstr(text, "<title>cat (4 events, 30.77%)</title>"), "a task");
	ok(strstr(text, ">std::vector&lt;int, a&amp;b&gt;:..</text>"),
	   "a name that is too long is shortened");
	free(text);
	free(again);
	text = drawn(&fold.tree, "ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss");
	ok(strstr(text, "sss..</text>"), "a title that is too long is shortened");
	free(text);
	flame_tree_free(&fold.tree);
}

/* Returns the number of the name in the tree; adds a new name. */
static struct flame_frame frame(struct flame_tree *tree, enum flame_kind kind,
				const char *fmt, unsigned int n)
{
	struct flame_frame f = { .kind = kind };
	char name[64];

	snprintf(name, sizeof(name), fmt, n);
	if (flame_tree_name(tree, name, strlen(name), &f.name))
		abort();
	return f;
}

static void test_narrow(void)
{
	struct flame_frame frames[2];
	struct flame_tree tree;
	char *text;

	if (flame_tree_init(&tree))
		abort();
	frames[0] = frame(&tree, FLAME_TASK, "task", 0);
	frames[1] = frame(&tree, FLAME_USER, "wide", 0);
	flame_tree_add(&tree, frames, 2, 1000000);
	frames[1] = frame(&tree, FLAME_USER, "narrow", 0);
	flame_tree_add(&tree, frames, 2, 10);
	/* The same name, of the program and of the kernel. */
	frames[1] = frame(&tree, FLAME_KERNEL, "wide", 0);
	flame_tree_add(&tree, frames, 2, 1000000);
	flame_tree_finish(&tree);
	text = drawn(&tree, "t");
	ok(!strstr(text, "<title>narrow") && count(text, "<title>wide (") == 2,
	   "frames that are too narrow are omitted");
	ok(consistent(&tree, 2000010), "omitted frames count in the weights");
	free(text);
	flame_tree_free(&tree);
}

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#define MANY		100000
#define DEPTH		24

static void test_many(void)
{
	struct flame_frame frames[DEPTH];
	struct flame_tree tree;
	unsigned int i, k, lines = 0;
	double begun = now(CLOCK_PROCESS_CPUTIME_ID), took;
	char *text;

	if (flame_tree_init(&tree))
		abort();
	for (i = 0; i < MANY; i++) {
		/* Some stacks differ in outer frames, others in inner ones. */
		for (k = 0; k < DEPTH; k++)
			frames[k] = frame(&tree, FLAME_USER, "function_%u",
					  k < 17 ? i >> k & 1 : k);
		if (flame_tree_add(&tree, frames, DEPTH, 1))
			abort();
	}
	flame_tree_finish(&tree);
	text = folded(&tree);
	/* Not strstr(): that of the sanitizer reads all following text each time. */
	for (i = 0; text[i]; i++)
		lines += text[i] == '\n';
	ok(lines == MANY && consistent(&tree, MANY),
	   "100,000 different stacks");
	free(text);
	text = drawn(&tree, "many");
	ok(strlen(text) < 30 << 20, "the picture of many stacks is smaller than 30 MiB");
	free(text);
	/* A list instead of a hash table would take minutes. */
	took = now(CLOCK_PROCESS_CPUTIME_ID) - begun;
	printf("# %zu nodes, %.2f s\n", tree.nr, took);
	ok(took < 20, "many stacks are folded and drawn within seconds");
	flame_tree_free(&tree);
}

/* Functions of this program, for a recording with its names. */
__attribute__((noinline)) static void flame_test_outer(void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

__attribute__((noinline)) static void flame_test_inner(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop");
}

static int write_for_browser(void)
{
	__u64 outer = (__u64)(uintptr_t)flame_test_outer + 2;
	/* At its first instruction: behind it, frame pointers would lead past the caller. */
	__u64 inner = (__u64)(uintptr_t)flame_test_inner;
	const struct sample list[] = {
		{ .probe = WITH_STACKS, .comm = "<&\">",
		  .kernel = { K(0x100), K(0x210), K(0x310) },
		  .user = { inner, outer } },
		{ .probe = WITH_STACKS, .comm = "cat",
		  .kernel = { K(0x500), K(0x310) },
		  .user = { inner } },
		{ .probe = WITH_STACKS, .comm = "cat",
		  .kernel = { 0xffffffffc0000010ULL },
		  .user = { inner, outer },
		  .user_head = TAP_TEXT_TRUNCATED },
		{ .probe = CALL, .comm = "call",
		  .kernel = { K(0x100) },
		  .user = { inner, outer },
		  .duration = 12345 },
		{ .probe = WITHOUT, .comm = "" },
	};
	struct tap_maps *maps = NULL;
	struct tap_timebase timebase;
	struct trace_file rec;
	struct tap_error err;
	unsigned int i, k;

	/* Without privilege to receive mappings, the current ones are used. */
	tap_maps_open(&maps, &err);
	fake_time = (__u64)(now(CLOCK_MONOTONIC) * 1e9);
	begin(&rec);
	if (!maps || tap_timebase_init(&timebase, &rec.f.meta) ||
	    tap_usym_collect_open(&rec.keep, maps, &rec.probes, &timebase))
		abort();
	/* 40 + 30 + 20 + 10, and 5 without a stack. */
	for (i = 0; i < ARRAY_SIZE(list); i++)
		for (k = 0; k < (i < 4 ? 40 - 10 * i : 5); k++)
			write_sample(&rec, &list[i]);
	end(&rec);
	tap_usym_collect_close(rec.keep);
	tap_maps_close(maps);
	return 0;
}

/* Runs all steps of tap flame on a file. */
static void try_file(unsigned int *whole)
{
	struct flame_fold fold = { 0 };
	struct tap_file_program program = { .size = sizeof(program) };
	struct tap_file_reader *file;
	struct tap_error err = { 0 };
	char date[TRACE_FILE_DATE_LEN];
	struct tap_event ev;
	unsigned int i;
	int ret;

	if (tap_file_open(&file, path, &err)) {
		if (!*err.text)
			ok(false, "an error without a message");
		return;
	}
	*whole += !tap_file_cut(file);
	trace_file_date(file, date);
	fold.names.size = sizeof(fold.names);
	tap_file_names(file, &fold.names);
	ret = flame_tree_init(&fold.tree);
	while (!ret && tap_file_next(file, &ev))
		if (!tap_decode(tap_file_probes(file), &ev) && ev.probe)
			ret = flame_fold_event(&fold, &ev);
	if (!ret)
		ret = flame_tree_finish(&fold.tree);
	if (!ret && fold.tree.sum) {
		if (!consistent(&fold.tree, fold.tree.sum))
			ok(false, "the tree of a damaged file is consistent");
		free(folded(&fold.tree));
		free(drawn(&fold.tree, tap_file_info(file)->command));
	}
	for (i = 0; !tap_file_program(file, i, &program); i++)
		;
	flame_tree_free(&fold.tree);
	tap_file_close(file);
}

/* Each chunk is damaged equally often, whatever its length. */
static void test_damaged(void)
{
	size_t size, nr = 0, at, i, begins[16];
	unsigned int round, whole = 0;
	struct tap_file_chunk chunk;
	char *data, *copy;

	write_for_browser();
	data = damage_load(path, &size);
	copy = malloc(size);
	for (at = sizeof(struct tap_file_header); at < size && nr < 16;
	     at += sizeof(chunk) + (chunk.length + 7) / 8 * 8) {
		memcpy(&chunk, data + at, sizeof(chunk));
		begins[nr++] = at;
	}
	ok(copy && nr >= 7 && at >= size, "a complete file is written");
	srand(5);
	for (round = 0; copy && round < 1500; round++) {
		memcpy(copy, data, size);
		for (i = 0; i < 1 + round % 5; i++) {
			at = begins[(size_t)rand() % nr];
			memcpy(&chunk, data + at, sizeof(chunk));
			/* Rarely the head of the chunk; without it nothing is read. */
			at += rand() % 16 ? sizeof(chunk) : 0;
			damage_at(copy, size,
				  at + (size_t)rand() % chunk.length);
		}
		file_resum(copy, size);
		damage_store(path, copy, size);
		alarm(30);
		try_file(&whole);
		alarm(0);
	}
	ok(whole > 100 && whole < 1500, "some damaged files are read to their end");
	free(copy);
	free(data);
}

int main(int argc, char **argv)
{
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/trace.tap", dir);
	if (argc == 3 && !strcmp(argv[1], "--write")) {
		snprintf(path, sizeof(path), "%s", argv[2]);
		write_for_browser();
	} else {
		test_folding();
		test_hostile();
		test_svg();
		test_narrow();
		test_many();
		test_damaged();
		unlink(path);
	}
	rmdir(dir);
	return argc == 3 ? 0 : check_end();
}
