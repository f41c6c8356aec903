// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of types, prototypes and scopes: from BTF that is made here, valid and invalid,
 * complete, truncated, and with changed bytes.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "util/value_names.h"
#include "compile/compile.h"
#include "selftests/lib/check.h"
#include "types/scope.h"
#include "selftests/lib/types_use.h"

/* ---------------------------------------------------------------- BTF files */

static char dir[] = "/tmp/types_test.XXXXXX";

static const char *path(const char *name)
{
	static char buf[128];

	snprintf(buf, sizeof(buf), "%s/%s", dir, name);
	return buf;
}

static void write_file(const char *name, const void *data, size_t len)
{
	FILE *to = fopen(path(name), "w");

	if (!to || fwrite(data, 1, len, to) != len || fclose(to)) {
		perror(path(name));
		exit(1);
	}
}

static void write_btf(const char *name, const struct btf *btf)
{
	const void *data;
	__u32 len;

	data = btf__raw_data(btf, &len);
	write_file(name, data, len);
}

/* An id that must be valid: making the fixture cannot fail. */
#define id(ret)		checked_id(ret, __LINE__)
static int checked_id(int ret, int line)
{
	if (ret > 0)
		return ret;
	fprintf(stderr, "the fixture, line %d: %d\n", line, ret);
	exit(1);
}

#define done(ret)	checked(ret, __LINE__)
static void checked(int ret, int line)
{
	if (ret) {
		fprintf(stderr, "the fixture, line %d: %d\n", line, ret);
		exit(1);
	}
}

/* Ids of invalid types, which tests use by number. */
static struct {
	int nowhere, loop, self_array, wide_array, nested, tangled;
	int nowhere_pointer, function_array, tangled_function;
} ids;

/* Number of lookups of types by libtap. */
static unsigned int nr_looks;

const struct btf_type *__real_tap_btf_type(const struct tap_btf *btf, __u32 id);
const struct btf_type *__wrap_tap_btf_type(const struct tap_btf *btf, __u32 id);

const struct btf_type *__wrap_tap_btf_type(const struct tap_btf *btf, __u32 id)
{
	nr_looks++;
	return __real_tap_btf_type(btf, id);
}

static void add_function(struct btf *btf, const char *name, int ret,
			 const char *params, ...)
{
	char names[128], *param, *rest;
	va_list ap;
	int proto;

	proto = id(btf__add_func_proto(btf, ret));
	va_start(ap, params);
	snprintf(names, sizeof(names), "%s", params);
	for (param = strtok_r(names, " ", &rest); param;
	     param = strtok_r(NULL, " ", &rest))
		done(btf__add_func_param(btf, *param == '-' ? "" : param,
					 va_arg(ap, int)));
	va_end(ap);
	id(btf__add_func(btf, name, BTF_FUNC_STATIC, proto));
}

static struct btf *make_vmlinux(void)
{
	int i32, u32, s64, u64, chr, bol, fl, i128, u8, color, big, point, anon;
	int wrapped, file, ssize, vp, cp, ccp, op, handler, fwd, pair, triple;
	int vsize, comm, row, grid, where, data, part, i;
	struct btf *btf = btf__new_empty();
	struct btf_type *t;

