// SPDX-License-Identifier: LGPL-2.1
/*
 * tap_spec_parse(): [NAME=]TYPE:TARGET [NAME=]VALUE[:FORMAT] ... [if CONDITION]
 *
 * The parser does not look at the system. resolve.c checks whether a target exists.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/target.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "util/suggest.h"
#include "util/util.h"

/* A raw tracepoint of a driver that includes <tapmod/emit.h>. */
#define EMIT	"emit"

static const struct {
	const char *name;
	enum tap_probe_type type;
	enum tap_spec_source source;
} types[] = {
	{ "kprobe", TAP_PROBE_KPROBE, TAP_SOURCE_NONE },
	{ "kretprobe", TAP_PROBE_KRETPROBE, TAP_SOURCE_NONE },
	{ "call", TAP_PROBE_CALL, TAP_SOURCE_NONE },
	{ "func", TAP_PROBE_FUNC, TAP_SOURCE_NONE },
	{ "funcgraph", TAP_PROBE_FUNCGRAPH, TAP_SOURCE_NONE },
	{ "rawtracepoint", TAP_PROBE_RAWTP, TAP_SOURCE_NONE },
	{ "rawtp", TAP_PROBE_RAWTP, TAP_SOURCE_NONE },
	{ EMIT, TAP_PROBE_RAWTP, TAP_SOURCE_NONE },
	{ "tracepoint", TAP_PROBE_TRACEPOINT, TAP_SOURCE_NONE },
	{ "tp", TAP_PROBE_TRACEPOINT, TAP_SOURCE_NONE },
	{ "printk", TAP_PROBE_TRACEPOINT, TAP_SOURCE_NONE },
	{ "syscall", TAP_PROBE_SYSCALL, TAP_SOURCE_NONE },
	{ "uprobe", TAP_PROBE_UPROBE, TAP_SOURCE_NONE },
	{ "uretprobe", TAP_PROBE_URETPROBE, TAP_SOURCE_NONE },
	{ "ucall", TAP_PROBE_UCALL, TAP_SOURCE_NONE },
	{ "usdt", TAP_PROBE_USDT, TAP_SOURCE_NONE },
	{ "hardware", TAP_PROBE_EVENT, TAP_SOURCE_NONE },
	{ "software", TAP_PROBE_EVENT, TAP_SOURCE_NONE },
	{ "profile", TAP_PROBE_EVENT, TAP_SOURCE_NONE },
	{ "watchpoint", TAP_PROBE_WATCHPOINT, TAP_SOURCE_NONE },
	{ "mark", TAP_PROBE_MARK, TAP_SOURCE_NONE },
	{ "interval", TAP_PROBE_MARK, TAP_SOURCE_NONE },
	{ "file", TAP_PROBE_MARK, TAP_SOURCE_NONE },
	{ "span", TAP_PROBE_SPAN, TAP_SOURCE_NONE },
	{ "line", TAP_PROBE_KPROBE, TAP_SOURCE_LINE },
	{ "inline", TAP_PROBE_KPROBE, TAP_SOURCE_INLINE },
	{ "uinline", TAP_PROBE_UPROBE, TAP_SOURCE_INLINE },
};

#define TYPES	\
	"kprobe:, kretprobe:, call:, func:, funcgraph:, syscall:, tracepoint:, rawtracepoint:, emit:, uprobe:, uretprobe:, ucall:, usdt:, hardware:, software:, profile:, watchpoint:, printk, mark, interval:, file:, span:, line:, inline: and uinline:"

/* Index into types[]; their number if there is no such type. */
static size_t find_type(struct tap_token t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (tap_token_is(t, types[i].name))
			break;
	return i;
}

/* Only in front of a known type: x=$arg1 is a value, and cpu/event=0x3c/ a counter. */
size_t tap_spec_name_len(const char *text)
{
	size_t len = tap_word_len(text);
	struct tap_token type = { text + len + 1, 0 };

	if (!len || isdigit((unsigned char)*text) || text[len] != '=')
		return 0;
	type.len = tap_word_len(type.at);
	if (find_type(type) == ARRAY_SIZE(types) ||
	    (type.at[type.len] != ':' && !tap_token_is(type, "mark") &&
	     !tap_token_is(type, TAP_PRINTK)))
		return 0;
	return len + 1;
}

/* Takes NAME= off the first word. */
static int take_name(struct tap_parser *p, struct tap_token *word)
{
	size_t len = tap_spec_name_len(word->at);

	if (!len)
		return 0;
	if (len > TAP_FIELD_NAME_LEN)
		return tap_diag(p, word->at, len - 1, -EINVAL,
				"the name of an event has at most %d characters",
				TAP_FIELD_NAME_LEN - 1);
	p->spec->name = strndup(word->at, len - 1);
	if (!p->spec->name)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	word->at += len;
	word->len -= len;
	return 0;
}

