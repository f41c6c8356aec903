// SPDX-License-Identifier: LGPL-2.1
/*
 * The values of expressions on recorded events.
 */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "lang/lexer.h"
#include "query/query.h"
#include "spec/field.h"
#include "spec/probe_table.h"

static const struct tap_query_value none;

static struct tap_query_value number(__u64 value)
{
	return (struct tap_query_value) { .present = true, .number = value };
}

static __u64 extended(__u64 value, unsigned int bytes, bool is_signed)
{
	unsigned int bits = 64 - 8 * bytes;

	value <<= bits;
	return is_signed ? (__u64)((__s64)value >> bits) : value >> bits;
}

/* The number that a field is printed as; with @raw that of a return value is as in the register. */
static __u64 field_number(const struct tap_query *q, const struct tap_field *field, bool raw,
			  __u64 word)
{
	word = tap_field_cut(field, word);
	switch (field->format) {
	case TAP_FMT_DURATION:
		return tap_timebase_ns(q->timebase, word);
	case TAP_FMT_RETVAL:
	case TAP_FMT_ERRNO:
		return raw ? word : tap_untyped_retval(word);
	case TAP_FMT_S8:
	case TAP_FMT_S16:
	case TAP_FMT_S32:
		return extended(word, tap_format_bytes[field->format], true);
	case TAP_FMT_BOOL:
		return !!word;
	default:
		return extended(word, tap_format_width(field->format), false);
	}
}

/* The text of a field: it ends at a 0 byte, or where the record cut it. */
static struct tap_query_value field_text(struct tap_query *q, const struct tap_field *field,
					 const struct tap_event *ev)
{
	unsigned int first = field->word, nr = field->words, i;
	size_t len = nr * 8U;
	__u64 word;

	if (field->format == TAP_FMT_STRING) {
		word = tap_event_word(ev, first++);
		nr--;
		if (word & TAP_TEXT_ABSENT)
			return none;
		len = word & TAP_TEXT_LEN;
	} else if (field->format == TAP_FMT_CHARS) {
		len = field->count;
	}
	if (len > nr * 8U)
		len = nr * 8U;
	if (len > TAP_MAX_STRING)
		len = TAP_MAX_STRING;
	for (i = 0; i < (len + 7) / 8; i++) {
		word = tap_event_word(ev, first + i);
		memcpy(q->text + 8 * i, &word, 8 * (i + 1) <= TAP_MAX_STRING ? 8 : TAP_MAX_STRING % 8);
	}
	q->text[len] = '\0';
	return (struct tap_query_value) { .present = true, .text = q->text };
}

static struct tap_query_value field_value(struct tap_query *q, const struct tap_query_node *node,
					  const struct tap_event *ev)
{
	const struct tap_field *field = node->field;

	if (tap_event_absent(ev, field) ||
	    (field->flags & TAP_FIELD_F_RETURN && ev->rec->flags & TAP_F_ENTRY))
		return none;
	/* The record of the entry, in a graph of calls, has neither duration nor result. */
	if (tap_probe_is_call(ev->probe->spec.type) && field->word < TAP_CALL_FETCHES &&
	    ev->rec->flags & TAP_F_ENTRY)
		return none;
	if (tap_query_is_text(node))
		return field_text(q, field, ev);
	return number(field_number(q, field, node->raw, tap_event_word(ev, field->word)));
}

static struct tap_query_value comm(struct tap_query *q, const struct tap_event *ev)
{
	if (!tap_event_comm(ev, q->text))
		return none;
	return (struct tap_query_value) { .present = true, .text = q->text };
}

static struct tap_query_value divide(__u64 a, __u64 b, bool is_unsigned, bool rest)
{
	if (!b)
		return none;
	if (is_unsigned)
		return number(rest ? a % b : a / b);
	/* The least number has no opposite: that division does not fit. */
	if (b == ~0ULL)
		return number(rest ? 0 : -a);
	return number(rest ? (__u64)((__s64)a % (__s64)b) : (__u64)((__s64)a / (__s64)b));
}

static __u64 shift_right(__u64 a, __u64 by, bool is_unsigned)
{
	bool negative = !is_unsigned && a >> 63;

	if (by > 63)
		return negative ? ~0ULL : 0;
	return negative ? ~(~a >> by) : a >> by;
}