	i32 = id(btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	u32 = id(btf__add_int(btf, "unsigned int", 4, 0));
	s64 = id(btf__add_int(btf, "long int", 8, BTF_INT_SIGNED));
	u64 = id(btf__add_int(btf, "long unsigned int", 8, 0));
	u8 = id(btf__add_int(btf, "unsigned char", 1, 0));
	chr = id(btf__add_int(btf, "char", 1, BTF_INT_SIGNED));
	bol = id(btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL));
	i128 = id(btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED));
	fl = id(btf__add_float(btf, "double", 8));
	ssize = id(btf__add_typedef(btf, "ssize_t",
		id(btf__add_typedef(btf, "__kernel_ssize_t", s64))));
	vp = id(btf__add_ptr(btf, 0));
	cp = id(btf__add_ptr(btf, id(btf__add_const(btf, chr))));
	ccp = id(btf__add_const(btf, cp));

	color = id(btf__add_enum(btf, "color", 4));
	done(btf__add_enum_value(btf, "RED", 1));
	done(btf__add_enum_value(btf, "GREEN", 2));
	done(btf__add_enum_value(btf, "SHARED", 7));
	id(btf__add_enum(btf, NULL, 4));
	done(btf__add_enum_value(btf, "BELOW", -3));
	done(btf__add_enum_value(btf, "SHARED", 8));
	done(btf__add_enum_value(btf, "RED", 1));
	big = id(btf__add_enum64(btf, "big", 8, false));
	done(btf__add_enum64_value(btf, "HUGE", 1ULL << 63));

	point = id(btf__add_struct(btf, "point", 8));
	done(btf__add_field(btf, "x", i32, 0, 0));
	done(btf__add_field(btf, "y", i32, 32, 0));
	pair = id(btf__add_struct(btf, "pair", 16));
	done(btf__add_field(btf, "one", u64, 0, 0));
	done(btf__add_field(btf, "two", u64, 64, 0));
	triple = id(btf__add_struct(btf, "triple", 24));
	fwd = id(btf__add_fwd(btf, "point", BTF_FWD_STRUCT));
	id(btf__add_fwd(btf, "hidden", BTF_FWD_STRUCT));

	/* An anonymous union, with an anonymous struct in it. */
	anon = id(btf__add_struct(btf, NULL, 8));
	done(btf__add_field(btf, "low", u32, 0, 0));
	done(btf__add_field(btf, "high", u32, 32, 0));
	wrapped = id(btf__add_union(btf, NULL, 8));
	done(btf__add_field(btf, "all", u64, 0, 0));
	done(btf__add_field(btf, NULL, anon, 0, 0));

	/* libbpf can add fields to the last type only. */
	vsize = id(btf__add_volatile(btf, ssize));
	comm = id(btf__add_array(btf, u32, chr, 16));
	row = id(btf__add_array(btf, u32, u32, 3));
	grid = id(btf__add_array(btf, u32, row, 2));
	where = id(btf__add_ptr(btf, fwd));
	data = id(btf__add_array(btf, u32, u8, 0));
	op = id(btf__add_ptr(btf, data + 2));
	file = id(btf__add_struct(btf, "file", 128));
	done(btf__add_field(btf, "count", vsize, 0, 0));
	done(btf__add_field(btf, NULL, wrapped, 64, 0));
	done(btf__add_field(btf, NULL, u32, 128, 4));
	done(btf__add_field(btf, "mode", u32, 132, 3));
	done(btf__add_field(btf, "hue", color, 135, 5));
	done(btf__add_field(btf, "open", bol, 160, 0));
	done(btf__add_field(btf, "name", ccp, 192, 0));
	done(btf__add_field(btf, "comm", comm, 256, 0));
	done(btf__add_field(btf, "grid", grid, 384, 0));
	done(btf__add_field(btf, "next", op, 576, 0));
	done(btf__add_field(btf, "where", where, 640, 0));
	done(btf__add_field(btf, "at", point, 704, 0));
	done(btf__add_field(btf, "big", big, 768, 0));
	done(btf__add_field(btf, "data", data, 1024, 0));
	done(btf__add_field(btf, "beyond", u64, 1000, 0));
	done(btf__add_field(btf, "odd", u32, 832, 0));
	t = (struct btf_type *)btf__type_by_id(btf, file);
	btf_members(t)[btf_vlen(t) - 1].offset++;
	done(btf__add_field(btf, "wide", i128, 832, 0));

	/* Bitfields in the old encoding, in the integer type. */
	part = id(btf__add_int(btf, "part", 4, 0));
	t = (struct btf_type *)btf__type_by_id(btf, part);
	*(__u32 *)(t + 1) = 3 << 16 | 5;
	id(btf__add_struct(btf, "old", 8));
	done(btf__add_field(btf, "whole", u32, 0, 0));
	done(btf__add_field(btf, "part", part, 32, 0));

	handler = id(btf__add_func_proto(btf, i32));
	done(btf__add_func_param(btf, "", vp));
	handler = id(btf__add_ptr(btf, handler));

	add_function(btf, "vfs_read", ssize, "file buf count pos", op,
		     id(btf__add_ptr(btf, id(btf__add_type_tag(btf, "user",
							      chr)))),
		     u64, id(btf__add_ptr(btf, s64)));
	add_function(btf, "nothing", 0, "");
	add_function(btf, "print", i32, "fmt -", cp, 0);
	add_function(btf, "seven", vp, "a b c d e f g", i32, i32, i32, i32, i32,
		     i32, i32);
	add_function(btf, "by_value", file, "a p q r t e d", i32, point, pair,
		     op, triple, color, fl);
	add_function(btf, "crowded", 0, "a b c d e two f", i32, i32, i32, i32,
		     i32, pair, i32);
	add_function(btf, "sort", 0, "base cmp list", vp, handler,
		     id(btf__add_array(btf, u32, op, 4)));
	add_function(btf, "__traceiter_sched_switch", i32,
		     "__data preempt prev", vp, bol, op);
	id(btf__add_typedef(btf, "point_t", point));

	/* Invalid types. */
	ids.nowhere = id(btf__add_typedef(btf, "nowhere", 100000));
	ids.nowhere_pointer = id(btf__add_ptr(btf, 100000));
	ids.loop = id(btf__add_typedef(btf, "loop", ids.nowhere_pointer + 2));
	id(btf__add_typedef(btf, "pool", ids.loop));
	ids.self_array = id(btf__add_array(btf, u32, ids.loop + 2, 1));
	ids.wide_array = id(btf__add_array(btf, u32, file, 0x10000000));
	ids.function_array = id(btf__add_array(btf, u32, id(btf__find_by_name(
		btf, "vfs_read")), 1));
	ids.nested = id(btf__add_struct(btf, "nested", 8));
	done(btf__add_field(btf, NULL, ids.nested, 0, 0));
	ids.tangled = id(btf__add_union(btf, "tangled", 8));
	for (t = NULL; btf_vlen(btf__type_by_id(btf, ids.tangled)) < 8;)
		done(btf__add_field(btf, NULL, ids.tangled, 0, 0));
	add_function(btf, "lost", ids.nowhere, "a", i32);
	add_function(btf, "round", 0, "a", ids.loop);
	id(btf__add_func(btf, "flat", BTF_FUNC_STATIC, i32));
	ids.tangled_function = id(btf__add_func_proto(btf, 0)) + 1;
	id(btf__add_func_proto(btf, ids.tangled_function));
	for (i = 0; i < 2; i++)
		done(btf__add_func_param(btf, "f", ids.tangled_function));
	return btf;
}

