// SPDX-License-Identifier: LGPL-2.1
/*
 * Whole structs by their layout. As text they follow the line of their event:
 *	...
 *	        dev
 *	          state=READY
 *	          regs
 *	            ctrl=0x80000001
 *	          ring[0]
 *	            addr=0xffff888003d20000
 * As JSON they are objects and arrays. What a call has changed in one is a list of members, with
 * the value at the entry and that at the return.
 *
 * A layout may be of a file, so its size is no bound for the text: each part checks for room.
 */
#include <stdio.h>
#include <string.h>

#include "format/stack.h"
#include "format/struct.h"
#include "format/value.h"
#include "util/buffer.h"
#include "util/layout.h"
#include "util/value_names.h"

#define INDENT		"\n        "
/* The place of a member in the whole: regs.fifo[3].addr. Longer ones are cut. */
#define PATH_MAX_BYTES	512
/* Room for all that ends a value that was cut: brackets, and the words that say so. */
#define END_MAX		512
/* Of a member: its name or place in JSON, quotes, an indentation, a comma. */
#define MEMBER_MAX	(PATH_MAX_BYTES * TAP_PUT_CHAR_MAX + 2 * TAP_LAYOUT_DEPTH + 64)

/* The place of a member, in @text. */
struct path {
	char text[PATH_MAX_BYTES];
	size_t len;
};

/*
 * A struct that is being written. There is room up to @end, and END_MAX bytes behind it. @len bytes
 * of it are known. @old has the same bytes at the entry, or is NULL. The counters are of a
 * difference: members, or elements of arrays that changed. @name is that of the field.
 */
struct put {
	const struct tap_formatter_opts *opts;
	const char *name;
	const struct tap_layout *layout;
	const unsigned char *bytes;
	const unsigned char *old;
	size_t len;
	bool redacted;
	char *p;
	const char *end;
	bool full;
	unsigned int changed;
	unsigned int same;
	unsigned int hidden;
	unsigned int more;
	struct path path;
};

static bool is_leaf(const struct tap_layout_node *node)
{
	return node->kind < TAP_LAYOUT_STRUCT;
}

static unsigned int width_of(const struct tap_layout_node *node)
{
	return node->bits ? node->bits : 8 * node->size;
}

/* Whether the bytes of a leaf at @bit are known. */
static bool is_known(const struct put *s, const struct tap_layout_node *node, __u64 bit)
{
	__u64 bits = node->kind == TAP_LAYOUT_NUMBER ? width_of(node) : 8 * (__u64)node->size;

	return (bit + bits + 7) / 8 <= s->len;
}

/* Whether there is room for @need bytes; says that the text is cut if not. */
static bool has_room(struct put *s, size_t need)
{
	if (!s->full && s->end - s->p > (ptrdiff_t)need)
		return true;
	s->full = true;
	return false;
}

/* Upper bound of a leaf's text, or of an element's that is one. */
static size_t leaf_max(const struct put *s, const struct tap_layout_node *node)
{
	if (node->kind == TAP_LAYOUT_ARRAY && is_leaf(node + 1))
		node++;
	if (node->kind == TAP_LAYOUT_NUMBER)
		return tap_number_max(s->opts, node->format, node->value_names);
	return is_leaf(node) ? (size_t)node->size * TAP_PUT_CHAR_MAX + 16 : 0;
}

/* Whether the node at @bit has a part whose bytes are known. */
static bool is_shown(const struct put *s, const struct tap_layout_node *node, __u64 bit)
{
	if (node->kind == TAP_LAYOUT_ARRAY && is_leaf(node + 1))
		node++;
	return is_leaf(node) ? is_known(s, node, bit) : bit / 8 < s->len;
}

/* The number in the bits from @bit on. Both architectures are little-endian. */
static __u64 number_at(const unsigned char *bytes, const struct tap_layout_node *node, __u64 bit)
{
	unsigned int width = width_of(node), shift = bit % 8, n = (shift + width + 7) / 8, i;
	__u64 v = 0;

	for (i = 0; i < n && i < 8; i++)
		v |= (__u64)bytes[bit / 8 + i] << 8 * i;
	v >>= shift;
	if (n > 8)
		v |= (__u64)bytes[bit / 8 + 8] << (64 - shift);
	return tap_arith_extend(v, 64 - width, node->is_signed);
}

