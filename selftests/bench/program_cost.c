// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the cost model of programs (module/common/program_cost.h) with instructions that are
 * counted. Runs in the lab under --icount. Each row is an operation with its worst input; the
 * difference between a program with many of it and one with few is measured, and modelled. Fails
 * if a model is below what was measured, or more than three times as much.
 *	program_cost [ROWS]: only rows with ROWS in their name
 */
#include <err.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "selftests/module/kmod/tap_bench.h"
#include "selftests/module/tap_session.h"

#include "module/common/program_cost.h"

#define RUNS		5
/* For records of 4 slots, and for all. Most of the emulator's time goes to clearing a ring. */
#define RING_BYTES	(256UL << 10)
#define LARGE_BYTES	(8UL << 20)
/* A model may be so many times what was measured. */
#define MOST		3.0

/* Addresses in ops stand for memory that is known only when the program runs. */
#define KERNEL		(1ULL << 48)	/* text, in the kernel */
#define USER		(2ULL << 48)	/* the same text, in this program */
#define NO_KERNEL	(3ULL << 48)	/* not mapped, in the kernel */
#define NO_USER		(4ULL << 48)	/* not present, in this program */
#define PLACE		(0xffffULL << 48)

#define MAX_ROW_OPS	4
#define CUT_BYTES	65536

/**
 * struct row - an operation and its worst input
 * @name: what is measured
 * @type: enum tap_probe_type
 * @few: copies of @ops in the smaller program
 * @many: copies of @ops in the larger program
 * @text: what memory holds, over and over
 * @pattern: the program's patterns
 * @nr_counters: counters of the session, all @counter
 * @counter: PERF_COUNT_SW_*
 * @returned: @ops are behind %TAP_OP_RETURN
 * @cut: on a stack that ends within what is copied
 * @mild: the input is not the worst: the model may be any number above what is measured
 * @ops: the operations that are measured
 */
struct row {
	const char *name;
	__u32 type;
	unsigned int few;
	unsigned int many;
	const char *text;
	const char *pattern;
	__u32 flags;
	__u32 nr_counters;
	__u64 counter;
	bool returned;
	bool cut;
	bool mild;
	struct tap_op ops[MAX_ROW_OPS];
};

#define OUT		TAP_OP_OUT
#define IMM_SRC		TAP_OP_IMM_SRC
#define SIGNED		TAP_OP_SIGNED
#define INIT(_code, _dst, _src, _size, _off, _imm)			\
	{ .code = (_code), .dst = (_dst), .src = (_src), .size = (_size),	\
	  .off = (_off), .imm = (_imm) }
/* Registers 1 to 4: the four addresses; 5: 7. */
#define ROW(_name, _few, _many, ...)					\
	{ .name = _name, .type = TAP_PROBE_RAWTP, .few = _few, .many = _many, \
	  .ops = { __VA_ARGS__ } }
#define MILD(_name, _few, _many, ...)					\
	{ .name = _name, .type = TAP_PROBE_RAWTP, .few = _few, .many = _many, \
	  .mild = true, .ops = { __VA_ARGS__ } }
#define ROW_OF(_name, _type, _few, _many, _ops, ...)			\
	{ .name = _name, .type = _type, .few = _few, .many = _many,	\
	  .ops = { _ops }, __VA_ARGS__ }
/* Operations on kernel memory, at an address of user memory. */
#define BY_ADDRESS(_name, _few, _many, _mild, ...)			\
	ROW_OF(_name ", by address", TAP_PROBE_RAWTP, _few, _many, INIT(__VA_ARGS__), \
	       .flags = TAP_CREATE_F_USER, .mild = _mild)
/* 14 words fill two slots. */
#define WORD(_name, _type, _code, _off, _imm, ...)			\
	ROW_OF(_name, _type, 14, 42, INIT(_code, OUT, 0, 8, _off, _imm), __VA_ARGS__)
#define ARITHMETIC(_name, _code, _sign)					\
	ROW(_name, 10, 110, INIT(_code, 0, IMM_SRC, 8 | (_sign), 0, 3)),	\
	ROW(_name ", register", 10, 110, INIT(_code, 0, 5, 8 | (_sign), 0, 0))
