// SPDX-License-Identifier: GPL-2.0
/*
 * Completes the target of an event: functions, tracepoints, system calls, and paths and names of
 * programs.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/complete.h"
#include "cmd/complete_target.h"
#include "elf/elf_object.h"
#include "kernel/ksyms.h"
#include "kernel/syscalls.h"
#include "kernel/tracefs.h"
#include "tool.h"

/**
 * struct typed - what was typed of a target
 * @word: the whole word
 * @before: bytes of @word that stand before the name
 * @name: what was typed of the name
 * @len: length of @name
 * @names: candidates
 */
struct typed {
	const char *word;
	size_t before;
	const char *name;
	size_t len;
	struct names names;
};

static void set_name(struct typed *t, const char *name)
{
	t->name = name;
	t->len = strlen(name);
	t->before = (size_t)(name - t->word);
}

/*
 * Whether a shell takes a name as it is, in quotes and without. Bash does not quote what is behind
 * "uprobe:", and a file may be somebody else's: in x$(CMD) it would run CMD. A line break would begin
 * another candidate. From 0x80 on there are parts of letters.
 */
static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (isascii(*name) && !isalnum(*name) && !strchr("%+,-./:=@_~", *name))
			return false;
	return true;
}

static void add(struct typed *t, const char *name, const char *end)
{
	if (!strncmp(name, t->name, t->len) && is_plain(name))
		names_add(&t->names, name, strlen(name), end);
}

static void print(struct typed *t)
{
	names_print(&t->names, t->word, t->before, t->len);
}

static void add_modules(struct typed *t, const struct tap_symbols *syms, const char *end)
{
	size_t i;

	for (i = 0; i < syms->nr_modules; i++)
		add(t, syms->modules[i], end);
}

/* Kernel functions; with a module in front those of the module. */
static void complete_functions(struct typed *t, bool returns)
{
	const char *colon = strchr(t->name, ':');
	struct tap_symbols *syms = tap_symbols_cached(NULL);
	const struct tap_symbol *sym;
	char module[64] = "";
	size_t i;

	if (!syms)
		return;
	if (colon) {
		snprintf(module, sizeof(module), "%.*s", (int)(colon - t->name), t->name);
		set_name(t, colon + 1);
	} else {
		add_modules(t, syms, ":");
	}
	for (i = 0; i < syms->nr; i++) {
		sym = &syms->list[i];
		if (sym->state != TAP_SYMBOL_OK || (returns && !tap_symbol_returns(sym)) ||
		    strncmp(sym->name, t->name, t->len))
			continue;
		if (!colon || !strcmp(*sym->module ? sym->module : TAP_VMLINUX, module))
			names_add(&t->names, sym->name, strlen(sym->name), "");
	}
	print(t);
	tap_symbols_free(syms);
}

static void complete_raw(struct typed *t)
{
	struct tap_symbols *syms = tap_symbols_cached(NULL);
	size_t i;

	for (i = 0; syms && i < syms->nr_tracepoints; i++)
		add(t, syms->tracepoints[i].name, "");
	print(t);
	tap_symbols_free(syms);
}

static void complete_syscalls(struct typed *t)
{
	const struct tap_syscall *all;
	size_t nr, i;

	all = tap_syscalls(&nr);
	for (i = 0; i < nr; i++)
		add(t, all[i].name, "");
	print(t);
}

/* Subsystems or drivers first, then the events of one. Frees @events. */
static void complete_names(struct typed *t, struct tap_events *events)
{
	const char *colon = strchr(t->name, ':'), *end;
	size_t len = colon ? (size_t)(colon + 1 - t->name) : 0, i;
	const char *subsystem = t->name;
	char name[TAP_MAX_TARGET];

	if (colon)
		set_name(t, colon + 1);
	for (i = 0; i < events->nr; i++) {
		end = strchr(events->names[i], ':');
		if (!end)
			continue;
		if (colon && !strncmp(events->names[i], subsystem, len)) {
			add(t, end + 1, "");
		} else if (!colon) {
			snprintf(name, sizeof(name), "%.*s", (int)(end - events->names[i]),
				 events->names[i]);
			add(t, name, ":");
		}
	}
	print(t);
	tap_events_free(events);
}

static void complete_tracepoints(struct typed *t)
{
	struct tap_events events;

	if (!tap_events_load(&events, NULL, NULL))
		complete_names(t, &events);
}

