// SPDX-License-Identifier: LGPL-2.1
/*
 * Symbols of the running kernel by address and by name, and its tracepoints.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ksyms.h"

/* Upper bound for the last function of a module, whose end is not marked. */
#define MAX_FUNCTION	(256 << 10)
/* Upper bound for text that the kernel generates at run time (e.g. trampolines). */
#define MAX_GENERATED	4096

void tap_symbols_free(struct tap_symbols *syms)
{
	if (!syms)
		return;
	free(syms->list);
	free(syms->by_name);
	free(syms->tracepoints);
	free(syms->modules);
	free(syms->text);
	free(syms->modules_text);
	free(syms);
}

/*
 * Half of the symbols may begin with this, before the name of a function. They are sorted apart by
 * what follows it, and put where they belong.
 */
static const char padding[] = "__pfx_";	/* 6 bytes of a head */

/*
 * A symbol with 8 bytes of its name, most significant first. They decide most comparisons. @name
 * begins with those.
 */
struct key {
	uint64_t head;
	const char *name;
	uint32_t index;
};

static uint64_t head_of(const char *name)
{
	uint64_t head = 0;
	int i;

	for (i = 0; i < 8; i++) {
		head = head << 8 | (unsigned char)*name;
		name += *name != '\0';
	}
	return head;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int diff;

	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	/* A name of less than 8 bytes is completely in the head. */
	diff = x->head & 0xff ? strcmp(x->name + 8, y->name + 8) : 0;
	if (diff)
		return diff;
	return x->index < y->index ? -1 : 1;
}

/* Sorts names whose first 8 bytes are equal, by the next 8 and then by the rest. */
static void sort_tails(struct key *keys, size_t nr)
{
	struct key key;
	size_t i, k;

	for (i = 0; i < nr; i++) {
		keys[i].name += 8;
		keys[i].head = head_of(keys[i].name);
	}
	if (nr > 8) {
		qsort(keys, nr, sizeof(*keys), compare_keys);
		return;
	}
	for (i = 1; i < nr; i++) {
		key = keys[i];
		for (k = i; k && compare_keys(&keys[k - 1], &key) > 0; k--)
			keys[k] = keys[k - 1];
		keys[k] = key;
	}
}

#define DIGIT	11	/* bits; six digits are 66 */

/* A stable pass of the radix sort, by a digit of the head from bit @from_bit on. */
static void sort_digit(struct key *to, const struct key *from, size_t nr, int from_bit)
{
	uint32_t at[1 << DIGIT] = { 0 }, sum = 0, n;
	size_t i;

	for (i = 0; i < nr; i++)
		at[from[i].head >> from_bit & ((1 << DIGIT) - 1)]++;
	for (i = 0; i < 1 << DIGIT; i++) {
		n = at[i];
		at[i] = sum;
		sum += n;
	}
	for (i = 0; i < nr; i++)
		to[at[from[i].head >> from_bit & ((1 << DIGIT) - 1)]++] = from[i];
}

/*
 * Sorts by the heads first, digit by digit, and then compares the rest of names with
 * equal heads. A kernel has more than 100,000 symbols, and tap cannot start before they
 * are sorted. Symbols of the same name keep the order of the list.
 */
static void sort_keys(struct key *keys, struct key *other, size_t nr)
{
	size_t i, end;
	int bit;

	for (bit = 0; bit < 64; bit += 2 * DIGIT) {
		sort_digit(other, keys, nr, bit);
		sort_digit(keys, other, nr, bit + DIGIT);
	}
	for (i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr; end++)
			if (keys[end].head != keys[i].head)
				break;
		/* A name of less than 8 bytes is completely in the head. */
		if (end - i > 1 && keys[i].head & 0xff)
			sort_tails(&keys[i], end - i);
	}
}

/**
 * tap_symbols_sort() - make the index by name if it is missing
 * @syms: the symbols
 *
 * Return: 0 or -ENOMEM.
 */
