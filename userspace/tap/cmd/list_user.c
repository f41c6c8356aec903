// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the functions and USDT probes of a program or library.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_object.h"
#include "lang/target.h"
#include "util/glob.h"
#include "cmd/list_row.h"
#include "cmd/list_user.h"

static const enum tap_probe_type types[] = {
	TAP_PROBE_UPROBE, TAP_PROBE_URETPROBE, TAP_PROBE_UCALL, TAP_PROBE_USDT,
};

#define NR_TYPES	(sizeof(types) / sizeof(types[0]))

/**
 * struct user_list - one argument
 * @type: type of the probes to list
 * @file: as typed
 * @provider: glob for the provider; NULL for any
 * @name: glob for the name
 * @elf: the file
 * @verbose: with offsets, sizes and arguments
 * @json: as JSON
 * @last: the name printed last, or NULL
 * @where: @file and a colon
 * @quoted: the name printed last in quotes, or NULL
 */
struct user_list {
	enum tap_probe_type type;
	char *file;
	char *provider;
	char *name;
	struct tap_elf *elf;
	bool verbose;
	bool json;
	const char *last;
	char *where;
	char *quoted;
};

static bool find_type(const char *text, enum tap_probe_type *type)
{
	size_t len, i;

	for (i = 0; i < NR_TYPES; i++) {
		len = strlen(tap_spec_type_name(types[i]));
		if (strncmp(text, tap_spec_type_name(types[i]), len) ||
		    text[len] != ':')
			continue;
		*type = types[i];
		return true;
	}
	return false;
}

bool list_user_asked(const char *text)
{
	enum tap_probe_type type;

	return find_type(text, &type);
}

static void put_head(const struct user_list *l, const char *name)
{
	printf("{\"type\":\"%s\",\"path\":", tap_spec_type_name(l->type));
	tool_json(stdout, tap_elf_path(l->elf));
	fputs(",\"name\":", stdout);
	tool_json(stdout, name);
}

/* In the form of -e: a name with blanks or glob characters is quoted. */
static const char *quoted(struct user_list *l, const char *name)
{
	if (!strpbrk(name, " *?[+(,"))
		return name;
	free(l->quoted);
	if (asprintf(&l->quoted, "\"%s\"", name) < 0)
		l->quoted = NULL;
	return l->quoted ? l->quoted : name;
}

static int put_function(const struct tap_elf_function *fn, void *arg)
{
	static const char why[] =
		"is an IFUNC: it selects a function and is not one itself";
	struct user_list *l = arg;
	const char *name = fn->demangled ? fn->demangled : fn->name;

	/* A name probes all static functions that share it, so it is listed once. */
	if ((fn->indirect && !l->verbose) ||
	    (l->last && !l->verbose && !strcmp(l->last, name)))
		return 0;
	l->last = name;
	if (!l->json) {
		list_row(tap_spec_type_name(l->type), l->where, quoted(l, name),
			 fn->indirect ? why : NULL);
		if (l->verbose)
			printf("    0x%llx in the file, %llu bytes\n",
			       (unsigned long long)fn->offset,
			       (unsigned long long)fn->size);
		return 0;
	}
	put_head(l, name);
	fputs(",\"symbol\":", stdout);
	tool_json(stdout, fn->name);
	printf(",\"offset\":%llu,\"bytes\":%llu",
	       (unsigned long long)fn->offset, (unsigned long long)fn->size);
	if (l->verbose)
		printf(",\"probeable\":%s", fn->indirect ? "false" : "true");
	if (fn->indirect)
		printf(",\"reason\":\"%s\"", why);
	puts("}");
	return 0;
}

static void put_type(const struct tap_usdt_arg *arg)
{
	if (arg->kind == TAP_USDT_UNKNOWN || arg->kind == TAP_USDT_SYMBOL)
		fputs("unreadable", stdout);
	else
		printf("%c%u", arg->is_float ? 'f' : arg->is_signed ? 's' : 'u',
		       8 * arg->size);
}