/*
 * The module zeroes whole words that may be addresses, in bytes that it copies too. So 0 in a word
 * of zeros may be another value.
 */
static bool is_hidden(const struct put *s, const unsigned char *bytes,
		      const struct tap_layout_node *node, __u64 bit)
{
	size_t at = bit / 8 & ~7UL;
	size_t end = (bit + (node->bits ? node->bits : 8 * (__u64)node->size) + 7) / 8;

	if (!s->redacted)
		return false;
	end = end + 7 < s->len ? (end + 7) & ~7UL : s->len;
	for (; at < end; at++)
		if (bytes[at])
			return false;
	return true;
}

/* Bytes as one number in hex, without its leading zeros. */
static char *put_raw(char *p, const struct tap_formatter_opts *opts, const unsigned char *bytes,
		     size_t size)
{
	bool digits = false;

	if (opts->json)
		*p++ = '"';
	p = tap_put_str(p, "0x");
	while (size--) {
		if (digits)
			p += sprintf(p, "%02x", bytes[size]);
		else if (bytes[size] || !size)
			p += sprintf(p, "%x", bytes[size]);
		digits |= bytes[size];
	}
	if (opts->json)
		*p++ = '"';
	return p;
}

/* Writes a leaf, whose bytes are known. There is room. */
static void put_leaf(struct put *s, const unsigned char *bytes, const struct tap_layout_node *node,
		     __u64 bit)
{
	const unsigned char *at = bytes + bit / 8;

	if (is_hidden(s, bytes, node, bit))
		s->p = tap_put_none(s->p, s->opts, "(hidden)");
	else if (node->kind == TAP_LAYOUT_TEXT)
		s->p = tap_put_quoted(s->p, s->opts, (const char *)at, node->size);
	else if (node->kind == TAP_LAYOUT_RAW)
		s->p = put_raw(s->p, s->opts, at, node->size);
	else
		s->p = tap_put_number(s->p, s->opts, node->format, node->value_names,
				      number_at(bytes, node, bit));
}

/* Elements of an array that begin in the bytes that are known, at most @most. */
static unsigned int known_elements(const struct put *s, const struct tap_layout_node *node,
				   __u64 bit, unsigned int most)
{
	__u64 left = bit / 8 < s->len ? s->len - bit / 8 : 0;
	__u64 nr = node->size ? (left + node->size - 1) / node->size : 0;

	/* Of a number all bytes must be there. */
	if (node->size && is_leaf(node + 1))
		nr = left / node->size;
	if (nr > node->count)
		nr = node->count;
	return nr < most ? (unsigned int)nr : most;
}

/* --------------------------------------------------------------------- text */

static void put_label(struct put *s, const struct path *label, unsigned int depth)
{
	s->p = tap_put_str(s->p, INDENT);
	s->p = tap_put_pad(s->p, s->p + 2 * (size_t)depth);
	s->p = tap_put_text(s->p, label->text, label->len, false);
}

/* Appends a name, or with NULL the number of an element. */
static void path_add(struct path *path, const char *name, unsigned int i)
{
	size_t room = sizeof(path->text) - 1 - path->len, len;
	char number[TAP_PUT_U64_MAX + 2], *p = number;

	if (!name) {
		*p++ = '[';
		p = tap_put_u64(p, i);
		*p++ = ']';
	} else if (path->len && room) {
		path->text[path->len++] = '.';
		room--;
	}
	len = name ? strlen(name) : (size_t)(p - number);
	if (len > room)
		len = room;
	*tap_put_mem(path->text + path->len, name ?: number, len) = '\0';
	path->len += len;
}

