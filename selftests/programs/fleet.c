// SPDX-License-Identifier: GPL-2.0
/*
 * What several guests of the lab do together, by a page of memory that they share with the host
 * (selftests/lab/run --shared):
 *	fleet clock PAGE			on the host: writes the time of day into the page until it is killed
 *	fleet set PAGE OFFSET_MS ERROR_MS	sets the clock to that time and OFFSET_MS, and tells the
 *						kernel that it is ERROR_MS from the truth at most
 *	fleet tickets PAGE COUNT SEED		takes COUNT tickets, all guests from one roll, and calls
 *						lseek(2) with each; meanwhile the rate of the clock changes
 *	fleet arrive PAGE PLACE			adds one to a number of the page
 *	fleet await PAGE PLACE COUNT		waits until the number is COUNT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define PLACES	16
#define PPM	65536	/* a unit of timex.freq is 2^-16 ppm */
/* The kernel lets maxerror grow by 500 ppm, so a clock that is slower or faster by less keeps its word. */
#define MOST_PPM	450

struct page {
	atomic_uint_least64_t ticket;
	atomic_uint_least64_t time;
	atomic_uint_least64_t places[PLACES];
};

static struct page *map(const char *path)
{
	int fd = open(path, O_RDWR);
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	return page;
}

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

static _Noreturn void write_clock(struct page *page)
{
	for (;;) {
		atomic_store(&page->time, (uint64_t)now(CLOCK_REALTIME));
		sleep_us(100);
	}
}

static int adjust(struct timex *change)
{
	if (adjtimex(change) >= 0)
		return 0;
	perror("adjtimex");
	return 1;
}

static int set_clock(struct page *page, int64_t offset_ms, long error_ms)
{
	struct timex change = {
		.modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR | ADJ_FREQUENCY,
		.maxerror = error_ms * 1000, .esterror = error_ms * 1000,
	};
	int64_t best = INT64_MIN;
	struct timespec ts;
	int i;

	/* What the page has is old, but never from the future: the greatest difference is the best one. */
	for (i = 0; i < 400; i++) {
		int64_t difference = (int64_t)atomic_load(&page->time) - now(CLOCK_MONOTONIC_RAW);

		best = difference > best ? difference : best;
		sleep_us(5000);
	}
	best += now(CLOCK_MONOTONIC_RAW) + offset_ms * 1000000;
	ts.tv_sec = best / 1000000000;
	ts.tv_nsec = best % 1000000000;
	if (clock_settime(CLOCK_REALTIME, &ts)) {
		perror("clock_settime");
		return 1;
	}
	return adjust(&change);
}

static int take_tickets(struct page *page, long count, unsigned int seed)
{
	struct timex change = { .modes = ADJ_FREQUENCY };
	int fd = memfd_create("tickets", 0);
	long i;

	if (fd < 0)
		return 1;
	srandom(seed);
	for (i = 0; i < count; i++) {
		if (i % 8192 == 0) {
			change.freq = (random() % (2 * MOST_PPM + 1) - MOST_PPM) * PPM;
			if (adjust(&change))
				return 1;
		}
		/* Long enough for the clocks to drift. */
		if (i % 16 == 0)
			sleep_us(5000);
		lseek(fd, (off_t)atomic_fetch_add(&page->ticket, 1), SEEK_SET);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	long numbers[2] = { 0 };
	struct page *page;
	int i;

	for (i = 3; i < argc && i < 5; i++)
		numbers[i - 3] = atol(argv[i]);
	if (argc < 3 || (strcmp(what, "clock") && argc < 4)) {
		fprintf(stderr, "usage: fleet clock|set|tickets|arrive|await PAGE [NUMBER]...\n");
		return 2;
	}
	page = map(argv[2]);
	if (!strcmp(what, "clock"))
		write_clock(page);
	if (!strcmp(what, "set"))
		return set_clock(page, numbers[0], numbers[1]);
	if (!strcmp(what, "tickets"))
		return take_tickets(page, numbers[0], (unsigned int)numbers[1]);
	if (numbers[0] < 0 || numbers[0] >= PLACES)
		return 2;
	if (!strcmp(what, "arrive")) {
		atomic_fetch_add(&page->places[numbers[0]], 1);
		return 0;
	}
	while (atomic_load(&page->places[numbers[0]]) < (uint64_t)numbers[1])
		sleep_us(50000);
	return 0;
}
