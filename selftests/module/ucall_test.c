// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ucall: each return is paired with its own entry, and a call that does not return
 * has a record.
 */
#include "selftests/module/call_harness.h"
#include "selftests/module/ucall_harness.h"

#include <setjmp.h>
#include <signal.h>

/* Returns of one task that the kernel follows at once. */
#define NR_FOLLOWED	64

/*
 * Tail-calls itself with one less, until 0. Global, since Debian's linker for arm64 takes the
 * address of the section for that of a local symbol.
 */
asm(".text\n"
    ".balign 16\n"
    ".globl target_tail\n"
    "target_tail:\n"
    USER_CODE_TAIL("target_tail"));
__u64 target_tail(__u64 n, __u64 b);

TARGET static __u64 target_recurse(__u64 n)
{
	__u64 below = n ? target_recurse(n - 1) : 0;

	asm volatile("" : "+r" (below));
	return below + 1;
}

/* Counts, and reads from an address if @touch is set. */
TARGET static __u64 target_count(volatile __u32 *counter, bool touch,
				 const volatile char *at)
{
	++*counter;
	return touch ? *at : 0;
}

TEST_F(ucall, tells_when_it_began_how_long_it_took_and_what_it_returned)
{
	struct tap_time before, after;
	__u32 id;

	test_ucall(&id, target_step, 0, OP_ARG(0), OP_ARG(1));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_ioctl_time(&before);
	calls(50);
	test_ioctl_time(&after);
	expect_calls(_metadata, &self->s, 50, 1000, (__u32)~TAP_F_DESCHEDULED,
		     &before, &after);
	EXPECT_EQ(50, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, of_itself_pairs_each_return_with_its_own_entry)
{
	struct test_record rec;
	unsigned int again;
	__u32 id;

	test_ucall(&id, target_recurse, 0, OP_ARG(0));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	for (again = 0; again < 3; again++) {
		target_recurse(10);
		expect_recursion(_metadata, &self->s, 10, 1);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(33, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, deeper_than_the_kernel_follows_is_recorded_at_its_entry)
{
	struct test_record rec;
	unsigned int lost = 0, returned = 0;
	__u32 id;

	test_ucall(&id, target_recurse, 0, OP_ARG(0));
	test_ioctl_enable(id);
	target_recurse(99);
	/*
	 * First the calls whose return was not followed, outermost first; then the others,
	 * innermost first.
	 */
	while (test_session_next(&self->s, &rec)) {
		if (rec.flags & TAP_F_NO_RETURN) {
			EXPECT_EQ(0, returned);
			EXPECT_EQ(0, rec.word[TAP_CALL_DURATION]);
			EXPECT_EQ(0, rec.word[TAP_CALL_RETVAL]);
			EXPECT_EQ(99 - NR_FOLLOWED - lost, rec.word[TAP_CALL_FETCHES]);
			lost++;
		} else {
			EXPECT_EQ(100 - NR_FOLLOWED + returned,
				  rec.word[TAP_CALL_FETCHES]);
			EXPECT_EQ(rec.word[TAP_CALL_FETCHES] + 1,
				  rec.word[TAP_CALL_RETVAL]);
			returned++;
		}
	}
	EXPECT_EQ(100 - NR_FOLLOWED, lost);
	EXPECT_EQ(NR_FOLLOWED, returned);
	EXPECT_EQ(100, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, of_itself_beyond_maxactive_is_missed_from_the_inside)
{
	struct test_record rec;
	struct tap_stats stats;
	__u64 depth;
	__u32 id;

	test_ucall(&id, target_recurse, 4, OP_ARG(0));
	test_ioctl_enable(id);
	target_recurse(29);
	for (depth = 26; depth <= 29; depth++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(depth, rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(depth + 1, rec.word[TAP_CALL_RETVAL]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_EQ(26, stats.out_nmissed_return);
	target_recurse(1);
	EXPECT_EQ(2, test_session_drain(&self->s, NULL));
}

static jmp_buf jump;

static void do_longjmp(void *data __attribute__((unused)))
{
	longjmp(jump, 1);
}

static void do_do_longjmp(void *data __attribute__((unused)))
{
	target_do(do_longjmp, (void *)2);
}

/* A call at a stack depth of its own. */
TARGET static void deeper(void (*what)(void *data), void *data)
{
	char room[512];

	asm volatile("" : : "r" (room) : "memory");
	target_do(what, data);
	asm volatile("" : : "r" (room) : "memory");
}

TEST_F(ucall, that_longjmp_leaves_has_a_record_by_the_next_one)
{
	struct test_record rec;
	__u32 id;

	test_ucall(&id, target_do, 0, OP_ARG(1));
	test_ioctl_enable(id);
	if (!setjmp(jump))
		deeper(do_do_longjmp, (void *)1);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	target_do(do_nothing, (void *)3);
	/* Detected by the inner call. */
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(TAP_F_NO_RETURN | TAP_F_NESTED,
		  rec.flags & (TAP_F_NO_RETURN | TAP_F_NESTED));
	EXPECT_EQ(0, rec.word[TAP_CALL_RETVAL]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(1, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(TAP_F_NO_RETURN, rec.flags & (TAP_F_NO_RETURN | TAP_F_NESTED));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(3, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(77, rec.word[TAP_CALL_RETVAL]);
	EXPECT_EQ(0, rec.flags & (TAP_F_NO_RETURN | TAP_F_NESTED));
	EXPECT_EQ(3, expect_whole(_metadata, &self->s, id).written);
}

static void do_longjmp_below(void *data __attribute__((unused)))
{
	if (!setjmp(jump))
		deeper(do_do_longjmp, (void *)1);
}

TEST_F(ucall, that_longjmp_leaves_has_a_record_by_the_return_of_its_caller)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_ucall(&id, target_do, 0, OP_ARG(1));
	test_ioctl_enable(id);
	target_do(do_longjmp_below, (void *)9);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(2 - i, rec.word[TAP_CALL_FETCHES]);
		EXPECT_NE(0, rec.flags & TAP_F_NO_RETURN);
	}
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(9, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(77, rec.word[TAP_CALL_RETVAL]);
	EXPECT_EQ(3, expect_whole(_metadata, &self->s, id).written);
}

static void *thread_jumps(void *data)
{
	static __thread jmp_buf here;
	volatile uintptr_t i;

	for (i = 0; i < (uintptr_t)data; i++) {
		if (!setjmp(here)) {
			memcpy(jump, here, sizeof(jump));
			target_do(do_longjmp, NULL);
		}
	}
	return NULL;
}

/* At the same stack pointer each time; maxactive is four. */
TEST_F(ucall, that_longjmp_leaves_keeps_no_room)
{
	pthread_t thread;
	__u32 id;

	test_ucall(&id, target_do, 4, OP_ARG(1));
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_jumps, (void *)500));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(500, expect_whole(_metadata, &self->s, id).written);
}

/* Repeated, at the same stack pointer. */
TEST_F(ucall, that_longjmp_leaves_is_known_as_the_next_one_begins)
{
	struct test_record rec;
	volatile uintptr_t i;
	__u32 id;

	test_ucall(&id, target_do, 0, OP_ARG(1));
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++) {
		if (!setjmp(jump))
			target_do(do_longjmp, (void *)i);
		if (!i)
			continue;
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(i - 1, rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(TAP_F_NO_RETURN, rec.flags & (TAP_F_NO_RETURN | TAP_F_NESTED));
		EXPECT_FALSE(test_session_next(&self->s, &rec));
	}
	target_do(do_nothing, (void *)10);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(9, rec.word[TAP_CALL_FETCHES]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(10, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(0, rec.flags & (TAP_F_NO_RETURN | TAP_F_NESTED));
	EXPECT_EQ(11, expect_whole(_metadata, &self->s, id).written);
}

/* The variable TAP_VAR_DURATION is 0 in its tests, as in its record. */
TEST_F(ucall, that_did_not_return_lasted_for_nothing)
{
	const struct tap_op ops[] = {
		OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
		OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_DURATION, 0),
		OP_REJECT_IF(TAP_OP_JGE, 0, 5000000),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DURATION, 0),
	};
	struct tap_create create = test_uprobe_arg(TAP_PROBE_UCALL, self->file,
						   target_do, ops, ARRAY_SIZE(ops));
	struct test_record rec;
	__u32 id;

	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	test_ioctl_enable(id);
	if (!setjmp(jump))
		target_do(do_longjmp, NULL);
	usleep(10000);
	target_do(do_nothing, NULL);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_F_NO_RETURN, rec.flags & TAP_F_NO_RETURN);
	EXPECT_EQ(0, rec.word[TAP_CALL_DURATION]);
	EXPECT_EQ(0, rec.word[TAP_CALL_FETCHES]);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.flags & TAP_F_NO_RETURN);
	EXPECT_LT(0, rec.word[TAP_CALL_FETCHES]);
}

TEST_F(ucall, that_jumps_to_another_at_its_end_returns_with_it)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_ucall(&id, target_tail, 0, OP_ARG(0));
	test_ioctl_enable(id);
	EXPECT_EQ(6, target_tail(5, 0));
	EXPECT_EQ(6, target_tail(5, 0));
	for (i = 0; i < 12; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(i % 6, rec.word[TAP_CALL_FETCHES]);
		EXPECT_EQ(6, rec.word[TAP_CALL_RETVAL]);
		EXPECT_EQ(0, rec.flags & TAP_F_NO_RETURN);
	}
	EXPECT_EQ(12, expect_whole(_metadata, &self->s, id).written);
}

static void do_exit(void *data __attribute__((unused)))
{
	_exit(3);
}

static void do_pause(void *data)
{
	test_send_byte(data);
	for (;;)
		pause();
}

static void do_exec(void *data __attribute__((unused)))
{
	test_exec_self("calls", "5");
}

/* Expects the record of a call that did not return. */
#define expect_no_return(child)						\
	do {								\
		struct test_record _rec;				\
		ASSERT_TRUE(test_session_next(&self->s, &_rec));	\
		EXPECT_EQ(child, _rec.tid);				\
		EXPECT_NE(0, _rec.flags & TAP_F_NO_RETURN);		\
		EXPECT_EQ(0, _rec.word[TAP_CALL_RETVAL]);		\
		EXPECT_FALSE(test_session_next(&self->s, &_rec));	\
	} while (0)

TEST_F(ucall, that_ends_its_process_has_a_record)
{
	pid_t child;
	__u32 id;

	test_ucall(&id, target_do, 0);
	test_ioctl_enable(id);
	child = fork();
	if (!child)
		target_do(do_exit, NULL);
	EXPECT_EQ(3, test_child_status(child));
	expect_no_return(child);
	EXPECT_EQ(1, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, that_is_killed_has_a_record)
{
	int pipes[2], status;
	pid_t child;
	__u32 id;

	ASSERT_EQ(0, pipe(pipes));
	test_ucall(&id, target_do, 0);
	test_ioctl_enable(id);
	child = fork();
	if (!child)
		target_do(do_pause, pipes);
	ASSERT_TRUE(test_wait_byte(pipes));
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	expect_no_return(child);
	EXPECT_EQ(1, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, that_becomes_another_program_has_a_record)
{
	pid_t child;
	__u32 id, step;

	test_ucall(&id, target_do, 0);
	test_ucall(&step, target_step, 0);
	test_ioctl_enable(0);
	child = fork();
	if (!child)
		target_do(do_exec, NULL);
	EXPECT_EQ(0, test_child_status(child));
	EXPECT_EQ(6, test_session_drain(&self->s, NULL));
	EXPECT_EQ(1, expect_whole(_metadata, &self->s, id).written);
	EXPECT_EQ(5, expect_whole(_metadata, &self->s, step).written);
}

static void do_exit_thread(void *data __attribute__((unused)))
{
	syscall(SYS_exit, 0);
}

static void *thread_ends(void *data __attribute__((unused)))
{
	target_do(do_exit_thread, NULL);
	return NULL;
}

TEST_F(ucall, that_ends_its_thread_has_a_record)
{
	pthread_t thread;
	__u32 id;

	test_ucall(&id, target_do, 0);
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_ends, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(1, expect_whole(_metadata, &self->s, id).written);
	EXPECT_EQ(1, test_session_drain(&self->s, NULL));
}

static void do_fork(void *data)
{
	*(pid_t *)data = fork();
}

/* Forks in a call; the child makes another call, and exits. */
static void fork_inside(struct __test_metadata *_metadata)
{
	pid_t child;

	target_do(do_fork, &child);
	if (!child) {
		target_do(do_nothing, NULL);
		_exit(0);
	}
	EXPECT_EQ(0, test_child_status(child));
}

/* The call returns in parent and child; the child has not entered it. */
TEST_F(ucall, that_forks_returns_in_the_parent)
{
	struct test_record rec;
	__u32 id;

	test_ucall(&id, target_do, 0);
	test_ioctl_enable(id);
	fork_inside(_metadata);
	while (test_session_next(&self->s, &rec))
		EXPECT_EQ(0, rec.flags & TAP_F_NO_RETURN);
	EXPECT_EQ(2, expect_whole(_metadata, &self->s, id).written);
}

/*
 * The kernel reuses the memory of a followed return for the next one, which has other probes.
 * fork() copies it to the child.
 */
TEST_F(ucall, of_functions_with_more_and_fewer_probes_may_fork)
{
	unsigned int i;
	__u32 id[3], more;
	pid_t child;

	for (i = 0; i < ARRAY_SIZE(id); i++)
		test_ucall(&id[i], target_do, 0);
	test_ucall(&more, target_step, 0);
	test_ioctl_enable(0);
	for (i = 0; i < 50; i++) {
		if (i == 25)
			test_ioctl_disable(id[1]);
		if (i == 40)
			test_ioctl_disable(id[2]);
		target_do(do_nothing, NULL);
		calls(3);
		target_do(do_fork, &child);
		if (!child)
			_exit(0);
		EXPECT_EQ(0, test_child_status(child));
	}
	EXPECT_EQ(100, expect_whole(_metadata, &self->s, id[0]).written);
	EXPECT_EQ(50, expect_whole(_metadata, &self->s, id[1]).written);
	EXPECT_EQ(80, expect_whole(_metadata, &self->s, id[2]).written);
}

static void do_vfork(void *data)
{
	pid_t child = vfork();

	/* Below the frames of the parent, on the same stack. */
	if (!child) {
		target_do(do_nothing, (void *)3);
		target_do(do_exec, NULL);
	}
	*(pid_t *)data = child;
}

/* The child shares its parent's memory, and has calls of its own. */
TEST_F(ucall, that_vforks_is_kept_apart_from_its_child)
{
	struct test_record rec;
	unsigned int i;
	pid_t child;
	__u32 id;

	test_ucall(&id, target_do, 0, OP_ARG(1));
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++) {
		target_do(do_vfork, &child);
		EXPECT_EQ(0, test_child_status(child));
		while (test_session_next(&self->s, &rec)) {
			bool lost = rec.flags & TAP_F_NO_RETURN;

			EXPECT_EQ((pid_t)rec.tid == child && !rec.word[TAP_CALL_FETCHES], lost);
			EXPECT_EQ(lost ? 0 : 77, rec.word[TAP_CALL_RETVAL]);
		}
	}
	EXPECT_EQ(30, expect_whole(_metadata, &self->s, id).written);
}

static int process_main(void *data)
{
	calls((uintptr_t)data);
	target_do(do_exit, NULL);
	return 0;
}

/* A process that is no thread, and shares the memory nevertheless. */
TEST_F(ucall, of_a_process_that_shares_its_memory)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u32 id, step;
	pid_t child;

	ASSERT_NE(MAP_FAILED, (void *)stack);
	test_ucall(&id, target_do, 0);
	test_ucall(&step, target_step, 0);
	test_ioctl_enable(0);
	child = clone(process_main, stack + 65536, CLONE_VM | SIGCHLD, (void *)100);
	ASSERT_LT(0, child);
	calls(100);
	EXPECT_EQ(3, test_child_status(child));
	EXPECT_EQ(201, test_session_drain(&self->s, NULL));
	munmap(stack, 65536);
	EXPECT_EQ(1, expect_whole(_metadata, &self->s, id).written);
	EXPECT_EQ(200, expect_whole(_metadata, &self->s, step).written);
}

static void on_signal(int nr __attribute__((unused)))
{
	target_do(do_nothing, (void *)2);
}

static void do_raise(void *data __attribute__((unused)))
{
	raise(SIGUSR1);
}

/* On a signal stack below the thread's stack: with one above it, the kernel itself fails. */
TEST_F(ucall, in_a_signal_handler_is_one_inside_another)
{
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_ONSTACK,
	};
	stack_t stack = { .ss_size = 65536 };
	struct test_record rec;
	__u32 id;

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(0, sigaltstack(&stack, NULL));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	test_ucall(&id, target_do, 0, OP_ARG(1));
	test_ioctl_enable(id);
	target_do(do_raise, (void *)1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, rec.word[TAP_CALL_FETCHES]);
	EXPECT_NE(0, rec.flags & TAP_F_NESTED);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(1, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(77, rec.word[TAP_CALL_RETVAL]);
	EXPECT_EQ(2, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, of_a_process_is_of_it_alone)
{
	struct test_record rec;
	__u32 id;

	test_uprobe_of(&id, TAP_PROBE_UCALL, target_do, getpid());
	test_ioctl_enable(id);
	fork_inside(_metadata);
	target_do(do_nothing, NULL);
	while (test_session_next(&self->s, &rec))
		EXPECT_EQ(getpid(), rec.tgid);
	EXPECT_EQ(2, expect_whole(_metadata, &self->s, id).written);
}

TEST_F(ucall, can_be_tested_at_its_entry_and_its_return)
{
	struct tap_counters c;
	__u32 id;

	test_ucall(&id, target_step, 0,
		   OP_TO(0, 0), OP_REJECT_IF(TAP_OP_JLT, 0, 10),
		   OP_ARG(0),
		   OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
		   OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
		   OP_REJECT_IF(TAP_OP_JGE, 0, 1030));
	test_ioctl_enable(id);
	calls(100);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(100, c.hits);
	EXPECT_EQ(10 + 70, c.filtered);
	EXPECT_EQ(20, c.written);
	EXPECT_EQ(20, c.entered);
}

/*
 * User memory whose page is absent at the entry, and memory whose page is present: a text, a
 * value, bytes, which outputs are absent, and a number that the function changes.
 */
#define OPS_LATE							\
	OP_TO(1, 0), OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 1, 4, 0, 0),	\
	OP_TO(2, 2), OP(TAP_OP_STRING_USER, TAP_OP_OUT, 2, 0, 0, 16),	\
	OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 2, 2, 0, 0),			\
	OP(TAP_OP_BYTES_USER, TAP_OP_OUT, 2, 0, 4, 8),			\
	OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 2, 8, 4096, 0),		\
	OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ABSENT, 0),		\
	OP_ARG(2)

TEST_F(ucall, reads_memory_at_its_return_that_was_not_there_before)
{
	static const char text[] = "a text in a file";
	volatile __u32 counter = 41;
	struct test_record rec;
	const __u64 *word = rec.word + TAP_CALL_FETCHES;
	unsigned int i;
	char *at;
	__u32 id;
	int file;

	file = open("/tmp/ucall_late", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ASSERT_LE(0, file);
	ASSERT_EQ(sizeof(text), pwrite(file, text, sizeof(text), 0));
	ASSERT_EQ(0, ftruncate(file, 4096));
	/* Nothing is mapped behind the page. */
	at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, (void *)at);
	test_ucall(&id, target_count, 0, OPS_LATE);
	test_ioctl_enable(id);
	for (i = 0; i < 3; i++) {
		/* 0: the function touches the page; 1: it does not; 2: the page is present. */
		ASSERT_EQ(0, madvise(at, 4096, MADV_DONTNEED));
		if (i == 2)
			EXPECT_EQ('a', *(volatile char *)at);
		target_count(&counter, i != 1, at);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(41 + i, word[0]);
		EXPECT_EQ((uintptr_t)at, word[8]);
		EXPECT_EQ(0, word[6]);
		if (i == 1) {
			EXPECT_EQ(TAP_F_ABSENT, rec.flags & (TAP_F_ABSENT | TAP_F_DEFERRED));
			EXPECT_EQ(TAP_TEXT_ABSENT, word[1]);
			EXPECT_EQ(0, word[4]);
			EXPECT_EQ(0, word[5]);
			EXPECT_EQ(0x1e, word[7]);
			continue;
		}
		EXPECT_EQ(TAP_F_ABSENT | (i ? 0 : TAP_F_DEFERRED),
			  rec.flags & (TAP_F_ABSENT | TAP_F_DEFERRED | TAP_F_TRUNCATED));
		EXPECT_EQ(16 | (i ? 0 : TAP_TEXT_DEFERRED), word[1]);
		EXPECT_EQ(0, memcmp(text, &word[2], 16));
		EXPECT_EQ('a' | ' ' << 8, word[4]);
		EXPECT_EQ(0, memcmp(text + 4, &word[5], 8));
		EXPECT_EQ(0x10, word[7]);
	}
	EXPECT_EQ(3, expect_whole(_metadata, &self->s, id).written);
	munmap(at, 8192);
	close(file);
}

/* The tests of the entry run again before the deferred read. */
TEST_F(ucall, that_would_not_be_wanted_at_its_return_reads_nothing_there)
{
	const struct tap_op ops[] = {
		OP_TO(1, 0),
		OP(TAP_OP_LOAD_USER, 2, 1, 4, 0, 0),
		OP_REJECT_IF(TAP_OP_JNE, 2, 5),
		OP_TO(1, 2),
		OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 1, 1, 0, 0),
	};
	struct tap_create create = test_uprobe_arg(TAP_PROBE_UCALL, self->file,
						   target_count, ops, ARRAY_SIZE(ops));
	volatile __u32 counter = 5;
	struct test_record rec;
	char *at;
	__u32 id;

	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, self->file, 0);
	ASSERT_NE(MAP_FAILED, (void *)at);
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	test_ioctl_enable(id);
	target_count(&counter, true, at);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_F_ABSENT, rec.flags & (TAP_F_ABSENT | TAP_F_DEFERRED));
	EXPECT_EQ(1, expect_whole(_metadata, &self->s, id).written);
	munmap(at, 4096);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls")) {
		calls(atoi(argv[2]));
		return 0;
	}
	return test_harness_run(argc, argv);
}
