// SPDX-License-Identifier: GPL-2.0
/*
 * Counts on a CPU: lseek(2) to 1, 2, 3, ... until it is killed or the number is reached; every
 * STEP-th call has whence 1 in place of 0, and a pause behind it.
 * usage: sequence CPU NUMBER STEP PAUSE-US
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	cpu_set_t cpus;
	long n, last, step;
	int fd;

	if (argc != 5)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	last = atol(argv[2]);
	step = atol(argv[3]);
	fd = memfd_create("sequence", 0);
	if (fd < 0 || step < 1 || sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	for (n = 1; n <= last; n++) {
		lseek(fd, n, n % step ? SEEK_SET : SEEK_CUR);
		if (n % step == 0)
			usleep((useconds_t)atoi(argv[4]));
	}
	return 0;
}
