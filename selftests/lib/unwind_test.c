// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the unwinder: copies of this program's own stack, which is compiled without frame
 * pointers and goes through qsort() of libc; and records with such copies, as a ring has them and as a
 * trace file has them. Built with sanitizers.
 */
#include <linux/tap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/record.h"
#include "selftests/lib/check.h"
#include "spec/probe_table.h"
#include "symbolize/maps.h"
#include "unwind/process.h"
#include "util/arch.h"

#define DEPTH	20
/* Frames of a sanitizer are large. */
#define WORDS	4096
#define FUNCTION __attribute__((noinline, noclone, optimize("omit-frame-pointer")))
#define RETURN_ADDRESS	((uint64_t)(uintptr_t)__builtin_return_address(0))

/* A copy of the stack, and what is known of its frames: return addresses, the innermost first. */
static struct {
	uint64_t regs[TAP_ARCH_DWARF_REGS];
	uint64_t stack[WORDS];
	uint64_t ret[DEPTH + 3];
	unsigned int nr;
} copy;

/* Fills in the copy; its own frame is the innermost one. */
FUNCTION __attribute__((no_sanitize_address)) static void capture(void)
{
	const volatile uint64_t *from;
	unsigned int i;

	copy.ret[copy.nr++] = RETURN_ADDRESS;
	asm volatile("movq %%rbx, 24(%0)\n\tmovq %%rbp, 48(%0)\n\tmovq %%rsp, 56(%0)\n\t"
		     "movq %%r12, 96(%0)\n\tmovq %%r13, 104(%0)\n\tmovq %%r14, 112(%0)\n\t"
		     "movq %%r15, 120(%0)\n\tleaq 0(%%rip), %%rax\n\tmovq %%rax, 128(%0)"
		     : : "D" (copy.regs) : "rax", "memory");
	from = (const volatile uint64_t *)copy.regs[TAP_ARCH_DWARF_SP];
	for (i = 0; i < WORDS; i++)
		copy.stack[i] = from[i];
}

FUNCTION static int dive(int depth)
{
	int found = 1;

	if (depth)
		found += dive(depth - 1);
	else
		capture();
	copy.ret[copy.nr++] = RETURN_ADDRESS;
	return found;
}

FUNCTION static int compare(const void *a, const void *b)
{
	if (!copy.nr)
		check(dive(DEPTH) == DEPTH + 1, "calls that are nested");
	return *(const int *)a - *(const int *)b;
}

FUNCTION static void sort(void)
{
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(*numbers), compare);
	copy.ret[copy.nr++] = RETURN_ADDRESS;
	check(numbers[0] == 1, "numbers are sorted");
}

/* Room above the frames, so that the copy is within the stack. */
FUNCTION static void sort_below(void)
{
	volatile char room[8 * WORDS];

	room[0] = 1;
	sort();
	check(room[0], "room above the stack");
}

static struct tap_stack_sample sample_of(size_t nr)
{
	return (struct tap_stack_sample){
		.tgid = (uint32_t)getpid(), .time = tap_maps_now(),
		.regs = copy.regs, .stack = copy.stack, .nr = nr,
	};
}

static void unwinds(struct tap_maps *maps)
{
	struct tap_unwind_process *process = NULL;
	struct tap_stack_sample sample = sample_of(WORDS);
	uint64_t frames[TAP_MAX_STACK], less[TAP_MAX_STACK];
	enum tap_unwound end;
	size_t nr, few, i, last = 0, words;
	bool good = true;

	end = tap_unwind_sample(&process, maps, &sample, frames, TAP_MAX_STACK, &nr);
	/* capture() and DEPTH + 1 calls, then the caller of dive() in compare(). */
	check(nr > DEPTH + 4, "%zu frames", nr);
	check(frames[0] == copy.regs[TAP_ARCH_DWARF_REGS - 1], "the innermost frame");
	for (i = 0; i < DEPTH + 2 && i + 1 < nr; i++)
		good &= frames[1 + i] == copy.ret[i];
	check(good, "return addresses up to libc");
	for (i = 0; i < nr; i++)
		if (frames[i] == copy.ret[copy.nr - 1])
			last = i;
	check(last > DEPTH + 4, "the caller of what called qsort(): frame %zu of %zu", last, nr);
	check(end == TAP_UNWOUND_CUT || end == TAP_UNWOUND_ALL, "the end");

	/* Each shorter copy has the first of these frames, and says that it ended. */
	for (words = 0; words < WORDS; words += 61) {
		sample.nr = words;
		end = tap_unwind_sample(&process, maps, &sample, less, TAP_MAX_STACK, &few);
		if (few < nr)
			check(end == TAP_UNWOUND_CUT, "%zu words: the end", words);
		check(few && few <= nr && !memcmp(less, frames, few * 8), "%zu words: %zu frames",
		      words, few);
	}
	sample.nr = WORDS;
	end = tap_unwind_sample(&process, maps, &sample, less, 7, &few);
	check(end == TAP_UNWOUND_CUT && few == 7 && !memcmp(less, frames, 7 * 8), "room for 7 frames");
	tap_unwind_process_free(process);
}

