/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments in a file, for services.
 */
#ifndef _TOOL_RUN_ARGS_FILE_H
#define _TOOL_RUN_ARGS_FILE_H

/**
 * struct args_file - a command line
 * @argc: number of @argv
 * @argv: the arguments, NULL at the end; allocated
 * @text: of the file, which @argv points into; allocated
 */
struct args_file {
	int argc;
	char **argv;
	char *text;
};

/**
 * args_file_read() - put the lines of a file in the place of --args FILE
 * @args: filled in; end it with args_file_free()
 * @argc: of the command
 * @argv: of the command. Only the last two arguments are looked at
 *
 * A line is an argument, without the blanks at its start and end. Empty lines and those that begin
 * with # are left out. Nothing is expanded, and there are no quotes.
 *
 * Return: -1 to go on; else the exit status, after printing an error message.
 */
int args_file_read(struct args_file *args, int argc, char **argv);

/**
 * args_file_free() - free what it holds
 * @args: of args_file_read(), also after an error
 */
void args_file_free(struct args_file *args);

#endif /* _TOOL_RUN_ARGS_FILE_H */
