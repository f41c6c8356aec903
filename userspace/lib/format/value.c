// SPDX-License-Identifier: LGPL-2.1
/*
 * One value as text or JSON. A value that is decimal in text is a number in JSON.
 * Everything else is a string, so that JSON readers do not lose bits.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "format/division.h"
#include "format/stack.h"
#include "format/struct.h"
#include "format/value.h"
#include "spec/field.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"
#include "util/buffer.h"
#include "util/errno_name.h"
#include "util/sized.h"
#include "util/util.h"
#include "util/value_names.h"

/* AUTO prints a value in decimal if it may be an errno or a small count. */
#define AUTO_LEAST	(-(__s64)TAP_MAX_ERRNO)
#define AUTO_MOST	0x7fffffffLL

/* Upper bound of a number that is neither a symbol nor has value names. */
#define NUMBER_MAX	32
/* Quotes or brackets, and the dots of a text that was cut. */
#define FRAME_MAX	8

char *tap_put_quoted(char *p, const struct tap_formatter_opts *opts, const char *s, size_t len)
{
	*p++ = '"';
	p = opts->json ? tap_put_json(p, s, len) :
			 tap_put_text(p, s, len, true);
	*p++ = '"';
	return p;
}

/*
 * Writers of one number. They have one type so that a table can hold them. The number
 * is already extended from the size of its format.
 */
static char *put_unsigned(char *p, const struct tap_formatter_opts *opts,
			  const struct tap_value_names *value_names, __u64 v)
{
	(void)opts;
	(void)value_names;
	return tap_put_u64(p, v);
}

static char *put_signed(char *p, const struct tap_formatter_opts *opts,
			const struct tap_value_names *value_names, __u64 v)
{
	(void)opts;
	(void)value_names;
	return tap_put_s64(p, (__s64)v);
}

static char *put_hex(char *p, const struct tap_formatter_opts *opts,
		     const struct tap_value_names *value_names, __u64 v)
{
	(void)value_names;
	if (opts->json)
		*p++ = '"';
	p = tap_put_hex(p, v);
	if (opts->json)
		*p++ = '"';
	return p;
}

static char *put_auto(char *p, const struct tap_formatter_opts *opts,
		      const struct tap_value_names *value_names, __u64 v)
{
	if ((__s64)v >= AUTO_LEAST && (__s64)v <= AUTO_MOST)
		return tap_put_s64(p, (__s64)v);
	return put_hex(p, opts, value_names, v);
}

static char *put_retval(char *p, const struct tap_formatter_opts *opts,
			const struct tap_value_names *value_names, __u64 v)
{
	return put_auto(p, opts, value_names, tap_untyped_retval(v));
}

static char *put_errno(char *p, const struct tap_formatter_opts *opts,
		       const struct tap_value_names *value_names, __u64 v)
{
	const char *name = NULL;

	v = tap_untyped_retval(v);
	/* A number in JSON, so that its type does not depend on success. */
	if ((__s64)v < 0 && (__s64)v >= -TAP_MAX_ERRNO && !opts->json)
		name = tap_errno_name((unsigned int)-(__s64)v);
	if (!name)
		return put_auto(p, opts, value_names, v);
	*p++ = '-';
	return tap_put_str(p, name);
}

static char *put_char(char *p, const struct tap_formatter_opts *opts,
		      const struct tap_value_names *value_names, __u64 v)
{
	static const char hex[] = "0123456789abcdef";
	char c = (char)v;

	(void)value_names;
	if (opts->json)
		return tap_put_quoted(p, opts, &c, 1);
	*p++ = '\'';
	if (c == '\'' || c == '\\') {
		*p++ = '\\';
		*p++ = c;
	} else if (c >= 0x20 && c < 0x7f) {
		*p++ = c;
	} else {
		p = tap_put_str(p, "\\x");
		*p++ = hex[(v >> 4) & 15];
		*p++ = hex[v & 15];
	}
	*p++ = '\'';
	return p;
}

