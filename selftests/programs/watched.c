// SPDX-License-Identifier: GPL-2.0
/*
 * Variables that threads, a child and a library write, for watchpoints.
 * usage: watched [N]; writes "count" N times in each of two threads and in a child that is
 * forked afterwards. watched wait: on each line of the standard input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void shared_add(int n);
extern volatile int shared_count;

volatile int count;
static volatile long local = 7;
volatile int apart __attribute__((aligned(64)));
volatile int unused[4];
__thread volatile int own;
static int rounds = 100;

static __attribute__((noinline)) void add(void)
{
	/* LINE of the write */
	count++;
}

static void *writer(void *arg)
{
	int i;

	for (i = 0; i < rounds; i++)
		add();
	return arg;
}

static void write_all(void)
{
	pthread_t thread[2];
	pid_t child;
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, writer, NULL);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	fflush(stdout);
	child = fork();
	if (!child) {
		writer(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	local = count;
	apart += local;
	own++;
	shared_add(rounds);
}

int main(int argc, char **argv)
{
	char line[64];

	if (argc > 1 && !strcmp(argv[1], "wait")) {
		while (fgets(line, sizeof(line), stdin))
			write_all();
		return 0;
	}
	if (argc > 1)
		rounds = atoi(argv[1]);
	write_all();
	printf("%d %ld %d %d\n", count, local, unused[0] + apart, shared_count);
	return 0;
}
