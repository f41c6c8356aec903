// SPDX-License-Identifier: LGPL-2.1
/*
 * System calls: their numbers, which are stable and come from the header that this is
 * compiled with, and their arguments, which the running kernel describes in tracefs.
 *
 * A system call that is newer than the header has no name here and is given by number.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/constants.h"
#include "util/value_names.h"
#include "util/util.h"
#include "kernel/syscalls.h"
#include "kernel/tracefs.h"

/* Names of a scope: the arguments, and the number of the system call. */
#define MAX_NAMES	(TAP_MAX_ARGS + 1)

#define SYSCALL(_name)	{ #_name, __NR_##_name },

static const struct tap_syscall syscalls[] = {
#include "syscall_table.h"
};

/**
 * tap_syscalls() - return all system calls that have a name
 * @nr: set to the length of the list
 *
 * Return: the system calls, sorted by name.
 */
const struct tap_syscall *tap_syscalls(size_t *nr)
{
	*nr = ARRAY_SIZE(syscalls);
	return syscalls;
}

/*
 * System calls whose event in tracefs has another name: the kernel names it after the function
 * (SYSCALL_DEFINE) that the number leads to.
 */
static const struct {
	const char *name;
	const char *event;
} events[] = {
	{ "umount2", "umount" },
	{ "uname", "newuname" },
	{ "stat", "newstat" },
	{ "lstat", "newlstat" },
	{ "fstat", "newfstat" },
	{ "sendfile", "sendfile64" },
	{ "fadvise64", "fadvise64_64" },
};

static int find_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (strlen(syscalls[i].name) == len &&
		    !memcmp(syscalls[i].name, name, len))
			return syscalls[i].nr;
	return -ENOENT;
}

/**
 * tap_syscall_number() - find a system call by its name
 * @name: its name, or its number in digits; not terminated
 * @len: bytes of @name
 *
 * Return: its number, or -ENOENT.
 */
int tap_syscall_number(const char *name, size_t len)
{
	unsigned int nr = 0;
	size_t i;
	int ret = find_name(name, len);

	/* The names of tracefs: sys_enter_umount belongs to umount2. */
	for (i = 0; i < ARRAY_SIZE(events) && ret < 0; i++)
		if (strlen(events[i].event) == len && !memcmp(events[i].event, name, len))
			ret = find_name(events[i].name, strlen(events[i].name));
	if (ret >= 0)
		return ret;
	for (i = 0; i < len; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -ENOENT;
		nr = nr * 10 + (name[i] - '0');
		if (nr >= TAP_MAX_SYSCALLS)
			return -ENOENT;
	}
	return len ? (int)nr : -ENOENT;
}

/**
 * tap_syscall_name() - return the name of a system call
 * @nr: number of the system call
 *
 * Return: its name, or NULL.
 */
const char *tap_syscall_name(unsigned int nr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (syscalls[i].nr == nr)
			return syscalls[i].name;
	return NULL;
}

/**
 * tap_syscall_keeps_memory() - whether user memory of the arguments is read at the
 *	return
 * @target: numbers, in the form that the kernel gets
 *
 * Return: false if the memory is gone at the return, as for execve. Otherwise true: the
 * system call has faulted its memory in.
 */
bool tap_syscall_keeps_memory(const char *target)
{
	int nr = tap_syscall_number(target, strlen(target));

	return nr != __NR_execve && nr != __NR_execveat;
}

