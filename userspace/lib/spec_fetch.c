// SPDX-License-Identifier: LGPL-2.1
/*
 * The values of a probe in the event language: [NAME=]FETCH[:FORMAT] ...
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "parser.h"
#include "private.h"
#include "registers.h"
#include "spec.h"
#include "suggest.h"

static const struct {
	const char *name;
	enum tap_format format;
} formats[] = {
	{ "u8", TAP_FMT_U8 },	{ "u16", TAP_FMT_U16 },
	{ "u32", TAP_FMT_U32 },	{ "u64", TAP_FMT_U64 },
	{ "s8", TAP_FMT_S8 },	{ "s16", TAP_FMT_S16 },
	{ "s32", TAP_FMT_S32 },	{ "s64", TAP_FMT_S64 },
	{ "x8", TAP_FMT_X8 },	{ "x16", TAP_FMT_X16 },
	{ "x32", TAP_FMT_X32 },	{ "x64", TAP_FMT_X64 },
	{ "char", TAP_FMT_CHAR }, { "sym", TAP_FMT_SYMBOL },
	{ "symbol", TAP_FMT_SYMBOL },
};

#define FORMATS	"u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64 char sym"

static const char *const later_formats[] = {
	"string", "ustring", "symstr", "usym", "bool", "bytes",
};

#ifdef __aarch64__
#define EXAMPLE	"%%x0"
#else
#define EXAMPLE	"%%di"
#endif

#define FETCHES	"$arg1 to $arg6, $retval, $comm and registers such as " EXAMPLE

/* Variables of later versions. */
static const char *const later_variables[] = {
	"stack", "kstack", "ustack", "args", "cgroup", "uid", "gid",
};

/* Variables of other tools for what each line has anyway. */
static const char *const in_each_line[] = {
	"time", "ts", "nsecs", "cpu", "pid", "tid", "tgid", "event", "probe",
	"func", "duration",
};

static bool one_of(struct tap_token t, const char *const *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (tap_token_is(t, list[i]))
			return true;
	return false;
}

/* Appends a field, and remembers where in the text it was asked for. */
static int add_value(struct tap_parser *p, const struct tap_op *op,
		     const struct tap_field *field, struct tap_token t)
{
	struct tap_spec *spec = p->spec;
	int ret;

	if (spec->nr_ops >= TAP_MAX_OPS - TAP_SPEC_OWN_OPS ||
	    spec->nr_fields >= ARRAY_SIZE(p->asked))
		return tap_fault(p, t.at, t.len, -E2BIG,
				 "a probe has at most %d values",
				 TAP_MAX_OPS - TAP_SPEC_OWN_OPS);
	ret = op ? tap_spec_add_op(spec, op, field) :
		   tap_spec_add_field(spec, field);
	if (ret)
		return tap_error_set(p->err, ret, "out of memory");
	p->asked[spec->nr_fields - 1] = t;
	return 0;
}

static const struct tap_field retval_field = {
	.name = "ret",
	.format = TAP_FMT_RETVAL,
	.words = 1,
};

/*
 * A kretprobe gives the return value unasked. So does a call, but that needs
 * no field: the formatter knows the words that each call has.
 */
static int add_own_value(struct tap_parser *p)
{
	static const struct tap_op fetch = {
		.code = TAP_OP_RETVAL, .dst = TAP_OP_OUT, .size = 8,
	};
	static const struct tap_token nowhere;

	if (p->spec->type != TAP_PROBE_KRETPROBE)
		return 0;
	return add_value(p, &fetch, &retval_field, nowhere);
}

/* Whether a call has its return value under a name that was asked for. */
static bool call_renamed(const struct tap_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].word == TAP_CALL_RETVAL)
			return true;
	return false;
}

