// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of uprobe and uretprobe: the content of records, the processes that make events, the
 * references to the file, and that nothing is left behind.
 */
#include "selftests/module/uprobe_harness.h"

#include <sys/mount.h>

#define NR_PLACES	1000
#define STRIDE		16

/* Instructions that uprobes emulate, each as a function. */
asm(".text\n"
    ".balign 16\n"
    "target_places:\n"
    ".rept " "1000" "\n"
    "	nop\n"
    "	ret\n"
    "	.balign 16\n"
    ".endr\n");
extern const char target_places[];

TARGET static __u64 target_add(__u64 a, __u64 b)
{
	asm volatile("" : "+r" (a));
	return a + b;
}

TARGET static __u64 target_six(__u64 a, __u64 b, __u64 c, __u64 d, __u64 e, __u64 f)
{
	asm volatile("" : "+r" (a));
	return a + b + c + d + e + f;
}

/* Part of the file; each process has a private copy. */
static volatile unsigned short semaphore __attribute__((section(".data.semaphore"), aligned(8)));

static void add(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		target_add(i, 1000);
}

FIXTURE(uprobe)
{
	struct test_session s;
	int file;
};

FIXTURE_SETUP(uprobe)
{
	test_uprobe_setup();
}

FIXTURE_TEARDOWN(uprobe)
{
	test_uprobe_teardown();
}

TEST_F(uprobe, is_a_feature)
{
	struct tap_info info;

	test_ioctl_info(&info);
	EXPECT_NE(0, info.out_features & TAP_FEATURE_UPROBE);
}

TEST_F(uprobe, has_every_call_with_its_arguments_and_result)
{
	struct test_record rec;
	__u32 enter, leave;
	__u64 i;

	test_uprobe(&enter, TAP_PROBE_UPROBE, target_add, OP_ARG(0), OP_ARG(1));
	test_uprobe(&leave, TAP_PROBE_URETPROBE, target_add, OP_RETVAL);
	add(3);
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_pin(0));
	add(200);
	test_ioctl_disable(0);
	add(3);
	for (i = 0; i < 200; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(enter, rec.probe);
		EXPECT_EQ(i, rec.word[0]);
		EXPECT_EQ(1000, rec.word[1]);
		EXPECT_EQ(getpid(), rec.tgid);
		EXPECT_EQ(gettid(), rec.tid);
		EXPECT_EQ(0, rec.flags);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(leave, rec.probe);
		EXPECT_EQ(i + 1000, rec.word[0]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(200, test_counters(_metadata, &self->s, enter).written);
	EXPECT_EQ(200, test_counters(_metadata, &self->s, leave).written);
}

/* Plain probes have a handler for each shape. */
TEST_F(uprobe, of_every_shape_has_its_words)
{
	struct tap_op ops[7] = { OP_ARG(0), OP_ARG(1), OP_ARG(2), OP_ARG(3),
				 OP_ARG(4), OP_ARG(5), OP_COMM };
	struct test_record rec;
	unsigned int nr, i;
	__u32 id;

	for (nr = 0; nr <= 7; nr++) {
		struct tap_create create =
			test_uprobe_arg(TAP_PROBE_UPROBE, self->file, target_six,
					ops, nr);

		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
		test_ioctl_enable(id);
		target_six(1, 2, 3, 4, 5, 6);
		test_ioctl_delete(id);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_FALSE(rec.broken);
		for (i = 0; i < nr && i < 6; i++)
			EXPECT_EQ(i + 1, rec.word[i]);
	}
	EXPECT_EQ(0, memcmp("uprobe_test", &rec.word[6], 12));
	for (nr = 0; nr <= 2; nr++) {
		struct tap_create create;

		ops[nr] = OP_COMM;
		create = test_uprobe_arg(TAP_PROBE_UPROBE, self->file, target_six,
					 ops, nr + 1);
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
		test_ioctl_enable(id);
		target_six(1, 2, 3, 4, 5, 6);
		test_ioctl_delete(id);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(0, memcmp("uprobe_test", &rec.word[nr], 12));
		ops[nr] = OP_ARG(nr);
	}
}

TEST_F(uprobe, can_test_and_count)
{
	struct tap_create create =
		test_uprobe_arg(TAP_PROBE_UPROBE, self->file, target_add,
				OPS(OP_TO(0, 0), OP_REJECT_IF(TAP_OP_JLT, 0, 60)));
	struct tap_counters c;
	__u32 id, leave;

	create.flags = TAP_CREATE_F_COUNT;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	test_uprobe(&leave, TAP_PROBE_URETPROBE, target_add,
		    OP(TAP_OP_RETVAL, 0, 0, 8, 0, 0),
		    OP_REJECT_IF(TAP_OP_JGE, 0, 1010));
	test_ioctl_enable(0);
	add(100);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(100, c.hits);
	EXPECT_EQ(60, c.filtered);
	EXPECT_EQ(40, c.aggregated);
	c = test_counters(_metadata, &self->s, leave);
	EXPECT_EQ(100, c.hits);
	EXPECT_EQ(90, c.filtered);
	EXPECT_EQ(10, c.written);
}

TEST_F(uprobe, reads_the_programs_memory)
{
	static char text[] = "what a program has";
	struct test_record rec;
	__u32 id;

	test_uprobe(&id, TAP_PROBE_UPROBE, target_add, OP_TO(1, 0),
		    OP(TAP_OP_STRING_USER, TAP_OP_OUT, 1, 0, 0, 32),
		    OP_TO(1, 1), OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 1, 4, 0, 0));
	test_ioctl_enable(id);
	target_add((uintptr_t)text, (uintptr_t)text);
	/* Nothing is mapped there. */
	target_add((uintptr_t)text, 16);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(sizeof(text) - 1, rec.word[0]);
	EXPECT_EQ(0, memcmp(text, &rec.word[1], sizeof(text)));
	EXPECT_EQ(0, memcmp("what", &rec.word[5], 4));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.word[5]);
	EXPECT_EQ(TAP_F_ABSENT, rec.flags);
}