#define JUMP(_name, _code, _sign, _imm)					\
	ROW(_name, 10, 110, INIT(_code, 0, IMM_SRC, 8 | (_sign), 1, _imm))
#define GLOB(_name, _code, _src, _text, _pattern)			\
	ROW_OF("glob, " _name, TAP_PROBE_RAWTP, 0, 1,			\
	       INIT(_code, 6, _src, TAP_OP_GLOB, 0, 0), .text = _text, .pattern = _pattern)
#define BYTES(_name, _code, _src, _imm, ...)				\
	ROW_OF(_name ", " #_imm " bytes", TAP_PROBE_RAWTP, 1, 3,		\
	       INIT(_code, OUT, _src, 0, 0, _imm), __VA_ARGS__)
/* One, and none. */
#define ALONE(_name, _code, _src, _imm)					\
	ROW_OF(_name ", " #_imm " bytes", TAP_PROBE_RAWTP, 0, 1,		\
	       INIT(_code, OUT, _src, 0, 0, _imm))

/* The largest copy of a program's stack costs nothing in the model: one more. */
#define COPY(_name, _bytes, _cut)					\
	ROW_OF("copy of a stack, " _name, TAP_PROBE_RAWTP, 1, 2,	\
	       INIT(TAP_OP_USTACK_COPY, OUT, 0, 0, 0, _bytes), .cut = _cut)

/* Arrays of texts of one character, by their places in both memories. */
#define JOIN_USER	4096
#define JOIN_KERNEL	6144
#define JOIN_TEXT	8000
/*
 * The members of dentries that are read: d_parent, d_name.hash_len, d_name.name. The last one
 * of 32 is its own parent. They begin at this place, with names of 15 bytes.
 */
#define PATH_KERNEL	4608
#define PATH_PARENT	24
#define PATH(_names, _mild)						\
	ROW_OF("path, " #_names, TAP_PROBE_RAWTP, 0, 1,			\
	       INIT(TAP_OP_DENTRY, OUT, 1, 0, PATH_KERNEL - PATH_PARENT,	\
		    16 * (_names) | (_names) << 16), .mild = _mild)
/* The last pointer leads nowhere. */
#define JOIN(_name, _code, _src, _off, _texts)				\
	ROW_OF(_name ", " #_texts, TAP_PROBE_RAWTP, 0, 1,		\
	       INIT(_code, OUT, _src, 0, (_off) + 8 * (16 - (_texts)), 256 | (_texts) << 16))

