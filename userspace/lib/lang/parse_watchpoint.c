// SPDX-License-Identifier: LGPL-2.1
/*
 * Watchpoints: PLACE:LEN:MODE, where PLACE is [MODULE:]SYMBOL[+OFF] or an
 * address of the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "types/scope.h"
#include "spec/spec.h"

#define EXAMPLE	"watchpoint:SYMBOL:LEN:MODE, e.g. watchpoint:panic_timeout:4:w"

static const struct {
	const char *name;
	__u64 access;
} modes[] = {
	{ "w", TAP_WATCH_WRITE },
	{ "rw", TAP_WATCH_READ | TAP_WATCH_WRITE },
	{ "x", TAP_WATCH_EXECUTE },
};

static bool executes(const struct tap_spec *spec)
{
	return spec->perf.config == TAP_WATCH_EXECUTE;
}

/* Takes what stands behind the last colon away. */
static bool split(struct tap_token *t, struct tap_token *last)
{
	size_t at = t->len;

	while (at && t->at[at - 1] != ':')
		at--;
	*last = (struct tap_token) { t->at + at, t->len - at };
	t->len = at ? at - 1 : 0;
	return at;
}

static int parse_mode(struct tap_parser *p, struct tap_token t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!tap_token_is(t, modes[i].name))
			continue;
		p->spec->perf.config = modes[i].access;
		return 0;
	}
	if (tap_token_is(t, "r"))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"no processor of all of them can stop at reads alone; take rw, and \"if new == old\" for those that change nothing");
	return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
			"the last part says when: w (written), rw (read or written) or x (executed)");
}

static int parse_length(struct tap_parser *p, struct tap_token t)
{
	if (t.len != 1 || !strchr("1248", *t.at))
		return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
				"a watchpoint has 1, 2, 4 or 8 bytes: " EXAMPLE);
	p->spec->perf.config2 = *t.at - '0';
	return 0;
}

static int parse_address(struct tap_parser *p, struct tap_token t)
{
	struct tap_perf *perf = &p->spec->perf;
	char text[sizeof("0x") + 16];
	size_t i;

	for (i = 2; i < t.len; i++)
		if (!isxdigit((unsigned char)t.at[i]))
			break;
	if (t.len < 3 || t.len >= sizeof(text) || i < t.len ||
	    (t.at[1] | 0x20) != 'x')
		return tap_diag(p, t.at, t.len, -EINVAL,
				"an address is hexadecimal after 0x: watchpoint:0xffffffff82000000:8:w");
	perf->config1 = strtoull(t.at, NULL, 16);
	if (perf->config1 % perf->config2 && !executes(p->spec))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"the processor watches %llu bytes only where the address is a multiple of %llu; take less, or two",
				(unsigned long long)perf->config2,
				(unsigned long long)perf->config2);
	snprintf(text, sizeof(text), "0x%llx",
		 (unsigned long long)perf->config1);
	return tap_spec_target(p, text);
}

/**
 * tap_watchpoint_parse() - read the target of a watchpoint
 * @p: its spec has a type
 * @t: where it stands
 *
 * Return: 0, or -errno with the sentence told.
 */
int tap_watchpoint_parse(struct tap_parser *p, struct tap_token t)
{
	struct tap_spec *spec = p->spec;
	struct tap_token place = t, len, mode;
	char *event;
	int ret;

	spec->perf = (struct tap_perf) {
		.size = sizeof(spec->perf), .type = PERF_TYPE_BREAKPOINT,
	};
	if (strchr("/.\"~", *t.at))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a watchpoint is in memory of the kernel; that of programs cannot be watched");
	if (!split(&place, &mode) || !split(&place, &len))
		return tap_diag(p, t.at, t.len, -EINVAL,
				"a watchpoint is " EXAMPLE);
	ret = parse_mode(p, mode);
	if (!ret)
		ret = parse_length(p, len);
	if (ret)
		return ret;
	if (memchr(place.at, '*', place.len) || memchr(place.at, '?', place.len) ||
	    memchr(place.at, '[', place.len))
		return tap_diag(p, place.at, place.len, -EINVAL,
				"a watchpoint is one place, no glob: the processor has four of them");
	ret = place.len && isdigit((unsigned char)*place.at) ?
	      parse_address(p, place) : tap_target_parse(p, place);
	if (ret)
		return ret;
	if (asprintf(&event, "%s:%.*s:%.*s", spec->event, (int)len.len, len.at,
		     (int)mode.len, mode.at) < 0)
		return tap_error_set(p->err, -ENOMEM, "out of memory");
	free(spec->event);
	spec->event = event;
	return 0;
}

/* ------------------------------------------------- what the kernel has of it */