static char *put_symbol(char *p, const struct tap_formatter_opts *opts,
			const struct tap_value_names *value_names, __u64 v)
{
	/* In JSON a byte may become TAP_PUT_CHAR_MAX bytes, but names are usually ASCII. */
	char name[TAP_VALUE_MAX / 4];

	if (!opts->resolve ||
	    opts->resolve(opts->resolve_arg, v, name, sizeof(name)))
		return put_hex(p, opts, value_names, v);
	name[sizeof(name) - 1] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (!opts->json)
		return tap_put_text(p, name, sizeof(name), false);
	/* A name that is not ASCII is cut, so that the output stays within TAP_VALUE_MAX. */
	return tap_put_quoted(p, opts, name, TAP_VALUE_MAX / TAP_PUT_CHAR_MAX - 1);
}

char *tap_put_function(char *p, const struct tap_formatter_opts *opts, __u64 v)
{
	char name[TAP_VALUE_MAX / TAP_PUT_CHAR_MAX];

	if (!opts->resolve ||
	    opts->resolve(opts->resolve_arg, v, name, sizeof(name)))
		snprintf(name, sizeof(name), "0x%llx", (unsigned long long)v);
	name[sizeof(name) - 1] = '\0';
	name[strcspn(name, "+ ")] = '\0';
	if (opts->json)
		return tap_put_json(p, name, strlen(name));
	return tap_put_text(p, name, strlen(name), false);
}

static char *put_function(char *p, const struct tap_formatter_opts *opts,
			  const struct tap_value_names *value_names, __u64 v)
{
	(void)value_names;
	if (opts->json)
		*p++ = '"';
	p = tap_put_function(p, opts, v);
	if (opts->json)
		*p++ = '"';
	return p;
}

static char *put_usymbol(char *p, const struct tap_formatter_opts *opts,
			 const struct tap_value_names *value_names, __u64 v)
{
	(void)value_names;
	return tap_put_frame(p, opts, !tap_address_is_kernel(v), v);
}

/* The characters of a name, without quotes. */
static char *put_name(char *p, const struct tap_formatter_opts *opts,
		      const char *name)
{
	if (opts->json)
		return tap_put_json(p, name, strlen(name));
	return tap_put_text(p, name, strlen(name), false);
}

/* Matches also a negative enumerator that was fetched as 4 bytes without sign extension. */
static bool is_value(__u64 value_name, __u64 v)
{
	return value_name == v || (!(v >> 32) && value_name == (__u64)(__s64)(__s32)v);
}

static const char *find_value_name(const struct tap_value_names *value_names, __u64 v)
{
	unsigned int i;

	if (!value_names)
		return NULL;
	/* Most lists count up from 0. */
	if (v < value_names->nr && value_names->list[v].value == v)
		return value_names->list[v].name;
	for (i = 0; i < value_names->nr; i++)
		if (is_value(value_names->list[i].value, v))
			return value_names->list[i].name;
	return NULL;
}

static char *put_value_name(char *p, const struct tap_formatter_opts *opts,
			    const struct tap_value_names *value_names, __u64 v)
{
	const char *name = find_value_name(value_names, v);

	if (!name)
		return put_auto(p, opts, value_names, v);
	if (opts->json)
		*p++ = '"';
	p = put_name(p, opts, name);
	if (opts->json)
		*p++ = '"';
	return p;
}

static char *put_constant(char *p, const struct tap_formatter_opts *opts,
			  const struct tap_value_names *value_names, __u64 v)
{
	return opts->json ? put_auto(p, opts, value_names, v) :
			    put_value_name(p, opts, value_names, v);
}

/* Each name consumes at least one bit of v, so there are at most 64. */
static char *put_flags(char *p, const struct tap_formatter_opts *opts,
		       const struct tap_value_names *value_names, __u64 v)
{
	const char *bar = "";
	unsigned int i;

	/* The list may have a name for 0. */
	if (!v)
		return put_value_name(p, opts, value_names, v);
	if (opts->json)
		*p++ = '"';
	for (i = 0; value_names && v && i < value_names->nr; i++) {
		__u64 bits = value_names->list[i].value;

		if (!bits || (v & bits) != bits)
			continue;
		v &= ~bits;
		p = tap_put_str(p, bar);
		p = put_name(p, opts, value_names->list[i].name);
		bar = "|";
	}
	if (v) {
		p = tap_put_str(p, bar);
		p = tap_put_hex(p, v);
	}
	if (opts->json)
		*p++ = '"';
	return p;
}

