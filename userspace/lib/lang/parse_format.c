// SPDX-License-Identifier: LGPL-2.1
/*
 * Formats: the text after the colon of a value.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/lang.h"
#include "spec/ast.h"
#include "spec/field.h"
#include "spec/probe_type.h"
#include "util/suggest.h"
#include "util/util.h"

static const struct {
	const char *name;
	enum tap_format format;
	__u8 size;
	unsigned int scale;
	bool swap;
} formats[] = {
	{ "u8", TAP_FMT_U8, 1, 0, false },
	{ "u16", TAP_FMT_U16, 2, 0, false },
	{ "u32", TAP_FMT_U32, 4, 0, false },
	{ "u64", TAP_FMT_U64, 8, 0, false },
	{ "s8", TAP_FMT_S8, 1 | TAP_OP_SIGNED, 0, false },
	{ "s16", TAP_FMT_S16, 2 | TAP_OP_SIGNED, 0, false },
	{ "s32", TAP_FMT_S32, 4 | TAP_OP_SIGNED, 0, false },
	{ "s64", TAP_FMT_S64, 8 | TAP_OP_SIGNED, 0, false },
	{ "x8", TAP_FMT_X8, 1, 0, false },
	{ "x16", TAP_FMT_X16, 2, 0, false },
	{ "x32", TAP_FMT_X32, 4, 0, false },
	{ "x64", TAP_FMT_X64, 8, 0, false },
	{ "char", TAP_FMT_CHAR, 1, 0, false },
	{ "sym", TAP_FMT_SYMBOL, 8, 0, false },
	{ "symbol", TAP_FMT_SYMBOL, 8, 0, false },
	{ "usym", TAP_FMT_USYMBOL, 8, 0, false },
	{ "bool", TAP_FMT_BOOL, 1, 0, false },
	{ "errno", TAP_FMT_ERRNO, 8 | TAP_OP_SIGNED, 0, false },
	{ "ns", TAP_FMT_NS, 8, 0, false },
	{ "us", TAP_FMT_NS, 8, 1000, false },
	{ "ms", TAP_FMT_NS, 8, 1000000, false },
	{ "be16", TAP_FMT_U16, 2, 0, true },
	{ "be32", TAP_FMT_U32, 4, 0, true },
	{ "be64", TAP_FMT_U64, 8, 0, true },
	{ "ip", TAP_FMT_IP, 4, 0, false },
	{ "ip6", TAP_FMT_IP6, 16, 0, false },
	{ "mac", TAP_FMT_MAC, 6, 0, false },
	{ "uuid", TAP_FMT_UUID, 16, 0, false },
	{ "dev", TAP_FMT_DEV, 4, 0, false },
	{ "symstr", TAP_FMT_SYMBOL, 8, 0, false },
};

#define FORMATS	"u8 to u64, s8 to s64, x8 to x64, char, symbol, usym, bool, errno, ns, us, ms, be16 to be64, ip, ip6, mac, uuid, dev, path, diff, string, ustring, TYPE[N] and b<width>@<off>/<size>"

static const char *const later[] = { "bytes" };

#define DIAG(t, ...)	tap_diag(p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

static bool number(struct tap_token *t, unsigned int *n)
{
	const char *from = t->at;

	for (*n = 0; t->len && isdigit((unsigned char)*t->at) &&
	     *n <= TAP_MAX_STRING; t->at++, t->len--)
		*n = *n * 10 + (*t->at - '0');
	return t->at != from;
}

static bool take(struct tap_token *t, char c)
{
	if (!t->len || *t->at != c)
		return false;
	t->at++;
	t->len--;
	return true;
}

/* [N] after the name of a format. The count is 0 without it. */
static int parse_count(const struct tap_parser *p, struct tap_token t,
		       unsigned int *count)
{
	struct tap_token rest = t;

	*count = 0;
	if (!rest.len)
		return 0;
	if (take(&rest, '[') && number(&rest, count) && take(&rest, ']') &&
	    !rest.len && *count && *count <= TAP_MAX_STRING)
		return 0;
	return DIAG(t, "a length must be 1 to %d in brackets, e.g. [64]",
		    TAP_MAX_STRING);
}

static int parse_bits(const struct tap_parser *p, struct tap_token t,
		      struct tap_as *as)
{
	struct tap_token rest = { t.at + 1, t.len - 1 };
	unsigned int bits;

