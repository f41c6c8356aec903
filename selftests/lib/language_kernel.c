// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel and the programs of the examples of docs/event-language.md: some functions and
 * structures of Linux with the members that examples use, and others for errors that need a rare
 * type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "compile/compile.h"
#include "compile/program.h"
#include "elf/elf_object.h"
#include "kernel/kallsyms.h"
#include "lang/target.h"
#include "selftests/lib/fake_btf.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/language_kernel.h"
#include "resolve/resolve.h"
#include "selftests/lib/tmpfile.h"
#include "spec/probe_type.h"
#include "util/util.h"
#include "util/value_names.h"

#define NAMES(...)	((const char *const []) { __VA_ARGS__, NULL })
#define TYPES(...)	((const int []) { __VA_ARGS__ })

static struct tap_types *types;

static int must(int id)
{
	if (id < 0)
		abort();
	return id;
}

static void add_member(struct btf *btf, const char *name, int type, unsigned int offset)
{
	must(btf__add_field(btf, name, type, offset * 8, 0));
}

static void add_function(struct btf *btf, const char *name, int ret, const char *const *names,
			 const int *ids)
{
	int proto = must(btf__add_func_proto(btf, ret));

	for (; *names; names++, ids++)
		must(btf__add_func_param(btf, *names, *ids));
	must(btf__add_func(btf, name, BTF_FUNC_STATIC, proto));
}

/* The integer types that other types use. */
struct ints {
	int s32, u16, u32, s64, u64, u8, chr, text, user_text, any;
};

static struct ints add_ints(struct btf *btf)
{
	struct ints i = {
		.s32 = must(btf__add_int(btf, "int", 4, BTF_INT_SIGNED)),
		.u16 = must(btf__add_int(btf, "unsigned short", 2, 0)),
		.u32 = must(btf__add_int(btf, "unsigned int", 4, 0)),
		.s64 = must(btf__add_int(btf, "long", 8, BTF_INT_SIGNED)),
		.u64 = must(btf__add_int(btf, "unsigned long", 8, 0)),
		.u8 = must(btf__add_int(btf, "unsigned char", 1, 0)),
		.chr = must(btf__add_int(btf, "char", 1, BTF_INT_SIGNED)),
	};

	i.text = must(btf__add_ptr(btf, must(btf__add_const(btf, i.chr))));
	i.user_text = must(btf__add_ptr(btf, must(btf__add_type_tag(btf, "user",
		must(btf__add_const(btf, i.chr))))));
	i.any = must(btf__add_ptr(btf, 0));
	return i;
}

static int add_file(struct btf *btf, const struct ints *i)
{
	int inode, qstr, dentry, path, file, pinode, pdentry, iname, op;

	inode = must(btf__add_struct(btf, "inode", 32));
	add_member(btf, "i_mode", i->u16, 0);
	add_member(btf, "i_uid", i->u32, 4);
	add_member(btf, "i_ino", i->u64, 8);
	add_member(btf, "i_size", i->s64, 16);
	pinode = must(btf__add_ptr(btf, inode));
	qstr = must(btf__add_struct(btf, "qstr", 16));
	add_member(btf, "hash", i->u32, 0);
	add_member(btf, "len", i->u32, 4);
	add_member(btf, "name", i->text, 8);
	iname = must(btf__add_array(btf, i->u32, i->chr, 32));
	dentry = must(btf__add_struct(btf, "dentry", 64));
	add_member(btf, "d_name", qstr, 0);
	add_member(btf, "d_inode", pinode, 16);
	add_member(btf, "d_iname", iname, 24);
	pdentry = must(btf__add_ptr(btf, dentry));
	path = must(btf__add_struct(btf, "path", 16));
	add_member(btf, "mnt", i->any, 0);
	add_member(btf, "dentry", pdentry, 8);
	op = must(btf__add_fwd(btf, "file_operations", BTF_FWD_STRUCT));
	op = must(btf__add_ptr(btf, op));
	file = must(btf__add_struct(btf, "file", 64));
	add_member(btf, "f_path", path, 0);
	add_member(btf, "f_inode", pinode, 16);
	add_member(btf, "f_pos", i->s64, 24);
	add_member(btf, "f_flags", i->u32, 32);
	add_member(btf, "private_data", i->any, 40);
	add_member(btf, "f_op", op, 48);
	return must(btf__add_ptr(btf, file));
}

