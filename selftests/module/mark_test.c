// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of marks: which probes record a mark, its form in a record, that each is recorded or
 * counted as lost, and sessions that are closed while others write marks to them.
 */
#include "selftests/module/tap_harness.h"

#define ALL		"mark"
#define OWN		"interval:s:1"

#define OP_TEXT(bytes)	OP(TAP_OP_FIELD_STRING, TAP_OP_OUT, 0, 0, 0, bytes)
#define OP_FIELD(size, off) OP(TAP_OP_FIELD, TAP_OP_OUT, 0, size, off, 0)

static int _test_ioctl_mark(int fd, __u32 id, const void *data, __u32 len,
			    __u32 *heard)
{
	struct tap_mark mark = {
		.size = sizeof(mark),
		.id = id,
		.data = (uintptr_t)data,
		.len = len,
	};
	int ret = ioctl(fd, TAP_IOC_MARK, &mark);

	if (!ret && heard)
		*heard = mark.out_heard;
	return ret;
}
#define test_mark(_heard, fd, id, data, len)				\
	({								\
		__u32 _n = ~0U;						\
		ASSERT_EQ(0, _test_ioctl_mark(fd, id, data, len, &_n))	\
			TH_LOG("cannot mark: %s", strerror(errno));	\
		EXPECT_EQ((__u32)(_heard), _n);				\
	})
#define test_err_mark(_errno, id, data, len)				\
	EXPECT_ERRNO(_errno, _test_ioctl_mark(self->s.fd, id, data, len, NULL))

FIXTURE(mark)
{
	struct test_session s;
};

FIXTURE_SETUP(mark)
{
	self->s.fd = -1;
	test_need_root();
	test_session_open(_metadata, &self->s, 1 << 16);
}

FIXTURE_TEARDOWN(mark)
{
	test_session_close(&self->s);
}

TEST_F(mark, text_is_in_the_record)
{
	struct test_record rec;
	struct tap_info info;
	__u32 id;

	test_ioctl_info(&info);
	EXPECT_TRUE(info.out_features & TAP_FEATURE_MARK);
	test_ioctl_create(&id, TAP_PROBE_MARK, ALL, OP_TEXT(TAP_MARK_BYTES));
	test_ioctl_enable(id);
	test_mark(1, self->s.fd, 0, "begin of it", 11);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(id, rec.probe);
	EXPECT_EQ((__u32)getpid(), rec.tgid);
	EXPECT_EQ(0, rec.flags);
	EXPECT_EQ(11, rec.word[0]);
	EXPECT_STREQ("begin of it", (char *)&rec.word[1]);
	EXPECT_FALSE(rec.broken);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(mark, what_was_not_said_is_0)
{
	unsigned char all[TAP_MARK_BYTES];
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_MARK, ALL,
			  OP(TAP_OP_FIELD_BYTES, TAP_OP_OUT, 0, 0, 0, TAP_MARK_BYTES));
	test_ioctl_enable(id);
	for (i = 0; i < sizeof(all); i++)
		all[i] = i + 1;
	for (i = 1; i <= sizeof(all); i += 17) {
		static const unsigned char none[TAP_MARK_BYTES];

		test_mark(1, self->s.fd, 0, all, i);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		ASSERT_EQ(0, memcmp(all, rec.word, i));
		ASSERT_EQ(0, memcmp(none, (char *)rec.word + i, sizeof(all) - i));
	}
}

TEST_F(mark, words_of_it_and_a_test)
{
	static const __u64 low[] = { 999, 7 }, high[] = { 1001, 8 };
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_MARK, OWN,
			  OP(TAP_OP_FIELD, 0, 0, 8, 0, 0),
			  OP_REJECT_IF(TAP_OP_JLE, 0, 1000),
			  OP_FIELD(8, 0), OP_FIELD(8, 8),
			  OP_FIELD(1, TAP_MARK_BYTES - 1));
	test_ioctl_enable(id);
	test_mark(0, self->s.fd, id, low, sizeof(low));
	test_mark(1, self->s.fd, id, high, sizeof(high));
	test_ioctl_disable(id);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(1001, rec.word[0]);
	EXPECT_EQ(8, rec.word[1]);
	EXPECT_EQ(0, rec.word[2]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).filtered);
}