/* The elements of an array of numbers, on one line. */
static void put_numbers(struct put *s, const struct tap_layout_node *node, __u64 bit)
{
	unsigned int nr = known_elements(s, node, bit, TAP_LAYOUT_SHOWN), i;
	const struct tap_layout_node *element = node + 1;

	*s->p++ = s->opts->json ? '[' : '{';
	for (i = 0; i < nr && has_room(s, leaf_max(s, element) + MEMBER_MAX); i++) {
		if (i)
			*s->p++ = ',';
		put_leaf(s, s->bytes, element, bit + 8 * (__u64)i * node->size);
	}
	if (i < node->count && s->opts->json)
		s->p += sprintf(s->p, "%s\"%u more\"", i ? "," : "", node->count - i);
	else if (i < node->count)
		s->p += sprintf(s->p, "%s%u more", i ? ",..." : "...", node->count - i);
	*s->p++ = s->opts->json ? ']' : '}';
}

static void put_tree(struct put *s, unsigned int at, __u64 bit, const struct path *label,
		     unsigned int depth)
{
	const struct tap_layout_node *node = &s->layout->list[at];
	unsigned int i, nr;
	struct path path;

	if (!is_shown(s, node, bit) || !has_room(s, leaf_max(s, node) + MEMBER_MAX))
		return;
	if (node->kind == TAP_LAYOUT_ARRAY && !is_leaf(node + 1)) {
		nr = known_elements(s, node, bit, TAP_LAYOUT_SHOWN);
		for (i = 0; i < nr; i++) {
			path = *label;
			path_add(&path, NULL, i);
			put_tree(s, at + 1, bit + 8 * (__u64)i * node->size, &path, depth);
		}
		if (nr == node->count || !has_room(s, MEMBER_MAX))
			return;
		put_label(s, label, depth);
		s->p += sprintf(s->p, "[%u] and on: %u more", nr, node->count - nr);
		return;
	}
	put_label(s, label, depth);
	if (node->kind == TAP_LAYOUT_STRUCT) {
		for (i = at + 1; i < node->end; i = s->layout->list[i].end) {
			path.len = 0;
			path_add(&path, s->layout->list[i].name, 0);
			put_tree(s, i, bit + s->layout->list[i].bit, &path, depth + 1);
		}
		return;
	}
	*s->p++ = '=';
	if (node->kind == TAP_LAYOUT_ARRAY)
		put_numbers(s, node, bit);
	else
		put_leaf(s, s->bytes, node, bit);
}

/* --------------------------------------------------------------------- JSON */

/* Writes a node. One for which there is no room, or that is not known, is null. */
static void put_object(struct put *s, unsigned int at, __u64 bit)
{
	const struct tap_layout_node *node = &s->layout->list[at];
	const char *comma = "";
	unsigned int i, nr;

	if (!is_shown(s, node, bit) || !has_room(s, leaf_max(s, node) + MEMBER_MAX)) {
		s->p = tap_put_str(s->p, "null");
		return;
	}
	if (is_leaf(node)) {
		put_leaf(s, s->bytes, node, bit);
	} else if (node->kind == TAP_LAYOUT_ARRAY && is_leaf(node + 1)) {
		put_numbers(s, node, bit);
	} else if (node->kind == TAP_LAYOUT_ARRAY) {
		nr = known_elements(s, node, bit, TAP_LAYOUT_SHOWN);
		*s->p++ = '[';
		for (i = 0; i < nr && has_room(s, MEMBER_MAX); i++) {
			s->p = tap_put_str(s->p, i ? "," : "");
			put_object(s, at + 1, bit + 8 * (__u64)i * node->size);
		}
		if (i < node->count && has_room(s, MEMBER_MAX))
			s->p += sprintf(s->p, "%s\"%u more\"", i ? "," : "", node->count - i);
		*s->p++ = ']';
	} else {
		*s->p++ = '{';
		for (i = at + 1; i < node->end; i = s->layout->list[i].end) {
			const struct tap_layout_node *member = &s->layout->list[i];

			if (!is_shown(s, member, bit + member->bit) || !has_room(s, MEMBER_MAX))
				continue;
			s->p = tap_put_str(s->p, comma);
			s->p = tap_put_quoted(s->p, s->opts, member->name,
					      strnlen(member->name, PATH_MAX_BYTES));
			*s->p++ = ':';
			put_object(s, i, bit + member->bit);
			comma = ",";
		}
		*s->p++ = '}';
	}
}