static char *put_bool(char *p, const struct tap_formatter_opts *opts,
		      const struct tap_value_names *value_names, __u64 v)
{
	(void)opts;
	(void)value_names;
	return tap_put_str(p, v ? "true" : "false");
}

static char *put_ns(char *p, const struct tap_formatter_opts *opts,
		    const struct tap_value_names *value_names, __u64 v)
{
	(void)value_names;
	return opts->json ? tap_put_u64(p, v) : tap_put_duration(p, v);
}

static char *put_ticks(char *p, const struct tap_formatter_opts *opts,
		       const struct tap_value_names *value_names, __u64 v)
{
	return put_ns(p, opts, value_names, tap_timebase_ns(opts->timebase, v));
}

/* A short text without special characters; a string in JSON. */
static char *put_plain(char *p, const struct tap_formatter_opts *opts, const char *text)
{
	if (opts->json)
		*p++ = '"';
	p = tap_put_str(p, text);
	if (opts->json)
		*p++ = '"';
	return p;
}

static char *put_ip(char *p, const struct tap_formatter_opts *opts,
		    const struct tap_value_names *value_names, __u64 v)
{
	char text[INET_ADDRSTRLEN];
	__u32 address = (__u32)v;

	(void)value_names;
	inet_ntop(AF_INET, &address, text, sizeof(text));
	return put_plain(p, opts, text);
}

static char *put_dev(char *p, const struct tap_formatter_opts *opts,
		     const struct tap_value_names *value_names, __u64 v)
{
	char text[24];

	(void)value_names;
	snprintf(text, sizeof(text), "%u:%u", (__u32)v >> 20, (__u32)v & 0xfffff);
	return put_plain(p, opts, text);
}

/* The formats of several bytes: IP6, MAC and UUID. */
static char *put_bytes(char *p, const struct tap_formatter_opts *opts, enum tap_format format,
		       const unsigned char *bytes)
{
	char text[INET6_ADDRSTRLEN], *to = text;
	unsigned int i;

	if (format == TAP_FMT_IP6)
		inet_ntop(AF_INET6, bytes, text, sizeof(text));
	for (i = 0; format != TAP_FMT_IP6 && i < (format == TAP_FMT_MAC ? 6 : 16); i++) {
		if (i && (format == TAP_FMT_MAC || (i >= 4 && i <= 10 && !(i % 2))))
			*to++ = format == TAP_FMT_MAC ? ':' : '-';
		to += sprintf(to, "%02x", bytes[i]);
	}
	return put_plain(p, opts, text);
}

/* The kernel may have zeroed a word that can hold a kernel address. */
#define MAY_BE_ADDRESS	(1U << 0)
#define IS_SIGNED	(1U << 1)

/*
 * Formats of single numbers: the writer, and the number of high bits of the word that
 * are not used. Other formats have no writer.
 */
