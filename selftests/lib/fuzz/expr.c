// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the event language. The first line of an input is an event. Each further line is a key;
 * one that starts with a digit is an aggregation: its kind and its value; one that starts with % is
 * a counter of --pmu; an empty one begins another table, as --for does. An event behind a blank is
 * for the kernel of docs/event-language.md, whose examples are the inputs with spans, lines of the
 * source and structs (fuzz/run); others are for the kernel of fake_btf.c.
 */
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "selftests/lib/fuzz/fuzz.h"
#include "selftests/lib/expr_harness.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/language_kernel.h"
#include "selftests/lib/op_text.h"
#include "lang/lang.h"

#define MAX_LINES	16
#define MAX_TABLES	4

/* An input, cut into its lines. */
struct input {
	const char *keys[MAX_LINES];
	const char *pmu[MAX_LINES];
	struct tap_spec_value values[MAX_LINES];
	struct expr_table tables[MAX_TABLES];
	unsigned int nr_keys, nr_pmu, nr_values, nr_tables;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	expr_open();
	language_open();
	atexit(language_close);
	return 0;
}

/* Prints the structs of a record whose bytes are all 0. */
static void print_structs(const struct tap_spec *spec)
{
	static const __u64 words[TAP_MAX_STRING / 8];
	static char text[256 << 10];
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].format == TAP_FMT_STRUCT &&
		    tap_format_words(&opts, &spec->fields[i], words, text, sizeof(text)) < 0)
			abort();
}

/* The table of the next lines: the first, or with @another one more. */
static struct expr_table *table_of(struct input *in, bool another)
{
	if ((another || !in->nr_tables) && in->nr_tables < MAX_TABLES)
		in->tables[in->nr_tables++] = (struct expr_table) {
			.keys = &in->keys[in->nr_keys], .values = &in->values[in->nr_values],
		};
	return &in->tables[in->nr_tables - 1];
}

static void read_line(struct input *in, const char *line)
{
	if (!*line) {
		table_of(in, true);
	} else if (*line == '%') {
		if (in->nr_pmu < MAX_LINES)
			in->pmu[in->nr_pmu++] = line + 1;
	} else if (*line >= '0' && *line <= '9') {
		if (in->nr_values == MAX_LINES)
			return;
		table_of(in, false)->nr_values++;
		in->values[in->nr_values++] = (struct tap_spec_value) {
			.size = sizeof(in->values[0]), .kind = (__u16)(*line - '0'),
			.expr = line + 1, .avg = *line & 1, .step = 10, .buckets = 4,
		};
	} else if (in->nr_keys < MAX_LINES) {
		table_of(in, false)->nr_keys++;
		in->keys[in->nr_keys++] = line;
	}
}

/* Whether its names would be read from a file that the input names. */
static bool is_of_a_file(const struct tap_spec *spec)
{
	return spec->source && tap_probe_is_user(spec->type);
}

/* As the tool makes the probes of an event from its text. */
static int make_documented(const char *text, const struct input *in, struct tap_spec **list,
			   size_t *nr, struct tap_error *err)
{
	const struct expr_table *table;
	struct tap_spec spec;
	unsigned int i;
	int ret;

	*list = NULL;
	*nr = 0;
	ret = tap_spec_parse_into(&spec, text, err);
	if (ret)
		return ret;
	if (in->nr_pmu)
		ret = tap_spec_pmu(&spec, in->pmu, in->nr_pmu, err);
	for (i = 0; i < in->nr_tables && !ret; i++) {
		table = &in->tables[i];
		ret = tap_spec_aggregate(&spec, table->keys, table->nr_keys, table->values,
					 table->nr_values, 64, err);
	}
	if (!ret && !is_of_a_file(&spec))
		ret = language_expand(&spec, list, nr, err);
	tap_spec_clear(&spec);
	return ret;
}

static int make_event_of(const char *text, const struct input *in, struct tap_spec **list,
			 size_t *nr, struct tap_error *err)
{
	int ret;

	if (*text == ' ')
		return make_documented(text + 1, in, list, nr, err);
	*nr = 0;
	*list = calloc(1, sizeof(**list));
	if (!*list)
		abort();
	ret = expr_make_tables(text, in->tables, in->nr_tables, *list, err);
	if (ret)
		free(*list);
	else
		*nr = 1;
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tap_error err = { 0 };
	struct tap_spec *list = NULL;
	static char steps[65536];
	struct input in = { 0 };
	char *text, *line, *rest;
	size_t nr, i;

	text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rest = text;
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")))
		read_line(&in, line);
	if (make_event_of(text, &in, &list, &nr, &err)) {
		if (!*err.text)
			abort();
		nr = 0;
	}
	for (i = 0; i < nr; i++) {
		/* The program must be valid, too. */
		if (list[i].nr_ops > TAP_MAX_OPS || list[i].data_len > TAP_MAX_DATA)
			abort();
		put_steps(steps, &list[i]);
		print_structs(&list[i]);
	}
	if (nr)
		free_events(list, nr);
	free(text);
	return 0;
}
