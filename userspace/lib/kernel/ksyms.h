/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Symbols of the running kernel. Private to libtap and its tool.
 */
#ifndef _TAP_KERNEL_KSYMS_H
#define _TAP_KERNEL_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <libtap.h>

/**
 * enum tap_symbol_state - whether and why a symbol can be probed
 * @TAP_SYMBOL_OK: a function that can be probed
 * @TAP_SYMBOL_BLACKLISTED: a function that the kernel refuses to probe
 * @TAP_SYMBOL_INIT: __init code of the kernel; its memory has been reused
 * @TAP_SYMBOL_COLD: an unlikely part that was split off a function; it can be probed,
 *	but has no arguments and no return, so globs skip it
 * @TAP_SYMBOL_LABEL: a label inside a function; like @TAP_SYMBOL_COLD
 * @TAP_SYMBOL_TRAMPOLINE: a jump, or code that probes themselves run; a probe in it is
 *	fatal, though the kernel does not refuse it
 * @TAP_SYMBOL_PADDING: padding before a function
 * @TAP_SYMBOL_MARKER: start or end of a section
 * @TAP_SYMBOL_DATA: not code
 * @TAP_SYMBOL_GENERATED: code generated at run time; it has no lasting name
 * @__TAP_SYMBOL_STATES: number of states
 */
enum tap_symbol_state {
	TAP_SYMBOL_OK,
	TAP_SYMBOL_BLACKLISTED,
	TAP_SYMBOL_INIT,
	TAP_SYMBOL_COLD,
	TAP_SYMBOL_LABEL,
	TAP_SYMBOL_TRAMPOLINE,
	TAP_SYMBOL_PADDING,
	TAP_SYMBOL_MARKER,
	TAP_SYMBOL_DATA,
	TAP_SYMBOL_GENERATED,
	__TAP_SYMBOL_STATES,
};

/**
 * struct tap_symbol - a symbol of the kernel with a text type
 * @addr: its address, 0 if addresses are hidden
 * @name: points into the symbols' text
 * @module: its module, "" for vmlinux
 * @order: its line in kallsyms, counting text symbols
 * @state: enum tap_symbol_state
 */
struct tap_symbol {
	uint64_t addr;
	const char *name;
	const char *module;
	uint32_t order;
	uint8_t state;
};

/**
 * struct tap_tracepoint - a tracepoint
 * @name: without its module
 * @module: its module, "" for vmlinux
 */
struct tap_tracepoint {
	const char *name;
	const char *module;
};

/**
 * enum tap_blacklist - the source of the blacklist
 * @TAP_BLACKLIST_NONE: none; the kernel refuses blacklisted functions
 * @TAP_BLACKLIST_SECTIONS: the sections of the kernel; incomplete
 * @TAP_BLACKLIST_KERNEL: the kernel's own list
 */
enum tap_blacklist {
	TAP_BLACKLIST_NONE,
	TAP_BLACKLIST_SECTIONS,
	TAP_BLACKLIST_KERNEL,
};

/**
 * struct tap_symbols - the symbols of a kernel
 * @list: the text symbols, by address if addresses are visible
 * @nr: number of @list
 * @by_name: indices into @list by name; NULL until tap_symbols_sort()
 * @tracepoints: by name
 * @nr_tracepoints: number of @tracepoints
 * @modules: names of the loaded modules, sorted
 * @nr_modules: number of @modules
 * @counts: number of symbols by enum tap_symbol_state
 * @unreadable: errno of the failure to read kallsyms, or 0
 * @blacklist_unreadable: the same for the blacklist
 * @addresses: addresses are visible
 * @cached: without the code that the kernel generates: of the file that keeps them, or of the
 *	kernel's tables
 * @blacklist: source of the blacklist
 * @text: memory of the names
 * @modules_text: memory of the names of modules
 */
struct tap_symbols {
	struct tap_symbol *list;
	size_t nr;
	uint32_t *by_name;
	struct tap_tracepoint *tracepoints;
	size_t nr_tracepoints;
	const char **modules;
	size_t nr_modules;
	size_t counts[__TAP_SYMBOL_STATES];
	int unreadable;
	int blacklist_unreadable;
	bool addresses;
	bool cached;
	enum tap_blacklist blacklist;
	char *text;
	char *modules_text;
};

int tap_symbols_sort(struct tap_symbols *syms);
size_t tap_symbols_lower(const struct tap_symbols *syms, const char *name);
const struct tap_symbol *tap_symbols_by_name(const struct tap_symbols *syms,
					     size_t i);
bool tap_symbol_is_clone(const char *name, size_t len);
bool tap_symbol_lacks_return(const char *name);
size_t tap_symbols_clones(const struct tap_symbols *syms, const char *base,
			  const struct tap_symbol **list, size_t max);
uint64_t tap_symbols_size(const struct tap_symbols *syms,
			  const struct tap_symbol *sym);
bool tap_symbols_has_module(const struct tap_symbols *syms, const char *name);
size_t tap_symbols_tracepoint(const struct tap_symbols *syms, const char *name);
bool tap_symbol_is_named(const struct tap_symbol *sym);
const struct tap_symbol *tap_symbols_before(const struct tap_symbols *syms,
					    uint64_t addr);
const struct tap_symbol *tap_symbols_module_end(const struct tap_symbols *syms,
						const struct tap_symbol *sym);
const char *tap_symbol_reason(enum tap_symbol_state state);
bool tap_symbol_returns(const struct tap_symbol *sym);
bool tap_symbol_is_function(const struct tap_symbol *sym);

/*
 * Whether a function is an entry point of an interrupt or a trap. The frames below it
 * were interrupted; they did not call it.
 */
static inline bool tap_symbol_is_trap(const char *name)
{
	return !strncmp(name, "asm_", 4);
}

#endif /* _TAP_KERNEL_KSYMS_H */
