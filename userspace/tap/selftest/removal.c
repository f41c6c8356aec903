// SPDX-License-Identifier: GPL-2.0
/*
 * Whether everything is gone that a session has made: by the module's own list of
 * sessions, the kernel's list of kprobes, and the code of this program.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define KPROBES		"/sys/kernel/debug/kprobes/list"
#define FTRACED		"/sys/kernel/tracing/enabled_functions"
#define REFERENCES	"/sys/module/tapmod/refcnt"

struct sessions {
	unsigned int ours;
	unsigned int others;
};

static int count_session(void *arg, const struct tap_netlink_message *msg)
{
	struct sessions *sessions = arg;

	if (tap_netlink_number(msg, TAP_ATTR_PID) == (__u64)getpid())
		sessions->ours++;
	else
		sessions->others++;
	return 0;
}

/* It takes CAP_NET_ADMIN, in the initial network namespace. */
static bool count_sessions(struct sessions *sessions)
{
	struct tap_netlink *nl;
	int ret;

	memset(sessions, 0, sizeof(*sessions));
	if (tap_netlink_open(&nl, NULL))
		return false;
	ret = tap_netlink_dump(nl, TAP_NETLINK_SESSIONS, count_session, sessions, NULL);
	tap_netlink_close(nl);
	return !ret;
}

/* Lines of a file that have a word; -1 if it cannot be read. */
static int count_lines(const char *path, const char *word)
{
	FILE *f = fopen(path, "re");
	char line[512];
	int nr = 0;

	if (!f || !*word) {
		if (f)
			fclose(f);
		return -1;
	}
	while (fgets(line, sizeof(line), f))
		nr += strstr(line, word) != NULL;
	fclose(f);
	return nr;
}

static long references(void)
{
	char text[32];

	return machine_line(REFERENCES, text, sizeof(text)) ? strtol(text, NULL, 10) : -1;
}

/* Before the first test. */
void removal_begin(struct selftest *st)
{
	struct sessions sessions;

	st->netlink = count_sessions(&sessions);
	st->others = sessions.others;
	st->references = references();
	st->traced = count_lines(FTRACED, st->function);
}

void removal_before(struct rig *rig)
{
	rig->installed = count_lines(KPROBES, rig->t->st->function);
	memcpy(rig->code, trigger_code(), sizeof(rig->code));
}

/* After each session of a test. */
void removal_after(struct rig *rig)
{
	int installed = count_lines(KPROBES, rig->t->st->function);
	struct sessions sessions;

	rig->t->ended = true;
	if (rig->t->st->netlink && count_sessions(&sessions) && sessions.ours)
		test_fail(rig->t,
			  "not removed: the module still has %u session(s) of this process after close()",
			  sessions.ours);
	if (installed > rig->installed && rig->installed >= 0)
		test_fail(rig->t, "not removed: %s has %d kprobe(s) after close(), %d before",
			  rig->t->st->function, installed, rig->installed);
	if (memcmp(rig->code, trigger_code(), sizeof(rig->code)))
		test_fail(rig->t, "not removed: the breakpoint in this program");
	test_equal(rig->t, "semaphore of the USDT probe after close()", 0,
		   trigger_semaphore());
}

/* The last test: what only the whole run can show. */
void removal_test(struct selftest *st)
{
	int traced = count_lines(FTRACED, st->function);
	struct selftest_test t;
	struct sessions sessions;
	long now = references();

	test_begin(&t, st, "removed");
	t.always = true;
	if (st->traced >= 0 && traced > st->traced)
		test_fail(&t, "%s is still traced by ftrace", st->function);
	if (!st->netlink || !count_sessions(&sessions)) {
		test_skip(&t, "the list of sessions cannot be read (no CAP_NET_ADMIN, or another network namespace)");
		test_end(&t);
		return;
	}
	test_equal(&t, "sessions of this process", 0, sessions.ours);
	test_note(&t, "no session is left");
	/* Each session of another process holds a reference. */
	if (sessions.others == st->others && now >= 0 && st->references >= 0) {
		test_equal(&t, "references to the module", (__u64)st->references, (__u64)now);
		test_note(&t, "%ld references to the module as before", now);
	}
	if (traced >= 0)
		test_note(&t, "ftrace traces what it did before");
	test_end(&t);
}