static struct btf *make_module(struct btf *base)
{
	struct btf *btf = btf__new_empty_split(base);
	int own, file;

	file = id(btf__add_ptr(btf, id(btf__find_by_name(base, "file"))));
	own = id(btf__add_struct(btf, "own", 8));
	done(btf__add_field(btf, "file", file, 0, 0));
	add_function(btf, "own_open", 0, "o", id(btf__add_ptr(btf, own)));
	add_function(btf, "vfs_read", 0, "of_module", id(btf__add_ptr(btf,
								      own)));
	id(btf__add_enum(btf, "own_state", 4));
	done(btf__add_enum_value(btf, "OWN_BUSY", 5));
	done(btf__add_enum_value(btf, "GREEN", 99));
	return btf;
}

/* -------------------------------------------------------------------- types */

static struct tap_type type_of(struct tap_types *types, const char *name)
{
	struct tap_type type = { 0 };

	check(!tap_types_struct(types, name, strlen(name), &type) &&
	      type.cls == TAP_TYPE_STRUCT, "struct %s", name);
	return type;
}

static const struct {
	const char *name;
	enum tap_type_class cls;
	__u32 bit;
	__u32 bits;
	__u32 size;
	bool is_signed;
	const char *text;
} members[] = {
	{ "count", TAP_TYPE_INT, 0, 0, 8, true, "volatile ssize_t v" },
	{ "all", TAP_TYPE_INT, 64, 0, 8, false, "unsigned long v" },
	{ "low", TAP_TYPE_INT, 64, 0, 4, false, "unsigned int v" },
	{ "high", TAP_TYPE_INT, 96, 0, 4, false, "unsigned int v" },
	{ "mode", TAP_TYPE_INT, 132, 3, 4, false, "unsigned int v" },
	{ "hue", TAP_TYPE_ENUM, 135, 5, 4, false, "enum color v" },
	{ "open", TAP_TYPE_BOOL, 160, 0, 1, false, "_Bool v" },
	{ "name", TAP_TYPE_POINTER, 192, 0, 8, false, "const char *const v" },
	{ "comm", TAP_TYPE_ARRAY, 256, 0, 16, false, "char v[16]" },
	{ "grid", TAP_TYPE_ARRAY, 384, 0, 24, false, "unsigned int v[2][3]" },
	{ "next", TAP_TYPE_POINTER, 576, 0, 8, false, "struct file *v" },
	{ "at", TAP_TYPE_STRUCT, 704, 0, 8, false, "struct point v" },
	{ "big", TAP_TYPE_ENUM, 768, 0, 8, false, "enum big v" },
	{ "data", TAP_TYPE_ARRAY, 1024, 0, 0, false, "unsigned char v[0]" },
	{ "wide", TAP_TYPE_OTHER, 832, 0, 16, true, "__int128 v" },
};

