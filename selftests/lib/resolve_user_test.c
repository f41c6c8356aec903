// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of events in programs: wrong texts with their error messages and marks; and, with
 * programs that are built here, the places, programs and fields of events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/lang.h"
#include "resolve/resolve.h"
#include "util/util.h"
#include "elf/elf_object.h"
#include "file/file_internal.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"
#include "compile/program.h"
#include "spec/spec.h"
#include "selftests/lib/op_text.h"
#include "selftests/lib/arch_operands.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/resolve_user_tables.h"
#include "util/value_names.h"

/* ---------------------------------------------------------------- programs */

static char dir[] = "/tmp/user_test.XXXXXX";

/* A note as <sys/sdt.h> makes it, with known operands. */
#define NOTE(label, semaphore, provider, name, args)	\
	"asm(\".pushsection .note.stapsdt,\\\"\\\",\\\"note\\\"\\n\"\n" \
	"\".balign 4\\n.4byte 2f-1f,4f-3f,3\\n1:.asciz \\\"stapsdt\\\"\\n\"\n" \
	"\"2:.balign 4\\n3:.8byte " label ",0," semaphore "\\n\"\n" \
	"\".asciz \\\"" provider "\\\"\\n.asciz \\\"" name "\\\"\\n\"\n" \
	"\".asciz \\\"" args "\\\"\\n4:.balign 4\\n.popsection\\n\");\n"

static const char a_c[] =
	"#define F __attribute__((noinline, used))\n"
	"unsigned short counter __attribute__((section(\".probes\"))) = 0;\n"
	"F int first(int a, char *b) { return a + *b; }\n"
	"int other(int a, char *b) __attribute__((alias(\"first\")));\n"
	"F static int twin(int a) { return a * 3; }\n"
	"F int chosen_fast(int a) { return a + 1; }\n"
	"static int (*choose(void))(int) { return chosen_fast; }\n"
	"int chosen(int a) __attribute__((ifunc(\"choose\")));\n"
	"asm(\".pushsection .text\\n.globl wide\\n.type wide,@function\\n\"\n"
	"\"wide: " WIDE_CODE "\\n\"\n"
	"\".size wide,.-wide\\n.popsection\\n\");\n"
	NOTE("site", "counter", "app", "regs", USDT_REGS)
	NOTE("site", "0", "app", "memory", USDT_MEMORY)
	NOTE("site", "0", "app", "none", "")
	NOTE("site", "0", "app", "places", USDT_REG)
	NOTE("wide", "0", "app", "places", USDT_5)
	NOTE("wide", "0", "lib", "float", USDT_FLOAT)
	"int b(int);\nint main(int c, char **v)\n"
	"{ return first(c, v[0]) + twin(c) + b(c) + chosen(c); }\n";

static const char b_cc[] =
	"#define F __attribute__((noinline, used))\n"
	"F static int twin(int a) { return a * 5; }\n"
	"namespace ns { struct C { int n; F int get(int a) { return a + n; }\n"
	"F int get(int a, char b) { return a * b + n; }\n"
	"F int operator+(int a) { return a - n; } }; }\n"
	"extern \"C\" int b(int a) { ns::C c = { a };\n"
	"return twin(a) + c.get(1) + c.get(2, 'x') + (c + 3); }\n";

#define SITE	atoi(WIDE_SITE)

static void build(void)
{
	char command[512];

	native_write(dir, "a.c", a_c);
	native_write(dir, "b.cc", b_cc);
	snprintf(command, sizeof(command),
		 "cd %s && gcc -w -O1 -c a.c && g++ -O1 -c b.cc && gcc -Wl,-z,separate-code -o a a.o b.o && strip -o stripped a && cp a b:c= && cp a 'a b'",
		 dir);
	if (system(command)) {
		printf("# cannot be built: %s\n", command);
		exit(1);
	}
}

static void remove_all(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		printf("# %s is left\n", dir);
}

/* Replaces each $/ by the test's directory. */
static const char *in_dir(const char *text)
{
	static char out[2048];
	char *to = out;

	for (; *text; text++) {
		if (text[0] == '$' && text[1] == '/')
			to += sprintf(to, "%s", dir);
		else
			*to++ = *text;
	}
	*to = '\0';
	return out;
}

