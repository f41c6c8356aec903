// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of TAP_IOC_DESCRIBE: what the kernel keeps for a reader of a dump counts as memory of the
 * session. That a dump has it, selftests/tool/dump_test shows.
 */
#include "selftests/module/tap_harness.h"

#include <sys/mman.h>

FIXTURE(describe)
{
	struct test_session s;
	char *data;
	__u64 page;
	__u64 before;
};

static __u64 used(int fd)
{
	struct tap_info info;

	return _test_ioctl_info(fd, &info) ? 0 : info.out_memory_used;
}

static int describe(int fd, const void *data, __u64 len)
{
	const struct tap_describe arg = {
		.size = sizeof(arg), .data = (uintptr_t)data, .len = len,
	};

	return ioctl(fd, TAP_IOC_DESCRIBE, &arg);
}

FIXTURE_SETUP(describe)
{
	test_need_root();
	test_session_open(_metadata, &self->s, 1 << 16);
	self->page = (__u64)sysconf(_SC_PAGESIZE);
	self->data = mmap(NULL, TAP_MAX_DESCRIPTION + 2 * self->page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->data);
	self->before = used(self->s.fd);
}

FIXTURE_TEARDOWN(describe)
{
	munmap(self->data, TAP_MAX_DESCRIPTION + 2 * self->page);
	test_session_close(&self->s);
}

/* Its pages, and one page with their numbers. A new description replaces the old one. */
TEST_F(describe, takes_memory_until_it_is_replaced)
{
	ASSERT_EQ(0, describe(self->s.fd, self->data, 2 * self->page + 1));
	EXPECT_EQ(self->before + 4 * self->page, used(self->s.fd));
	ASSERT_EQ(0, describe(self->s.fd, self->data, 1));
	EXPECT_EQ(self->before + 2 * self->page, used(self->s.fd));
	ASSERT_EQ(0, describe(self->s.fd, NULL, 0));
	EXPECT_EQ(self->before, used(self->s.fd));
	ASSERT_EQ(0, describe(self->s.fd, self->data, TAP_MAX_DESCRIPTION));
	EXPECT_LT(self->before + TAP_MAX_DESCRIPTION, used(self->s.fd));
}

/* The largest one has several lists. All is freed with the session. */
TEST_F(describe, ends_with_the_session)
{
	struct test_session other;

	test_session_open(_metadata, &other, 1 << 16);
	ASSERT_EQ(0, describe(other.fd, self->data, TAP_MAX_DESCRIPTION));
	EXPECT_LT(self->before + TAP_MAX_DESCRIPTION, used(self->s.fd));
	test_session_close(&other);
	EXPECT_EQ(self->before, used(self->s.fd));
}

TEST_F(describe, that_fails_leaves_the_old_one)
{
	struct tap_info info;
	char limit[32];
	__u64 with;

	ASSERT_EQ(0, describe(self->s.fd, self->data, 1));
	with = used(self->s.fd);
	EXPECT_ERRNO(EINVAL, describe(self->s.fd, self->data, TAP_MAX_DESCRIPTION + 1));
	EXPECT_ERRNO(EFAULT, describe(self->s.fd, NULL, 1));
	/* The first page can be read, the second cannot. */
	ASSERT_EQ(0, munmap(self->data + self->page, self->page));
	EXPECT_ERRNO(EFAULT, describe(self->s.fd, self->data, 2 * self->page));
	EXPECT_EQ(with, used(self->s.fd));
	snprintf(limit, sizeof(limit), "%llu", with + 3 * self->page - 1);
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, limit));
	EXPECT_ERRNO(ENOMEM, describe(self->s.fd, self->data + 2 * self->page, 2 * self->page));
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
	EXPECT_EQ(3 * self->page, info.out_memory_refused);
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
	EXPECT_EQ(with, used(self->s.fd));
	EXPECT_EQ(0, describe(self->s.fd, self->data + 2 * self->page, 2 * self->page));
}

TEST_HARNESS_MAIN
