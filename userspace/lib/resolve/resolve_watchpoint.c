// SPDX-License-Identifier: LGPL-2.1
/*
 * Watchpoints: looking up the symbol in the running kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms.h"
#include "resolve/resolve.h"
#include "spec/spec.h"
#include "util/suggest.h"

/**
 * struct search - a search for a symbol of the running kernel
 * @target: what is looked for
 * @near: similar names
 * @found: number of symbols with the name
 * @per_cpu: the first of them is a per-CPU variable
 * @data: kallsyms has variables
 * @addr: address of the first of them
 * @begin: start of the per-CPU section, if kallsyms has it
 * @end: its end
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
 * @err: an error message on failure; a remark on success
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
