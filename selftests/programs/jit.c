// SPDX-License-Identifier: GPL-2.0
/*
 * Generates code and writes its symbols to /tmp/perf-PID.map: jit_outer calls jit_inner, which
 * calls a function that makes a system call, 10 times. Sleeps before it exits, so that a tracer can
 * read the map.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define STAY() __asm__ volatile("" : : : "memory")
#define SIZE	32

NOINLINE void jit_leaf(void)
{
	syscall(SYS_getpriority, 0, 0);
	STAY();
}

#if defined(__x86_64__)
/* push %rbp; mov %rsp, %rbp; movabs $to, %rax; call *%rax; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3,
};
#define TO_AT	6
#elif defined(__aarch64__)
/* stp x29, x30, [sp, -16]!; mov x29, sp; ldr x16, to; blr x16; ldp x29, x30, [sp], 16; ret; to: */
static const unsigned int code[] = {
	0xa9bf7bfd, 0x910003fd, 0x58000090, 0xd63f0200, 0xa8c17bfd, 0xd65f03c0, 0, 0,
};
#define TO_AT	24
#endif

static void generate(unsigned char *at, const void *to)
{
	memcpy(at, code, sizeof(code));
	memcpy(at + TO_AT, &to, sizeof(to));
	__builtin___clear_cache((char *)at, (char *)at + SIZE);
}

NOINLINE void jit_run(const unsigned char *at)
{
	void (*run)(void);

	memcpy(&run, &at, sizeof(run));
	for (int i = 0; i < 10; i++)
		run();
	usleep(300000);
}

int main(void)
{
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*leaf)(void) = jit_leaf;
	char path[64];
	FILE *map;
	void *to;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (at == MAP_FAILED || !map)
		return 1;
	memcpy(&to, &leaf, sizeof(to));
	generate(at, at + SIZE);
	generate(at + SIZE, to);
	fprintf(map, "%lx %x jit_outer\n%lx %x jit_inner of the test\n", (unsigned long)at, SIZE,
		(unsigned long)at + SIZE, SIZE);
	fflush(map);
	jit_run(at);
	return 0;
}