TEST_F(uprobe, is_read_back)
{
	struct tap_probe_info info;
	__u32 id;

	test_uprobe(&id, TAP_PROBE_UPROBE, target_add);
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(TAP_PROBE_UPROBE, info.out_type);
	EXPECT_EQ(TAP_STATE_DISABLED, info.out_state);
	EXPECT_STREQ("a program", info.out_target);
	EXPECT_EQ(0, info.out_address);
	EXPECT_EQ(0, info.out_maxactive);
	test_ioctl_enable(id);
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, id));
}

static void *thread_add(void *data)
{
	add((uintptr_t)data);
	return NULL;
}

TEST_F(uprobe, hits_every_thread)
{
	pthread_t thread[4];
	unsigned int i;
	__u32 id;

	test_uprobe(&id, TAP_PROBE_UPROBE, target_add);
	test_ioctl_enable(id);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, thread_add,
					    (void *)1000));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	test_ioctl_disable(id);
	EXPECT_EQ(4000, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(4000, test_session_drain(&self->s, NULL));
}

TEST_F(uprobe, hits_children_and_programs_that_begin_later)
{
	pid_t child;
	__u32 id;

	test_uprobe(&id, TAP_PROBE_UPROBE, target_add);
	test_ioctl_enable(id);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		add(10);
		test_exec_self("add", "100");
	}
	EXPECT_EQ(0, test_child_status(child));
	add(1000);
	test_ioctl_disable(id);
	EXPECT_EQ(1110, test_counters(_metadata, &self->s, id).hits);
}

