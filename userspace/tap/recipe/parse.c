// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of a recipe to its options and words. The text is cut into strings in place.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "recipe/recipe.h"

/**
 * struct parser - where in a file
 * @r: what was read so far
 * @line: number of the line
 * @running: "run:" was read
 * @err: the first error
 */
struct parser {
	struct recipe *r;
	unsigned int line;
	bool running;
	struct tap_error *err;
};

static int bad(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int bad(struct parser *p, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tap_error_set(p->err, -EINVAL, "%s:%u: %s", p->r->path, p->line, text);
}

static char *skip_blanks(char *at)
{
	return at + strspn(at, " \t");
}

/* ----------------------------------------------------------------- options */

/* Letters, digits and -, a letter first; of arguments capitals. */
static bool is_name(const char *name, bool argument)
{
	const char *c;

	for (c = name; *c; c++)
		if (!(argument ? isupper((unsigned char)*c) : islower((unsigned char)*c)) &&
		    !(c > name && (isdigit((unsigned char)*c) || (!argument && *c == '-'))))
			return false;
	return c > name;
}

/* "--NAME=TYPE  TEXT", "--NAME  TEXT"; of an argument "NAME=TYPE  TEXT". */
static int parse_option(struct parser *p, char *text, bool argument)
{
	struct recipe *r = p->r;
	struct recipe_option *o = &r->options[r->nr_options];
	char *type;

	if (r->nr_options == RECIPE_MAX_OPTIONS)
		return bad(p, "more than %d options and arguments", RECIPE_MAX_OPTIONS);
	*o = (struct recipe_option) { .argument = argument, .line = p->line };
	if (!argument && strncmp(text, "--", 2))
		return bad(p, "an option begins with --, e.g. option: --min=TIME  TEXT");
	o->name = argument ? text : text + 2;
	o->about = o->name + strcspn(o->name, " \t");
	if (*o->about)
		*o->about++ = '\0';
	o->about = skip_blanks(o->about);
	type = strchr(o->name, '=');
	if (type)
		*type++ = '\0';
	if (!is_name(o->name, argument))
		return bad(p, "'%s' is not a name: give %s", o->name,
			   argument ? "capitals, e.g. FUNC" : "letters, digits and -, e.g. --min-size");
	if (!strcmp(o->name, "help") || !strcmp(o->name, "if") || !strcmp(o->name, "and"))
		return bad(p, "the name '%s' is taken; choose another one", o->name);
	if (recipe_option(r, o->name, strlen(o->name)))
		return bad(p, "there are two '%s'; remove one", o->name);
	if (!*o->about)
		return bad(p, "'%s' has no description; write it behind the name", o->name);
	o->type = type ? recipe_type_find(type) : RECIPE_FLAG;
	if (o->type == RECIPE_NR_TYPES)
		return bad(p, "'%s' is not a type; there are NUMBER, TIME, TEXT, FUNCTION, PATH, MODULE and VALUE",
			   type);
	if (argument && !type)
		return bad(p, "the argument %s has no type, e.g. %s=FUNCTION", o->name, o->name);
	r->nr_options++;
	return 0;
}

/* "if: COND" and "default: VALUE", indented below an option. */
static int parse_detail(struct parser *p, char *text)
{
	struct recipe *r = p->r;
	struct recipe_option *o = r->nr_options ? &r->options[r->nr_options - 1] : NULL;
	bool condition = !strncmp(text, "if:", 3);
	char **to;

	if (!condition && strncmp(text, "default:", 8))
		return bad(p, "'%.40s': indented lines are 'if:' and 'default:' below an option, and the words below 'run:'",
			   text);
	if (!o || o->argument)
		return bad(p, "'if:' and 'default:' stand below an option");
	text = skip_blanks(strchr(text, ':') + 1);
	if (!*text)
		return bad(p, "nothing stands behind the colon");
	to = condition ? &o->condition : &o->preset;
	if (*to)
		return bad(p, "--%s has two of these; remove one", o->name);
	*to = text;
	if (o->condition && o->preset)
		return bad(p, "--%s has 'if:' and 'default:'; remove one", o->name);
	return 0;
}

/* ------------------------------------------------------------------- words */

/* The names of --command that getopt_long() takes, and -c, also behind other letters. */
static bool is_command_option(const char *word)
{
	size_t len;

	if (word[0] != '-' || !word[1])
		return false;
	if (word[1] != '-')
		return word[1 + strspn(word + 1, "aq")] == 'c';
	len = strcspn(word + 2, "=");
	return len && !strncmp(word + 2, "command", len);
}

/* One word; its quotes are removed. Moves *at behind it. */
static int parse_word(struct parser *p, char **at)
{
	struct recipe *r = p->r;
	char *from = *at, *to = *at;
	bool quoted = false;

	if (r->nr_words == RECIPE_MAX_WORDS - 1)
		return bad(p, "more than %d words", RECIPE_MAX_WORDS - 1);
	r->lines[r->nr_words] = p->line;
	r->words[r->nr_words] = to;
	for (; *from && (quoted || (*from != ' ' && *from != '\t')); from++) {
		if (*from == '\'')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	if (quoted)
		return bad(p, "a single quote has no other one on its line");
	*at = *from ? from + 1 : from;
	*to = '\0';
	if (is_command_option(r->words[r->nr_words]))
		return bad(p, "a recipe runs no command: give -c behind 'tap run %s'", r->name);
	r->nr_words++;
	return 0;
}

static int parse_words(struct parser *p, char *text)
{
	int ret = 0;

	for (text = skip_blanks(text); *text && !ret; text = skip_blanks(text))
		ret = parse_word(p, &text);
	return ret;
}

/* ------------------------------------------------------------------- lines */

static int parse_key(struct parser *p, char *text)
{
	struct recipe *r = p->r;
	char *value = strchr(text, ':');

	if (!value)
		return bad(p, "'%.40s' is no line of a recipe; there are about:, option:, argument: and run:", text);
	*value++ = '\0';
	value = skip_blanks(value);
	if (p->running)
		return bad(p, "'%s:' stands behind 'run:', which is last; indent the words of the command", text);
	if (!*value && strcmp(text, "run"))
		return bad(p, "nothing stands behind '%s:'", text);
	if (!strcmp(text, "option") || !strcmp(text, "argument"))
		return parse_option(p, value, *text == 'a');
	if (!strcmp(text, "about")) {
		if (r->about)
			return bad(p, "there are two 'about:'; remove one");
		r->about = value;
		return 0;
	}
	if (strcmp(text, "run"))
		return bad(p, "'%.40s:' is not known; there are about:, option:, argument: and run:", text);
	p->running = true;
	return parse_words(p, value);
}

static int parse_line(struct parser *p, char *line)
{
	char *text = skip_blanks(line), *end, *c;

	for (c = line; *c; c++)
		if (iscntrl((unsigned char)*c) && *c != '\t')
			return bad(p, "the line has a control character; remove it");
	for (end = c; end > text && isblank((unsigned char)end[-1]); end--)
		end[-1] = '\0';
	if (!*text || *text == '#')
		return 0;
	if (text == line)
		return parse_key(p, text);
	return p->running ? parse_words(p, text) : parse_detail(p, text);
}

/* ------------------------------------------------------------------ checks */

/* The text between ${ and }, or NULL if there is no further one. */
static char *next_name(char *at, size_t *len)
{
	at = strstr(at, "${");
	if (at)
		*len = strcspn(at + 2, "}");
	return at ? at + 2 : NULL;
}

static bool is_conditions(const char *name, size_t len)
{
	return (len == 2 && !strncmp(name, "if", len)) || (len == 3 && !strncmp(name, "and", len));
}

/* Whether a value stands where its type is safe. */
static int check_place(struct parser *p, const struct recipe_option *o, const char *name, size_t len)
{
	if (o->type == RECIPE_TEXT && !(name[-3] == '"' && name[len + 1] == '"'))
		return bad(p, "${%s} is a TEXT: it stands alone between double quotes", o->name);
	return 0;
}

/*
 * is_command_option() sees words as the file has them. So neither a value nor conditions that are left out
 * may change which option a word is.
 */
static int check_start(struct parser *p, const char *word)
{
	const char *at = strstr(word, "${");

	if (!at)
		return 0;
	if (*word == '-' && !memchr(word, '=', (size_t)(at - word)))
		return bad(p, "'%.40s': give the value in a word of its own, or behind a =", word);
	/* A blank in front of them is left out with them. */
	if (at - word == (*word == ' ') && is_conditions(at + 2, strcspn(at + 2, "}")))
		return bad(p, "'%.40s': no event stands in front of the conditions", word);
	return 0;
}

/*
 * The names of a word, or of the condition of @owner. Those of options that must be given, or have a
 * default, may be used everywhere.
 */
static int check_names(struct parser *p, char *word, const struct recipe_option *owner, bool *used)
{
	struct recipe *r = p->r;
	const struct recipe_option *o;
	char *name = word;
	int ret = 0;
	size_t len;

	while (!ret && (name = next_name(name, &len))) {
		if (!name[len])
			return bad(p, "'%.40s' has no }", name - 2);
		if (!owner && is_conditions(name, len)) {
			used[RECIPE_MAX_OPTIONS] = true;
			continue;
		}
		o = recipe_option(r, name, len);
		if (!o)
			return bad(p, "there is no option or argument '%.*s'", (int)(len < 40 ? len : 40), name);
		if (!o->argument && !o->preset && o != owner)
			return bad(p, "--%s has no 'default:', so only its own 'if:' can have ${%s}", o->name, o->name);
		if (o->type == RECIPE_FLAG)
			return bad(p, "--%s has no value", o->name);
		used[o - r->options] = true;
		ret = check_place(p, o, name, len);
	}
	return ret;
}

static int check_option(struct parser *p, struct recipe_option *o, bool *used)
{
	struct tap_error err;

	p->line = o->line;
	if (o->condition) {
		used[o - p->r->options] = used[RECIPE_MAX_OPTIONS];
		if (!used[RECIPE_MAX_OPTIONS])
			return bad(p, "--%s has an 'if:', and no word of 'run:' has ${if} or ${and}", o->name);
		return check_names(p, o->condition, o, used);
	}
	if (!o->argument && !o->preset)
		return bad(p, "--%s has neither 'if:' nor 'default:'", o->name);
	if (o->preset && o->type == RECIPE_FLAG)
		return bad(p, "--%s has no value, so it has no 'default:'", o->name);
	if (o->preset && recipe_check(o, o->preset, &err))
		return bad(p, "the default: %s", err.text);
	return 0;
}

static int check_unused(struct parser *p, const bool *used)
{
	struct recipe *r = p->r;
	size_t i;

	for (i = 0; i < r->nr_options; i++) {
		p->line = r->options[i].line;
		if (!used[i])
			return bad(p, "no word of 'run:' has ${%s}", r->options[i].name);
	}
	return 0;
}

static int check(struct parser *p)
{
	static const char *const commands[] = { "trace", "stat", "record", "why" };
	bool used[RECIPE_MAX_OPTIONS + 1] = { false };
	struct recipe *r = p->r;
	int ret = 0;
	size_t i;

	if (!r->about)
		return bad(p, "'about:' is missing: the question that the recipe answers");
	if (!r->nr_words)
		return bad(p, "'run:' is missing: the command and its options");
	p->line = r->lines[0];
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(r->words[0], commands[i]))
			break;
	if (i == sizeof(commands) / sizeof(commands[0]))
		return bad(p, "'%.40s' is not trace, stat, record or why", r->words[0]);
	for (i = 0; i < r->nr_words && !ret; i++) {
		p->line = r->lines[i];
		ret = check_start(p, r->words[i]);
		if (!ret)
			ret = check_names(p, r->words[i], NULL, used);
	}
	for (i = 0; i < r->nr_options && !ret; i++)
		ret = check_option(p, &r->options[i], used);
	return ret ? ret : check_unused(p, used);
}

int recipe_parse(struct recipe *r, const char *path, const char *name, char *text,
		 struct tap_error *err)
{
	struct parser p = { .r = r, .err = err };
	char *line, *rest = text;
	int ret = 0;

	*r = (struct recipe) { .path = path, .name = name, .text = text };
	while (!ret && (line = strsep(&rest, "\n"))) {
		p.line++;
		ret = parse_line(&p, line);
	}
	return ret ? ret : check(&p);
}

void recipe_free(struct recipe *r)
{
	free(r->text);
	r->text = NULL;
}

struct recipe_option *recipe_option(struct recipe *r, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < r->nr_options; i++)
		if (strlen(r->options[i].name) == len && !strncmp(r->options[i].name, name, len))
			return &r->options[i];
	return NULL;
}

struct recipe_option *recipe_argument(struct recipe *r, size_t nr)
{
	size_t i;

	for (i = 0; i < r->nr_options; i++)
		if (r->options[i].argument && !nr--)
			return &r->options[i];
	return NULL;
}
