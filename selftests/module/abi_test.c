// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the ioctl interface: sizes, the order of the checks of arguments, every errno that
 * uapi/linux/tap.h defines, and that a command that fails changes nothing.
 */
#include <linux/perf_event.h>

#include "selftests/module/tap_harness.h"
#include "selftests/module/compat32.h"

#include "selftests/module/abi_layout.h"
#include "selftests/module/abi_values.h"

/* A function that exists on every lab kernel, and that nothing else calls or probes. */
#define FUNCTION	"tap_target_add"

/* One more than the number of the last command. */
#define NR_COMMANDS	24

/**
 * union argument - room for the argument of any command, and for an unknown tail
 * @size: first member of every argument
 * @bytes: the whole room
 */
union argument {
	__u32 size;
	struct tap_info info;
	struct tap_setup setup;
	struct tap_create create;
	struct tap_probe_ref ref;
	struct tap_probe_info probe_info;
	struct tap_stats stats;
	struct tap_flush flush;
	struct tap_time time;
	struct tap_read read;
	struct tap_pmu pmu;
	struct tap_count_read count;
	struct tap_mark mark;
	struct tap_follow follow;
	struct tap_span_read span;
	struct tap_stack_table stacks;
	struct tap_stack_read stack;
	struct tap_tasks tasks;
	struct tap_tasks_read tasks_read;
	struct tap_window window;
	struct tap_describe describe;
	struct tap_budget budget;
	unsigned char bytes[3 * 4096];
};

/* Each command, with a valid argument. */
FIXTURE(command)
{
	struct test_session s;
	union argument *arg;
	struct tap_op op;
	struct tap_perf counter;
	struct tap_count count;
	__u64 words[16];
	bool ready;
};

FIXTURE_VARIANT(command)
{
	unsigned int cmd;
	__u32 size;
	/* Size of the argument's first version, if it has grown since. */
	__u32 first;
	bool needs_rings;
	bool has_flags;
	bool id_may_be_0;
	/* No out_* members: nothing is written. */
	bool silent;
};

FIXTURE_VARIANT_ADD(command, info)
{
	.cmd = TAP_IOC_INFO,
	.size = sizeof(struct tap_info),
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, setup)
{
	.cmd = TAP_IOC_SETUP,
	.size = sizeof(struct tap_setup),
	.first = offsetof(struct tap_setup, panic),
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, create)
{
	.cmd = TAP_IOC_CREATE,
	.size = sizeof(struct tap_create),
	.first = offsetof(struct tap_create, file),
	.needs_rings = true,
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, enable)
{
	.cmd = TAP_IOC_ENABLE,
	.size = sizeof(struct tap_probe_ref),
	.first = offsetof(struct tap_probe_ref, address),
	.needs_rings = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, disable)
{
	.cmd = TAP_IOC_DISABLE,
	.size = sizeof(struct tap_probe_ref),
	.first = offsetof(struct tap_probe_ref, address),
	.needs_rings = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, delete)
{
	.cmd = TAP_IOC_DELETE,
	.size = sizeof(struct tap_probe_ref),
	.first = offsetof(struct tap_probe_ref, address),
	.needs_rings = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, probe_info)
{
	.cmd = TAP_IOC_PROBE_INFO,
	.size = sizeof(struct tap_probe_info),
	.needs_rings = true,
};

FIXTURE_VARIANT_ADD(command, stats)
{
	.cmd = TAP_IOC_STATS,
	.size = sizeof(struct tap_stats),
	.needs_rings = true,
};

FIXTURE_VARIANT_ADD(command, flush)
{
	.cmd = TAP_IOC_FLUSH,
	.size = sizeof(struct tap_flush),
	.needs_rings = true,
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, time)
{
	.cmd = TAP_IOC_TIME,
	.size = sizeof(struct tap_time),
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, read)
{
	.cmd = TAP_IOC_READ,
	.size = sizeof(struct tap_read),
	.first = offsetof(struct tap_read, index),
	.needs_rings = true,
};

FIXTURE_VARIANT_ADD(command, pmu)
{
	.cmd = TAP_IOC_PMU,
	.size = sizeof(struct tap_pmu),
	.needs_rings = true,
	.has_flags = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, count)
{
	.cmd = TAP_IOC_COUNT,
	.size = sizeof(struct tap_count_read),
	.needs_rings = true,
	.silent = true,
};

/* Its id may be 0, which stands for no probe. */
FIXTURE_VARIANT_ADD(command, mark)
{
	.cmd = TAP_IOC_MARK,
	.size = sizeof(struct tap_mark),
	.id_may_be_0 = true,
};

FIXTURE_VARIANT_ADD(command, follow)
{
	.cmd = TAP_IOC_FOLLOW,
	.size = sizeof(struct tap_follow),
	.has_flags = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, span)
{
	.cmd = TAP_IOC_SPAN,
	.size = sizeof(struct tap_span_read),
	.needs_rings = true,
};