/* Code without unwind data, and none at all. */
static void ends(struct tap_maps *maps)
{
	struct tap_unwind_process *process = NULL;
	uint64_t regs[TAP_ARCH_DWARF_REGS], frames[4];
	struct tap_stack_sample sample = sample_of(WORDS);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const uint64_t other[] = { 0, 1, 0xffffffff81000000, ~0ULL };
	size_t nr, i;

	memcpy(regs, copy.regs, sizeof(regs));
	sample.regs = regs;
	regs[TAP_ARCH_DWARF_REGS - 1] = (uintptr_t)code;
	check(tap_unwind_sample(&process, maps, &sample, frames, 4, &nr) == TAP_UNWOUND_LOST &&
	      nr == 1 && frames[0] == (uintptr_t)code, "code of no file");
	for (i = 0; i < 4; i++) {
		regs[TAP_ARCH_DWARF_REGS - 1] = other[i];
		check(tap_unwind_sample(&process, maps, &sample, frames, 4, &nr) ==
		      TAP_UNWOUND_LOST && nr == 1, "no code, %zu", i);
	}
	/* Any stack pointer: the copy is read as if it were there. */
	memcpy(regs, copy.regs, sizeof(regs));
	for (i = 0; i < 4; i++) {
		regs[TAP_ARCH_DWARF_SP] = other[i];
		tap_unwind_sample(&process, maps, &sample, frames, 4, &nr);
		check(nr && nr <= 4, "another stack pointer, %zu", i);
	}
	/* A process that does not exist. */
	sample.regs = copy.regs;
	sample.tgid = 5000000;
	check(tap_unwind_sample(&process, maps, &sample, frames, 4, &nr) == TAP_UNWOUND_LOST &&
	      nr == 1, "no process");
	tap_unwind_process_free(process);
	munmap(code, 4096);
}

/* --------------------------------------------------------------- records */

#define COPY_BYTES	2048
#define COPY_WORDS	(1 + TAP_ARCH_DWARF_REGS + COPY_BYTES / 8)
/* A value, the copy, and a value behind it. */
#define RAW_WORDS	(1 + COPY_WORDS + 1)
#define RAW_SLOTS	(1 + (RAW_WORDS - TAP_FIRST_VALUES + TAP_SLOT_VALUES - 1) / TAP_SLOT_VALUES)
#define FIRST		0x1111
#define LAST		0x9999

static void add_probe(struct tap_probes *probes, unsigned int id, bool copies)
{
	const struct tap_op ops[] = {
		{ .code = TAP_OP_ARG, .dst = TAP_OP_OUT, .size = 8 },
		{ .code = TAP_OP_USTACK_COPY, .dst = TAP_OP_OUT,
		  .imm = 8 * TAP_ARCH_DWARF_REGS + COPY_BYTES },
		{ .code = TAP_OP_ARG, .dst = TAP_OP_OUT, .size = 8 },
	};
	const struct tap_field fields[] = {
		{ .name = "a", .format = TAP_FMT_X64, .word = 0, .words = 1 },
		{ .name = "ustack", .format = TAP_FMT_USTACK, .word = 1, .words = COPY_WORDS,
		  .output = 1 },
		{ .name = "b", .format = TAP_FMT_X64, .word = 1 + COPY_WORDS, .words = 1, .output = 2 },
	};
	struct tap_probe probe = { .id = id, .slots = RAW_SLOTS, .words = RAW_WORDS };
	unsigned int i;

	probe.spec.type = TAP_PROBE_KPROBE;
	probe.spec.event = strdup("kprobe:x");
	probe.spec.target = strdup("x");
	if (copies) {
		probe.spec.nr_ops = 3;
		probe.spec.ops = malloc(sizeof(ops));
		memcpy(probe.spec.ops, ops, sizeof(ops));
		for (i = 0; i < 3; i++)
			tap_spec_add_field(&probe.spec, &fields[i]);
	} else {
		probe.slots = 1;
		probe.words = 1;
		tap_spec_add_field(&probe.spec, &fields[0]);
	}
	tap_probe_shrink(&probe);
	check(!tap_probes_add(probes, &probe), "a probe is added");
}