static const struct {
	tap_number_writer *put;
	__u8 shift;
	__u8 flags;
} numbers[__TAP_FMT_MAX] = {
	[TAP_FMT_AUTO] = { put_auto, 0, MAY_BE_ADDRESS },
	[TAP_FMT_U8] = { put_unsigned, 56, 0 },
	[TAP_FMT_U16] = { put_unsigned, 48, 0 },
	[TAP_FMT_U32] = { put_unsigned, 32, 0 },
	[TAP_FMT_U64] = { put_unsigned, 0, MAY_BE_ADDRESS },
	[TAP_FMT_S8] = { put_signed, 56, IS_SIGNED },
	[TAP_FMT_S16] = { put_signed, 48, IS_SIGNED },
	[TAP_FMT_S32] = { put_signed, 32, IS_SIGNED },
	[TAP_FMT_S64] = { put_signed, 0, IS_SIGNED | MAY_BE_ADDRESS },
	[TAP_FMT_X8] = { put_hex, 56, 0 },
	[TAP_FMT_X16] = { put_hex, 48, 0 },
	[TAP_FMT_X32] = { put_hex, 32, 0 },
	[TAP_FMT_X64] = { put_hex, 0, MAY_BE_ADDRESS },
	[TAP_FMT_CHAR] = { put_char, 56, 0 },
	[TAP_FMT_DURATION] = { put_ticks, 0, 0 },
	[TAP_FMT_RETVAL] = { put_retval, 0, MAY_BE_ADDRESS },
	[TAP_FMT_SYMBOL] = { put_symbol, 0, MAY_BE_ADDRESS },
	[TAP_FMT_BOOL] = { put_bool, 0, 0 },
	[TAP_FMT_VALUE_NAME] = { put_value_name, 0, 0 },
	[TAP_FMT_FLAGS] = { put_flags, 0, 0 },
	[TAP_FMT_ERRNO] = { put_errno, 0, IS_SIGNED },
	[TAP_FMT_NS] = { put_ns, 0, 0 },
	[TAP_FMT_FUNC] = { put_function, 0, MAY_BE_ADDRESS },
	[TAP_FMT_USYMBOL] = { put_usymbol, 0, MAY_BE_ADDRESS },
	[TAP_FMT_IP] = { put_ip, 32, 0 },
	[TAP_FMT_DEV] = { put_dev, 32, 0 },
	[TAP_FMT_CONSTANT] = { put_constant, 0, 0 },
};

char *tap_put_number(char *p, const struct tap_formatter_opts *opts, enum tap_format format,
		     const struct tap_value_names *value_names, __u64 v)
{
	v = tap_arith_extend(v, numbers[format].shift,
			     numbers[format].flags & IS_SIGNED);
	return numbers[format].put(p, opts, value_names, v);
}

char *tap_put_none(char *p, const struct tap_formatter_opts *opts, const char *text)
{
	return tap_put_str(p, opts->json ? "null" : text);
}

/* Whether a 0 may be an address that the kernel has hidden. */
static bool hides_zero(enum tap_format format, __u32 flags)
{
	return flags & TAP_F_REDACTED && numbers[format].flags & MAY_BE_ADDRESS;
}

static char *put_checked(char *p, const struct tap_formatter_opts *opts,
			 enum tap_format format,
			 const struct tap_value_names *value_names, __u64 v, __u32 flags)
{
	if (!v && hides_zero(format, flags))
		return tap_put_none(p, opts, "(hidden)");
	return tap_put_number(p, opts, format, value_names, v);
}

static __u64 element_at(const char *bytes, enum tap_format format)
{
	size_t size = tap_format_bytes[format];
	__u64 v = 0;

	/* One load, where a copy of any size is a call or a loop. */
	if (size == sizeof(v)) {
		memcpy(&v, bytes, sizeof(v));
		return v;
	}
	/* The lowest byte comes first: the kernels are little-endian. */
	memcpy(&v, bytes, size);
	return tap_arith_extend(v, 64 - 8 * (unsigned int)size,
				numbers[format].flags & IS_SIGNED);
}

/* The elements in the bytes that are there. An incomplete element is left out. */
static char *put_array(char *p, const struct tap_formatter_opts *opts,
		       const struct tap_field *field, const char *bytes,
		       size_t len, __u32 flags)
{
	enum tap_format format = field->element;
	size_t size = tap_format_bytes[format], i;
	bool hides = hides_zero(format, flags);
	__u64 v;

	*p++ = opts->json ? '[' : '{';
	for (i = 0; i + size <= len; i += size) {
		if (i)
			*p++ = ',';
		v = element_at(bytes + i, format);
		if (hides && !v)
			p = tap_put_none(p, opts, "(hidden)");
		else
			p = numbers[format].put(p, opts, field->value_names, v);
	}
	*p++ = opts->json ? ']' : '}';
	return p;
}

/* Bytes after a word of TAP_TEXT_*, limited by the field's words. */
static size_t text_len(const struct tap_field *field, __u64 head)
{
	size_t room = (field->words - 1U) * 8U;

	return (head & TAP_TEXT_LEN) < room ? head & TAP_TEXT_LEN : room;
}

