// SPDX-License-Identifier: GPL-2.0
/*
 * Marks, intervals and values of files, without a kernel: what a file says, what
 * becomes of an event's text, and what is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ------------------------------------------------------- what is in a file */

/* Files and what is read: of a FIELD the line that begins with it. */
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
		struct tap_value_file f;
		struct tap_error err;
		int ret;

		native_write(dir, "value", values[i].content);
		snprintf(path, sizeof(path), "%s/value%s%s", dir,
			 values[i].field ? ":" : "",
			 values[i].field ? values[i].field : "");
		ret = tap_value_file_open(&f, path, &err);
		if (!ret)
			ret = tap_value_file_read(&f, &mark, &kind);
		tap_value_file_close(&f);
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

/* It is cut where there is no more room, and nothing is left of one before. */
static void test_long(void)
{
	struct tap_value_mark mark;
	enum tap_value_kind kind;
	struct tap_value_file f;
	char path[128], *text;
	size_t i;
	int ret;

	text = calloc(1, 300000);
	memset(text, 'x', 299998);
	native_write(dir, "long", text);
	snprintf(path, sizeof(path), "%s/long", dir);
	ret = tap_value_file_open(&f, path, NULL);
	if (!ret)
		ret = tap_value_file_read(&f, &mark, &kind);
	for (i = 0; !ret && i < sizeof(mark.text); i++)
		ret = mark.text[i] != 'x';
	check(!ret, "a line that is too long is cut");
	/* The same file, opened before, is read from its begin again. */
	native_write(dir, "long", "5 V\n");
	ret = tap_value_file_read(&f, &mark, &kind);
	check(!ret && kind == TAP_VALUE_NUMBER && mark.number == 5 &&
	      !memcmp(mark.text, "5 V\0\0", 5), "read again, what is new");
	tap_value_file_close(&f);
	free(text);

	text = calloc(1, (1 << 20) + 100);
	memset(text, '\n', (1 << 20) + 10);
	native_write(dir, "long", text);
	free(text);
	ret = tap_value_file_open(&f, path, NULL);
	check(!ret && tap_value_file_read(&f, &mark, &kind) == -EFBIG,
	      "one that is too large is refused");
	tap_value_file_close(&f);
}

/* Paths, in the directory, with what must be said of them; "" of none. */
static void test_refused(void)
{
	static const struct {
		const char *path;
		int code;
		const char *says;
	} table[] = {
		{ "meminfo:ctxt", 0, "" },
		{ "with:colon:ctxt", 0, "" },
		{ "with:colon", -EMSGSIZE, "has many lines; say with what" },
		{ "meminfo", -EMSGSIZE, "did you mean MemTotal, MemFree or HugePages_Total?" },
		{ "meminfo:MemFre", -ENODATA, "did you mean MemFree?" },
		{ "meminfo:", -EINVAL, "the field is missing" },
		{ "meminfos", -ENOENT, "there is no such file; did you mean meminfo?" },
		{ "meminfos:ctxt", -ENOENT, "there is no such file; did you mean meminfo?" },
		{ "subdirx/value", -ENOENT, "there is no such file; did you mean subdir?" },
		{ "meminfo/x", -ENOENT, "there is no such file" },
		{ "subdir", -EISDIR, "is a directory" },
		{ "fifo", -EINVAL, "is no file that can be read again" },
	};
	enum tap_value_kind kind;
	struct tap_value_file f;
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

		snprintf(path, sizeof(path), "%s/%s", dir, table[i].path);
		ret = tap_value_file_open(&f, path, &err);
		if (!ret)
			ret = tap_value_file_check(&f, &kind, &err);
		tap_value_file_close(&f);
		check(ret == table[i].code && strstr(err.text, table[i].says) &&
		      !*table[i].says == !*err.text,
		      "%s: %d, %s", table[i].path, ret, err.text);
	}
}

/* ------------------------------------------------------------- the language */

/* What becomes of an event's text; all zero if it is refused. */
static int expand(const char *text, struct tap_spec *one, struct tap_error *err)
{
	struct tap_spec spec = { 0 }, *list = NULL;
	size_t nr = 0;
	int ret;

	memset(one, 0, sizeof(*one));
	ret = tap_spec_parse(text, &spec, err);
	if (!ret)
		ret = tap_spec_expand(NULL, &spec, &list, &nr, err);
	if (nr == 1)
		*one = *list;
	free(list);
	tap_spec_free(&spec);
	return ret;
}

/* Events, what they are called, and their steps. */
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
		tap_spec_free(&spec);
	}
}

/* The fields of a file depend on what it says. */
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
		tap_spec_free(&spec);
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
		{ "interval", "in seconds or milliseconds" },
		{ "interval:", "in seconds or milliseconds" },
		{ "interval:h:1", "in seconds or milliseconds" },
		{ "interval:s", "Give a number from 1 to 86400" },
		{ "interval:s:", "Give a number" },
		{ "interval:s:0", "Give a number" },
		{ "interval:s:86401", "Give a number" },
		{ "interval:ms:0.5", "Give a number" },
		{ "interval:ms:99999999999999999999", "Give a number" },
		{ "interval:s:-1", "Give a number" },
		{ "file", "which file?" },
		{ "file:", "which file?" },
		{ "file:proc/stat", "which file?" },
		{ "file:\"\"", "which file?" },
		{ "marks", "did you mean kprobe:marks?" },
	};
	struct tap_error err;
	struct tap_spec spec;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		int ret = expand(table[i].text, &spec, &err);

		check(ret == -EINVAL && strstr(err.text, table[i].says),
		      "%s: %s", table[i].text, err.text);
		tap_spec_free(&spec);
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