static __u64 *raw_word(char *record, unsigned int i)
{
	struct tap_record *rec = (struct tap_record *)record;
	struct tap_slot *slot = (struct tap_slot *)record;

	if (i < TAP_FIRST_VALUES)
		return &rec->value[i];
	return &slot[1 + (i - TAP_FIRST_VALUES) / TAP_SLOT_VALUES].value[(i - TAP_FIRST_VALUES) %
									 TAP_SLOT_VALUES];
}

/* Writes a record at @to, which is at @pos of its ring; returns its bytes. */
static size_t put_record(char *to, __u64 pos, unsigned int id, __u64 head)
{
	struct tap_record *rec = (struct tap_record *)to;
	unsigned int slots = id == 1 ? RAW_SLOTS : 1, i;

	memset(to, 0, slots * TAP_SLOT_SIZE);
	rec->time = tap_maps_now();
	rec->probe = (__u16)id;
	rec->slots = (__u8)slots;
	rec->tgid = (__u32)getpid();
	rec->value[0] = FIRST;
	for (i = 0; i < slots; i++)
		((struct tap_slot *)to)[i].seq = tap_slot_seq(pos + i * TAP_SLOT_SIZE, i);
	if (id != 1)
		return TAP_SLOT_SIZE;
	*raw_word(to, 1) = head;
	for (i = 0; i < TAP_ARCH_DWARF_REGS; i++)
		*raw_word(to, 2 + i) = copy.regs[i];
	for (i = 0; i < COPY_BYTES / 8; i++)
		*raw_word(to, 2 + TAP_ARCH_DWARF_REGS + i) = copy.stack[i];
	*raw_word(to, 1 + COPY_WORDS) = LAST;
	return slots * TAP_SLOT_SIZE;
}

/* The event has the frames of the copy, and its other values. */
static void is_unwound(const struct tap_event *ev, const char *what)
{
	const struct tap_field *stack = tap_probe_find_field(ev->probe, "ustack");
	const struct tap_field *last = tap_probe_find_field(ev->probe, "b");
	__u64 head = tap_event_word(ev, stack->word);
	unsigned int i;

	check(ev->slots == ev->probe->slots && ev->slots < RAW_SLOTS, "%s: %u slots", what, ev->slots);
	check(tap_event_word(ev, 0) == FIRST, "%s: the value before", what);
	check(tap_event_word(ev, last->word) == LAST, "%s: the value behind", what);
	check(!(head & TAP_TEXT_COPIED) && (head & TAP_TEXT_LEN) > 8, "%s: frames", what);
	check(head & TAP_TEXT_TRUNCATED && ev->rec->flags & TAP_F_TRUNCATED, "%s: cut", what);
	check(tap_event_word(ev, stack->word + 1) == copy.regs[TAP_ARCH_DWARF_REGS - 1],
	      "%s: the innermost frame", what);
	for (i = 0; i + 1 < (head & TAP_TEXT_LEN) / 8 && i < DEPTH + 2; i++)
		check(tap_event_word(ev, stack->word + 2 + i) == copy.ret[i], "%s: frame %u", what, i);
	for (i = (head & TAP_TEXT_LEN) / 8; i + 1 < stack->words; i++)
		check(!tap_event_word(ev, stack->word + 1 + i), "%s: nothing behind", what);
}

#define HEAD	(8 * (COPY_WORDS - 1) | TAP_TEXT_COPIED)
#define BASE	(1ULL << 20)

/* What tap_unwinder_data() made, as a stream. */
static struct {
	char data[64 * RAW_SLOTS * TAP_SLOT_SIZE] __attribute__((aligned(8)));
	__u64 pos;
	size_t len;
} stream;

static void feed(struct tap_unwinder *u, __u64 pos, const char *from, size_t len)
{
	/* Memory of the exact size, so that the sanitizer detects a read beyond it. */
	char *exact = malloc(len);
	const void *data = exact;

	memcpy(exact, from, len);
	check(!tap_unwinder_data(u, 3, &pos, &data, &len), "data are unwound");
	check(!len || !stream.len || pos == stream.pos + stream.len, "positions go on");
	if (!stream.len)
		stream.pos = pos;
	memcpy(stream.data + stream.len, data, len);
	stream.len += len;
	free(exact);
}

/* The events of the stream; returns their number. */
static unsigned int read_stream(const struct tap_probes *probes, const char *what)
{
	struct tap_event ev = { .data = stream.data, .mask = ~0ULL };
	unsigned int nr = 0;

	while (ev.pos < stream.len) {
		ev.rec = (const void *)(stream.data + ev.pos);
		ev.slots = ev.rec->seq == tap_slot_seq(stream.pos + ev.pos, 0) ?
			   tap_record_slots(stream.data, ~0ULL, ev.pos, stream.len - ev.pos,
					    stream.pos) : 0;
		if (!ev.slots) {
			ev.pos += TAP_SLOT_SIZE;
			continue;
		}
		check(!tap_decode(probes, &ev), "%s: decoded", what);
		if (ev.rec->probe == 1)
			is_unwound(&ev, what);
		else
			check(tap_event_word(&ev, 0) == FIRST, "%s: another event", what);
		nr++;
		ev.pos += ev.slots * TAP_SLOT_SIZE;
	}
	return nr;
}

