// SPDX-License-Identifier: GPL-2.0
/*
 * Makes random programs. The module must accept or refuse each one as the model does
 * (program_model.h). An accepted program must give the same results as the model
 * (program_runner.h), for any address that it reads.
 *
 * Half of the programs have random members of each op. The other half are well-formed, and most of
 * those have one change. A probe of a missing target is verified and then not created, so that
 * most programs cost one ioctl.
 */
#include "selftests/module/tap_session.h"

#include "selftests/module/fuzz/fuzz_main.h"
#include "selftests/module/fuzz/program_generate.h"

/* Probes in one session, and events of each. */
#define BATCH		64
#define HITS		4
#define RING_BYTES	(4U << 20)
/* Different stacks of a session: the ways to the two functions that are hit, cut at each length. */
#define STACKS		4096
/* The kernel saves at most 4096 bytes of a call. */
#define CALL_WORDS	480

static struct {
	__u64 programs;
	__u64 first;
	__u64 hits;
	bool dry;
	bool list;
} options = {
	.programs = 100000,
	.hits = -1ULL,
};

/* Counts for the summary. */
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

/**
 * struct probe - a probe of a session
 * @n: number of its program
 * @id: its id
 * @words: value words of its record
 * @expected: expected results of its events, by enum model_fate
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
 * @target: descriptor of tap_target
 * @nr: number of probes
 * @hits: seed of the values and the memory of their events
 * @ring: the ring of the one CPU that this runs on
 */
static struct {
	int fd;
	int target;
	unsigned int nr;
	__u64 hits;
	struct test_ring ring;
	struct probe probe[BATCH];
} batch = { .fd = -1, .target = -1 };

/* Reports. */

static void list_program(const struct model_program *prog, __u64 n)
{
	unsigned int i;

	printf("# --seed %llu --first %llu --hits %llu --programs 1: %s, flags %#x, %u steps, %u bytes of patterns\n",
	       make_seed, n, batch.hits, type_names[prog->type], prog->flags, prog->nr_ops,
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
		printf("# too many errors\n");
		exit(1);
	}
}

/* Calls of the module. */

