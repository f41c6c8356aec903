// SPDX-License-Identifier: GPL-2.0
/*
 * tap --complete: which command, option, value or event may stand in the place of a word.
 *
 * The options of a command are those of its --help, so that no second list has to agree with it.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "cmd/complete_event.h"
#include "cmd/complete_recipe.h"
#include "cmd/complete_target.h"
#include "cmd/help_topics.h"
#include "tool.h"

/* Bytes of a --help; a longer one is cut. */
#define HELP_SIZE	16384

/**
 * struct option_help - an option, as --help describes it
 * @letter: its letter, or 0
 * @name: its long name
 * @arg: the argument: "EVENT", "[=N]"; or ""
 * @about: the description
 */
struct option_help {
	char letter;
	char name[32];
	char arg[32];
	char about[160];
};

/* ------------------------------------------------------------------- names */

void names_add(struct names *names, const char *name, size_t len, const char *end)
{
	char **list;
	char *copy;

	if (!(names->nr & (names->nr - 1))) {
		list = realloc(names->list, (names->nr ? 2 * names->nr : 1) * sizeof(*list));
		if (!list) {
			names->failed = true;
			return;
		}
		names->list = list;
	}
	copy = malloc(len + strlen(end) + 1);
	if (!copy) {
		names->failed = true;
		return;
	}
	memcpy(copy, name, len);
	strcpy(copy + len, end);
	names->list[names->nr++] = copy;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void unique(struct names *names)
{
	size_t i, nr = 0;

	if (!names->nr)
		return;
	qsort(names->list, names->nr, sizeof(*names->list), compare);
	for (i = 0; i < names->nr; i++) {
		if (nr && !strcmp(names->list[nr - 1], names->list[i]))
			free(names->list[i]);
		else
			names->list[nr++] = names->list[i];
	}
	names->nr = nr;
}

void names_print(struct names *names, const char *word, size_t len, size_t typed)
{
	char *end;
	size_t i;

	unique(names);
	/* Too many to choose from: stop at the next _. */
	if (names->nr > COMPLETE_MAX) {
		for (i = 0; i < names->nr; i++) {
			end = strchr(names->list[i] + typed, '_');
			if (end && end[1])
				end[1] = '\0';
		}
		unique(names);
	}
	/* A part of them would make the shell insert what only that part has in common. */
	for (i = 0; i < names->nr; i++) {
		if (names->nr <= COMPLETE_MAX && !names->failed)
			printf("%.*s%s\n", (int)len, word, names->list[i]);
		free(names->list[i]);
	}
	free(names->list);
	*names = (struct names) { 0 };
}

void candidate_print(const char *word, size_t before, const char *name, const char *end,
		     const char *about)
{
	if (strncmp(word + before, name, strlen(word + before)))
		return;
	printf("%.*s%s%s", (int)before, word, name, end);
	if (about && *about)
		printf("\t%s", about);
	putchar('\n');
}

/* ----------------------------------------------------------------- options */

/* Runs --help of a command in a child, since the command prints it and changes getopt's state. */
static size_t read_help(const struct command *command, char *text, size_t size)
{
	char *ask[] = { NULL, "--help", NULL };
	size_t len = 0;
	ssize_t n = 1;
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return 0;
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		n = command_run(command, 2, ask);
		fflush(stdout);
		_exit((int)n);
	}
	close(fds[1]);
	while (pid > 0 && len < size - 1 && n > 0) {
		n = read(fds[0], text + len, size - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	text[len] = '\0';
	return len;
}

static const char *copy_until(const char *at, const char *stop, char *to, size_t size)
{
	size_t len = strcspn(at, stop), n = len < size ? len : size - 1;

	memcpy(to, at, n);
	to[n] = '\0';
	return at + len;
}

/* Columns from which on a line of --help is the text of the option above it. */
#define TEXT_COLUMN	20

/* The text of an option, from several lines; examples and defaults are left out. */
static void copy_about(const char *at, struct option_help *o)
{
	static const char *const ends[] = { "; ", ", e.g.", " (" };
	size_t len = 0, i;
	char *end;

	for (; *at && len < sizeof(o->about) - 1; at++) {
		if (*at == '\n' && strspn(at + 1, " ") < TEXT_COLUMN)
			break;
		o->about[len++] = *at == '\n' ? ' ' : *at;
		if (*at == '\n')
			at += strspn(at + 1, " ");
	}
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = strstr(o->about, ends[i]);
		if (end)
			*end = '\0';
	}
}

/* "  -e, --event EVENT      TEXT": one space before what the option takes, more before the text. */
static bool parse_option(const char *line, struct option_help *o)
{
	const char *at = line + strspn(line, " ");

	memset(o, 0, sizeof(*o));
	if (at == line || *at != '-')
		return false;
	if (at[1] != '-') {
		o->letter = at[1];
		at = strstr(at, "--");
		if (!at)
			return false;
	}
	at = copy_until(at + 2, " [\n", o->name, sizeof(o->name));
	if (*at == '[' || (*at == ' ' && at[1] != ' '))
		at = copy_until(at + (*at == ' '), " \n", o->arg, sizeof(o->arg));
	at += strspn(at, " \n");
	copy_about(at, o);
	return true;
}

static bool takes_value(const struct option_help *o)
{
	return *o->arg && *o->arg != '[';
}

/* Parses the next line of --help that has an option; *help moves behind it. */
static bool next_option(const char **help, struct option_help *o)
{
	const char *line;

	while (*help && **help) {
		line = *help;
		*help = strchr(line, '\n');
		if (*help)
			++*help;
		if (parse_option(line, o))
			return true;
	}
	return false;
}

/* Finds the option that a word is: "-e", "-eX", "--event" or "--event=X". */
static bool find_option(const char *help, const char *word, struct option_help *o)
{
	size_t len;

	if (word[0] != '-' || !word[1])
		return false;
	while (next_option(&help, o)) {
		if (word[1] != '-' && word[1] == o->letter)
			return true;
		if (word[1] != '-')
			continue;
		len = strcspn(word + 2, "=");
		if (strlen(o->name) == len && !strncmp(word + 2, o->name, len))
			return true;
	}
	return false;
}

static void complete_option(const char *help, const char *word)
{
	struct option_help o;
	char name[40];

	while (next_option(&help, &o)) {
		snprintf(name, sizeof(name), "--%s", o.name);
		candidate_print(word, 0, name, "", o.about);
		/* A letter only where no long name was begun. */
		snprintf(name, sizeof(name), "-%c", o.letter);
		if (o.letter && strlen(word) == 2)
			candidate_print(word, 0, name, "", o.about);
	}
}

/* ------------------------------------------------------------------ values */

static void complete_processes(const char *word)
{
	char path[64], comm[32];
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	FILE *f;

	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/comm", entry->d_name);
		*comm = '\0';
		f = fopen(path, "re");
		if (f && fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = '\0';
		if (f)
			fclose(f);
		candidate_print(word, 0, entry->d_name, "", comm);
	}
	if (dir)
		closedir(dir);
}

/* "count|duration", "N|none": the words in lower case. */
static void complete_choice(const char *word, size_t before, char *choice)
{
	char *one, *next = NULL;

	for (one = strtok_r(choice, "|", &next); one; one = strtok_r(NULL, "|", &next))
		if (islower((unsigned char)*one))
			candidate_print(word, before, one, "", NULL);
}

/* The kind of value follows from the name of the argument in --help. */
static void complete_value(struct option_help *o, const char *word, size_t before,
			   const char *command, const char *event)
{
	static const char *const sizes[] = { "64K", "256K", "1M", "4M", "16M", "64M" };
	const char *comma;
	size_t i;

	if (!strcmp(o->arg, "EVENT") && !before) {
		if (!strcmp(command, "stat") && !strchr(word, ':'))
			complete_counters(word);
		complete_event(word, false);
	} else if (!strcmp(o->arg, "MODULE") || !strcmp(o->arg, "MODULE|FILE")) {
		complete_module(word, before);
	} else if (!strcmp(o->arg, "GLOB") && !before) {
		complete_function(word);
	} else if (!strcmp(o->arg, "PID")) {
		complete_processes(word + before);
	} else if (!strcmp(o->arg, "CMD")) {
		puts(":commands");
	} else if (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "PATH")) {
		puts(":files");
	} else if (!strcmp(o->arg, "SIZE")) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			candidate_print(word, before, sizes[i], "", NULL);
	} else if (!strncmp(o->arg, "COUNTER", 7)) {
		complete_counters(word);
	} else if (!strncmp(o->arg, "EXPR", 4)) {
		comma = strrchr(word, ',');
		complete_expr(word, comma ? (size_t)(comma + 1 - word) : before, event);
	} else if (strchr(o->arg, '|')) {
		complete_choice(word, before, o->arg);
	}
}

