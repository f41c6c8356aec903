// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the memory that the report of tap blame takes: calls that fail without end, in many
 * tasks and in many ways. Built with sanitizers, which know how much is allocated.
 */
#include <stdio.h>

#include "blame/blame.h"
#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "session/reader.h"

/* Of the sanitizer; gcc has no header for it. */
size_t __sanitizer_get_current_allocated_bytes(void);

#define RING		(16U << 20)
/* Words of a call: duration, return value, whether it is inside another one, arguments. */
#define ARGUMENTS	43
#define WORDS		(3 + ARGUMENTS)
#define CALL		1

/* Failures that differ: each has one call more inside it. */
#define WAYS		300
/* Calls inside others that never return. */
#define TASKS		60
#define OF_A_TASK	1000

static struct fake fake;
static struct tap_probes probes;
static struct tap_reader *reader;
static struct blame *blame;
static size_t before, most;

static void fill_probes(void)
{
	struct tap_field fields[1 + ARGUMENTS] = { FIELD(BLAME_ENCLOSED, U64, 2, 1) };
	const struct tap_field argument = FIELD("", X64, 0, 1);
	unsigned int i;

	for (i = 1; i <= ARGUMENTS; i++) {
		fields[i] = argument;
		fields[i].word = 2 + i;
		snprintf(fields[i].name, sizeof(fields[i].name), "a%u", i);
	}
	fake_probe(&probes, CALL, TAP_PROBE_CALL, "call:drv_fail", WORDS, fields, ARRAY_SIZE(fields));
}

/* A call that returned -EIO, and is added to the report. Its arguments are as long as they can be. */
static void fail(__u32 tid, __u64 duration, bool enclosed)
{
	const struct tap_probe *p = tap_probes_find(&probes, CALL);
	struct tap_resv resv = tap_ring_reserve(&fake.w[0], p->slots * TAP_SLOT_SIZE);
	struct tap_record *rec = tap_ring_slot(&fake.w[0], resv.pos);
	struct tap_event ev;
	unsigned int i;
	size_t now;

	if (resv.pos & TAP_RESV_FAILED)
		abort();
	fake_fill(&fake, 0, resv.pos, resv.time, CALL, p->slots, 0);
	rec->tid = tid;
	fake_set_word(&fake, 0, resv.pos, 0, duration);
	fake_set_word(&fake, 0, resv.pos, 1, (__u64)-5);
	fake_set_word(&fake, 0, resv.pos, 2, enclosed);
	for (i = 3; i < WORDS; i++)
		fake_set_word(&fake, 0, resv.pos, i, ~0ULL);
	tap_ring_commit(rec, resv.pos);
	fake_time += 10;
	tap_reader_drain(reader, true);
	while (tap_reader_next(reader, &ev))
		if (tap_decode(&probes, &ev) || blame_event(blame, &ev))
			abort();
	now = __sanitizer_get_current_allocated_bytes() - before;
	if (now > most)
		most = now;
}

static char *print(void)
{
	struct blame_out out = { 0 };
	char *text;
	size_t size;

	out.to = open_memstream(&text, &size);
	if (!out.to || blame_print(blame, &out) != BLAME_FAILED || fclose(out.to))
		abort();
	return text;
}

/* The number behind a text; 0: it is not there. */
static unsigned long number(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	return at ? strtoul(at + strlen(what), NULL, 10) : 0;
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		nr++;
	return nr;
}

int main(void)
{
	struct tap_formatter_opts names = { .size = sizeof(names) };
	unsigned long i, k, kept, others, unused;
	struct tap_error err;
	char *text;

	fake_init(&fake, 1, RING, 0);
	fill_probes();
	if (tap_reader_open_memory(&reader, &fake.meta, fake.heads, fake.tails, fake.slots, NULL, NULL))
		abort();
	names.timebase = tap_reader_timebase(reader);
	before = __sanitizer_get_current_allocated_bytes();
	if (blame_open(&blame, &probes, &names, NULL, &err))
		abort();
	for (i = 1; i <= WAYS; i++) {
		for (k = 0; k < i; k++)
			fail(1, 1, true);
		fail(1, 10 * i + 5, false);
	}
	for (i = 0; i < TASKS; i++)
		for (k = 0; k < OF_A_TASK; k++)
			fail(2 + i, 1, true);
	check(most <= blame_memory() && most > blame_memory() / 2, "%zu bytes of at most %zu", most, blame_memory());
	text = print();
	kept = count(text, "<- here");
	others = number(text, "for which there is no room: ");
	unused = number(text, "or has not ended: ");
	check(kept && others && kept + others == WAYS, "%lu failures are kept, %lu are counted", kept, others);
	check(unused == TASKS * OF_A_TASK, "%lu calls of failures that have not ended are counted", unused);
	free(text);
	blame_close(blame);
	tap_reader_close(reader);
	tap_probes_clear(&probes);
	fake_free(&fake);
	return check_end();
}
