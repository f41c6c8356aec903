/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Targets in the event language. Private to libtap and its tool.
 */
#ifndef _TAP_LANG_TARGET_H
#define _TAP_LANG_TARGET_H

#include <stdbool.h>
#include <string.h>

#include "lang/lang.h"
#include "spec/token.h"

/**
 * struct tap_user_target - a place in a program, split into parts of the text
 * @file: the program or library as written
 * @path: the same without quotes; a path, or a name to search for
 * @provider: provider of a USDT probe; its at is NULL if none was named
 * @name: the function or the USDT probe, perhaps a glob; or 0x... in the file
 * @offset: the text after a +; its at is NULL if there is none
 * @quoted: the name was in quotes, so it is not a glob
 */
struct tap_user_target {
	struct tap_token file;
	struct tap_token path;
	struct tap_token provider;
	struct tap_token name;
	struct tap_token offset;
	bool quoted;
};

/* parse_target.c */
int tap_offset_parse(struct tap_parser *p, struct tap_token t, __u64 most,
		     __u64 *value);
int tap_parse_target_text(struct tap_parser *p, const char *text);
int tap_target_missing(const struct tap_parser *p, const char *at, const char *type);
int tap_target_braces(const struct tap_parser *p, struct tap_token t);
int tap_target_parse(struct tap_parser *p, struct tap_token t);

/**
 * struct tap_source_target - a line or a function of the source, split into parts of the text
 * @module: a module, or a program or library if @is_path; its at is NULL if none was named
 * @is_path: @module is a path
 * @name: a file of the source, or a function
 * @line: the line; behind a function the number of lines below the one with its name
 * @last: the last one of several lines; tap_source_split() sets it to @line
 * @is_function: @name is a function
 */
struct tap_source_target {
	struct tap_token module;
	bool is_path;
	struct tap_token name;
	unsigned int line;
	unsigned int last;
	bool is_function;
};

/* parse_source.c */
int tap_source_parse(struct tap_parser *p, struct tap_token t);
void tap_source_split(const struct tap_spec *spec, struct tap_source_target *target);

/* The quote behind a path in quotes, which has no escapes; NULL if the text does not begin with one. */
static inline const char *tap_path_quote(struct tap_token t)
{
	return t.len && *t.at == '"' ? memchr(t.at + 1, '"', t.len - 1) : NULL;
}

/* parse_user_target.c */
void tap_user_target_split(enum tap_probe_type type, struct tap_token t,
			   struct tap_user_target *target);
bool tap_user_target_glob(const struct tap_user_target *target);
bool tap_spec_inside(const struct tap_spec *spec);
int tap_user_target_parse(struct tap_parser *p, struct tap_token t);

#endif /* _TAP_LANG_TARGET_H */