/* ------------------------------------------------------------------- struct */

static struct put begin(char *p, const struct tap_formatter_opts *opts,
			const struct tap_field *field, const void *bytes, __u32 flags)
{
	const struct tap_layout *layout = field->value_names->layout;
	__u64 size = tap_layout_bytes(&layout->list[0]);

	return (struct put) {
		.opts = opts, .name = field->name, .layout = layout, .bytes = bytes, .redacted = flags & TAP_F_REDACTED,
		.len = size < field->words * 8U ? size : field->words * 8U,
		.p = p, .end = p + tap_struct_max(field) - END_MAX,
	};
}

/* Bytes that the record should have: all, or the elements of an array that are shown. */
static __u64 wanted_bytes(const struct put *s)
{
	const struct tap_layout_node *node = &s->layout->list[0];

	if (node->kind == TAP_LAYOUT_ARRAY && node->count > TAP_LAYOUT_SHOWN)
		return (__u64)node->size * TAP_LAYOUT_SHOWN;
	return tap_layout_bytes(node);
}

/* Says which bytes are missing. In JSON it is one more member, whose name no member of C has. */
static void put_rest(struct put *s)
{
	__u64 wanted = wanted_bytes(s);
	char text[100];

	if (s->full)
		snprintf(text, sizeof(text), "the rest has no room: name a part of it");
	else if (wanted > s->len)
		snprintf(text, sizeof(text), "only the first %zu of %llu bytes", s->len,
			 (unsigned long long)wanted);
	else
		return;
	if (!s->opts->json) {
		s->p = tap_put_str(s->p, INDENT "  ... ");
		s->p = tap_put_str(s->p, text);
		return;
	}
	/* Behind the last part, within the bracket. */
	s->p--;
	s->p += sprintf(s->p, "%s%s\"%s\"%c", s->p[-1] == '{' || s->p[-1] == '[' ? "" : ",",
			*s->p == '}' ? "\"...\":" : "", text, *s->p);
}

char *tap_put_struct(char *p, const struct tap_formatter_opts *opts, const struct tap_field *field,
		     const void *bytes, __u32 flags)
{
	struct put s = begin(p, opts, field, bytes, flags);
	struct path label = { .len = 0 };
	bool is_whole = !is_leaf(&s.layout->list[0]);

	if (opts->json) {
		put_object(&s, 0, 0);
	} else {
		path_add(&label, field->name, 0);
		put_tree(&s, 0, 0, &label, 0);
	}
	if (is_whole || !opts->json)
		put_rest(&s);
	return s.p;
}

char *tap_put_no_struct(char *p, const struct tap_formatter_opts *opts,
			const struct tap_field *field)
{
	if (!opts->json) {
		p = tap_put_str(p, INDENT);
		p = tap_put_text(p, field->name, sizeof(field->name), false);
		*p++ = '=';
	}
	return tap_put_none(p, opts, "(absent)");
}

/* --------------------------------------------------------------- difference */

static __u64 whole_bytes(const struct put *s)
{
	return tap_layout_bytes(&s->layout->list[0]);
}

static bool same_leaf(const struct put *s, const struct tap_layout_node *node, __u64 bit)
{
	if (node->kind != TAP_LAYOUT_NUMBER)
		return !memcmp(s->old + bit / 8, s->bytes + bit / 8, node->size);
	return number_at(s->old, node, bit) == number_at(s->bytes, node, bit);
}

