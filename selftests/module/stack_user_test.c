// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of user stacks: of this program, whose call chains are known; of a 32-bit program; and
 * of tasks without one.
 */
#include "selftests/module/stack_harness.h"

#include <elf.h>
#include <linux/io_uring.h>
#include <sys/auxv.h>

#define NR_HITS		20

/**
 * struct chain - calls that end in a system call to the target module
 * @target: descriptor of the target module
 * @ret: return addresses of the functions, innermost first
 */
struct chain {
	int target;
	__u64 ret[4];
};

#define FUNCTION	static __attribute__((noinline, noclone, used))
#define RETURN_ADDRESS	((__u64)(uintptr_t)__builtin_return_address(0))

#if defined(__x86_64__)
#define IOCTL_NUMBER	"16"
#define ABOVE_STACK	0x7fffffffe000
/* Registers of a copy: their number, and where the stack pointer and the program counter are. */
#define COPY_REGS	17
#define COPY_SP		7
#define COPY_PC		16

/* Inlined, so that it has no frame. */
static inline __attribute__((always_inline)) long chain_ioctl(int fd, void *run)
{
	long ret;

	asm volatile("syscall" : "=a" (ret)
		     : "0" (SYS_ioctl), "D" (fd), "S" (TAP_TARGET_CALL), "d" (run)
		     : "rcx", "r11", "memory");
	return ret;
}

/* The same, with another value in place of the frame pointer. */
FUNCTION long chain_with_frame(int fd, void *run, unsigned long frame)
{
	long ret = SYS_ioctl;

	asm volatile("sub $128, %%rsp\n\tpush %%rbp\n\tmov %[frame], %%rbp\n\t"
		     "syscall\n\tpop %%rbp\n\tadd $128, %%rsp"
		     : "+a" (ret)
		     : "D" (fd), "S" (TAP_TARGET_CALL), "d" (run),
		       [frame] "r" (frame)
		     : "rcx", "r11", "memory", "cc");
	return ret;
}
#elif defined(__aarch64__)
#define IOCTL_NUMBER	"29"
#define ABOVE_STACK	0xffffffffe000
#define COPY_REGS	33
#define COPY_SP		31
#define COPY_PC		32

static inline __attribute__((always_inline)) long chain_ioctl(int fd, void *run)
{
	register long x0 asm("x0") = fd;
	register long x1 asm("x1") = TAP_TARGET_CALL;
	register void *x2 asm("x2") = run;
	register long x8 asm("x8") = SYS_ioctl;

	asm volatile("svc 0" : "+r" (x0) : "r" (x1), "r" (x2), "r" (x8) : "memory");
	return x0;
}

FUNCTION long chain_with_frame(int fd, void *run, unsigned long frame)
{
	register long x0 asm("x0") = fd;
	register long x1 asm("x1") = TAP_TARGET_CALL;
	register void *x2 asm("x2") = run;
	register long x8 asm("x8") = SYS_ioctl;

	asm volatile("str x29, [sp, -16]!\n\tmov x29, %[frame]\n\t"
		     "svc 0\n\tldr x29, [sp], 16"
		     : "+r" (x0)
		     : "r" (x1), "r" (x2), "r" (x8), [frame] "r" (frame)
		     : "memory", "cc");
	return x0;
}
#endif

FUNCTION long chain_inner(struct chain *chain)
{
	struct tap_target_run run = { .function = TAP_TARGET_ADD, .count = 1 };

	chain->ret[0] = RETURN_ADDRESS;
	return chain_ioctl(chain->target, &run);
}

FUNCTION long chain_middle(struct chain *chain)
{
	long ret;

	chain->ret[1] = RETURN_ADDRESS;
	ret = chain_inner(chain);
	asm volatile("" : "+r" (ret));
	return ret;
}

FUNCTION long chain_other(struct chain *chain)
{
	long ret;

	chain->ret[1] = RETURN_ADDRESS;
	ret = chain_inner(chain);
	asm volatile("" : "+r" (ret) : : "memory");
	return ret + 1;
}

