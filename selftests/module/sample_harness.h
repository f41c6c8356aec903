/* SPDX-License-Identifier: GPL-2.0 */
/* Common to the tests of samples: probes on perf counters, and code that makes events. */
#ifndef _TEST_MODULE_SAMPLE_HARNESS_H
#define _TEST_MODULE_SAMPLE_HARNESS_H

#include "selftests/module/tap_harness.h"

#include <linux/perf_event.h>

#define OP_SAMPLE(field)						\
	OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_sample, field), 0)

/* A software counter. */
static inline struct tap_perf test_software(__u64 config, __u64 period)
{
	return (struct tap_perf){
		.size = sizeof(struct tap_perf),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.period = period,
	};
}

static inline int _test_event_create(int fd, __u32 *id,
				     const struct tap_perf *perf,
				     const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(TAP_PROBE_EVENT, "event", ops,
						   nr_ops);
	int ret;

	create.perf = (uintptr_t)perf;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}
/* test_event_create(&id, config, period, ops...) */
#define test_event_create(id, config, period, ...)			\
	do {								\
		struct tap_perf _perf = test_software(config, period);	\
									\
		ASSERT_EQ(0, _test_event_create(self->s.fd, id, &_perf,	\
						OPS(__VA_ARGS__)))	\
			TH_LOG("cannot create: %s", strerror(errno));	\
	} while (0)

/* Memory without pages yet; huge pages are off for it. */
static inline char *test_fresh(size_t pages)
{
	char *map = mmap(NULL, pages * getpagesize(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map != MAP_FAILED)
		madvise(map, pages * getpagesize(), MADV_NOHUGEPAGE);
	return map;
}

static __attribute__((noinline)) void test_touch(char *map, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++)
		((volatile char *)map)[i * getpagesize()] = 1;
	/* Keeps the call from becoming a tail call. */
	asm volatile("");
}

#endif /* _TEST_MODULE_SAMPLE_HARNESS_H */