static int expand(const char *text, struct tap_spec **list, size_t *nr,
		  struct tap_error *err)
{
	struct tap_spec spec;
	int ret;

	*list = NULL;
	*nr = 0;
	ret = tap_spec_parse_into(&spec, in_dir(text), err);
	if (ret)
		return ret;
	ret = tap_spec_expand_in(NULL, NULL, &spec, list, nr, err);
	tap_spec_clear(&spec);
	return ret;
}

/* ------------------------------------------------------------------ tables */

/* Makes a wrong event: from its text only, or with its program but no place. */
static int make(const char *text, struct tap_spec *spec, struct tap_error *err)
{
	struct tap_scope scope = { .why = "debug information of programs is not used" };
	int ret = tap_spec_parse_into(spec, text, err);

	return ret ? ret : make_event_end(0, spec, &scope, err);
}

/* Makes a valid event, which must have one place. */
static int make_at_place(const char *text, struct tap_spec *spec, struct tap_error *err)
{
	struct tap_spec *list;
	size_t nr;
	int ret = expand(text, &list, &nr, err);

	if (ret)
		return ret;
	if (nr != 1) {
		snprintf(err->text, sizeof(err->text), "%zu places", nr);
		free_events(list, nr);
		return -EINVAL;
	}
	*spec = list[0];
	free(list);
	return 0;
}

static void test_unfit(void)
{
	const struct wrong_event *row;
	struct tap_spec *list;
	struct tap_error err;
	const char *last;
	size_t nr;
	bool good;
	int ret;

	for (row = user_unfit; row < user_unfit + nr_user_unfit; row++) {
		ret = expand(row->text, &list, &nr, &err);
		last = ret ? strrchr(err.text, '\n') : NULL;
		good = ret && ret == row->code && strstr(err.text, row->says) && last &&
		       !strcmp(last + 1 + strspn(last + 1, " "), row->mark);
		check(good, "unfit: %s", row->text);
		if (!good)
			printf("# %d: %s\n", ret, ret ? err.text : "");
		if (!ret)
			free_events(list, nr);
	}
}

/* Compares in any order; duplicates count. */
static bool same_events(const char *want, const struct tap_spec *list,
			size_t nr)
{
	char text[2048], *at, *event;
	size_t i, left = nr;
	bool used[32] = { false };

	if (nr > ARRAY_SIZE(used))
		return false;
	snprintf(text, sizeof(text), "%s", in_dir(want));
	for (at = text; *at; left--) {
		/* Blanks in quotes do not separate. */
		bool quoted = false;

		for (event = at; *at && (quoted || *at != ' '); at++)
			quoted ^= *at == '"';
		if (*at)
			*at++ = '\0';
		for (i = 0; i < nr; i++)
			if (!used[i] && !strcmp(list[i].event, event))
				break;
		if (i == nr)
			return false;
		used[i] = true;
	}
	return !left;
}

static bool good_spec(const struct tap_spec *spec)
{
	const char *place = strchr(spec->event, ':');
	size_t len = strlen(spec->target);

	/* The target has the path without quotes. */
	if (place[1] == '"')
		place = strchr(place + 2, '"');
	return spec->elf && tap_elf_fd(spec->elf) >= 0 && spec->offset &&
	       len < TAP_MAX_TARGET && len >= strlen(place + 1) &&
	       !strcmp(spec->target + len - strlen(place + 1), place + 1);
}

static bool expansion_is(const char *want, const struct tap_spec *list, size_t nr)
{
	bool good = same_events(want, list, nr);
	size_t i;

	for (i = 0; good && i < nr; i++)
		good = good_spec(&list[i]);
	return good;
}