FIXTURE_VARIANT_ADD(command, stacks)
{
	.cmd = TAP_IOC_STACKS,
	.size = sizeof(struct tap_stack_table),
	.has_flags = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, stack)
{
	.cmd = TAP_IOC_STACK,
	.size = sizeof(struct tap_stack_read),
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, tasks)
{
	.cmd = TAP_IOC_TASKS,
	.size = sizeof(struct tap_tasks),
	.needs_rings = true,
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, tasks_read)
{
	.cmd = TAP_IOC_TASKS_READ,
	.size = sizeof(struct tap_tasks_read),
	.needs_rings = true,
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, window)
{
	.cmd = TAP_IOC_WINDOW,
	.size = sizeof(struct tap_window),
	.needs_rings = true,
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, describe)
{
	.cmd = TAP_IOC_DESCRIBE,
	.size = sizeof(struct tap_describe),
	.needs_rings = true,
	.has_flags = true,
	.silent = true,
};

FIXTURE_VARIANT_ADD(command, budget)
{
	.cmd = TAP_IOC_BUDGET,
	.size = sizeof(struct tap_budget),
	.needs_rings = true,
	.has_flags = true,
};

FIXTURE_VARIANT_ADD(command, gate)
{
	.cmd = TAP_IOC_GATE,
	.size = sizeof(struct tap_gate),
	.needs_rings = true,
	.has_flags = true,
};

/* Makes a valid argument for the command; it ends at the end of a page. */
static void command_fill(FIXTURE_DATA(command) *self, unsigned int cmd,
			 __u32 size)
{
	memset(self->arg, 0, sizeof(*self->arg));
	self->arg->size = size;
	switch (cmd) {
	case TAP_IOC_SETUP:
		self->arg->setup.ring_bytes = TAP_MIN_RING_BYTES;
		break;
	case TAP_IOC_WINDOW:
		self->arg->window.flags = TAP_WINDOW_F_GIVE;
		break;
	case TAP_IOC_CREATE:
		self->op = OP_ARG(0);
		self->arg->create = test_create_arg(TAP_PROBE_KPROBE, FUNCTION,
						    &self->op, 1);
		self->arg->size = size;
		break;
	case TAP_IOC_ENABLE:
	case TAP_IOC_DISABLE:
	case TAP_IOC_DELETE:
		self->arg->ref.id = 1;
		break;
	case TAP_IOC_PROBE_INFO:
		self->arg->probe_info.id = 1;
		break;
	case TAP_IOC_STATS:
		self->arg->stats.id = 1;
		break;
	case TAP_IOC_READ:
		self->arg->read.id = 1;
		self->arg->read.words = (uintptr_t)self->words;
		self->arg->read.nr_words = ARRAY_SIZE(self->words);
		break;
	case TAP_IOC_PMU:
		self->counter = (struct tap_perf){
			.size = sizeof(self->counter),
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
		};
		self->arg->pmu.events = (uintptr_t)&self->counter;
		self->arg->pmu.nr_events = 1;
		break;
	case TAP_IOC_COUNT:
		self->arg->count.id = 1;
		self->arg->count.counts = (uintptr_t)&self->count;
		self->arg->count.nr_counts = 1;
		break;
	case TAP_IOC_MARK:
		self->arg->mark.data = (uintptr_t)"mark";
		self->arg->mark.len = 4;
		break;
	case TAP_IOC_FOLLOW:
		self->arg->follow.pid = getpid();
		break;
	case TAP_IOC_TASKS:
		self->arg->tasks.flags = TAP_TASKS_F_FRAMES;
		break;
	case TAP_IOC_SPAN:
		self->arg->span.id = 1;
		self->arg->span.words = (uintptr_t)self->words;
		self->arg->span.nr_words = ARRAY_SIZE(self->words);
		break;
	case TAP_IOC_STACKS:
		self->arg->stacks.entries = 16;
		break;
	}
}

/* A probe on which each command has something to do. */
static int command_probe(int fd, unsigned int cmd)
{
	const struct tap_perf clock = {
		.size = sizeof(clock),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct tap_aggregate how = {
		.size = sizeof(how),
		.entries = 1,
	};
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, FUNCTION,
						   NULL, 0);

	const struct tap_span_table table = {
		.size = sizeof(table), .nr_keys = 1, .entries = 1,
	};

	if (cmd == TAP_IOC_SPAN) {
		create = test_create_arg(TAP_PROBE_SPAN, "span", NULL, 0);
		create.span = (uintptr_t)&table;
	} else if (cmd == TAP_IOC_COUNT) {
		create = test_create_arg(TAP_PROBE_COUNT, "count", NULL, 0);
		create.perf = (uintptr_t)&clock;
	} else {
		create.aggregate = (uintptr_t)&how;
	}
	return ioctl(fd, TAP_IOC_CREATE, &create);
}

