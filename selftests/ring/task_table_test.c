// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the task table of module/exec/task_table.h: a task finds its place again, no two
 * tasks share a place, and accesses of the previous owner of a place end before the next owner's.
 *
 * Negative controls: with -DBREAK=N, see task_table_shim.h.
 */
#include <pthread.h>

#include "selftests/lib/check.h"
#include "selftests/ring/task_table_shim.h"
#include "module/exec/task_table.h"

#define LINE_TASKS	((TAP_TASK_FURTHER + 1) * TAP_TASK_KEYS)
#define THREADS		8
#define ROUNDS		20000

static struct tap_task_table table;

/* Address of a task: task_struct has some kilobytes, at regular distances. */
static struct task_struct *task_of(unsigned int nr)
{
	return (struct task_struct *)(0xffff888100000000ull + (u64)nr * 0x2a00);
}

static int take(unsigned int nr)
{
	shim_current = task_of(nr);
	return tap_task_take(&table);
}

static int find(unsigned int nr)
{
	shim_current = task_of(nr);
	return tap_task_find(&table);
}

static bool open_table(u32 tasks)
{
	tap_task_table_size(&table, tasks);
	if (!tap_task_table_alloc(&table))
		return false;
	tap_task_table_clear(&table);
	return true;
}

static void case_size(void)
{
	u32 tasks, wrong = 0;

	for (tasks = 0; tasks <= 100000; tasks++) {
		tap_task_table_size(&table, tasks);
		wrong += tap_task_places(&table) + TAP_TASK_KEYS <= tasks * TAP_TASK_SPREAD ||
			 (tasks > 4 && tap_task_places(&table) >= tasks * 2 * TAP_TASK_SPREAD) ||
			 !table.bits;
	}
	check(!wrong, "the table has places for 4 to 8 times the number of tasks, less one line");
}

/* With the kernel's hash: every task has a place in a table that is a quarter full. */
static void case_hash(void)
{
	u32 tasks, nr, without = 0, lost = 0;

	for (tasks = 1; tasks <= 4096; tasks *= 2) {
		if (!open_table(tasks))
			return check(false, "the table is allocated");
		for (nr = 0; nr < tasks; nr++)
			without += take(nr) < 0;
		for (nr = 0; nr < tasks; nr++)
			lost += find(nr) < 0;
		lost += find(tasks) >= 0;
		free(table.lines);
	}
	check(!without, "%u tasks have no place, expected 0", without);
	check(!lost, "%u tasks do not find their place, expected 0", lost);
}

/* All tasks hash to one line: the worst case. */
static void case_one_line(int line)
{
	int place[LINE_TASKS + 1];
	unsigned int used[2048] = {};
	unsigned int nr, wrong = 0;

	if (!open_table(500))
		return check(false, "the table is allocated");
	shim_line = line;
	for (nr = 0; nr < LINE_TASKS; nr++) {
		wrong += find(nr) != -1;
		place[nr] = take(nr);
		wrong += place[nr] < 0 || (unsigned int)place[nr] >= tap_task_places(&table);
		if (place[nr] >= 0)
			wrong += used[place[nr]]++;
	}
	check(!wrong, "line %d: all tasks that fit from this line on have a place", line);
	for (nr = 0, wrong = 0; nr < LINE_TASKS; nr++)
		wrong += find(nr) != place[nr];
	check(!wrong, "line %d: each task finds its place", line);
	check(take(LINE_TASKS) == -1 && find(LINE_TASKS) == -1, "line %d: one more task has no place", line);
	shim_current = task_of(0);
	tap_task_release(&table, place[0]);
	check(find(0) == -1, "line %d: a released place has no owner", line);
	check(take(LINE_TASKS) == place[0] && find(LINE_TASKS) == place[0],
	      "line %d: the next task takes the released place", line);
	for (nr = 1, wrong = 0; nr < LINE_TASKS; nr++)
		wrong += find(nr) != place[nr];
	check(!wrong, "line %d: the others keep theirs", line);
	tap_task_table_clear(&table);
	for (nr = 0, wrong = 0; nr <= LINE_TASKS; nr++)
		wrong += find(nr) != -1;
	check(!wrong, "line %d: a cleared table has no owner", line);
	shim_line = -1;
	free(table.lines);
}

/* Data of a place: only its owner accesses it, by plain loads and stores. */
static struct task_struct **left;
static unsigned int wrong_owners;

/* Tasks that start and end. */
static void *thread_main(void *data)
{
	unsigned int first = (uintptr_t)data, round, wrong = 0;

	for (round = 0; round < ROUNDS; round++) {
		int place = take(first + round % 16);

		if (place < 0) {
			wrong++;
			continue;
		}
		wrong += left[place] != NULL;
		left[place] = shim_current;
		wrong += tap_task_find(&table) != place || left[place] != shim_current;
		left[place] = NULL;
		tap_task_release(&table, place);
	}
	__atomic_fetch_add(&wrong_owners, wrong, __ATOMIC_RELAXED);
	return NULL;
}

static void case_threads(int line)
{
	pthread_t thread[THREADS];
	uintptr_t i;

	wrong_owners = 0;
	if (!open_table(2 * THREADS))
		return check(false, "the table is allocated");
	left = calloc(tap_task_places(&table), sizeof(*left));
	shim_line = line;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, thread_main, (void *)(i * 16)))
			abort();
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	shim_line = -1;
	check(!wrong_owners, "%u threads, %s: %u wrong places or owners", THREADS,
	      line < 0 ? "as they are" : "all in one line", wrong_owners);
	free(left);
	free(table.lines);
}

int main(void)
{
	case_size();
	case_hash();
	case_one_line(0);
	case_one_line(255);
	case_threads(-1);
	case_threads(1);
	return check_end();
}
