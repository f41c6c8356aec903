// SPDX-License-Identifier: GPL-2.0
/*
 * tap run: another command of tap, with the options that a recipe has for it.
 *
 * The command is called in this process with an array of words: no shell ever sees them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "recipe/recipe.h"
#include "tool.h"

/* Column of the descriptions of --list. */
#define LIST_TEXT	16

static const char help[] =
	"usage: tap run [--show] NAME|-f FILE [ARGUMENT]... [OPTION]...\n"
	"       tap run -h NAME\n"
	"       tap run --list [WORD]\n"
	"\n"
	"Runs a recipe: a command of tap that answers a frequent question.\n"
	"ARGUMENT and OPTION are those of the recipe. All other options are for the\n"
	"command that it runs, e.g. -c CMD, -p PID, --duration SEC.\n"
	"\n"
	"options:\n"
	"  -l, --list               print the recipes, or those in which WORD occurs\n"
	"  -s, --show               print the command instead of running it\n"
	"  -f, --file FILE          the recipe in FILE\n"
	"      --help               print this help, or that of the recipe behind it\n"
	"\n"
	"Files: ~/.config/tapmod/recipes/NAME.recipe, /etc/tapmod/recipes,\n"
	"PREFIX/share/tapmod/recipes. The first one that exists is used.\n";

/**
 * struct request - the command line in front of the recipe's own part
 * @list: --list
 * @show: --show
 * @help: --help
 * @file: -f, or NULL
 * @next: where in argv the rest begins
 */
struct request {
	bool list;
	bool show;
	bool help;
	char *file;
	int next;
};

/* ---------------------------------------------------------------- the list */

struct list {
	const char *word;
	unsigned int nr;
	int status;
};

static void list_one(const char *name, const char *path, void *arg)
{
	struct list *l = arg;
	struct tap_error err;
	struct recipe r;

	if (recipe_read(&r, path, &err)) {
		l->status = tool_fail(&err);
	} else if (!l->word || strcasestr(name, l->word) || strcasestr(r.about, l->word)) {
		printf("%-*s ", LIST_TEXT - 1, name);
		if (strlen(name) >= LIST_TEXT)
			printf("\n%*s", LIST_TEXT, "");
		tool_wrap(stdout, r.about, LIST_TEXT, LIST_TEXT);
		l->nr++;
	}
	recipe_free(&r);
}

static int list(const char *word)
{
	struct list l = { .word = word };

	if (recipe_each(list_one, &l)) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	if (l.nr || l.status)
		return l.status;
	if (word)
		tool_error("no recipe has '%s'; 'tap run --list' shows all", word);
	else
		tool_error("there are no recipes: install tap ('make install'), or name a file with -f");
	return TOOL_FAILED;
}

/* ------------------------------------------------------------------ to run */

static void show(char *const *argv, size_t nr)
{
	size_t i;

	fputs("tap", stdout);
	for (i = 0; i < nr; i++) {
		putchar(' ');
		recipe_quote(stdout, argv[i]);
	}
	putchar('\n');
}

/* The words of the recipe, and behind them those of the command line. */
static int run_with(const struct recipe *r, const struct request *q, char **rest, size_t nr_rest)
{
	char *words[RECIPE_MAX_WORDS], **argv = NULL;
	struct tap_error err;
	int status = TOOL_FAILED;
	size_t nr, i;

	if (recipe_expand(r, words, &nr, &err)) {
		tool_fail(&err);
		goto out;
	}
	argv = calloc(nr + nr_rest + 1, sizeof(*argv));
	if (!argv) {
		tool_error("out of memory");
		goto out;
	}
	memcpy(argv, words, nr * sizeof(*argv));
	memcpy(argv + nr, rest, nr_rest * sizeof(*argv));
	status = 0;
	if (q->show)
		show(argv, nr + nr_rest);
	else
		status = command_run(command_find(r->words[0]), (int)(nr + nr_rest), argv);
out:
	free(argv);
	for (i = 0; i < nr; i++)
		free(words[i]);
	return status;
}

static bool wants_help(char *const *rest, size_t nr)
{
	return nr && (!strcmp(rest[0], "--help") || !strcmp(rest[0], "-h"));
}

static int run_recipe(struct recipe *r, const struct request *q, int argc, char **argv)
{
	struct tap_error err;
	int status = TOOL_USAGE;
	char **rest;
	size_t nr;

	if (q->help) {
		recipe_help(stdout, r);
		return 0;
	}
	rest = calloc((size_t)argc + 1, sizeof(*rest));
	if (!rest) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	if (argc && wants_help(argv, 1)) {
		recipe_help(stdout, r);
		status = 0;
	} else if (recipe_give(r, argc, argv, rest, &nr, &err)) {
		tool_fail(&err);
	} else {
		status = run_with(r, q, rest, nr);
	}
	free(rest);
	return status;
}

/* ------------------------------------------------------------ command line */

/* Options in front of the name; getopt_long() is for the command that is run. Returns -1 to go on. */
static int parse(struct request *q, int argc, char **argv)
{
	char *word;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		word = argv[i];
		if (!strcmp(word, "--list") || !strcmp(word, "-l")) {
			q->list = true;
		} else if (!strcmp(word, "--show") || !strcmp(word, "-s")) {
			q->show = true;
		} else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			q->help = true;
		} else if (!strncmp(word, "--file=", 7)) {
			q->file = word + 7;
		} else if (!strcmp(word, "--file") || !strcmp(word, "-f")) {
			if (++i == argc) {
				tool_error("%s needs a FILE", word);
				return TOOL_USAGE;
			}
			q->file = argv[i];
		} else {
			tool_error("'%s' is not an option in front of NAME; 'tap run --help' shows them", word);
			return TOOL_USAGE;
		}
	}
	q->next = i;
	return -1;
}

/**
 * cmd_run() - tap run
 * @argc: of the command
 * @argv: of the command
 *
 * Return: exit status.
 */
int cmd_run(int argc, char **argv)
{
	struct request q = { 0 };
	char path[PATH_MAX];
	struct tap_error err;
	struct recipe r;
	int status, ret;

	status = parse(&q, argc, argv);
	if (status >= 0)
		return status;
	argc -= q.next;
	argv += q.next;
	if (q.list && argc > 1) {
		tool_error("--list takes one WORD; '%s' is one argument too many", argv[1]);
		return TOOL_USAGE;
	}
	if (q.list)
		return list(argc ? argv[0] : NULL);
	if (!q.file && !argc) {
		fputs(help, q.help ? stdout : stderr);
		return q.help ? 0 : TOOL_USAGE;
	}
	ret = q.file ? recipe_read(&r, q.file, &err) :
		       recipe_find(&r, argv[0], path, sizeof(path), &err);
	if (ret)
		status = tool_fail(&err);
	else if (q.file)
		status = run_recipe(&r, &q, argc, argv);
	else
		status = run_recipe(&r, &q, argc - 1, argv + 1);
	recipe_free(&r);
	return status;
}