/* Writes a member that has changed. */
static void put_change(struct put *s, const struct tap_layout_node *node, __u64 bit)
{
	bool json = s->opts->json, again;

	s->changed++;
	if (!has_room(s, 2 * leaf_max(s, node) + MEMBER_MAX)) {
		s->more++;
		return;
	}
	if (s->changed > 1)
		s->p = tap_put_str(s->p, json ? "," : ", ");
	if (json) {
		s->p = s->path.len ? tap_put_quoted(s->p, s->opts, s->path.text, s->path.len) :
				     tap_put_quoted(s->p, s->opts, s->name, TAP_FIELD_NAME_LEN);
		s->p = tap_put_str(s->p, ":{\"old\":");
	} else {
		s->p = tap_put_text(s->p, s->path.text, s->path.len, false);
		s->p = tap_put_str(s->p, s->path.len ? " " : "");
	}
	put_leaf(s, s->old, node, bit);
	s->p = tap_put_str(s->p, json ? ",\"new\":" : "->");
	put_leaf(s, s->bytes, node, bit);
	again = node->kind == TAP_LAYOUT_TEXT &&
		!strncmp((const char *)s->old + bit / 8, (const char *)s->bytes + bit / 8, node->size);
	if (again && !json)
		s->p = tap_put_str(s->p, " (behind its end)");
	if (json)
		*s->p++ = '}';
}

static void compare(struct put *s, unsigned int at, __u64 bit);

/* The elements of an array: one of numbers that is the same counts as one member. */
static void compare_elements(struct put *s, unsigned int at, __u64 bit)
{
	const struct tap_layout_node *node = &s->layout->list[at];
	unsigned int nr = known_elements(s, node, bit, node->count), same = s->same;
	unsigned int hidden = s->hidden, changed = s->changed, i;
	size_t len = s->path.len;

	for (i = 0; i < nr; i++) {
		path_add(&s->path, NULL, i);
		compare(s, at + 1, bit + 8 * (__u64)i * node->size);
		s->path.len = len;
	}
	if (!is_leaf(node + 1))
		return;
	s->hidden = hidden + (s->hidden > hidden);
	s->same = same + (nr && s->changed == changed && s->hidden == hidden);
}

static void compare(struct put *s, unsigned int at, __u64 bit)
{
	const struct tap_layout_node *node = &s->layout->list[at];
	size_t len = s->path.len;
	unsigned int i;

	if (node->kind == TAP_LAYOUT_ARRAY) {
		compare_elements(s, at, bit);
	} else if (node->kind == TAP_LAYOUT_STRUCT) {
		for (i = at + 1; i < node->end; i = s->layout->list[i].end) {
			path_add(&s->path, s->layout->list[i].name, 0);
			compare(s, i, bit + s->layout->list[i].bit);
			s->path.len = len;
		}
	} else if (is_known(s, node, bit)) {
		if (!same_leaf(s, node, bit))
			put_change(s, node, bit);
		else if (is_hidden(s, s->bytes, node, bit) && is_hidden(s, s->old, node, bit))
			s->hidden++;
		else
			s->same++;
	}
}

static void put_counts_json(struct put *s)
{
	s->p += sprintf(s->p, "},\"same\":%u", s->same);
	if (s->hidden)
		s->p += sprintf(s->p, ",\"hidden\":%u", s->hidden);
	if (s->more)
		s->p += sprintf(s->p, ",\"more\":%u", s->more);
	if (whole_bytes(s) > s->len)
		s->p += sprintf(s->p, ",\"bytes\":%zu,\"of\":%llu", s->len,
				(unsigned long long)whole_bytes(s));
	*s->p++ = '}';
}

static void put_counts(struct put *s)
{
	if (!s->changed)
		s->p = tap_put_str(s->p, "no change");
	if (s->more)
		s->p += sprintf(s->p, ", +%u more changed", s->more);
	if (s->changed && s->same)
		s->p += sprintf(s->p, ", +%u same", s->same);
	if (s->hidden)
		s->p += sprintf(s->p, ", +%u hidden", s->hidden);
	if (whole_bytes(s) > s->len)
		s->p += sprintf(s->p, " (only the first %zu of %llu bytes)", s->len,
				(unsigned long long)whole_bytes(s));
}

char *tap_put_diff(char *p, const struct tap_formatter_opts *opts, const struct tap_field *field,
		   const void *before, const void *after, __u32 flags)
{
	struct put s = begin(p, opts, field, after, flags);

	s.old = before;
	if (opts->json)
		s.p = tap_put_str(s.p, "{\"changed\":{");
	compare(&s, 0, 0);
	if (opts->json)
		put_counts_json(&s);
	else
		put_counts(&s);
	return s.p;
}
