/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads all types of a BTF file as expressions do; must not crash on any content.
 */
#ifndef _TEST_LIB_TYPES_USE_H
#define _TEST_LIB_TYPES_USE_H

#include <string.h>

#include "util/value_names.h"
#include "util/suggest.h"
#include "types/btf.h"

static int use_member(void *arg, const char *name, const struct tap_member *member)
{
	*(size_t *)arg += strlen(name) + member->type.size;
	return 0;
}

static void use_types(struct tap_types *types)
{
	static const char *const names[] = { "a", "x", "name", "part", "low" };
	struct tap_type type, target;
	struct tap_suggest s;
	struct tap_member m;
	char text[300];
	__u32 i, nr;
	__s64 v;
	size_t n;

	tap_types_enumerator(types, "OWN_BUSY", 8, &v);
	if (tap_types_struct(types, "file", 4, &type) &&
	    tap_types_struct(types, "point", 5, &type))
		return;
	nr = tap_btf_end(type.btf) + 2;
	for (i = 0; i < nr; i++) {
		const struct tap_btf *btf = type.btf;

		if (!tap_type_make(btf, i, &type)) {
			tap_type_target(&type, &target);
			tap_suggest_begin(&s, "naem", 4);
			tap_type_suggest(&type, &s);
			for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
				tap_type_member(&type, names[n],
						strlen(names[n]), &m);
			tap_type_members(&type, use_member, &n);
			tap_value_names_put(tap_type_value_names(&type));
		}
		type.btf = btf;
		tap_type_name(&type, text, sizeof(text));
	}
}

#endif /* _TEST_LIB_TYPES_USE_H */
