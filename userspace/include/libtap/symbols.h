/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names of addresses: functions of the kernel, and of programs. Types of the kernel. Included by
 * libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_SYMBOLS_H
#define _LIBTAP_SYMBOLS_H

#include <libtap/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_symbols - the functions of a kernel and its modules
 *
 * It is the state at the time of tap_symbols_load(): modules that are loaded later are not in
 * it. tap_spec_expand() may sort it, so threads must not share it while they expand specs.
 */
struct tap_symbols;

/**
 * tap_symbols_load() - read the symbols of the running kernel
 * @err: an error message on failure
 *
 * Return: the symbols, to be ended with tap_symbols_free(), or NULL.
 */
LIBTAP_API struct tap_symbols *tap_symbols_load(struct tap_error *err);

/**
 * tap_symbols_cached() - as tap_symbols_load(), or out of a file of an earlier call
 * @err: an error message on failure
 *
 * The file, /run/tapmod/symbols, is root's alone. It is used if it was written since the
 * kernel started and no module was loaded or unloaded since, else written again, from the kernel's
 * tables if they can be read. It lacks code that the kernel has generated, such as BPF programs:
 * load the symbols if an address has no name.
 *
 * Return: the symbols, to be ended with tap_symbols_free(), or NULL.
 */
LIBTAP_API struct tap_symbols *tap_symbols_cached(struct tap_error *err);

/**
 * tap_symbols_load_module() - read the symbols of a module that was loaded
 * @module: its name; it may be in the middle of being loaded
 * @err: an error message on failure
 *
 * They are read out of the kernel's tables, which takes a thousandth of what tap_symbols_load()
 * takes, and lack those of its init section. If that is not possible, they are those of
 * tap_symbols_load().
 *
 * Return: the symbols, to be ended with tap_symbols_free(), or NULL.
 */
LIBTAP_API struct tap_symbols *tap_symbols_load_module(const char *module, struct tap_error *err);

/**
 * tap_symbols_are_cached() - whether symbols lack code that the kernel has generated
 * @syms: of tap_symbols_load(), tap_symbols_cached() or tap_symbols_load_module(); may be NULL
 *
 * Return: true if they came out of the file, or out of the kernel's tables.
 */
LIBTAP_API bool tap_symbols_are_cached(const struct tap_symbols *syms);

/**
 * tap_symbols_free() - free the symbols
 * @syms: may be NULL
 */
LIBTAP_API void tap_symbols_free(struct tap_symbols *syms);

/**
 * tap_symbols_lookup() - name an address
 * @syms: of tap_symbols_load()
 * @addr: kernel address
 * @buf: set to "func+0x10 [mod]"; cut if it does not fit
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT if no function covers it or addresses are hidden.
 */
LIBTAP_API int tap_symbols_lookup(const struct tap_symbols *syms, __u64 addr,
				  char *buf, size_t len);

/**
 * tap_symbols_resolve() - tap_symbols_lookup() as @resolve of a formatter
 * @syms: @resolve_arg of the formatter: a struct tap_symbols
 * @addr: kernel address
 * @buf: as for tap_symbols_lookup()
 * @len: bytes at @buf
 *
 * Return: 0 or -ENOENT.
 */
LIBTAP_API int tap_symbols_resolve(const void *syms, __u64 addr, char *buf,
				   size_t len);

/**
 * tap_symbols_each() - walk the functions in the order of their addresses
 * @syms: of tap_symbols_load()
 * @fn: called with each; a non-zero return ends the walk. @module is "" for
 *	vmlinux. Not called at all where addresses are hidden (all zero)
 * @arg: handed to @fn
 *
 * Return: 0, or what @fn returned.
 */
LIBTAP_API int tap_symbols_each(const struct tap_symbols *syms,
				int (*fn)(void *arg, __u64 addr,
					  const char *name,
					  const char *module),
				void *arg);

/**
 * struct tap_types - the C types of a kernel and its modules
 *
 * BTF describes them. It is read when an event needs it, and once for all specs that
 * tap_spec_expand() is given the same types for. Modules that are loaded after the first need
 * are not in it. Threads must not share it while they expand specs.
 */
struct tap_types;

/**
 * tap_types_new() - make the types of the running kernel
 *
 * Nothing is read yet.
 *
 * Return: the types, to be ended with tap_types_free(); NULL if out of memory.
 */
LIBTAP_API struct tap_types *tap_types_new(void);

/**
 * tap_types_add_debug() - name a file or directory with debug information of modules
 * @types: the types
 * @path: a module, its debug symbols, or a directory that has them
 * @err: an error message on failure
 *
 * The file is read when an event needs the types of a module that has no BTF. A module without
 * debug information there is looked for in /lib/modules and in the directories of debug symbols.
 *
 * Return: 0; -ENOENT or others of access(2); -ENOMEM.
 */
LIBTAP_API int tap_types_add_debug(struct tap_types *types, const char *path,
				   struct tap_error *err);

/**
 * struct tap_source_line - a line of the source at which a probe can be
 * @path: of the file, as the compiler saw it
 * @functions: that have the line, with newlines between them
 * @inlined: functions into which those are inlined, with newlines between them; or ""
 * @variables: that can be read at one of its places at least, with newlines between them; or ""
 * @at_entry: those of @variables that can only be read as they were at the entry of the function,
 *	which a probe there keeps; with newlines between them; or ""
 * @line: its number
 * @places: number of instructions at which it begins
 */