static const struct row rows[] = {
	WORD("argument", TAP_PROBE_RAWTP, TAP_OP_ARG, 1, 0),
	ROW("argument, part, signed", 10, 110, INIT(TAP_OP_ARG, 0, 0, 4 | SIGNED, 1, 0)),
	WORD("register of the CPU", TAP_PROBE_KPROBE, TAP_OP_REG, 8, 0),
	WORD("return value", TAP_PROBE_KRETPROBE, TAP_OP_RETVAL, 0, 0),
	WORD("return value of a call", TAP_PROBE_CALL, TAP_OP_RETVAL, 0, 0, .returned = true),
	WORD("field", TAP_PROBE_TRACEPOINT, TAP_OP_FIELD, 8, 0),
	WORD("tgid", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_TGID, 0),
	WORD("tid", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_TID, 0),
	WORD("cpu", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_CPU, 0),
	WORD("uid", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_UID, 0),
	WORD("cgroup", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_CGROUP, 0),
	WORD("cgroup, ancestor", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_CGROUP, 1),
	WORD("comm, one word", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_COMM, 1),
	WORD("followed", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_FOLLOWED, 0),
	WORD("absent", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_ABSENT, 0),
	WORD("duration", TAP_PROBE_CALL, TAP_OP_VAR, TAP_VAR_DURATION, 0, .returned = true),
	WORD("task", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_TASK, 0),
	WORD("time", TAP_PROBE_RAWTP, TAP_OP_VAR, TAP_VAR_TIME, 0),
	WORD("constant", TAP_PROBE_RAWTP, TAP_OP_IMM, 0, 1),
	ROW("move, part, signed", 10, 110, INIT(TAP_OP_MOVE, 0, 5, 4 | SIGNED, 0, 0)),
	WORD("word of the entry", TAP_PROBE_CALL, TAP_OP_WORD, TAP_CALL_FETCHES, 0,
	     .returned = true),
	/* The last of a chain may fault; so many more do not. */
	ROW("swap", 10, 110, INIT(TAP_OP_SWAP, 0, 5, 4 | SIGNED, 0, 0)),
	ROW("log2", 10, 110, INIT(TAP_OP_LOG2, 0, 5, 8, 0, 0)),
	MILD("chain of loads", 1, 31, INIT(TAP_OP_LOAD, 1, 1, 8, 0, 0)),
	MILD("load", 1, 21, INIT(TAP_OP_LOAD, 0, 1, 8, 0, 0)),
	MILD("load of a part", 1, 21, INIT(TAP_OP_LOAD, 0, 1, 4 | SIGNED, 0, 0)),
	ROW("load, fault", 1, 6, INIT(TAP_OP_LOAD, 0, 3, 8, 0, 0)),
	ROW("load, fault, output", 1, 6, INIT(TAP_OP_LOAD, OUT, 3, 8, 0, 0)),
	MILD("load of user memory", 1, 11, INIT(TAP_OP_LOAD_USER, 0, 2, 8, 0, 0)),
	ROW("load of user memory, fault", 1, 6, INIT(TAP_OP_LOAD_USER, 0, 4, 8, 0, 0)),
	WORD("counter, page-faults", TAP_PROBE_RAWTP, TAP_OP_PMU, 0, 0, .nr_counters = 1,
	     .counter = PERF_COUNT_SW_PAGE_FAULTS),
	WORD("counter, cpu-clock", TAP_PROBE_RAWTP, TAP_OP_PMU, 0, 0, .nr_counters = 1,
	     .counter = PERF_COUNT_SW_CPU_CLOCK),
	ARITHMETIC("add", TAP_OP_ADD, 0),
	ARITHMETIC("sub", TAP_OP_SUB, 0),
	ARITHMETIC("mul", TAP_OP_MUL, 0),
	ARITHMETIC("div", TAP_OP_DIV, 0),
	ARITHMETIC("div, signed", TAP_OP_DIV, SIGNED),
	ARITHMETIC("mod", TAP_OP_MOD, 0),
	ARITHMETIC("mod, signed", TAP_OP_MOD, SIGNED),
	ARITHMETIC("and", TAP_OP_AND, 0),
	ARITHMETIC("or", TAP_OP_OR, 0),
	ARITHMETIC("xor", TAP_OP_XOR, 0),
	ARITHMETIC("shl", TAP_OP_SHL, 0),
	ARITHMETIC("shr", TAP_OP_SHR, 0),
	ARITHMETIC("shr, signed", TAP_OP_SHR, SIGNED),
	/* None of these jumps. */
	JUMP("jump if equal", TAP_OP_JEQ, 0, 1),
	JUMP("jump if not equal", TAP_OP_JNE, 0, 0),
	JUMP("jump if less", TAP_OP_JLT, SIGNED, 0),
	JUMP("jump if less or equal", TAP_OP_JLE, SIGNED, -1ULL),
	JUMP("jump if greater", TAP_OP_JGT, SIGNED, 0),
	JUMP("jump if greater or equal", TAP_OP_JGE, SIGNED, 1),
	JUMP("jump if bits", TAP_OP_JSET, 0, 1),
	ROW_OF("equal, kernel", TAP_PROBE_RAWTP, 1, 4,
	       INIT(TAP_OP_MATCH, 0, 1, 0, 0, 255ULL << 16)),
	ROW_OF("equal, user", TAP_PROBE_RAWTP, 1, 4,
	       INIT(TAP_OP_MATCH_USER, 0, 2, 0, 0, 255ULL << 16)),
	ROW_OF("equal, kernel, short", TAP_PROBE_RAWTP, 1, 4,
	       INIT(TAP_OP_MATCH, 0, 1, 0, 0, 4ULL << 16)),
	ROW_OF("equal, kernel, fault", TAP_PROBE_RAWTP, 1, 4,
	       INIT(TAP_OP_MATCH, 0, 3, 0, 0, 4ULL << 16)),
	ROW_OF("equal, comm", TAP_PROBE_RAWTP, 1, 9,
	       INIT(TAP_OP_MATCH_COMM, 0, 0, 0, 0, 15ULL << 16)),
	GLOB("one star", TAP_OP_MATCH, 1, "a", "*"),
	GLOB("text and a star", TAP_OP_MATCH, 1, "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa*"),
	GLOB("a star and a letter", TAP_OP_MATCH, 1, "a", "*b"),
	GLOB("a word", TAP_OP_MATCH, 1, "wor", "*word*"),
	GLOB("a word, user", TAP_OP_MATCH_USER, 2, "wor", "*word*"),
	GLOB("a path", TAP_OP_MATCH, 1, "/etc/pass/etc/", "*/etc/passwd*"),
	GLOB("ab", TAP_OP_MATCH, 1, "a", "*ab*"),
	GLOB("aab", TAP_OP_MATCH, 1, "a", "*aab*"),
	GLOB("aaaab", TAP_OP_MATCH, 1, "a", "*aaaab*"),
	GLOB("abab", TAP_OP_MATCH, 1, "ab", "*ababc*"),
	GLOB("all characters", TAP_OP_MATCH, 1, "a",
	     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	GLOB("name, ?", TAP_OP_MATCH_COMM, 0, "a", "*a?b*"),
	GLOB("name, set", TAP_OP_MATCH_COMM, 0, "c", "*[abc]d*"),
	GLOB("set at the start", TAP_OP_MATCH, 1, "a", "[!bcdefghij]*"),
	GLOB("sets", TAP_OP_MATCH, 1, "a", "[a-z][a-z][a-z][a-z][a-z][a-z]"),
	GLOB("open brackets", TAP_OP_MATCH, 1, "[", "[[[[[[[[[[[[[[[[[[[["),
	GLOB("name, open brackets", TAP_OP_MATCH_COMM, 0, "[", "*[[[b*"),
	GLOB("name, escaped", TAP_OP_MATCH_COMM, 0, "a", "*\\a\\a\\b*"),
	GLOB("name", TAP_OP_MATCH_COMM, 0, "m", "*mmmb*"),
	ROW("comm", 7, 21, INIT(TAP_OP_COMM, OUT, 0, 0, 0, 0)),
	BYTES("text", TAP_OP_STRING, 1, 8, .mild = true),
	BYTES("text", TAP_OP_STRING, 1, 64, .mild = true),
	BYTES("text", TAP_OP_STRING, 1, 1000),
	ALONE("text", TAP_OP_STRING, 1, 4096),
	MILD("length of text", 1, 4, INIT(TAP_OP_LENGTH, 0, 1, 0, 0, 64)),
	MILD("length of text, long", 1, 3, INIT(TAP_OP_LENGTH, 0, 1, 0, 0, 1000)),
	ROW("length of text, fault", 1, 4, INIT(TAP_OP_LENGTH, 0, 3, 0, 0, 64)),
	MILD("length of user text, long", 1, 3, INIT(TAP_OP_LENGTH_USER, 0, 2, 0, 0, 1000)),
	ROW("length of user text, fault", 1, 4, INIT(TAP_OP_LENGTH_USER, 0, 4, 0, 0, 64)),
	BYTES("text, fault", TAP_OP_STRING, 3, 8),
	BYTES("text, fault", TAP_OP_STRING, 3, 64),
	BYTES("user text", TAP_OP_STRING_USER, 2, 8, .mild = true),
	BYTES("user text", TAP_OP_STRING_USER, 2, 64, .mild = true),
	BYTES("user text", TAP_OP_STRING_USER, 2, 1000),
	ALONE("user text", TAP_OP_STRING_USER, 2, 4096),
	BYTES("user text, fault", TAP_OP_STRING_USER, 4, 8),
	BYTES("user text, fault", TAP_OP_STRING_USER, 4, 64),
	BYTES("array", TAP_OP_BYTES, 1, 8, .mild = true),
	BYTES("array", TAP_OP_BYTES, 1, 64, .mild = true),
	BYTES("array", TAP_OP_BYTES, 1, 1000),
	ALONE("array", TAP_OP_BYTES, 1, 4096),
	BYTES("array, fault", TAP_OP_BYTES, 3, 8),
	BYTES("array, fault", TAP_OP_BYTES, 3, 64),
	BYTES("user array", TAP_OP_BYTES_USER, 2, 8, .mild = true),
	BYTES("user array", TAP_OP_BYTES_USER, 2, 64, .mild = true),
	BYTES("user array", TAP_OP_BYTES_USER, 2, 1000),
	ALONE("user array", TAP_OP_BYTES_USER, 2, 4096),
	BYTES("user array, fault", TAP_OP_BYTES_USER, 4, 8),
	BYTES("user array, fault", TAP_OP_BYTES_USER, 4, 64),
	BY_ADDRESS("load", 1, 11, true, TAP_OP_LOAD, 0, 2, 8, 0, 0),
	BY_ADDRESS("load, fault", 1, 6, false, TAP_OP_LOAD, 0, 4, 8, 0, 0),
	BY_ADDRESS("load of kernel memory, fault", 1, 6, true, TAP_OP_LOAD, 0, 3, 8, 0, 0),
	BY_ADDRESS("equal, fault", 1, 4, false, TAP_OP_MATCH, 0, 4, 0, 0, 4ULL << 16),
	BY_ADDRESS("length of text, fault", 1, 4, false, TAP_OP_LENGTH, 0, 4, 0, 0, 64),
	BY_ADDRESS("text, 64 bytes, fault", 1, 3, false, TAP_OP_STRING, OUT, 4, 0, 0, 64),
	BY_ADDRESS("text, 1000 bytes", 1, 3, true, TAP_OP_STRING, OUT, 2, 0, 0, 1000),
	BY_ADDRESS("array, 64 bytes, fault", 1, 3, false, TAP_OP_BYTES, OUT, 4, 0, 0, 64),
	BY_ADDRESS("array, 1000 bytes", 1, 3, true, TAP_OP_BYTES, OUT, 2, 0, 0, 1000),
	BY_ADDRESS("joined texts, 16", 0, 1, false, TAP_OP_JOIN, OUT, 2, 0, JOIN_USER,
		   256 | 16 << 16),
	JOIN("joined texts", TAP_OP_JOIN, 1, JOIN_KERNEL, 1),
	JOIN("joined texts", TAP_OP_JOIN, 1, JOIN_KERNEL, 16),
	JOIN("joined user texts", TAP_OP_JOIN_USER, 2, JOIN_USER, 1),
	JOIN("joined user texts", TAP_OP_JOIN_USER, 2, JOIN_USER, 16),
	PATH(1, true),
	PATH(16, false),
	PATH(31, false),
	ROW_OF("path, fault, 1", TAP_PROBE_RAWTP, 0, 1,
	       INIT(TAP_OP_PATH, OUT, 3, 0, 0, 16 | 1 << 16), .mild = true),
	COPY("512 bytes", 512, false),
	COPY("2048 bytes", 2048, false),
	COPY("cut", 3000, true),
	ROW_OF("array of a field", TAP_PROBE_TRACEPOINT, 1, 3,
	       INIT(TAP_OP_FIELD_BYTES, OUT, 0, 0, 8, 32)),
	ROW_OF("text of a field", TAP_PROBE_TRACEPOINT, 1, 3,
	       INIT(TAP_OP_FIELD_STRING, OUT, 0, 0, 8, 32)),
};

static char *user_text;
static void *user_hole;
static __u64 kernel_text;
static int bench, target;

/* Fills user and kernel memory with a text. */
static void fill(const char *text)
{
	struct tap_target_run run = { .arg = { (uintptr_t)user_text } };
	size_t i, len = strlen(text);

	for (i = 0; i < TAP_TARGET_AREA; i++)
		user_text[i] = text[i % len];
	/* Of 15 characters and a 0, which stays. */
	if (prctl(PR_SET_NAME, user_text))
		err(1, "prctl");
	if (ioctl(target, TAP_TARGET_FILL, &run))
		err(1, "fill");
	kernel_text = run.out_result;
	memcpy(user_text + JOIN_TEXT, "x", 2);
	for (i = 0; i < 16; i++) {
		*(__u64 *)(user_text + JOIN_USER + 8 * i) =
			i < 15 ? (uintptr_t)user_text + JOIN_TEXT : (uintptr_t)user_hole;
		*(__u64 *)(user_text + JOIN_KERNEL + 8 * i) =
			kernel_text + (i < 15 ? JOIN_TEXT : TAP_TARGET_AREA);
	}
	for (i = 0; i < 32; i++) {
		__u64 *dentry = (__u64 *)(user_text + PATH_KERNEL) + 3 * i;

		dentry[0] = kernel_text + PATH_KERNEL - PATH_PARENT + 24 * (i < 31 ? i + 1 : i);
		dentry[1] = 15ULL << 32;
		dentry[2] = kernel_text;
	}
	if (ioctl(target, TAP_TARGET_FILL, &run))
		err(1, "fill");
}

static unsigned int make(const struct row *row, unsigned int copies, struct tap_op *ops)
{
	const __u64 at[] = { kernel_text, (uintptr_t)user_text,
			     kernel_text + TAP_TARGET_AREA, (uintptr_t)user_hole };
	unsigned int i, k, n = 0;

	if (row->returned) {
		ops[n++] = OP(TAP_OP_IMM, OUT, 0, 8, 0, 1);
		ops[n++] = OP(TAP_OP_RETURN, 0, 0, 0, 0, 0);
	}
	for (i = 0; i < ARRAY_SIZE(at); i++)
		ops[n++] = OP(TAP_OP_IMM, 1 + i, 0, 8, 0, at[i]);
	ops[n++] = OP(TAP_OP_IMM, 5, 0, 8, 0, 7);
	/* Arithmetic: the program runs in the interpreter. */
	ops[n++] = OP(TAP_OP_ADD, 7, 5, 8, 0, 0);
	for (i = 0; i < copies; i++)
		for (k = 0; k < MAX_ROW_OPS && row->ops[k].code; k++) {
			ops[n] = row->ops[k];
			if (row->pattern && ops[n].code >= TAP_OP_MATCH &&
			    ops[n].code <= TAP_OP_MATCH_DATA_LOC && !ops[n].imm)
				ops[n].imm = strlen(row->pattern) << 16;
			n++;
		}
	/* A jump may not lead behind the end. */
	ops[n++] = OP(TAP_OP_IMM, 0, 0, 8, 0, 0);
	return n;
}

static unsigned char data[TAP_MAX_DATA];

static void count(int fd, const struct row *row)
{
	struct tap_perf event = { .size = sizeof(event), .type = PERF_TYPE_SOFTWARE,
				  .config = row->counter };
	struct tap_pmu pmu = { .size = sizeof(pmu), .nr_events = 1,
			       .events = (uintptr_t)&event };

	if (row->nr_counters && ioctl(fd, TAP_IOC_PMU, &pmu))
		err(1, "counters");
}

static void *run_bench(void *arg)
{
	if (ioctl(bench, TAP_BENCH_RUN, arg))
		err(1, "/dev/tap_bench");
	return NULL;
}

/* Runs the events in a thread whose stack ends where nothing is mapped. */
static void run_bench_cut(struct tap_bench_run *run)
{
	static char *stack;
	pthread_attr_t attr;
	pthread_t thread;

	if (!stack) {
		stack = mmap(NULL, CUT_BYTES + 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (stack == MAP_FAILED || munmap(stack + CUT_BYTES, 4096))
			err(1, "mmap");
	}
	if (pthread_attr_init(&attr) || pthread_attr_setstack(&attr, stack, CUT_BYTES) ||
	    pthread_create(&thread, &attr, run_bench, run) || pthread_join(thread, NULL))
		errx(1, "no thread");
	pthread_attr_destroy(&attr);
}

/* Instructions of an event with that program; 0 if the ring is too small for its records. */
static double measure_in(unsigned long bytes, const struct row *row, const struct tap_op *ops,
			 unsigned int nr)
{
	const char *at = row->type == TAP_PROBE_RAWTP ? "tap_bench" :
			 row->type == TAP_PROBE_TRACEPOINT ? "tap_bench:tap_bench" :
			 "tap_bench_function";
	struct tap_create create = test_create_arg(row->type, at, ops, nr);
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC), i;
	struct tap_counters counters = { };
	struct tap_stats stats = { .size = sizeof(stats), .nr_cpus = 1,
				   .counters = (uintptr_t)&counters };
	struct tap_ring_head *head;
	struct tap_ring_tail *tail;
	struct tap_setup setup;
	__u64 best = ~0ULL;

	if (fd < 0 || _test_ioctl_setup(fd, bytes, bytes, 0, &setup))
		err(1, "%s", TAP_DEVICE);
	count(fd, row);
	create.data = (uintptr_t)data;
	create.data_len = sizeof(data);
	create.flags = row->flags;
	create.limit = TAP_NO_LIMIT;
	if (ioctl(fd, TAP_IOC_CREATE, &create))
		err(1, "%s: create", row->name);
	if (_test_ioctl_enable(fd, create.out_id))
		err(1, "%s: enable", row->name);
	tail = test_map(fd, getpagesize(), PROT_READ | PROT_WRITE, setup.out_ring_offset);
	head = test_map(fd, getpagesize(), PROT_READ, setup.out_ring_offset + getpagesize());
	for (i = 0; i < RUNS; i++) {
		struct tap_bench_run run = {
			.loop = row->type == TAP_PROBE_RAWTP || row->type == TAP_PROBE_TRACEPOINT ?
				TAP_BENCH_TRACEPOINT : TAP_BENCH_CALL,
		};

		tail->tail = head->head;
		if (row->cut)
			run_bench_cut(&run);
		else
			run_bench(&run);
		if (run.out_ticks < best)
			best = run.out_ticks;
	}
	stats.id = create.out_id;
	if (ioctl(fd, TAP_IOC_STATS, &stats))
		err(1, "%s: stats", row->name);
	if (counters.lost_full && bytes < LARGE_BYTES)
		best = 0;
	else if (counters.written != RUNS * TAP_BENCH_LOOPS)
		errx(1, "%s: %llu events, %llu records", row->name, counters.hits,
		     counters.written);
	munmap(tail, getpagesize());
	munmap(head, getpagesize());
	close(fd);
	return (double)best / TAP_BENCH_LOOPS;
}

static double measure(const struct row *row, const struct tap_op *ops, unsigned int nr)
{
	return measure_in(RING_BYTES, row, ops, nr) ?: measure_in(LARGE_BYTES, row, ops, nr);
}

static int compare(const struct row *row)
{
	struct tap_op ops[TAP_MAX_OPS];
	unsigned int nr, copies = row->many - row->few;
	double cost[2];
	__u64 model[2];
	bool wrong;

	fill(row->text ?: "a");
	memset(data, 'a', sizeof(data));
	if (row->pattern)
		memcpy(data, row->pattern, strlen(row->pattern));
	nr = make(row, row->few, ops);
	cost[0] = measure(row, ops, nr);
	model[0] = tap_program_cost(ops, nr, data, row->flags);
	nr = make(row, row->many, ops);
	cost[1] = measure(row, ops, nr);
	model[1] = tap_program_cost(ops, nr, data, row->flags);
	cost[0] = (cost[1] - cost[0]) / copies;
	model[0] = (model[1] - model[0]) / copies;
	wrong = model[0] < cost[0] || (!row->mild && model[0] > MOST * cost[0]);
	printf("%-36s %10.1f %8llu %6.2f%s\n", row->name, cost[0], model[0],
	       model[0] / cost[0], wrong ? "  WRONG" : "");
	fflush(stdout);
	return wrong;
}

/*
 * An event that is aggregated, in a table that is full of other keys. The base is the same event,
 * counted. Both are measured from outside, with the system call that makes the events.
 */
static double measure_aggregate(const struct tap_aggregate *aggregate, __u32 nr_ops)
{
	struct tap_op ops[TAP_MAX_OPS];
	struct tap_create create = test_create_arg(TAP_PROBE_RAWTP, "tap_target_event", NULL, 0);
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC), i;
	struct tap_target_run run = { .function = TAP_TARGET_PASS, .count = 1 };
	struct tap_setup setup;
	__u64 best = ~0ULL, begin;
	unsigned int k;

	for (k = 0; k < nr_ops; k++)
		ops[k] = OP(TAP_OP_ARG, OUT, 0, 8, 5, 0);
	create.ops = (uintptr_t)ops;
	create.nr_ops = nr_ops;
	create.aggregate = (uintptr_t)aggregate;
	if (!aggregate)
		create.flags = TAP_CREATE_F_COUNT;
	if (fd < 0 || _test_ioctl_setup(fd, RING_BYTES, RING_BYTES, 0, &setup) ||
	    ioctl(fd, TAP_IOC_CREATE, &create) || _test_ioctl_enable(fd, create.out_id))
		err(1, "aggregate");
	for (i = 0; i < 2000; i++) {
		run.arg[5] = i;
		if (ioctl(target, TAP_TARGET_CALL, &run))
			err(1, "call");
	}
	run.count = TAP_BENCH_LOOPS;
	for (i = 0; i < 4 * RUNS; i++) {
		begin = __builtin_ia32_rdtsc();
		if (ioctl(target, TAP_TARGET_CALL, &run))
			err(1, "call");
		begin = __builtin_ia32_rdtsc() - begin;
		if (begin < best)
			best = begin;
	}
	close(fd);
	return (double)best / TAP_BENCH_LOOPS;
}