static void test_members(struct tap_types *types)
{
	struct tap_type file = type_of(types, "file"), old, type, none = { 0 };
	struct tap_member m;
	struct tap_suggest s;
	char text[128];
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		check(!tap_type_member(&file, members[i].name,
				       strlen(members[i].name), &m) &&
		      m.type.cls == members[i].cls &&
		      m.bit == members[i].bit && m.bits == members[i].bits &&
		      m.type.size == members[i].size &&
		      m.type.is_signed == members[i].is_signed,
		      "member %s", members[i].name);
		tap_type_declare(&m.type, "v", text, sizeof(text));
		check(!strcmp(text, members[i].text), "%s", text);
	}
	check(tap_type_member(&file, "modes", 5, &m) == -ENOENT &&
	      !tap_type_member(&file, "modes", 4, &m) &&
	      tap_type_member(&file, "mod", 3, &m) == -ENOENT &&
	      tap_type_member(&file, "", 0, &m) == -ENOENT, "whole names");
	check(tap_type_member(&file, "beyond", 6, &m) == -EBADMSG,
	      "a member that ends outside its struct");
	check(tap_type_member(&file, "odd", 3, &m) == -EBADMSG,
	      "a member that starts within a byte and is not a bitfield");
	old = type_of(types, "old");
	check(!tap_type_member(&old, "part", 4, &m) && m.bit == 35 &&
	      m.bits == 5, "a bitfield in the old encoding");

	tap_suggest_begin(&s, "hihg", 4);
	tap_type_suggest(&file, &s);
	check(s.nr == 1 && !strcmp(s.best[0].name, "high"),
	      "similar names, also in anonymous structs");

	/* Types that pointers and arrays lead to. */
	tap_type_member(&file, "next", 4, &m);
	check(!tap_type_target(&m.type, &type) && type.cls == TAP_TYPE_STRUCT &&
	      !tap_type_member(&type, "name", 4, &m) &&
	      !tap_type_target(&m.type, &type) && type.cls == TAP_TYPE_CHAR,
	      "next->name points to characters");
	tap_type_member(&file, "where", 5, &m);
	check(!tap_type_target(&m.type, &type) &&
	      !tap_type_member(&type, "y", 1, &m) && m.bit == 32,
	      "a forward declaration resolves to the struct");
	tap_type_member(&file, "grid", 4, &m);
	check(m.type.nr == 2 && !tap_type_target(&m.type, &type) &&
	      type.cls == TAP_TYPE_ARRAY && type.nr == 3 && type.size == 12,
	      "an array of arrays");
	check(tap_type_target(&file, &type) == -EINVAL, "a struct has no target type");
	check(tap_type_member(&none, "x", 1, &m) == -ENOENT,
	      "the type none has no members");

	/* Made without BTF, as for fields of tracepoints. */
	none = (struct tap_type) { .cls = TAP_TYPE_ARRAY, .size = 16, .nr = 16,
				   .id = TAP_TYPE_CHAR };
	tap_type_declare(&none, "comm", text, sizeof(text));
	check(!tap_type_target(&none, &type) && type.cls == TAP_TYPE_CHAR &&
	      type.size == 1 && !strcmp(text, "char comm[16]"), "%s", text);
	none = (struct tap_type) { .cls = TAP_TYPE_INT, .size = 2,
				   .is_signed = true };
	tap_type_declare(&none, "x", text, sizeof(text));
	check(!strcmp(text, "s16 x"), "%s", text);
	tap_type_name(&file, text, 8);
	check(!strcmp(text, "struct "), "a name is truncated to the buffer");
}

