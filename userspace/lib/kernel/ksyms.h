/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The symbols of a running kernel, as seen from user space. Private to libtap
 * and its tool.
 */
#ifndef _TAP_KERNEL_KSYMS_H
#define _TAP_KERNEL_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <libtap.h>

/**
 * enum tap_symbol_state - what a symbol is good for
 * @TAP_SYMBOL_OK: a function that can be probed
 * @TAP_SYMBOL_BLACKLISTED: a function that the kernel refuses to probe
 * @TAP_SYMBOL_INIT: of the start of the kernel; its memory is used otherwise
 * @TAP_SYMBOL_COLD: an unlikely part that was split off a function; can be
 *	probed, but has no arguments and no return, so no glob finds it
 * @TAP_SYMBOL_LABEL: a place inside a function; the same goes for it
 * @TAP_SYMBOL_TRAMPOLINE: a jump, or code that probes themselves run; a probe in it is
 *	fatal, though the kernel does not refuse one
 * @TAP_SYMBOL_PADDING: room in front of a function
 * @TAP_SYMBOL_MARKER: begin or end of a section
 * @TAP_SYMBOL_DATA: no code
 * @TAP_SYMBOL_GENERATED: code made at run time, which has no lasting name
 * @__TAP_SYMBOL_STATES: number of the above
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
 * struct tap_symbol - a symbol of the kernel that claims to be text
 * @addr: where it is, 0 if addresses are hidden
 * @name: its name
 * @module: its module, "" for vmlinux
 * @order: its place in kallsyms
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
 * @name: its name
 * @module: its module, "" for vmlinux
 */
struct tap_tracepoint {
	const char *name;
	const char *module;
};

/**
 * enum tap_blacklist - where the blacklist was learnt from
 * @TAP_BLACKLIST_NONE: nowhere; the kernel will refuse what must not be probed
 * @TAP_BLACKLIST_SECTIONS: from the sections of the kernel: not complete
 * @TAP_BLACKLIST_KERNEL: from the kernel's own list
 */
enum tap_blacklist {
	TAP_BLACKLIST_NONE,
	TAP_BLACKLIST_SECTIONS,
	TAP_BLACKLIST_KERNEL,
};

/**
 * struct tap_symbols - the symbols of a kernel
 * @list: the symbols in text, by address where those are visible
 * @nr: number of @list
 * @by_name: indices into @list by name; NULL until it is first needed
 * @tracepoints: by name
 * @nr_tracepoints: number of @tracepoints
 * @modules: names of the modules that are loaded, by name
 * @nr_modules: number of @modules
 * @counts: symbols by enum tap_symbol_state
 * @unreadable: why kallsyms could not be read (an errno), 0 if it was
 * @blacklist_unreadable: the same for the blacklist
 * @addresses: whether addresses are visible
 * @blacklist: where the blacklist is from
 * @text: what the names point into
 * @modules_text: what the names of modules point into
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
	enum tap_blacklist blacklist;
	char *text;
	char *modules_text;
};

int tap_symbols_sort(struct tap_symbols *syms);
size_t tap_symbols_lower(const struct tap_symbols *syms, const char *name);
const struct tap_symbol *tap_symbols_by_name(const struct tap_symbols *syms,
					     size_t i);
size_t tap_symbols_clones(const struct tap_symbols *syms, const char *base,
			  const struct tap_symbol **list, size_t max);
uint64_t tap_symbols_size(const struct tap_symbols *syms,
			  const struct tap_symbol *sym);
bool tap_symbols_has_module(const struct tap_symbols *syms, const char *name);
size_t tap_symbols_tracepoint(const struct tap_symbols *syms, const char *name);
const char *tap_symbol_reason(enum tap_symbol_state state);
bool tap_symbol_returns(const struct tap_symbol *sym);
bool tap_symbol_is_function(const struct tap_symbol *sym);

/*
 * Whether an interrupt or a trap enters the kernel by a function. What the stack
 * goes on with is what it came upon, and no call.
 */
static inline bool tap_symbol_is_trap(const char *name)
{
	return !strncmp(name, "asm_", 4);
}

#endif /* _TAP_KERNEL_KSYMS_H */