/* Rare types, as arguments of functions that are named after them. */
static void add_rare(struct btf *btf, const struct ints *i)
{
	int point = must(btf__add_struct(btf, "point", 16));
	int bits, packed, list, row, rows, open, sized, lists, floating, wide;

	add_member(btf, "x", i->u64, 0);
	add_member(btf, "y", i->u64, 8);
	bits = must(btf__add_struct(btf, "odd_bits", 16));
	must(btf__add_field(btf, "across", i->u64, 60, 10));
	packed = must(btf__add_ptr(btf, bits));
	row = must(btf__add_array(btf, i->u32, i->u32, 4));
	rows = must(btf__add_array(btf, i->u32, row, 4));
	open = must(btf__add_array(btf, i->u32, i->u32, 0));
	lists = must(btf__add_array(btf, i->u32, point, 4));
	floating = must(btf__add_float(btf, "double", 8));
	wide = must(btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED));
	list = must(btf__add_struct(btf, "matrix", 256));
	add_member(btf, "rows", rows, 0);
	add_member(btf, "points", lists, 64);
	add_member(btf, "ratio", floating, 192);
	add_member(btf, "rest", open, 200);
	add_member(btf, "wide", wide, 240);
	sized = must(btf__add_ptr(btf, list));
	add_function(btf, "draw", i->s32, NAMES("matrix", "packed", "at"),
		     TYPES(sized, packed, point));
	add_function(btf, "draw_ratio", floating, NAMES("matrix"), TYPES(sized));
	add_function(btf, "draw_many", i->s32,
		     NAMES("a", "b", "c", "d", "e", "f", "last"),
		     TYPES(i->s32, i->s32, i->s32, i->s32, i->s32, i->s32, i->s32));
}

