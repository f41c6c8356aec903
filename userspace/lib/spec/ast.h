/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The parsed text of an event: its values and its condition as trees. Names and types
 * are not resolved in it. Private to libtap.
 */
#ifndef _TAP_SPEC_AST_H
#define _TAP_SPEC_AST_H

#include "spec/token.h"
#include "types/btf.h"

#define TAP_MAX_DEPTH		64	/* of an expression */
#define TAP_MAX_TEXT		4096	/* bytes of an event */
#define TAP_DEFAULT_STRING	64	/* bytes of a text without a length */
#define TAP_PATH_STRING		255	/* likewise, if it is a path of a system call */
#define TAP_DEFAULT_STACK	32	/* frames of a stack without a number */
#define TAP_DEFAULT_STACK_COPY	4096	/* bytes of a stack that is copied */
#define TAP_DEFAULT_ENTRY_COPY	3072	/* the same, where the words of a call's entry have to hold it */
#define TAP_DEFAULT_JOIN	16	/* texts that are joined without a number */
#define TAP_DEFAULT_JOINED	256	/* bytes of joined texts without a length */
#define TAP_DEFAULT_PATH	256	/* bytes of a path without a length */
#define TAP_PATH_NAMES		20	/* names and mounts of a path */

/**
 * enum tap_builtin - $-variables, and the names that may be written without the $
 * @TAP_BUILTIN_ARG: an argument: @value of the node is its number
 * @TAP_BUILTIN_RETVAL: return value
 * @TAP_BUILTIN_DURATION: how long a call took
 * @TAP_BUILTIN_STACK: the stack pointer
 * @TAP_BUILTIN_STACK_WORD: a word on the stack: @value of the node is its number
 * @TAP_BUILTIN_COMM: the task's command name
 * @TAP_BUILTIN_VAR: @value of the node is enum tap_var
 * @TAP_BUILTIN_KSTACK: the stack of the kernel
 * @TAP_BUILTIN_USTACK: the stack of the task's program
 * @TAP_BUILTIN_PMU: a counter of the session: @value of the node is its number
 * @TAP_BUILTIN_CURRENT: the task, a pointer to its struct
 * @TAP_BUILTIN_FLAG: @value of the node is TAP_F_*
 * @TAP_BUILTIN_PPID: the process id of the task's parent
 * @TAP_BUILTIN_ARGS: all names of the event; only as a whole value
 * @TAP_BUILTIN_FAILED: whether the return value is an error of its type
 * @TAP_BUILTIN_RETURNED_NULL: whether it is a pointer, and NULL
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
	TAP_BUILTIN_CURRENT,
	TAP_BUILTIN_FLAG,
	TAP_BUILTIN_PPID,
	TAP_BUILTIN_ARGS,
	TAP_BUILTIN_FAILED,
	TAP_BUILTIN_RETURNED_NULL,
};

/**
 * enum tap_node_kind - a node of an expression
 * @TAP_NODE_NUMBER: a constant or a character
 * @TAP_NODE_STRING: text in quotes
 * @TAP_NODE_NAME: a name that the scope, the built-in ones or the enumerators have
 * @TAP_NODE_BUILTIN: a $-variable
 * @TAP_NODE_REGISTER: a register: @value is its byte offset in the saved registers
 * @TAP_NODE_SYMBOL: memory at a symbol and @value
 * @TAP_NODE_FETCH: memory at @a and @value
 * @TAP_NODE_MEMBER: member @t of @a, which @arrow says is a pointer
 * @TAP_NODE_INDEX: element @b of @a
 * @TAP_NODE_UNARY: operator @op on @a
 * @TAP_NODE_BINARY: operator @op on @a and @b
 * @TAP_NODE_COND: @a ? @b : @c
 * @TAP_NODE_CAST: @a as @cast
 * @TAP_NODE_CALL: function @value, an enum tap_function, of @a and @b
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
	TAP_NODE_CALL,
};

/**
 * enum tap_function - functions of the language
 * @TAP_FUNCTION_SIZEOF: bytes of @a, or of the type @cast of the node
 * @TAP_FUNCTION_OFFSETOF: the place of the member @a: (struct NAME *)0->MEMBER
 * @TAP_FUNCTION_CONTAINER_OF: the struct around what @a points to, which is its member @b,
 *	written as for @TAP_FUNCTION_OFFSETOF
 * @TAP_FUNCTION_MIN: the smaller of @a and @b
 * @TAP_FUNCTION_MAX: the larger of @a and @b
 * @TAP_FUNCTION_BSWAP: @a with its bytes in the reverse order
 * @TAP_FUNCTION_LOG2: the number of the highest bit of @a
 * @TAP_FUNCTION_STRLEN: the length of the text @a
 * @TAP_FUNCTION_NTOP: @a as an address of the internet
 * @TAP_FUNCTION_THIS_CPU_PTR: where the CPU's own copy is of what @a, a __percpu pointer, points to
 * @TAP_FUNCTION_THIS_CPU_READ: that copy
 * @TAP_FUNCTION_AFTER: @a, read at the return of a call
 * @TAP_FUNCTION_JOIN: the texts of the array @a, at most @b of them
 * @TAP_FUNCTION_INSIDE: whether a call or span is under way: @op of the node is its index in
 *	@insides of the ast
 */
