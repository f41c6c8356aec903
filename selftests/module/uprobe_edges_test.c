// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of probes in programs, in limiting cases: reused pids, files that are truncated or
 * have no pages, addresses outside the program's memory, and events inside events.
 */
#include "selftests/module/ucall_harness.h"
#include "selftests/module/kallsyms.h"

#include <linux/sched.h>

/* A function with a pointer argument, which may have any value. */
TARGET static __u64 target_pointer(const void *at)
{
	asm volatile("" : "+r" (at));
	return (uintptr_t)at;
}

/* Forks a process with a given pid; -1: the pid is in use. */
static pid_t fork_as(pid_t id)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&id,
		.set_tid_size = 1,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

TEST_F(ucall, of_a_process_is_not_of_the_next_one_with_its_id)
{
	struct tap_counters c;
	struct test_child first;
	__u32 all, id[3], i;
	pid_t next;

	test_child_prepare(_metadata, &first);
	first.pid = fork();
	ASSERT_LE(0, first.pid);
	if (!first.pid) {
		test_wait_byte(first.go);
		calls(5);
		_exit(0);
	}
	for (i = 0; i < ARRAY_SIZE(id); i++)
		test_uprobe_of(&id[i], TAP_PROBE_UPROBE + i, target_step, first.pid);
	/* A probe of all processes, so that every process has a breakpoint. */
	test_uprobe(&all, TAP_PROBE_UPROBE, target_step);
	test_ioctl_enable(0);
	ASSERT_TRUE(test_send_byte(first.go));
	EXPECT_EQ(0, test_child_status(first.pid));
	next = fork_as(first.pid);
	ASSERT_LE(0, next) TH_LOG("clone3: %s", strerror(errno));
	if (!next) {
		calls(10);
		_exit(0);
	}
	ASSERT_EQ(first.pid, next);
	EXPECT_EQ(0, test_child_status(next));
	test_ioctl_disable(0);
	EXPECT_EQ(15, test_counters(_metadata, &self->s, all).hits);
	for (i = 0; i < ARRAY_SIZE(id); i++) {
		c = test_counters(_metadata, &self->s, id[i]);
		EXPECT_EQ(5, c.hits) TH_LOG("probe %u", id[i]);
	}
}

/* A kernel address, from /proc/kallsyms; 0: it shows none. */
static __u64 kernel_address(void)
{
	unsigned long at = 0;
	char line[512];
	FILE *file = test_kallsyms();

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, " _stext\n"))
			sscanf(line, "%lx", &at);
	if (file)
		fclose(file);
	return at;
}

#define OPS_POINTER							\
	OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 1, 8, 0, 0),			\
	OP(TAP_OP_STRING_USER, TAP_OP_OUT, 1, 0, 0, 16),		\
	OP(TAP_OP_BYTES_USER, TAP_OP_OUT, 1, 0, 0, 24)

/* Word of OPS_POINTER's first output, for each type of probe. */
static const unsigned int pointer_word[] = { 0, 0, TAP_CALL_FETCHES };

static void create_pointer(struct __test_metadata *_metadata,
			   FIXTURE_DATA(ucall) *self, __u32 *id)
{
	test_uprobe(&id[0], TAP_PROBE_UPROBE, target_pointer, OP_TO(1, 0), OPS_POINTER);
	test_uprobe(&id[1], TAP_PROBE_URETPROBE, target_pointer,
		    OP(TAP_OP_RETVAL, 1, 0, 8, 0, 0), OPS_POINTER);
	test_uprobe(&id[2], TAP_PROBE_UCALL, target_pointer, OP_TO(1, 0), OPS_POINTER);
}