static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	struct ints i = add_ints(btf);
	int file = add_file(btf, &i), pos = must(btf__add_ptr(btf, i.s64));
	int mode, task, comm, in6, sin6, bytes, argv;

	mode = must(btf__add_enum(btf, "hrtimer_mode", 4));
	must(btf__add_enum_value(btf, "HRTIMER_MODE_ABS", 0));
	must(btf__add_enum_value(btf, "HRTIMER_MODE_REL", 1));
	/* A name with two values. */
	must(btf__add_enum(btf, "first", 4));
	must(btf__add_enum_value(btf, "STATE_IDLE", 1));
	must(btf__add_enum(btf, "second", 4));
	must(btf__add_enum_value(btf, "STATE_IDLE", 2));
	comm = must(btf__add_array(btf, i.u32, i.chr, 16));
	task = must(btf__add_struct(btf, "task_struct", 64));
	add_member(btf, "__state", i.u32, 0);
	add_member(btf, "pid", i.s32, 4);
	add_member(btf, "comm", comm, 8);
	add_member(btf, "start_time", i.u64, 24);
	add_member(btf, "tgid", i.s32, 32);
	/* The pointer is the next type. */
	add_member(btf, "real_parent", task + 1, 40);
	task = must(btf__add_ptr(btf, task));
	bytes = must(btf__add_array(btf, i.u32, i.u8, 16));
	in6 = must(btf__add_struct(btf, "in6_addr", 16));
	add_member(btf, "s6_addr", bytes, 0);
	sin6 = must(btf__add_struct(btf, "sockaddr_in6", 28));
	add_member(btf, "sin6_port", i.u16, 2);
	add_member(btf, "sin6_flowinfo", i.u32, 4);
	add_member(btf, "sin6_addr", in6, 8);
	add_function(btf, "tcp_v6_connect", i.s32, NAMES("sk", "uaddr", "addr_len"),
		     TYPES(i.any, must(btf__add_ptr(btf, sin6)), i.s32));

	add_function(btf, "vfs_read", i.s64, NAMES("file", "buf", "count", "pos"),
		     TYPES(file, i.user_text, i.u64, pos));
	add_function(btf, "vfs_write", i.s64, NAMES("file", "buf", "count", "pos"),
		     TYPES(file, i.user_text, i.u64, pos));
	add_function(btf, "vfs_fsync", i.s32, NAMES("file", "datasync"), TYPES(file, i.s32));
	add_function(btf, "do_nanosleep", i.s32, NAMES("t", "mode"), TYPES(i.any, mode));
	add_function(btf, "do_sys_openat2", i.s64, NAMES("dfd", "filename", "how"),
		     TYPES(i.s32, i.user_text, i.any));
	add_function(btf, "__traceiter_sched_switch", i.s32,
		     NAMES("__data", "preempt", "prev", "next"), TYPES(i.any, i.u8, task, task));
	add_function(btf, "__traceiter_sched_wakeup", i.s32, NAMES("__data", "p"),
		     TYPES(i.any, task));
	add_function(btf, "sys_openat", i.s64, NAMES("dfd", "filename", "flags", "mode"),
		     TYPES(i.s32, i.user_text, i.s32, i.u16));
	argv = must(btf__add_ptr(btf, i.user_text));
	add_function(btf, "sys_execve", i.s64, NAMES("filename", "argv", "envp"),
		     TYPES(i.user_text, argv, argv));
	add_function(btf, "sys_read", i.s64, NAMES("fd", "buf", "count"),
		     TYPES(i.u32, i.user_text, i.u64));
	add_rare(btf, &i);
	return btf;
}

/* The debug information of the module mydrv, and the places of the event that is compiled. */
static char dir[] = "/tmp/language_test.XXXXXX";
static struct tap_source source;

/* Runs a command with the directory as $D. */
static void run(const char *command)
{
	if (system(command))
		abort();
}

void language_open(void)
{
	struct tap_error err;
	char path[64];

	types = fake_btf_types(make_btf());
	native_dir(dir);
	setenv("D", dir, 1);
	run("gcc -c -o $D/mydrv.ko selftests/lib/data/mydrv.s");
	tap_types_debug(types)->root = dir;
	snprintf(path, sizeof(path), "%s/mydrv.ko", dir);
	if (tap_types_add_debug(types, path, &err))
		abort();
}

void language_close(void)
{
	tap_dwarf_places_free(&source.places);
	tap_types_free(types);
	run("rm -r $D");
}

/* ------------------------------------------------------------------ scopes */

#define TEXT(bytes)	{ .cls = TAP_TYPE_ARRAY, .size = (bytes), .nr = (bytes), \
			  .id = TAP_TYPE_CHAR }
#define INT(bytes)	{ .cls = TAP_TYPE_INT, .size = (bytes), .is_signed = true }

/* Fields as tracefs gives them; no tracepoint of Linux has "entries". */
static const struct tap_name fields[] = {
	{ .name = "prev_comm", .kind = TAP_NAME_FIELD, .at = 8, .type = TEXT(16) },
	{ .name = "prev_pid", .kind = TAP_NAME_FIELD, .at = 24, .type = INT(4) },
	{ .name = "prev_state", .kind = TAP_NAME_FIELD, .at = 32, .type = INT(8) },
	{ .name = "next_comm", .kind = TAP_NAME_FIELD, .at = 40, .type = TEXT(16) },
	{ .name = "next_pid", .kind = TAP_NAME_FIELD, .at = 56, .type = INT(4) },
	{ .name = "entries", .kind = TAP_NAME_FIELD, .at = 64,
	  .type = { .cls = TAP_TYPE_ARRAY, .size = 8, .nr = 4, .id = TAP_TYPE_INT } },
	{ .name = "name", .kind = TAP_NAME_DATA_LOC, .at = 72,
	  .type = { .cls = TAP_TYPE_ARRAY, .size = 1, .id = TAP_TYPE_CHAR } },
};