enum tap_function {
	TAP_FUNCTION_SIZEOF,
	TAP_FUNCTION_OFFSETOF,
	TAP_FUNCTION_CONTAINER_OF,
	TAP_FUNCTION_MIN,
	TAP_FUNCTION_MAX,
	TAP_FUNCTION_BSWAP,
	TAP_FUNCTION_LOG2,
	TAP_FUNCTION_STRLEN,
	TAP_FUNCTION_NTOP,
	TAP_FUNCTION_THIS_CPU_PTR,
	TAP_FUNCTION_THIS_CPU_READ,
	TAP_FUNCTION_AFTER,
	TAP_FUNCTION_JOIN,
	TAP_FUNCTION_INSIDE,
};

/**
 * struct tap_cast - the type of a cast
 * @tag: name of a struct or union, which sema looks up; else empty
 * @type: the type without its stars
 * @stars: number of * behind the type
 * @user: the pointer is to user memory: __user
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
 * @op: enum tap_lexeme_kind of an operator; see also %TAP_FUNCTION_INSIDE
 * @builtin: of a $-variable: which one
 * @arrow: of a member: -> instead of .
 * @user: of a fetch: from user memory
 * @is_unsigned: of a number: see struct tap_lexeme
 * @wide: of a number: see struct tap_lexeme
 * @depth: nodes from this one down to the deepest, for %TAP_MAX_DEPTH
 * @t: its own token, for error messages: the name, the operator
 * @all: the text of the whole subtree
 * @value: see enum tap_node_kind and enum tap_builtin
 * @a: first operand, or NULL
 * @b: second operand, or NULL
 * @c: third operand, or NULL
 * @cast: of a cast and of sizeof(TYPE); owned
 * @next: the node that was made before it, so that tap_ast_free() finds all nodes
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
 * enum tap_as_kind - the kind of a :FORMAT
 * @TAP_AS_TYPE: there is none: the type of the value decides
 * @TAP_AS_NUMBER: a number of @size bytes
 * @TAP_AS_STRING: text of up to @len bytes
 * @TAP_AS_BITS: @width bits from bit @shift of a number of @size bytes
 * @TAP_AS_BYTES: @size bytes at an address, as one value
 * @TAP_AS_PATH: path of a file, up to @len bytes
 * @TAP_AS_DIFF: what a call has changed in it
 */
enum tap_as_kind {
	TAP_AS_TYPE,
	TAP_AS_NUMBER,
	TAP_AS_STRING,
	TAP_AS_BITS,
	TAP_AS_BYTES,
	TAP_AS_PATH,
	TAP_AS_DIFF,
};

/**
 * struct tap_as - a parsed :FORMAT
 * @kind: enum tap_as_kind
 * @t: the text, for error messages
 * @format: of a number: how it is printed
 * @size: bytes of a number or an element, with %TAP_OP_SIGNED
 * @count: of an array: elements; else 0
 * @swap: of a number: its bytes are in the reverse order
 * @scale: of a number: it is multiplied by this, if it is not 0
 * @user: of a text: in user memory
 * @len: of a text or a path: maximum number of bytes
 * @width: of bits: number of bits
 * @shift: of bits: number of the lowest bit
 */
struct tap_as {
	enum tap_as_kind kind;
	struct tap_token t;
	enum tap_format format;
	__u8 size;
	unsigned int count;
	bool swap;
	unsigned int scale;
	bool user;
	unsigned int len;
	unsigned int width;
	unsigned int shift;
};

