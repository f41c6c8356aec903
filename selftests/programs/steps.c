// SPDX-License-Identifier: GPL-2.0
/*
 * A process whose mappings change: steps DIR. It loads libstep_a.so and makes 10 system calls from
 * step_a(), forks, unloads it and loads libstep_b.so at the same place, for 10 calls from step_b().
 * Then its child, which still has libstep_a.so, makes 10 calls from step_a(), and executes another
 * program, with 10 calls from steps_last().
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define STAY() __asm__ volatile("" : : : "memory")

typedef void step(void (*back)(void));

NOINLINE void steps_leaf(void)
{
	syscall(SYS_getpriority, 0, 0);
	STAY();
}

NOINLINE void steps_first(step *to) { for (int i = 0; i < 10; i++) to(steps_leaf); }
NOINLINE void steps_second(step *to) { for (int i = 0; i < 10; i++) to(steps_leaf); }
NOINLINE void steps_child(step *to) { for (int i = 0; i < 10; i++) to(steps_leaf); }
NOINLINE void steps_last(void) { for (int i = 0; i < 10; i++) steps_leaf(); }

static void *load(const char *dir, const char *name, step **to)
{
	char path[4096];
	void *lib;

	snprintf(path, sizeof(path), "%s/lib%s.so", dir, name);
	lib = dlopen(path, RTLD_NOW);
	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*to = (step *)dlsym(lib, name);
	return lib;
}

int main(int argc, char **argv)
{
	step *first, *second;
	int gone[2], status;
	char byte;
	void *lib;

	if (argc == 1) {
		steps_last();
		return 0;
	}
	lib = load(argv[1], "step_a", &first);
	steps_first(first);
	if (pipe(gone))
		return 1;
	if (!fork()) {
		if (read(gone[0], &byte, 1) == 1)
			steps_child(first);
		return 0;
	}
	dlclose(lib);
	load(argv[1], "step_b", &second);
	if (first != second)
		fprintf(stderr, "step_b is elsewhere\n");
	steps_second(second);
	if (write(gone[1], "", 1) != 1 || wait(&status) < 0 || status)
		return 1;
	execl(argv[0], argv[0], NULL);
	return 1;
}
