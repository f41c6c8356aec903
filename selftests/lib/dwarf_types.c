// SPDX-License-Identifier: GPL-2.0
/*
 * Types and prototypes out of debug information: what a compiler says of structs is compared with
 * what this compiler does with the same ones.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "selftests/lib/check.h"
#include "selftests/lib/dwarf_structs.h"
#include "selftests/lib/dwarf_types.h"
#include "util/value_names.h"

/* --------------------------------------------------------------- members */

/* SET() makes a function that sets a member, and nothing else, to ones. */
#define FLAGS(X)	X(flags, a) X(flags, b) X(flags, c) X(flags, wide) X(flags, last) \
			X(packed, x) X(packed, y) X(packed, p) X(packed, q)
#define SET(s, m)	static void set_##s##_##m(void *at) { ((struct s *)at)->m = -1; }
FLAGS(SET)

static const struct {
	const char *type;
	const char *member;
	void (*set)(void *at);
	size_t size;
} bits[] = {
#define ROW(s, m)	{ #s, #m, set_##s##_##m, sizeof(struct s) },
	FLAGS(ROW)
};

static const struct {
	const char *member;
	size_t offset;
	size_t size;
	const char *declaration;
} members[] = {
#define AT(m, text)	{ #m, offsetof(struct dev, m), sizeof(((struct dev *)0)->m), text }
	AT(id, "int id"), AT(name, "const char *name"), AT(flags, "struct flags flags"),
	AT(word, "unsigned long word"), AT(low, "short low"), AT(high, "short high"),
	AT(state, "enum state state"), AT(big, "enum big big"), AT(named, "struct {...} named"),
	AT(ops, "struct ops *ops"), AT(next, "struct dev *next"),
	AT(opaque, "struct opaque *opaque"), AT(on, "_Bool on"), AT(level, "double level"),
	AT(text, "char text[16]"), AT(grid, "int grid[2][3]"),
	AT(packed, "struct packed packed"), AT(private, "void *private"),
	AT(regs, "volatile unsigned char *regs"),
	{ "tail", offsetof(struct dev, tail), 0, "char tail[0]" },
};

static void compare_bits(struct tap_dwarf *dwarf)
{
	unsigned char data[sizeof(struct packed) + sizeof(struct flags)];
	struct tap_member m;
	struct tap_type type;
	size_t i, bit, first, nr;

	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		memset(data, 0, sizeof(data));
		bits[i].set(data);
		for (bit = nr = first = 0; bit < 8 * bits[i].size; bit++)
			if (data[bit / 8] >> bit % 8 & 1 && !nr++)
				first = bit;
		check(!tap_dwarf_struct(dwarf, bits[i].type, strlen(bits[i].type), &type) &&
		      type.size == bits[i].size &&
		      !tap_type_member(&type, bits[i].member, strlen(bits[i].member), &m) &&
		      m.bit == first && (m.bits ? m.bits : 8 * m.type.size) == nr,
		      "%s.%s is at bit %zu, %zu bits", bits[i].type, bits[i].member, first, nr);
	}
}

static void compare_members(struct tap_dwarf *dwarf)
{
	struct tap_type type;
	struct tap_member m;
	char text[128];
	size_t i;

	ok(!tap_dwarf_struct(dwarf, "dev", 3, &type) && type.size == sizeof(struct dev),
	   "struct dev");
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (tap_type_member(&type, members[i].member, strlen(members[i].member), &m)) {
			check(false, "dev has %s", members[i].member);
			continue;
		}
		tap_type_declare(&m.type, members[i].member, text, sizeof(text));
		check(m.bit == 8 * members[i].offset && !m.bits &&
		      m.type.size == members[i].size && same(text, members[i].declaration),
		      "%s at %zu, %zu bytes", members[i].declaration, members[i].offset,
		      members[i].size);
	}
}

/* Follows a pointer of a member. */
static bool follow(struct tap_type *type, const char *member)
{
	struct tap_type target;
	struct tap_member m;

	if (tap_type_member(type, member, strlen(member), &m) || tap_type_target(&m.type, &target))
		return false;
	*type = target;
	return true;
}

static void follow_pointers(struct tap_dwarf *dwarf)
{
	struct tap_type dev, type, fn;
	struct tap_member m;
	char text[128];

	tap_dwarf_struct(dwarf, "dev", 3, &dev);
	type = dev;
	ok(follow(&type, "next") && type.size == sizeof(struct dev) && follow(&type, "next") &&
	   !tap_type_member(&type, "id", 2, &m), "a struct that leads to itself");
	type = dev;
	ok(follow(&type, "opaque") && type.cls == TAP_TYPE_STRUCT && !type.size,
	   "a struct without a definition has no size");
	type = dev;
	ok(follow(&type, "ops") && !tap_type_member(&type, "open", 4, &m), "a table of functions");
	tap_type_declare(&m.type, "open", text, sizeof(text));
	ok(same(text, "int (*open)(struct dev *, int)"), "a pointer to a function");
	ok(!tap_type_target(&m.type, &fn) && fn.cls == TAP_TYPE_OTHER, "leads to a function");
	tap_type_member(&type, "put", 3, &m);
	tap_type_declare(&m.type, "put", text, sizeof(text));
	ok(same(text, "void (*put)(const char *, ...)"), "with more arguments");
}