FUNCTION long chain_outer(struct chain *chain, bool other)
{
	long ret;

	chain->ret[2] = RETURN_ADDRESS;
	ret = other ? chain_other(chain) : chain_middle(chain);
	asm volatile("" : "+r" (ret));
	return ret;
}

FIXTURE(ustack)
{
	struct test_session s;
	int target;
	struct chain chain;
};

FIXTURE_VARIANT(ustack)
{
	__u32 type;
	const char *target;
};

FIXTURE_VARIANT_ADD(ustack, kprobe) { TAP_PROBE_KPROBE, "tap_target_add" };
FIXTURE_VARIANT_ADD(ustack, kretprobe) { TAP_PROBE_KRETPROBE, "tap_target_add" };
FIXTURE_VARIANT_ADD(ustack, call) { TAP_PROBE_CALL, "tap_target_add" };
FIXTURE_VARIANT_ADD(ustack, syscall) { TAP_PROBE_SYSCALL, IOCTL_NUMBER };

FIXTURE_SETUP(ustack)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 18);
	self->chain.target = self->target;
}

FIXTURE_TEARDOWN(ustack)
{
	test_teardown();
}

/* Expects the functions of the chain, then their callers. */
static void ustack_expect(struct __test_metadata *_metadata,
			  const struct chain *chain, const struct stack *stack)
{
	__u64 begin = (uintptr_t)chain_inner;

	EXPECT_FALSE(stack->absent);
	ASSERT_LT(3, stack->nr);
	EXPECT_LE(begin, stack->at[0]);
	EXPECT_GT(begin + 512, stack->at[0]);
	EXPECT_EQ(chain->ret[0], stack->at[1]);
	EXPECT_EQ(chain->ret[1], stack->at[2]);
	EXPECT_EQ(chain->ret[2], stack->at[3]);
}

TEST_F(ustack, is_the_chain_of_calls)
{
	unsigned int word = variant->type == TAP_PROBE_CALL ||
			    variant->type == TAP_PROBE_SYSCALL ?
			    TAP_CALL_FETCHES : 0;
	struct test_record rec;
	struct stack stack;
	__u32 id;

	test_ioctl_create(&id, variant->type, variant->target,
			  OP_TEST_TGID(getpid()), OP_USTACK(32), OP_COMM);
	test_ioctl_enable(id);
	chain_outer(&self->chain, false);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	stack = test_stack(&rec, word);
	ustack_expect(_metadata, &self->chain, &stack);
	EXPECT_EQ(0, memcmp("stack_user_test", &rec.word[word + 33], 16));
	chain_outer(&self->chain, true);
	/* The ioctl that enabled the probe returned meanwhile. */
	while (test_session_next(&self->s, &rec))
		stack = test_stack(&rec, word);
	ustack_expect(_metadata, &self->chain, &stack);
}

FIXTURE(program)
{
	struct test_session s;
	int target;
	struct chain chain;
};

FIXTURE_SETUP(program)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 18);
	self->chain.target = self->target;
}

FIXTURE_TEARDOWN(program)
{
	test_teardown();
}

TEST_F(program, that_is_deeper_than_asked_for_is_cut)
{
	struct test_record rec;
	struct stack stack;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_USTACK(1),
			  OP_USTACK(3), OP_USTACK(127));
	test_ioctl_enable(id);
	chain_outer(&self->chain, false);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_F_TRUNCATED, rec.flags & (TAP_F_TRUNCATED | TAP_F_ABSENT));
	stack = test_stack(&rec, 0);
	EXPECT_EQ(1, stack.nr);
	EXPECT_TRUE(stack.truncated);
	stack = test_stack(&rec, 2);
	EXPECT_EQ(3, stack.nr);
	EXPECT_TRUE(stack.truncated);
	EXPECT_EQ(self->chain.ret[1], stack.at[2]);
	stack = test_stack(&rec, 6);
	EXPECT_FALSE(stack.truncated);
	ustack_expect(_metadata, &self->chain, &stack);
}

#define OP_COPY(bytes)	OP(TAP_OP_USTACK_COPY, TAP_OP_OUT, 0, 0, 0, 8 * COPY_REGS + (bytes))

static const __u64 marks[] = { 0x1111, 0xdeadbeef12345678, 0xffffffff81000000, 77 };