/* ------------------------------------------------------------------- words */

/* Removes the quotes that a shell left on a word. The closing one may be missing. */
static char *unquote(char *word)
{
	char *from = word, *to = word, quote = '\0';

	if (*from != '\'' && *from != '"')
		return word;
	quote = *from++;
	while (*from && *from != quote) {
		if (quote == '"' && *from == '\\' && from[1])
			from++;
		*to++ = *from++;
	}
	*to = '\0';
	return word;
}

static void complete_command(const char *word)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		candidate_print(word, 0, c->name, "", c->summary);
	if (*word == '-') {
		candidate_print(word, 0, "--help", "", "list the commands");
		candidate_print(word, 0, "--version", "", "print the version");
	}
}

static void complete_help(const char *word)
{
	const struct help_topic *t;

	for (t = help_topics; t->name; t++)
		candidate_print(word, 0, t->name, "", t->summary);
	complete_command(*word == '-' ? "" : word);
}

/* tap why: a function, with or without a type. */
static void complete_calls(const char *word)
{
	complete_event(word, false);
	if (!strchr(word, ' '))
		complete_function(word);
}

static void complete_argument(const char *command, const char *word)
{
	if (!strcmp(command, "report") || !strcmp(command, "flame") ||
	    !strcmp(command, "export") || !strcmp(command, "expect") ||
	    !strcmp(command, "diff") || !strcmp(command, "merge"))
		puts(":files");
	else if (!strcmp(command, "list"))
		complete_event(word, true);
	else if (!strcmp(command, "why"))
		complete_calls(word);
}

