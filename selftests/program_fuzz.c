// SPDX-License-Identifier: GPL-2.0
/*
 * Programs at random: the module must accept or refuse each as the model says
 * (program_model.h), and what it accepts must give what the model gives
 * (program_run.h), whatever addresses it goes to.
 *
 * Half of them are random members in the shape of steps, half well-formed ones
 * of which most are changed in one place. A probe of a target that does not exist
 * is verified and then not made, so that most of them cost one ioctl.
 */
#include "tap_test.h"

#include <getopt.h>

#include "program_run.h"

/* Probes in one session, and how often they are hit. */
#define BATCH		64
#define HITS		4
#define RING_BYTES	(4U << 20)
/* The kernel keeps 4096 bytes of a call at the most. */
#define CALL_WORDS	480
#define USER_BYTES	(2 * MODEL_PAGE)

static struct {
	__u64 seed;
	__u64 programs;
	__u64 first;
	__u64 hits;
	bool dry;
	bool list;
} options = {
	.seed = 1,
	.programs = 100000,
	.hits = -1ULL,
};

/* What happened, for the sums. */
static struct {
	__u64 accepted;
	__u64 refused;
	__u64 open;
	__u64 run;
	__u64 written;
	__u64 filtered;
	__u64 lost;
	__u64 unknown;
	__u64 wrong;
} sums;

/*
 * Numbers. Each program has its own sequence, so that it can be made again
 * without those before it.
 */

static __u64 state;

