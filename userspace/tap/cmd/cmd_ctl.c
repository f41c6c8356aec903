// SPDX-License-Identifier: GPL-2.0
/*
 * tap ctl: enables and disables the probes of a session of another process, or asks it for a window.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "monitor/monitor.h"
#include "tool.h"

#define SYNOPSIS "ctl SESSION enable|disable|dump [TYPE:TARGET]"

static const char help[] =
	"usage: tap " SYNOPSIS "\n\n"
	"Enables or disables the probes of the session with this number, or those of\n"
	"one target. 'tap monitor --once' has sessions and probes, by these names. A\n"
	"disabled probe costs nothing; what happens meanwhile is in no output. dump asks\n"
	"a flight recorder for a window, as 'tap dump' does.\n\n"
	"options:\n"
	"      --help               print this help\n";

/**
 * struct wanted - the probes that are meant
 * @session: of this session
 * @event: TYPE:TARGET or "mark", or NULL: all
 * @ids: their ids; allocated
 * @nr: number of @ids
 */
struct wanted {
	__u64 session;
	const char *event;
	__u32 *ids;
	size_t nr;
};

/* By the name that monitor_row_take() gives a probe. */
static bool is_named(const char *event, enum tap_probe_type type, const char *target)
{
	const char *name = tap_spec_type_name(type);
	size_t len = strlen(name);

	if (monitor_has_bare_name(type, target))
		return !strcmp(event, name);
	return !strncmp(event, name, len) && event[len] == ':' && !strcmp(event + len + 1, target);
}

static int take_probe(void *arg, const struct tap_netlink_message *msg)
{
	struct wanted *wanted = arg;
	__u32 *ids;

	/* The library asks for the probes of all sessions. */
	if (tap_netlink_number(msg, TAP_ATTR_SESSION) != wanted->session)
		return 0;
	if (!msg->attrs[TAP_ATTR_PROBE])
		return -EAGAIN;
	if (!is_named(wanted->event,
		      (enum tap_probe_type)tap_netlink_number(msg, TAP_ATTR_TYPE),
		      tap_netlink_text(msg, TAP_ATTR_TARGET)))
		return 0;
	ids = realloc(wanted->ids, (wanted->nr + 1) * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	wanted->ids = ids;
	ids[wanted->nr++] = (__u32)tap_netlink_number(msg, TAP_ATTR_PROBE);
	return 0;
}

static int control(struct tap_netlink *nl, enum tap_netlink_command command, struct wanted *wanted,
		   struct tap_error *err)
{
	size_t i;
	int ret;

	if (!wanted->event)
		return tap_netlink_control_probe(nl, command, wanted->session, 0, err);
	ret = tap_netlink_dump(nl, TAP_NETLINK_PROBES, take_probe, wanted, err);
	if (ret == -EAGAIN)
		tap_error_set(err, ret, "session %llu is busy: it makes its probes; try again",
			      (unsigned long long)wanted->session);
	if (!ret && !wanted->nr)
		ret = tap_error_set(err, -ENOENT, "session %llu has no probe %s",
				    (unsigned long long)wanted->session, wanted->event);
	for (i = 0; i < wanted->nr && !ret; i++)
		ret = tap_netlink_control_probe(nl, command, wanted->session, wanted->ids[i], err);
	return ret;
}

/* By enum tap_netlink_command of the words; 0 for another word. */
static enum tap_netlink_command command_of(const char *word)
{
	return !strcmp(word, "enable") ? TAP_NETLINK_ENABLE :
	       !strcmp(word, "disable") ? TAP_NETLINK_DISABLE :
	       !strcmp(word, "dump") ? TAP_NETLINK_WINDOW : 0;
}

int cmd_ctl(int argc, char **argv)
{
	enum tap_netlink_command command = 0;
	struct tap_netlink *nl = NULL;
	struct wanted wanted = { 0 };
	struct tap_error err;
	char *end = NULL;
	int ret;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(help, stdout);
		return 0;
	}
	if (argc > 2) {
		wanted.session = strtoull(argv[1], &end, 10);
		command = command_of(argv[2]);
	}
	if (!command || argc > 4 || *end || !wanted.session ||
	    (command == TAP_NETLINK_WINDOW && argc > 3)) {
		fprintf(stderr, "usage: tap %s\n", SYNOPSIS);
		return TOOL_USAGE;
	}
	wanted.event = argv[3];
	ret = tap_netlink_open(&nl, &err);
	if (!ret)
		ret = control(nl, command, &wanted, &err);
	tap_netlink_close(nl);
	free(wanted.ids);
	return ret ? tool_fail(&err) : 0;
}