/* As name_text() of resolve_scope.c leaves it. */
static const struct tap_name printk_fields[] = {
	{ .name = "text", .kind = TAP_NAME_DATA_LOC, .at = 8,
	  .type = { .cls = TAP_TYPE_ARRAY, .size = 1, .id = TAP_TYPE_CHAR } },
};

/* Those of the sides of spans. */
static const struct tap_name wakeup_fields[] = {
	{ .name = "comm", .kind = TAP_NAME_FIELD, .at = 8, .type = TEXT(16) },
	{ .name = "pid", .kind = TAP_NAME_FIELD, .at = 24, .type = INT(4) },
	{ .name = "prio", .kind = TAP_NAME_FIELD, .at = 28, .type = INT(4) },
}, block_fields[] = {
	{ .name = "dev", .kind = TAP_NAME_FIELD, .at = 8, .type = INT(4) },
	{ .name = "sector", .kind = TAP_NAME_FIELD, .at = 16, .type = INT(8) },
	{ .name = "error", .kind = TAP_NAME_FIELD, .at = 28, .type = INT(4) },
};

static int copy_names(struct tap_scope *scope, const struct tap_name *names, size_t nr)
{
	scope->types = types;
	scope->names = malloc(nr * sizeof(*names));
	if (!scope->names)
		return -ENOMEM;
	memcpy(scope->names, names, nr * sizeof(*names));
	scope->nr = nr;
	return 0;
}

/* Those of the events of a driver. */
static const struct tap_name emitted[] = {
	{ .name = "dev", .kind = TAP_NAME_ARG, .at = 0, .type = { .cls = TAP_TYPE_POINTER, .size = 8 } },
	{ .name = "len", .kind = TAP_NAME_ARG, .at = 1, .type = INT(4) },
	{ .name = "name", .kind = TAP_NAME_ARG, .at = 2,
	  .type = { .cls = TAP_TYPE_POINTER, .size = 8, .id = TAP_TYPE_CHAR } },
};

static int scope_emitted(struct tap_scope *scope, const struct tap_spec *spec)
{
	struct tap_value_names *places = tap_spec_glob(spec) ? tap_places_new(spec, 1) : NULL;
	int ret = copy_names(scope, emitted, ARRAY_SIZE(emitted));

	if (!ret && places && tap_scope_place(scope, "func", places, 0))
		abort();
	tap_value_names_put(places);
	return ret;
}

static int scope_tracepoint(struct tap_scope *scope, const char *target)
{
	if (!strcmp(target, "sched:sched_wakeup"))
		return copy_names(scope, wakeup_fields, ARRAY_SIZE(wakeup_fields));
	if (!strncmp(target, "block:", 6))
		return copy_names(scope, block_fields, ARRAY_SIZE(block_fields));
	if (!strcmp(target, "printk:console"))
		return copy_names(scope, printk_fields, ARRAY_SIZE(printk_fields));
	return copy_names(scope, fields, ARRAY_SIZE(fields));
}