TEST_F(uprobe, of_a_process_is_hit_by_it_alone)
{
	__u32 id, leave;
	pid_t child;

	test_uprobe_of(&id, TAP_PROBE_UPROBE, target_add, getpid());
	test_uprobe_of(&leave, TAP_PROBE_URETPROBE, target_add, getpid());
	test_ioctl_enable(0);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		add(10);
		test_exec_self("add", "10");
	}
	EXPECT_EQ(0, test_child_status(child));
	/* The child shares the memory of its parent, with the breakpoints. */
	child = vfork();
	ASSERT_LE(0, child);
	if (!child) {
		add(10);
		_exit(0);
	}
	EXPECT_EQ(0, test_child_status(child));
	add(100);
	test_ioctl_disable(0);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, leave).hits);
}

TEST_F(uprobe, of_a_process_goes_on_behind_its_execve)
{
	struct test_child c;
	__u32 id;

	test_child_prepare(_metadata, &c);
	c.pid = fork();
	ASSERT_LE(0, c.pid);
	if (!c.pid) {
		test_wait_byte(c.go);
		add(5);
		test_exec_self("add", "20");
	}
	test_uprobe_of(&id, TAP_PROBE_UPROBE, target_add, c.pid);
	test_ioctl_enable(id);
	add(100);
	ASSERT_TRUE(test_send_byte(c.go));
	EXPECT_EQ(0, test_child_status(c.pid));
	EXPECT_EQ(25, test_counters(_metadata, &self->s, id).hits);
	/* The process has ended; the probe remains, and does no harm. */
	test_ioctl_disable(id);
	test_ioctl_enable(id);
	add(100);
	EXPECT_EQ(25, test_counters(_metadata, &self->s, id).hits);
}

#define expect_refused(_errno, ...)					\
	do {								\
		struct tap_create _create = arg;			\
		__VA_ARGS__;						\
		EXPECT_ERRNO(_errno, test_create_uprobe(self->s.fd, &_create, NULL)); \
	} while (0)

static void *thread_wait(void *data)
{
	int *pipe = data;

	*(volatile pid_t *)&pipe[2] = gettid();
	test_wait_byte(pipe);
	return NULL;
}

TEST_F(uprobe, refuses_what_is_no_place_in_a_program)
{
	struct tap_create arg = test_uprobe_arg(TAP_PROBE_UPROBE, self->file,
						target_add, NULL, 0);
	int write_only = open("/tmp/uprobe_file", O_WRONLY | O_CREAT, 0600);
	int path_only = open("/proc/self/exe", O_PATH);
	int directory = open("/tmp", O_RDONLY);
	int null = open("/dev/null", O_RDONLY);
	struct stat stat;
	pid_t child;
	__u32 type;

	ASSERT_EQ(0, fstat(self->file, &stat));
	expect_refused(EBADF, _create.file = -1);
	expect_refused(EBADF, _create.file = 1000);
	expect_refused(EBADF, _create.file = write_only);
	expect_refused(EBADF, _create.file = path_only);
	expect_refused(EINVAL, _create.file = directory);
	expect_refused(EINVAL, _create.file = null);
	expect_refused(EINVAL, _create.offset = stat.st_size);
	expect_refused(EINVAL, _create.offset = -1);
	expect_refused(EINVAL, _create.semaphore = 2);
	expect_refused(EINVAL, _create.maxactive = 1);
	expect_refused(EINVAL, _create.flags = TAP_CREATE_F_WAIT);
	expect_refused(EINVAL, _create.type = TAP_PROBE_URETPROBE; _create.semaphore = 2);
	expect_refused(EINVAL, _create.type = TAP_PROBE_UCALL; _create.semaphore = 2);
	expect_refused(EINVAL, _create.type = TAP_PROBE_UCALL;
		       _create.maxactive = TAP_MAX_UCALLS + 1);
	expect_refused(EINVAL, _create.type = TAP_PROBE_USDT;
		       _create.semaphore = stat.st_size);
	expect_refused(ESRCH, _create.pid = -1);
	child = fork();
	if (!child)
		_exit(0);
	test_child_status(child);
	expect_refused(ESRCH, _create.pid = child);
	/* Other types of probes do not take these members. */
	for (type = TAP_PROBE_KPROBE; type <= TAP_PROBE_SYSCALL; type++) {
		arg.type = type;
		arg.file = arg.offset = 0;
		expect_refused(EINVAL, _create.file = self->file);
		expect_refused(EINVAL, _create.pid = getpid());
		expect_refused(EINVAL, _create.offset = 1);
		expect_refused(EINVAL, _create.semaphore = 2);
	}
	close(write_only);
	close(path_only);
	close(directory);
	close(null);
}

