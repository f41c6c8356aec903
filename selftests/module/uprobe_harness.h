/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the tests of probes in programs: places in the test program itself, copies of it,
 * and processes that run it again.
 */
#ifndef _TEST_MODULE_UPROBE_HARNESS_H
#define _TEST_MODULE_UPROBE_HARNESS_H

#include "selftests/module/tap_harness.h"
#include "selftests/module/user_code.h"

#define TARGET	__attribute__((noinline, noclone, used))

asm(".text\n"
    ".balign 16\n"
    ".globl target_step\n"
    "target_step:\n"
    USER_CODE_SUM);
__u64 target_step(__u64 a, __u64 b);

/**
 * struct test_caller - a thread that calls target_step()
 * @thread: the thread
 * @cpu: CPU on which it runs
 * @count: number of calls; 0: it calls until @stop is set
 * @stop: ends a thread with @count 0
 */
struct test_caller {
	pthread_t thread;
	unsigned int cpu;
	__u64 count;
	bool stop;
};

/* Returns the number of calls. */
static inline void *test_caller_main(void *data)
{
	struct test_caller *c = data;
	__u64 i;

	test_pin(c->cpu);
	for (i = 0; c->count ? i < c->count : !__atomic_load_n(&c->stop, __ATOMIC_RELAXED); i++)
		target_step(i, c->cpu);
	return (void *)(uintptr_t)i;
}

/* Ops that read user memory. */
#define OP_TO(_reg, n)	OP(TAP_OP_ARG, _reg, 0, 8, n, 0)

/* Offset of an address of this program in its file; 0: it is in no file. */
static inline __u64 test_offset(const void *at)
{
	unsigned long begin, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    (unsigned long)at >= begin && (unsigned long)at < end)
			found = (unsigned long)at - begin + offset;
	if (maps)
		fclose(maps);
	return found;
}

static inline int test_open_self(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static inline struct tap_create
test_uprobe_arg(__u32 type, int file, const void *at, const struct tap_op *ops,
		__u32 nr_ops)
{
	struct tap_create create = test_create_arg(type, "a program", ops, nr_ops);

	create.file = file;
	create.offset = test_offset(at);
	return create;
}

static inline int test_create_uprobe(int fd, const struct tap_create *from, __u32 *id)
{
	struct tap_create create = *from;
	int ret = ioctl(fd, TAP_IOC_CREATE, &create);

	if (!ret && id)
		*id = create.out_id;
	return ret;
}

/* test_uprobe(&id, type, function of this program, ops...) */
#define test_uprobe(id, type, at, ...)					\
	do {								\
		struct tap_create _create =				\
			test_uprobe_arg(type, self->file, at, OPS(__VA_ARGS__)); \
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &_create, id)) \
			TH_LOG("cannot create: %s", strerror(errno));	\
	} while (0)

/* As test_uprobe(), for events of one process only. */
#define test_uprobe_of(id, type, at, nr, ...)				\
	do {								\
		struct tap_create _create =				\
			test_uprobe_arg(type, self->file, at, OPS(__VA_ARGS__)); \
		_create.pid = (nr);					\
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &_create, id)) \
			TH_LOG("cannot create: %s", strerror(errno));	\
	} while (0)

/* Creates a ucall probe with maxactive @nr. */
#define test_ucall(id, at, nr, ...)					\
	do {								\
		struct tap_create _create =				\
			test_uprobe_arg(TAP_PROBE_UCALL, self->file, at, \
					OPS(__VA_ARGS__));		\
		_create.maxactive = (nr);				\
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &_create, id)) \
			TH_LOG("cannot create: %s", strerror(errno));	\
	} while (0)

/* A child that waits on one pipe and is woken through another. */
struct test_child {
	pid_t pid;
	int go[2];
	int done[2];
};

static inline void test_child_prepare(struct __test_metadata *_metadata,
				      struct test_child *c)
{
	ASSERT_EQ(0, pipe(c->go));
	ASSERT_EQ(0, pipe(c->done));
}

static inline bool test_send_byte(int pipe[2])
{
	return write(pipe[1], "x", 1) == 1;
}

static inline bool test_wait_byte(int pipe[2])
{
	char c;

	return read(pipe[0], &c, 1) == 1;
}

/* Exit status of a child; -1: it did not exit by itself. */
static inline int test_child_status(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Runs this program again; its main() interprets the arguments. */
static inline void test_exec_self(const char *what, const char *number)
{
	execl("/proc/self/exe", "again", what, number, NULL);
	_exit(127);
}

static inline int test_copy_self(const char *path)
{
	char buffer[65536];
	int from = test_open_self();
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n = 0;

	while (from >= 0 && to >= 0 && (n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, n) != n)
			break;
	close(from);
	close(to);
	return from < 0 || to < 0 || n ? -1 : 0;
}

#define test_uprobe_setup()						\
	do {								\
		self->s.fd = -1;					\
		self->file = -1;					\
		test_need_root();					\
		self->file = test_open_self();				\
		ASSERT_LE(0, self->file);				\
		test_session_open(_metadata, &self->s, 1 << 20);	\
	} while (0)

#define test_uprobe_teardown()						\
	do {								\
		test_session_close(&self->s);				\
		if (self->file >= 0)					\
			close(self->file);				\
	} while (0)

#endif /* _TEST_MODULE_UPROBE_HARNESS_H */
