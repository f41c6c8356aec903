// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of libtap as programs of other versions use it: structures of other sizes, and values
 * that accessors return. Includes only public headers, and util/sized.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libtap.h>

#include "selftests/lib/check.h"
#include "util/sized.h"

/*
 * No structure with a size member ends with a hole: a later member in the hole would not change the
 * size, and an older caller may have any bytes there.
 */
#define NO_HOLE(type, last)	\
	_Static_assert(offsetof(struct type, last) + sizeof(((struct type *)0)->last) == \
		       sizeof(struct type), #type " ends with a hole")

NO_HOLE(tap_session_opts, panic);
NO_HOLE(tap_spec_value, step);
NO_HOLE(tap_formatter_opts, more_arg);
NO_HOLE(tap_reader_counts, disordered);
NO_HOLE(tap_file_info, __reserved);
NO_HOLE(tap_file_stats, flags);
NO_HOLE(tap_file_program, __reserved);

/* Structures in arrays of callers, or on their stacks without a size member. */
_Static_assert(sizeof(struct tap_event) == 64, "the size of struct tap_event is fixed");
_Static_assert(sizeof(struct tap_timebase) == 40, "the size of struct tap_timebase is fixed");
_Static_assert(sizeof(struct tap_error) == 516, "the size of struct tap_error is fixed");
_Static_assert(sizeof(struct tap_bucket) == 24, "the size of struct tap_bucket is fixed");

/* A structure of three releases: the second added b, the third c. */
struct sized {
	size_t size;
	__u64 a;
	__u64 b;
	__u64 c;
};

#define SIZE_TO(member)	(offsetof(struct sized, member) + sizeof(__u64))

static void test_read(void)
{
	struct sized from = { .a = 1, .b = 2, .c = 3 };
	struct sized to;
	int ret;

	/* A caller of the second release: it knows neither c nor its offset. */
	memset(&to, 0xff, sizeof(to));
	from.size = SIZE_TO(a);
	ret = tap_sized_read(&to, SIZE_TO(b), &from);
	check(!ret && to.a == 1 && !to.b && to.size == SIZE_TO(b),
	      "an older caller: %d, b %llu", ret, (unsigned long long)to.b);
	check(to.c == ~0ULL, "nothing beyond the library's own structure is written");
	from.size = SIZE_TO(b);
	ret = tap_sized_read(&to, SIZE_TO(b), &from);
	check(!ret && to.a == 1 && to.b == 2, "the same release: %d", ret);
	from.size = SIZE_TO(c);
	ret = tap_sized_read(&to, SIZE_TO(b), &from);
	check(ret == -E2BIG, "a newer caller that wants something: %d", ret);
	from.c = 1ULL << 56;
	ret = tap_sized_read(&to, SIZE_TO(b), &from);
	check(ret == -E2BIG, "in the last byte: %d", ret);
	from.c = 0;
	memset(&to, 0xff, sizeof(to));
	ret = tap_sized_read(&to, SIZE_TO(b), &from);
	check(!ret && to.b == 2 && to.c == ~0ULL && to.size == SIZE_TO(b),
	      "a newer caller that wants nothing new: %d", ret);
	from.size = 0;
	check(tap_sized_read(&to, SIZE_TO(b), &from) == -EINVAL, "no size");
	from.size = sizeof(size_t) - 1;
	check(tap_sized_read(&to, SIZE_TO(b), &from) == -EINVAL, "a size smaller than its own member");
}

static void test_write(void)
{
	const struct sized from = { .size = SIZE_TO(b), .a = 1, .b = 2, .c = 3 };
	struct sized to;
	int ret;

	memset(&to, 0xff, sizeof(to));
	to.size = SIZE_TO(a);
	ret = tap_sized_write(&to, &from, SIZE_TO(b));
	check(!ret && to.size == SIZE_TO(a) && to.a == 1 && to.b == ~0ULL,
	      "members that an older caller lacks are not written: %d", ret);
	to.size = SIZE_TO(b);
	ret = tap_sized_write(&to, &from, SIZE_TO(b));
	check(!ret && to.a == 1 && to.b == 2 && to.c == ~0ULL, "the same release: %d", ret);
	to.size = SIZE_TO(c);
	ret = tap_sized_write(&to, &from, SIZE_TO(b));
	check(!ret && to.size == SIZE_TO(c) && to.b == 2 && !to.c,
	      "a newer caller gets 0 in members that libtap does not know: %d", ret);
	to.size = 0;
	check(tap_sized_write(&to, &from, SIZE_TO(b)) == -EINVAL, "no size");
}

/* Elements of an array, which have another size in a caller of another version. */
struct wide_value {
	struct tap_spec_value value;
	__u64 later;
};

static int aggregate(const struct tap_spec_value *values, unsigned int nr)
{
	static const char *const keys[] = { "comm" };
	struct tap_spec *spec;
	struct tap_error err;
	int ret = tap_spec_parse("call:vfs_read", &spec, &err);

	if (ret)
		return ret;
	ret = tap_spec_aggregate(spec, keys, 1, values, nr, 0, &err);
	if (!ret && !tap_spec_aggregates(spec))
		ret = -ENODATA;
	tap_spec_free(spec);
	return ret;
}

static void test_values(void)
{
	struct wide_value values[2] = {
		{ .value = { .size = sizeof(values[0]), .kind = TAP_AGG_SUM,
			     .expr = "duration" } },
		{ .value = { .size = sizeof(values[0]), .kind = TAP_AGG_LHIST,
			     .expr = "duration", .step = 10, .buckets = 5 } },
	};
	struct tap_spec_value small = {
		.size = offsetof(struct tap_spec_value, expr),
		.kind = TAP_AGG_SUM, .expr = "duration",
	};
	int ret = aggregate(&values[0].value, 2);

	check(!ret, "larger elements: %d", ret);
	values[1].later = 1;
	ret = aggregate(&values[0].value, 2);
	check(ret == -E2BIG, "larger elements with something unknown: %d", ret);
	values[1].later = 0;
	values[1].value.kind = 99;
	ret = aggregate(&values[0].value, 2);
	check(ret == -EINVAL, "the second element is read in its place: %d", ret);
	ret = aggregate(&small, 1);
	check(ret == -EINVAL, "an element without an expression: %d", ret);
	small.size = 0;
	ret = aggregate(&small, 1);
	check(ret == -EINVAL, "an element without a size: %d", ret);
}

static void test_formatter(void)
{
	static const struct tap_timebase tb = { .mult = 1 };
	struct tap_probes *probes = tap_probes_new();
	struct {
		struct tap_formatter_opts opts;
		__u64 later;
	} wide = {
		.opts = { .size = sizeof(wide), .timebase = &tb, .probes = probes },
	};
	struct tap_formatter *fmt;
	int ret = tap_formatter_open(&fmt, &wide.opts);

	check(!ret, "options of a later version: %d", ret);
	if (!ret)
		tap_formatter_close(fmt);
	wide.later = 1;
	ret = tap_formatter_open(&fmt, &wide.opts);
	check(ret == -E2BIG, "with something unknown: %d", ret);
	wide.opts.size = offsetof(struct tap_formatter_opts, resolve);
	ret = tap_formatter_open(&fmt, &wide.opts);
	check(!ret, "options of an earlier version: %d", ret);
	if (!ret)
		tap_formatter_close(fmt);
	wide.opts.size = offsetof(struct tap_formatter_opts, probes);
	ret = tap_formatter_open(&fmt, &wide.opts);
	check(ret == -EINVAL, "probes that lie behind the size: %d", ret);
	tap_probes_free(probes);
}

static void test_spec(void)
{
	struct tap_types *types = tap_types_new();
	struct tap_spec *spec, **list;
	const struct tap_field *f;
	struct tap_error err;
	size_t nr;
	int ret;

	ret = tap_spec_parse("kprobe:do_it first=$arg1:x32", &spec, &err);
	check(!ret, "parsed: %d", ret);
	if (ret) {
		tap_types_free(types);
		return;
	}
	check(tap_spec_type(spec) == TAP_PROBE_KPROBE &&
	      !strcmp(tap_spec_event(spec), "kprobe:do_it") &&
	      !strcmp(tap_spec_target(spec), "do_it") && !tap_spec_glob(spec) &&
	      !tap_spec_file(spec) && !tap_spec_file_replaced(spec) &&
	      tap_spec_needs_symbols(spec) && !tap_spec_aggregates(spec),
	      "accessors return the values of a spec");
	tap_spec_set_flags(spec, tap_spec_flags(spec) | TAP_CREATE_F_COUNT);
	tap_spec_set_maxactive(spec, 9);
	ret = tap_spec_expand(NULL, types, spec, &list, &nr, &err);
	tap_spec_free(spec);
	tap_types_free(types);
	check(!ret && nr == 1, "expanded: %d", ret);
	if (ret)
		return;
	check(tap_spec_flags(list[0]) == TAP_CREATE_F_COUNT &&
	      tap_spec_maxactive(list[0]) == 9, "maxactive remains as set");
	f = tap_spec_field(list[0], 0);
	check(tap_spec_nr_fields(list[0]) >= 1 && f && !strcmp(f->name, "first") &&
	      f->format == TAP_FMT_X32 && f->words == 1, "a field");
	check(!tap_spec_field(list[0], tap_spec_nr_fields(list[0])), "no field after the last");
	/* As after tap_probe_create(): the element belongs to the table. */
	tap_spec_free(list[0]);
	list[0] = NULL;
	tap_spec_list_free(list, nr);
	tap_spec_list_free(NULL, 3);
	tap_spec_free(NULL);
}

static void test_kinds(void)
{
	static const struct {
		const char *text;
		bool glob;
		bool symbols;
		__u64 interval;
		const char *file;
	} rows[] = {
		{ "call:vfs_*", true, true, 0, NULL },
		{ "interval:ms:20", false, false, 20000000, NULL },
		{ "file:/proc/loadavg", false, false, 0, "/proc/loadavg" },
		{ "profile:hz:99", false, false, 0, NULL },
		{ "syscall:open*", true, false, 0, NULL },
		{ "uprobe:/bin/sh:main", false, false, 0, NULL },
	};
	struct tap_spec *spec;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *file;
		bool good;

		if (tap_spec_parse(rows[i].text, &spec, NULL)) {
			check(false, "%s is parsed", rows[i].text);
			continue;
		}
		file = tap_spec_value_file(spec);
		good = tap_spec_glob(spec) == rows[i].glob &&
		       tap_spec_needs_symbols(spec) == rows[i].symbols &&
		       tap_spec_interval(spec) == rows[i].interval &&
		       !file == !rows[i].file &&
		       (!file || !strcmp(file, rows[i].file));
		check(good, "%s: glob %d, symbols %d, interval %llu, file %s", rows[i].text,
		      tap_spec_glob(spec), tap_spec_needs_symbols(spec),
		      (unsigned long long)tap_spec_interval(spec), file ? file : "none");
		tap_spec_free(spec);
	}
	check(tap_unit_factor("") == 1 && tap_unit_factor("ms") == 1000000 &&
	      tap_unit_factor("K") == 1024 && !tap_unit_factor("parsec"), "units");
}

