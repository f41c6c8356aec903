// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the event language. The first line of an input is an event, each further line a key; a
 * line that starts with a digit is an aggregation: its kind and its value.
 */
#include "spec/spec.h"
#include "kernel/kallsyms.h"
#include "selftests/lib/fuzz/fuzz.h"
#include "selftests/lib/expr_harness.h"
#include "selftests/lib/op_text.h"
#include "kernel/ksyms.h"

#define MAX_LINES	8

/*
 * Replaces the symbols of the running kernel, which differ between machines, and take as long to
 * read as a hundred inputs.
 */
int __wrap_tap_kallsyms_each(int (*fn)(const struct tap_kallsym *sym, void *arg),
			     void *arg);

int __wrap_tap_kallsyms_each(int (*fn)(const struct tap_kallsym *sym, void *arg),
			     void *arg)
{
	static char names[][8] = { "jiffies", "write", "hidden" };
	size_t i;
	int ret;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tap_kallsym sym = {
			.addr = *names[i] == 'h' ? 0 : 0xffffffff82000000 + 64 * i,
			.type = 'T',
			.name = names[i],
			.len = strlen(names[i]),
			.module = "",
		};

		ret = fn(&sym, arg);
		if (ret)
			return ret;
	}
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	expr_open();
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tap_spec_value values[MAX_LINES];
	const char *keys[MAX_LINES];
	unsigned int nr_keys = 0, nr_values = 0;
	static char steps[65536];
	char *text, *line, *rest;
	struct tap_error err;
	struct tap_spec spec;

	text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rest = text;
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n"))) {
		if (*line >= '0' && *line <= '9') {
			if (nr_values < MAX_LINES)
				values[nr_values++] = (struct tap_spec_value) {
					.size = sizeof(values[0]),
					.kind = (__u16)(*line - '0'), .expr = line + 1,
					.avg = *line & 1, .step = 10, .buckets = 4,
				};
		} else if (nr_keys < MAX_LINES) {
			keys[nr_keys++] = line;
		}
	}
	if (!expr_make_aggregate(text, keys, nr_keys, values, nr_values, &spec, &err)) {
		/* The program must be valid, too. */
		if (spec.nr_ops > TAP_MAX_OPS || spec.data_len > TAP_MAX_DATA)
			abort();
		put_steps(steps, &spec);
		print_structs(&spec);
		tap_spec_clear(&spec);
	} else if (!*err.text) {
		abort();
	}
	free(text);
	return 0;
}