static char *put_stack(char *p, const struct tap_formatter_opts *opts,
		       const struct tap_field *field, const __u64 *words,
		       __u32 flags)
{
	bool user = field->format == TAP_FMT_USTACK;
	size_t nr = text_len(field, words[0]) / 8;

	if (words[0] & TAP_TEXT_ABSENT && !nr)
		return tap_put_no_stack(p, opts, user,
					!user && flags & TAP_F_REDACTED);
	return tap_put_stack(p, opts, user, words + 1, nr, words[0]);
}

/* A stack by its id in the session's table. */
static char *put_stack_id(char *p, const struct tap_formatter_opts *opts,
			  const struct tap_field *field, __u64 id, __u32 flags)
{
	struct tap_field whole = {
		.format = field->format == TAP_FMT_USTACK_ID ? TAP_FMT_USTACK : TAP_FMT_KSTACK,
		.words = 1 + TAP_MAX_STACK,
	};
	const __u64 none = TAP_TEXT_ABSENT;
	const __u64 *words = id ? NULL : &none;

	if (id > TAP_STACK_NO_ROOM && opts->stack)
		words = opts->stack(opts->stack_arg, id);
	return words ? put_stack(p, opts, &whole, words, flags) : tap_put_lost_stack(p, opts, id);
}

static char *put_text(char *p, const struct tap_formatter_opts *opts,
		      const struct tap_field *field, const __u64 *words,
		      __u32 flags)
{
	const char *bytes = (const char *)(words + 1);
	size_t len = text_len(field, words[0]);

	if (tap_format_is_stack(field->format))
		return put_stack(p, opts, field, words, flags);
	if (words[0] & TAP_TEXT_ABSENT && !len)
		return tap_put_none(p, opts, "(absent)");
	if (field->format == TAP_FMT_DATA)
		p = put_array(p, opts, field, bytes, len, flags);
	else
		p = tap_put_quoted(p, opts, bytes, len);
	/* Text that fills its array is whole, whatever follows. In JSON the flags of the record report it. */
	if (words[0] & (TAP_TEXT_TRUNCATED | TAP_TEXT_ABSENT) && !opts->json &&
	    (!field->count || len < field->count))
		p = tap_put_str(p, "...");
	return p;
}

static bool is_text(enum tap_format format)
{
	return format == TAP_FMT_STRING || format == TAP_FMT_DATA ||
	       tap_format_is_stack(format);
}

static bool is_number(const struct tap_field *field)
{
	return numbers[field->format].put && !field->count;
}

static bool is_bytes(const struct tap_field *field)
{
	return field->format == TAP_FMT_IP6 || field->format == TAP_FMT_MAC ||
	       field->format == TAP_FMT_UUID;
}

/* The words are contiguous. At least those that the value uses are there. */
static char *put_words(char *p, const struct tap_formatter_opts *opts,
		       const struct tap_field *field, const __u64 *words,
		       __u32 flags)
{
	const char *bytes = (const char *)words;
	size_t len = field->words * 8U;

	if (is_number(field))
		return put_checked(p, opts, field->format, field->value_names,
				   tap_field_cut(field, words[0]), flags);
	if (tap_format_is_stack_id(field->format))
		return put_stack_id(p, opts, field, words[0], flags);
	if (field->format == TAP_FMT_STRUCT)
		return tap_put_struct(p, opts, field, bytes, flags);
	if (is_text(field->format))
		return put_text(p, opts, field, words, flags);
	if (field->format == TAP_FMT_DIVISION)
		return tap_put_division(p, opts, words);
	if (field->format == TAP_FMT_COMM)
		return tap_put_quoted(p, opts, bytes, TAP_COMM_LEN);
	if (field->format == TAP_FMT_CHARS)
		return tap_put_quoted(p, opts, bytes,
				  field->count ? field->count : len);
	if (is_bytes(field))
		return put_bytes(p, opts, field->format, (const unsigned char *)words);
	return put_array(p, opts, field, bytes,
			 field->count * (size_t)tap_format_bytes[field->element],
			 flags);
}