static void records(struct tap_maps *maps)
{
	static char raw[6 * RAW_SLOTS * TAP_SLOT_SIZE] __attribute__((aligned(8)));
	const struct tap_timebase timebase = { .mult = 1, .shift = 0 };
	struct tap_event ev = { .data = raw, .mask = ~0ULL, .rec = (const void *)raw };
	struct tap_probes *probes = tap_probes_new(), *others = tap_probes_new();
	struct tap_unwinder *u;
	size_t len = 0, step;

	add_probe(probes, 1, true);
	add_probe(probes, 2, false);
	add_probe(others, 2, false);
	check(!tap_unwinder_open(&u, maps, others, &timebase) && !u, "nothing to unwind");
	tap_unwinder_event(u, &ev);
	check(!tap_unwinder_open(&u, maps, probes, &timebase) && u, "something to unwind");

	ev.slots = (unsigned int)(put_record(raw, BASE, 1, HEAD) / TAP_SLOT_SIZE);
	ev.time = ev.rec->time;
	check(!tap_decode(probes, &ev), "a record with a copy");
	tap_unwinder_event(u, &ev);
	is_unwound(&ev, "an event");

	/* A length that does not fit, frames instead of a copy, and a record that is too short. */
	put_record(raw, BASE, 1, 8 * COPY_WORDS | TAP_TEXT_COPIED);
	ev = (struct tap_event){ .data = raw, .mask = ~0ULL, .rec = (const void *)raw,
				 .slots = RAW_SLOTS, .probe = tap_probes_find(probes, 1) };
	tap_unwinder_event(u, &ev);
	check(tap_event_word(&ev, 1) == TAP_TEXT_ABSENT, "a length that does not fit");
	put_record(raw, BASE, 1, 8 * 3);
	ev = (struct tap_event){ .data = raw, .mask = ~0ULL, .rec = (const void *)raw,
				 .slots = RAW_SLOTS, .probe = tap_probes_find(probes, 1) };
	tap_unwinder_event(u, &ev);
	check(tap_event_word(&ev, 1) == 8 * 3 && tap_event_word(&ev, 4) == copy.regs[2],
	      "frames by frame pointers");
	ev = (struct tap_event){ .data = raw, .mask = ~0ULL, .rec = (const void *)raw,
				 .slots = RAW_SLOTS - 1, .probe = tap_probes_find(probes, 1) };
	tap_unwinder_event(u, &ev);
	check(ev.slots == RAW_SLOTS - 1, "a record that is too short");

	/* A ring's stream in pieces of any size. */
	len += put_record(raw + len, BASE + len, 2, 0);
	len += put_record(raw + len, BASE + len, 1, HEAD);
	len += put_record(raw + len, BASE + len, 2, 0);
	len += put_record(raw + len, BASE + len, 1, HEAD);
	for (step = TAP_SLOT_SIZE; step <= len; step += 5 * TAP_SLOT_SIZE) {
		size_t at, n;

		tap_unwinder_close(u);
		check(!tap_unwinder_open(&u, maps, probes, &timebase), "again");
		stream.len = 0;
		for (at = 0; at < len; at += n) {
			n = step < len - at ? step : len - at;
			feed(u, BASE + at, raw + at, n);
		}
		check(read_stream(probes, "pieces") == 4, "pieces of %zu bytes: all events", step);
	}
	/* A part is missing: the record that it cut is dropped, and no other. */
	stream.len = 0;
	tap_unwinder_close(u);
	check(!tap_unwinder_open(&u, maps, probes, &timebase), "again");
	feed(u, BASE, raw, 3 * TAP_SLOT_SIZE);
	step = (1 + RAW_SLOTS) * (size_t)TAP_SLOT_SIZE;
	feed(u, BASE + step, raw + step, len - step);
	check(read_stream(probes, "a part") == 3, "a part is missing");
	tap_unwinder_close(u);
	tap_probes_free(probes);
	tap_probes_free(others);
}

int main(void)
{
	struct tap_maps *maps;
	struct tap_error err;

	check_quiet = true;
	sort_below();
	check(!tap_maps_open(&maps, &err), "maps");
	unwinds(maps);
	ends(maps);
	records(maps);
	tap_maps_close(maps);
	return check_end();
}