/* Expects a copy of a stack with marks[] at @mark; returns the words of the stack in it. */
static unsigned int copy_expect(struct __test_metadata *_metadata, const struct test_record *rec,
				__u64 mark)
{
	struct stack stack = test_stack(rec, 0);
	__u64 begin = (uintptr_t)chain_inner, at;
	unsigned int i;

	EXPECT_EQ(TAP_TEXT_COPIED, rec->word[0] & ~TAP_TEXT_LEN);
	EXPECT_LE(begin, stack.at[COPY_PC]);
	EXPECT_GT(begin + 512, stack.at[COPY_PC]);
	at = COPY_REGS + (mark - stack.at[COPY_SP]) / 8;
	EXPECT_GT(stack.nr, at + ARRAY_SIZE(marks));
	for (i = 0; i < ARRAY_SIZE(marks) && at + i < stack.nr; i++)
		EXPECT_EQ(marks[i], stack.at[at + i]);
	return stack.nr - COPY_REGS;
}

TEST_F(program, has_a_stack_that_can_be_copied)
{
	volatile __u64 mark[] = { marks[0], marks[1], marks[2], marks[3] };
	/* Not on the stack, which would then be too long for the copy. */
	static struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_COPY(1024), OP_COMM);
	test_ioctl_enable(id);
	chain_outer(&self->chain, false);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	EXPECT_EQ(0, rec.flags & (TAP_F_TRUNCATED | TAP_F_ABSENT));
	EXPECT_EQ(128, copy_expect(_metadata, &rec, (uintptr_t)mark));
	EXPECT_EQ(0, memcmp("stack_user_test", &rec.word[1 + COPY_REGS + 128], 16));
}

struct copied_thread {
	struct chain chain;
	__u64 mark;
};

static void *copied_thread(void *arg)
{
	volatile __u64 mark[] = { marks[0], marks[1], marks[2], marks[3] };
	struct copied_thread *thread = arg;

	thread->mark = (uintptr_t)mark;
	chain_outer(&thread->chain, false);
	return NULL;
}

/* The stack ends at a page that cannot be read, and less than what is asked for lies before it. */
TEST_F(program, has_a_stack_that_is_copied_up_to_its_end)
{
	/* More than the smallest stack that arm64 allows, 128 KiB. */
	const size_t bytes = 1 << 18;
	struct copied_thread thread = { .chain.target = self->target };
	struct test_record rec;
	unsigned int words;
	pthread_attr_t attr;
	pthread_t thread_id;
	char *low;
	__u32 id;

	low = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, low);
	ASSERT_EQ(0, mprotect(low + bytes - 4096, 4096, PROT_NONE));
	pthread_attr_init(&attr);
	ASSERT_EQ(0, pthread_attr_setstack(&attr, low, bytes - 4096));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add",
			  OP_COPY(TAP_MAX_STACK_COPY - 8 * COPY_REGS));
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&thread_id, &attr, copied_thread, &thread));
	pthread_join(thread_id, NULL);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	words = copy_expect(_metadata, &rec, thread.mark);
	EXPECT_EQ((uintptr_t)low + bytes - 4096, test_stack(&rec, 0).at[COPY_SP] + 8 * words);
	munmap(low, bytes);
}

TEST_F(program, has_a_stack_that_is_copied_in_whole_words)
{
	static const __u64 bad[] = {
		0, 8 * COPY_REGS, 8 * COPY_REGS + 4, TAP_MAX_STACK_COPY + 8, 1ULL << 32 | 4096,
	};
	unsigned int i;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add",
				   OP(TAP_OP_USTACK_COPY, TAP_OP_OUT, 0, 0, 0, bad[i]));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add",
			   OP(TAP_OP_USTACK_COPY, TAP_OP_OUT, 0, 8, 0, 4096));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add",
			   OP(TAP_OP_USTACK_COPY, TAP_OP_OUT, 0, 0, 1, 4096));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_COPY(8));
}

struct thread {
	struct chain chain;
	bool other;
	pid_t tid;
};

