// SPDX-License-Identifier: LGPL-2.1
/*
 * Types and casts of the event language.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/expr_parser.h"

static const struct {
	const char *name;
	enum tap_type_class cls;
	__u8 size;
	bool is_signed;
} base_types[] = {
	{ "u8", TAP_TYPE_INT, 1, false },
	{ "u16", TAP_TYPE_INT, 2, false },
	{ "u32", TAP_TYPE_INT, 4, false },
	{ "u64", TAP_TYPE_INT, 8, false },
	{ "s8", TAP_TYPE_INT, 1, true },
	{ "s16", TAP_TYPE_INT, 2, true },
	{ "s32", TAP_TYPE_INT, 4, true },
	{ "s64", TAP_TYPE_INT, 8, true },
	{ "__u8", TAP_TYPE_INT, 1, false },
	{ "__u16", TAP_TYPE_INT, 2, false },
	{ "__u32", TAP_TYPE_INT, 4, false },
	{ "__u64", TAP_TYPE_INT, 8, false },
	{ "__s8", TAP_TYPE_INT, 1, true },
	{ "__s16", TAP_TYPE_INT, 2, true },
	{ "__s32", TAP_TYPE_INT, 4, true },
	{ "__s64", TAP_TYPE_INT, 8, true },
	{ "uint8_t", TAP_TYPE_INT, 1, false },
	{ "uint16_t", TAP_TYPE_INT, 2, false },
	{ "uint32_t", TAP_TYPE_INT, 4, false },
	{ "uint64_t", TAP_TYPE_INT, 8, false },
	{ "int8_t", TAP_TYPE_INT, 1, true },
	{ "int16_t", TAP_TYPE_INT, 2, true },
	{ "int32_t", TAP_TYPE_INT, 4, true },
	{ "int64_t", TAP_TYPE_INT, 8, true },
	{ "size_t", TAP_TYPE_INT, 8, false },
	{ "ssize_t", TAP_TYPE_INT, 8, true },
	{ "uintptr_t", TAP_TYPE_INT, 8, false },
	{ "loff_t", TAP_TYPE_INT, 8, true },
	{ "pid_t", TAP_TYPE_INT, 4, true },
	{ "uid_t", TAP_TYPE_INT, 4, false },
	{ "gid_t", TAP_TYPE_INT, 4, false },
	{ "dev_t", TAP_TYPE_INT, 4, false },
	{ "gfp_t", TAP_TYPE_INT, 4, false },
	{ "umode_t", TAP_TYPE_INT, 2, false },
	{ "sector_t", TAP_TYPE_INT, 8, false },
	{ "dma_addr_t", TAP_TYPE_INT, 8, false },
	{ "bool", TAP_TYPE_BOOL, 1, false },
	{ "_Bool", TAP_TYPE_BOOL, 1, false },
	{ "void", TAP_TYPE_NONE, 0, false },
};

/* Words that make up the types of C. */
static const char *const c_words[] = {
	"unsigned", "signed", "char", "short", "int", "long", "const",
	"volatile", "struct", "union", "enum",
};

static int base_type(struct tap_token t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(base_types); i++)
		if (tap_token_is(t, base_types[i].name))
			return i;
	return -1;
}

bool tap_begins_type(const struct tap_lexeme *x)
{
	size_t i;

	if (x->kind != TAP_LEX_NAME)
		return false;
	for (i = 0; i < ARRAY_SIZE(c_words); i++)
		if (tap_token_is(x->t, c_words[i]))
			return true;
	return base_type(x->t) >= 0;
}

static int parse_struct(struct tap_expr_parser *e, struct tap_cast *cast)
{
	int ret = 0;

	if (tap_token_is(e->x.t, "enum"))
		return EXPR_DIAG(e, e->x.t,
				 "a cast to an enum is not supported; enumerators can be compared with any number");
	ret = tap_expr_advance(e, false);
	if (ret)
		return ret;
	if (e->x.kind != TAP_LEX_NAME)
		return EXPR_DIAG(e, e->x.t, "the name of the struct is missing");
	cast->tag = e->x.t;
	cast->type.cls = TAP_TYPE_STRUCT;
	return tap_expr_advance(e, false);
}