static int parse_type(struct tap_parser *p, struct tap_token word, struct tap_token *rest)
{
	const char *colon = memchr(word.at, ':', word.len);
	struct tap_suggest s;
	struct tap_token t;
	char near[300];
	size_t i;

	if (*word.at == '$' || *word.at == '%' ||
	    memchr(word.at, '=', colon ? (size_t)(colon - word.at) : word.len))
		return tap_diag(p, word.at, word.len, -EINVAL,
			     "the event comes first: TYPE:TARGET, e.g. kprobe:vfs_read");
	t = (struct tap_token) { word.at,
		colon ? (size_t)(colon - word.at) : word.len };
	i = find_type(t);
	if (i == ARRAY_SIZE(types) && !colon && t.len &&
	    tap_word_len(t.at) == t.len)
		return tap_diag(p, t.at, t.len, -EINVAL,
			     "no event type before \"%.*s\"; did you mean kprobe:%.*s? There are " TYPES,
			     QUOTE(t), QUOTE(t));
	if (i == ARRAY_SIZE(types)) {
		tap_suggest_begin(&s, t.at, t.len);
		for (i = 0; i < ARRAY_SIZE(types); i++)
			tap_suggest_offer(&s, types[i].name,
					  strlen(types[i].name));
		return tap_diag(p, t.at, t.len, -EINVAL,
			     "no event type \"%.*s\"%s%s There are " TYPES,
			     QUOTE(t),
			     tap_suggest_text(&s, "", ":", near, sizeof(near)),
			     s.nr ? "" : ".");
	}
	p->spec->type = types[i].type;
	p->spec->source = types[i].source;
	p->spec->emit = !strcmp(types[i].name, EMIT);
	rest->at = colon ? colon + 1 : word.at + word.len;
	rest->len = word.at + word.len - rest->at;
	if (tap_token_is(t, TAP_PRINTK)) {
		if (rest->len)
			return tap_diag(p, rest->at, rest->len, -EINVAL,
					"printk has no target; select messages with a condition: printk if text == \"*error*\"");
		*rest = (struct tap_token) { TAP_PRINTK_TARGET, strlen(TAP_PRINTK_TARGET) };
	}
	/* Their own parsers report a missing target of these. */
	if (!rest->len && p->spec->type != TAP_PROBE_EVENT && !p->spec->source &&
	    p->spec->type != TAP_PROBE_MARK && p->spec->type != TAP_PROBE_SPAN)
		return tap_target_missing(p, rest->at, types[i].name);
	return 0;
}

/* The event goes by its own name, not by that of the tracepoint. */
static int name_printk(struct tap_parser *p)
{
	free(p->spec->event);
	p->spec->event = strdup(TAP_PRINTK);
	return p->spec->event ? 0 : tap_error_set(p->err, -ENOMEM, "out of memory");
}

/**
 * tap_spec_parse_into() - tap_spec_parse() into a structure of the caller
 * @spec: filled in on success; end it with tap_spec_clear()
 * @text: the event
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_spec_parse_into(struct tap_spec *spec, const char *text,
			struct tap_error *err)
{
	struct tap_parser p = { .err = err, .spec = spec };
	struct tap_token word, target;
	int ret;

	memset(spec, 0, sizeof(*spec));
	if (err)
		memset(err, 0, sizeof(*err));
	/* The tokens point into the copy until the spec is expanded. */
	spec->ast = tap_ast_new(text);
	if (!spec->ast)
		return tap_error_set(err, -ENOMEM, "out of memory");
	p.text = spec->ast->text;
	p.at = p.text;
	word = tap_token_next(&p);
	if (!word.len)
		ret = tap_error_set(err, -EINVAL,
				    "the event is empty; write TYPE:TARGET, e.g. kprobe:vfs_read; there are " TYPES);
	else
		ret = take_name(&p, &word) ?: parse_type(&p, word, &target);
	if (!ret && strlen(p.text) > TAP_MAX_TEXT)
		ret = tap_error_set(err, -E2BIG,
				    "the text of the event is longer than %d bytes; split it into several events",
				    TAP_MAX_TEXT);
	if (!ret)
		ret = spec->type == TAP_PROBE_EVENT ?
		      tap_parse_counter_event(&p, word) :
		      spec->type == TAP_PROBE_MARK ?
		      tap_spec_mark(&p, word) :
		      spec->source ?
		      tap_source_parse(&p, target) :
		      tap_probe_is_user(spec->type) ?
		      tap_user_target_parse(&p, target) :
		      spec->type == TAP_PROBE_WATCHPOINT ?
		      tap_watchpoint_parse(&p, target) :
		      spec->type == TAP_PROBE_SPAN ?
		      tap_span_parse(&p, target) :
		      tap_target_parse(&p, target);
	if (!ret && !strncmp(word.at, TAP_PRINTK, strlen(TAP_PRINTK)))
		ret = name_printk(&p);
	if (!ret && spec->type != TAP_PROBE_SPAN)
		ret = tap_values_parse(&p);
	if (ret)
		tap_spec_clear(spec);
	return ret;
}

int tap_spec_parse(const char *text, struct tap_spec **out,
		   struct tap_error *err)
{
	struct tap_spec *spec = malloc(sizeof(*spec));
	int ret;

	if (!spec)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ret = tap_spec_parse_into(spec, text, err);
	if (ret)
		free(spec);
	else
		*out = spec;
	return ret;
}