/* Whether an argument of this name is a path. Other texts of system calls are short, or data. */
bool tap_syscall_is_path(const char *argument)
{
	static const char *const paths[] = {
		"filename", "pathname", "path", "oldname", "newname", "dir_name", "dev_name",
		"from_pathname", "to_pathname", "new_root", "put_old", "specialfile",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (!strcmp(argument, paths[i]))
			return true;
	return false;
}

/* The names of system calls as value names with one reference, or NULL if out of memory. */
struct tap_value_names *tap_syscall_value_names(void)
{
	struct tap_value_names *value_names = tap_value_names_new();
	size_t i;

	for (i = 0; value_names && i < ARRAY_SIZE(syscalls); i++) {
		if (!tap_value_names_add(value_names, syscalls[i].nr, syscalls[i].name,
					 strlen(syscalls[i].name)))
			continue;
		tap_value_names_put(value_names);
		value_names = NULL;
	}
	return value_names;
}

/* ------------------------------------------------------ arguments, by name */

/* Types of arguments by name. Other types fill a register. */
static const struct {
	const char *name;
	__u32 size;
	bool is_signed;
} integers[] = {
	{ "int", 4, true },		{ "unsigned int", 4, false },
	{ "unsigned", 4, false },	{ "long", 8, true },
	{ "unsigned long", 8, false },	{ "short", 2, true },
	{ "unsigned short", 2, false },	{ "char", 1, true },
	{ "unsigned char", 1, false },	{ "long long", 8, true },
	{ "u8", 1, false },		{ "u16", 2, false },
	{ "u32", 4, false },		{ "u64", 8, false },
	{ "s32", 4, true },		{ "s64", 8, true },
	{ "__u32", 4, false },		{ "__u64", 8, false },
	{ "__s32", 4, true },		{ "__s64", 8, true },
	{ "size_t", 8, false },		{ "ssize_t", 8, true },
	{ "off_t", 8, true },		{ "loff_t", 8, true },
	{ "pid_t", 4, true },		{ "uid_t", 4, false },
	{ "gid_t", 4, false },		{ "umode_t", 2, false },
	{ "mode_t", 4, false },		{ "qid_t", 4, false },
	{ "key_t", 4, true },		{ "key_serial_t", 4, true },
	{ "clockid_t", 4, true },	{ "timer_t", 4, true },
	{ "mqd_t", 4, true },		{ "rwf_t", 4, true },
};

/* Removes the words that do not affect size and sign. */
static void strip_words(char *text)
{
	static const char *const words[] = {
		"const", "volatile", "__user", "__attribute__((user))",
	};
	char *word, *save, *to = text;
	size_t i, len;

	for (word = strtok_r(text, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (!strcmp(word, words[i]))
				break;
		if (i < ARRAY_SIZE(words))
			continue;
		if (to != text)
			*to++ = ' ';
		len = strlen(word);
		memmove(to, word, len);
		to += len;
	}
	*to = '\0';
}

/* The type of an argument, from the C text in tracefs. Sets what @name points to. */
static struct tap_type type_of(char *text, struct tap_name *name)
{
	struct tap_type type = { .cls = TAP_TYPE_INT, .size = 8 };
	unsigned int stars = 0;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (text[i] != '*')
			continue;
		text[i] = ' ';
		stars++;
	}
	strip_words(text);
	if (stars) {
		type.cls = TAP_TYPE_POINTER;
		type.user = true;
		type.id = stars == 1 && !strcmp(text, "char") ? TAP_TYPE_CHAR :
								TAP_TYPE_NONE;
		if (!strncmp(text, "struct ", 7) && strlen(text + 7) < sizeof(name->tag))
			strcpy(name->tag, text + 7);
		if (*name->tag || (stars > 1 && !strcmp(text, "char")))
			name->stars = stars;
		return type;
	}
	for (i = 0; i < ARRAY_SIZE(integers); i++) {
		if (strcmp(text, integers[i].name))
			continue;
		type.size = integers[i].size;
		type.is_signed = integers[i].is_signed;
		return type;
	}
	if (!strncmp(text, "enum ", 5))
		type.size = 4;
	return type;
}

/* The format of a value whose type does not set one. */
static enum tap_format format_of(const struct tap_name *name)
{
	bool bits = strstr(name->name, "flags") || !strcmp(name->name, "prot") ||
		    strstr(name->name, "mask");

	if (name->type.cls != TAP_TYPE_INT || !bits)
		return TAP_FMT_AUTO;
	return name->type.size == 8 ? TAP_FMT_X64 : TAP_FMT_X32;
}

static struct tap_name *add_name(struct tap_scope *scope, const char *name,
				 size_t len)
{
	struct tap_name *to = &scope->names[scope->nr];

	if (!len || len >= sizeof(to->name))
		return NULL;
	memset(to, 0, sizeof(*to));
	memcpy(to->name, name, len);
	to->kind = TAP_NAME_ARG;
	scope->nr++;
	return to;
}

/*
 * "field:TYPE NAME;\toffset:N;..." is an argument, unless tracefs uses it for itself:
 * then it starts with common_ or __.
 */
static void add_field(struct tap_scope *scope, char *line)
{
	char *at = strstr(line, "field:"), *end, *name;
	struct tap_name *to;

	if (!at || scope->nr >= TAP_MAX_ARGS)
		return;
	at += strlen("field:");
	end = strchr(at, ';');
	if (!end || end == at)
		return;
	*end = '\0';
	name = end;
	while (name > at && !strchr(" \t*", name[-1]))
		name--;
	if (!strncmp(name, "common_", 7) || !strncmp(name, "__", 2) ||
	    strchr(name, '['))
		return;
	to = add_name(scope, name, end - name);
	if (!to)
		return;
	to->at = scope->nr - 1;
	*name = '\0';
	to->type = type_of(at, to);
	to->format = format_of(to);
}

/*
 * Reads the arguments of a system call from a file like
 * events/syscalls/sys_enter_NAME/format. @scope has room for them and no names yet.
 * Malformed lines are skipped.
 */
void tap_syscall_read_format(FILE *file, struct tap_scope *scope)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, file) > 0)
		add_field(scope, line);
	free(line);
}

