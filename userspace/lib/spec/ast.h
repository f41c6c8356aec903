/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What an event asks for, as it was written: its values and its condition as
 * trees, which know no names and no types yet. Private to libtap.
 */
#ifndef _TAP_SPEC_AST_H
#define _TAP_SPEC_AST_H

#include "spec/token.h"
#include "types/btf.h"

#define TAP_MAX_DEPTH		64	/* of an expression */
#define TAP_MAX_TEXT		4096	/* bytes of an event */
#define TAP_DEFAULT_STRING	64	/* bytes of text, if nothing was said */
#define TAP_DEFAULT_STACK	32	/* frames of a stack, if nothing was said */

/**
 * enum tap_builtin - $-variables, and the names that go without the $
 * @TAP_BUILTIN_ARG: argument, node's value
 * @TAP_BUILTIN_RETVAL: return value
 * @TAP_BUILTIN_DURATION: of a call
 * @TAP_BUILTIN_STACK: the stack pointer
 * @TAP_BUILTIN_STACK_WORD: word on the stack, node's value
 * @TAP_BUILTIN_COMM: the task's command name
 * @TAP_BUILTIN_VAR: enum tap_var, node's value
 * @TAP_BUILTIN_KSTACK: the stack of the kernel
 * @TAP_BUILTIN_USTACK: the stack of the task's program
 * @TAP_BUILTIN_PMU: counter, node's value
 */
enum tap_builtin {
	TAP_BUILTIN_ARG,
	TAP_BUILTIN_RETVAL,
	TAP_BUILTIN_DURATION,
	TAP_BUILTIN_STACK,
	TAP_BUILTIN_STACK_WORD,
	TAP_BUILTIN_COMM,
	TAP_BUILTIN_VAR,
	TAP_BUILTIN_KSTACK,
	TAP_BUILTIN_USTACK,
	TAP_BUILTIN_PMU,
};

/**
 * enum tap_node_kind - a node of an expression
 * @TAP_NODE_NUMBER: constant
 * @TAP_NODE_STRING: text
 * @TAP_NODE_NAME: name of the scope, built-in or enumerator
 * @TAP_NODE_BUILTIN: a $-variable
 * @TAP_NODE_REGISTER: at byte @value of the registers
 * @TAP_NODE_SYMBOL: memory at a symbol and @value
 * @TAP_NODE_FETCH: memory at @a and @value
 * @TAP_NODE_MEMBER: member @t of @a, which @arrow says is a pointer
 * @TAP_NODE_INDEX: element @b of @a
 * @TAP_NODE_UNARY: operator @op on @a
 * @TAP_NODE_BINARY: operator @op on @a and @b
 * @TAP_NODE_COND: @a ? @b : @c
 * @TAP_NODE_CAST: @a as @cast
 */
enum tap_node_kind {
	TAP_NODE_NUMBER,
	TAP_NODE_STRING,
	TAP_NODE_NAME,
	TAP_NODE_BUILTIN,
	TAP_NODE_REGISTER,
	TAP_NODE_SYMBOL,
	TAP_NODE_FETCH,
	TAP_NODE_MEMBER,
	TAP_NODE_INDEX,
	TAP_NODE_UNARY,
	TAP_NODE_BINARY,
	TAP_NODE_COND,
	TAP_NODE_CAST,
};

/**
 * struct tap_cast - the type of a cast
 * @tag: of a struct or union, which is yet to be found; else empty
 * @type: the type without its stars
 * @stars: number of * after it
 * @user: with __user
 */
struct tap_cast {
	struct tap_token tag;
	struct tap_type type;
	unsigned int stars;
	bool user;
};

/**
 * struct tap_node - a node of an expression
 * @kind: enum tap_node_kind
 * @op: enum tap_lexeme_kind of an operator
 * @builtin: of a $-variable
 * @arrow: of a member
 * @user: of a fetch
 * @is_unsigned: of a number
 * @wide: of a number
 * @depth: nodes from here down to the deepest
 * @t: its own token: the name, the operator
 * @all: all of its text
 * @value: as the kind says
 * @a: operand
 * @b: operand
 * @c: operand
 * @cast: of a cast
 * @next: all nodes of an ast, to free them
 */