static int check_names(struct tap_parser *p)
{
	const struct tap_spec *spec = p->spec;
	const struct tap_field *fields = spec->fields;
	bool call = spec->type == TAP_PROBE_CALL;
	bool ret = call && !call_renamed(spec);
	unsigned int i, k;

	for (i = 0; i < spec->nr_fields; i++) {
		const char *name = fields[i].name;
		struct tap_token t = p->asked[i];
		bool own = (call && !strcmp(name, "duration")) ||
			   (ret && !strcmp(name, retval_field.name));

		for (k = 0; k < i && strcmp(fields[k].name, name); k++)
			;
		if (k < i && p->asked[k].at > t.at)
			t = p->asked[k];
		own |= k < i && !p->asked[k].at;
		if (own)
			return tap_fault(p, t.at, t.len, -EINVAL,
					 "%s: gives \"%s\" by itself; name this value otherwise: NAME=...",
					 tap_spec_type_name(spec->type), name);
		if (k < i)
			return tap_fault(p, t.at, t.len, -EINVAL,
					 "there is a value \"%s\" already; name one of them otherwise: NAME=...",
					 name);
	}
	return 0;
}

/*
 * The return value is there whether it is asked for or not. A kretprobe's own
 * field takes the name and the format of the first that asks; others see the
 * same word again.
 */
static int parse_retval(struct tap_parser *p, struct tap_token t,
			struct tap_field *field)
{
	struct tap_spec *spec = p->spec;

	if (spec->type == TAP_PROBE_RAWTP)
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "a tracepoint has no $retval; it has $arg1 to $arg6");
	if (spec->type == TAP_PROBE_KPROBE)
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "there is no $retval where a function begins; use kretprobe:, or call: which has it with the arguments");
	if (field->format == TAP_FMT_AUTO)
		field->format = TAP_FMT_RETVAL;
	field->word = spec->type == TAP_PROBE_CALL ? TAP_CALL_RETVAL : 0;
	field->words = 1;
	if (spec->type == TAP_PROBE_CALL || p->retval_seen)
		return add_value(p, NULL, field, t);
	p->retval_seen = true;
	spec->fields[0] = *field;
	p->asked[0] = t;
	return 0;
}

/* Arguments and registers are those of the entry: where are they not there? */
static int check_entry(struct tap_parser *p, struct tap_token t, bool arg)
{
	enum tap_probe_type type = p->spec->type;

	if (type == TAP_PROBE_KRETPROBE)
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "at the return %s are gone; use call:, which keeps those of the entry",
				 arg ? "the arguments" : "the registers");
	if (type == TAP_PROBE_RAWTP && !arg)
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "a tracepoint has no registers; it has $arg1 to $arg6");
	if (type == TAP_PROBE_KPROBE && arg && strchr(p->spec->target, '+'))
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "arguments are sure to be in place only where the function begins; at an offset use registers, e.g. "
				 EXAMPLE);
	return 0;
}

static int parse_format(struct tap_parser *p, struct tap_token t, bool comm,
			struct tap_field *field)
{
	struct tap_suggest s;
	char near[128];
	size_t i;

	if (!t.len)
		return tap_fault(p, t.at, 1, -EINVAL,
				 "the format is missing after the colon; there are "
				 FORMATS);
	if (comm && tap_token_is(t, "string"))
		return 0;
	if (comm)
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "$comm is text, it has no other format");
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (tap_token_is(t, formats[i].name)) {
			field->format = formats[i].format;
			return 0;
		}
	if (one_of(t, later_formats, ARRAY_SIZE(later_formats)) ||
	    memchr(t.at, '[', t.len) || memchr(t.at, '@', t.len))
		return tap_fault(p, t.at, t.len, -EOPNOTSUPP,
				 "the format %.*s is " TAP_LATER "; there are "
				 FORMATS, QUOTE(t));
	tap_suggest_begin(&s, t.at, t.len);
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		tap_suggest_offer(&s, formats[i].name, strlen(formats[i].name));
	return tap_fault(p, t.at, t.len, -EINVAL,
			 "no format \"%.*s\"%s%s There are " FORMATS, QUOTE(t),
			 tap_suggest_text(&s, "", "", near, sizeof(near)),
			 s.nr ? "" : ".");
}

/* Takes the default name where none was given. */
static void default_name(struct tap_field *field, struct tap_token t)
{
	if (*field->name)
		return;
	/* All names that come here are short: they were found in a table. */
	memcpy(field->name, t.at, t.len);
	field->name[t.len] = '\0';
}

