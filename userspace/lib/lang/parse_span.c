// SPDX-License-Identifier: LGPL-2.1
/*
 * Spans: span:NAME[:MODE] from SIDE to SIDE [having CONDITION], where a side is an event with
 * "on KEY[, KEY ...]" in front of its condition.
 *
 * The words from, to, on, having and if end what is in front of them where they stand by
 * themselves, outside brackets and quotes, and where an operator could stand: behind an operator
 * they are names. Each side is then parsed as an event of its own.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lexer.h"
#include "spec/ast.h"
#include "spec/spec.h"
#include "util/util.h"

#define FORM	"span:NAME from EVENT on KEY [if CONDITION] to EVENT on KEY [if CONDITION] [having CONDITION]"

#define DIAG(p, t, ...)	tap_diag(p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

/* The parts of a side in the text. */
struct side_text {
	struct tap_token event;
	struct tap_token keys;
	struct tap_token filter;
};

static struct tap_token trim(const char *begin, const char *end)
{
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (begin < end && isspace((unsigned char)end[-1]))
		end--;
	return (struct tap_token) { begin, end - begin };
}

static bool is_word(struct tap_token t, const char *const *words)
{
	for (; *words; words++)
		if (tap_token_is(t, *words))
			return true;
	return false;
}

/*
 * Takes the text up to one of the words (a list that ends with NULL), and that word: *word is
 * empty at the end of the text.
 */
static struct tap_token take_until(struct tap_parser *p, const char *const *words,
				   struct tap_token *word)
{
	const char *begin = p->at, *last = NULL;
	int depth = 0;

	while (*p->at) {
		if (isspace((unsigned char)*p->at)) {
			p->at++;
			continue;
		}
		*word = (struct tap_token) { p->at, 0 };
		while (p->at[word->len] && !isspace((unsigned char)p->at[word->len]) &&
		       !strchr("\"'()[]", p->at[word->len]))
			word->len++;
		/* Behind an operator or a comma a value must follow. */
		if (word->len && !depth && (!last || !strchr("+-*/%&|^<>=!~?:,", *last)) &&
		    is_word(*word, words)) {
			p->at += word->len;
			return trim(begin, word->at);
		}
		if (word->len) {
			p->at += word->len;
		} else if (*p->at == '"' || *p->at == '\'') {
			p->at = tap_quoted_end(p->at);
		} else {
			depth += *p->at == '(' || *p->at == '[';
			depth -= *p->at == ')' || *p->at == ']';
			p->at++;
		}
		last = p->at - 1;
	}
	*word = (struct tap_token) { p->at, 0 };
	return trim(begin, p->at);
}

/* Takes a side; *word is the word behind it. */
static int take_side(struct tap_parser *p, const char *name, const char *const *ends,
		     struct side_text *side, struct tap_token *word)
{
	const char *const on[] = { "on", "if", ends[0], ends[1], NULL };
	const char *const behind[] = { "if", ends[0], ends[1], NULL };
	struct tap_token target = tap_token_next(p), values;

	memset(side, 0, sizeof(*side));
	/* A target may end with an operator: vfs_* */
	if (!is_word(target, on)) {
		values = take_until(p, on, word);
		side->event = trim(target.at, values.at + values.len);
	}
	if (!side->event.len)
		return tap_diag(p, target.at, 1, -EINVAL,
				"the event is missing behind \"%s\": " FORM, name);
	if (!tap_token_is(*word, "on"))
		return tap_diag(p, word->at, word->len ? word->len : 1, -EINVAL,
				"the key of the \"%s\" side is missing: write \"on KEY\" behind its values%s",
				name, tap_token_is(*word, "if") ? " and in front of its if" : "");
	side->keys = take_until(p, behind, word);
	if (!side->keys.len)
		return tap_diag(p, side->keys.at, 1, -EINVAL,
				"the key is missing behind \"on\", e.g. on $arg1");
	if (!tap_token_is(*word, "if"))
		return 0;
	side->filter = take_until(p, behind + 1, word);
	return side->filter.len ? 0 :
	       tap_diag(p, word->at, word->len ? word->len : 1, -EINVAL,
			"the condition is missing in front of this, e.g. if $arg3 > 4096");
}

/* The keys of a side, separated by commas outside brackets and quotes. */
static int parse_keys(struct tap_parser *p, struct tap_spec *spec, struct tap_token keys)
{
	struct tap_ast *ast = spec->ast;
	const char *at = keys.at, *end = keys.at + keys.len, *begin;
	int ret = 0, depth;

	while (!ret && at <= end) {
		struct tap_token key;
		char *text;

		for (begin = at, depth = 0; at < end && (depth || *at != ',');) {
			if (*at == '"' || *at == '\'') {
				at = tap_quoted_end(at);
				continue;
			}
			depth += *at == '(' || *at == '[';
			depth -= *at == ')' || *at == ']';
			at++;
		}
		key = trim(begin, at++);
		if (!key.len)
			return tap_diag(p, key.at, 1, -EINVAL,
					"a key is missing beside this comma");
		if (ast->nr_keys == TAP_MAX_KEYS)
			return DIAG(p, key, "a span has at most %d keys", TAP_MAX_KEYS);
		text = strndup(key.at, key.len);
		ret = text ? tap_item_parse_text(spec, text, &ast->keys[ast->nr_keys++],
						 p->err) :
			     tap_error_set(p->err, -ENOMEM, "out of memory");
		free(text);
	}
	return ret ? ret : tap_items_distinguish((struct tap_parser) {
				.err = p->err, .spec = spec }, "keys", ast->keys, ast->nr_keys);
}

