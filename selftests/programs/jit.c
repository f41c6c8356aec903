// SPDX-License-Identifier: GPL-2.0
/*
 * A program that generates code, and tells its names in /tmp/perf-PID.map: jit_outer calls jit_inner,
 * which calls a function that makes a system call, 10 times. It stays a moment, as such programs do.
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

/* push %rbp; mov %rsp, %rbp; movabs $to, %rax; call *%rax; pop %rbp; ret */
static void generate(unsigned char *at, const void *to)
{
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3,
	};

	memcpy(at, code, sizeof(code));
	memcpy(at + 6, &to, sizeof(to));
}

NOINLINE void jit_run(const unsigned char *code)
{
	void (*run)(void);

	memcpy(&run, &code, sizeof(run));
	for (int i = 0; i < 10; i++)
		run();
	usleep(300000);
}

int main(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*leaf)(void) = jit_leaf;
	char path[64];
	FILE *map;
	void *to;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (code == MAP_FAILED || !map)
		return 1;
	memcpy(&to, &leaf, sizeof(to));
	generate(code, code + SIZE);
	generate(code + SIZE, to);
	fprintf(map, "%lx %x jit_outer\n%lx %x jit_inner of the test\n", (unsigned long)code, SIZE,
		(unsigned long)code + SIZE, SIZE);
	fflush(map);
	jit_run(code);
	return 0;
}