/* The offset and the arguments of one place of a USDT probe. */
static void put_place(const struct user_list *l, const struct tap_usdt *usdt)
{
	unsigned int i;

	printf(l->json ? "{\"offset\":%llu,\"arguments\":[" : "    0x%llx:",
	       (unsigned long long)usdt->offset);
	for (i = 0; i < usdt->nr_args; i++) {
		if (l->json)
			fputs(i ? ",\"" : "\"", stdout);
		else
			printf("%s arg%u ", i ? "," : "", i + 1);
		put_type(&usdt->args[i]);
		if (l->json)
			putchar('"');
	}
	if (l->json)
		putchar(']');
	else if (!i)
		fputs(" no arguments", stdout);
	if (usdt->semaphore)
		printf(l->json ? ",\"semaphore\":%llu" : "; semaphore 0x%llx",
		       (unsigned long long)usdt->semaphore);
	fputs(l->json ? "}" : "\n", stdout);
}

/* A USDT probe: its first place, and the other places that follow it. */
static void put_usdt(const struct user_list *l, const struct tap_usdt *usdt,
		     const struct tap_usdt *end)
{
	const struct tap_usdt *place = usdt;
	const char *before = "";
	char name[512];

	if (l->json) {
		put_head(l, usdt->name);
		fputs(",\"provider\":", stdout);
		tool_json(stdout, usdt->provider);
		fputs(",\"places\":[", stdout);
	} else {
		snprintf(name, sizeof(name), "%.250s:%.250s", usdt->provider, usdt->name);
		list_row("usdt", l->where, name, NULL);
	}
	for (; (l->json || l->verbose) && place < end &&
	     tap_usdt_same(usdt, place); place++) {
		tap_elf_usdt_resolve(l->elf, place);
		fputs(before, stdout);
		put_place(l, place);
		before = l->json ? "," : "";
	}
	if (l->json)
		puts("]}");
}

static int list_usdt(const struct user_list *l, struct tap_error *err)
{
	const struct tap_usdt *list;
	bool any = false;
	size_t nr, i;
	int ret = tap_elf_usdt(l->elf, &list, &nr, err);

	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		if (!tap_glob_match(l->name, list[i].name) ||
		    (l->provider &&
		     !tap_glob_match(l->provider, list[i].provider)))
			continue;
		any = true;
		if (!i || !tap_usdt_same(&list[i - 1], &list[i]))
			put_usdt(l, &list[i], list + nr);
	}
	return any ? 0 : tap_error_set(err, -ENOENT,
				       "%s: no USDT probe matches %s%s%s",
				       tap_elf_path(l->elf),
				       l->provider ? l->provider : "",
				       l->provider ? ":" : "", l->name);
}

static char *copy(struct tap_token t)
{
	return t.len ? strndup(t.at, t.len) : strdup("*");
}

static int open_list(struct user_list *l, const char *text,
		     struct tap_error *err)
{
	struct tap_user_target target;
	char path[PATH_MAX], *name;
	int ret;

	find_type(text, &l->type);
	text = strchr(text, ':') + 1;
	tap_user_target_split(l->type, (struct tap_token) {
		text, strlen(text) }, &target);
	if (!target.path.len)
		return tap_error_set(err, -EINVAL,
				     "%s: the program or library is missing; give %s:PATH, e.g. %s:libc",
				     tap_spec_type_name(l->type),
				     tap_spec_type_name(l->type),
				     tap_spec_type_name(l->type));
	l->file = copy(target.file);
	l->name = copy(target.name);
	if (target.provider.at)
		l->provider = copy(target.provider);
	if (l->file && asprintf(&l->where, "%s:", l->file) < 0)
		l->where = NULL;
	if (!l->where || !l->name || (target.provider.at && !l->provider))
		return tap_error_set(err, -ENOMEM, "out of memory");
	name = copy(target.path);
	ret = name ? tap_elf_find(name, 0, path, sizeof(path), err) :
		     tap_error_set(err, -ENOMEM, "out of memory");
	free(name);
	return ret ? ret : tap_elf_open(&l->elf, path, err);
}

int list_user(const char *text, bool verbose, bool json)
{
	struct user_list l = { .verbose = verbose, .json = json };
	struct tap_error err = { 0 };
	int ret = open_list(&l, text, &err);

	if (!ret && l.type == TAP_PROBE_USDT)
		ret = list_usdt(&l, &err);
	else if (!ret)
		ret = tap_elf_match(l.elf, l.name, put_function, &l, &err);
	if (l.elf)
		tap_elf_put(l.elf);
	free(l.file);
	free(l.where);
	free(l.quoted);
	free(l.provider);
	free(l.name);
	return ret ? tool_fail(&err) : 0;
}
