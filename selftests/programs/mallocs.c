// SPDX-License-Identifier: GPL-2.0
/* 100,000 calls of malloc on each of two CPUs, of sizes that no other code requests. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static void *thread(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((long)arg, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
	for (int i = 0; i < 100000; i++) {
		void *volatile p = malloc(4242 + (long)arg);

		free(p);
	}
	return NULL;
}

int main(void)
{
	pthread_t id[2];

	for (long i = 0; i < 2; i++)
		if (pthread_create(&id[i], NULL, thread, (void *)i))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	return 0;
}