/* A place that matches in several ways occurs once. */
static void test_places(void)
{
	struct tap_spec *list, *by_offset;
	struct tap_error err;
	char text[64];
	size_t nr, n;
	__u64 wide;
	int ret;

	if (expand("uprobe:$/a:wide", &list, &nr, &err))
		exit(1);
	wide = list[0].offset;
	free_events(list, nr);
	if (expand("uprobe:$/a:wide+" WIDE_SITE, &list, &nr, &err))
		exit(1);
	check(list[0].offset == wide + SITE, "an offset is relative to the function");
	snprintf(text, sizeof(text), "uprobe:$/a:0x%llx",
		 (unsigned long long)wide + SITE);
	check(!expand(text, &by_offset, &n, &err) && n == 1 &&
	      by_offset[0].offset == wide + SITE &&
	      !strcmp(by_offset[0].event, list[0].event),
	      "an offset in the file is shown with its function");
	free_events(by_offset, n);
	free_events(list, nr);
	snprintf(text, sizeof(text), "uprobe:$/stripped:0x%llx $arg1",
		 (unsigned long long)wide);
	check(!expand(text, &list, &nr, &err) && nr == 1 &&
	      list[0].offset == wide && strstr(list[0].event, ":0x"),
	      "without symbols an offset is accepted, with arguments");
	free_events(list, nr);
	snprintf(text, sizeof(text), "uprobe:$/stripped:0x%llx",
		 (unsigned long long)wide + 2);
	ret = expand(text, &list, &nr, &err);
	check(ret == (INSN_ALIGNED ? -EILSEQ : 0),
	      "without symbols any instruction is accepted as a function");
	if (!ret)
		free_events(list, nr);
	snprintf(text, sizeof(text), "uprobe:$/a:0x%llx $arg1",
		 (unsigned long long)wide + SITE);
	check(expand(text, &list, &nr, &err) == -EINVAL &&
	      strstr(err.text, "at the start of the function"),
	      "inside a function arguments are refused, in any notation");
	snprintf(text, sizeof(text), "uretprobe:$/a:0x%llx",
		 (unsigned long long)wide + SITE);
	check(expand(text, &list, &nr, &err) == -EINVAL &&
	      strstr(err.text, "this is inside wide"),
	      "a return probe inside a function is refused");
	check(!expand("usdt:$/a:regs", &list, &nr, &err) &&
	      list[0].offset == wide + SITE && list[0].semaphore,
	      "a USDT probe has a place and a semaphore");
	free_events(list, nr);
	check(!expand("usdt:$/a:places", &list, &nr, &err) && nr == 2 &&
	      list[0].offset + list[1].offset == 2 * wide + SITE &&
	      list[0].ops[0].code != list[1].ops[0].code &&
	      !list[0].semaphore, "each place of a USDT probe has its own arguments");
	free_events(list, nr);
}

/* ---------------------------------------------------- stacks and aggregates */

static void test_stacks(void)
{
	static const struct {
		const char *event;
		__u32 bytes;
		const char *text;
	} bad_copies[] = {
		{ "kprobe:f", 4, "in multiples of 8" },
		{ "kprobe:f", TAP_MAX_STACK_COPY, "at most" },
		{ "funcgraph:f", 0, "has no room for a copy" },
		{ "span:s from kprobe:f on tid to kprobe:g on tid", 0, "has no room for a copy" },
	};
	static const char *const keys[] = { "comm", "ustack[8]" };
	static const char *const four[] = { "comm", "ustack", "tid", "cpu" };
	struct tap_spec spec, *list = NULL;
	const struct tap_spec_agg *agg;
	struct tap_error err;
	char fields[512];
	size_t nr = 0;
	int ret;

	ret = tap_spec_parse_into(&spec, "kprobe:f $arg1 kstack[3]", &err);
	if (!ret)
		ret = tap_spec_stack(&spec, true, 16, &err);
	if (!ret)
		ret = tap_spec_stack(&spec, false, 16, &err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, &err);
	check(!ret, "requested stacks are appended to the values");
	if (!ret) {
		put_fields(fields, &list[0]);
		check(!strcmp(fields, "arg1/0/0 kstack/26/1 ustack/27/5"),
		      "a stack that the event has is not added: %s", fields);
		free_events(list, nr);
	}
	tap_spec_clear(&spec);

	ret = tap_spec_parse_into(&spec, "kprobe:f", &err);
	check(!ret && tap_spec_stack(&spec, true, 128, &err) == -EINVAL &&
	      strstr(err.text, "at most 127"), "more than 127 frames");
	tap_spec_clear(&spec);

	ret = tap_spec_parse_into(&spec, "kprobe:f $arg1", &err);
	if (!ret)
		ret = tap_spec_stack_copy(&spec, 512, &err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, &err);
	check(!ret, "a copy of the stack: %s", err.text);
	if (!ret) {
		const struct tap_op *op = &list[0].ops[list[0].nr_ops - 1];

		put_fields(fields, &list[0]);
		check(!strcmp(fields, "arg1/0/0 ustack/27/1"), "its field: %s", fields);
		check(op->code == TAP_OP_USTACK_COPY && op->imm > 512 && op->imm % 8 == 0,
		      "its op");
		free_events(list, nr);
	}
	tap_spec_clear(&spec);
	for (nr = 0; nr < sizeof(bad_copies) / sizeof(*bad_copies); nr++) {
		ret = tap_spec_parse_into(&spec, bad_copies[nr].event, &err);
		check(!ret && tap_spec_stack_copy(&spec, bad_copies[nr].bytes, &err) < 0 &&
		      strstr(err.text, bad_copies[nr].text), "%s", bad_copies[nr].text);
		tap_spec_clear(&spec);
	}

	ret = tap_spec_parse_into(&spec, in_dir("ucall:$/a:first"), &err);
	if (!ret)
		ret = tap_spec_aggregate(&spec, keys, 2, NULL, 0, 64, &err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, &err);
	check(!ret, "a stack as a key");
	if (!ret) {
		agg = list[0].agg;
		check(agg->aggregate.nr_keys == 3 &&
		      agg->keys[1].format == TAP_FMT_USTACK &&
		      agg->keys[1].words == 9 &&
		      !strcmp(agg->keys[2].name, "tgid") &&
		      agg->keys[2].flags == TAP_FIELD_F_HIDDEN &&
		      agg->keys[2].word == 12 &&
		      agg->aggregate.keys[2].words == 1,
		      "the pid is a hidden key");
		free_events(list, nr);
	}
	tap_spec_clear(&spec);

	ret = tap_spec_parse_into(&spec, "kprobe:f", &err);
	if (!ret)
		ret = tap_spec_aggregate(&spec, four, 4, NULL, 0, 64, &err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, &err);
	check(ret == -EINVAL && strstr(err.text, "at most 3 keys"),
	      "the hidden key is one of the four");
	tap_spec_clear(&spec);
}

