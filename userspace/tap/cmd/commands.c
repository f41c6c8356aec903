// SPDX-License-Identifier: GPL-2.0
/*
 * The table of commands.
 */
#include <string.h>

#include "cmd/cmd.h"
#include "tool.h"
#include "util/suggest.h"

const struct command commands[] = {
	{ "list", cmd_list, "show what can be probed" },
	{ "trace", cmd_trace, "print events as they happen" },
	{ "record", cmd_record, "write events to a file" },
	{ "report", cmd_report, "print the events of a file" },
	{ "merge", cmd_merge, "print the events of several files by the time of day" },
	{ "flame", cmd_flame, "draw the stacks of a file as a flame graph" },
	{ "export", cmd_export, "write a file in the format of another tool" },
	{ "expect", cmd_expect, "test what a driver does: assertions on events" },
	{ "diff", cmd_diff, "compare two files: what is slower, fails or is new" },
	{ "stat", cmd_stat, "count events, with keys and histograms" },
	{ "why", cmd_why, "say why calls were slow" },
	{ "blame", cmd_blame, "say which function failed first" },
	{ "run", cmd_run, "run a recipe: a command that answers a frequent question" },
	{ "dump", cmd_dump, "ask a flight recorder for a window" },
	{ "mark", cmd_mark, "write a text into the traces that are running" },
	{ "monitor", cmd_monitor, "show all sessions on this machine" },
	{ "ctl", cmd_ctl, "enable and disable the probes of a running session" },
	{ "doctor", cmd_doctor, "check what tapmod can do on this kernel" },
	{ "help", cmd_help, "explain a command or a topic" },
	{ NULL, NULL, NULL },
};

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(name, c->name))
			return c;
	return NULL;
}

void commands_offer(struct tap_suggest *near)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		tap_suggest_offer(near, c->name, strlen(c->name));
}

int command_unknown(const char *name)
{
	struct tap_suggest near;
	char text[128];

	tap_suggest_begin(&near, name, strlen(name));
	commands_offer(&near);
	tap_suggest_text(&near, "", "", text, sizeof(text));
	tool_error("'%s' is not a command%s 'tap --help' lists the commands", name,
		   *text ? text : ";");
	return TOOL_USAGE;
}

int command_run(const struct command *command, int argc, char **argv)
{
	static char name[32];

	/* getopt_long() begins its messages with this. */
	snprintf(name, sizeof(name), "tap %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}
