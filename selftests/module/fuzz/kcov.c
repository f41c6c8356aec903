// SPDX-License-Identifier: GPL-2.0
/*
 * Which branches of the module the calls of ioctl_fuzz reached. Needs a kernel with CONFIG_KCOV and
 * a module that was built for it.
 *
 * The kernel records an address each time a task enters a block of the module's code. A new pair of
 * consecutive blocks is new coverage.
 */
#include "selftests/module/tap_session.h"

#include <linux/kcov.h>

#include "selftests/module/fuzz/kcov.h"

/* Words that one sequence can record; the rest is not seen. */
#define COVER_WORDS	(256U << 10)

struct cover *cover;

static __u64 *cover_words;

/* The address of a section of the module; of its code if @name is NULL. */
static __u64 cover_section(const char *name)
{
	char path[128];
	__u64 at = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/tapmod/sections/%s", name);
	file = fopen(path, "re");
	if (file && fscanf(file, "%llx", &at) != 1)
		at = 0;
	if (file)
		fclose(file);
	return at;
}

static int cover_open(void)
{
	return open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
}

void cover_init(void)
{
	int fd = cover_open();

	cover = mmap(NULL, sizeof(*cover), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cover == MAP_FAILED)
		exit(1);
	if (fd < 0)
		return;
	close(fd);
	cover->base = cover_section(".text");
}

bool cover_begin(void)
{
	int fd = cover->base ? cover_open() : -1;

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, COVER_WORDS))
		return false;
	cover_words = mmap(NULL, COVER_WORDS * sizeof(*cover_words),
			   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return cover_words != MAP_FAILED && !ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC);
}

void cover_clear(void)
{
	__atomic_store_n(cover_words, 0, __ATOMIC_RELAXED);
}

unsigned int cover_count(void)
{
	__u64 i, nr = __atomic_load_n(cover_words, __ATOMIC_RELAXED), before = 0;
	unsigned int found = 0;

	for (i = 1; i <= nr; i++) {
		__u64 at = cover_words[i] - cover->base;
		__u64 step = (at ^ before * 31) % COVER_STEPS;

		before = at;
		if (at >= COVER_BYTES)
			continue;
		if (!cover->block[at] &&
		    !__atomic_exchange_n(&cover->block[at], 1, __ATOMIC_RELAXED))
			__atomic_add_fetch(&cover->blocks, 1, __ATOMIC_RELAXED);
		if (cover->step[step] ||
		    __atomic_exchange_n(&cover->step[step], 1, __ATOMIC_RELAXED))
			continue;
		__atomic_add_fetch(&cover->steps, 1, __ATOMIC_RELAXED);
		found++;
	}
	return found;
}

void cover_report(const char *path, bool all)
{
	char section[64], name[64], last[64] = "", known[64] = "";
	unsigned int seen = 0, nr = 0;
	__u64 offset, at = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	while (true) {
		bool more = fscanf(file, "%63s %llx %63s", section, &offset, name) == 3;

		if (nr && (!more || strcmp(name, last))) {
			printf("# %s: %u of %u blocks\n", last, seen, nr);
			seen = 0;
			nr = 0;
		}
		if (!more)
			break;
		strcpy(last, name);
		if (strcmp(section, known)) {
			strcpy(known, section);
			at = cover_section(section);
		}
		nr++;
		/* The kernel recorded the return address of the call. */
		offset += at - cover->base + 4;
		if (offset < COVER_BYTES && cover->block[offset])
			seen++;
		else if (all)
			printf("# not reached: %s %llx\n", name, offset);
	}
	fclose(file);
}
