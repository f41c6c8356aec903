// SPDX-License-Identifier: LGPL-2.1
/*
 * One value as text or JSON. What text shows in decimal is a number in JSON,
 * everything else a string, so that no reader of it loses bits.
 */
#include "buffer.h"
#include "format_value.h"

/* AUTO takes decimal for what looks like an errno or a small count. */
#define AUTO_LEAST	(-4095LL)
#define AUTO_MOST	0x7fffffffLL

static char *put_string(char *p, const struct tap_formatter_opts *opts,
			const char *s, size_t len)
{
	*p++ = '"';
	p = opts->json ? tap_put_json(p, s, len) :
			 tap_put_text(p, s, len, true);
	*p++ = '"';
	return p;
}

static char *put_hex(char *p, const struct tap_formatter_opts *opts, __u64 v)
{
	if (opts->json)
		*p++ = '"';
	p = tap_put_hex(p, v);
	if (opts->json)
		*p++ = '"';
	return p;
}

static char *put_auto(char *p, const struct tap_formatter_opts *opts, __u64 v)
{
	if ((__s64)v >= AUTO_LEAST && (__s64)v <= AUTO_MOST)
		return tap_put_s64(p, (__s64)v);
	return put_hex(p, opts, v);
}

static char *put_retval(char *p, const struct tap_formatter_opts *opts,
			__u64 v)
{
	__s32 low = (__s32)v;

	/* A function that returns int leaves the upper half as it happens. */
	if (!(v >> 32) && low < 0 && low >= AUTO_LEAST)
		return tap_put_s64(p, low);
	return put_auto(p, opts, v);
}

static char *put_char(char *p, const struct tap_formatter_opts *opts, __u64 v)
{
	static const char hex[] = "0123456789abcdef";
	char c = (char)v;

	if (opts->json)
		return put_string(p, opts, &c, 1);
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

static char *put_comm(char *p, const struct tap_formatter_opts *opts,
		      const struct tap_field *field,
		      const struct tap_event *ev)
{
	__u64 words[TAP_COMM_LEN / 8];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = tap_event_word(ev, field->word + i);
	return put_string(p, opts, (const char *)words, sizeof(words));
}

static char *put_symbol(char *p, const struct tap_formatter_opts *opts, __u64 v)
{
	/* As JSON a byte may become TAP_PUT_CHAR_MAX: names are ASCII. */
	char name[TAP_VALUE_MAX / 4];

	if (!opts->resolve ||
	    opts->resolve(opts->resolve_arg, v, name, sizeof(name)))
		return put_hex(p, opts, v);
	name[sizeof(name) - 1] = '\0';
	if (!opts->json)
		return tap_put_text(p, name, sizeof(name), false);
	/* Cut rather than written over the end, should it not be ASCII. */
	return put_string(p, opts, name, TAP_VALUE_MAX / TAP_PUT_CHAR_MAX - 1);
}

/* A word that can hold a kernel address is what the kernel may have zeroed. */
static bool may_be_address(enum tap_format format)
{
	switch (format) {
	case TAP_FMT_AUTO:
	case TAP_FMT_U64:
	case TAP_FMT_S64:
	case TAP_FMT_X64:
	case TAP_FMT_RETVAL:
	case TAP_FMT_SYMBOL:
		return true;
	default:
		return false;
	}
}

char *tap_put_value(char *p, const struct tap_formatter_opts *opts,
		    const struct tap_field *field, const struct tap_event *ev)
{
	__u64 v = tap_event_word(ev, field->word);

	if (!v && ev->rec->flags & TAP_F_REDACTED &&
	    may_be_address(field->format))
		return tap_put_str(p, opts->json ? "null" : "(hidden)");

	switch (field->format) {
	case TAP_FMT_U8:
		return tap_put_u64(p, (__u8)v);
	case TAP_FMT_U16:
		return tap_put_u64(p, (__u16)v);
	case TAP_FMT_U32:
		return tap_put_u64(p, (__u32)v);
	case TAP_FMT_U64:
		return tap_put_u64(p, v);
	case TAP_FMT_S8:
		return tap_put_s64(p, (__s8)v);
	case TAP_FMT_S16:
		return tap_put_s64(p, (__s16)v);
	case TAP_FMT_S32:
		return tap_put_s64(p, (__s32)v);
	case TAP_FMT_S64:
		return tap_put_s64(p, (__s64)v);
	case TAP_FMT_X8:
		return put_hex(p, opts, (__u8)v);
	case TAP_FMT_X16:
		return put_hex(p, opts, (__u16)v);
	case TAP_FMT_X32:
		return put_hex(p, opts, (__u32)v);
	case TAP_FMT_X64:
		return put_hex(p, opts, v);
	case TAP_FMT_CHAR:
		return put_char(p, opts, v);
	case TAP_FMT_COMM:
		return put_comm(p, opts, field, ev);
	case TAP_FMT_DURATION:
		v = tap_timebase_ns(opts->timebase, v);
		return opts->json ? tap_put_u64(p, v) : tap_put_duration(p, v);
	case TAP_FMT_RETVAL:
		return put_retval(p, opts, v);
	case TAP_FMT_SYMBOL:
		return put_symbol(p, opts, v);
	case TAP_FMT_BOOL:
	case TAP_FMT_LABEL:
	case TAP_FMT_FLAGS:
	case TAP_FMT_ERRNO:
	case TAP_FMT_STRING:
	case TAP_FMT_CHARS:
	case TAP_FMT_DATA:
	case TAP_FMT_NS:
	case TAP_FMT_AUTO:
	case __TAP_FMT_MAX:
		break;
	}
	return put_auto(p, opts, v);
}