static int create(const struct model_program *prog, const char *target, __u32 *id)
{
	struct tap_create arg = test_create_arg(prog->type, target, prog->ops,
						prog->nr_ops);

	arg.flags = prog->flags;
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
	const struct tap_stack_table stacks = { .size = sizeof(stacks), .entries = STACKS };
	struct tap_setup setup;
	char *map;

	batch.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (batch.fd < 0 || _test_ioctl_setup(batch.fd, RING_BYTES, 0, 0, &setup) ||
	    _test_ioctl_follow(batch.fd, getpid()) || ioctl(batch.fd, TAP_IOC_STACKS, &stacks) ||
	    _test_ioctl_tasks(batch.fd, TAP_TASKS_F_FRAMES | TAP_TASKS_F_DIVISION, 64, NULL))
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

/* Compares a stack of a record, and adds the flags that it causes; returns an error, or NULL. */
static const char *compare_stack(const struct model_stack *want, const __u64 *at, __u32 *flags)
{
	__u64 words[1 + TAP_MAX_STACK] = { 0 };
	struct tap_stack_read read = {
		.size = sizeof(read), .id = *at, .words = (uintptr_t)words,
		.nr_words = ARRAY_SIZE(words),
	};

	if (!want->stored) {
		*flags |= (*at & TAP_TEXT_ABSENT ? TAP_F_ABSENT : 0) |
			  (*at & TAP_TEXT_TRUNCATED ? TAP_F_TRUNCATED : 0);
		return model_stack_fits(want, at);
	}
	if (!*at) {
		*flags |= TAP_F_ABSENT;
		return want->user || want->marked ? NULL : "a stack without an id";
	}
	if (want->marked)
		return "the id of a stack that must be absent";
	if (ioctl(batch.fd, TAP_IOC_STACK, &read))
		return "an id that no stack has";
	*flags |= *words & TAP_TEXT_TRUNCATED ? TAP_F_TRUNCATED : 0;
	return model_stack_fits(want, words);
}

/* Compares a record with the expected one. */
static void compare(struct probe *probe, const struct model_record *want,
		    const struct test_record *got)
{
	__u32 flags = TAP_F_ABSENT | TAP_F_TRUNCATED | TAP_F_USER, must = want->flags;
	const char *stack;
	unsigned int i;
	char what[160];

	for (i = 0; i < want->nr_stacks; i++) {
		stack = compare_stack(&want->stack[i], got->word + want->stack[i].word, &must);
		if (!stack)
			continue;
		wrong(&probe->prog, probe->n, stack);
		return;
	}
	if (got->broken || (got->flags & flags) != must) {
		snprintf(what, sizeof(what), "flags %#x, must be %#x", got->flags & flags,
			 must);
		wrong(&probe->prog, probe->n, what);
		return;
	}
	for (i = 0; i < want->nr_words; i++) {
		if (!want->word[i].known || want->word[i].v == got->word[i])
			continue;
		snprintf(what, sizeof(what),
			 "word %u is %#llx, must be %#llx; arguments %#llx %#llx %#llx %#llx %#llx %#llx",
			 i, got->word[i], want->word[i].v, program_hit.arg[0], program_hit.arg[1],
			 program_hit.arg[2], program_hit.arg[3], program_hit.arg[4], program_hit.arg[5]);
		wrong(&probe->prog, probe->n, what);
		return;
	}
}

/* Makes one event for each probe of the batch, and checks the records. */
static void batch_hit(void)
{
	static struct model_record want[BATCH];
	static bool seen[BATCH];
	struct tap_target_run run = { .count = 1 };
	struct test_record rec;
	unsigned int i;

	for (i = 0; i < 6; i++)
		program_hit.arg[i] = chance(60) ? random_address() : random_number();
	program_hit.retval = program_hit.arg[5];
	memcpy(run.arg, program_hit.arg, sizeof(run.arg));
	run.function = TAP_TARGET_VALUES;
	if (ioctl(batch.target, TAP_TARGET_CALL, &run))
		die("call");
	run.function = TAP_TARGET_PASS;
	if (ioctl(batch.target, TAP_TARGET_CALL, &run))
		die("pass");

	for (i = 0; i < batch.nr; i++) {
		seen[i] = false;
		program_hit.type = batch.probe[i].prog.type;
		model_execute(&batch.probe[i].prog, &program_hit, &want[i]);
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
			      "not written, must be written");
}

static void batch_fill(void)
{
	struct tap_target_run run = { .arg = { (uintptr_t)kernel_memory } };

	make_memory();
	if (ioctl(batch.target, TAP_TARGET_FILL, &run))
		die("fill");
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

/* Runs the probes of a full session, and starts another one. */
static void batch_run(void)
{
	unsigned int i;

	if (batch.nr) {
		if (_test_ioctl_enable(batch.fd, 0))
			die("enable");
		restart(~batch.hits);
		batch_fill();
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

/* A call saves fewer bytes at its entry than a record can have; see CALL_WORDS. */
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

/* Creates a probe with an accepted program, for batch_hit(). */
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

/* Compares the verdict of the verifier with that of the model. */
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
	if ((!accepted && error != EINVAL && error != EOPNOTSUPP && error != EFBIG) ||
	    (answer == MODEL_ACCEPT && !accepted) ||
	    (answer == MODEL_REFUSE && accepted)) {
		snprintf(what, sizeof(what), "%s, must be %s", strerror(error),
			 answer == MODEL_ACCEPT ? "accepted" : "refused");
		wrong(prog, n, what);
	}
	sums.open += answer == MODEL_OPEN;
	sums.accepted += accepted;
	sums.refused += !accepted;
	/* Probes of functions take 25 ms each to create. */
	if (accepted && !too_long(prog) &&
	    (options.hits != -1ULL ||
	     (prog->type == TAP_PROBE_RAWTP ? chance(30) : !below(150))))
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
	user_memory = (unsigned char *)map + MODEL_PAGE;
	program_hit.user = user_memory;
	program_hit.tgid = getpid();
	program_hit.followed = true;
	program_hit.kernel_at = 0xffffc90000000000;
	if (options.dry)
		return;
	if (test_pin(0))
		die("pin");
	/* In the guest all tasks are in the root cgroup. */
	if (!stat("/sys/fs/cgroup/cgroup.controllers", &st) &&
	    !stat("/sys/fs/cgroup", &st))
		program_hit.cgroup = st.st_ino;
	batch.target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	if (batch.target < 0 || ioctl(batch.target, TAP_TARGET_FILL, &run))
		die(TAP_TARGET_DEVICE);
	program_hit.kernel_at = run.out_result;
	batch_open();
}

static void usage(FILE *to)
{
	fprintf(to, "usage: program_fuzz [--seed N] [--programs N] [--first N] [--hits N] [--list] [--dry]\n"
		"Tests random programs. The same seed makes the same programs.\n"
		"  --first N     start with program N\n"
		"  --hits N      make all events with the values of program N\n"
		"  --list        print all programs\n"
		"  --dry         only make the programs, without the module\n");
}

static void run(void)
{
	static struct model_program prog;
	__u64 n;

	for (n = options.first; n < options.first + options.programs; n++) {
		make_program(&prog, n);
		verify(&prog, n);
	}
	if (!options.dry)
		batch_run();
}

static __u64 report(__u64 ms)
{
	printf("# seed %llu: %llu programs in %llu s: %llu accepted, %llu refused, %llu of them open\n",
	       make_seed, options.programs, ms / 1000, sums.accepted, sums.refused,
	       sums.open);
	printf("# %llu were hit: %llu records, %llu hits filtered, %llu lost to faults, %llu unknown\n",
	       sums.run, sums.written, sums.filtered, sums.lost, sums.unknown);
	return sums.wrong;
}

static const struct fuzz_option fuzz_options[] = {
	{ .name = "programs", .number = &options.programs },
	{ .name = "first", .number = &options.first },
	{ .name = "hits", .number = &options.hits },
	{ .name = "list", .flag = &options.list },
	{ .name = "dry", .flag = &options.dry },
	{},
};

const struct fuzz fuzz = {
	.usage = usage,
	.options = fuzz_options,
	.prepare = prepare,
	.run = run,
	.report = report,
};