static void test_counter(void)
{
	char name[TAP_MAX_TARGET + 50];
	struct tap_error err = { 0 };
	struct tap_spec *spec;
	struct tap_perf perf;
	int ret = tap_perf_parse("page-faults", &perf, &err);

	check(!ret, "a counter by its name: %s", err.text);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ret = tap_spec_new_counter(&spec, name, &perf, 1);
	check(!ret && tap_spec_type(spec) == TAP_PROBE_COUNT &&
	      strlen(tap_spec_target(spec)) == TAP_MAX_TARGET - 1, "a long name is cut");
	tap_explain(&err, TAP_IOC_CREATE, -ESRCH, spec);
	check(strstr(err.text, "the process has ended"), "and explained: %.30s", err.text);
	tap_spec_free(spec);
	tap_explain_target(&err, TAP_IOC_PMU, -EINTR, "--pmu x");
	check(!strcmp(err.text, "--pmu x: interrupted by a signal"), "%s", err.text);
}

static void test_probes(void)
{
	struct tap_probes *probes = tap_probes_new();

	check(probes && !tap_probes_nr(probes) && !tap_probes_get(probes, 0) &&
	      !tap_probes_find(probes, 1), "an empty table");
	tap_probes_free(probes);
	check(!tap_probes_nr(NULL), "no table");
	tap_probes_free(NULL);
}

int main(void)
{
	test_read();
	test_write();
	test_values();
	test_formatter();
	test_spec();
	test_kinds();
	test_counter();
	test_probes();
	return check_end();
}