static FILE *open_event(const char *event)
{
	char root[PATH_MAX], path[PATH_MAX + 100];

	if (tap_tracefs_root(root, sizeof(root), NULL))
		return NULL;
	snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_%s/format", root, event);
	return fopen(path, "re");
}

static FILE *open_format(const char *name)
{
	FILE *file = open_event(name);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events) && !file; i++)
		if (!strcmp(events[i].name, name))
			file = open_event(events[i].event);
	return file;
}

/* Names by position, for several system calls or without tracefs. */
static void number_args(struct tap_scope *scope)
{
	struct tap_name *to;
	char arg[16];
	int i;

	for (i = 0; i < TAP_MAX_ARGS; i++) {
		snprintf(arg, sizeof(arg), "arg%d", i + 1);
		to = add_name(scope, arg, strlen(arg));
		to->at = i;
		to->type = (struct tap_type) { .cls = TAP_TYPE_INT, .size = 8 };
		to->format = TAP_FMT_X64;
	}
}

/* The number of the system call. If there is one system call, the event has its name. */
static void add_number(struct tap_scope *scope, bool quiet)
{
	struct tap_name *to = add_name(scope, "syscall", strlen("syscall"));

	to->kind = TAP_NAME_VAR;
	to->at = TAP_VAR_SYSCALL;
	to->type = (struct tap_type) { .cls = TAP_TYPE_INT, .size = 8 };
	to->format = TAP_FMT_VALUE_NAME;
	/* If out of memory, numbers are printed. */
	to->value_names = tap_syscall_value_names();
	to->quiet = quiet;
}

static void one_syscall(struct tap_scope *scope, unsigned int nr)
{
	const char *name = tap_syscall_name(nr);
	FILE *file = name ? open_format(name) : NULL;

	if (file) {
		tap_syscall_read_format(file, scope);
		fclose(file);
	} else {
		snprintf(scope->why, sizeof(scope->why),
			 "tracefs does not describe system call %u (%s)", nr,
			 name ? name : "it is newer than this tap");
		number_args(scope);
	}
	if (name)
		tap_constants_name(scope, name);
	add_number(scope, true);
}

/**
 * tap_scope_syscalls() - the names of one or several system calls
 * @scope: @types may be set, the rest is filled in; the caller has to call
 *	tap_scope_close()
 * @target: numbers, in the form that the kernel gets
 * @err: an error message on failure
 *
 * Several system calls share the number and arg1 to arg6. So do system calls that
 * tracefs does not describe; @scope->why then has the reason.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_syscalls(struct tap_scope *scope, const char *target,
		       struct tap_error *err)
{
	int nr = tap_syscall_number(target, strlen(target));

	*scope = (struct tap_scope) {
		.types = scope->types,
		.ret = { .cls = TAP_TYPE_INT, .is_signed = true, .size = 8 },
	};
	scope->names = calloc(MAX_NAMES, sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (nr >= 0) {
		one_syscall(scope, nr);
		return 0;
	}
	snprintf(scope->why, sizeof(scope->why),
		 "arguments have names only if the event is one system call");
	add_number(scope, false);
	number_args(scope);
	return 0;
}