/* The text for a value that the kernel could not provide, or NULL. */
static const char *why_none(const struct tap_field *field,
			    const struct tap_event *ev)
{
	int word = tap_probe_absent_word(ev->probe, ev->rec->flags, field);

	/* The duration and the return value are not outputs of the program. */
	if (tap_probe_is_call(ev->probe->spec.type) &&
	    field->word < TAP_CALL_FETCHES)
		return ev->rec->flags & TAP_F_NO_RETURN ? "?" : NULL;
	if (!(ev->rec->flags & TAP_F_ABSENT) || word < 0 ||
	    !(tap_event_word(ev, (unsigned int)word) >> field->output & 1))
		return NULL;
	/* A text with its own absent flag may still have its start. */
	if (is_text(field->format) &&
	    tap_event_word(ev, field->word) & TAP_TEXT_ABSENT)
		return NULL;
	return "(absent)";
}

static void copy_words(const struct tap_event *ev, unsigned int first, unsigned int nr, __u64 *words)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		words[i] = tap_event_word(ev, first + i);
}

/* The field with the bytes at the entry, for a field of TAP_FMT_DIFF; NULL if a file lacks it. */
static const struct tap_field *old_of(const struct tap_field *field, const struct tap_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].flags & TAP_FIELD_F_OLD &&
		    spec->fields[i].format == TAP_FMT_STRUCT &&
		    spec->fields[i].word == field->count && spec->fields[i].words == field->words)
			return &spec->fields[i];
	return NULL;
}

/* What a call has changed: nothing is said of bytes that are not those of the entry or the return. */
static char *put_diff(char *p, const struct tap_formatter_opts *opts, const struct tap_field *field,
		      const struct tap_event *ev)
{
	const struct tap_field *old = old_of(field, &ev->probe->spec);
	__u64 before[TAP_MAX_STRING / 8], after[TAP_MAX_STRING / 8];
	struct tap_formatter_opts there = *opts;

	if (ev->rec->flags & TAP_F_NO_RETURN)
		return tap_put_none(p, opts, "? (no return)");
	/* A part of the entry was read at the return: it may be this one. */
	if (!old || why_none(old, ev) || ev->rec->flags & TAP_F_DEFERRED)
		return tap_put_none(p, opts, "(absent at the entry)");
	if (why_none(field, ev))
		return tap_put_none(p, opts, "(absent at the return)");
	there.tgid = ev->rec->tgid;
	there.time = tap_timebase_mono(opts->timebase, ev->time);
	copy_words(ev, old->word, old->words, before);
	copy_words(ev, field->word, field->words, after);
	return tap_put_diff(p, &there, field, before, after, ev->rec->flags);
}

/*
 * Writes a value. @ev is decoded, so the field is inside. @p has room for
 * tap_value_max() bytes. Returns the end.
 */
char *tap_put_value(char *p, const struct tap_formatter_opts *opts,
		    const struct tap_field *field, const struct tap_event *ev)
{
	const char *none = why_none(field, ev);
	unsigned int nr = field->words;
	struct tap_formatter_opts there;
	__u64 words[TAP_MAX_WORDS];

	if (field->format == TAP_FMT_DIFF)
		return put_diff(p, opts, field, ev);
	if (none && field->format == TAP_FMT_STRUCT)
		return tap_put_no_struct(p, opts, field);
	if (field->format == TAP_FMT_DIVISION && !opts->json)
		return tap_put_division_text(p, opts, ev);
	if (none && (tap_format_is_stack(field->format) || tap_format_is_stack_id(field->format)))
		return tap_put_no_stack(p, opts, tap_field_is_user(field), false);
	if (none)
		return tap_put_none(p, opts, none);
	if (tap_field_is_user(field)) {
		there = *opts;
		there.tgid = ev->rec->tgid;
		there.time = tap_timebase_mono(opts->timebase, ev->time);
		opts = &there;
	}
	if (is_text(field->format))
		nr = 1 + (unsigned int)
		     (text_len(field, tap_event_word(ev, field->word)) + 7) / 8;
	copy_words(ev, field->word, nr, words);
	return put_words(p, opts, field, words, ev->rec->flags);
}

/*
 * Plans how the values of a field are written. The field is checked and must outlive
 * the plan.
 */
