// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of marks, intervals and values of files: the values that are read from a file, the
 * event's spec, and events that are refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/resolve.h"
#include "lang/lang.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"
#include "util/util.h"
#include "spec/spec.h"
#include "selftests/lib/op_text.h"
#include "kernel/attr_file.h"

static char dir[] = "/tmp/mark_text_test.XXXXXX";

static const char meminfo[] =
	"MemTotal:        1014588 kB\n"
	"MemFree:          920864 kB\n"
	"HugePages_Total:       0\n"
	" 24:     123    4567   PCI-MSI 1048576-edge   nvme0q0\n"
	"ctxt 8466\n"
	"DRIVER=e1000e\n"
	"cpu MHz\t\t: 2445.433\n"
	"Mem Free: 5\n"
	"last 7";

/* -------------------------------------------------------- content of files */

/* File contents, and the value that is read; with FIELD, from the line that starts with it. */
static const struct {
	const char *content;
	const char *field;
	int code;
	enum tap_value_kind kind;
	__s64 number;
	const char *text;
} values[] = {
	{ "42\n", NULL, 0, TAP_VALUE_NUMBER, 42, "42" },
	{ "42", NULL, 0, TAP_VALUE_NUMBER, 42, "42" },
	{ "-7\n", NULL, 0, TAP_VALUE_NUMBER, -7, "-7" },
	{ "0x8086\n", NULL, 0, TAP_VALUE_NUMBER, 0x8086, "0x8086" },
	{ "0644\n", NULL, 0, TAP_VALUE_NUMBER, 644, "0644" },
	{ "  42  kB \n", NULL, 0, TAP_VALUE_NUMBER, 42, "42 kB" },
	{ "9223372036854775807\n", NULL, 0, TAP_VALUE_NUMBER, INT64_MAX,
	  "9223372036854775807" },
	{ "9223372036854775808\n", NULL, 0, TAP_VALUE_TEXT, 0, "9223372036854775808" },
	{ "42 kB more\n", NULL, 0, TAP_VALUE_FIRST, 42, "42 kB more" },
	{ "1 2 3\n", NULL, 0, TAP_VALUE_FIRST, 1, "1 2 3" },
	{ "1 -2\n", NULL, 0, TAP_VALUE_FIRST, 1, "1 -2" },
	{ "0.15 0.10\n", NULL, 0, TAP_VALUE_TEXT, 0, "0.15 0.10" },
	{ "42kB\n", NULL, 0, TAP_VALUE_TEXT, 0, "42kB" },
	{ "0x\n", NULL, 0, TAP_VALUE_TEXT, 0, "0x" },
	{ "-\n", NULL, 0, TAP_VALUE_TEXT, 0, "-" },
	{ "on\toff\n", NULL, 0, TAP_VALUE_TEXT, 0, "on off" },
	{ "", NULL, 0, TAP_VALUE_TEXT, 0, "" },
	{ "\n", NULL, 0, TAP_VALUE_TEXT, 0, "" },
	{ meminfo, "MemFree", 0, TAP_VALUE_NUMBER, 920864, "920864 kB" },
	{ meminfo, "HugePages_Total", 0, TAP_VALUE_NUMBER, 0, "0" },
	{ meminfo, "24", 0, TAP_VALUE_FIRST, 123,
	  "123 4567 PCI-MSI 1048576-edge nvme0q0" },
	{ meminfo, "ctxt", 0, TAP_VALUE_NUMBER, 8466, "8466" },
	{ meminfo, "DRIVER", 0, TAP_VALUE_TEXT, 0, "e1000e" },
	{ meminfo, "cpu MHz", 0, TAP_VALUE_TEXT, 0, "2445.433" },
	{ meminfo, "Mem Free", 0, TAP_VALUE_NUMBER, 5, "5" },
	{ meminfo, "last", 0, TAP_VALUE_NUMBER, 7, "7" },
	{ meminfo, "Mem", 0, TAP_VALUE_TEXT, 0, "Free: 5" },
	{ meminfo, "HugePages", -ENODATA, 0, 0, NULL },
	{ meminfo, "kB", -ENODATA, 0, 0, NULL },
	{ "a\nb 1\n", "a", 0, TAP_VALUE_TEXT, 0, "" },
};