int tool_complete(int argc, char **argv)
{
	const struct command *command;
	struct option_help o, last = { 0 };
	const char *event = NULL, *equals;
	bool options = true;
	char help[HELP_SIZE], *word;
	int i;

	for (i = 0; i < argc; i++)
		unquote(argv[i]);
	word = argc ? argv[argc - 1] : "";
	if (argc <= 1) {
		complete_command(word);
		return 0;
	}
	command = command_find(argv[0]);
	if (!command)
		return 0;
	if (!strcmp(argv[0], "help")) {
		if (argc == 2)
			complete_help(word);
		return 0;
	}
	if (!strcmp(argv[0], "run") && complete_recipe(argc, argv))
		return 0;
	read_help(command, help, sizeof(help));
	for (i = 1; i < argc - 1; i++) {
		last = (struct option_help) { 0 };
		if (!options || !find_option(help, argv[i], &o))
			options = options && strcmp(argv[i], "--");
		else if (takes_value(&o) && !strchr(argv[i], '='))
			last = o;
		if (!*last.arg)
			continue;
		if (i + 1 == argc - 1)
			break;
		i++;
		if (!strcmp(last.arg, "EVENT"))
			event = argv[i];
		last = (struct option_help) { 0 };
	}
	equals = strchr(word, '=');
	if (*last.arg)
		complete_value(&last, word, 0, argv[0], event);
	else if (options && !strncmp(word, "--", 2) && equals && find_option(help, word, &o))
		complete_value(&o, word, (size_t)(equals + 1 - word), argv[0], event);
	else if (options && *word == '-')
		complete_option(help, word);
	else
		complete_argument(argv[0], word);
	return 0;
}