TEST_F(uprobe, of_a_thread_is_refused)
{
	struct tap_create arg = test_uprobe_arg(TAP_PROBE_UPROBE, self->file,
						target_add, NULL, 0);
	int pipes[3] = {};
	pthread_t thread;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_wait, pipes));
	while (!*(volatile int *)&pipes[2])
		usleep(1000);
	expect_refused(ESRCH, _create.pid = pipes[2]);
	ASSERT_TRUE(test_send_byte(pipes));
	pthread_join(thread, NULL);
}

TEST_F(uprobe, at_what_the_kernel_cannot_step_over_is_refused)
{
	static const char breakpoint[] = USER_BREAKPOINT;
	struct tap_create create;
	unsigned char *code;
	int file;

	/* A file that this process has mapped, with a breakpoint. */
	file = open("/tmp/uprobe_code", O_RDWR | O_CREAT | O_TRUNC, 0700);
	ASSERT_LE(0, file);
	ASSERT_EQ(sizeof(breakpoint), pwrite(file, breakpoint, sizeof(breakpoint), 64));
	ASSERT_EQ(0, ftruncate(file, 4096));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, (void *)code);
	create = test_uprobe_arg(TAP_PROBE_UPROBE, file, target_add, NULL, 0);
	create.offset = 64;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, NULL));
	test_err_ioctl_enable(EADDRNOTAVAIL, 0);
	EXPECT_EQ(0, memcmp(breakpoint, code + 64, sizeof(breakpoint)));
	munmap(code, 4096);
	close(file);
}

/* CAP_PERFMON suffices for probes of the kernel; those of programs need CAP_SYS_ADMIN. */
TEST_F(uprobe, needs_the_right_to_administer)
{
	struct tap_create create = test_uprobe_arg(TAP_PROBE_UPROBE, self->file,
						   target_add, NULL, 0);
	__u32 id, kprobe;

	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	test_ioctl_create(&kprobe, TAP_PROBE_KPROBE, "vfs_read", OP_ARG(0));
	ASSERT_EQ(0, test_keep_caps(BIT(CAP_PERFMON)));
	for (create.type = TAP_PROBE_UPROBE; create.type <= TAP_PROBE_USDT; create.type++)
		EXPECT_ERRNO(EPERM, test_create_uprobe(self->s.fd, &create, NULL));
	test_err_ioctl_enable(EPERM, id);
	test_err_ioctl_enable(EPERM, 0);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, kprobe));
	test_ioctl_enable(kprobe);
	test_ioctl_delete(id);
}

typedef __u64 (*add_fn)(__u64 a, __u64 b);

/* Maps a copy of this program's target_add() from a file. */
static add_fn map_copy(int file, void **map)
{
	__u64 offset = test_offset(target_add);

	*map = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
		    offset & -4096);
	return (add_fn)((char *)*map + (offset & 4095));
}

static void hit_copy(struct __test_metadata *_metadata, struct test_session *s,
		     const char *path, bool unlinked, __u32 *id)
{
	struct tap_create create;
	struct test_record rec;
	unsigned char before;
	add_fn fn;
	void *map;
	int file;

	ASSERT_EQ(0, test_copy_self(path));
	file = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	create = test_uprobe_arg(TAP_PROBE_UPROBE, file, target_add, OPS(OP_ARG(0)));
	fn = map_copy(file, &map);
	ASSERT_NE(MAP_FAILED, map);
	before = *(unsigned char *)fn;
	if (unlinked)
		ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, test_create_uprobe(s->fd, &create, id));
	ASSERT_EQ(0, close(file));
	ASSERT_EQ(0, _test_ioctl_enable(s->fd, *id)) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(7, fn(3, 4));
	/* The program itself is another file. */
	add(1);
	ASSERT_TRUE(test_session_next(s, &rec));
	EXPECT_EQ(3, rec.word[0]);
	EXPECT_FALSE(test_session_next(s, &rec));
	ASSERT_EQ(0, _test_ioctl_disable(s->fd, *id));
	EXPECT_EQ(before, *(unsigned char *)fn);
	ASSERT_EQ(0, _test_ioctl_enable(s->fd, *id));
	munmap(map, 8192);
}