/* @is_unsigned: of the operands of a comparison and a division, of @a of a shift. */
static struct tap_query_value arithmetic(int op, __u64 a, __u64 b, bool is_unsigned)
{
	switch (op) {
	case TAP_LEX_EQ:
		return number(a == b);
	case TAP_LEX_NE:
		return number(a != b);
	case '<':
		return number(tap_query_less(a, b, is_unsigned));
	case '>':
		return number(tap_query_less(b, a, is_unsigned));
	case TAP_LEX_LE:
		return number(!tap_query_less(b, a, is_unsigned));
	case TAP_LEX_GE:
		return number(!tap_query_less(a, b, is_unsigned));
	case '+':
		return number(a + b);
	case '-':
		return number(a - b);
	case '*':
		return number(a * b);
	case '/':
	case '%':
		return divide(a, b, is_unsigned, op == '%');
	case '&':
		return number(a & b);
	case '|':
		return number(a | b);
	case '^':
		return number(a ^ b);
	case TAP_LEX_SHL:
		return number(b < 64 ? a << b : 0);
	default:
		return number(shift_right(a, b, is_unsigned));
	}
}

static struct tap_query_value binary(struct tap_query *q, const struct tap_query_node *node,
				     const struct tap_event *ev)
{
	bool is_unsigned = node->a->is_unsigned || (node->op != TAP_LEX_SHR && node->b->is_unsigned);
	bool logic = node->op == TAP_LEX_AND || node->op == TAP_LEX_OR;
	struct tap_query_value a = tap_query_value(q, node->a, ev), b;

	if (!a.present)
		return none;
	if (node->b->kind == TAP_QUERY_PATTERN)
		return number(!fnmatch(node->b->pattern, a.text, 0) == (node->op == TAP_LEX_EQ));
	if (logic && !a.number == (node->op == TAP_LEX_AND))
		return number(node->op == TAP_LEX_OR);
	b = tap_query_value(q, node->b, ev);
	if (!b.present)
		return none;
	return logic ? number(!!b.number) : arithmetic(node->op, a.number, b.number, is_unsigned);
}

static struct tap_query_value unary(struct tap_query *q, const struct tap_query_node *node,
				    const struct tap_event *ev)
{
	struct tap_query_value a = tap_query_value(q, node->a, ev);

	if (!a.present)
		return none;
	switch (node->op) {
	case '-':
		return number(-a.number);
	case '~':
		return number(~a.number);
	case '!':
		return number(!a.number);
	default:
		return a;
	}
}

static struct tap_query_value call(struct tap_query *q, const struct tap_query_node *node,
				   const struct tap_event *ev)
{
	struct tap_query_value a = tap_query_value(q, node->a, ev), b;
	bool first;

	if (!a.present)
		return none;
	if (node->number == TAP_FUNCTION_STRLEN)
		return number(strlen(a.text));
	if (node->number == TAP_FUNCTION_LOG2)
		return number(a.number ? 63 - (__u64)__builtin_clzll(a.number) : 0);
	b = tap_query_value(q, node->b, ev);
	if (!b.present)
		return none;
	first = tap_query_less(a.number, b.number, node->is_unsigned);
	return first == (node->number == TAP_FUNCTION_MIN) ? a : b;
}

struct tap_query_value tap_query_value(struct tap_query *q, const struct tap_query_node *node,
				       const struct tap_event *ev)
{
	struct tap_query_value a;

	switch (node->kind) {
	case TAP_QUERY_NUMBER:
		return number(node->number);
	case TAP_QUERY_FIELD:
		return field_value(q, node, ev);
	case TAP_QUERY_COMM:
		return comm(q, ev);
	case TAP_QUERY_TGID:
		return number(ev->rec->tgid);
	case TAP_QUERY_TID:
		return number(ev->rec->tid);
	case TAP_QUERY_CPU:
		return number(ev->cpu);
	case TAP_QUERY_FLAG:
		return number(!!(ev->rec->flags & node->number));
	case TAP_QUERY_UNARY:
		return unary(q, node, ev);
	case TAP_QUERY_BINARY:
		return binary(q, node, ev);
	case TAP_QUERY_COND:
		a = tap_query_value(q, node->a, ev);
		return a.present ? tap_query_value(q, a.number ? node->b : node->c, ev) : none;
	case TAP_QUERY_CAST:
		a = tap_query_value(q, node->a, ev);
		return a.present ? number(extended(a.number, (unsigned int)node->number, node->op)) :
		       none;
	case TAP_QUERY_CALL:
		return call(q, node, ev);
	default:
		return none;
	}
}

int tap_query_holds(struct tap_query *query, const struct tap_event *ev)
{
	struct tap_query_value v = tap_query_value(query, query->root, ev);

	if (!v.present)
		return -ENODATA;
	return v.text || v.number;
}

int tap_query_result(struct tap_query *query, const struct tap_event *ev,
		     struct tap_query_result *result)
{
	struct tap_query_value v;

	if (!tap_query_is_text(query->root) && !tap_query_is_number(query->root))
		return -EINVAL;
	v = tap_query_value(query, query->root, ev);
	*result = (struct tap_query_result) {
		.text = v.text, .number = v.number, .is_unsigned = query->root->is_unsigned,
	};
	return v.present ? 0 : -ENODATA;
}
