/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands: each is a main() with argv[0] "tap COMMAND", and returns the exit status.
 */
#ifndef _TOOL_CMD_CMD_H
#define _TOOL_CMD_CMD_H

#include <stdio.h>

/**
 * struct command - a row of the table of commands
 * @name: as typed
 * @run: its main()
 * @summary: what it does, a few words
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

/* In the order in which tap --help lists them; the last has no name. */
extern const struct command commands[];

/**
 * command_find() - find a command
 * @name: as typed
 *
 * Return: a row of commands, or NULL.
 */
const struct command *command_find(const char *name);

struct tap_suggest;

/**
 * commands_offer() - offer the names of all commands
 * @near: a search that was started
 */
void commands_offer(struct tap_suggest *near);

/**
 * command_unknown() - print that there is no such command, and a near one
 * @name: as typed
 *
 * Return: exit status.
 */
int command_unknown(const char *name);

/**
 * command_run() - run a command
 * @command: from command_find()
 * @argc: of the command
 * @argv: of the command; argv[0] is replaced by "tap COMMAND"
 *
 * Return: exit status.
 */
int command_run(const struct command *command, int argc, char **argv);

/**
 * help_overview() - print the commands and the topics
 * @to: where to
 */
void help_overview(FILE *to);

/**
 * tool_complete() - tap --complete WORD...: print what may stand in the place of the last word
 * @argc: number of @argv
 * @argv: the words behind "tap", the last up to the cursor
 *
 * Return: exit status.
 */
int tool_complete(int argc, char **argv);

int cmd_trace(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_expect(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_why(int argc, char **argv);
int cmd_blame(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_help(int argc, char **argv);

#endif /* _TOOL_CMD_CMD_H */
