// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the memory that the report of tap blame takes: calls that fail without end, in many
 * tasks and in many ways. Built with sanitizers, which know how much is allocated. It also tests how the
 * report prints the name of a task, which may be any bytes, and the error message about a file of
 * another build.
 */
#include <stdio.h>
#include <unistd.h>

#include "blame/blame.h"
#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "selftests/lib/tmpfile.h"
#include "session/reader.h"
#include "types/btf.h"

/* Of the sanitizer; gcc has no header for it. */
size_t __sanitizer_get_current_allocated_bytes(void);

#define RING		(16U << 20)
/* Words of a call: duration, return value, whether it is inside another one, arguments. */
#define ARGUMENTS	43
#define WORDS		(3 + ARGUMENTS)
#define CALL		1
/* Two functions of a module. */
#define FIRST		2
#define SECOND		3
/* The name of the task, which is the first two arguments as well. */
#define COMM		"a\xff\xfe\"b\x1b" "cdefghijkl"

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
	struct tap_field fields[2 + ARGUMENTS] = { FIELD(BLAME_ENCLOSED, U64, 2, 1) };
	const struct tap_field argument = FIELD("", X64, 0, 1);
	unsigned int i;

	for (i = 1; i <= ARGUMENTS; i++) {
		fields[i] = argument;
		fields[i].word = 2 + i;
		snprintf(fields[i].name, sizeof(fields[i].name), "a%u", i);
	}
	fields[i] = (struct tap_field)FIELD("comm", COMM, 3, 2, .flags = TAP_FIELD_F_HIDDEN);
	fake_probe(&probes, CALL, TAP_PROBE_CALL, "call:drv_fail", WORDS, fields, ARRAY_SIZE(fields));
	fake_probe(&probes, FIRST, TAP_PROBE_CALL, "drv:first", WORDS, fields, ARRAY_SIZE(fields));
	fake_probe(&probes, SECOND, TAP_PROBE_CALL, "drv:second", WORDS, fields, ARRAY_SIZE(fields));
}

/* A call that returned -EIO, and is added to the report. Its arguments are as long as they can be. */
static void fail(__u32 id, __u32 tid, __u64 duration, bool enclosed)
{
	const struct tap_probe *p = tap_probes_find(&probes, id);
	struct tap_resv resv = tap_ring_reserve(&fake.w[0], p->slots * TAP_SLOT_SIZE);
	struct tap_record *rec = tap_ring_slot(&fake.w[0], resv.pos);
	struct tap_event ev;
	__u64 comm[2];
	unsigned int i;
	size_t now;

	memcpy(comm, COMM, sizeof(comm));
	if (resv.pos & TAP_RESV_FAILED)
		abort();
	fake_fill(&fake, 0, resv.pos, resv.time, id, p->slots, 0);
	rec->tid = tid;
	fake_set_word(&fake, 0, resv.pos, 0, duration);
	fake_set_word(&fake, 0, resv.pos, 1, (__u64)-5);
	fake_set_word(&fake, 0, resv.pos, 2, enclosed);
	for (i = 3; i < WORDS; i++)
		fake_set_word(&fake, 0, resv.pos, i, i < 5 ? comm[i - 3] : ~0ULL);
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

static char *print(bool json)
{
	struct blame_out out = { .json = json };
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

/* What is printed on stderr meanwhile. */
static char *print_stderr(void)
{
	static char text[4000];
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);

	if (!file || saved < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
		abort();
	free(print(false));
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* Two functions fail, of a loaded module; the file that --debug names is of another build. */
static void test_stale(const struct tap_formatter_opts *names)
{
	static char dir[] = "/tmp/blame_report_test.XXXXXX";
	struct tap_types *types = tap_types_new();
	struct tap_error err;
	char command[600], path[64];
	const char *text;

	native_dir(dir);
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p sys/module/drv/notes && echo live >sys/module/drv/initstate && "
		 "echo 'int first;' >a.c && echo 'int second;' >b.c && gcc -g -c a.c && gcc -g -c b.c && "
		 "ld -r --build-id=sha1 -o drv.ko a.o && ld -r --build-id=sha1 -o loaded b.o && "
		 "objcopy -O binary --only-section=.note.gnu.build-id --set-section-flags "
		 ".note.gnu.build-id=alloc loaded sys/module/drv/notes/.note.gnu.build-id", dir);
	snprintf(path, sizeof(path), "%s/drv.ko", dir);
	if (!types || system(command) || tap_types_add_debug(types, path, &err))
		abort();
	tap_types_debug(types)->root = dir;
	if (blame_open(&blame, &probes, names, types, &err))
		abort();
	fail(FIRST, 1, 1, false);
	fail(SECOND, 1, 1, false);
	text = print_stderr();
	if (!ok(count(text, "no lines are known: ") == 1 &&
		strstr(text, "/drv.ko: is of another build of the module drv"), "a file of another build is named once"))
		printf("# %s\n", text);
	blame_close(blame);
	tap_types_free(types);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		abort();
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
			fail(CALL, 1, 1, true);
		fail(CALL, 1, 10 * i + 5, false);
	}
	for (i = 0; i < TASKS; i++)
		for (k = 0; k < OF_A_TASK; k++)
			fail(CALL, 2 + i, 1, true);
	check(most <= blame_memory() && most > blame_memory() / 2, "%zu bytes of at most %zu", most, blame_memory());
	text = print(false);
	kept = count(text, "<- here");
	others = number(text, "for which there is no room: ");
	unused = number(text, "or has not ended: ");
	check(kept && others && kept + others == WAYS, "%lu failures are kept, %lu are counted", kept, others);
	check(unused == TASKS * OF_A_TASK, "%lu calls of failures that have not ended are counted", unused);
	check(!strncmp(text, "a??\"b?cdefghijkl: -EIO", 22), "the text has a name without control characters: %.40s", text);
	free(text);
	text = print(true);
	check(strstr(text, "\"comm\":\"a\\ufffd\\ufffd\\\"b\\u001bcdefghijkl\",\"tid\""), "the JSON has a name in UTF-8");
	free(text);
	blame_close(blame);
	test_stale(&names);
	tap_reader_close(reader);
	tap_probes_clear(&probes);
	fake_free(&fake);
	return check_end();
}
