// SPDX-License-Identifier: LGPL-2.1
/*
 * A table of functions in a trace file, of the kernel or of one module.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"

/* Addresses farther behind the start of the last function are in no function. */
#define FUNCTION_MAX	(256ULL << 10)
/* Upper bound for text that the kernel generates at run time (e.g. trampolines). */
#define GENERATED_MAX	4096ULL

/* The unread rest of a chunk. */
struct cursor {
	const unsigned char *p;
	size_t left;
};

static int get_leb128(struct cursor *c, __u64 *v)
{
	unsigned int shift = 0;
	unsigned char byte;

	*v = 0;
	do {
		if (!c->left || shift > 63)
			return -EBADMSG;
		byte = *c->p++;
		c->left--;
		*v |= (__u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return 0;
}

static int get_string(struct cursor *c, struct tap_file_string *s)
{
	if (!c->left)
		return -EBADMSG;
	/* The length that is checked is the one that is used: the file may change. */
	s->len = tap_load_once(c->p);
	if (c->left - 1 < s->len)
		return -EBADMSG;
	s->s = (const char *)c->p + 1;
	c->left -= 1 + (size_t)s->len;
	c->p += 1 + (size_t)s->len;
	return 0;
}

static int parse_modules(struct tap_file_names *names, struct cursor *c,
			 __u64 nr)
{
	struct tap_file_string *modules;

	/*
	 * Each string takes at least one byte, so a wrong count cannot ask for more
	 * memory than that.
	 */
	if (nr > c->left)
		return -EBADMSG;
	modules = realloc(names->modules, (names->nr_modules + nr + 1) *
					  sizeof(*modules));
	if (!modules)
		return -ENOMEM;
	names->modules = modules;
	for (nr += names->nr_modules; names->nr_modules < nr; names->nr_modules++)
		if (get_string(c, &names->modules[names->nr_modules]))
			return -EBADMSG;
	return 0;
}

static int parse_symbols(struct tap_file_names *names, struct cursor *c,
			 __u64 nr, size_t first_module)
{
	struct tap_file_symbol *symbols;
	__u64 addr = 0;

	if (nr > c->left / 3)
		return -EBADMSG;
	symbols = realloc(names->symbols, (names->nr_symbols + nr + 1) *
					  sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	names->symbols = symbols;
	for (nr += names->nr_symbols; names->nr_symbols < nr; names->nr_symbols++) {
		struct tap_file_symbol *sym = &names->symbols[names->nr_symbols];
		struct tap_file_string name;
		__u64 step, module;

		if (get_leb128(c, &step) || get_leb128(c, &module) ||
		    get_string(c, &name) ||
		    module > names->nr_modules - first_module ||
		    step > UINT64_MAX - addr)
			return -EBADMSG;
		addr += step;
		sym->addr = addr;
		sym->name = name.s;
		sym->len = name.len;
		sym->module = module ? (__u32)(first_module + module) : 0;
	}
	return 0;
}

/*
 * Decodes symbols and appends them. After an error, the symbols decoded before it are
 * kept.
 */
void tap_file_names_load(struct tap_file_names *names, const char *data,
			 size_t len)
{
	size_t first_module = names->nr_modules;
	struct tap_file_symbols head;
	struct cursor c;

	if (len < sizeof(head))
		return;
	memcpy(&head, data, sizeof(head));
	c.p = (const unsigned char *)data + sizeof(head);
	c.left = len - sizeof(head);
	if (!parse_modules(names, &c, head.nr_modules))
		parse_symbols(names, &c, head.nr_symbols, first_module);
}

void tap_file_names_free(struct tap_file_names *names)
{
	free(names->symbols);
	free(names->modules);
}

/* The same bounds as for symbols of the running kernel. */
static __u64 symbol_max(struct tap_file_string module)
{
	static const char builtin[] = "__builtin__", bpf[] = "bpf";

	if ((module.len >= sizeof(builtin) - 1 &&
	     !memcmp(module.s, builtin, sizeof(builtin) - 1)) ||
	    (module.len == sizeof(bpf) - 1 && !memcmp(module.s, bpf, module.len)))
		return GENERATED_MAX;
	return FUNCTION_MAX;
}

/* Finds the function that contains an address. Returns NULL if there is none. */
const struct tap_file_symbol *
tap_file_names_find(const struct tap_file_names *names, __u64 addr)
{
	const struct tap_file_symbol *sym;
	size_t low = 0, high;

	for (high = names->nr_symbols; low < high; ) {
		size_t mid = low + (high - low) / 2;

		if (names->symbols[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	sym = &names->symbols[low - 1];
	return addr - sym->addr < symbol_max(tap_file_module_of(names, sym)) ?
	       sym : NULL;
}