static void test_values(void)
{
	char path[128], text[sizeof(((struct tap_value_mark *)0)->text) + 1];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		struct tap_value_mark mark = { .number = 99 };
		enum tap_value_kind kind = TAP_VALUE_TEXT;
		struct tap_value_file *f = NULL;
		struct tap_error err;
		int ret;

		native_write(dir, "value", values[i].content);
		snprintf(path, sizeof(path), "%s/value%s%s", dir,
			 values[i].field ? ":" : "",
			 values[i].field ? values[i].field : "");
		ret = tap_value_file_open(&f, path, &err);
		if (!ret)
			ret = tap_value_file_read(f, &mark, &kind);
		tap_value_file_close(f);
		memcpy(text, mark.text, sizeof(mark.text));
		text[sizeof(mark.text)] = '\0';
		check(ret == values[i].code &&
		      (ret || (kind == values[i].kind &&
			       mark.number == values[i].number &&
			       !strcmp(text, values[i].text))),
		      "%s of \"%.20s\": %d, kind %d, %lld, \"%s\"",
		      values[i].field ? values[i].field : "all",
		      values[i].content, ret, kind, (long long)mark.number, text);
	}
}

/* A line that is too long is cut, and nothing of an earlier value remains. */
static void test_long(void)
{
	struct tap_value_mark mark;
	enum tap_value_kind kind;
	struct tap_value_file *f = NULL;
	char path[128], *text;
	size_t i;
	int ret;

	text = calloc(1, 300000);
	memset(text, 'x', 299998);
	native_write(dir, "long", text);
	snprintf(path, sizeof(path), "%s/long", dir);
	ret = tap_value_file_open(&f, path, NULL);
	if (!ret)
		ret = tap_value_file_read(f, &mark, &kind);
	for (i = 0; !ret && i < sizeof(mark.text); i++)
		ret = mark.text[i] != 'x';
	check(!ret, "a line that is too long is truncated");
	/* An open file is read again from its start. */
	native_write(dir, "long", "5 V\n");
	ret = tap_value_file_read(f, &mark, &kind);
	check(!ret && kind == TAP_VALUE_NUMBER && mark.number == 5 &&
	      !memcmp(mark.text, "5 V\0\0", 5), "an open file is read again, with its new content");
	tap_value_file_close(f);
	free(text);

	text = calloc(1, (1 << 20) + 100);
	memset(text, '\n', (1 << 20) + 10);
	native_write(dir, "long", text);
	free(text);
	ret = tap_value_file_open(&f, path, NULL);
	check(!ret && tap_value_file_read(f, &mark, &kind) == -EFBIG,
	      "a file that is too large is refused");
	tap_value_file_close(f);
}

/* Paths in the directory with the expected error; "" for none. */
static void test_refused(void)
{
	static const struct {
		const char *path;
		int code;
		const char *says;
	} table[] = {
		{ "meminfo:ctxt", 0, "" },
		{ "with:colon:ctxt", 0, "" },
		{ "with:colon", -EMSGSIZE, "has many lines; select one by its start" },
		{ "meminfo", -EMSGSIZE, "did you mean MemTotal, MemFree or HugePages_Total?" },
		{ "meminfo:MemFre", -ENODATA, "did you mean MemFree?" },
		{ "meminfo:", -EINVAL, "the field is missing" },
		{ "meminfos", -ENOENT, "no such file; did you mean meminfo?" },
		{ "meminfos:ctxt", -ENOENT, "no such file; did you mean meminfo?" },
		{ "subdirx/value", -ENOENT, "no such file; did you mean subdir?" },
		{ "meminfo/x", -ENOENT, "no such file" },
		{ "subdir", -EISDIR, "is a directory" },
		{ "fifo", -EINVAL, "is not a regular file and cannot be read" },
	};
	enum tap_value_kind kind;
	struct tap_value_file *f = NULL;
	char path[128];
	size_t i;

	native_write(dir, "meminfo", meminfo);
	native_write(dir, "with:colon", meminfo);
	snprintf(path, sizeof(path), "%s/subdir", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	mkfifo(path, 0600);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct tap_error err = { 0 };
		int ret;

		f = NULL;
		snprintf(path, sizeof(path), "%s/%s", dir, table[i].path);
		ret = tap_value_file_open(&f, path, &err);
		if (!ret)
			ret = tap_value_file_check(f, &kind, &err);
		tap_value_file_close(f);
		check(ret == table[i].code && strstr(err.text, table[i].says) &&
		      !*table[i].says == !*err.text,
		      "%s: %d, %s", table[i].path, ret, err.text);
	}
}

/* ------------------------------------------------------------------- events */

