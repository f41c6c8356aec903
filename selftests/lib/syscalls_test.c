// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of names of system calls: numbers, arguments from the formats of three kernels,
 * invalid formats, and the expansion of names and globs.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lang/lang.h"
#include "compile/compile.h"
#include "resolve/resolve.h"
#include "util/value_names.h"
#include "selftests/lib/check.h"
#include "util/util.h"
#include "spec/spec.h"
#include "kernel/constants.h"
#include "kernel/syscalls.h"

/* ----------------------------------------------------------------- numbers */

static void test_numbers(void)
{
	static const struct {
		const char *name;
		int nr;
	} table[] = {
		{ "openat", SYS_openat }, { "read", SYS_read },
		{ "exit_group", SYS_exit_group }, { "execveat", SYS_execveat },
		{ "0", 0 }, { "257", 257 }, { "1023", 1023 },
		{ "1024", -ENOENT }, { "99999999999999999999", -ENOENT },
		{ "opena", -ENOENT }, { "openatt", -ENOENT }, { "", -ENOENT },
		{ "-1", -ENOENT }, { "1x", -ENOENT }, { "OPENAT", -ENOENT },
		{ "syscalls", -ENOENT },
	};
	const struct tap_syscall *all;
	struct tap_value_names *labels;
	size_t nr, i;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		check(tap_syscall_number(table[i].name, strlen(table[i].name)) ==
		      table[i].nr, "number of \"%s\"", table[i].name);
	all = tap_syscalls(&nr);
	check(nr > 250, "the list has %zu system calls", nr);
	for (i = 0; i < nr; i++) {
		const char *name = tap_syscall_name(all[i].nr);

		ok &= all[i].nr < TAP_MAX_SYSCALLS && name &&
		      !strcmp(name, all[i].name) &&
		      (!i || strcmp(all[i - 1].name, all[i].name) < 0);
	}
	check(ok, "each has one name and one number, sorted by name");
	check(!tap_syscall_name(TAP_MAX_SYSCALLS - 1), "the number after the last has no name");

	labels = tap_syscall_value_names();
	ok = labels && labels->nr == nr;
	for (i = 0; ok && i < nr; i++)
		ok = labels->list[i].value == all[i].nr &&
		     !strcmp(labels->list[i].name, all[i].name);
	check(ok, "value names have all system calls");
	tap_value_names_put(labels);
}

/* --------------------------------------------------------------- arguments */

#define HEAD								\
	"name: sys_enter_x\nID: 637\nformat:\n"				\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"	\
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
#define ARG(_text)	"\tfield:" _text ";\toffset:16;\tsize:8;\tsigned:0;\n"
#define TAIL		"\nprint fmt: \"dfd: 0x%08lx\", ((unsigned long)(REC->dfd))\n"

/* Arguments in short: name:CLASS[s]SIZE; class i, p, or c for text. */
static const struct {
	const char *text;
	const char *args;
} formats[] = {
	{ HEAD ARG("int dfd") ARG("const char * filename") ARG("int flags")
	  ARG("umode_t mode") TAIL,
	  "dfd:is4 filename:c8 flags:is4x mode:i2" },
	/* 6.18 and later have a field with the text of a name. */
	{ HEAD ARG("int dfd") ARG("const char * filename") ARG("int flags")
	  ARG("umode_t mode") ARG("__data_loc char[] __filename_val") TAIL,
	  "dfd:is4 filename:c8 flags:is4x mode:i2" },
	{ HEAD ARG("unsigned int fd") ARG("char * buf") ARG("size_t count") TAIL,
	  "fd:i4 buf:c8 count:i8" },
	{ HEAD ARG("const char * filename") ARG("const char *const * argv")
	  ARG("const char *const * envp") TAIL,
	  "filename:c8 argv:p8 envp:p8" },
	{ HEAD ARG("unsigned long addr") ARG("unsigned long len")
	  ARG("unsigned long prot") ARG("unsigned long flags")
	  ARG("unsigned long fd") ARG("unsigned long off") TAIL,
	  "addr:i8 len:i8 prot:i8x flags:i8x fd:i8 off:i8" },
	{ HEAD ARG("const struct landlock_ruleset_attr *const attr")
	  ARG("const size_t size") ARG("const __u32 flags") TAIL,
	  "attr:p8 size:i8 flags:i4x" },
	{ HEAD ARG("struct stat * statbuf") ARG("void * p") ARG("pid_t pid")
	  ARG("loff_t off") ARG("enum landlock_rule_type rule_type")
	  ARG("something_new_t what") TAIL,
	  "statbuf:p8 p:p8 pid:is4 off:is8 rule_type:i4 what:i8" },
	{ HEAD TAIL, "" },
	/* Invalid formats. */
	{ "", "" },
	{ "field:", "" },
	{ "field:;", "" },
	{ "field:int", "" },
	{ "field:int;", "int:i8" },
	{ "field:int x", "" },
	{ "field:int x;", "x:is4" },
	{ "field:int *;", "" },
	{ "field: ;", "" },
	{ "field:char buf[16];", "" },
	{ "field:int a;field:int b;", "a:is4" },
	{ "field:int aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;",
	  "" },
	{ ARG("int a") ARG("int b") ARG("int c") ARG("int d") ARG("int e")
	  ARG("int f") ARG("int g") ARG("int h"),
	  "a:is4 b:is4 c:is4 d:is4 e:is4 f:is4" },
};

