// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of records of /dev/kmsg: how they are read, and which event they belong to. Built with
 * sanitizers.
 */
#include <stdlib.h>
#include <string.h>

#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "run/kmsg.h"

static const struct {
	const char *record;
	bool good;
	unsigned int level;
	const char *text;
	const char *device;
} records[] = {
	{ "3,17,1000,-;a failure\n", true, 3, "a failure", "" },
	/* The facility is above the level; further members of the head are skipped. */
	{ "30,18,1000,-,caller=T1,x=y;daemon\n", true, 6, "daemon", "" },
	{ "4,19,1000,-;e1000 0000:00:03.0: link\n SUBSYSTEM=pci\n DEVICE=+pci:0000:00:03.0\n", true, 4,
	  "e1000 0000:00:03.0: link", "+pci:0000:00:03.0" },
	{ "6,20,1,-;a\\x5cb \\xc3\\xa4 \\x4 \\xzz\n", true, 6, "a\\b \303\244 \\x4 \\xzz", "" },
	{ "6,21,1,-; DEVICE=no\n", true, 6, " DEVICE=no", "" },
	{ "6,22,1,-;\n", false, 0, "", "" },
	{ "6,23,1,-", false, 0, "", "" },
	{ ";text\n", false, 0, "", "" },
	{ "6;text\n", false, 0, "", "" },
	{ "", false, 0, "", "" },
};

static void test_records(void)
{
	struct kmsg_message m;
	size_t i;

	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		bool good = kmsg_parse(&m, records[i].record);

		check(good == records[i].good &&
		      (!good || (m.level == records[i].level && m.len == strlen(records[i].text) &&
				 !memcmp(m.text, records[i].text, m.len) &&
				 !strcmp(m.device, records[i].device))), "%s", records[i].record);
	}
}

static bool matches(const char *message, const char *text, bool cut)
{
	struct kmsg_message m = { .len = strlen(message) };

	memcpy(m.text, message, m.len);
	return kmsg_matches(&m, text, strlen(text), cut);
}

static void test_matches(void)
{
	ok(matches("a text", "a text", false), "the same text");
	ok(!matches("a text", "a tex", false) && !matches("a tex", "a text", false), "a longer one is another");
	ok(matches("a text", "a tex", true) && !matches("a text", "a tax", true), "the start of a text");
	ok(!matches("a", "a text", true), "a text that is longer than the message");
	ok(matches("a text", "[    1.000000] a text", false), "behind a time");
	ok(matches("a text", "[    1.0][    T1] a text", false) ||
	   matches("a text", "[    1.0] [    T1] a text", false), "behind a time and a caller");
	ok(matches("[x] a text", "[x] a text", false), "a text that begins with a bracket");
	ok(!matches("", "", false) && !matches("a", "", true) && !matches("", "a", false),
	   "an empty text is none");
	ok(!matches("a text", "[    1.000000]", false) && !matches("a text", "[", false), "a time alone");
}

/* No record makes it read or write elsewhere. */
static void test_damaged(void)
{
	char record[2048];
	struct kmsg_message m;
	unsigned int i, good = 0;

	srand(1);
	for (i = 0; i < 20000; i++) {
		size_t len = (size_t)rand() % (sizeof(record) - 1), at;

		memset(record, 'x', len);
		memcpy(record, "6,1,1,-;", len < 8 ? len : 8);
		for (at = 0; at + 12 < len; at += 1 + (size_t)rand() % 40)
			memcpy(record + at, rand() % 2 ? "\n DEVICE=abc" : "\\x41;,\\xff\\x", 12);
		if (len > 16)
			damage_at(record, len, (size_t)rand() % len);
		record[len] = '\0';
		good += kmsg_parse(&m, record) && m.len <= sizeof(m.text);
	}
	check(good, "20000 damaged records, %u have a text", good);
}

int main(void)
{
	test_records();
	test_matches();
	test_damaged();
	return check_end();
}