/**
 * struct search - for a symbol of the running kernel
 * @target: what is looked for
 * @near: names like it
 * @found: symbols that have its name
 * @per_cpu: the first of them is a variable of each CPU
 * @data: whether any data is shown
 * @addr: where the first of them is
 * @begin: where the variables of each CPU begin, if that is among the symbols
 * @end: where they end
 */
struct search {
	struct tap_target target;
	struct tap_suggest near;
	unsigned int found;
	bool per_cpu;
	bool data;
	uint64_t addr;
	uint64_t begin;
	uint64_t end;
};

static int look_at(const struct tap_kallsym *sym, void *arg)
{
	const struct tap_target *want;
	struct search *s = arg;
	bool data = strchr("dDbBrRaAvV", sym->type);

	want = &s->target;
	s->data |= data;
	if (!strcmp(sym->name, "__per_cpu_start"))
		s->begin = sym->addr;
	if (!strcmp(sym->name, "__per_cpu_end"))
		s->end = sym->addr;
	if (*want->module && strcmp(want->module, *sym->module ? sym->module :
				    TAP_VMLINUX))
		return 0;
	if (data)
		tap_suggest_offer(&s->near, sym->name, sym->len);
	if (strcmp(sym->name, want->name))
		return 0;
	if (!s->found++)
		s->addr = sym->addr;
	return 0;
}

/* Where they are linked to, which is no place in memory that anybody uses. */
static bool is_per_cpu(const struct search *s)
{
	if (!s->addr)
		return false;
	return s->addr < 1ULL << 32 || (s->addr >= s->begin && s->addr < s->end);
}

static int find(const struct tap_spec *spec, struct search *s,
		struct tap_error *err)
{
	char near[300];

	tap_suggest_begin(&s->near, s->target.name, strlen(s->target.name));
	/* Where they cannot be read the kernel will tell. */
	if (tap_kallsyms_each(look_at, s))
		return 0;
	tap_suggest_text(&s->near, "", "", near, sizeof(near));
	if (!s->found)
		return tap_error_set(err, -ENOENT, "%s: no such symbol%s%s",
				     spec->target, near, *near ? "" : !s->data ?
				     "; this kernel shows no variables (CONFIG_KALLSYMS_ALL): give the address" :
				     " in the running kernel or its modules; the compiler may have removed it");
	if (is_per_cpu(s))
		return tap_error_set(err, -EADDRNOTAVAIL,
				     "%s: each CPU has this variable, so its name is no place; give the address of one: its own and __per_cpu_offset[CPU]",
				     spec->target);
	if (s->found > 1)
		tap_error_set(err, 0,
			      "%s: %u symbols have this name; the kernel takes the first that it finds",
			      spec->target, s->found);
	return 0;
}

/**
 * tap_spec_expand_watchpoint() - find a watchpoint's symbol in the running kernel
 * @spec: a parsed one
 * @list: set to an allocated array of one, as tap_spec_expand() does
 * @nr: set to its length
 * @err: the sentence on failure; a remark on success
 *
 * Return: 0; -ENOENT; -EADDRNOTAVAIL: it is no place in memory; -ENOMEM.
 */
int tap_spec_expand_watchpoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err)
{
	struct search s = { 0 };
	int ret = 0;

	tap_target_split(spec->target, &s.target);
	if (!spec->perf.config1)
		ret = find(spec, &s, err);
	if (ret)
		return ret;
	*list = calloc(1, sizeof(**list));
	if (!*list || tap_spec_copy(spec, spec->event, spec->target, *list)) {
		free(*list);
		*list = NULL;
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	*nr = 1;
	return 0;
}

/**
 * tap_scope_watchpoint() - the names of a watchpoint
 * @scope: filled in; to be ended with tap_scope_close()
 * @spec: expanded
 * @err: the sentence on failure
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_watchpoint(struct tap_scope *scope, const struct tap_spec *spec,
			 struct tap_error *err)
{
	static const struct {
		const char *name;
		int at;
	} values[] = {
		{ "ip", offsetof(struct tap_watch, ip) },
		{ "old", offsetof(struct tap_watch, old) },
		{ "new", offsetof(struct tap_watch, new) },
	};
	size_t nr = executes(spec) ? 1 : ARRAY_SIZE(values), i;

	scope->names = calloc(nr, sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++) {
		struct tap_name *name = &scope->names[scope->nr++];

		strcpy(name->name, values[i].name);
		name->kind = TAP_NAME_FIELD;
		name->at = values[i].at;
		name->type.cls = TAP_TYPE_INT;
		name->type.size = i ? spec->perf.config2 : 8;
		if (i)
			name->raw = true;
		else
			name->format = TAP_FMT_SYMBOL;
	}
	return 0;
}