static int compare_aggregate(const char *name, unsigned int words, unsigned int values,
			     bool decimal)
{
	struct tap_agg aggs[TAP_MAX_AGGS] = { };
	struct tap_aggregate aggregate = {
		.size = sizeof(aggregate), .entries = 64, .nr_keys = 1,
		.keys = { { .word = 0, .words = words } },
		.nr_aggs = values, .aggs = (uintptr_t)aggs, .agg_size = sizeof(aggs[0]),
	};
	double cost;
	__u32 model;
	bool wrong;
	unsigned int i;

	for (i = 0; i < values; i++) {
		bool linear = i % 2 && !decimal;

		aggs[i] = (struct tap_agg) {
			.kind = linear ? TAP_AGG_LHIST : TAP_AGG_HIST, .word = 0,
			.flags = TAP_AGG_F_SIGNED | (decimal ? TAP_AGG_F_DECIMAL : 0),
			.buckets = linear ? 9 : 0, .step = linear ? 7 : 0,
		};
	}
	if (!values)
		aggregate.aggs = aggregate.agg_size = 0;
	cost = measure_aggregate(&aggregate, words) - measure_aggregate(NULL, 1);
	model = tap_aggregate_cost(words, 64, values) + words * 40;
	wrong = model < cost || model > MOST * cost;
	printf("%-36s %10.1f %8u %6.2f%s\n", name, cost, model, model / cost,
	       wrong ? "  WRONG" : "");
	return wrong;
}

int main(int argc, char **argv)
{
	/* What is copied of the stack is there. */
	volatile char above[8192];
	int failed = 0;
	size_t i;

	memset((void *)above, 0, sizeof(above));
	bench = open("/dev/tap_bench", O_RDWR | O_CLOEXEC);
	target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	if (bench < 0 || target < 0)
		err(1, "are tap_bench.ko and tap_target.ko loaded?");
	user_text = mmap(NULL, TAP_TARGET_AREA, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	user_hole = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (user_text == MAP_FAILED || user_hole == MAP_FAILED)
		err(1, "mmap");
	printf("%-36s %10s %8s %6s\n", "operation", "measured", "model", "ratio");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (argc < 2 || strstr(rows[i].name, argv[1]))
			failed += compare(&rows[i]);
	if (argc < 2) {
		failed += compare_aggregate("aggregation, 1 word", 1, 0, false);
		failed += compare_aggregate("aggregation, 60 words", 60, 0, false);
		failed += compare_aggregate("aggregation, 8 values", 1, 8, false);
		failed += compare_aggregate("aggregation, 8 in round units", 1, 8, true);
	}
	return failed != 0;
}