TEST_F(uprobe, hits_a_file_that_was_deleted)
{
	__u32 id;

	hit_copy(_metadata, &self->s, "/tmp/uprobe_copy", true, &id);
	test_ioctl_delete(id);
}

/* The probe holds the mount, also while it is enabled and the file is not mapped. */
TEST_F(uprobe, holds_the_mount_of_its_file)
{
	__u32 id, again;

	mkdir("/tmp/uprobe_mount", 0700);
	ASSERT_EQ(0, mount("none", "/tmp/uprobe_mount", "tmpfs", 0, NULL));
	hit_copy(_metadata, &self->s, "/tmp/uprobe_mount/copy", false, &id);
	EXPECT_ERRNO(EBUSY, umount("/tmp/uprobe_mount"));
	test_ioctl_disable(id);
	EXPECT_ERRNO(EBUSY, umount("/tmp/uprobe_mount"));
	hit_copy(_metadata, &self->s, "/tmp/uprobe_mount/again", true, &again);
	test_ioctl_delete(id);
	EXPECT_ERRNO(EBUSY, umount("/tmp/uprobe_mount"));
	test_session_close(&self->s);
	EXPECT_EQ(0, umount("/tmp/uprobe_mount")) TH_LOG("%s", strerror(errno));
}

TEST_F(uprobe, hits_what_lies_below_an_overlay)
{
	__u32 id;

	/* Not all kernels have it; another test may have loaded it. */
	test_module_load("overlay", "");
	mkdir("/tmp/uprobe_overlay", 0700);
	ASSERT_EQ(0, mount("none", "/tmp/uprobe_overlay", "tmpfs", 0, NULL));
	mkdir("/tmp/uprobe_overlay/lower", 0700);
	mkdir("/tmp/uprobe_overlay/upper", 0700);
	mkdir("/tmp/uprobe_overlay/work", 0700);
	mkdir("/tmp/uprobe_overlay/all", 0700);
	if (mount("overlay", "/tmp/uprobe_overlay/all", "overlay", 0,
		  "lowerdir=/tmp/uprobe_overlay/lower,upperdir=/tmp/uprobe_overlay/upper,workdir=/tmp/uprobe_overlay/work")) {
		umount("/tmp/uprobe_overlay");
		SKIP(return, "no overlayfs");
	}
	hit_copy(_metadata, &self->s, "/tmp/uprobe_overlay/all/copy", false, &id);
	EXPECT_ERRNO(EBUSY, umount("/tmp/uprobe_overlay/all"));
	test_ioctl_delete(id);
	EXPECT_EQ(0, umount("/tmp/uprobe_overlay/all"));
	EXPECT_EQ(0, umount("/tmp/uprobe_overlay"));
}

