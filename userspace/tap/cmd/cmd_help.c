// SPDX-License-Identifier: GPL-2.0
/*
 * tap help: explains a topic or a command.
 */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/help_topics.h"
#include "tool.h"
#include "util/suggest.h"

void help_overview(FILE *to)
{
	const struct help_topic *t;
	const struct command *c;

	fputs("usage: tap COMMAND [OPTION]...\n\ncommands:\n", to);
	for (c = commands; c->name; c++)
		fprintf(to, "  %-10s  %s\n", c->name, c->summary);
	fputs("\ntopics of 'tap help TOPIC':\n", to);
	for (t = help_topics; t->name; t++)
		fprintf(to, "  %-10s  %s\n", t->name, t->summary);
	fputs("\n'tap COMMAND --help' shows the options of a command.\n"
	      "example: tap trace -e 'syscall:openat if retval < 0' -c 'cat /nonesuch'\n",
	      to);
}

static const struct help_topic *find_topic(const char *name)
{
	const struct help_topic *t;

	for (t = help_topics; t->name; t++)
		if (!strcmp(name, t->name))
			return t;
	return NULL;
}

static int unknown(const char *name)
{
	const struct help_topic *t;
	struct tap_suggest near;
	char text[128];

	tap_suggest_begin(&near, name, strlen(name));
	for (t = help_topics; t->name; t++)
		tap_suggest_offer(&near, t->name, strlen(t->name));
	commands_offer(&near);
	tap_suggest_text(&near, "", "", text, sizeof(text));
	tool_error("no command or topic \"%s\"%s 'tap help' lists them", name,
		   *text ? text : ";");
	return TOOL_USAGE;
}

/**
 * cmd_help() - tap help [TOPIC|COMMAND]
 * @argc: of the command
 * @argv: of the command
 *
 * Return: exit status.
 */
int cmd_help(int argc, char **argv)
{
	char *ask[] = { NULL, "--help", NULL };
	const struct command *command;
	const struct help_topic *t;

	if (argc < 2) {
		help_overview(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs("usage: tap help [TOPIC|COMMAND]\n\n"
		      "Explains a topic, or shows the options of a command.\n"
		      "Without an argument, lists the commands and the topics.\n\n"
		      "options:\n"
		      "      --help               print this help\n", stdout);
		return 0;
	}
	if (argc > 2) {
		tool_error("help takes one TOPIC or COMMAND; \"%s\" is one argument too many",
			   argv[2]);
		return TOOL_USAGE;
	}
	t = find_topic(argv[1]);
	if (t) {
		fputs(t->text, stdout);
		return 0;
	}
	command = command_find(argv[1]);
	return command ? command_run(command, 2, ask) : unknown(argv[1]);
}