static int parse_side(struct tap_parser *p, const struct side_text *side,
		      struct tap_spec **out)
{
	struct tap_spec *spec = calloc(1, sizeof(*spec));
	char *text = NULL;
	int ret;

	*out = spec;
	if (!spec || asprintf(&text, "%.*s%s%.*s", (int)side->event.len, side->event.at,
			      side->filter.len ? " if " : "", (int)side->filter.len,
			      side->filter.len ? side->filter.at : "") < 0)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	ret = tap_spec_parse_into(spec, text, p->err);
	free(text);
	if (ret)
		return ret;
	if (spec->type == TAP_PROBE_SPAN || spec->type == TAP_PROBE_FUNCGRAPH)
		return DIAG(p, side->event, "%s: cannot be a side of a span%s",
			    tap_spec_type_name(spec->type),
			    spec->type == TAP_PROBE_SPAN ? "" : "; use call:");
	if (spec->name)
		return DIAG(p, side->event,
			    "a side has no name of its own; name the span: NAME=span:...");
	spec->ast->is_side = true;
	return parse_keys(p, spec, side->keys);
}

static int parse_name(struct tap_parser *p, struct tap_token t, enum tap_span_mode *mode)
{
	static const char *const modes[] = {
		[TAP_SPAN_RESTART] = "restart", [TAP_SPAN_FIRST] = "first",
		[TAP_SPAN_STACK] = "stack",
	};
	const char *colon = memchr(t.at, ':', t.len);
	struct tap_token name = t, word;
	size_t i;

	*mode = TAP_SPAN_RESTART;
	if (colon) {
		name.len = colon - t.at;
		word = (struct tap_token) { colon + 1, t.at + t.len - colon - 1 };
		for (i = 0; i < ARRAY_SIZE(modes); i++)
			if (tap_token_is(word, modes[i]))
				break;
		if (i == ARRAY_SIZE(modes))
			return tap_diag(p, word.at, word.len ? word.len : 1, -EINVAL,
					"what happens if the key is open already is restart, first or stack");
		*mode = (enum tap_span_mode)i;
	}
	if (!name.len)
		return tap_diag(p, name.at, 1, -EINVAL, "the name is missing: " FORM);
	if (tap_word_len(name.at) != name.len || isdigit((unsigned char)*name.at))
		return DIAG(p, name,
			    "the name of a span can contain only letters, digits and _, and cannot begin with a digit");
	if (asprintf(&p->spec->event, "span:%.*s", (int)name.len, name.at) < 0)
		p->spec->event = NULL;
	p->spec->target = strndup(name.at, name.len);
	return p->spec->event && p->spec->target ? 0 :
	       tap_error_set(p->err, -ENOMEM, "out of memory");
}

/**
 * tap_span_refer() - turn from.x and to.x of a span's expressions into names
 * @ast: of a span; an expression was added to it
 */
void tap_span_refer(struct tap_ast *ast)
{
	struct tap_node *node;

	for (node = ast->nodes; node; node = node->next) {
		if (node->kind != TAP_NODE_MEMBER || node->arrow ||
		    node->a->kind != TAP_NODE_NAME ||
		    (!tap_token_is(node->a->t, "from") && !tap_token_is(node->a->t, "to")))
			continue;
		node->kind = TAP_NODE_NAME;
		node->t = node->all;
	}
}

/* Parses a span; the parser is behind its first word, @t is NAME[:MODE] in it. */
int tap_span_parse(struct tap_parser *p, struct tap_token t)
{
	static const char *const from[] = { "from", NULL };
	static const char *const ends[][3] = {
		{ "to", "to", NULL }, { "having", "having", NULL },
	};
	struct tap_ast *ast = p->spec->ast;
	struct side_text side[2];
	struct tap_token word, rest;
	int ret;

	ast->span = calloc(1, sizeof(*ast->span));
	if (!ast->span)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	ret = parse_name(p, t, &ast->span->mode);
	if (ret)
		return ret;
	rest = take_until(p, from, &word);
	if (rest.len || !word.len)
		return tap_diag(p, rest.at, rest.len ? rest.len : 1, -EINVAL,
				"\"from\" is missing in front of this: " FORM);
	ret = take_side(p, "from", ends[0], &side[0], &word);
	if (!ret && !word.len)
		ret = tap_diag(p, word.at, 1, -EINVAL, "\"to\" is missing here: " FORM);
	if (!ret)
		ret = take_side(p, "to", ends[1], &side[1], &word);
	if (!ret)
		ret = parse_side(p, &side[0], &ast->span->side[0]);
	if (!ret)
		ret = parse_side(p, &side[1], &ast->span->side[1]);
	if (!ret && ast->span->side[0]->ast->nr_keys != ast->span->side[1]->ast->nr_keys)
		ret = DIAG(p, side[1].keys,
			   "\"from\" has %u key%s and \"to\" has %u; the keys behind on must correspond",
			   ast->span->side[0]->ast->nr_keys,
			   ast->span->side[0]->ast->nr_keys > 1 ? "s" : "",
			   ast->span->side[1]->ast->nr_keys);
	if (ret || !word.len)
		return ret;
	rest = trim(p->at, p->at + strlen(p->at));
	if (!rest.len)
		return DIAG(p, word, "the condition is missing behind this, e.g. having duration > 1ms");
	p->at += strlen(p->at);
	ret = tap_expr_parse(p, rest, &ast->filter, NULL);
	tap_span_refer(ast);
	return ret;
}