/* Arguments of usdt:python3:gc__start: only two can be read. */
static int scope_usdt(struct tap_scope *scope, const struct tap_spec *spec)
{
	static const struct tap_usdt gc = {
		.nr_args = 4,
		.args = {
			{ .kind = TAP_USDT_CONST, .size = 4, .is_signed = true, .value = 2 },
			{ .kind = TAP_USDT_CONST, .size = 8, .value = 4096 },
			{ .kind = TAP_USDT_UNKNOWN, .size = 8 },
			{ .kind = TAP_USDT_SYMBOL, .size = 8, .symbol = "gc_count",
			  .symbol_len = 8 },
		},
	}, none;
	static const struct tap_name names[] = {
		{ .name = "arg1", .kind = TAP_NAME_USDT, .at = 0, .type = INT(4) },
		{ .name = "arg2", .kind = TAP_NAME_USDT, .at = 1, .type = INT(8) },
		{ .name = "arg3", .kind = TAP_NAME_USDT, .at = 2, .type = INT(8) },
		{ .name = "arg4", .kind = TAP_NAME_USDT, .at = 3, .type = INT(8) },
	};

	if (strstr(spec->event, "gc__start")) {
		scope->usdt = &gc;
		return copy_names(scope, names, ARRAY_SIZE(names));
	}
	scope->usdt = &none;
	return 0;
}

static int scope_syscall(struct tap_scope *scope, const struct tap_spec *spec,
			 struct tap_error *err)
{
	char name[TAP_MAX_TARGET + sizeof("sys_")];

	if (tap_spec_glob(spec))
		return 0;
	snprintf(name, sizeof(name), "sys_%s", spec->target);
	return tap_scope_open(scope, types, TAP_PROBE_CALL, name, err);
}

/* The names at the first place of a line, with its place. */
static int scope_source(struct tap_scope *scope, const struct tap_spec *spec,
			struct tap_error *err)
{
	struct tap_value_names *places;
	struct tap_spec *list = NULL;
	size_t nr = 0, i;
	int ret;

	tap_dwarf_places_free(&source.places);
	ret = tap_spec_expand_source(types, spec, &source, &list, &nr, err);
	if (!ret)
		ret = tap_scope_source(scope, types, source.dwarf, &source.places, 0, err);
	places = ret ? NULL : tap_places_new(list, nr);
	if (!ret && (!places || tap_scope_place(scope, "place", places, 0)))
		abort();
	tap_value_names_put(places);
	for (i = 0; i < nr; i++)
		tap_spec_clear(&list[i]);
	free(list);
	return ret;
}

/* libc as it is installed, without its debug symbols. */
static int scope_program(struct tap_scope *scope, const struct tap_spec *spec,
			 struct tap_error *err)
{
	int ret = tap_scope_user(scope, NULL, spec, err);

	snprintf(scope->why, sizeof(scope->why),
		 "/usr/lib/x86_64-linux-gnu/libc.so.6 has no debug information (DWARF): build it with -g and do not strip it, or install its debug symbols");
	return ret;
}

/* Opens the names for a parsed event. */
static int open_scope(struct tap_scope *scope, const struct tap_spec *spec,
			  struct tap_error *err)
{
	struct tap_value_names *places;
	int ret;

	*scope = (struct tap_scope) { .types = types };
	if (spec->source)
		return scope_source(scope, spec, err);
	if (spec->emit)
		return scope_emitted(scope, spec);
	switch (spec->type) {
	case TAP_PROBE_TRACEPOINT:
		return scope_tracepoint(scope, spec->target);
	case TAP_PROBE_SYSCALL:
		return scope_syscall(scope, spec, err);
	case TAP_PROBE_USDT:
		return scope_usdt(scope, spec);
	case TAP_PROBE_EVENT:
		return tap_scope_event(scope, spec, err);
	case TAP_PROBE_MARK:
		return tap_scope_mark(scope, spec, err);
	case TAP_PROBE_WATCHPOINT:
	case TAP_PROBE_USER_WATCH:
		return tap_scope_watchpoint(scope, spec, err);
	default:
		break;
	}
	if (tap_probe_is_user(spec->type))
		return scope_program(scope, spec, err);
	if (!tap_spec_glob(spec))
		return tap_scope_open(scope, types, spec->type, spec->target, err);
	if (spec->type == TAP_PROBE_FUNC)
		return tap_scope_functions(scope, err);
	/* A glob is a probe for each function: this is the first. */
	ret = tap_scope_open(scope, types, spec->type, "vfs_read", err);
	places = ret ? NULL : tap_places_new(spec, 1);
	if (!ret && (!places || tap_scope_place(scope, "func", places, 0)))
		abort();
	tap_value_names_put(places);
	return ret;
}