/* "unsigned long long" and the like, a type by name, or a struct. */
static int parse_words(struct tap_expr_parser *e, struct tap_cast *cast)
{
	unsigned int shorts = 0, longs = 0;
	bool is_unsigned = false, is_char = false, is_signed = false;
	int ret = 0, base;

	while (!ret && e->x.kind == TAP_LEX_NAME) {
		struct tap_token t = e->x.t;

		if (tap_token_is(t, "struct") || tap_token_is(t, "union") ||
		    tap_token_is(t, "enum")) {
			ret = parse_struct(e, cast);
			continue;
		}
		base = base_type(t);
		if (base >= 0) {
			cast->type.cls = base_types[base].cls;
			cast->type.size = base_types[base].size;
			cast->type.is_signed = base_types[base].is_signed;
		} else if (tap_token_is(t, "__user")) {
			cast->user = true;
		} else if (!tap_begins_type(&e->x)) {
			return EXPR_DIAG(e, t,
					 "no type \"%.*s\"; cast to u8 to u64, s8 to s64, a type of C, or struct NAME *",
					 QUOTE(t));
		}
		is_unsigned |= tap_token_is(t, "unsigned");
		is_signed |= tap_token_is(t, "signed");
		is_char |= tap_token_is(t, "char");
		shorts += tap_token_is(t, "short");
		longs += tap_token_is(t, "long");
		if (cast->type.size == 0 && tap_token_is(t, "int"))
			cast->type.size = 4;
		ret = tap_expr_advance(e, false);
	}
	if (ret || cast->type.cls != TAP_TYPE_NONE)
		return ret;
	/* Neither a struct nor a named type: a type of C, or void. */
	if (!cast->type.size && !is_unsigned && !is_signed && !is_char &&
	    !shorts && !longs)
		return 0;
	cast->type.cls = is_char && !is_unsigned && !is_signed ?
			 TAP_TYPE_CHAR : TAP_TYPE_INT;
	cast->type.size = is_char ? 1 : shorts ? 2 : longs ? 8 : 4;
	cast->type.is_signed = !is_unsigned;
	return 0;
}

/* A type with its stars. @words gets its text. */
int tap_parse_type(struct tap_expr_parser *e, struct tap_cast *cast, struct tap_token *words)
{
	int ret;

	words->at = e->x.t.at;
	ret = parse_words(e, cast);
	while (!ret && (e->x.kind == '*' ||
			(e->x.kind == TAP_LEX_NAME &&
			 (tap_token_is(e->x.t, "__user") ||
			  tap_token_is(e->x.t, "const"))))) {
		cast->stars += e->x.kind == '*';
		cast->user |= tap_token_is(e->x.t, "__user");
		ret = tap_expr_advance(e, false);
	}
	words->len = e->end - words->at;
	e->ast->names = true;
	return ret;
}

int tap_parse_cast(struct tap_expr_parser *e, const struct tap_lexeme *open,
		   struct tap_node **node)
{
	struct tap_cast *cast = calloc(1, sizeof(*cast));
	struct tap_token words;
	struct tap_node *a;
	int ret;

	if (!cast)
		return tap_error_set(e->p->err, -ENOMEM, "out of memory");
	ret = tap_parse_type(e, cast, &words);
	if (!ret && e->x.kind != ')')
		ret = EXPR_DIAG(e, e->x.t, "a ) is missing in front of this");
	if (!ret && !cast->stars && (cast->type.cls == TAP_TYPE_STRUCT ||
				     cast->type.cls == TAP_TYPE_NONE))
		ret = EXPR_DIAG(e, words,
				"a value cannot be cast to this type; for a pointer write (%.*s *)",
				QUOTE(words));
	if (!ret)
		ret = tap_expr_advance(e, true);
	if (!ret)
		ret = tap_parse_unary(e, &a);
	if (!ret)
		ret = tap_expr_node(e, TAP_NODE_CAST, open, a, NULL, node);
	if (ret) {
		free(cast);
		return ret;
	}
	(*node)->t = words;
	(*node)->cast = cast;
	return 0;
}