TEST_F(mark, all_that_listen_hear_it)
{
	struct test_session other = { .fd = -1 }, none = { .fd = -1 };
	struct test_record rec;
	__u32 id, own, id2;

	test_session_open(_metadata, &other, 1 << 16);
	/* A session that only writes marks needs no rings. */
	none.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, none.fd);
	test_mark(0, none.fd, 0, "a", 1);

	test_ioctl_create(&id, TAP_PROBE_MARK, ALL, OP_TEXT(8));
	test_ioctl_create(&own, TAP_PROBE_MARK, OWN, OP_TEXT(8));
	ASSERT_EQ(0, _test_ioctl_create(other.fd, &id2, TAP_PROBE_MARK, ALL,
					OPS(OP_TEXT(8))));
	test_mark(0, none.fd, 0, "b", 1);
	test_ioctl_enable(0);
	test_mark(1, none.fd, 0, "c", 1);
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, id2));
	test_mark(2, none.fd, 0, "d", 1);
	/* A mark for one probe, which may also be one that listens to all marks. */
	test_mark(1, self->s.fd, own, "e", 1);
	test_mark(1, self->s.fd, id, "f", 1);
	test_ioctl_disable(id);
	test_mark(0, self->s.fd, id, "g", 1);
	test_mark(1, none.fd, 0, "h", 1);
	test_ioctl_enable(id);
	test_mark(2, none.fd, 0, "i", 1);
	test_ioctl_delete(id);
	test_mark(1, none.fd, 0, "j", 1);
	test_session_close(&other);
	test_mark(0, none.fd, 0, "k", 1);
	test_session_close(&none);
	EXPECT_EQ(5, test_session_drain(&self->s, NULL));
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(mark, counted_and_aggregated)
{
	__u32 id;

	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, TAP_PROBE_MARK,
					      TAP_CREATE_F_COUNT, 0, ALL, NULL, 0));
	test_ioctl_enable(id);
	test_mark(1, self->s.fd, 0, "a", 1);
	test_mark(1, self->s.fd, 0, "b", 1);
	test_ioctl_disable(id);
	EXPECT_EQ(2, test_counters(_metadata, &self->s, id).aggregated);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
}

TEST_F(mark, errors)
{
	char data[TAP_MARK_BYTES + 1] = "x";
	__u32 id, waits;

	test_ioctl_create(&id, TAP_PROBE_MARK, ALL, OP_TEXT(8));
	test_ioctl_create(&waits, TAP_PROBE_RAWTP, "sched_switch", OP_ARG(0));
	test_ioctl_enable(0);
	test_err_mark(EINVAL, 0, data, 0);
	test_err_mark(EINVAL, 0, data, sizeof(data));
	test_err_mark(EFAULT, 0, NULL, 1);
	test_err_mark(EFAULT, id, (void *)-4096L, 1);
	test_err_mark(ENOENT, 99, data, 1);
	test_err_mark(ENODATA, waits, data, 1);
	test_ioctl_disable(0);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
	/* Offsets behind the payload, and ops of other types of probes. */
	test_err_ioctl_create(EINVAL, TAP_PROBE_MARK, ALL,
			      OP_FIELD(8, TAP_MARK_BYTES - 7));
	test_err_ioctl_create(EINVAL, TAP_PROBE_MARK, ALL, OP_TEXT(TAP_MARK_BYTES + 1));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_MARK, ALL, OP_ARG(0));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_MARK, ALL, OP_RETVAL);
	test_err_ioctl_create(EINVAL, TAP_PROBE_MARK, "", OP_TEXT(8));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_MARK,
						      TAP_CREATE_F_WAIT, 0, ALL, NULL, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL, TAP_PROBE_MARK,
						      0, 1, ALL, NULL, 0));
}