/* The semaphore is incremented in running processes, and in those that start later. */
TEST_F(uprobe, counts_a_semaphore)
{
	struct tap_create create = test_uprobe_arg(TAP_PROBE_USDT, self->file,
						   target_add, OPS(OP_ARG(0)));
	struct test_child c;
	unsigned int i;
	pid_t later;
	__u32 id;

	create.semaphore = test_offset((void *)&semaphore);
	ASSERT_NE(0, create.semaphore);
	test_child_prepare(_metadata, &c);
	c.pid = fork();
	ASSERT_LE(0, c.pid);
	if (!c.pid) {
		for (i = 0; i < 3; i++) {
			test_wait_byte(c.go);
			if (semaphore != i % 2)
				_exit(1 + i);
			test_send_byte(c.done);
		}
		_exit(0);
	}
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i % 2, semaphore);
		test_send_byte(c.go);
		if (!test_wait_byte(c.done))
			break;
		if (i == 1) {
			later = fork();
			if (!later)
				test_exec_self("semaphore", "");
			EXPECT_EQ(1, test_child_status(later));
			test_ioctl_disable(id);
		} else {
			test_ioctl_enable(id);
		}
	}
	EXPECT_EQ(0, test_child_status(c.pid));
	test_ioctl_delete(id);
	EXPECT_EQ(0, semaphore);
	/* An offset that is not aligned. */
	create.semaphore++;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	test_err_ioctl_enable(EINVAL, id);
}

TEST_F(uprobe, has_no_stack_of_the_kernel)
{
	struct test_record rec;
	__u32 id;

	test_uprobe(&id, TAP_PROBE_UPROBE, target_add,
		    OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 32));
	test_ioctl_enable(id);
	add(1);
	test_ioctl_disable(id);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_TEXT_ABSENT, rec.word[0]);
	EXPECT_EQ(TAP_F_ABSENT, rec.flags & TAP_F_ABSENT);
}

TEST_F(uprobe, at_one_place_have_one_semaphore)
{
	struct tap_create create = test_uprobe_arg(TAP_PROBE_USDT, self->file, target_add, NULL, 0);
	const __u64 at = test_offset((void *)&semaphore);
	__u32 first, same, other, none;

	ASSERT_NE(0, at);
	create.semaphore = at;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &first));
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &same));
	create.semaphore = at + 2;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &other));
	create.semaphore = 0;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &none));
	test_ioctl_enable(first);
	test_ioctl_enable(same);
	/* The kernel counts a place once, whatever the number of probes. */
	EXPECT_EQ(1, semaphore);
	test_err_ioctl_enable(EINVAL, other);
	test_err_ioctl_enable(EINVAL, none);
	/* All at once: none stays newly enabled. */
	test_err_ioctl_enable(EINVAL, 0);
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, first));
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, other));
	test_ioctl_disable(0);
	EXPECT_EQ(0, semaphore);
	test_ioctl_enable(none);
	test_err_ioctl_enable(EINVAL, first);
}

TEST_F(uprobe, of_two_sessions_at_one_place_are_both_hit)
{
	struct tap_create create = test_uprobe_arg(TAP_PROBE_UPROBE, self->file,
						   target_add, NULL, 0);
	struct test_session other;
	__u32 id, id2;

	test_session_open(_metadata, &other, 65536);
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	ASSERT_EQ(0, test_create_uprobe(other.fd, &create, &id2));
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, 0));
	add(10);
	EXPECT_EQ(10, test_counters(_metadata, &other, id2).hits);
	test_session_close(&other);
	add(10);
	EXPECT_EQ(20, test_counters(_metadata, &self->s, id).hits);
}

/* Number of breakpoints that are left in this process. */
static unsigned int breakpoints(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_PLACES; i++)
		nr += *(volatile unsigned char *)(target_places + i * STRIDE) ==
		      USER_UPROBE_BYTE;
	return nr;
}