	as->kind = TAP_AS_BITS;
	if (!number(&rest, &as->width) || !take(&rest, '@') ||
	    !number(&rest, &as->shift) || !take(&rest, '/') ||
	    !number(&rest, &bits) || rest.len)
		return DIAG(t,
			    "this is not a bitfield; it is b<width>@<off>/<size>, e.g. b3@5/32 for 3 bits above the lowest 5 of 32");
	if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
	    !as->width || as->width + as->shift > bits)
		return DIAG(t,
			    "the bits do not fit into the size, which must be 8, 16, 32 or 64");
	as->size = bits / 8;
	return 0;
}

static int unknown(const struct tap_parser *p, struct tap_token t)
{
	struct tap_suggest s;
	char near[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(later); i++)
		if (tap_token_is(t, later[i]))
			return tap_diag(p, t.at, t.len, -EOPNOTSUPP,
					"the format %s is " TAP_LATER "; there are "
					FORMATS, later[i]);
	tap_suggest_begin(&s, t.at, t.len);
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		tap_suggest_offer(&s, formats[i].name, strlen(formats[i].name));
	tap_suggest_offer(&s, "path", 4);
	tap_suggest_offer(&s, "diff", 4);
	tap_suggest_offer(&s, "string", 6);
	tap_suggest_offer(&s, "ustring", 7);
	return DIAG(t, "no format \"%.*s\"%s%s There are " FORMATS, QUOTE(t),
		    tap_suggest_text(&s, "", "", near, sizeof(near)),
		    s.nr ? "" : ".");
}

/* Parses the text after the colon of a value. */
int tap_as_parse(const struct tap_parser *p, struct tap_token t,
		 struct tap_as *as)
{
	size_t len = tap_word_len(t.at), i;
	struct tap_token word = { t.at, len < t.len ? len : t.len };
	struct tap_token rest = { t.at + word.len, t.len - word.len };
	unsigned int count;
	int ret;

	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL,
				"the format is missing after the colon; there are "
				FORMATS);
	memset(as, 0, sizeof(*as));
	as->t = t;
	if (*t.at == 'b' && t.len > 1 && isdigit((unsigned char)t.at[1]))
		return parse_bits(p, t, as);
	if (rest.len && *rest.at != '[')
		return unknown(p, t);
	ret = parse_count(p, rest, &count);
	if (ret)
		return ret;
	if (tap_token_is(word, "string") || tap_token_is(word, "ustring")) {
		as->kind = TAP_AS_STRING;
		as->user = *word.at == 'u';
		as->len = count ? count : TAP_DEFAULT_STRING;
		return 0;
	}
	if (tap_token_is(t, "diff")) {
		as->kind = TAP_AS_DIFF;
		return 0;
	}
	if (tap_token_is(word, "path")) {
		as->kind = TAP_AS_PATH;
		as->len = count ? count : TAP_DEFAULT_PATH;
		return count <= TAP_MAX_PATH ? 0 :
		       DIAG(rest, "a path has at most %d bytes", TAP_MAX_PATH);
	}
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (tap_token_is(word, formats[i].name))
			break;
	if (i == ARRAY_SIZE(formats))
		return unknown(p, t);
	as->kind = TAP_AS_NUMBER;
	as->format = formats[i].format;
	/*
	 * usym names kernel addresses as well, so it serves where addresses of both
	 * kinds occur.
	 */
	if (as->format == TAP_FMT_SYMBOL &&
	    (tap_probe_is_user(p->spec->type) ||
	     p->spec->type == TAP_PROBE_EVENT))
		as->format = TAP_FMT_USYMBOL;
	as->size = formats[i].size;
	as->scale = formats[i].scale;
	as->swap = formats[i].swap;
	as->count = count;
	if (!tap_format_bytes[as->format])
		as->kind = TAP_AS_BYTES;
	if (count && (as->kind == TAP_AS_BYTES || as->scale || as->swap))
		return DIAG(t, "the format %.*s has no arrays; read single elements", QUOTE(word));
	if (count * (as->size & 15) > TAP_MAX_STRING)
		return DIAG(rest, "an array has at most %d bytes",
			    TAP_MAX_STRING);
	return 0;
}