static int parse_arg(struct tap_parser *p, struct tap_token t,
		     struct tap_token word, struct tap_field *field)
{
	struct tap_op op = {
		.code = TAP_OP_ARG, .dst = TAP_OP_OUT, .size = 8,
	};
	int ret;

	if (word.at[3] == '0')
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "arguments are counted from 1: $arg1 to $arg6");
	if (word.len != 4 || word.at[3] > '6')
		return tap_fault(p, t.at, t.len, -EOPNOTSUPP,
				 "only $arg1 to $arg6 are passed in registers; what lies on the stack is "
				 TAP_LATER);
	ret = check_entry(p, t, true);
	if (ret)
		return ret;
	op.off = word.at[3] - '1';
	default_name(field, word);
	return add_value(p, &op, field, t);
}

static int parse_variable(struct tap_parser *p, struct tap_token t,
			  struct tap_token word, struct tap_field *field)
{
	static const char *const known[] = { "arg1", "retval", "comm" };
	static const struct tap_op comm = {
		.code = TAP_OP_COMM, .dst = TAP_OP_OUT,
	};
	struct tap_suggest s;
	char near[128];
	size_t i;

	if (word.len > 3 && !memcmp(word.at, "arg", 3) &&
	    isdigit((unsigned char)word.at[3]))
		return parse_arg(p, t, word, field);
	if (tap_token_is(word, "retval")) {
		default_name(field, (struct tap_token) { "ret", 3 });
		return parse_retval(p, t, field);
	}
	if (tap_token_is(word, "comm")) {
		field->format = TAP_FMT_COMM;
		default_name(field, word);
		return add_value(p, &comm, field, t);
	}
	if (one_of(word, later_variables, ARRAY_SIZE(later_variables)))
		return tap_fault(p, t.at, t.len, -EOPNOTSUPP,
				 "$%.*s is " TAP_LATER "; there are " FETCHES,
				 QUOTE(word));
	if (one_of(word, in_each_line, ARRAY_SIZE(in_each_line)))
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "$%.*s needs not be asked for: each line has the time, CPU, command, thread and event, and call: the duration",
				 QUOTE(word));
	tap_suggest_begin(&s, word.at, word.len);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		tap_suggest_offer(&s, known[i], strlen(known[i]));
	return tap_fault(p, t.at, t.len, -EINVAL,
			 "no variable $%.*s%s%s There are " FETCHES,
			 QUOTE(word),
			 tap_suggest_text(&s, "$", "", near, sizeof(near)),
			 s.nr ? "" : ".");
}

static int parse_register(struct tap_parser *p, struct tap_token t,
			  struct tap_token word, struct tap_field *field)
{
	struct tap_op op = {
		.code = TAP_OP_REG, .dst = TAP_OP_OUT, .size = 8,
	};
	int offset = tap_register_offset(word.at, word.len);
	struct tap_suggest s;
	char near[128];
	int ret;

	if (offset < 0) {
		tap_suggest_begin(&s, word.at, word.len);
		tap_register_suggest(&s);
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "no register %%%.*s%s%s There are %s",
				 QUOTE(word),
				 tap_suggest_text(&s, "%", "", near,
						  sizeof(near)),
				 s.nr ? "" : ".", tap_register_list());
	}
	ret = check_entry(p, t, false);
	if (ret)
		return ret;
	op.off = offset;
	default_name(field, word);
	return add_value(p, &op, field, t);
}

/* What does not begin with $ or %: none of it is valid, but why? */
static int refuse_value(struct tap_parser *p, struct tap_token t)
{
	struct tap_token word = { t.at, tap_word_len(t.at) };

	if (strchr("+-*@&(", *t.at))
		return tap_fault(p, t.at, t.len, -EOPNOTSUPP,
				 "reading memory is " TAP_LATER "; there are "
				 FETCHES);
	if (word.len == 4 && !memcmp(word.at, "arg", 3) &&
	    word.at[3] >= '0' && word.at[3] <= '5')
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "no value \"%.*s\"; did you mean $arg%c? Arguments are counted from 1",
				 QUOTE(word), word.at[3] + 1);
	if (tap_token_is(word, "retval") || tap_token_is(word, "comm"))
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "no value \"%.*s\"; did you mean $%.*s?",
				 QUOTE(word), QUOTE(word));
	if (word.len && !isdigit((unsigned char)*t.at))
		return tap_fault(p, t.at, t.len, -EOPNOTSUPP,
				 "names and C expressions (file->f_pos) are "
				 TAP_LATER "; there are " FETCHES);
	return tap_fault(p, t.at, t.len, -EINVAL,
			 "this is no value; there are " FETCHES);
}