TEST_F(ucall, never_reads_what_is_not_the_programs)
{
	const __u64 places[] = {
		0, 1, 4095, 0x7ffffffff000, 0x7fffffffffff, 0x800000000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xff00000000000000,
		0xffff800000000000, 0xffff888000000000, 0xffffffff81000000,
		0xffffffffff600000, -4096, -16, -8, -1, kernel_address(),
	};
	struct test_record rec;
	unsigned int i, k, j;
	__u32 id[3];

	create_pointer(_metadata, self, id);
	test_ioctl_enable(0);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		target_pointer((void *)(uintptr_t)places[i]);
		for (k = 0; k < ARRAY_SIZE(id); k++) {
			const __u64 *word;

			ASSERT_TRUE(test_session_next(&self->s, &rec));
			word = rec.word + pointer_word[rec.probe - id[0]];
			EXPECT_NE(0, rec.flags & TAP_F_ABSENT);
			EXPECT_EQ(TAP_TEXT_ABSENT, word[1]);
			for (j = 0; j < 7; j++)
				EXPECT_TRUE(j == 1 || !word[j])
					TH_LOG("%llx at %llx", word[j], places[i]);
		}
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/* The last page of the user address space. */
TEST_F(ucall, reads_up_to_the_end_of_a_program)
{
	const __u64 end = 0x7ffffffff000;
	char *page = mmap((void *)(end - 4096), 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct test_record rec;
	unsigned int k;
	__u32 id[3];

	if (page == MAP_FAILED)
		SKIP(return, "the address is in use");
	memset(page, 'a', 4096);
	create_pointer(_metadata, self, id);
	test_ioctl_enable(0);
	target_pointer(page + 4096 - 24);
	target_pointer(page + 4096 - 7);
	for (k = 0; k < 2 * ARRAY_SIZE(id); k++) {
		const __u64 *word;

		ASSERT_TRUE(test_session_next(&self->s, &rec));
		word = rec.word + pointer_word[rec.probe - id[0]];
		EXPECT_EQ(k < 3 ? 0x6161616161616161 : 0, word[0]);
		EXPECT_EQ(k < 3 ? 16 | TAP_TEXT_TRUNCATED : 7 | TAP_TEXT_ABSENT, word[1]);
		EXPECT_EQ(k < 3 ? 0x6161616161616161 : 0, word[6]);
		EXPECT_EQ(k < 3 ? 0 : TAP_F_ABSENT, rec.flags & TAP_F_ABSENT);
	}
	munmap(page, 4096);
}

/* The handler calls a function with a kprobe, which makes an event inside the event. */
TEST_F(ucall, has_hits_of_the_kernel_inside)
{
	static const char text[] = "some text";
	struct tap_counters inner, outer;
	unsigned int i;
	__u32 id[3], kprobe;
	__u64 events;

	create_pointer(_metadata, self, id);
	test_ioctl_create(&kprobe, TAP_PROBE_KPROBE, "copy_from_user_nofault",
			  OP_TEST_TGID(getpid()), OP_ARG(0), OP_ARG(1), OP_ARG(2),
			  OP_COMM);
	test_ioctl_enable(0);
	for (i = 0; i < 300; i++)
		target_pointer(text);
	test_ioctl_disable(0);
	events = test_session_drain(&self->s, NULL);
	inner = test_counters(_metadata, &self->s, kprobe);
	EXPECT_LE(3 * 3 * 300, inner.written);
	for (i = 0; i < ARRAY_SIZE(id); i++) {
		outer = test_counters(_metadata, &self->s, id[i]);
		EXPECT_EQ(300, outer.written);
		events -= outer.written;
	}
	EXPECT_EQ(inner.written, events);
}

/* A file of one page, with the code of a function of this program at its start. */
static int code_file(const char *path)
{
	static const char code[] = USER_CODE_BYTES;
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	if (file >= 0 && (pwrite(file, code, sizeof(code), 0) != sizeof(code) ||
			  ftruncate(file, 4096))) {
		close(file);
		return -1;
	}
	return file;
}

static void *map_code(int file)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
}

static struct tap_create code_arg(__u32 type, int file)
{
	struct tap_create create = test_create_arg(type, "code", NULL, 0);

	create.file = file;
	return create;
}

TEST_F(ucall, of_a_file_without_pages_is_refused)
{
	struct tap_create create;
	int file;
	__u32 id;

	/* Files without a size: their content is made when they are read. */
	file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	create = code_arg(TAP_PROBE_UPROBE, file);
	EXPECT_ERRNO(EINVAL, test_create_uprobe(self->s.fd, &create, &id));
	close(file);
	/* A file of huge pages, which uprobes do not support. */
	file = memfd_create("large", MFD_CLOEXEC | MFD_HUGETLB);
	if (file >= 0) {
		ASSERT_EQ(0, ftruncate(file, 2 << 20));
		create = code_arg(TAP_PROBE_UPROBE, file);
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
		test_err_ioctl_enable(EIO, id);
		test_ioctl_delete(id);
		close(file);
	}
}

TEST_F(ucall, of_a_file_that_becomes_shorter_harms_nobody)
{
	__u64 (*fn)(__u64 a, __u64 b);
	struct tap_create create;
	__u32 id[3], last, i;
	int file;

	file = code_file("/tmp/uprobe_code");
	ASSERT_LE(0, file);
	fn = map_code(file);
	ASSERT_NE(MAP_FAILED, (void *)fn);
	for (i = 0; i < ARRAY_SIZE(id); i++) {
		create = code_arg(TAP_PROBE_UPROBE + i, file);
		ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id[i]));
	}
	/* Truncated before: the instruction does not exist any longer. */
	create.offset = 4096 - USER_CODE_ALIGN;
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &last));
	ASSERT_EQ(0, ftruncate(file, sizeof(USER_CODE_BYTES) - 1));
	test_err_ioctl_enable(EINVAL, 0);
	test_ioctl_delete(last);
	ASSERT_EQ(0, ftruncate(file, 4096));
	/*
	 * Truncated after: the page with the breakpoint is freed, and another page is mapped
	 * there.
	 */
	test_ioctl_enable(0);
	EXPECT_EQ(7, fn(3, 4));
	ASSERT_EQ(0, ftruncate(file, 0));
	close(file);
	file = code_file("/tmp/uprobe_code");
	ASSERT_LE(0, file);
	EXPECT_EQ(7, fn(3, 4));
	test_ioctl_disable(0);
	EXPECT_EQ(7, fn(3, 4));
	for (i = 0; i < ARRAY_SIZE(id); i++) {
		EXPECT_LE(1, test_counters(_metadata, &self->s, id[i]).hits);
		test_ioctl_delete(id[i]);
	}
	munmap(fn, 4096);
	close(file);
}

/* A file in memory, without a name (memfd). */
TEST_F(ucall, of_memory_that_is_a_file_is_hit)
{
	__u64 (*fn)(__u64 a, __u64 b);
	struct tap_create create;
	struct tap_counters c;
	char path[64];
	int memory, file;
	__u32 id;

	memory = memfd_create("code", MFD_CLOEXEC);
	ASSERT_LE(0, memory);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	file = code_file(path);
	ASSERT_LE(0, file);
	fn = map_code(file);
	ASSERT_NE(MAP_FAILED, (void *)fn);
	create = code_arg(TAP_PROBE_UCALL, file);
	ASSERT_EQ(0, test_create_uprobe(self->s.fd, &create, &id));
	close(file);
	close(memory);
	test_ioctl_enable(id);
	EXPECT_EQ(7, fn(3, 4));
	munmap(fn, 4096);
	c = expect_whole(_metadata, &self->s, id);
	EXPECT_EQ(1, c.written);
}

TEST_HARNESS_MAIN