FIXTURE_SETUP(command)
{
	test_need_root();
	test_need_target();
	memset(&self->s, 0, sizeof(self->s));
	self->s.fd = open(TAP_DEVICE, O_RDWR);
	ASSERT_LE(0, self->s.fd);
	self->arg = mmap(NULL, sizeof(*self->arg) + 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->arg);
	/* Nothing is mapped behind the argument. */
	ASSERT_EQ(0, munmap(self->arg + 1, 4096));
	/* Commands that need a probe use probe 1. */
	if (variant->needs_rings) {
		struct tap_setup setup = {
			.size = sizeof(setup), .ring_bytes = TAP_MIN_RING_BYTES,
			.flags = variant->cmd == TAP_IOC_WINDOW ? TAP_SETUP_F_OVERWRITE : 0,
		};

		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
		ASSERT_EQ(0, command_probe(self->s.fd, variant->cmd));
	}
	if (variant->cmd == TAP_IOC_TASKS_READ) {
		command_fill(self, TAP_IOC_TASKS, sizeof(struct tap_tasks));
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_TASKS, self->arg));
	}
	if (variant->cmd == TAP_IOC_STACK) {
		command_fill(self, TAP_IOC_STACKS, sizeof(struct tap_stack_table));
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_STACKS, self->arg));
	}
	command_fill(self, variant->cmd, variant->size);
}

FIXTURE_TEARDOWN(command)
{
	test_session_close(&self->s);
}

#define test_command()		ioctl(self->s.fd, variant->cmd, self->arg)

TEST_F(command, succeeds_with_the_size_it_has)
{
	EXPECT_EQ(0, test_command()) TH_LOG("%s", strerror(errno));
}

TEST_F(command, of_size_0_is_refused)
{
	self->arg->size = 0;
	EXPECT_ERRNO(EINVAL, test_command());
}

TEST_F(command, of_size_1_is_refused)
{
	self->arg->size = 1;
	EXPECT_ERRNO(EINVAL, test_command());
}

TEST_F(command, of_a_size_one_less_is_refused)
{
	self->arg->size = (variant->first ?: variant->size) - 1;
	EXPECT_ERRNO(EINVAL, test_command());
}

TEST_F(command, of_the_size_that_it_had_first_succeeds)
{
	self->arg->size = variant->first ?: variant->size;
	EXPECT_EQ(0, test_command());
}

TEST_F(command, of_a_larger_size_with_a_zero_tail_succeeds)
{
	self->arg->size += 8;
	EXPECT_EQ(0, test_command()) TH_LOG("%s", strerror(errno));
}

TEST_F(command, of_a_larger_size_leaves_size_and_tail_alone)
{
	unsigned int i;

	self->arg->size += 64;
	ASSERT_EQ(0, test_command());
	EXPECT_EQ(variant->size + 64, self->arg->size);
	for (i = variant->size; i < variant->size + 64; i++)
		EXPECT_EQ(0, self->arg->bytes[i]);
}

TEST_F(command, of_a_larger_size_with_something_in_the_tail_is_refused)
{
	self->arg->size += 8;
	self->arg->bytes[variant->size + 7] = 1;
	EXPECT_ERRNO(E2BIG, test_command());
	/* The first byte of the tail is tested as well as the last. */
	self->arg->bytes[variant->size + 7] = 0;
	self->arg->bytes[variant->size] = 1;
	EXPECT_ERRNO(E2BIG, test_command());
	/* Bytes behind the size are not tested. */
	self->arg->bytes[variant->size] = 0;
	self->arg->bytes[variant->size + 8] = 1;
	EXPECT_EQ(0, test_command()) TH_LOG("%s", strerror(errno));
}

TEST_F(command, of_a_page_is_as_any_larger_one)
{
	self->arg->size = 4096;
	self->arg->bytes[4095] = 1;
	EXPECT_ERRNO(E2BIG, test_command());
	self->arg->bytes[4095] = 0;
	EXPECT_EQ(0, test_command()) TH_LOG("%s", strerror(errno));
}

TEST_F(command, of_more_than_a_page_is_refused)
{
	self->arg->size = 4097;
	EXPECT_ERRNO(E2BIG, test_command());
	self->arg->size = -1;
	EXPECT_ERRNO(E2BIG, test_command());
}

TEST_F(command, of_a_size_beyond_what_is_mapped_is_a_fault)
{
	unsigned char *at = self->arg->bytes + sizeof(*self->arg) - variant->size;

	memcpy(at, self->arg, variant->size);
	*(__u32 *)at = variant->size + 1;
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, at));
	*(__u32 *)at = variant->size;
	EXPECT_EQ(0, ioctl(self->s.fd, variant->cmd, at));
}

TEST_F(command, at_a_bad_address_is_a_fault)
{
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, NULL));
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, self->arg + 1));
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, -4096L));
	/* A kernel address. */
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, TEST_NOT_OURS));
}

TEST_F(command, that_is_mapped_in_part_is_a_fault)
{
	unsigned char *end = self->arg->bytes + sizeof(*self->arg);
	unsigned char *at = end - variant->size + 1;

	memcpy(at, self->arg, variant->size - 1);
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, at));
	/* Only the size is mapped. */
	memcpy(end - 4, self->arg, 4);
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, end - 4));
	/* Not even the whole size is mapped. */
	EXPECT_ERRNO(EFAULT, ioctl(self->s.fd, variant->cmd, end - 3));
}

TEST_F(command, may_be_misaligned)
{
	unsigned char *at = self->arg->bytes + 4096 - 3;

	memcpy(at, self->arg, variant->size);
	EXPECT_EQ(0, ioctl(self->s.fd, variant->cmd, at));
}