int tap_symbols_sort(struct tap_symbols *syms)
{
	size_t i, nr = 0, padded = 0, before;
	const uint64_t pfx = head_of(padding);
	struct key *keys, *other;

	if (syms->by_name || !syms->nr)
		return 0;
	keys = malloc(2 * syms->nr * sizeof(*keys));
	syms->by_name = malloc(syms->nr * sizeof(*syms->by_name));
	if (!keys || !syms->by_name) {
		free(keys);
		free(syms->by_name);
		syms->by_name = NULL;
		return -ENOMEM;
	}
	other = keys + syms->nr;
	for (i = 0; i < syms->nr; i++) {
		const char *name = syms->list[i].name;
		uint64_t head = head_of(name);
		struct key *key;

		if (head >> 16 == pfx >> 16) {
			key = &other[padded++];
			name += sizeof(padding) - 1;
			head = head_of(name);
		} else {
			key = &keys[nr++];
		}
		*key = (struct key) { .head = head, .name = name, .index = i };
	}
	memcpy(keys + nr, other, padded * sizeof(*keys));
	sort_keys(keys, other, nr);
	sort_keys(keys + nr, other, padded);
	/* Sorting has moved the names of the keys. */
	for (before = 0; before < nr &&
			 strcmp(syms->list[keys[before].index].name, padding) < 0; before++)
		syms->by_name[before] = keys[before].index;
	for (i = 0; i < padded; i++)
		syms->by_name[before + i] = keys[nr + i].index;
	for (i = before; i < nr; i++)
		syms->by_name[padded + i] = keys[i].index;
	free(keys);
	return 0;
}

/**
 * tap_symbols_by_name() - return a symbol by its place in the order of names
 * @syms: sorted symbols
 * @i: less than @syms->nr
 *
 * Return: the symbol.
 */
const struct tap_symbol *tap_symbols_by_name(const struct tap_symbols *syms,
					     size_t i)
{
	return &syms->list[syms->by_name[i]];
}

/**
 * tap_symbols_lower() - find the first symbol that is not before a name
 * @syms: sorted symbols
 * @name: need not exist
 *
 * Return: its place in the order of names, or @syms->nr.
 */