static void read_text(const char *text, struct tap_scope *scope)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text) + 1, "r");

	memset(scope, 0, sizeof(*scope));
	scope->names = calloc(7, sizeof(*scope->names));
	if (!file || !scope->names) {
		perror("syscalls_test");
		exit(1);
	}
	tap_syscall_read_format(file, scope);
	fclose(file);
}

static void put_args(const struct tap_scope *scope, char *buf, size_t size)
{
	size_t i, len = 0;

	*buf = '\0';
	for (i = 0; i < scope->nr; i++) {
		const struct tap_name *name = &scope->names[i];
		const struct tap_type *type = &name->type;
		struct tap_type target = { 0 };
		bool pointer = type->cls == TAP_TYPE_POINTER;

		if (pointer)
			tap_type_target(type, &target);
		len += snprintf(buf + len, size - len, "%s%s:%s%s%u%s",
				i ? " " : "", name->name,
				!pointer ? "i" :
				target.cls == TAP_TYPE_CHAR && type->user ? "c" :
									    "p",
				type->is_signed ? "s" : "",
				pointer ? 8 : type->size,
				name->format == TAP_FMT_AUTO ? "" : "x");
	}
}

static void test_formats(void)
{
	struct tap_scope scope;
	char args[512];
	size_t i, j, len;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		read_text(formats[i].text, &scope);
		put_args(&scope, args, sizeof(args));
		for (j = 0; j < scope.nr; j++)
			ok &= scope.names[j].at == (int)j &&
			      scope.names[j].kind == TAP_NAME_ARG;
		check(!strcmp(args, formats[i].args), "format %zu: \"%s\"%s%s", i,
		      formats[i].args, strcmp(args, formats[i].args) ?
		      " and not " : "", strcmp(args, formats[i].args) ? args : "");
		tap_scope_close(&scope);
	}
	check(ok, "arguments are in order");

	/* A truncated format has fewer arguments, the last one possibly wrong. */
	len = strlen(formats[1].text);
	for (i = 0; i < len; i++) {
		char *text = strndup(formats[1].text, i);

		read_text(text, &scope);
		ok &= scope.nr <= 4;
		tap_scope_close(&scope);
		free(text);
	}
	check(ok, "formats truncated at every byte");
}

/* ------------------------------------------------------- names and globs */

static const struct {
	const char *text;
	const char *probes;	/* event=target ...; or part of the error message */
	int ret;
} events[] = {
	{ "syscall:*", "syscall:*=*", 0 },
	{ "syscall:exit_group", "syscall:exit_group=" "%exit_group", 0 },
	{ "syscall:1023", "syscall:1023=1023", 0 },
	{ "syscall:exit_grou?", "syscall:exit_group=" "%exit_group", 0 },
	{ "syscall:execve*", "syscall:execve*=" "%execve,execveat", 0 },
	{ "syscall:opennat", "did you mean openat?", -ENOENT },
	{ "syscall:1024", "the highest is 1023", -ENOENT },
	{ "syscall:nosuch*", "no system call matches", -ENOENT },
	{ "syscall:nothing_like_that_at_all", "tap list", -ENOENT },
};