TEST_F(command, with_a_direction_or_size_in_its_number_is_another_one)
{
	unsigned int nr = _IOC_NR(variant->cmd);

	EXPECT_ERRNO(ENOTTY, ioctl(self->s.fd, _IOC(_IOC_READ | _IOC_WRITE,
						    TAP_IOC_TYPE, nr, variant->size),
				   self->arg));
	EXPECT_ERRNO(ENOTTY, ioctl(self->s.fd, _IOC(_IOC_NONE, TAP_IOC_TYPE, nr, 8),
				   self->arg));
	EXPECT_ERRNO(ENOTTY, ioctl(self->s.fd, _IO(TAP_IOC_TYPE + 1, nr),
				   self->arg));
}

/* The second member is either flags or the id of a probe. */
TEST_F(command, with_an_unknown_flag_or_probe_is_refused)
{
	int error = variant->has_flags ? EINVAL : ENOENT;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		__u32 flag = 1U << bit;

		/* Skip valid flags. */
		if (variant->cmd == TAP_IOC_CREATE && flag & TAP_CREATE_F_ALL)
			continue;
		if (variant->cmd == TAP_IOC_TASKS &&
		    flag & (TAP_TASKS_F_FRAMES | TAP_TASKS_F_DIVISION))
			continue;
		if (variant->cmd == TAP_IOC_SETUP &&
		    flag & (TAP_SETUP_F_ORDERED | TAP_SETUP_F_MONO | TAP_SETUP_F_OVERWRITE))
			continue;
		if (variant->cmd == TAP_IOC_WINDOW &&
		    flag & (TAP_WINDOW_F_TAKE | TAP_WINDOW_F_GIVE))
			continue;
		/* TAP_GATE_F_CLOSED alone is refused. */
		if (variant->cmd == TAP_IOC_GATE && flag == TAP_GATE_F_SET)
			continue;
		if (!variant->has_flags && flag == 1)
			continue;
		self->arg->info.flags = flag;
		EXPECT_ERRNO(error, test_command());
	}
	self->arg->info.flags = -1;
	EXPECT_ERRNO(error, test_command());
	self->arg->info.flags = variant->cmd == TAP_IOC_TASKS ? TAP_TASKS_F_FRAMES :
				variant->cmd == TAP_IOC_WINDOW ? TAP_WINDOW_F_GIVE :
				!variant->has_flags && !variant->id_may_be_0;
	EXPECT_EQ(0, test_command());
}

TEST_F(command, without_rings_says_so_or_does_without)
{
	int fd = open(TAP_DEVICE, O_RDWR);

	ASSERT_LE(0, fd);
	if (variant->needs_rings)
		EXPECT_ERRNO(EBADFD, ioctl(fd, variant->cmd, self->arg));
	else if (variant->cmd == TAP_IOC_STACK)
		/* This session has no table of stacks either. */
		EXPECT_ERRNO(ENODATA, ioctl(fd, variant->cmd, self->arg));
	else
		EXPECT_EQ(0, ioctl(fd, variant->cmd, self->arg));
	close(fd);
}

TEST_F(command, looks_at_the_size_first_then_at_the_rings_then_at_the_rest)
{
	int fd = open(TAP_DEVICE, O_RDWR);

	ASSERT_LE(0, fd);
	self->arg->size = (variant->first ?: variant->size) - 1;
	EXPECT_ERRNO(EINVAL, ioctl(fd, variant->cmd, self->arg));
	self->arg->size = variant->size + 1;
	self->arg->bytes[variant->size] = 1;
	EXPECT_ERRNO(E2BIG, ioctl(fd, variant->cmd, self->arg));
	/* Only the size is valid. */
	memset(self->arg, 0xff, variant->size);
	self->arg->size = variant->size;
	EXPECT_ERRNO(variant->needs_rings ? EBADFD : EINVAL,
		     ioctl(fd, variant->cmd, self->arg));
	close(fd);
}

/*
 * A command must have no effect if its result cannot be written. Each argument is valid, but
 * is in read-only memory. Commands that have no result succeed.
 */
TEST_F(command, that_cannot_be_answered_changes_nothing)
{
	struct tap_probe_info info;
	struct tap_setup setup;
	ASSERT_EQ(0, mprotect(self->arg, sizeof(*self->arg), PROT_READ));
	if (variant->silent) {
		EXPECT_EQ(0, test_command()) TH_LOG("%s", strerror(errno));
		return;
	}
	EXPECT_ERRNO(EFAULT, test_command());

	if (variant->cmd == TAP_IOC_SETUP) {
		/* A session that has rings would refuse setup anyway. */
		EXPECT_EQ(0, _test_ioctl_setup(self->s.fd, TAP_MIN_RING_BYTES,
					       0, 0, &setup));
	} else if (variant->needs_rings) {
		EXPECT_EQ(0, _test_ioctl_probe_info(self->s.fd, 1, NULL, 0, &info));
		EXPECT_EQ(TAP_STATE_DISABLED, info.out_state);
		EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(self->s.fd, 2, NULL,
							    0, &info));
	}
}

#ifdef __x86_64__
static int compat_ioctl(int fd, unsigned int cmd, void *arg)
{
	return compat32_syscall(COMPAT32_IOCTL, fd, cmd, (uintptr_t)arg, 0, 0, 0);
}