void tap_value_plan(struct tap_value_plan *plan, const struct tap_field *field)
{
	/* A format that cuts the word itself has no element, so one cut is enough. */
	enum tap_format cut = field->element ? field->element : field->format;
	unsigned int word = field->word;

	*plan = (struct tap_value_plan){
		.field = field,
		.shift = numbers[cut].shift,
		.is_signed = numbers[cut].flags & IS_SIGNED,
		.offset = offsetof(struct tap_record, value) + 8 * word,
	};
	if (word >= TAP_FIRST_VALUES) {
		word -= TAP_FIRST_VALUES;
		plan->offset = (1 + word / TAP_SLOT_VALUES) * TAP_SLOT_SIZE +
			       offsetof(struct tap_slot, value) +
			       8 * (word % TAP_SLOT_VALUES);
	}
	if (is_number(field) && !tap_field_is_user(field))
		plan->put = numbers[field->format].put;
}

size_t tap_number_max(const struct tap_formatter_opts *opts, enum tap_format format,
		      const struct tap_value_names *value_names)
{
	size_t longest = 0, len;
	unsigned int i;

	if (format == TAP_FMT_SYMBOL || format == TAP_FMT_FUNC)
		return TAP_VALUE_MAX;
	if (format == TAP_FMT_USYMBOL)
		return tap_frame_max(opts);
	if (!value_names || (format != TAP_FMT_VALUE_NAME && format != TAP_FMT_FLAGS &&
			     format != TAP_FMT_CONSTANT))
		return NUMBER_MAX;
	for (i = 0; i < value_names->nr; i++) {
		len = strlen(value_names->list[i].name);
		if (len > longest)
			longest = len;
	}
	if (opts->json)
		longest *= TAP_PUT_CHAR_MAX;
	/* A bar before each name. Flags have at most one name per bit. */
	return (longest + 1) * (format == TAP_FMT_FLAGS ? 64 : 1) + NUMBER_MAX;
}

/* Upper bound of a value's bytes. The field is checked. */
size_t tap_value_max(const struct tap_formatter_opts *opts,
		     const struct tap_field *field)
{
	size_t bytes = field->words * 8U;

	if (is_number(field))
		return tap_number_max(opts, field->format, field->value_names);
	if (tap_format_is_struct(field->format))
		return tap_struct_max(field);
	if (field->format == TAP_FMT_DIVISION)
		return tap_division_max(opts);
	if (field->format == TAP_FMT_COMM || field->format == TAP_FMT_CHARS ||
	    field->format == TAP_FMT_STRING)
		return bytes * TAP_PUT_CHAR_MAX + FRAME_MAX;
	if (tap_format_is_stack(field->format))
		return tap_stack_max(opts, field->words);
	if (tap_format_is_stack_id(field->format))
		return tap_stack_max(opts, 1 + TAP_MAX_STACK);
	if (is_bytes(field))
		return INET6_ADDRSTRLEN + FRAME_MAX;
	/* A comma after each element. */
	return bytes / tap_format_bytes[field->element] *
	       (tap_number_max(opts, field->element, field->value_names) + 1) +
	       FRAME_MAX;
}

int tap_format_words(const struct tap_formatter_opts *opts,
		     const struct tap_field *field, const __u64 *words,
		     char *buf, size_t size)
{
	struct tap_formatter_opts known;
	size_t max, len;
	char *room;
	int ret = tap_sized_read(&known, sizeof(known), opts);

	if (ret)
		return ret;
	opts = &known;
	/* A :diff has its other half in other words of the record. */
	if (!tap_field_check(field, field->word + field->words) || field->format == TAP_FMT_DIFF)
		return -EINVAL;
	max = tap_value_max(opts, field);
	room = max < size ? buf : malloc(max);
	if (!room)
		return -ENOMEM;
	len = (size_t)(put_words(room, opts, field, words, 0) - room);
	if (room != buf) {
		if (len < size)
			memcpy(buf, room, len);
		free(room);
	}
	if (len >= size)
		return -ENOSPC;
	buf[len] = '\0';
	return (int)len;
}
