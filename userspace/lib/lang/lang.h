/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the files of the parser of the event language share, and what the parser offers.
 * Private to libtap and its tool.
 */
#ifndef _TAP_LANG_LANG_H
#define _TAP_LANG_LANG_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>

#include "spec/ast.h"
#include "spec/spec.h"
#include "spec/token.h"

#define TAP_LATER	"not supported yet by this version"

/**
 * struct tap_parser - a text that is being parsed
 * @text: the whole text; owned by the caller
 * @at: the first character that is not yet read
 * @err: gets the error message; may be NULL
 * @spec: the result so far; its type and target are needed
 * @of: prefix of error messages, or NULL; for a glob, the target that the text does not
 *	fit
 */
struct tap_parser {
	const char *text;
	const char *at;
	struct tap_error *err;
	struct tap_spec *spec;
	const char *of;
};

int tap_diag(const struct tap_parser *p, const char *at, size_t len, int code,
	     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int tap_token_shown(struct tap_token t);
struct tap_token tap_token_next(struct tap_parser *p);

/* The arguments of "%.*s" in an error message. */
#define QUOTE(t)	tap_token_shown(t), (t).at

/* parse_event.c */
int tap_spec_parse_into(struct tap_spec *spec, const char *text,
			struct tap_error *err);

/* parse_expr.c */
int tap_expr_parse(const struct tap_parser *p, struct tap_token t,
		   struct tap_node **node, struct tap_token *rest);

/* parse_builtin.c */
int tap_variable_parse(const struct tap_parser *p, struct tap_node *node);
int tap_literal_find(struct tap_token name, __u64 *value);
int tap_builtin_find(struct tap_token name, enum tap_builtin *builtin,
		     __u64 *value);
int tap_builtin_check(const struct tap_parser *p, struct tap_token t,
		      enum tap_builtin builtin, __u64 value);
int tap_register_parse(const struct tap_parser *p, struct tap_node *node);

/* parse_format.c */
int tap_as_parse(const struct tap_parser *p, struct tap_token t,
		 struct tap_as *as);

/* item_names.c */
int tap_items_distinguish(struct tap_parser p, const char *what, struct tap_item *items,
			  unsigned int nr);

/* parse_values.c */
int tap_item_parse_text(struct tap_spec *spec, const char *text,
			struct tap_item *item, struct tap_error *err);
struct tap_token tap_value_next(struct tap_parser *p);
int tap_values_parse(struct tap_parser *p);

/* parse_sample.c */
int tap_parse_counter_event(struct tap_parser *p, struct tap_token word);

/* parse_watchpoint.c */
int tap_watchpoint_parse(struct tap_parser *p, struct tap_token t);

/* parse_span.c */
int tap_span_parse(struct tap_parser *p, struct tap_token t);
void tap_span_refer(struct tap_ast *ast);

/* parse_mark.c */
int tap_spec_mark(struct tap_parser *p, struct tap_token word);

#endif /* _TAP_LANG_LANG_H */