TEST_F(command, is_the_same_for_32_bit_callers)
{
	union argument *low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)low);
	memcpy(low, self->arg, variant->size);
	if (compat_ioctl(self->s.fd, variant->cmd, low)) {
		if (errno == ENOSYS)
			SKIP(return, "this kernel runs no 32-bit programs");
		ASSERT_EQ(0, errno);
	}
	/* Commands that return the same twice return the same to a 64-bit caller. */
	if (variant->cmd == TAP_IOC_INFO || variant->cmd == TAP_IOC_PROBE_INFO ||
	    variant->cmd == TAP_IOC_STATS || variant->cmd == TAP_IOC_FLUSH) {
		ASSERT_EQ(0, test_command());
		EXPECT_EQ(0, memcmp(low, self->arg, variant->size));
	}
	low->size = (variant->first ?: variant->size) - 1;
	EXPECT_ERRNO(EINVAL, compat_ioctl(self->s.fd, variant->cmd, low));
}
#endif

/*
 * The structures to which arguments point. A program of tomorrow has larger ones, a program of
 * yesterday smaller ones; a structure ends where the memory of the program ends.
 */
enum inner { INNER_EVENT, INNER_WATCH, INNER_COUNT, INNER_PMU, INNER_AGGREGATE, INNER_AGG };

#define INNER_ROOM	(2 * 4096)

FIXTURE(inner)
{
	struct test_session s;
	unsigned char *room;
};

FIXTURE_VARIANT(inner)
{
	enum inner what;
	__u32 size;
	/* Elements of an array: two of the same size. */
	unsigned int nr;
};

#define INNER_VARIANT(name, _what, type, _nr)				\
	FIXTURE_VARIANT_ADD(inner, name)				\
	{								\
		.what = _what,						\
		.size = sizeof(struct type),				\
		.nr = _nr,						\
	}

INNER_VARIANT(perf_of_an_event, INNER_EVENT, tap_perf, 1);
INNER_VARIANT(perf_of_a_watchpoint, INNER_WATCH, tap_perf, 1);
INNER_VARIANT(perf_of_a_count, INNER_COUNT, tap_perf, 1);
INNER_VARIANT(perf_of_a_session, INNER_PMU, tap_perf, 2);
INNER_VARIANT(aggregate, INNER_AGGREGATE, tap_aggregate, 1);
INNER_VARIANT(values, INNER_AGG, tap_agg, 2);

FIXTURE_SETUP(inner)
{
	memset(&self->s, 0, sizeof(self->s));
	self->s.fd = -1;
	test_need_root();
	test_need_target();
	self->room = mmap(NULL, INNER_ROOM + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->room);
	ASSERT_EQ(0, munmap(self->room + INNER_ROOM, 4096));
	test_session_open(_metadata, &self->s, 4096);
}

FIXTURE_TEARDOWN(inner)
{
	test_session_close(&self->s);
}

/* The structure as this version of the headers has it. */
static void inner_fill(void *to, enum inner what, __u32 size)
{
	static const struct tap_agg sum = { .kind = TAP_AGG_SUM };
	const struct tap_aggregate aggregate = {
		.size = size,
		.nr_aggs = 1,
		.entries = 1,
		.aggs = (uintptr_t)&sum,
		.agg_size = sizeof(sum),
	};
	struct tap_perf perf = {
		.size = size,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};

	switch (what) {
	case INNER_AGG:
		memcpy(to, &sum, sizeof(sum));
		return;
	case INNER_AGGREGATE:
		memcpy(to, &aggregate, sizeof(aggregate));
		return;
	case INNER_EVENT:
		perf.period = 1000000;
		break;
	case INNER_WATCH:
		perf.type = PERF_TYPE_BREAKPOINT;
		perf.config = TAP_WATCH_WRITE;
		perf.config2 = 8;
		break;
	default:
		break;
	}
	memcpy(to, &perf, sizeof(perf));
}

static int inner_call(int fd, enum inner what, void *at, unsigned int nr, __u32 size)
{
	static const struct tap_op op = OP_ARG(0);
	const struct tap_aggregate values = {
		.size = sizeof(values),
		.nr_aggs = nr,
		.entries = 1,
		.aggs = (uintptr_t)at,
		.agg_size = size,
	};
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (uintptr_t)at,
		.nr_events = nr,
	};
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, FUNCTION, &op, 1);

	switch (what) {
	case INNER_PMU:
		return ioctl(fd, TAP_IOC_PMU, &pmu);
	case INNER_AGGREGATE:
		create.aggregate = (uintptr_t)at;
		break;
	case INNER_AGG:
		create.aggregate = (uintptr_t)&values;
		break;
	case INNER_EVENT:
	case INNER_WATCH:
	case INNER_COUNT:
		create = test_create_arg(what == INNER_COUNT ? TAP_PROBE_COUNT :
					 what == INNER_WATCH ? TAP_PROBE_WATCHPOINT :
					 TAP_PROBE_EVENT,
					 what == INNER_WATCH ? "tap_target_watched" : "x", NULL, 0);
		if (what == INNER_WATCH)
			create.flags = TAP_CREATE_F_COUNT;
		create.perf = (uintptr_t)at;
	}
	return ioctl(fd, TAP_IOC_CREATE, &create);
}