struct tap_source_line {
	const char *path;
	const char *functions;
	const char *inlined;
	const char *variables;
	const char *at_entry;
	__u32 line;
	__u32 places;
};

/**
 * tap_source_lines() - list the lines of a file at which probes can be
 * @types: keeps the debug information that is found; see tap_types_add_debug()
 * @target: "[MODULE:|PATH:]FILE[:FROM[-TO]]", as the event "line:" has it
 * @each: is called for each line, in their order, until it returns another number than 0. What it
 *	is given is valid until it returns
 * @arg: given to @each
 * @err: an error message on failure
 *
 * Return: 0; what @each returned; -EINVAL for a target of another form; -ENODATA without debug
 * information, or if the file has no such lines; -ENOENT, -ENOTUNIQ: no such file, or several;
 * others of tap_spec_expand().
 */
LIBTAP_API int tap_source_lines(struct tap_types *types, const char *target,
				int (*each)(const struct tap_source_line *line, void *arg),
				void *arg, struct tap_error *err);

/**
 * tap_types_line() - add the source line to the name of a function of a module
 * @types: keeps the debug information that is found; see tap_types_add_debug()
 * @name: "func+0x10 [mod]", as tap_symbols_lookup() gives it. Set to "func+0x10 [mod] file.c:12",
 *	and for each function that was inlined there, the innermost first, a line follows:
 *	"\nfunc2 (inlined) file.h:8"
 * @size: bytes at @name
 *
 * Return: false if the name is as before: it has no module, or there is no debug information of
 * the loaded module.
 */
LIBTAP_API bool tap_types_line(struct tap_types *types, char *name, size_t size);

/**
 * tap_types_free() - free the types
 * @types: may be NULL
 */
LIBTAP_API void tap_types_free(struct tap_types *types);

struct tap_probes;

/**
 * struct tap_maps - what the processes have mapped, over time
 *
 * It reads /proc/PID/maps of all processes once and then follows the changes that the
 * kernel reports, so that an address in a record can be named later.
 */
struct tap_maps;

/**
 * tap_maps_open() - start to follow the maps of all processes
 * @maps: set on success; end it with tap_maps_close()
 * @err: an error message on failure; on success a remark if the kernel does not report
 *	changes, else its text is empty; not NULL
 *
 * Call it before the probes are enabled.
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_maps_open(struct tap_maps **maps, struct tap_error *err);

/**
 * tap_maps_close() - stop following and free the maps
 * @maps: may be NULL
 */
LIBTAP_API void tap_maps_close(struct tap_maps *maps);

/**
 * tap_maps_know() - add the programs of probes
 * @maps: the maps
 * @probes: a probe table; the files of its probes are open, so that they can be read even if
 *	their paths are gone
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_maps_know(struct tap_maps *maps,
			     const struct tap_probes *probes);

/**
 * tap_maps_update() - fetch the changes that the kernel has reported
 * @maps: the maps
 *
 * Call it when tap_maps_fd() is readable: the kernel drops changes when its buffer is full.
 */
LIBTAP_API void tap_maps_update(struct tap_maps *maps);

/**
 * tap_maps_fd() - the descriptor to poll
 * @maps: the maps
 *
 * Return: a descriptor that is readable when many changes are queued, owned by @maps; -1 if
 * the kernel does not report changes.
 */
LIBTAP_API int tap_maps_fd(const struct tap_maps *maps);

/**
 * tap_maps_lost() - changes that the kernel dropped
 * @maps: the maps
 *
 * Return: their number since tap_maps_open().
 */
LIBTAP_API __u64 tap_maps_lost(const struct tap_maps *maps);

/**
 * struct tap_user_symbols - names of addresses in programs, with a cache
 */
struct tap_user_symbols;

/**
 * tap_probes_have_user() - whether records have addresses in programs
 * @probes: a probe table
 *
 * Return: true if a field or a key of a probe is such an address or a user stack: then
 * struct tap_maps is worth its cost.
 */
LIBTAP_API bool tap_probes_have_user(const struct tap_probes *probes);

/**
 * tap_user_symbols_open() - start to name addresses
 * @syms: set on success; end it with tap_user_symbols_close()
 * @maps: the maps; must stay open until then
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_user_symbols_open(struct tap_user_symbols **syms,
				     struct tap_maps *maps);

/**
 * tap_user_symbols_close() - free the names
 * @syms: may be NULL
 */
LIBTAP_API void tap_user_symbols_close(struct tap_user_symbols *syms);

/**
 * tap_user_symbols_lookup() - name an address of a program
 * @syms: a struct tap_user_symbols: @resolve_user_arg of a formatter, which has this
 *	function as @resolve_user
 * @tgid: the process
 * @time: CLOCK_MONOTONIC ns; ~0: the latest state of the process
 * @addr: the address
 * @buf: set to "func+0x10 [DSO] file.c:12"; where it has no name, to "0x1234 [DSO]", the
 *	offset in the file; cut if it does not fit. For each function that was inlined there,
 *	the innermost first, a line follows: "\nfunc2 (inlined) file.h:8"
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT if it is not known what was mapped there.
 */
LIBTAP_API int tap_user_symbols_lookup(const void *syms, __u32 tgid, __u64 time,
				       __u64 addr, char *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_SYMBOLS_H */