/* ---------------------------------------------------------------- programs */

/* Makes one probe of an event, whatever probes a kernel would have for it. */
static int make_probe(const struct tap_spec *spec, struct tap_spec **list, size_t *nr,
		      struct tap_error *err)
{
	struct tap_spec *probe = calloc(1, sizeof(*probe));
	struct tap_scope scope = { 0 };
	int ret;

	if (!probe || tap_spec_copy(spec, spec->event, spec->target, probe))
		abort();
	ret = open_scope(&scope, spec, err);
	if (!ret)
		ret = tap_program_make(probe, spec->ast, &scope, NULL, err);
	tap_scope_close(&scope);
	if (ret) {
		free_events(probe, 1);
		return ret;
	}
	*list = probe;
	*nr = 1;
	return 0;
}

int __wrap_tap_spec_expand_in(struct tap_symbols *syms, struct tap_types *of,
			      const struct tap_spec *spec, struct tap_spec **list, size_t *nr,
			      struct tap_error *err);

/* Replaces the look-up of a span's sides in the running kernel. */
int __wrap_tap_spec_expand_in(struct tap_symbols *syms, struct tap_types *of,
			      const struct tap_spec *spec, struct tap_spec **list, size_t *nr,
			      struct tap_error *err)
{
	(void)syms;
	(void)of;
	return make_probe(spec, list, nr, err);
}

int language_expand(const struct tap_spec *spec, struct tap_spec **list, size_t *nr,
		    struct tap_error *err)
{
	*list = NULL;
	*nr = 0;
	if (spec->type == TAP_PROBE_SPAN)
		return tap_spec_expand_span(NULL, types, spec, list, nr, err);
	return make_probe(spec, list, nr, err);
}

/* ----------------------------------------------------------------- symbols */

int __wrap_tap_kallsyms_each(int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg);
int __wrap_tap_kallsyms_named(const char *const *names, int (*fn)(const struct tap_kallsym *sym, void *arg),
			      void *arg);

/* The tables are not those of the tests. */
int __wrap_tap_kallsyms_named(__attribute__((unused)) const char *const *names,
			      __attribute__((unused)) int (*fn)(const struct tap_kallsym *sym, void *arg),
			      __attribute__((unused)) void *arg)
{
	return -ENODATA;
}

/* Replaces /proc/kallsyms, which may be unreadable. */
int __wrap_tap_kallsyms_each(int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg)
{
	static char jiffies[] = "jiffies", timeout[] = "panic_timeout", read[] = "vfs_read";
	static char twice[] = "draw_twice", cpu[] = "cpu_number", offsets[] = "__per_cpu_offset";
	static const struct tap_kallsym symbols[] = {
		{ 0xffffffff82a00000, 'D', jiffies, sizeof(jiffies) - 1, "" },
		{ 0xffffffff82a00100, 'D', timeout, sizeof(timeout) - 1, "" },
		{ 0xffffffff82a00200, 'D', offsets, sizeof(offsets) - 1, "" },
		{ 0x1c, 'A', cpu, sizeof(cpu) - 1, "" },
		{ 0xffffffff81000100, 'T', read, sizeof(read) - 1, "" },
		{ 0xffffffff81000200, 't', twice, sizeof(twice) - 1, "" },
		{ 0xffffffffc0000200, 't', twice, sizeof(twice) - 1, "ext4" },
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(symbols) && !ret; i++)
		ret = fn(&symbols[i], arg);
	return ret;
}
