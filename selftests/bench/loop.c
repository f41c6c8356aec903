// SPDX-License-Identifier: GPL-2.0
/*
 * loop NAME FILE: writes into FILE how many instructions a round of a loop of tap_bench.ko, or of
 * the one in this program, takes with the current probes. loop offset: prints the offset of this
 * program's function in its file.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "selftests/module/kmod/tap_bench.h"

#define RUNS	7

/* As in bench.c: uprobes emulate the first instruction. */
asm(".text\n"
    ".balign 16\n"
    ".globl bench_program\n"
    ".type bench_program, @function\n"
    "bench_program:\n"
    "	nop\n"
    "	ret\n"
    ".size bench_program, . - bench_program\n");
void bench_program(unsigned long a, unsigned long b, unsigned long c, unsigned long d);

static const char *const loops[] = {
	[TAP_BENCH_CALL] = "function",
	[TAP_BENCH_TRACEPOINT] = "tracepoint",
	[TAP_BENCH_DEEP] = "deep",
	/* the loop in this program */
	"program",
};

#define NR_LOOPS	(sizeof(loops) / sizeof(loops[0]))
#define PROGRAM		(NR_LOOPS - 1)

static __u64 program_loop(void)
{
	__u64 begin = __builtin_ia32_rdtsc();
	int i;

	for (i = 0; i < TAP_BENCH_LOOPS; i++)
		bench_program(1, 2, 3, 4);
	return __builtin_ia32_rdtsc() - begin;
}

static __u64 one_loop(int fd, __u64 loop)
{
	struct tap_bench_run run = { .loop = loop };

	if (loop == PROGRAM)
		return program_loop();
	if (ioctl(fd, TAP_BENCH_RUN, &run))
		err(1, "/dev/tap_bench");
	return run.out_ticks;
}

int main(int argc, char **argv)
{
	extern const char __executable_start[];
	__u64 best = ~0ULL, ticks, loop;
	FILE *file;
	int fd, i;

	/* The program is static: its text is mapped page by page from the start of its file. */
	if (argc == 2 && !strcmp(argv[1], "offset")) {
		printf("%#lx\n", (unsigned long)bench_program -
				 (unsigned long)__executable_start);
		return 0;
	}
	if (argc != 3)
		errx(2, "usage: loop NAME FILE | loop offset");
	for (loop = 0; loop < NR_LOOPS; loop++)
		if (loops[loop] && !strcmp(loops[loop], argv[1]))
			break;
	if (loop == NR_LOOPS)
		errx(2, "unknown loop %s", argv[1]);
	fd = open("/dev/tap_bench", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "/dev/tap_bench: is tap_bench.ko loaded?");
	for (i = 0; i < RUNS; i++) {
		ticks = one_loop(fd, loop);
		if (ticks < best)
			best = ticks;
	}
	file = fopen(argv[2], "w");
	if (!file || fprintf(file, "%.2f\n", (double)best / TAP_BENCH_LOOPS) < 0 ||
	    fclose(file))
		err(1, "%s", argv[2]);
	return 0;
}