/* func tells the probes of a glob apart, but not the places of one of its events. */
static void test_func(void)
{
	static const char *const keys[] = { "func", "comm" };
	struct tap_spec spec, *list = NULL;
	const struct tap_field *first, *key;
	bool good = true, apart = false;
	struct tap_error err;
	size_t nr = 0, i;
	__u64 value;
	int ret;

	ret = tap_spec_parse_into(&spec, in_dir("usdt:$/a:a*:*e*"), &err);
	if (!ret)
		ret = tap_spec_aggregate(&spec, keys, 1, NULL, 0, 64, &err);
	if (!ret)
		ret = tap_spec_aggregate(&spec, keys, 2, NULL, 0, 64, &err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, &err);
	check(!ret && nr > 2, "func as a key of a glob");
	for (i = 0; i < nr && !ret; i++) {
		first = &list[0].agg[0].keys[0];
		key = &list[i].agg[0].keys[0];
		value = list[i].ops[0].imm;
		good &= key->flags == TAP_FIELD_F_PLACE && key->format == TAP_FMT_VALUE_NAME &&
			key->value_names == first->value_names && value <= i &&
			!strcmp(key->value_names->list[value].name, strchr(list[i].event, ':') + 1);
		good &= list[i].agg[0].aggregate.entries == 1 && list[i].agg[1].aggregate.entries == 64;
		if (i)
			good &= !strcmp(list[i].event, list[i - 1].event) ==
				(value == list[i - 1].ops[0].imm);
		apart |= value != 0;
	}
	check(good && apart, "each probe of a glob has its name");
	if (!ret)
		free_events(list, nr);
	tap_spec_clear(&spec);
	ret = tap_spec_parse_into(&spec, in_dir("ucall:$/a:first func"), &err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, &err);
	check(ret == -EINVAL && strstr(err.text, "no name \"func\""), "one function has no func");
	tap_spec_clear(&spec);
}

int main(void)
{
	native_dir(dir);
	build();
	check_wrong_events(user_wrong, nr_user_wrong, make);
	test_unfit();
	check_right_events("right", user_right, nr_user_right, make_at_place);
	check_expansions(user_expansions, nr_user_expansions, expand, expansion_is);
	test_places();
	test_stacks();
	test_func();
	remove_all();
	return check_end();
}