/* Expands an event; *@one is zero if it is refused. */
static int expand(const char *text, struct tap_spec *one, struct tap_error *err)
{
	struct tap_spec spec = { 0 }, *list = NULL;
	size_t nr = 0;
	int ret;

	memset(one, 0, sizeof(*one));
	ret = tap_spec_parse_into(&spec, text, err);
	if (!ret)
		ret = tap_spec_expand_in(NULL, NULL, &spec, &list, &nr, err);
	if (nr == 1)
		*one = *list;
	free(list);
	tap_spec_clear(&spec);
	return ret;
}

/* Events with their names and ops. */
static void test_events(void)
{
	static const struct {
		const char *text;
		const char *event;
		__u64 interval;
		const char *steps;
	} table[] = {
		{ "mark", "mark", 0, "fbytes256@0" },
		{ "mark text", "mark", 0, "fbytes256@0" },
		{ "interval:s:2", "interval:s:2", 2000000000ULL, "" },
		{ "interval:ms:100 missed", "interval:ms:100", 100000000ULL, "f0" },
		{ "interval:s:86400", "interval:s:86400", 86400000000000ULL, "" },
	};
	struct tap_error err;
	struct tap_spec spec;
	char steps[2000];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		int ret = expand(table[i].text, &spec, &err);

		put_steps(steps, &spec);
		check(!ret && spec.type == TAP_PROBE_MARK &&
		      !strcmp(spec.event, table[i].event) &&
		      !strcmp(spec.target, table[i].event) &&
		      tap_spec_interval(&spec) == table[i].interval &&
		      !strcmp(steps, table[i].steps), "%s: %d, %s",
		      table[i].text, ret, steps);
		tap_spec_clear(&spec);
	}
}

/* The fields of a file depend on its content. */
static void test_fields(void)
{
	static const struct {
		const char *content;
		const char *values;
		int code;
		const char *fields;
	} table[] = {
		{ "42 kB\n", "", 0, "value " },
		{ "42 kB\n", "text value", 0, "text value " },
		{ "1 2 3\n", "", 0, "text " },
		{ "1 2 3\n", "value", 0, "value " },
		{ "idle\n", "", 0, "text " },
		{ "idle\n", "value", -EINVAL, "" },
		{ "42\n", "if value > 3 && text != \"4*\"", 0, "value " },
		{ "42\n", "missed", -EINVAL, "" },
	};
	char text[256], fields[100];
	struct tap_error err;
	struct tap_spec spec;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		char *at = fields;
		int ret;

		*fields = '\0';
		native_write(dir, "value", table[i].content);
		snprintf(text, sizeof(text), "file:%s/value %s", dir, table[i].values);
		ret = expand(text, &spec, &err);
		for (k = 0; k < spec.nr_fields; k++)
			at += sprintf(at, "%s ", spec.fields[k].name);
		check(ret == table[i].code && !strcmp(fields, table[i].fields),
		      "\"%.10s\" %s: %d, %s", table[i].content, table[i].values,
		      ret, fields);
		tap_spec_clear(&spec);
	}
}

static void test_wrong(void)
{
	static const struct {
		const char *text;
		const char *says;
	} table[] = {
		{ "mark:x", "a mark has no name" },
		{ "mark:", "a mark has no name" },
		{ "mark $arg1", "no arguments and no registers" },
		{ "mark duration", "it has no duration" },
		{ "interval", "the unit of an interval" },
		{ "interval:", "the unit of an interval" },
		{ "interval:h:1", "the unit of an interval" },
		{ "interval:s", "must be a number from 1 to 86400" },
		{ "interval:s:", "must be a number" },
		{ "interval:s:0", "must be a number" },
		{ "interval:s:86401", "must be a number" },
		{ "interval:ms:0.5", "must be a number" },
		{ "interval:ms:99999999999999999999", "must be a number" },
		{ "interval:s:-1", "must be a number" },
		{ "file", "needs an absolute path" },
		{ "file:", "needs an absolute path" },
		{ "file:proc/stat", "needs an absolute path" },
		{ "file:\"\"", "needs an absolute path" },
		{ "marks", "did you mean kprobe:marks?" },
	};
	struct tap_error err;
	struct tap_spec spec;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		int ret = expand(table[i].text, &spec, &err);

		check(ret == -EINVAL && strstr(err.text, table[i].says),
		      "%s: %s", table[i].text, err.text);
		tap_spec_clear(&spec);
	}
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		abort();
	test_values();
	test_long();
	test_refused();
	test_events();
	test_fields();
	test_wrong();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		abort();
	return check_end();
}