static void test_enums(struct tap_types *types)
{
	struct tap_type file = type_of(types, "file");
	struct tap_value_names *labels;
	struct tap_member m;
	__s64 v = 0;

	check(!tap_types_enumerator(types, "GREEN", 5, &v) && v == 2,
	      "an enumerator of vmlinux comes before a module's");
	check(!tap_types_enumerator(types, "BELOW", 5, &v) && v == -3,
	      "a negative one");
	check(!tap_types_enumerator(types, "RED", 3, &v) && v == 1,
	      "an enumerator of two enums with the same value");
	check(tap_types_enumerator(types, "SHARED", 6, &v) == -ENOTUNIQ,
	      "an enumerator of two enums with different values");
	check(!tap_types_enumerator(types, "HUGE", 4, &v) &&
	      (__u64)v == 1ULL << 63, "an enumerator of 64 bits");
	check(!tap_types_enumerator(types, "OWN_BUSY", 8, &v) && v == 5,
	      "an enumerator of a module");
	check(tap_types_enumerator(types, "GREE", 4, &v) == -ENOENT &&
	      tap_types_enumerator(types, "", 0, &v) == -ENOENT, "none");
	tap_type_member(&file, "hue", 3, &m);
	check(!tap_type_enumerator(&m.type, "SHARED", 6, &v) && v == 7 &&
	      tap_type_enumerator(&m.type, "BELOW", 5, &v) == -ENOENT,
	      "value names of an enum");
	labels = tap_type_value_names(&m.type);
	check(labels && labels->refs == 1 && labels->nr == 3 &&
	      labels->list[1].value == 2 &&
	      !strcmp(labels->list[1].name, "GREEN"), "labels");
	tap_value_names_put(labels);
	check(!tap_type_value_names(&file), "a struct has no value names");
}

/* ----------------------------------------------------------------- functions */

static char *print_scope(const struct tap_scope *scope)
{
	/* Damaged types have the longest names. */
	static char text[(TAP_MAX_PARAMS + 2) * 160];
	char one[128];
	size_t i, at;

	tap_type_name(&scope->ret, one, sizeof(one));
	at = snprintf(text, sizeof(text), "%s(", one);
	for (i = 0; i < scope->nr; i++) {
		tap_type_declare(&scope->names[i].type, scope->names[i].name,
				 one, sizeof(one));
		at += snprintf(text + at, sizeof(text) - at, "%s%s@%d",
			       i ? ", " : "", one, scope->names[i].at);
	}
	snprintf(text + at, sizeof(text) - at, ")%s%s%s%s",
		 *scope->base ? " of " : "", scope->base,
		 *scope->why ? " " : "", scope->why);
	return text;
}

#define NO_DWARF "and no debug information was found; build it with CONFIG_DEBUG_INFO, have DKMS keep it (STRIP[0]=\"no\" in dkms.conf), or name the built file with --debug"