static void *thread_run(void *arg)
{
	struct thread *thread = arg;
	unsigned int i;

	thread->tid = gettid();
	for (i = 0; i < NR_HITS; i++)
		chain_outer(&thread->chain, thread->other);
	return NULL;
}

TEST_F(program, has_a_stack_for_each_thread)
{
	struct thread threads[4];
	pthread_t ids[4];
	struct test_record rec;
	unsigned int i, seen = 0;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_USTACK(20));
	test_ioctl_enable(id);
	for (i = 0; i < 4; i++) {
		threads[i] = (struct thread){
			.chain.target = self->target,
			.other = i % 2,
		};
		ASSERT_EQ(0, pthread_create(&ids[i], NULL, thread_run,
					    &threads[i]));
	}
	for (i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	while (test_session_next(&self->s, &rec)) {
		struct stack stack = test_stack(&rec, 0);

		for (i = 0; i < 4 && threads[i].tid != (pid_t)rec.tid; i++)
			;
		ASSERT_GT(4, i);
		ustack_expect(_metadata, &threads[i].chain, &stack);
		seen++;
	}
	EXPECT_EQ(4 * NR_HITS, seen);
}

/* In a hard interrupt, which interrupts a system call of this program. */
TEST_F(program, has_a_stack_in_an_interrupt)
{
	struct test_record rec;
	struct stack stack;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_irq", OP_USTACK(20));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_HARDIRQ, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	ASSERT_EQ(getpid(), rec.tgid);
	stack = test_stack(&rec, 0);
	EXPECT_LT(0, stack.nr);
	EXPECT_LT((uintptr_t)getauxval(AT_PHDR), stack.at[0]);
}

TEST_F(program, is_a_key)
{
	static const __u64 calls[] = { 5, 9, 14 };
	struct tap_aggregate how = {
		.size = sizeof(how),
		.nr_keys = 1,
		.keys = { { 0, 5 } },
		.entries = 16,
	};
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE,
						   "tap_target_add",
						   OPS(OP_USTACK(4)));
	unsigned int i;

	create.aggregate = (uintptr_t)&how;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_enable(0);
	for (i = 0; i < 5; i++)
		chain_middle(&self->chain);
	for (i = 0; i < 9; i++)
		chain_outer(&self->chain, true);
	for (i = 0; i < 14; i++)
		chain_outer(&self->chain, false);
	test_expect_rows(_metadata, &self->s, create.out_id, 5, calls, 3);
}

static struct stack with_frame(struct __test_metadata *_metadata,
			       FIXTURE_DATA(program) *self,
			       struct test_record *rec, unsigned long frame)
{
	struct tap_target_run run = { .function = TAP_TARGET_ADD, .count = 1 };

	EXPECT_EQ(0, chain_with_frame(self->target, &run, frame));
	EXPECT_TRUE(test_session_next(&self->s, rec));
	return test_stack(rec, 0);
}

TEST_F(program, ends_where_there_is_no_frame)
{
	__u64 frames[8] __attribute__((aligned(16))) = {};
	struct test_record rec;
	struct stack stack;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_USTACK(20),
			  OP_COMM);
	test_ioctl_enable(id);
	/* Zero; not on the stack; unaligned; kernel addresses. */
	stack = with_frame(_metadata, self, &rec, 0);
	EXPECT_TRUE(stack.nr == 1 && !stack.absent);
	stack = with_frame(_metadata, self, &rec, 8);
	EXPECT_TRUE(stack.nr == 1 && !stack.absent);
	stack = with_frame(_metadata, self, &rec, (uintptr_t)frames + 1);
	EXPECT_TRUE(stack.nr == 1 && !stack.absent);
	stack = with_frame(_metadata, self, &rec, 0xffffffff81000000);
	EXPECT_TRUE(stack.nr == 1 && !stack.absent);
	stack = with_frame(_metadata, self, &rec, 0x0100000000000000);
	EXPECT_TRUE(stack.nr == 1 && !stack.absent);
	/* Nothing is mapped above the stack: the end of the chain cannot be read. */
	stack = with_frame(_metadata, self, &rec, ABOVE_STACK);
	EXPECT_TRUE(stack.nr == 1 && stack.absent);
	EXPECT_EQ(TAP_F_ABSENT, rec.flags & TAP_F_ABSENT);
	EXPECT_EQ(0, memcmp("stack_user_test", &rec.word[21], 16));
	/*
	 * A frame that points to itself, then one that points down, then a return address in
	 * the kernel.
	 */
	frames[0] = (uintptr_t)frames;
	frames[1] = 0x1234;
	stack = with_frame(_metadata, self, &rec, (uintptr_t)frames);
	EXPECT_EQ(2, stack.nr);
	EXPECT_EQ(0x1234, stack.at[1]);
	frames[0] = (uintptr_t)frames - 4096;
	stack = with_frame(_metadata, self, &rec, (uintptr_t)frames);
	EXPECT_EQ(2, stack.nr);
	frames[0] = (uintptr_t)&frames[2];
	frames[3] = 0xffffffff81000000;
	stack = with_frame(_metadata, self, &rec, (uintptr_t)frames);
	EXPECT_EQ(2, stack.nr);
	frames[3] = 0x4321;
	stack = with_frame(_metadata, self, &rec, (uintptr_t)frames);
	EXPECT_EQ(3, stack.nr);
	EXPECT_EQ(0x4321, stack.at[2]);
}