/* The call with elements of @size bytes; the last byte of the last one is @last. */
static int inner_try(FIXTURE_DATA(inner) *self, const FIXTURE_VARIANT(inner) *variant,
		     __u32 size, unsigned char last)
{
	unsigned char *at = self->room + INNER_ROOM - variant->nr * size;
	unsigned int i;

	memset(self->room, 0, INNER_ROOM);
	for (i = 0; i < variant->nr; i++) {
		unsigned char whole[64] = {};

		inner_fill(whole, variant->what, size);
		memcpy(at + i * size, whole, size < variant->size ? size : variant->size);
	}
	if (last)
		self->room[INNER_ROOM - 1] = last;
	return inner_call(self->s.fd, variant->what, at, variant->nr, size);
}

TEST_F(inner, has_the_size_that_the_caller_says)
{
	int ret;

	/* Yesterday's: no structure of these has grown yet, so there is none. */
	EXPECT_ERRNO(EINVAL, inner_try(self, variant, 4, 0));
	EXPECT_ERRNO(EINVAL, inner_try(self, variant, variant->size - 1, 0));
	/* Tomorrow's, with something in a member that this kernel does not know. */
	EXPECT_ERRNO(E2BIG, inner_try(self, variant, variant->size + 1, 1));
	EXPECT_ERRNO(E2BIG, inner_try(self, variant, variant->size + 64, 1));
	/* Longer than a page; where two do not fit the memory, the first is looked at. */
	if (variant->nr == 1)
		EXPECT_ERRNO(E2BIG, inner_try(self, variant, 4097, 0));
	ret = inner_try(self, variant, variant->size + 64, 0);
	if (ret && errno == EOPNOTSUPP)
		SKIP(return, "no such counter or watchpoint");
	EXPECT_EQ(0, ret) TH_LOG("%s", strerror(errno));
	/* A session gets its counters once. */
	if (variant->what == INNER_PMU) {
		EXPECT_ERRNO(EBADFD, inner_try(self, variant, variant->size, 0));
		test_session_close(&self->s);
		test_session_open(_metadata, &self->s, 4096);
	}
	EXPECT_EQ(0, inner_try(self, variant, variant->size, 0)) TH_LOG("%s", strerror(errno));
}

/* A session without rings. */
FIXTURE(fresh)
{
	struct test_session s;
};

FIXTURE_SETUP(fresh)
{
	test_need_root();
	memset(&self->s, 0, sizeof(self->s));
	self->s.fd = open(TAP_DEVICE, O_RDWR);
	ASSERT_LE(0, self->s.fd);
}

FIXTURE_TEARDOWN(fresh)
{
	test_session_close(&self->s);
}

TEST_F(fresh, an_unknown_command_is_not_one)
{
	union argument arg = { .size = sizeof(arg) };
	unsigned int nr;

	for (nr = NR_COMMANDS; nr < 256; nr++)
		EXPECT_ERRNO(ENOTTY, ioctl(self->s.fd, _IO(TAP_IOC_TYPE, nr), &arg));
	/* The number of the command is checked before the address of the argument. */
	EXPECT_ERRNO(ENOTTY, ioctl(self->s.fd, _IO(TAP_IOC_TYPE, 255), NULL));
}

TEST_F(fresh, what_it_is_not_it_refuses)
{
	char byte = 0;

	EXPECT_ERRNO(EINVAL, read(self->s.fd, &byte, 1));
	EXPECT_ERRNO(EINVAL, write(self->s.fd, &byte, 1));
	EXPECT_ERRNO(ESPIPE, lseek(self->s.fd, 0, SEEK_SET));
}

TEST_F(fresh, info_says_what_there_is)
{
	struct tap_info info;

	memset(&info, 0xaa, sizeof(info));
	test_ioctl_info(&info);
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(TAP_API_VERSION, info.out_api);
	EXPECT_EQ(sysconf(_SC_PAGESIZE), info.out_page_size);
	EXPECT_LE(sysconf(_SC_NPROCESSORS_CONF), info.out_nr_rings);
	EXPECT_EQ(TAP_MAX_PROBES, info.out_max_probes);
	EXPECT_EQ(TAP_MAX_OPS, info.out_max_ops);
	EXPECT_GE(TAP_CLOCK_ARCH, info.out_clock);
	EXPECT_EQ(info.out_clock != TAP_CLOCK_MONO,
		  !!(info.out_features & TAP_FEATURE_RAW_CLOCK));
	EXPECT_EQ(0, info.out_features & ~65535ULL);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_KPROBE);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_KRETPROBE);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_CALL);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_UPROBE);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_OVERWRITE);
}

TEST_F(fresh, time_goes_on_in_all_three_clocks)
{
	struct timespec mono, real;
	struct tap_time a, b;

	memset(&a, 0xaa, sizeof(a));
	test_ioctl_time(&a);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	usleep(1000);
	test_ioctl_time(&b);
	EXPECT_LT(a.out_raw, b.out_raw);
	EXPECT_LE(a.out_mono + 1000000, b.out_mono);
	EXPECT_LE(a.out_real + 1000000, b.out_real);
	/* The clocks are those of clock_gettime(). */
	EXPECT_LE(a.out_mono, mono.tv_sec * 1000000000ULL + mono.tv_nsec);
	EXPECT_LE(a.out_real, real.tv_sec * 1000000000ULL + real.tv_nsec);
	EXPECT_GT(b.out_mono, mono.tv_sec * 1000000000ULL + mono.tv_nsec);
	EXPECT_GT(b.out_real, real.tv_sec * 1000000000ULL + real.tv_nsec);
}

