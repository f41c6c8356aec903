// SPDX-License-Identifier: LGPL-2.1
/*
 * The functions of a func: glob that ftrace can trace, and their addresses.
 *
 * Since 6.5 the kernel lists them with addresses. Older kernels list only names, whose
 * addresses kallsyms has. If several functions share a name and not all of them are
 * listed, it is unknown which ones are meant; all of them are left out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ksyms.h"
#include "kernel/tracefs.h"
#include "resolve/resolve_func.h"
#include "util/array.h"
#include "util/glob.h"

/* Length of a line: the longest name of a function and that of its module. */
#define LINE	1024

/* A line of the kernel's list. @module is "" for vmlinux. */
struct listed {
	char *name;
	const char *module;
};

/*
 * A search for the functions of a glob. @list has the matching lines whose addresses
 * are still to be looked up.
 */
struct search {
	const struct tap_symbols *syms;
	const struct tap_target *target;
	struct tap_functions *found;
	struct listed *list;
	size_t nr;
};

static int add_addr(struct search *s, __u64 addr)
{
	struct tap_functions *found = s->found;

	if (!TAP_GROW(found->addrs, found->nr))
		return -ENOMEM;
	found->addrs[found->nr++] = addr;
	return 0;
}

static int add_listed(struct search *s, const char *name, const char *module)
{
	size_t len = strlen(name) + 1;
	char *copy;

	if (!TAP_GROW(s->list, s->nr))
		return -ENOMEM;
	copy = malloc(len + strlen(module) + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name, len);
	strcpy(copy + len, module);
	s->list[s->nr++] = (struct listed) { copy, copy + len };
	return 0;
}

static int read_line(struct search *s, char *line, bool has_addr)
{
	char *name = line, *module, *save;
	__u64 addr = 0;

	if (has_addr) {
		addr = strtoull(line, &name, 16);
		name += *name == ' ';
	}
	name = strtok_r(name, " \t\n", &save);
	module = name ? strtok_r(NULL, " \t\n[]", &save) : NULL;
	if (!name || !tap_glob_match(s->target->name, name) ||
	    !tap_target_in_module(s->target, module ? module : ""))
		return 0;
	if (!has_addr)
		return add_listed(s, name, module ? module : "");
	return addr ? add_addr(s, addr) : 0;
}

static int read_list(struct search *s, const char *root, const char *file,
		     bool has_addr)
{
	char path[LINE], line[LINE];
	int ret = 0;
	FILE *list;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	list = fopen(path, "re");
	if (!list)
		return -errno;
	while (!ret && fgets(line, sizeof(line), list))
		ret = read_line(s, line, has_addr);
	if (!ret && ferror(list))
		ret = -EIO;
	fclose(list);
	return ret;
}

static int compare(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->module, y->module);
}

/* Adds all functions of a name that is listed @times; none if there are more of them. */
static int look_up(struct search *s, const struct listed *l, size_t times)
{
	size_t i = tap_symbols_lower(s->syms, l->name), begin = s->found->nr;
	int ret = 0;

	for (; i < s->syms->nr && !ret; i++) {
		const struct tap_symbol *sym = tap_symbols_by_name(s->syms, i);

		if (strcmp(sym->name, l->name))
			break;
		if (tap_symbol_is_function(sym) && !strcmp(sym->module, l->module))
			ret = add_addr(s, sym->addr);
	}
	if (s->found->nr - begin > times) {
		s->found->unsure += s->found->nr - begin;
		s->found->nr = begin;
	}
	return ret;
}

static int look_up_all(struct search *s)
{
	size_t i, next;
	int ret = 0;

	if (s->nr)
		qsort(s->list, s->nr, sizeof(*s->list), compare);
	for (i = 0; i < s->nr && !ret; i = next) {
		for (next = i + 1; next < s->nr; next++)
			if (compare(&s->list[i], &s->list[next]))
				break;
		ret = look_up(s, &s->list[i], next - i);
	}
	for (i = 0; i < s->nr; i++)
		free(s->list[i].name);
	free(s->list);
	return ret;
}

/*
 * tap_functions_find() with the tracefs at @root, for tests. @found->addrs has to be
 * freed.
 */
int tap_functions_find_in(const char *root, const struct tap_symbols *syms,
			  const struct tap_target *target,
			  struct tap_functions *found, struct tap_error *err)
{
	struct search s = { .syms = syms, .target = target, .found = found };
	int ret;

	*found = (struct tap_functions) { 0 };
	ret = read_list(&s, root, "available_filter_functions_addrs", true);
	if (ret == -ENOENT) {
		ret = read_list(&s, root, "available_filter_functions", false);
		if (!ret)
			ret = look_up_all(&s);
	}
	if (!ret)
		return 0;
	free(found->addrs);
	*found = (struct tap_functions) { 0 };
	return tap_error_set(err, ret,
			     "%s/available_filter_functions, the list of traceable functions: %s",
			     root, strerror(-ret));
}

/**
 * tap_functions_find() - find the traceable functions of a glob
 * @syms: of the running kernel, sorted, with addresses
 * @target: the glob
 * @found: filled in; the caller has to free its addrs
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_functions_find(const struct tap_symbols *syms,
		       const struct tap_target *target,
		       struct tap_functions *found, struct tap_error *err)
{
	char root[LINE];
	int ret = tap_tracefs_root(root, sizeof(root), err);

	*found = (struct tap_functions) { 0 };
	return ret ? ret : tap_functions_find_in(root, syms, target, found, err);
}