static const struct {
	enum tap_probe_type type;
	const char *target;
	const char *text;
} scopes[] = {
	{ TAP_PROBE_CALL, "vfs_read",
	  "ssize_t(struct file *file@0, __user char *buf@1, unsigned long count@2, long *pos@3)" },
	{ TAP_PROBE_KPROBE, "vfs_read",
	  "void(struct file *file@0, __user char *buf@1, unsigned long count@2, long *pos@3)" },
	{ TAP_PROBE_KRETPROBE, "vmlinux:vfs_read", "ssize_t()" },
	{ TAP_PROBE_KPROBE, "vfs_read+0x4",
	  "void() an instruction inside a function has no arguments" },
	{ TAP_PROBE_CALL, "vfs_read.isra.0",
	  "ssize_t(struct file *file@0, __user char *buf@1, unsigned long count@2, long *pos@3) of vfs_read" },
	{ TAP_PROBE_KPROBE, "vfs_read.cold",
	  "void() the .cold part of a function has no arguments" },
	{ TAP_PROBE_CALL, "own:vfs_read", "void(struct own *of_module@0)" },
	{ TAP_PROBE_CALL, "own_open", "void(struct own *o@0)" },
	{ TAP_PROBE_CALL, "vmlinux:own_open",
	  "void() the kernel's BTF does not describe own_open" },
	{ TAP_PROBE_CALL, "other:own_open",
	  "void() the module other has no BTF, " NO_DWARF },
	{ TAP_PROBE_CALL, "broken:own_open",
	  "void() the module broken has no BTF, " NO_DWARF },
	{ TAP_PROBE_CALL, "nothing", "void()" },
	{ TAP_PROBE_CALL, "print", "int(const char *fmt@0)" },
	{ TAP_PROBE_CALL, "seven",
	  "void *(int a@0, int b@1, int c@2, int d@3, int e@4, int f@5, int g@-1)" },
#if defined(__aarch64__)
	{ TAP_PROBE_KPROBE, "by_value",
	  "void(int a@0, struct point p@-1, struct pair q@-1, struct file *r@4, struct triple t@-1, enum color e@-1, double d@-1)" },
	{ TAP_PROBE_KPROBE, "crowded",
	  "void(int a@0, int b@1, int c@2, int d@3, int e@4, struct pair two@-1, int f@-1)" },
#else
	{ TAP_PROBE_KPROBE, "by_value",
	  "void(int a@0, struct point p@-1, struct pair q@-1, struct file *r@4, struct triple t@-1, enum color e@5, double d@-1)" },
	{ TAP_PROBE_KPROBE, "crowded",
	  "void(int a@0, int b@1, int c@2, int d@3, int e@4, struct pair two@-1, int f@5)" },
#endif
	{ TAP_PROBE_CALL, "sort",
	  "void(void *base@0, int (*cmp)(void *)@1, struct file *list[4]@2)" },
	{ TAP_PROBE_RAWTP, "sched_switch",
	  "void(_Bool preempt@0, struct file *prev@1)" },
	{ TAP_PROBE_RAWTP, "own:sched_switch",
	  "void() the kernel's BTF does not describe sched_switch" },
	{ TAP_PROBE_RAWTP, "vfs_read",
	  "void() the kernel's BTF does not describe vfs_read" },
	{ TAP_PROBE_CALL, "lost",
	  "void() the kernel's BTF for it is malformed" },
	{ TAP_PROBE_CALL, "round",
	  "void() the kernel's BTF for it is malformed" },
	{ TAP_PROBE_CALL, "flat",
	  "void() the kernel's BTF for it is malformed" },
	{ TAP_PROBE_CALL, "point",
	  "void() the kernel's BTF does not describe point" },
};

static void test_scopes(struct tap_types *types)
{
	struct tap_scope scope;
	struct tap_error err;
	const char *text;
	size_t i;

	/* Not what this machine has. */
	tap_types_debug(types)->root = "/nonexistent";
	for (i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		check(!tap_scope_open(&scope, types, scopes[i].type,
				      scopes[i].target, &err),
		      "scope of %s", scopes[i].target);
		text = print_scope(&scope);
		check(!strcmp(text, scopes[i].text), "%s", text);
		tap_scope_close(&scope);
	}
	check(!tap_scope_open(&scope, NULL, TAP_PROBE_CALL, "vfs_read", &err) &&
	      !strcmp(scope.why, "the kernel has no BTF") && !scope.nr,
	      "without BTF");
	tap_scope_close(&scope);
	tap_scope_open(&scope, types, TAP_PROBE_KPROBE, "vfs_read", &err);
	check(scope.names[1].type.user && !scope.names[0].type.user,
	      "__user is known if BTF has it");
	tap_scope_close(&scope);
}

/* -------------------------------------------------------------- invalid types */

static void test_nonsense(struct tap_types *types)
{
	struct tap_type file = type_of(types, "file"), type, target;
	const int bad[] = { ids.nowhere, ids.loop, ids.loop + 1,
			    ids.self_array, ids.wide_array, ids.function_array,
			    100000, -1 };
	struct tap_member m;
	char text[128];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		check(tap_type_make(file.btf, bad[i], &type) == -EBADMSG,
		      "type %d is invalid", bad[i]);
		type = (struct tap_type) { .cls = TAP_TYPE_ARRAY,
					   .btf = file.btf, .id = bad[i] };
		tap_type_name(&type, text, sizeof(text));
		check(*text, "the invalid type has a name: %.40s", text);
	}
	check(!tap_type_make(file.btf, ids.nowhere_pointer, &type) &&
	      tap_type_target(&type, &target) == -EBADMSG,
	      "a pointer to a missing type");
	tap_type_make(file.btf, ids.nested, &type);
	check(tap_type_member(&type, "x", 1, &m) == -EBADMSG,
	      "a struct that contains itself");
	tap_type_make(file.btf, ids.tangled, &type);
	check(tap_type_member(&type, "x", 1, &m) == -EBADMSG,
	      "a struct that would take 8^16 steps");
	type = (struct tap_type) { .btf = file.btf, .id = ids.tangled_function };
	nr_looks = 0;
	tap_type_name(&type, text, sizeof(text));
	check(nr_looks && nr_looks < 10000 && !strncmp(text, "? (? (? (...)(...)", 18),
	      "a recursive prototype that would take a million steps: %u, %.20s",
	      nr_looks, text);
}