size_t tap_symbols_lower(const struct tap_symbols *syms, const char *name)
{
	size_t low = 0, high = syms->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(tap_symbols_by_name(syms, mid)->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * tap_symbol_is_clone() - whether a name is that of a clone, e.g. foo.constprop.0.isra.0
 * @name: of a symbol
 * @len: length of the name of the function
 *
 * Return: true if what follows @len bytes is what compilers append to clones.
 */
bool tap_symbol_is_clone(const char *name, size_t len)
{
	static const char *const kinds[] = { ".constprop.", ".isra.", ".part." };
	size_t k;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (!strncmp(name + len, kinds[k], strlen(kinds[k])))
			return true;
	return false;
}

/**
 * tap_symbol_lacks_return() - whether the compiler may have taken the return value from a clone
 * @name: of a symbol
 *
 * Clones of constants alone (.constprop) keep it. Debug information does not say.
 *
 * Return: true if it may.
 */
bool tap_symbol_lacks_return(const char *name)
{
	return strstr(name, ".isra.") || strstr(name, ".part.");
}

/**
 * tap_symbols_clones() - find the clones that the compiler made of a function
 * @syms: sorted symbols
 * @base: the function, e.g. "foo" for the clone foo.isra.0
 * @list: set to the clones that can be probed, by name, including several of one name
 * @max: room in @list
 *
 * Return: the number of clones, at most @max.
 */
size_t tap_symbols_clones(const struct tap_symbols *syms, const char *base,
			  const struct tap_symbol **list, size_t max)
{
	size_t len = strlen(base), nr = 0, i;
	const struct tap_symbol *sym;

	for (i = tap_symbols_lower(syms, base); i < syms->nr && nr < max; i++) {
		sym = tap_symbols_by_name(syms, i);
		if (strncmp(sym->name, base, len))
			break;
		if (sym->state == TAP_SYMBOL_OK && tap_symbol_is_clone(sym->name, len))
			list[nr++] = sym;
	}
	return nr;
}

/**
 * tap_symbols_size() - return the size of a function
 * @syms: the symbols
 * @sym: one of them
 *
 * Return: bytes up to the next symbol, including padding; 0 if unknown.
 */
uint64_t tap_symbols_size(const struct tap_symbols *syms,
			  const struct tap_symbol *sym)
{
	const struct tap_symbol *end = syms->list + syms->nr, *next;
	uint64_t size;

	if (!sym->addr)
		return 0;
	for (next = sym + 1; next < end; next++) {
		if (next->addr == sym->addr)
			continue;
		size = next->addr - sym->addr;
		return size <= MAX_FUNCTION ? size : 0;
	}
	return 0;
}

/**
 * tap_symbols_has_module() - whether a module is loaded
 * @syms: the symbols
 * @name: its name, with underscores
 *
 * Return: true if it is.
 */
bool tap_symbols_has_module(const struct tap_symbols *syms, const char *name)
{
	size_t low = 0, high = syms->nr_modules, mid;
	int diff;

	while (low < high) {
		mid = low + (high - low) / 2;
		diff = strcmp(syms->modules[mid], name);
		if (!diff)
			return true;
		if (diff < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/**
 * tap_symbols_tracepoint() - find the tracepoints of a name
 * @syms: the symbols
 * @name: without a module
 *
 * Return: the index of the first one, or @syms->nr_tracepoints. Tracepoints of the same
 * name in other modules follow it.
 */
size_t tap_symbols_tracepoint(const struct tap_symbols *syms, const char *name)
{
	size_t low = 0, high = syms->nr_tracepoints, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(syms->tracepoints[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < syms->nr_tracepoints &&
	    !strcmp(syms->tracepoints[low].name, name))
		return low;
	return syms->nr_tracepoints;
}

/**
 * tap_symbol_reason() - explain why a symbol cannot be probed
 * @state: of the symbol
 *
 * Return: the text that follows "NAME ..." in an error message.
 */
const char *tap_symbol_reason(enum tap_symbol_state state)
{
	switch (state) {
	case TAP_SYMBOL_OK:
		return "can be probed";
	case TAP_SYMBOL_BLACKLISTED:
		return "is blacklisted: a probe in it would crash the kernel";
	case TAP_SYMBOL_INIT:
		return "ran only while the kernel started; its memory is freed";
	case TAP_SYMBOL_COLD:
		return "is the cold part of a function: it has no arguments and does not return";
	case TAP_SYMBOL_LABEL:
		return "is a label inside a function: it has no arguments and does not return";
	case TAP_SYMBOL_TRAMPOLINE:
		return "is code that the kernel rewrites, or runs at every probe; a probe in it would crash the kernel";
	case TAP_SYMBOL_PADDING:
		return "is the padding before a function, not a function";
	case TAP_SYMBOL_MARKER:
		return "marks a section of the kernel and is not a function";
	case TAP_SYMBOL_DATA:
		return "is data, not a function";
	case TAP_SYMBOL_GENERATED:
		return "was generated at run time; the kernel cannot find it by name";
	case __TAP_SYMBOL_STATES:
		break;
	}
	return "cannot be probed";
}

/**
 * tap_symbol_returns() - whether kretprobe and call can be used on a function
 * @sym: a symbol
 *
 * Return: false for __switch_to(), which returns in another task than it was called in,
 * and for symbols that are not a whole function.
 */
bool tap_symbol_returns(const struct tap_symbol *sym)
{
	return sym->state == TAP_SYMBOL_OK && strcmp(sym->name, "__switch_to");
}

/**
 * tap_symbol_is_function() - whether ftrace may be able to trace a function
 * @sym: a symbol
 *
 * Return: true also for functions that kprobes are refused for.
 */
bool tap_symbol_is_function(const struct tap_symbol *sym)
{
	return sym->state == TAP_SYMBOL_OK ||
	       sym->state == TAP_SYMBOL_BLACKLISTED;
}

static bool is_code(const struct tap_symbol *sym)
{
	return sym->state != TAP_SYMBOL_MARKER && sym->state != TAP_SYMBOL_DATA;
}

/* The number of symbols at or before an address; 0 if addresses are hidden. */
static size_t count_until(const struct tap_symbols *syms, uint64_t addr)
{
	size_t low = 0, high = syms->addresses ? syms->nr : 0, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (syms->list[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int tap_symbols_lookup(const struct tap_symbols *syms, __u64 addr, char *buf,
		       size_t len)
{
	const struct tap_symbol *sym, *best;
	uint64_t max;
	size_t nr;

	if (!syms || !addr)
		return -ENOENT;
	nr = count_until(syms, addr);
	if (!nr)
		return -ENOENT;
	/* Of several symbols at the address takes the first function, as the kernel does. */
	sym = best = &syms->list[nr - 1];
	while (sym > syms->list && sym[-1].addr == best->addr)
		sym--;
	while (sym < best && !is_code(sym))
		sym++;
	best = sym;
	max = best->state == TAP_SYMBOL_GENERATED ? MAX_GENERATED :
						    MAX_FUNCTION;
	if (!is_code(best) || !best->addr || addr - best->addr >= max)
		return -ENOENT;
	snprintf(buf, len, "%s+0x%llx%s%s%s", best->name,
		 (unsigned long long)(addr - best->addr),
		 *best->module ? " [" : "", best->module,
		 *best->module ? "]" : "");
	return 0;
}

int tap_symbols_resolve(const void *syms, __u64 addr, char *buf, size_t len)
{
	return tap_symbols_lookup(syms, addr, buf, len);
}

/**
 * tap_symbol_is_named() - whether addresses are named by a symbol in trace files
 * @sym: a symbol
 *
 * Return: true if tap_symbols_each() has it.
 */
bool tap_symbol_is_named(const struct tap_symbol *sym)
{
	return sym->addr && is_code(sym) && sym->state != TAP_SYMBOL_INIT;
}

/**
 * tap_symbols_before() - find the last function that starts at or before an address
 * @syms: the symbols
 * @addr: an address
 *
 * Return: one of those of tap_symbols_each(), however far before @addr; or NULL.
 */
const struct tap_symbol *tap_symbols_before(const struct tap_symbols *syms,
					    uint64_t addr)
{
	size_t nr = count_until(syms, addr);

	while (nr && !tap_symbol_is_named(&syms->list[nr - 1]))
		nr--;
	return nr ? &syms->list[nr - 1] : NULL;
}

/**
 * tap_symbols_module_end() - find the last function of a module
 * @syms: the symbols
 * @sym: a function of the module
 *
 * Return: the last one before a function of another module follows.
 */
const struct tap_symbol *tap_symbols_module_end(const struct tap_symbols *syms,
						const struct tap_symbol *sym)
{
	const struct tap_symbol *end = syms->list + syms->nr, *last = sym;

	for (; sym < end; sym++) {
		if (!tap_symbol_is_named(sym))
			continue;
		if (strcmp(sym->module, last->module))
			break;
		last = sym;
	}
	return last;
}

int tap_symbols_each(const struct tap_symbols *syms,
		     int (*fn)(void *arg, __u64 addr, const char *name,
			       const char *module),
		     void *arg)
{
	const struct tap_symbol *sym;
	size_t i;
	int ret;

	if (!syms || !syms->addresses)
		return 0;
	for (i = 0; i < syms->nr; i++) {
		sym = &syms->list[i];
		if (!tap_symbol_is_named(sym))
			continue;
		ret = fn(arg, sym->addr, sym->name, sym->module);
		if (ret)
			return ret;
	}
	return 0;
}