static int parse_name(struct tap_parser *p, struct tap_token t,
		      struct tap_field *field)
{
	size_t len = tap_word_len(t.at);

	if (!t.len)
		return tap_fault(p, t.at, 1, -EINVAL,
				 "the name is missing before the =");
	if (len < t.len || isdigit((unsigned char)*t.at))
		return tap_fault(p, t.at + (len < t.len ? len : 0), 1, -EINVAL,
				 "a name has letters, digits and _ only, and begins with no digit");
	if (len >= sizeof(field->name))
		return tap_fault(p, t.at, t.len, -EINVAL,
				 "a name has at most %zu characters",
				 sizeof(field->name) - 1);
	memcpy(field->name, t.at, len);
	return 0;
}

/* Things that belong to a filter, which a later version will have. */
static bool filter_like(struct tap_token t)
{
	size_t i;

	if (tap_token_is(t, "if"))
		return true;
	for (i = 0; i < t.len; i++) {
		bool last = i + 1 == t.len;

		if (t.at[i] == '<' ||
		    (t.at[i] == '>' && (!i || t.at[i - 1] != '-')))
			return true;
		if (!last && t.at[i + 1] == '=' && strchr("=!", t.at[i]))
			return true;
		if (!last && t.at[i + 1] == t.at[i] && strchr("&|", t.at[i]))
			return true;
	}
	return false;
}

static int parse_value(struct tap_parser *p, struct tap_token t)
{
	const char *equals = memchr(t.at, '=', t.len);
	const char *comma = memchr(t.at, ',', t.len);
	struct tap_field field = { .format = TAP_FMT_AUTO };
	struct tap_token value = t, word, format;
	int ret;

	if (filter_like(t))
		return tap_fault(p, t.at, t.len, -EOPNOTSUPP,
				 "a filter is " TAP_LATER "; -p PID traces one process");
	if (comma && *t.at != '+')
		return tap_fault(p, comma, 1, -EINVAL,
				 "no commas: values are separated by spaces, several events take a -e each");
	if (equals) {
		ret = parse_name(p, (struct tap_token) { t.at, equals - t.at },
				 &field);
		if (ret)
			return ret;
		value.at = equals + 1;
		value.len = t.at + t.len - value.at;
	}
	if (!value.len)
		return tap_fault(p, value.at, 1, -EINVAL,
				 "the value is missing after the =; there are "
				 FETCHES);
	if (*value.at != '$' && *value.at != '%')
		return refuse_value(p, value);

	word.at = value.at + 1;
	word.len = tap_word_len(word.at);
	format.at = word.at + word.len;
	format.len = value.at + value.len - format.at;
	if (format.len && *format.at != ':')
		return tap_fault(p, format.at, format.len,
				 strchr("-[.+", *format.at) ? -EOPNOTSUPP :
							      -EINVAL,
				 "after a value there can be :FORMAT and nothing else; C expressions are "
				 TAP_LATER);
	if (format.len) {
		format.at++;
		format.len--;
		ret = parse_format(p, format,
				   *value.at == '$' && tap_token_is(word, "comm"),
				   &field);
		if (ret)
			return ret;
	}
	value.len = word.len + 1;
	return *value.at == '$' ? parse_variable(p, value, word, &field) :
				  parse_register(p, value, word, &field);
}

/**
 * tap_parse_fetches() - read the values of a probe
 * @p: the text, read up to the end of the target; its spec has type and target
 *
 * Return: 0 or -errno.
 */
int tap_parse_fetches(struct tap_parser *p)
{
	struct tap_token t;
	int ret;

	ret = add_own_value(p);
	while (!ret) {
		t = tap_token_next(p);
		if (!t.len)
			return check_names(p);
		ret = parse_value(p, t);
	}
	return ret;
}