/* Any content is read without a crash. */
static void use(struct tap_types *types)
{
	struct tap_scope scope;
	size_t n;

	for (n = 0; n < sizeof(scopes) / sizeof(scopes[0]); n++)
		if (!tap_scope_open(&scope, types, scopes[n].type,
				    scopes[n].target, NULL)) {
			print_scope(&scope);
			tap_scope_close(&scope);
		}
	use_types(types);
}

/* An index answers as the searches before it do, and vmlinux is not read again. */
static void test_read_once(struct tap_types *types)
{
	struct tap_prototype proto;
	char away[128];
	unsigned int i;

	for (i = 0; i < 40; i++)
		if (tap_types_function(types, NULL, i % 2 ? "nothing" : "own_open", &proto) ||
		    tap_types_function(types, NULL, "point", &proto) != -ENOENT ||
		    tap_types_function(types, NULL, "no_such", &proto) != -ENOENT)
			break;
	check(i == 40, "search %u of 40 for names", i);
	snprintf(away, sizeof(away), "%s.away", path("vmlinux"));
	rename(path("vmlinux"), away);
	check(!tap_types_read(types, NULL), "types are read once");
	rename(away, path("vmlinux"));
}

/* Of the damaged types one in @one_in is read. */
static void test_damage(const struct btf *btf, unsigned int one_in)
{
	struct tap_types *types;
	const void *data;
	unsigned int opened = 0, refused = 0, round, i;
	struct tap_error err;
	char *copy;
	__u32 len;

	data = btf__raw_data(btf, &len);
	copy = malloc(len);
	for (i = 0; i < len; i += one_in) {
		write_file("vmlinux", data, i);
		if (!tap_types_open_from(&types, dir, &err)) {
			use(types);
			tap_types_free(types);
			opened++;
		} else if (err.code != -EBADMSG || !*err.text) {
			break;
		}
	}
	check(i >= len && !opened, "truncated at every byte: refused");
	memcpy(copy, data, len);
	((struct btf_header *)copy)->type_len += 4;
	write_file("vmlinux", copy, len);
	check(tap_types_open_from(&types, dir, &err) == -EBADMSG,
	      "a part of a type after the last one");
	memcpy(copy, data, len);
	copy[len - 1] = 'x';
	write_file("vmlinux", copy, len);
	check(tap_types_open_from(&types, dir, &err) == -EBADMSG, "a name without an end");
	srand(1);
	opened = 0;
	for (round = 0; round < 10000 / one_in; round++) {
		memcpy(copy, data, len);
		for (i = rand() % 8; i < 8; i++)
			copy[round % 4 ? (size_t)rand() % len :
					 (size_t)rand() % 64] = rand();
		write_file("vmlinux", copy, len);
		if (!tap_types_open_from(&types, dir, &err)) {
			use(types);
			tap_types_free(types);
			opened++;
		} else {
			refused++;
		}
	}
	check(opened > 1000 / one_in && refused > 1000 / one_in,
	      "with changed bytes: %u read, %u refused, no crash", opened,
	      refused);
	free(copy);
}

int main(int argc, char **argv)
{
	unsigned int one_in = check_one_in(argc, argv);
	struct btf *vmlinux, *module;
	struct tap_types *types;
	struct tap_error err;

	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	check(tap_types_open_from(&types, dir, &err) == -ENOENT &&
	      strstr(err.text, "has no BTF"), "%s", err.text);
	vmlinux = make_vmlinux();
	module = make_module(vmlinux);
	write_btf("vmlinux", vmlinux);
	write_btf("own", module);
	write_file("broken", "no BTF", 6);
	if (tap_types_open_from(&types, dir, &err)) {
		check(false, "%s", err.text);
	} else {
		test_members(types);
		test_enums(types);
		test_scopes(types);
		test_nonsense(types);
		test_read_once(types);
		tap_types_free(types);
	}
	test_damage(vmlinux, one_in);
	btf__free(module);
	btf__free(vmlinux);
	unlink(path("vmlinux"));
	unlink(path("own"));
	unlink(path("broken"));
	rmdir(dir);
	return check_end();
}