/* Follows each pointer, which adds types: the member's name and the members after it must stay. */
static int follow_member(void *arg, const char *name, const struct tap_member *m)
{
	char *text = arg;
	struct tap_type target = { 0 };

	tap_type_target(&m->type, &target);
	sprintf(text + strlen(text), "%s@%u:%u ", name, m->bit / 8, target.size);
	return 0;
}

static void walk_and_follow(struct tap_dwarf *dwarf)
{
	char text[512] = "", want[512];
	struct tap_type near;

	snprintf(want, sizeof(want), "one@0:%zu two@8:%zu three@16:%zu four@24:%zu five@32:%zu "
		 "last@40:4 flags@52:0 ", sizeof(struct far_1), sizeof(struct far_2),
		 sizeof(struct far_3), sizeof(struct far_4), sizeof(struct far_5));
	ok(!tap_dwarf_struct(dwarf, "near", 4, &near) &&
	   !tap_type_members(&near, follow_member, text) && same(text, want),
	   "all members of a struct whose pointers are followed meanwhile");
}

static void check_enums(struct tap_dwarf *dwarf)
{
	struct tap_value_names *names;
	struct tap_member m;
	struct tap_type dev;
	__s64 value = 0;

	ok(!tap_dwarf_enumerator(dwarf, "STATE_BAD", 9, &value) && value == -3, "STATE_BAD");
	ok(!tap_dwarf_enumerator(dwarf, "BIG_HUGE", 8, &value) && value == BIG_HUGE, "BIG_HUGE");
	ok(!tap_dwarf_enumerator(dwarf, "LATE_ON", 7, &value) && value == 0xff, "LATE_ON");
	ok(tap_dwarf_enumerator(dwarf, "STATE_", 6, &value) == -ENOENT, "no STATE_");
	tap_dwarf_struct(dwarf, "dev", 3, &dev);
	tap_type_member(&dev, "state", 5, &m);
	names = tap_type_value_names(&m.type);
	ok(names && names->nr == 3 && m.type.is_signed, "the values of an enum have their names");
	tap_value_names_put(names);
	tap_type_member(&dev, "big", 3, &m);
	ok(!tap_type_enumerator(&m.type, "BIG_HUGE", 8, &value) && value == BIG_HUGE,
	   "an enum of 64 bits");
	ok(m.type.cls == TAP_TYPE_ENUM && m.type.size == 8, "has its size");
}

void dwarf_types_check(struct tap_dwarf *dwarf)
{
	struct tap_type type;

	compare_bits(dwarf);
	compare_members(dwarf);
	follow_pointers(dwarf);
	walk_and_follow(dwarf);
	check_enums(dwarf);
	ok(!tap_dwarf_struct(dwarf, "dev_t_alias", 11, &type) && type.size == sizeof(struct dev),
	   "a struct by its typedef");
	ok(tap_dwarf_struct(dwarf, "u64_t", 5, &type) == -ENOENT, "a typedef of a number is none");
	ok(tap_dwarf_struct(dwarf, "nothing", 7, &type) == -ENOENT, "no struct of this name");
}

/* ------------------------------------------------------------- prototypes */

/* "int(struct dev *dev@0, int flags@gone)" */
void dwarf_prototype_text(const struct tap_prototype *proto, char *buf, size_t size)
{
	static const char *const places[] = {
		[TAP_PARAM_UNTOLD] = "@abi", [TAP_PARAM_ELSEWHERE] = "@moved",
		[TAP_PARAM_CONSTANT] = "@constant", [TAP_PARAM_REMOVED] = "@gone",
	};
	char one[128];
	unsigned int i;
	size_t n;

	tap_type_name(&proto->ret, one, sizeof(one));
	n = snprintf(buf, size, "%s(", one);
	for (i = 0; i < proto->nr && n < size; i++) {
		tap_type_declare(&proto->params[i].type, proto->params[i].name, one, sizeof(one));
		n += snprintf(buf + n, size - n, "%s%s", i ? ", " : "", one);
		if (n < size && proto->params[i].place == TAP_PARAM_ARG)
			n += snprintf(buf + n, size - n, "@%u", proto->params[i].arg);
		else if (n < size)
			n += snprintf(buf + n, size - n, "%s", places[proto->params[i].place]);
	}
	if (n < size)
		snprintf(buf + n, size - n, ")");
}