/* Offset of a function of this statically linked program in its file. */
static __u64 file_offset(const void *function)
{
	const Elf64_Phdr *phdr = (const void *)getauxval(AT_PHDR);
	__u64 at = (uintptr_t)function;
	unsigned long i;

	for (i = 0; i < getauxval(AT_PHNUM); i++)
		if (phdr[i].p_type == PT_LOAD && at - phdr[i].p_vaddr < phdr[i].p_memsz)
			return at - phdr[i].p_vaddr + phdr[i].p_offset;
	return 0;
}

#define TRACING	"/sys/kernel/tracing/"

/* Sets a uretprobe of ftrace, which replaces the return address by the trampoline's. */
static int follow(const char *name, const void *function)
{
	char path[256], text[512];
	int len = readlink("/proc/self/exe", path, sizeof(path) - 1), fd, ret;

	path[len > 0 ? len : 0] = 0;
	fd = open(TRACING "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = snprintf(text, sizeof(text), "r:stacks/%s %s:0x%llx\n", name, path,
		       file_offset(function));
	ret = write(fd, text, len) == len ? 0 : -1;
	close(fd);
	snprintf(text, sizeof(text), TRACING "events/stacks/%s/enable", name);
	return ret ?: test_write_file(text, "1");
}

static void unfollow(void)
{
	int fd = open(TRACING "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);

	test_write_file(TRACING "events/stacks/enable", "0");
	dprintf(fd, "-:stacks/inner\n");
	dprintf(fd, "-:stacks/middle\n");
	close(fd);
}

TEST_F(program, is_shown_as_it_is_where_returns_are_probed)
{
	struct test_record rec;
	struct stack stack;
	__u32 id;

	if (access(TRACING "uprobe_events", W_OK))
		SKIP(return, "no uprobe events");
	/* The second record must be the second one of its ring. */
	ASSERT_EQ(0, test_pin(0));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_USTACK(20));
	test_ioctl_enable(id);
	chain_outer(&self->chain, false);
	EXPECT_EQ(0, follow("inner", chain_inner));
	EXPECT_EQ(0, follow("middle", chain_middle));
	{
		struct chain followed = { .target = self->target };

		chain_outer(&followed, false);
		unfollow();
		/* The program itself sees the address of the trampoline. */
		EXPECT_NE(self->chain.ret[0], followed.ret[0]);
		EXPECT_NE(self->chain.ret[1], followed.ret[1]);
		self->chain.ret[2] = followed.ret[2];
	}
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	stack = test_stack(&rec, 0);
	ustack_expect(_metadata, &self->chain, &stack);
}