static int compare_numbers(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Replaces "%a,b" by the numbers of a and b, sorted. */
static void put_numbers(const char *names, char *buf, size_t size)
{
	int numbers[8], nr = 0, i;
	size_t len = 0;

	while (*names) {
		size_t n = strcspn(names, ",");

		numbers[nr++] = tap_syscall_number(names, n);
		names += n + (names[n] == ',');
	}
	qsort(numbers, nr, sizeof(*numbers), compare_numbers);
	for (i = 0; i < nr; i++)
		len += snprintf(buf + len, size - len, "%s%d", i ? "," : "",
				numbers[i]);
}

static void put_expected(const char *probes, char *buf, size_t size)
{
	const char *percent = strchr(probes, '%');
	size_t len = percent ? (size_t)(percent - probes) : strlen(probes);

	snprintf(buf, size, "%.*s", (int)len, probes);
	if (percent)
		put_numbers(percent + 1, buf + len, size - len);
}

static int expand(const char *text, struct tap_spec **list, size_t *nr,
		  struct tap_error *err)
{
	struct tap_spec spec;
	int ret = tap_spec_parse_into(&spec, text, err);

	if (ret)
		return ret;
	ret = tap_spec_expand_syscall(&spec, list, nr, err);
	tap_spec_clear(&spec);
	return ret;
}

static void test_events(void)
{
	char expected[256], got[512];
	struct tap_spec *list;
	struct tap_error err;
	size_t i, j, nr, len;
	int ret;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		ret = expand(events[i].text, &list, &nr, &err);
		if (ret) {
			check(ret == events[i].ret &&
			      strstr(err.text, events[i].probes), "%s: %s",
			      events[i].text, err.text);
			continue;
		}
		len = 0;
		for (j = 0; j < nr && len < sizeof(got); j++) {
			len += snprintf(got + len, sizeof(got) - len, "%s%s=%s",
					j ? " " : "", list[j].event,
					list[j].target);
			tap_spec_clear(&list[j]);
		}
		free(list);
		put_expected(events[i].probes, expected, sizeof(expected));
		check(!events[i].ret && !strcmp(got, expected), "%s: %s",
		      events[i].text, got);
	}
}

/* Each system call that a glob matches is in exactly one probe. */
static void test_wide_globs(void)
{
	static const char *const globs[] = { "s*", "*t*", "?*" };
	const struct tap_syscall *all;
	unsigned int in[TAP_MAX_SYSCALLS];
	struct tap_spec *list;
	struct tap_error err;
	size_t i, j, nr, total;
	char text[32];
	bool ok;

	all = tap_syscalls(&total);
	for (i = 0; i < ARRAY_SIZE(globs); i++) {
		memset(in, 0, sizeof(in));
		snprintf(text, sizeof(text), "syscall:%s", globs[i]);
		ok = !expand(text, &list, &nr, &err);
		for (j = 0; ok && j < nr; j++) {
			const char *at = list[j].target;

			ok &= strlen(at) < TAP_MAX_TARGET;
			while (*at) {
				char *end;
				unsigned long from = strtoul(at, &end, 10);
				unsigned long to = from;

				if (*end == '-')
					to = strtoul(end + 1, &end, 10);
				ok &= end > at && to < TAP_MAX_SYSCALLS;
				for (; ok && from <= to; from++)
					in[from]++;
				at = end + (*end == ',');
			}
			tap_spec_clear(&list[j]);
		}
		for (j = 0; ok && j < total; j++)
			ok = in[all[j].nr] ==
			     (globs[i][0] == '?' ||
			      (globs[i][0] == 's' && all[j].name[0] == 's') ||
			      (globs[i][0] == '*' && strchr(all[j].name, 't')));
		check(ok, "%s: each system call once, in %zu probes", text, nr);
		free(list);
	}
}

/* Without access to tracefs, or on a kernel that lacks the system call. */
static void test_scopes(void)
{
	struct tap_scope scope = { 0 };
	struct tap_error err;
	char args[512];

	check(!tap_scope_syscalls(&scope, "1023", &err) && *scope.why &&
	      scope.nr == 7 && scope.names[6].quiet,
	      "a system call without a format: %s", scope.why);
	put_args(&scope, args, sizeof(args));
	check(!strcmp(args, "arg1:i8x arg2:i8x arg3:i8x arg4:i8x arg5:i8x arg6:i8x syscall:i8x"),
	      "its arguments are named by position");
	tap_scope_close(&scope);
	check(!tap_scope_syscalls(&scope, "0,2-5", &err) && *scope.why &&
	      scope.nr == 7 && !scope.names[0].quiet &&
	      scope.names[0].kind == TAP_NAME_VAR &&
	      scope.names[0].at == TAP_VAR_SYSCALL && scope.names[0].value_names,
	      "several: %s", scope.why);
	check(scope.ret.cls == TAP_TYPE_INT && scope.ret.is_signed,
	      "a system call returns a number");
	tap_scope_close(&scope);
}

/* --------------------------------------------------------------- constants */

