// SPDX-License-Identifier: LGPL-2.1
/*
 * The functions of a func: glob: which of them ftrace can trace, and where they are.
 *
 * Since 6.5 the kernel lists them with their addresses. Before, it lists names, of
 * which kallsyms has the addresses: of several functions of one name all, unless
 * not all of them are listed, since nobody knows which then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ksyms.h"
#include "kernel/tracefs.h"
#include "resolve/resolve_func.h"
#include "util/glob.h"

/* The longest name of a function and that of its module. */
#define LINE	1024

/**
 * struct listed - a line of the kernel's list
 * @name: of the function
 * @module: of its module; "" for vmlinux
 */
struct listed {
	char *name;
	const char *module;
};

/**
 * struct search - a search for the functions of a glob
 * @syms: the symbols
 * @target: the glob, maybe with a module
 * @found: gets the addresses
 * @room: of its list
 * @list: lines that fit, where addresses are to be looked up
 * @nr: number of @list
 */
struct search {
	const struct tap_symbols *syms;
	const struct tap_target *target;
	struct tap_functions *found;
	size_t room;
	struct listed *list;
	size_t nr;
};

static int add_addr(struct search *s, __u64 addr)
{
	struct tap_functions *found = s->found;
	size_t room = s->room ? s->room * 2 : 64;
	__u64 *bigger;

	if (found->nr == s->room) {
		bigger = realloc(found->addrs, room * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		found->addrs = bigger;
		s->room = room;
	}
	found->addrs[found->nr++] = addr;
	return 0;
}

static int add_listed(struct search *s, const char *name, const char *module)
{
	size_t len = strlen(name) + 1;
	struct listed *list;
	char *copy;

	/* Grows at each power of two. */
	if (!(s->nr & (s->nr - 1))) {
		list = realloc(s->list, (s->nr ? s->nr * 2 : 1) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		s->list = list;
	}
	copy = malloc(len + strlen(module) + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name, len);
	strcpy(copy + len, module);
	s->list[s->nr++] = (struct listed) { copy, copy + len };
	return 0;
}

/* "[ADDRESS ]NAME[ [MODULE]]" */
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

/* All functions of a name that is listed so often; none if there are more. */
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

/**
 * tap_functions_find_in() - as tap_functions_find(), with a tracefs of the caller's
 * @root: its directory
 * @syms: sorted, with addresses
 * @target: the glob
 * @found: filled in; its addrs are to be freed
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
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
			     "%s/available_filter_functions, which has the functions that can be traced: %s",
			     root, strerror(-ret));
}

/**
 * tap_functions_find() - find the functions of a glob that can be traced
 * @syms: of the running kernel, sorted, with addresses
 * @target: the glob
 * @found: filled in; its addrs are to be freed
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
