// SPDX-License-Identifier: GPL-2.0
/*
 * tap mark: writes a mark into all sessions that record marks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "tool.h"

#define SYNOPSIS "mark [-q] [TEXT...]"

static const char help[] =
	"usage: tap " SYNOPSIS "\n\n"
	"Writes TEXT into all sessions with the event mark, such as 'tap trace -e mark';\n"
	"without TEXT, each line of standard input. A mark has at most 256 bytes; the\n"
	"rest is left out. If no session records the mark, tap prints a message and\n"
	"succeeds all the same.\n\n"
	"options:\n"
	"  -q, --quiet              no message if no session records the mark\n"
	"      --help               print this help\n";

/**
 * struct marks - the marks of one command
 * @session: writes them; has no probes
 * @written: number of marks
 * @unrecorded: of @written, marks that no session recorded
 */
struct marks {
	struct tap_session *session;
	__u64 written;
	__u64 unrecorded;
};

static int mark(struct marks *m, const char *text, size_t len,
	       struct tap_error *err)
{
	__u32 recorded = 0;
	int ret;

	/* An empty line is no mark. */
	if (!len)
		return 0;
	if (len > TAP_MARK_BYTES) {
		tool_error("a mark has at most %d bytes: the other %zu are left out",
			   TAP_MARK_BYTES, len - TAP_MARK_BYTES);
		len = TAP_MARK_BYTES;
	}
	ret = tap_session_mark(m->session, 0, text, (__u32)len, &recorded);
	if (ret)
		return tap_explain(err, TAP_IOC_MARK, ret, NULL);
	m->written++;
	m->unrecorded += !recorded;
	return 0;
}

static int mark_words(struct marks *m, int argc, char **argv,
		     struct tap_error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int i, ret;

	for (i = 0; to && i < argc; i++)
		fprintf(to, "%s%s", i ? " " : "", argv[i]);
	if (!to || fclose(to))
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	else
		ret = mark(m, text, len, err);
	free(text);
	return ret;
}

/* Each line is written as soon as it is read. */
static int mark_lines(struct marks *m, struct tap_error *err)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int ret = 0;

	while (!ret && (len = getline(&line, &room, stdin)) > 0)
		ret = mark(m, line, (size_t)len - (line[len - 1] == '\n'), err);
	if (!ret && ferror(stdin))
		ret = tap_error_set(err, -EIO, "cannot read standard input: %s",
				    strerror(errno));
	free(line);
	return ret;
}

int cmd_mark(int argc, char **argv)
{
	struct marks m = { 0 };
	struct tap_error err;
	bool quiet = false;
	int ret, first;

	/* Options come first: a later word that begins with - is text. */
	for (first = 1; first < argc && *argv[first] == '-'; first++) {
		if (!strcmp(argv[first], "--")) {
			first++;
			break;
		}
		if (!strcmp(argv[first], "--help") || !strcmp(argv[first], "-h")) {
			fputs(help, stdout);
			return 0;
		}
		if (strcmp(argv[first], "-q") && strcmp(argv[first], "--quiet")) {
			tool_error("unknown option '%s'; put -- before a text that begins with -",
				   argv[first]);
			return TOOL_USAGE;
		}
		quiet = true;
	}
	ret = tap_session_open(&m.session, &err);
	if (ret)
		return tool_fail(&err);
	ret = first < argc ? mark_words(&m, argc - first, argv + first, &err) :
			     mark_lines(&m, &err);
	tap_session_close(m.session);
	if (m.unrecorded && !quiet)
		tool_error("no session recorded %s; 'tap trace -e mark' would",
			   m.unrecorded < m.written ? "some of it" : "it");
	return ret ? tool_fail(&err) : 0;
}