static void complete_emitted(struct typed *t)
{
	struct tap_events events;
	struct tap_error err;

	if (!tap_events_emitted(&events, "", &err))
		complete_names(t, &events);
}

/* Files by their path, which the shell cannot complete behind "uprobe:". */
static void complete_path(struct typed *t, const char *end)
{
	const char *slash = strrchr(t->name, '/');
	char dir[PATH_MAX], path[2 * PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *d;

	if (!slash)
		return;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash + 1 - t->name), t->name);
	set_name(t, slash + 1);
	d = opendir(dir);
	while (d && (entry = readdir(d))) {
		if (*entry->d_name == '.' && *t->name != '.')
			continue;
		snprintf(path, sizeof(path), "%s%s", dir, entry->d_name);
		if (!strncmp(entry->d_name, t->name, t->len) && !stat(path, &st))
			add(t, entry->d_name, S_ISDIR(st.st_mode) ? "/" : end);
	}
	if (d)
		closedir(d);
	print(t);
}

static int add_function(const struct tap_elf_function *fn, void *arg)
{
	struct typed *t = arg;

	/* A name with blanks or the like would need quotes. */
	if (!fn->indirect && !strpbrk(fn->name, " *?[+(,"))
		add(t, fn->name, "");
	return 0;
}

static void add_usdt(struct typed *t, struct tap_elf *elf)
{
	const struct tap_usdt *list;
	char name[256];
	size_t nr, i;

	if (tap_elf_usdt(elf, &list, &nr, NULL))
		return;
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%.120s:%.120s", list[i].provider, list[i].name);
		add(t, name, "");
		add(t, list[i].name, "");
	}
}

/* "PATH:NAME" of a program or library. */
static void complete_program(struct typed *t, bool usdt)
{
	const char *colon = strchr(t->name, ':');
	char file[PATH_MAX], path[PATH_MAX], glob[256];
	struct tap_error err;
	struct tap_elf *elf;

	if (*t->name == '"')
		return;
	if (!colon) {
		complete_path(t, ":");
		return;
	}
	snprintf(file, sizeof(file), "%.*s", (int)(colon - t->name), t->name);
	set_name(t, colon + 1);
	if (tap_elf_find(file, 0, path, sizeof(path), &err) || tap_elf_open(&elf, path, &err))
		return;
	snprintf(glob, sizeof(glob), "%.200s*", t->name);
	if (usdt)
		add_usdt(t, elf);
	else
		tap_elf_match(elf, glob, add_function, t, &err);
	print(t);
	tap_elf_put(elf);
}

void complete_target(const char *word)
{
	size_t len = strcspn(word, ":");
	struct typed t = { .word = word };

	set_name(&t, word + len + 1);
	if (!strncmp(word, "kprobe:", len + 1) || !strncmp(word, "func:", len + 1))
		complete_functions(&t, false);
	else if (!strncmp(word, "kretprobe:", len + 1) || !strncmp(word, "call:", len + 1) ||
		 !strncmp(word, "funcgraph:", len + 1))
		complete_functions(&t, true);
	else if (!strncmp(word, "rawtracepoint:", len + 1) || !strncmp(word, "rawtp:", len + 1))
		complete_raw(&t);
	else if (!strncmp(word, "tracepoint:", len + 1) || !strncmp(word, "tp:", len + 1))
		complete_tracepoints(&t);
	else if (!strncmp(word, "emit:", len + 1))
		complete_emitted(&t);
	else if (!strncmp(word, "syscall:", len + 1))
		complete_syscalls(&t);
	else if (!strncmp(word, "uprobe:", len + 1) || !strncmp(word, "uretprobe:", len + 1) ||
		 !strncmp(word, "ucall:", len + 1))
		complete_program(&t, false);
	else if (!strncmp(word, "usdt:", len + 1))
		complete_program(&t, true);
	else if (!strncmp(word, "file:", len + 1))
		complete_path(&t, "");
}

void complete_function(const char *word)
{
	struct typed t = { .word = word };

	set_name(&t, word);
	complete_functions(&t, true);
}

void complete_module(const char *word, size_t before)
{
	struct tap_symbols *syms = tap_symbols_cached(NULL);
	struct typed t = { .word = word };

	if (!syms)
		return;
	set_name(&t, word + before);
	add_modules(&t, syms, "");
	print(&t);
	tap_symbols_free(syms);
}