TEST_F(fresh, a_ring_size_out_of_range_is_refused)
{
	test_err_ioctl_setup(EINVAL, 0, 0, 0);
	test_err_ioctl_setup(EINVAL, 1, 0, 0);
	test_err_ioctl_setup(EINVAL, 64, 0, 0);
	test_err_ioctl_setup(EINVAL, 2048, 0, 0);
	test_err_ioctl_setup(EINVAL, 4095, 0, 0);
	test_err_ioctl_setup(EINVAL, 4097, 0, 0);
	test_err_ioctl_setup(EINVAL, 3 * 4096, 0, 0);
	test_err_ioctl_setup(EINVAL, TAP_MAX_RING_BYTES + 4096, 0, 0);
	test_err_ioctl_setup(EINVAL, TAP_MAX_RING_BYTES * 2, 0, 0);
	test_err_ioctl_setup(EINVAL, 1ULL << 32, 0, 0);
	test_err_ioctl_setup(EINVAL, (1ULL << 32) + 4096, 0, 0);
	test_err_ioctl_setup(EINVAL, 1ULL << 40, 0, 0);
	test_err_ioctl_setup(EINVAL, 1ULL << 63, 0, 0);
	test_err_ioctl_setup(EINVAL, -1ULL, 0, 0);
	/* The session still works. */
	test_ioctl_setup(TAP_MIN_RING_BYTES, 0, 0);
}

TEST_F(fresh, a_watermark_out_of_range_is_refused)
{
	test_err_ioctl_setup(EINVAL, 4096, 1, 0);
	test_err_ioctl_setup(EINVAL, 4096, 32, 0);
	test_err_ioctl_setup(EINVAL, 4096, 65, 0);
	test_err_ioctl_setup(EINVAL, 4096, 96, 0);
	test_err_ioctl_setup(EINVAL, 4096, 8192, 0);
	test_err_ioctl_setup(EINVAL, 4096, 1ULL << 63, 0);
	test_err_ioctl_setup(EINVAL, 4096, -1ULL, 0);
	test_ioctl_setup(4096, 4096, 0);
}

TEST_F(fresh, a_watermark_of_one_slot_is_allowed)
{
	test_ioctl_setup(4096, 64, 0);
}

TEST_F(fresh, a_wake_up_time_out_of_range_is_refused)
{
	test_err_ioctl_setup(EINVAL, 4096, 0, TAP_MAX_WAKE_MS + 1);
	test_err_ioctl_setup(EINVAL, 4096, 0, -1);
	test_ioctl_setup(4096, 0, TAP_MAX_WAKE_MS);
}

/* Sets up a session with the flags, and returns its clock. */
static int clock_of(struct __test_metadata *_metadata, __u32 flags)
{
	struct tap_setup setup = {
		.size = sizeof(setup), .flags = flags, .ring_bytes = TAP_MIN_RING_BYTES,
	};
	struct tap_time a = { .size = sizeof(a) }, b = { .size = sizeof(b) };
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC), clock;
	struct tap_meta *meta;
	__u64 ns;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ioctl(fd, TAP_IOC_SETUP, &setup));
	meta = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, meta);
	/* TAP_IOC_TIME reads the same clock; a nanosecond of it is one of CLOCK_MONOTONIC. */
	ASSERT_EQ(0, ioctl(fd, TAP_IOC_TIME, &a));
	usleep(20000);
	ASSERT_EQ(0, ioctl(fd, TAP_IOC_TIME, &b));
	EXPECT_LE(meta->clock_raw, a.out_raw);
	/* Exact to far less than the 5 ms below; 32-bit programs have no longer integers. */
	ns = (__u64)((double)(b.out_raw - a.out_raw) * (double)meta->clock_mult /
		     (double)(1ULL << meta->clock_shift));
	EXPECT_LT(b.out_mono - a.out_mono, ns + 5000000);
	EXPECT_LT(ns, b.out_mono - a.out_mono + 5000000);
	clock = meta->clock;
	munmap(meta, sysconf(_SC_PAGESIZE));
	close(fd);
	return clock;
}

TEST_F(fresh, has_the_clock_that_setup_asks_for)
{
	struct tap_setup setup = {
		.size = sizeof(setup), .flags = TAP_SETUP_F_ORDERED | TAP_SETUP_F_MONO,
		.ring_bytes = TAP_MIN_RING_BYTES,
	};
	struct tap_info info;

	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	test_ioctl_info(&info);
	EXPECT_EQ(info.out_clock, clock_of(_metadata, 0));
	EXPECT_EQ(info.out_clock == TAP_CLOCK_TSC ? TAP_CLOCK_TSC_ORDERED : info.out_clock,
		  clock_of(_metadata, TAP_SETUP_F_ORDERED));
	EXPECT_EQ(TAP_CLOCK_MONO, clock_of(_metadata, TAP_SETUP_F_MONO));
}