/**
 * struct tap_item - [NAME=]VALUE[:FORMAT]
 * @text: the text that its tokens point into
 * @name: NAME, or one that was made from VALUE; never empty
 * @named: the text has NAME
 * @t: VALUE
 * @node: VALUE as a tree
 * @as: FORMAT
 */
struct tap_item {
	const char *text;
	char name[TAP_FIELD_NAME_LEN];
	bool named;
	struct tap_token t;
	struct tap_node *node;
	struct tap_as as;
};

/**
 * struct tap_span_text - the parsed sides of a span
 * @mode: what a "from" event does if its key is open
 * @entries: entries that may be open at the same time; 0: the default
 * @side: of enum tap_span_side less one; each has its keys in @keys of its ast
 */
struct tap_span_text {
	enum tap_span_mode mode;
	__u32 entries;
	struct tap_spec *side[2];
};

/**
 * struct tap_table_text - one aggregation: of a call of tap_spec_aggregate()
 * @entries: different keys for which each CPU has room
 * @keys: what events are counted by
 * @nr_keys: number of @keys
 * @aggs: values that are aggregated
 * @nr_aggs: number of @aggs
 * @wanted: for each of @aggs: how it is aggregated; its @expr is NULL
 */
struct tap_table_text {
	__u32 entries;
	struct tap_item keys[TAP_MAX_KEYS];
	unsigned int nr_keys;
	struct tap_item aggs[TAP_MAX_AGGS];
	unsigned int nr_aggs;
	struct tap_spec_value wanted[TAP_MAX_AGGS];
};

/**
 * struct tap_inside_text - an inside() of a condition
 * @ref: the name or the text of the event; owned by the ast
 * @imm: operand of %TAP_VAR_INSIDE without the number of the frame
 * @frame: that number; 0: not known yet
 */
struct tap_inside_text {
	const char *ref;
	__u64 imm;
	__u32 frame;
};

/**
 * struct tap_ast - the parsed text of an event, and what callers added to it
 * @text: of the event; the tokens point into it; owned
 * @values: values that records have; allocated
 * @nr_values: number of @values
 * @filter: the condition behind "if", or NULL
 * @stacks: of tap_spec_stack()
 * @nr_stacks: number of @stacks
 * @stack_copy: of tap_spec_stack_copy(): the bytes of the program's stack; 0: its frames
 * @pmu: of tap_spec_pmu()
 * @nr_pmu: number of @pmu
 * @why: the duration is divided: of tap_spec_why()
 * @insides: the calls of inside(); allocated
 * @nr_insides: number of @insides
 * @names: a name or a cast occurs: expanding needs the scope
 * @tables: of tap_spec_aggregate(); allocated
 * @nr_tables: number of @tables; 0: the events are recorded
 * @is_side: the event is a side of a span: @keys come first, and all values are kept apart
 *	from a record
 * @span: of a span: its sides; owned; else NULL
 * @whole_stacks: stacks for which the session's table has room: those without a number of frames go
 *	there, whole; 0: they are a part of the record
 * @keys: of a side: its key
 * @nr_keys: number of @keys
 * @texts: copies of the texts of keys, aggregated values, stacks and counters, and texts that stand for
 *	values; see tap_ast_keep()
 * @nr_texts: number of @texts
 * @nodes: the node that was made last, see @next of struct tap_node; owned
 */
struct tap_ast {
	char *text;
	struct tap_item *values;
	unsigned int nr_values;
	struct tap_node *filter;
	struct tap_item stacks[2];
	unsigned int nr_stacks;
	__u32 stack_copy;
	struct tap_item pmu[TAP_MAX_PMU];
	unsigned int nr_pmu;
	bool why;
	struct tap_inside_text *insides;
	unsigned int nr_insides;
	bool names;
	struct tap_table_text *tables;
	unsigned int nr_tables;
	bool is_side;
	struct tap_span_text *span;
	__u32 whole_stacks;
	struct tap_item keys[TAP_MAX_KEYS];
	unsigned int nr_keys;
	char **texts;
	unsigned int nr_texts;
	struct tap_node *nodes;
};

struct tap_ast *tap_ast_new(const char *text);
void tap_ast_free(struct tap_ast *ast);
int tap_ast_keep(struct tap_ast *ast, char *text);
struct tap_node *tap_ast_node(struct tap_ast *ast, enum tap_node_kind kind,
			      struct tap_token t);

#endif /* _TAP_SPEC_AST_H */
