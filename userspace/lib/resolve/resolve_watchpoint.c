// SPDX-License-Identifier: LGPL-2.1
/*
 * Watchpoints: looks up the symbol in the running kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/symbols_cache.h"
#include "resolve/resolve.h"
#include "spec/spec.h"
#include "util/suggest.h"

/*
 * A search for a symbol. @addr is the first symbol of the name; @data says whether
 * kallsyms lists variables at all; @begin and @end bound the per-CPU section, if
 * kallsyms has it.
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

/* The linked address of a per-CPU variable is not used by any CPU. */
static bool is_per_cpu(const struct search *s)
{
	if (!s->addr)
		return false;
	return s->addr < 1ULL << 32 || (s->addr >= s->begin && s->addr < s->end);
}

/* Looks at the symbols of this name, or at all if there is none: to suggest others. */
static int look(struct search *s)
{
	const char *const names[] = { s->target.name, "__per_cpu_start", "__per_cpu_end", NULL };
	struct search named = *s;

	tap_suggest_begin(&named.near, s->target.name, strlen(s->target.name));
	if (!tap_kallsyms_named(names, look_at, &named) && named.found) {
		*s = named;
		return 0;
	}
	tap_suggest_begin(&s->near, s->target.name, strlen(s->target.name));
	return tap_kallsyms_each(look_at, s);
}

static int find(const struct tap_spec *spec, struct search *s,
		struct tap_error *err)
{
	char near[300];

	/* If kallsyms cannot be read, the kernel checks the symbol. */
	if (look(s))
		return 0;
	tap_suggest_text(&s->near, "", "", near, sizeof(near));
	if (!s->found)
		return tap_error_set(err, -ENOENT, "%s: no such symbol%s%s",
				     spec->target, near, *near ? "" : !s->data ?
				     "; this kernel does not list variables (no CONFIG_KALLSYMS_ALL), so give the address" :
				     " in the running kernel or its modules; the compiler may have removed it");
	if (is_per_cpu(s))
		return tap_error_set(err, -EADDRNOTAVAIL,
				     "%s: this is a per-CPU variable, so its name is no address; give that of one CPU: the symbol's plus __per_cpu_offset[CPU]",
				     spec->target);
	if (s->found > 1)
		tap_error_set(err, 0,
			      "%s: %u symbols have this name; the kernel takes the first of them",
			      spec->target, s->found);
	return 0;
}

/*
 * Finds a watchpoint's symbol. The result is as in tap_spec_expand(), one spec; @err
 * may have a remark on success. Returns 0, -ENOENT, -ENOMEM, or -EADDRNOTAVAIL for a
 * per-CPU variable.
 */
int tap_spec_expand_watchpoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err)
{
	struct search s = { 0 };
	int ret = 0;

	tap_target_split(spec->target, &s.target);
	if (!spec->perf.config1 && !spec->armed_by)
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
