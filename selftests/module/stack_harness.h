/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the tests of stacks: a stack in a record, kernel symbols, rows of an aggregation
 * by stack, and the stacks that perf records for the same events.
 */
#ifndef _TEST_MODULE_STACK_HARNESS_H
#define _TEST_MODULE_STACK_HARNESS_H

#include "selftests/module/tap_harness.h"
#include "selftests/module/kallsyms.h"

#include <linux/perf_event.h>

#define OP_KSTACK(n)	OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 8 * (n))
#define OP_USTACK(n)	OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 0, 0, 8 * (n))

/* A stack in the words of a record; the record must stay while this is used. */
struct stack {
	const __u64 *at;
	unsigned int nr;
	bool truncated;
	bool absent;
};

static inline struct stack test_stack(const struct test_record *rec,
				      unsigned int word)
{
	__u64 head = rec->word[word];

	return (struct stack){
		.at = rec->word + word + 1,
		.nr = (head & TAP_TEXT_LEN) / 8,
		.truncated = head & TAP_TEXT_TRUNCATED,
		.absent = head & TAP_TEXT_ABSENT,
	};
}

/* The kernel's symbols, read once before the first test. */
static struct test_symbol {
	__u64 at;
	const char *name;
} *test_symbols;
static size_t test_nr_symbols;

static __attribute__((constructor)) void test_symbols_read(void)
{
	size_t room = 32 << 20, len, max = 1 << 20;
	FILE *kallsyms = test_kallsyms();
	char *text = malloc(room), *line, *end;

	test_symbols = calloc(max, sizeof(*test_symbols));
	if (!kallsyms || !text || !test_symbols)
		return;
	len = fread(text, 1, room - 1, kallsyms);
	fclose(kallsyms);
	text[len] = 0;
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		struct test_symbol *symbol = &test_symbols[test_nr_symbols];

		*end = 0;
		symbol->at = strtoull(line, &line, 16);
		/* The name follows a letter; the name of a module may follow the name. */
		symbol->name = line + 3;
		line[strcspn(line, "\t")] = 0;
		if (++test_nr_symbols == max)
			break;
	}
}

/* Start of a function, and the next symbol of any kind. */
static inline bool test_range(const char *name, __u64 *begin, __u64 *end)
{
	size_t i;

	*begin = 0;
	*end = -1ULL;
	for (i = 0; i < test_nr_symbols && !*begin; i++)
		if (!strcmp(test_symbols[i].name, name))
			*begin = test_symbols[i].at;
	for (i = 0; i < test_nr_symbols; i++)
		if (test_symbols[i].at > *begin && test_symbols[i].at < *end)
			*end = test_symbols[i].at;
	return *begin;
}

static inline __u64 test_symbol(const char *name)
{
	__u64 begin, end;

	return test_range(name, &begin, &end) ? begin : 0;
}

/* Whether an address is in a function of the kernel. */
static inline bool test_within(const char *name, __u64 at)
{
	__u64 begin, end;

	return test_range(name, &begin, &end) && at >= begin && at < end;
}

static inline bool test_all_within(const char *name, const struct stack *stack,
				   unsigned int nr)
{
	unsigned int i;
	__u64 begin, end;

	if (!test_range(name, &begin, &end))
		return false;
	for (i = 0; i < nr; i++)
		if (stack->at[i] < begin || stack->at[i] >= end)
			return false;
	return true;
}

/* Checks that a probe's table, summed over CPUs, has one row for each count. */
static inline void test_expect_rows(struct __test_metadata *_metadata,
				    const struct test_session *s, __u32 id,
				    unsigned int key_words, const __u64 *counts,
				    unsigned int nr)
{
	static __u64 words[128 * 70];
	unsigned int cpu, i, k, rows = 0;
	__u64 *row[64], sum[64];

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		__u64 *at = words + cpu * ARRAY_SIZE(words) / TEST_MAX_RINGS;
		struct tap_read read = {
			.size = sizeof(read),
			.id = id,
			.cpu = cpu,
			.words = (uintptr_t)at,
			.nr_words = ARRAY_SIZE(words) / TEST_MAX_RINGS,
		};

		ASSERT_EQ(0, ioctl(s->fd, TAP_IOC_READ, &read));
		for (i = 0; i < read.out_entries; i++, at += read.out_entry_words) {
			for (k = 0; k < rows; k++)
				if (!memcmp(row[k], at + 1, key_words * 8))
					break;
			ASSERT_GT(64, k);
			if (k == rows) {
				row[rows] = at + 1;
				sum[rows++] = 0;
			}
			sum[k] += at[1 + key_words];
		}
	}
	EXPECT_EQ(nr, rows);
	for (i = 0; i < nr; i++) {
		for (k = 0; k < rows; k++)
			if (sum[k] == counts[i])
				break;
		EXPECT_GT(rows, k)
			TH_LOG("no row of %llu hits", counts[i]);
	}
}

/* A perf counter on a function of the kernel, with the stack of each event. */
struct test_perf {
	int fd;
	struct perf_event_mmap_page *page;
};

#define TEST_PERF_PAGES	8

static inline void test_perf_open(struct __test_metadata *_metadata,
				  struct test_perf *perf, const char *function)
{
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.kprobe_func = (uintptr_t)function,
	};
	int type;

	ASSERT_NE(NULL, file);
	ASSERT_EQ(1, fscanf(file, "%d", &type));
	fclose(file);
	attr.type = type;
	perf->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			   PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, perf->fd) TH_LOG("perf: %s", strerror(errno));
	perf->page = test_map(perf->fd, (1 + TEST_PERF_PAGES) * getpagesize(),
			      PROT_READ | PROT_WRITE, 0);
	ASSERT_NE(MAP_FAILED, (void *)perf->page);
}

/* The part of the first event's stack that belongs to a context (PERF_CONTEXT_*). */
static inline __u64 *test_perf_chain(struct test_perf *perf, __u64 context,
				     unsigned int *nr)
{
	struct perf_event_header *event =
		(void *)((char *)perf->page + getpagesize());
	__u64 *word = (void *)(event + 1), *end = word + 1 + *word;
	__u64 *from;

	*nr = 0;
	if (event->type != PERF_RECORD_SAMPLE)
		return NULL;
	for (word++; word < end && *word != context; word++)
		;
	from = ++word;
	while (word < end && *word < (__u64)PERF_CONTEXT_MAX)
		word++;
	*nr = from < end ? word - from : 0;
	return from;
}

static inline void test_perf_close(struct test_perf *perf)
{
	munmap(perf->page, (1 + TEST_PERF_PAGES) * getpagesize());
	close(perf->fd);
}

#endif /* _TEST_MODULE_STACK_HARNESS_H */
