// SPDX-License-Identifier: GPL-2.0
/*
 * whole_way calls FILE: makes system calls, and writes into FILE how many instructions each took, with all
 * that other tasks and the kernel did meanwhile, and then how many of them other tasks took.
 * whole_way write BYTES CHUNK PATH: writes as many bytes to PATH, CHUNK at a time, out of prepared memory,
 * and prints the instructions for each byte.
 *
 * For the lab under --icount with one CPU: the time stamp counter counts instructions, of all tasks. This
 * program never sleeps between its two readings of the counter, so none of them is an idle one.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* In the first part buffers and the reader reach their pace; the second part is measured. */
#define WARM	100000
#define MEASURED	500000

static void calls(long nr)
{
	while (nr--)
		syscall(SYS_getppid);
}

/* The time that this process has run: an instruction is a nanosecond. */
static double own(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts))
		err(1, "CLOCK_PROCESS_CPUTIME_ID");
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void measure_calls(const char *path)
{
	unsigned long long begin, end;
	double before, after;
	FILE *file;

	calls(WARM);
	before = own();
	begin = __builtin_ia32_rdtsc();
	calls(MEASURED);
	end = __builtin_ia32_rdtsc();
	after = own();
	file = fopen(path, "w");
	if (!file || fprintf(file, "%.2f %.2f\n", (double)(end - begin) / MEASURED,
			     ((double)(end - begin) - (after - before)) / MEASURED) < 0 || fclose(file))
		err(1, "%s", path);
}

static void measure_write(size_t bytes, size_t chunk, const char *path)
{
	unsigned long long begin, end;
	char *memory = malloc(chunk);
	size_t done;
	int fd;

	if (!memory || !chunk)
		errx(2, "no chunk");
	memset(memory, 0x5a, chunk);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		err(1, "%s", path);
	begin = __builtin_ia32_rdtsc();
	for (done = 0; done < bytes; done += chunk)
		if (write(fd, memory, chunk) != (ssize_t)chunk)
			err(1, "%s", path);
	end = __builtin_ia32_rdtsc();
	printf("%.4f\n", (double)(end - begin) / (double)done);
	close(fd);
	unlink(path);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls"))
		measure_calls(argv[2]);
	else if (argc == 5 && !strcmp(argv[1], "write"))
		measure_write(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0), argv[4]);
	else
		errx(2, "usage: whole_way calls FILE | whole_way write BYTES CHUNK PATH");
	return 0;
}