/*
 * The casts of ftrace, (STRUCT)VALUE and (STRUCT,MEMBER)VALUE, whose VALUE is a name, a variable or
 * in parentheses: they bind more tightly than ->. @at is behind the parenthesis.
 */
bool tap_is_ftrace_cast(const char *at, const char *end, struct tap_token *tag,
			struct tap_token *member)
{
	struct tap_lexeme word = { .kind = TAP_LEX_NAME, .t = { at, tap_word_len(at) } };

	*tag = word.t;
	at += tag->len;
	*member = (struct tap_token) { at + 1, 0 };
	if (!tag->len || at >= end || tap_begins_type(&word))
		return false;
	/* A path of members is words with points between them. */
	while (*at == (member->len ? '.' : ',')) {
		word.t.len = tap_word_len(at + 1);
		if (!word.t.len)
			return false;
		at += 1 + word.t.len;
		member->len = at - member->at;
	}
	return end - at > 1 && *at == ')' &&
	       (isalpha((unsigned char)at[1]) || strchr("_$(", at[1]));
}

/* A cast, as a node on @a. Its type is still empty. */
int tap_expr_cast_node(struct tap_expr_parser *e, const struct tap_lexeme *x, struct tap_node *a,
		       struct tap_node **node)
{
	int ret = tap_expr_node(e, TAP_NODE_CAST, x, a, NULL, node);

	if (ret)
		return ret;
	(*node)->cast = calloc(1, sizeof(*(*node)->cast));
	return (*node)->cast ? 0 : tap_error_set(e->p->err, -ENOMEM, "out of memory");
}

/* A cast to the struct @tag, as a node on @a. */
static int make_struct_cast(struct tap_expr_parser *e, struct tap_token tag, struct tap_node *a,
			    struct tap_node **node)
{
	struct tap_lexeme x = { .t = tag };
	int ret = tap_expr_cast_node(e, &x, a, node);

	if (ret)
		return ret;
	(*node)->cast->tag = tag;
	(*node)->cast->type.cls = TAP_TYPE_STRUCT;
	(*node)->cast->stars = 1;
	e->ast->names = true;
	return 0;
}

/* ((struct @tag *)0)->@path, for container_of(). @path is of tap_is_ftrace_cast(). */
static int make_place(struct tap_expr_parser *e, struct tap_token tag, struct tap_token path,
		      struct tap_node **node)
{
	struct tap_lexeme x = { .t = tag };
	struct tap_node *zero;
	bool first = true;
	int ret = tap_expr_node(e, TAP_NODE_NUMBER, &x, NULL, NULL, &zero);

	if (!ret)
		ret = make_struct_cast(e, tag, zero, node);
	while (!ret && path.len) {
		x.t = (struct tap_token) { path.at, tap_word_len(path.at) };
		ret = tap_expr_node(e, TAP_NODE_MEMBER, &x, *node, NULL, node);
		if (!ret)
			(*node)->arrow = first;
		first = false;
		if (x.t.len < path.len)
			x.t.len++;
		path.at += x.t.len;
		path.len -= x.t.len;
	}
	return ret;
}

int tap_parse_ftrace_cast(struct tap_expr_parser *e, struct tap_token tag, struct tap_token member,
			  struct tap_node **node)
{
	struct tap_lexeme x = { .t = tag };
	struct tap_node *a, *place = NULL;
	int ret;

	if (++e->depth > TAP_MAX_DEPTH)
		return tap_expr_too_deep(e, tag);
	e->lexer.at = (member.len ? member.at + member.len : tag.at + tag.len) + 1;
	ret = tap_expr_advance(e, true);
	if (!ret)
		ret = tap_parse_primary(e, &a);
	if (!ret && !member.len)
		ret = make_struct_cast(e, tag, a, node);
	if (!ret && member.len)
		ret = make_place(e, tag, member, &place);
	if (!ret && member.len)
		ret = tap_expr_node(e, TAP_NODE_CALL, &x, a, place, node);
	if (!ret && member.len)
		(*node)->value = TAP_FUNCTION_CONTAINER_OF;
	e->depth--;
	return ret;
}