TEST_F(mark, stack_is_that_of_who_says_it)
{
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_MARK, ALL,
			  OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 0, 0, 8),
			  OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 64));
	test_ioctl_enable(id);
	test_mark(1, self->s.fd, 0, "x", 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_LE(8, rec.word[0] & TAP_TEXT_LEN);
	EXPECT_NE(0, rec.word[1]);
	EXPECT_EQ(0, rec.word[1] >> 63);
	EXPECT_LE(8, rec.word[2] & TAP_TEXT_LEN);
	EXPECT_EQ(1, rec.word[3] >> 63);
}

TEST_F(mark, without_room_is_reported)
{
	struct tap_counters counters;
	__u64 gaps = 0, events, pending;
	unsigned int i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_MARK, ALL, OP_TEXT(TAP_MARK_BYTES));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, _test_ioctl_mark(self->s.fd, 0, &i, sizeof(i), NULL));
	/* The ring is full, so no probe has recorded the mark: out_heard is 0. */
	test_mark(0, self->s.fd, 0, "x", 1);
	test_ioctl_disable(id);
	events = test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	events += test_session_drain(&self->s, &gaps);
	counters = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1001, counters.hits);
	EXPECT_LT(0, counters.lost_full);
	EXPECT_EQ(events, counters.written);
	EXPECT_EQ(gaps, counters.lost_full);
}

/* A thread that writes marks until it is stopped. */
struct speaker {
	pthread_t thread;
	int fd;
	bool *stop;
	__u64 said;
	__u64 heard;
};

static void *speak(void *arg)
{
	struct speaker *sp = arg;
	__u32 heard;

	while (!__atomic_load_n(sp->stop, __ATOMIC_RELAXED)) {
		if (_test_ioctl_mark(sp->fd, 0, &sp->said, sizeof(sp->said), &heard))
			break;
		sp->said++;
		sp->heard += heard;
	}
	return NULL;
}

TEST_F(mark, sessions_end_while_they_are_spoken_to)
{
	struct speaker speakers[2] = {};
	__u64 end = test_now_ms() + 3000;
	struct tap_counters counters;
	unsigned int i, rounds = 0;
	bool stop = false;
	__u32 id, other_id;

	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id, TAP_PROBE_MARK,
					      TAP_CREATE_F_COUNT, 0, ALL, NULL, 0));
	test_ioctl_enable(id);
	for (i = 0; i < ARRAY_SIZE(speakers); i++) {
		speakers[i].fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, speakers[i].fd);
		speakers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&speakers[i].thread, NULL, speak,
					    &speakers[i]));
	}
	while (test_now_ms() < end) {
		struct test_session other = { .fd = -1 };

		test_session_open(_metadata, &other, 1 << 16);
		ASSERT_EQ(0, _test_ioctl_create(other.fd, &other_id, TAP_PROBE_MARK,
						ALL, OPS(OP_FIELD(8, 0))));
		ASSERT_EQ(0, _test_ioctl_enable(other.fd, other_id));
		/* Every other session is closed while its probe is enabled. */
		if (rounds++ & 1)
			ASSERT_EQ(0, _test_ioctl_delete(other.fd, other_id));
		test_session_close(&other);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(speakers); i++) {
		pthread_join(speakers[i].thread, NULL);
		close(speakers[i].fd);
	}
	test_ioctl_disable(id);
	counters = test_counters(_metadata, &self->s, id);
	EXPECT_LT(2, rounds);
	EXPECT_LT(0, speakers[0].said);
	EXPECT_EQ(speakers[0].said + speakers[1].said, counters.hits);
	EXPECT_EQ(counters.hits, counters.aggregated);
	EXPECT_LE(counters.hits, speakers[0].heard + speakers[1].heard);
}

TEST_HARNESS_MAIN