TEST_F_TIMEOUT(uprobe, can_be_a_thousand, 120)
{
	struct tap_create create = test_uprobe_arg(TAP_PROBE_UPROBE, self->file,
						   target_places, NULL, 0);
	__u64 first = create.offset, begin, create_ms, enable_ms, disable_ms, close_ms;
	unsigned int i, seen[NR_PLACES + 1] = {};
	struct test_record rec;

	begin = test_now_ms();
	for (i = 0; i < NR_PLACES; i++) {
		create.offset = first + i * STRIDE;
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, NULL));
	}
	create_ms = test_now_ms() - begin;
	test_ioctl_enable(0);
	EXPECT_EQ(NR_PLACES, breakpoints());
	begin = test_now_ms();
	test_ioctl_disable(0);
	disable_ms = test_now_ms() - begin;
	EXPECT_EQ(0, breakpoints());
	begin = test_now_ms();
	test_ioctl_enable(0);
	enable_ms = test_now_ms() - begin;
	for (i = 0; i < NR_PLACES; i++)
		((void (*)(void))&target_places[i * STRIDE])();
	while (test_session_next(&self->s, &rec))
		if (rec.probe <= NR_PLACES)
			seen[rec.probe]++;
	for (i = 1; i <= NR_PLACES; i++)
		EXPECT_EQ(1, seen[i]);
	begin = test_now_ms();
	test_session_close(&self->s);
	close_ms = test_now_ms() - begin;
	EXPECT_EQ(0, breakpoints());
	printf("# 1000 uprobes: create %llu ms, enable %llu ms, disable %llu ms, enabled ones deleted with their session %llu ms\n",
	       create_ms, enable_ms, disable_ms, close_ms);
}

TEST_F_TIMEOUT(uprobe, loses_nothing_uncounted_on_two_processors, 900)
{
	struct test_caller c[2] = { { .cpu = 0, .count = 100000 },
			       { .cpu = 1, .count = 100000 } };
	struct tap_counters enter, leave;
	__u64 events, gaps = 0;
	__u32 id[2], i;

	test_need_cpus(2);
	test_uprobe(&id[0], TAP_PROBE_UPROBE, target_step, OP_ARG(0));
	test_uprobe(&id[1], TAP_PROBE_URETPROBE, target_step, OP_RETVAL);
	test_ioctl_enable(0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&c[i].thread, NULL, test_caller_main, &c[i]));
	events = 0;
	for (i = 0; i < 2; i++) {
		while (pthread_tryjoin_np(c[i].thread, NULL)) {
			events += test_session_drain(&self->s, &gaps);
			usleep(2000);
		}
	}
	test_ioctl_disable(0);
	events += test_session_drain(&self->s, &gaps);
	enter = test_counters(_metadata, &self->s, id[0]);
	leave = test_counters(_metadata, &self->s, id[1]);
	EXPECT_EQ(200000, enter.hits);
	EXPECT_EQ(200000, leave.hits);
	EXPECT_EQ(events, enter.written + leave.written);
}

TEST_F_TIMEOUT(uprobe, comes_and_goes_while_its_program_runs, 400)
{
	struct test_caller c[2] = { { .cpu = 0 }, { .cpu = 1 } };
	unsigned char before = *(volatile unsigned char *)target_step;
	struct tap_counters enter, leave;
	unsigned int i;
	void *calls;
	__u64 sum = 0;
	__u32 id[2];

	test_uprobe(&id[0], TAP_PROBE_UPROBE, target_step, OP_ARG(0));
	test_uprobe(&id[1], TAP_PROBE_URETPROBE, target_step, OP_RETVAL);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&c[i].thread, NULL, test_caller_main, &c[i]));
	for (i = 0; i < 100; i++) {
		test_ioctl_enable(i % 3);
		usleep(500);
		test_ioctl_disable(i % 3);
		test_session_drain(&self->s, NULL);
	}
	test_ioctl_disable(0);
	for (i = 0; i < 2; i++) {
		__atomic_store_n(&c[i].stop, true, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(c[i].thread, &calls));
		sum += (uintptr_t)calls;
	}
	enter = test_counters(_metadata, &self->s, id[0]);
	leave = test_counters(_metadata, &self->s, id[1]);
	EXPECT_LT(0, enter.hits);
	EXPECT_LT(0, leave.hits);
	EXPECT_GE(sum, enter.hits);
	EXPECT_GE(sum, leave.hits);
	EXPECT_EQ(before, *(volatile unsigned char *)target_step);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "add")) {
		add(atoi(argv[2]));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "semaphore"))
		return semaphore;
	return test_harness_run(argc, argv);
}