#ifdef __x86_64__
/* The 32-bit program prints the return addresses of its three functions. */
TEST_F(program, of_32_bits_has_frames_of_32_bits)
{
	char path[256] = {};
	struct test_record rec;
	struct stack stack;
	__u32 ret[3], id;
	int out[2], status;
	pid_t pid;

	ASSERT_LT(0, readlink("/proc/self/exe", path, sizeof(path) - 1));
	strcpy(strstr(path, "stack_user_test"), "compat32_stack");
	if (access(path, X_OK))
		SKIP(return, "no %s", path);
	ASSERT_EQ(0, pipe(out));
	/* getppid has this number there. */
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sys_enter",
			  OP(TAP_OP_ARG, 0, 0, 8, 1, 0),
			  OP_REJECT_IF(TAP_OP_JNE, 0, 64),
			  OP(TAP_OP_VAR, 1, 0, 8, TAP_VAR_FOLLOWED, 0),
			  OP_REJECT_IF(TAP_OP_JEQ, 1, 0), OP_USTACK(20));
	ASSERT_EQ(0, _test_ioctl_follow(self->s.fd, getpid()));
	test_ioctl_enable(id);
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		execl(path, path, NULL);
		_exit(127);
	}
	close(out[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (status || read(out[0], ret, sizeof(ret)) != sizeof(ret))
		SKIP(return, "this kernel does not run 32-bit programs");
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	stack = test_stack(&rec, 0);
	EXPECT_FALSE(stack.absent);
	/* And the caller of the first one. */
	ASSERT_EQ(5, stack.nr);
	EXPECT_EQ(ret[0], stack.at[1]);
	EXPECT_EQ(ret[1], stack.at[2]);
	EXPECT_EQ(ret[2], stack.at[3]);
}
#endif

/* A thread that the kernel has created in this process. */
TEST_F(program, has_no_stack_in_a_worker_of_io_uring)
{
	struct io_uring_params params = {};
	struct io_uring_sqe *sqe;
	struct test_record rec;
	struct stack stack;
	unsigned int *tail, tries;
	bool found = false;
	char *ring;
	__u32 id;
	int fd;

	fd = syscall(__NR_io_uring_setup, 4, &params);
	if (fd < 0)
		SKIP(return, "no io_uring");
	ring = test_map(fd, params.sq_off.array + 4 * sizeof(__u32),
			PROT_READ | PROT_WRITE, IORING_OFF_SQ_RING);
	sqe = test_map(fd, 4 * sizeof(*sqe), PROT_READ | PROT_WRITE,
		       IORING_OFF_SQES);
	ASSERT_NE(MAP_FAILED, (void *)ring);
	ASSERT_NE(MAP_FAILED, (void *)sqe);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "io_wq_submit_work",
			  OP_TEST_TGID(getpid()), OP_USTACK(4), OP_KSTACK(20));
	test_ioctl_enable(id);
	sqe->opcode = IORING_OP_NOP;
	sqe->flags = IOSQE_ASYNC;
	tail = (void *)(ring + params.sq_off.tail);
	((__u32 *)(ring + params.sq_off.array))[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	ASSERT_EQ(1, syscall(__NR_io_uring_enter, fd, 1, 1,
			     IORING_ENTER_GETEVENTS, NULL, 0));
	for (tries = 0; tries < 100 && !found; tries++) {
		found = test_session_next(&self->s, &rec);
		usleep(10000);
	}
	ASSERT_TRUE(found);
	EXPECT_NE(rec.tid, rec.tgid);
	stack = test_stack(&rec, 0);
	EXPECT_TRUE(!stack.nr && stack.absent);
	EXPECT_FALSE(test_stack(&rec, 5).absent);
	close(fd);
}

/* Kernels differ in whether its memory is freed by then. */
TEST_F(program, that_ends_has_a_stack_of_its_own_or_none)
{
	struct test_record rec;
	struct stack stack;
	__u32 id;
	pid_t pid;

	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sched_process_exit",
			  OP_TEST_FOLLOWED, OP_USTACK(20), OP_KSTACK(20));
	ASSERT_EQ(0, _test_ioctl_follow(self->s.fd, getpid()));
	test_ioctl_enable(id);
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	stack = test_stack(&rec, 0);
	EXPECT_TRUE(stack.absent ? !stack.nr : stack.nr);
	stack = test_stack(&rec, 21);
	EXPECT_FALSE(stack.absent);
	EXPECT_TRUE(test_within("do_exit", stack.at[0]));
}

TEST_HARNESS_MAIN