struct tap_node {
	enum tap_node_kind kind;
	int op;
	enum tap_builtin builtin;
	bool arrow;
	bool user;
	bool is_unsigned;
	bool wide;
	unsigned int depth;
	struct tap_token t;
	struct tap_token all;
	__u64 value;
	struct tap_node *a;
	struct tap_node *b;
	struct tap_node *c;
	struct tap_cast *cast;
	struct tap_node *next;
};

/**
 * enum tap_as_kind - what kind of format was asked for
 * @TAP_AS_TYPE: none: as the type says
 * @TAP_AS_NUMBER: a number of @size bytes
 * @TAP_AS_STRING: text of up to @len bytes
 * @TAP_AS_BITS: @width bits from bit @shift of a number of @size bytes
 */
enum tap_as_kind {
	TAP_AS_TYPE,
	TAP_AS_NUMBER,
	TAP_AS_STRING,
	TAP_AS_BITS,
};

/**
 * struct tap_as - a format as it was written
 * @kind: enum tap_as_kind
 * @t: its text
 * @format: of a number
 * @size: bytes of a number or an element, with %TAP_OP_SIGNED
 * @count: of an array: elements; else 0
 * @user: text in user memory
 * @len: text: its bytes at most
 * @width: bits
 * @shift: bits below them
 */
struct tap_as {
	enum tap_as_kind kind;
	struct tap_token t;
	enum tap_format format;
	__u8 size;
	unsigned int count;
	bool user;
	unsigned int len;
	unsigned int width;
	unsigned int shift;
};

/**
 * struct tap_item - a value that is asked for
 * @text: the text that its tokens point into
 * @name: its name
 * @t: its text, without the name and the format
 * @node: its expression
 * @as: its format
 */
struct tap_item {
	const char *text;
	char name[TAP_FIELD_NAME_LEN];
	struct tap_token t;
	struct tap_node *node;
	struct tap_as as;
};

/**
 * struct tap_ast - what an event asks for
 * @text: of the event; owned
 * @values: the values; allocated
 * @nr_values: number of @values
 * @filter: the condition, or NULL
 * @stacks: stacks that are wanted beside the values
 * @nr_stacks: number of @stacks
 * @pmu: the counters of the session, which are wanted beside the values
 * @nr_pmu: number of @pmu
 * @names: somewhere is a name or a cast, which need the scope
 * @aggregates: hits are aggregated
 * @entries: of the aggregation
 * @keys: of the aggregation
 * @nr_keys: number of @keys
 * @aggs: values of the aggregation
 * @nr_aggs: number of @aggs
 * @wanted: for each of @aggs: what is kept of it
 * @texts: of keys, aggregated values, stacks and counters; owned
 * @nr_texts: number of @texts
 * @nodes: all nodes
 */
struct tap_ast {
	char *text;
	struct tap_item *values;
	unsigned int nr_values;
	struct tap_node *filter;
	struct tap_item stacks[2];
	unsigned int nr_stacks;
	struct tap_item pmu[TAP_MAX_PMU];
	unsigned int nr_pmu;
	bool names;
	bool aggregates;
	__u32 entries;
	struct tap_item keys[TAP_MAX_KEYS];
	unsigned int nr_keys;
	struct tap_item aggs[TAP_MAX_AGGS];
	unsigned int nr_aggs;
	struct tap_spec_value wanted[TAP_MAX_AGGS];
	char *texts[TAP_MAX_KEYS + TAP_MAX_AGGS + 2 + TAP_MAX_PMU];
	unsigned int nr_texts;
	struct tap_node *nodes;
};

struct tap_ast *tap_ast_new(const char *text);
void tap_ast_free(struct tap_ast *ast);
struct tap_node *tap_ast_node(struct tap_ast *ast, enum tap_node_kind kind,
			      struct tap_token t);

#endif /* _TAP_SPEC_AST_H */