/* The C library's numbers, of the architecture that the test is compiled for. */
static void test_constants(void)
{
	static const struct {
		const char *name;
		long long value;
	} table[] = {
		{ "O_CREAT", O_CREAT }, { "O_DIRECTORY", O_DIRECTORY }, { "O_DIRECT", O_DIRECT },
		{ "O_TMPFILE", O_TMPFILE }, { "AT_FDCWD", AT_FDCWD }, { "PROT_EXEC", PROT_EXEC },
		{ "MAP_ANONYMOUS", MAP_ANONYMOUS }, { "MADV_DONTNEED", MADV_DONTNEED },
		{ "CLONE_THREAD", CLONE_THREAD }, { "AF_INET6", AF_INET6 },
		{ "SOCK_DGRAM", SOCK_DGRAM }, { "MSG_DONTWAIT", MSG_DONTWAIT },
		{ "SIGKILL", SIGKILL }, { "SIGCHLD", SIGCHLD }, { "F_GETFL", F_GETFL },
	};
	static const char *const none[] = { "", "O_", "O_CREA", "O_CREATE", "o_creat", "SIG" };
	__u64 value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		check(!tap_constant_find(table[i].name, strlen(table[i].name), &value) &&
		      (long long)value == table[i].value, "%s is %lld", table[i].name,
		      table[i].value);
	for (i = 0; i < ARRAY_SIZE(none); i++)
		check(tap_constant_find(none[i], strlen(none[i]), &value) == -ENOENT,
		      "no constant \"%s\"", none[i]);
	check(!tap_constant_find("O_CREAT=", 7, &value) && value == O_CREAT,
	      "the name of a constant needs no final 0");
}

/* How an argument of a system call is printed, in text and in JSON. */
static void test_names_of_values(void)
{
	static const struct {
		const char *syscall;
		unsigned int arg;
		long value;
		const char *text;
		const char *json;
	} table[] = {
		{ "openat", 3, O_RDONLY, "O_RDONLY", "\"O_RDONLY\"" },
		{ "openat", 3, O_RDWR | O_CREAT | O_EXCL, "O_RDWR|O_CREAT|O_EXCL",
		  "\"O_RDWR|O_CREAT|O_EXCL\"" },
		{ "openat", 3, O_TMPFILE | O_WRONLY, "O_TMPFILE|O_WRONLY", NULL },
		{ "openat", 3, O_SYNC | O_WRONLY, "O_SYNC|O_WRONLY", NULL },
		{ "openat", 3, O_DSYNC, "O_DSYNC", NULL },
		{ "openat", 3, O_ACCMODE, "O_ACCMODE", NULL },
		{ "openat", 3, 0x40000000 | O_DIRECTORY, "O_DIRECTORY|0x40000000", NULL },
		{ "mmap", 3, PROT_READ | PROT_WRITE, "PROT_READ|PROT_WRITE", NULL },
		{ "mmap", 3, 0, "PROT_NONE", NULL },
		{ "mmap", 4, MAP_PRIVATE | MAP_ANONYMOUS, "MAP_PRIVATE|MAP_ANONYMOUS", NULL },
		{ "mmap", 4, MAP_SHARED_VALIDATE, "MAP_SHARED_VALIDATE", NULL },
		{ "socket", 1, AF_INET6, "AF_INET6", "10" },
		{ "socket", 1, 12345, "12345", "12345" },
		{ "socket", 2, SOCK_SEQPACKET | SOCK_CLOEXEC, "SOCK_CLOEXEC|SOCK_SEQPACKET", NULL },
		{ "socket", 2, SOCK_RAW, "SOCK_RAW", NULL },
		{ "socket", 2, SOCK_RDM, "SOCK_RDM", NULL },
		{ "clone", 1, CLONE_VM | CLONE_VFORK | SIGCHLD, "CLONE_VM|CLONE_VFORK|0x11", NULL },
		{ "kill", 2, SIGTERM, "SIGTERM", NULL },
		{ "kill", 2, 0, "0", "0" },
		{ "madvise", 3, MADV_FREE, "MADV_FREE", NULL },
	};
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	struct tap_scope scope;
	struct tap_error err;
	char nr[8], buf[200];
	__u64 word;
	size_t i;
	int json;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct tap_field field = { .words = 1 };

		snprintf(nr, sizeof(nr), "%d",
			 tap_syscall_number(table[i].syscall, strlen(table[i].syscall)));
		scope = (struct tap_scope) { 0 };
		if (tap_scope_syscalls(&scope, nr, &err))
			abort();
		field.format = scope.names[table[i].arg - 1].format;
		field.value_names = scope.names[table[i].arg - 1].value_names;
		word = (__u64)table[i].value;
		for (json = 0; json < 2; json++) {
			const char *want = json ? table[i].json : table[i].text;

			opts.json = json;
			if (want)
				check(tap_format_words(&opts, &field, &word, buf, sizeof(buf)) > 0 &&
				      !strcmp(buf, want), "%s, argument %u: %s", table[i].syscall,
				      table[i].arg, want);
			if (want && strcmp(buf, want))
				printf("# got %s\n", buf);
		}
		tap_scope_close(&scope);
	}
}

int main(void)
{
	test_constants();
	test_names_of_values();
	test_numbers();
	test_formats();
	test_events();
	test_wide_globs();
	test_scopes();
	return check_end();
}