static __u64 next(void)
{
	__u64 z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static __u64 below(__u64 n)
{
	return next() % n;
}

static bool chance(unsigned int percent)
{
	return below(100) < percent;
}

/* Begins sequence @n of this seed. */
static void restart(__u64 n)
{
	state = options.seed * 0x2545f4914f6cdd1dULL + n;
	next();
}

#define pick(array)	((array)[below(ARRAY_SIZE(array))])

/*
 * Where they run.
 */

static unsigned char kernel[TAP_TARGET_AREA];
static struct model_hit hit = {
	.kernel = kernel,
	.kernel_len = sizeof(kernel),
	.user_len = USER_BYTES,
	.comm = "program_fuzz",
};

static unsigned char *user;

/* A place: one that is known, one near its end, or a wild one. */
static __u64 address(void)
{
	static const __u64 wild[] = {
		0, 1, 4095, 0x400000, 0x7ffffffff000, 0x7fffffffffff,
		0x800000000000, 0x0100000000000000, 0x00ffffffffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xdead000000000100,
		0xff7fffffffffffff, 0xfffffffffffff000, 0xffffffffffffffff,
	};
	unsigned int kind = below(10);

	if (kind < 3)
		return hit.kernel_at + below(TAP_TARGET_AREA);
	if (kind < 4)
		return hit.kernel_at + TAP_TARGET_AREA - 1 - below(24);
	if (kind < 6)
		return (uintptr_t)user + below(USER_BYTES);
	if (kind < 7)
		return (uintptr_t)user + USER_BYTES - 1 - below(24);
	if (kind < 9)
		return pick(wild) + below(16);
	return next() >> 8;
}

static __u64 number(void)
{
	static const __u64 edges[] = {
		0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000,
		0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, -1ULL, -2ULL, -64ULL,
	};

	return chance(50) ? pick(edges) : chance(50) ? below(1000) :
	       chance(50) ? address() : next();
}

/* Text in which matches, ends and long runs come about. */
static void fill_text(unsigned char *to, unsigned int len)
{
	unsigned int i, run = 0;

	for (i = 0; i < len; i++) {
		if (!run--) {
			run = below(chance(90) ? 40 : 6000);
			to[i] = 0;
			continue;
		}
		to[i] = "aabbbc"[below(6)];
	}
}

/* The memory: text, and words that lead to other places of it. */
static void fill_memory(int target)
{
	struct tap_target_run run = { .arg = { (uintptr_t)kernel } };
	unsigned int i;

	fill_text(kernel, sizeof(kernel));
	for (i = 0; i < sizeof(kernel) / 16; i += 16) {
		__u64 word = chance(60) ? address() : number();

		memcpy(kernel + 8 * i, &word, sizeof(word));
	}
	fill_text(user, USER_BYTES);
	if (ioctl(target, TAP_TARGET_FILL, &run)) {
		perror("fill");
		exit(1);
	}
}

/*
 * Programs.
 */

static const __u8 codes[] = {
	TAP_OP_ARG, TAP_OP_REG, TAP_OP_RETVAL, TAP_OP_VAR, TAP_OP_IMM,
	TAP_OP_MOVE, TAP_OP_WORD, TAP_OP_LOAD, TAP_OP_LOAD_USER,
	TAP_OP_ADD, TAP_OP_SUB, TAP_OP_MUL, TAP_OP_DIV, TAP_OP_MOD, TAP_OP_AND,
	TAP_OP_OR, TAP_OP_XOR, TAP_OP_SHL, TAP_OP_SHR,
	TAP_OP_JUMP, TAP_OP_JEQ, TAP_OP_JNE, TAP_OP_JLT, TAP_OP_JLE, TAP_OP_JGT,
	TAP_OP_JGE, TAP_OP_JSET,
	TAP_OP_MATCH, TAP_OP_MATCH_USER, TAP_OP_MATCH_COMM, TAP_OP_COMM,
	TAP_OP_STRING, TAP_OP_STRING_USER, TAP_OP_BYTES, TAP_OP_BYTES_USER,
};

/* Steps that other kinds of probes have. */
static const __u8 foreign[] = {
	TAP_OP_FIELD, TAP_OP_MATCH_FIELD, TAP_OP_MATCH_DATA_LOC,
	TAP_OP_FIELD_BYTES, TAP_OP_FIELD_STRING, TAP_OP_DATA_LOC, TAP_OP_RETURN,
};

static const __u32 types[] = {
	TAP_PROBE_RAWTP, TAP_PROBE_KPROBE, TAP_PROBE_KRETPROBE, TAP_PROBE_CALL,
};

static const char *const type_names[] = {
	[TAP_PROBE_KPROBE] = "kprobe", [TAP_PROBE_KRETPROBE] = "kretprobe",
	[TAP_PROBE_CALL] = "call", [TAP_PROBE_RAWTP] = "rawtp",
};

/* Patterns, of which globs have whole brackets alone. */
static void make_data(struct model_program *prog)
{
	static const char *const parts[] = {
		"a", "b", "c", "ab", "?", "*", "[a-c]", "[!a]", "[bc]", "\\a",
		"aa", "bb",
	};
	unsigned int len = 0;

	while (len < 60) {
		const char *part = pick(parts);

		memcpy(prog->data + len, part, strlen(part));
		len += strlen(part);
	}
	memset(prog->data + len, 'a', sizeof(prog->data) - len);
	prog->data_len = len + (chance(5) ? below(TAP_MAX_DATA - len + 1) : 0);
}

/* The text says nothing of brackets without an end or a last backslash. */
static bool odd_glob(const struct model_program *prog, __u64 imm)
{
	const unsigned char *at = prog->data + (imm & 0xffff);
	unsigned int i, len = imm >> 16 & 0xffff;

	for (i = 0; i < len; i++) {
		if (at[i] == '\\' && ++i == len)
			return true;
		if (at[i] != '[')
			continue;
		while (i < len && at[i] != ']')
			i++;
		if (i == len)
			return true;
	}
	/* Begins within one. */
	return memchr(at, ']', len) && !memchr(at, '[', len);
}

static __u64 make_pattern(const struct model_program *prog)
{
	__u64 imm;

	do {
		unsigned int begin = below(40);

		imm = begin | (1 + below(chance(80) ? 6 : 20)) << 16;
	} while (odd_glob(prog, imm));
	return imm;
}

/* A random step, good for the most part, wherever it stands. */
static struct tap_op make_op(const struct model_program *prog, bool output)
{
	static const __u8 sizes[] = { 1, 2, 4, 8, 0x81, 0x82, 0x84 };
	struct tap_op op = { .code = pick(codes) };
	const struct model_form *form;

	do {
		op.code = pick(codes);
		form = &model_forms[op.code];
	} while (output && form->dst != DST_ANY && form->dst != DST_OUT);

	if (form->dst != DST_NONE)
		op.dst = output || form->dst == DST_OUT ? TAP_OP_OUT :
			 below(TAP_NR_REGISTERS);
	if (form->src == SRC_REG)
		op.src = below(TAP_NR_REGISTERS);
	if (form->src == SRC_OPERAND)
		op.src = chance(50) ? TAP_OP_IMM_SRC : below(TAP_NR_REGISTERS);
	switch (form->size) {
	case SIZE_VALUE:
		op.size = pick(sizes);
		break;
	case SIZE_8_SIGNED:
		op.size = 8 | (chance(50) ? TAP_OP_SIGNED : 0);
		break;
	case SIZE_8:
		op.size = 8;
		break;
	case SIZE_GLOB:
		op.size = chance(50) ? TAP_OP_GLOB : 0;
		break;
	}
	switch (form->off) {
	case OFF_ANY:
		op.off = chance(60) ? 0 : (int)below(200) - 100;
		break;
	case OFF_ARG:
		op.off = below(6);
		break;
	case OFF_REG:
		op.off = 8 * below(MODEL_REGS_SIZE / 8);
		break;
	case OFF_VAR:
		op.off = 1 + below(TAP_VAR_ABSENT);
		break;
	case OFF_WORD:
		op.off = TAP_CALL_FETCHES + below(4);
		break;
	case OFF_JUMP:
		op.off = chance(40) ? TAP_OP_REJECT : 1 + (int)below(3);
		break;
	}
	switch (form->imm) {
	case IMM_ANY:
		op.imm = form->src == SRC_OPERAND && op.src != TAP_OP_IMM_SRC ?
			 0 : number();
		break;
	case IMM_VAR:
		if (op.off == TAP_VAR_COMM)
			op.imm = below(2);
		if (op.off == TAP_VAR_DESCENT)
			op.imm = chance(50) ? hit.ppid : hit.tgid;
		break;
	case IMM_PATTERN:
		op.imm = make_pattern(prog);
		break;
	case IMM_LENGTH:
		op.imm = 1 + below(chance(90) ? 64 : TAP_MAX_STRING);
		break;
	}
	return op;
}

/* Appends a step if the program is well-formed with it. */
static void try_op(struct model_program *prog, struct tap_op op)
{
	unsigned int words;

	if (prog->nr_ops >= TAP_MAX_OPS)
		return;
	/* That it jumps beyond the end may be put right by what follows. */
	prog->ops[prog->nr_ops++] = op;
	if (model_is_jump(&op) && op.off != TAP_OP_REJECT)
		return;
	if (model_check(prog, &words) != MODEL_ACCEPT)
		prog->nr_ops--;
}

static void make_part(struct model_program *prog)
{
	unsigned int first = prog->nr_ops, i, nr = below(8);

	/* Something to work with. */
	for (i = 0; i < TAP_NR_REGISTERS; i++) {
		if (chance(50))
			continue;
		try_op(prog, chance(50) ? make_op(prog, false) :
		       OP(TAP_OP_IMM, i, 0, 8, 0, chance(70) ? address() : number()));
		try_op(prog, OP(TAP_OP_ARG, i, 0, 8, below(6), 0));
	}
	while (nr--)
		try_op(prog, make_op(prog, false));
	nr = below(chance(95) ? 7 : 70);
	while (nr--)
		try_op(prog, make_op(prog, chance(80)));
	/* Jumps that lead nowhere go a step. */
	for (i = first; i < prog->nr_ops; i++)
		if (model_is_jump(&prog->ops[i]) &&
		    prog->ops[i].off > (int)(prog->nr_ops - i - 1))
			prog->ops[i].off = TAP_OP_REJECT;
}

/* A program that is well-formed for the most part. */
static void make_good(struct model_program *prog)
{
	static const struct tap_op divide = { .code = TAP_OP_RETURN };

	make_part(prog);
	if (prog->type == TAP_PROBE_CALL && chance(70) &&
	    prog->nr_ops < TAP_MAX_OPS) {
		prog->ops[prog->nr_ops++] = divide;
		make_part(prog);
	}
}

static void mutate(struct model_program *prog)
{
	struct tap_op *op = &prog->ops[below(prog->nr_ops ?: 1)];
	unsigned int at = op - prog->ops;

	switch (below(10)) {
	case 0:
		op->code = chance(50) ? next() : pick(codes);
		break;
	case 1:
		op->dst = chance(50) ? next() : below(10);
		break;
	case 2:
		op->src = chance(50) ? next() : below(10);
		break;
	case 3:
		op->size = chance(50) ? next() : 1U << below(8);
		break;
	case 4:
		op->off = chance(50) ? (int)number() : (int)below(16) - 4;
		break;
	case 5:
		op->imm = number();
		break;
	case 6:
		((unsigned char *)op)[below(sizeof(*op))] ^= 1U << below(8);
		break;
	case 7:
		/* One less. */
		if (!prog->nr_ops)
			break;
		prog->nr_ops--;
		memmove(op, op + 1, (prog->nr_ops - at) * sizeof(*op));
		break;
	case 8:
		/* One more. */
		if (prog->nr_ops > TAP_MAX_OPS)
			break;
		memmove(op + 1, op, (prog->nr_ops - at) * sizeof(*op));
		prog->nr_ops++;
		*op = make_op(prog, chance(50));
		if (chance(20))
			op->code = pick(foreign);
		break;
	default:
		if (chance(90))
			prog->data_len = below(64);
		else
			prog->data_len = TAP_MAX_DATA - 2 + below(6);
	}
}

/* Random members, each of them good more often than not. */
static void make_random(struct model_program *prog)
{
	unsigned int i, j;

	prog->nr_ops = chance(95) ? below(7) : below(TAP_MAX_OPS + 3);
	for (i = 0; i < prog->nr_ops; i++) {
		struct tap_op *op = &prog->ops[i];

		*op = make_op(prog, chance(40));
		if (chance(10))
			op->code = chance(50) ? pick(foreign) : next();
		for (j = chance(20); j; j--)
			((unsigned char *)op)[below(sizeof(*op))] = next();
	}
}

/* Program @n of this seed. */
static void make_program(struct model_program *prog, __u64 n)
{
	restart(n);
	prog->type = pick(types);
	prog->nr_ops = 0;
	make_data(prog);
	if (chance(50)) {
		make_random(prog);
		return;
	}
	make_good(prog);
	if (chance(70))
		mutate(prog);
}

/**
 * struct probe - a probe of a session
 * @n: number of its program
 * @id: its id
 * @words: value words of its record
 * @expected: what its hits become, by enum model_fate
 */
struct probe {
	__u64 n;
	__u32 id;
	unsigned int words;
	struct model_program prog;
	__u64 expected[MODEL_UNKNOWN + 1];
};

/*
 * the probes of a session
 *
 * @fd: the session
 * @target: the target module
 * @nr: probes
 * @hits: which numbers their hits and the memory come from
 * @ring: of the one CPU on which all this happens
 */
static struct {
	int fd;
	int target;
	unsigned int nr;
	__u64 hits;
	struct test_ring ring;
	struct probe probe[BATCH];
} batch = { .fd = -1, .target = -1 };

/*
 * What is said of them.
 */

static void list_program(const struct model_program *prog, __u64 n)
{
	unsigned int i;

	printf("# --seed %llu --first %llu --hits %llu --programs 1: %s, %u steps, %u bytes of patterns\n",
	       options.seed, n, batch.hits, type_names[prog->type], prog->nr_ops,
	       prog->data_len);
	for (i = 0; i < prog->nr_ops; i++) {
		const struct tap_op *op = &prog->ops[i];

		printf("#   %3u: code %u dst %#x src %#x size %#x off %d imm %#llx\n", i,
		       op->code, op->dst, op->src, op->size, op->off, op->imm);
	}
	printf("#   patterns: %.*s\n", (int)(prog->data_len < 80 ? prog->data_len : 80),
	       prog->data);
}

static void wrong(const struct model_program *prog, __u64 n, const char *what)
{
	printf("# program %llu: %s\n", n, what);
	list_program(prog, n);
	if (++sums.wrong >= 10) {
		printf("# too many are wrong\n");
		exit(1);
	}
}

/*
 * The module.
 */

static int create(const struct model_program *prog, const char *target, __u32 *id)
{
	struct tap_create arg = test_create_arg(prog->type, target, prog->ops,
						prog->nr_ops);

	arg.data = (uintptr_t)prog->data;
	arg.data_len = prog->data_len;
	if (ioctl(batch.fd, TAP_IOC_CREATE, &arg))
		return errno;
	*id = arg.out_id;
	return 0;
}

static void die(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	exit(1);
}

static void batch_open(void)
{
	struct tap_setup setup;
	char *map;

	batch.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (batch.fd < 0 || _test_ioctl_setup(batch.fd, RING_BYTES, 0, 0, &setup))
		die(TAP_DEVICE);
	map = test_map(batch.fd, MODEL_PAGE, PROT_READ | PROT_WRITE,
		       setup.out_ring_offset);
	if (map == MAP_FAILED)
		die("mmap");
	batch.ring.tail = (void *)map;
	map = test_map(batch.fd, MODEL_PAGE + RING_BYTES, PROT_READ,
		       setup.out_ring_offset + MODEL_PAGE);
	if (map == MAP_FAILED)
		die("mmap");
	batch.ring.head = (void *)map;
	batch.ring.slots = map + MODEL_PAGE;
	batch.ring.mask = RING_BYTES - 1;
	batch.ring.pos = 0;
	batch.nr = 0;
}

static void batch_close(void)
{
	munmap(batch.ring.tail, MODEL_PAGE);
	munmap((void *)batch.ring.head, MODEL_PAGE + RING_BYTES);
	close(batch.fd);
}

/* Puts a record beside what it should be. */
static void compare(struct probe *probe, const struct model_record *want,
		    const struct test_record *got)
{
	__u32 flags = TAP_F_ABSENT | TAP_F_TRUNCATED;
	unsigned int i;
	char what[160];

	if (got->broken || (got->flags & flags) != want->flags) {
		snprintf(what, sizeof(what), "flags %#x, must be %#x", got->flags & flags,
			 want->flags);
		wrong(&probe->prog, probe->n, what);
		return;
	}
	for (i = 0; i < want->nr_words; i++) {
		if (!want->word[i].known || want->word[i].v == got->word[i])
			continue;
		snprintf(what, sizeof(what),
			 "word %u is %#llx, must be %#llx; arguments %#llx %#llx %#llx %#llx %#llx %#llx",
			 i, got->word[i], want->word[i].v, hit.arg[0], hit.arg[1],
			 hit.arg[2], hit.arg[3], hit.arg[4], hit.arg[5]);
		wrong(&probe->prog, probe->n, what);
		return;
	}
}

/* All probes of a batch are hit once, and their records looked at. */
static void batch_hit(void)
{
	static struct model_record want[BATCH];
	static bool seen[BATCH];
	struct tap_target_run run = { .count = 1 };
	struct test_record rec;
	unsigned int i;

	for (i = 0; i < 6; i++)
		hit.arg[i] = chance(60) ? address() : number();
	hit.retval = hit.arg[5];
	memcpy(run.arg, hit.arg, sizeof(run.arg));
	run.function = TAP_TARGET_VALUES;
	if (ioctl(batch.target, TAP_TARGET_CALL, &run))
		die("call");
	run.function = TAP_TARGET_PASS;
	if (ioctl(batch.target, TAP_TARGET_CALL, &run))
		die("pass");

	for (i = 0; i < batch.nr; i++) {
		seen[i] = false;
		hit.type = batch.probe[i].prog.type;
		model_execute(&batch.probe[i].prog, &hit, &want[i]);
		batch.probe[i].expected[want[i].fate]++;
	}
	while (test_ring_next(&batch.ring, &rec)) {
		if (rec.kind != TAP_KIND_EVENT || !rec.probe || rec.probe > batch.nr) {
			printf("# a record of probe %u, kind %u\n", rec.probe, rec.kind);
			sums.wrong++;
			continue;
		}
		i = rec.probe - 1;
		seen[i] = true;
		if (want[i].fate == MODEL_WRITTEN)
			compare(&batch.probe[i], &want[i], &rec);
		else if (want[i].fate != MODEL_UNKNOWN)
			wrong(&batch.probe[i].prog, batch.probe[i].n,
			      want[i].fate == MODEL_LOST ? "written, must be lost" :
							   "written, must be filtered");
	}
	for (i = 0; i < batch.nr; i++)
		if (want[i].fate == MODEL_WRITTEN && !seen[i])
			wrong(&batch.probe[i].prog, batch.probe[i].n,
			      "not written, and must be");
}

static void batch_count(struct probe *probe)
{
	struct tap_counters c;
	struct tap_stats stats;
	__u64 unknown = probe->expected[MODEL_UNKNOWN];
	char what[160];

	if (_test_ioctl_stats(batch.fd, probe->id, &c, 1, &stats))
		die("stats");
	sums.written += c.written;
	sums.filtered += c.filtered;
	sums.lost += c.lost_fault;
	sums.unknown += unknown;
	if (c.hits == HITS && c.written + c.filtered + c.lost_fault == HITS &&
	    c.written - probe->expected[MODEL_WRITTEN] <= unknown &&
	    c.filtered - probe->expected[MODEL_FILTERED] <= unknown &&
	    c.lost_fault - probe->expected[MODEL_LOST] <= unknown)
		return;
	snprintf(what, sizeof(what),
		 "%llu hits, %llu written, %llu filtered, %llu lost, must be %u, %llu, %llu, %llu and %llu of them",
		 c.hits, c.written, c.filtered, c.lost_fault, HITS,
		 probe->expected[MODEL_WRITTEN], probe->expected[MODEL_FILTERED],
		 probe->expected[MODEL_LOST], unknown);
	wrong(&probe->prog, probe->n, what);
}

/* Runs the probes of a session that is full, and begins another. */
static void batch_run(void)
{
	unsigned int i;

	if (batch.nr) {
		if (_test_ioctl_enable(batch.fd, 0))
			die("enable");
		restart(~batch.hits);
		fill_memory(batch.target);
		for (i = 0; i < HITS; i++)
			batch_hit();
		if (_test_ioctl_disable(batch.fd, 0))
			die("disable");
		for (i = 0; i < batch.nr; i++)
			batch_count(&batch.probe[i]);
		sums.run += batch.nr;
	}
	batch_close();
	batch_open();
}

/* A call keeps less from its entry than a record may have; see CALL_WORDS. */
static bool too_long(const struct model_program *prog)
{
	struct model_program entry = *prog;
	unsigned int words;

	if (prog->type != TAP_PROBE_CALL)
		return false;
	for (entry.nr_ops = 0; entry.nr_ops < prog->nr_ops; entry.nr_ops++)
		if (prog->ops[entry.nr_ops].code == TAP_OP_RETURN)
			break;
	model_check(&entry, &words);
	return words > CALL_WORDS;
}

/* Makes a probe of a program that was accepted, to be hit. */
static void batch_add(const struct model_program *prog, __u64 n, unsigned int words)
{
	struct probe *probe = &batch.probe[batch.nr];
	struct tap_probe_info info;
	char what[80];

	if (!batch.nr)
		batch.hits = options.hits == -1ULL ? n : options.hits;
	memset(probe->expected, 0, sizeof(probe->expected));
	probe->n = n;
	probe->prog = *prog;
	probe->words = words;
	errno = create(prog, prog->type == TAP_PROBE_RAWTP ? "tap_target_event" :
							     "tap_target_values",
		       &probe->id);
	if (errno) {
		wrong(prog, n, strerror(errno));
		return;
	}
	batch.nr++;
	if (_test_ioctl_probe_info(batch.fd, probe->id, NULL, 0, &info))
		die("info");
	if (info.out_words != words) {
		snprintf(what, sizeof(what), "%u words, must be %u", info.out_words,
			 words);
		wrong(prog, n, what);
	}
	if (batch.nr == BATCH)
		batch_run();
}

/* Does the module say of a program what the model says? */
static void verify(const struct model_program *prog, __u64 n)
{
	unsigned int words = 0;
	enum model_answer answer = model_check(prog, &words);
	bool accepted;
	char what[80];
	__u32 id;
	int error;

	if (options.list)
		list_program(prog, n);
	if (options.dry) {
		sums.accepted += answer == MODEL_ACCEPT;
		sums.refused += answer == MODEL_REFUSE;
		sums.open += answer == MODEL_OPEN;
		return;
	}
	error = create(prog, "tap_target_nowhere", &id);
	accepted = error == ENOENT;
	if ((!accepted && error != EINVAL && error != EOPNOTSUPP) ||
	    (answer == MODEL_ACCEPT && !accepted) ||
	    (answer == MODEL_REFUSE && accepted)) {
		snprintf(what, sizeof(what), "%s, must be %s", strerror(error),
			 answer == MODEL_ACCEPT ? "accepted" : "refused");
		wrong(prog, n, what);
	}
	sums.open += answer == MODEL_OPEN;
	sums.accepted += accepted;
	sums.refused += !accepted;
	/* Those of functions cost 25 ms each to make. */
	if (accepted && !too_long(prog) &&
	    (options.hits != -1ULL ||
	     (prog->type == TAP_PROBE_RAWTP ? chance(30) : !below(200))))
		batch_add(prog, n, words);
}

static void prepare(void)
{
	struct tap_target_run run = {};
	struct stat st;
	char *map = mmap(NULL, USER_BYTES + 2 * MODEL_PAGE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED ||
	    mprotect(map + MODEL_PAGE, USER_BYTES, PROT_READ | PROT_WRITE))
		die("mmap");
	user = (unsigned char *)map + MODEL_PAGE;
	hit.user = user;
	hit.tgid = getpid();
	hit.ppid = getppid();
	hit.kernel_at = 0xffffc90000000000;
	if (options.dry)
		return;
	if (test_pin(0))
		die("pin");
	/* All are in the root of the hierarchy there. */
	if (!stat("/sys/fs/cgroup/cgroup.controllers", &st) &&
	    !stat("/sys/fs/cgroup", &st))
		hit.cgroup = st.st_ino;
	batch.target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	if (batch.target < 0 || ioctl(batch.target, TAP_TARGET_FILL, &run))
		die(TAP_TARGET_DEVICE);
	hit.kernel_at = run.out_result;
	batch_open();
}

static void usage(FILE *to)
{
	fprintf(to, "usage: program_fuzz [--seed N] [--programs N] [--first N] [--hits N] [--list] [--dry]\n"
		"Tries programs at random. The same seed makes the same programs.\n"
		"  --first N     begin with program N\n"
		"  --hits N      hit all with what program N would have been hit with\n"
		"  --list        show them all\n"
		"  --dry         without the module: only make them\n");
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "programs", required_argument, NULL, 'n' },
		{ "first", required_argument, NULL, 'f' },
		{ "hits", required_argument, NULL, 'H' },
		{ "list", no_argument, NULL, 'l' },
		{ "dry", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	static struct model_program prog;
	__u64 n, begin;
	int option;

	while ((option = getopt_long(argc, argv, "", longopts, NULL)) != -1) {
		switch (option) {
		case 's':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			options.programs = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			options.first = strtoull(optarg, NULL, 0);
			break;
		case 'H':
			options.hits = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			options.list = true;
			break;
		case 'd':
			options.dry = true;
			break;
		default:
			usage(option == 'h' ? stdout : stderr);
			return option != 'h';
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	begin = test_now_ms();
	prepare();
	for (n = options.first; n < options.first + options.programs; n++) {
		make_program(&prog, n);
		verify(&prog, n);
	}
	if (!options.dry)
		batch_run();
	printf("# seed %llu: %llu programs in %llu s: %llu accepted, %llu refused, %llu of them open\n",
	       options.seed, options.programs, (test_now_ms() - begin) / 1000,
	       sums.accepted, sums.refused, sums.open);
	printf("# %llu were hit: %llu records, %llu hits filtered, %llu lost to faults, %llu unknown\n",
	       sums.run, sums.written, sums.filtered, sums.lost, sums.unknown);
	printf("%u passed, %u failed\n", !sums.wrong, !!sums.wrong);
	return !!sums.wrong;
}