TEST_F(fresh, a_number_of_records_of_a_panic_is_bounded)
{
	struct tap_setup setup = {
		.size = sizeof(setup), .ring_bytes = TAP_MIN_RING_BYTES,
		.panic = TAP_MAX_PANIC + 1,
	};

	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	setup.panic = TAP_MAX_PANIC;
	setup.__reserved = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	setup.__reserved = 0;
	EXPECT_EQ(0, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
}

TEST_F(fresh, set_up_twice_is_refused)
{
	struct tap_setup setup = { .size = sizeof(setup), .ring_bytes = 8192 };

	test_ioctl_setup(4096, 0, 0);
	EXPECT_ERRNO(EBADFD, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	/* Flags are checked before that. */
	setup.flags = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	/* The first setup is still in effect. */
	test_session_map(_metadata, &self->s);
	EXPECT_EQ(4096, self->s.meta->ring_bytes);
}

/* A thread that makes the memory of an argument read-only, @delay after @state becomes 1. */
struct protector {
	void *page;
	unsigned int state;	/* 1: go; 2: done; 3: end */
	unsigned int delay;
};

static void *protect(void *data)
{
	struct protector *p = data;
	unsigned int state;

	while ((state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE)) != 3) {
		if (state != 1) {
			sched_yield();
			continue;
		}
		usleep(p->delay);
		mprotect(p->page, 4096, PROT_READ);
		__atomic_store_n(&p->state, 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* When the answer of TAP_IOC_SETUP cannot be written any longer, there are no rings. */
TEST_F(fresh, rings_whose_description_does_not_arrive_are_not_made)
{
	struct protector p = {};
	unsigned int tries, faults = 0;
	struct tap_setup *setup;
	pthread_t thread;

	setup = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)setup);
	p.page = setup;
	ASSERT_EQ(0, pthread_create(&thread, NULL, protect, &p));
	for (tries = 0; tries < 200 && faults < 10; tries++) {
		int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
		int ret;

		ASSERT_LE(0, fd);
		*setup = (struct tap_setup){ .size = sizeof(*setup), .ring_bytes = 1 << 23 };
		p.delay = tries * 37 % 1000;
		__atomic_store_n(&p.state, 1, __ATOMIC_RELEASE);
		ret = ioctl(fd, TAP_IOC_SETUP, setup);
		while (__atomic_load_n(&p.state, __ATOMIC_ACQUIRE) != 2)
			sched_yield();
		ASSERT_EQ(0, mprotect(setup, 4096, PROT_READ | PROT_WRITE));
		if (ret) {
			faults++;
			EXPECT_EQ(MAP_FAILED, test_map(fd, 4096, PROT_READ, 0));
			EXPECT_EQ(0, _test_ioctl_setup(fd, 4096, 0, 0, NULL))
				TH_LOG("%s", strerror(errno));
		}
		close(fd);
	}
	__atomic_store_n(&p.state, 3, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_LT(0, faults);
}

/* The rings are charged to the caller's memory cgroup. */
TEST_F(fresh, rings_over_the_limit_of_a_memory_cgroup_are_refused)
{
	static const char cgroup[] = "/sys/fs/cgroup/tap_test";
	int ret, error;

	test_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir(cgroup, 0755);
	if (test_write_file("/sys/fs/cgroup/tap_test/memory.max", "16777216"))
		SKIP(return, "no memory cgroup");
	ASSERT_EQ(0, test_write_file("/sys/fs/cgroup/tap_test/cgroup.procs", "0"));
	ret = _test_ioctl_setup(self->s.fd, 1 << 25, 0, 0, NULL);
	error = errno;
	EXPECT_EQ(0, _test_ioctl_setup(self->s.fd, 1 << 20, 0, 0, NULL));
	test_session_close(&self->s);
	ASSERT_EQ(0, test_write_file("/sys/fs/cgroup/cgroup.procs", "0"));
	rmdir(cgroup);
	ASSERT_EQ(-1, ret);
	EXPECT_EQ(ENOMEM, error);
}

TEST_F(fresh, without_rings_there_is_nothing_to_map)
{
	EXPECT_EQ(MAP_FAILED, test_map(self->s.fd, 4096, PROT_READ, 0));
	EXPECT_EQ(EBADFD, errno);
}

TEST_F(fresh, without_rings_poll_is_an_error)
{
	struct pollfd poll_fd = { .fd = self->s.fd, .events = POLLIN };

	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	EXPECT_EQ(POLLERR, poll_fd.revents);
}

TEST_F(fresh, open_for_reading_alone_is_a_session_as_well)
{
	struct test_session s = { .fd = open(TAP_DEVICE, O_RDONLY) };

	ASSERT_LE(0, s.fd);
	ASSERT_EQ(0, _test_ioctl_setup(s.fd, 4096, 0, 0, NULL));
	/* A mapping of the tail that cannot be written. */
	EXPECT_EQ(MAP_FAILED, test_map(s.fd, 4096, PROT_READ | PROT_WRITE, 8192));
	EXPECT_EQ(EACCES, errno);
	test_session_close(&s);
}

TEST_HARNESS_MAIN
