/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A program or shared library: its functions, build-id, USDT probes and source lines,
 * from the file and its separate debug file. Private to libtap and its tool.
 */
#ifndef _TAP_ELF_ELF_OBJECT_H
#define _TAP_ELF_ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <elfutils/libdwfl.h>

#include <libtap.h>

struct tap_elf;

#define TAP_BUILD_ID_MAX	32
#define TAP_USDT_ARGS		12

/**
 * struct tap_elf_function - a function
 * @name: as in the symbol table
 * @demangled: as in the source, with its parameters; NULL: same as @name
 * @bare: @demangled without its parameters, for output; or NULL
 * @addr: virtual address in the file
 * @offset: its first byte in the file
 * @size: bytes, 0 if unknown
 * @indirect: an IFUNC: its code is a resolver that chooses the implementation
 */
struct tap_elf_function {
	const char *name;
	const char *demangled;
	const char *bare;
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	bool indirect;
};

/**
 * enum tap_usdt_kind - the place of an argument of a USDT probe
 * @TAP_USDT_CONST: constant @value
 * @TAP_USDT_REG: in register @reg
 * @TAP_USDT_MEMORY: in memory at @reg + @index * @scale + @value
 * @TAP_USDT_SYMBOL: as @TAP_USDT_MEMORY, but the address of @symbol is still to be
 *	added as the architecture does it; tap_elf_usdt_resolve() turns it into
 *	@TAP_USDT_MEMORY
 * @TAP_USDT_UNKNOWN: cannot be read (e.g. a floating-point register)
 */
enum tap_usdt_kind {
	TAP_USDT_CONST,
	TAP_USDT_REG,
	TAP_USDT_MEMORY,
	TAP_USDT_SYMBOL,
	TAP_USDT_UNKNOWN,
};

/**
 * struct tap_usdt_arg - an argument of a USDT probe
 * @kind: enum tap_usdt_kind
 * @size: bytes, 1, 2, 4 or 8
 * @is_signed: a signed number
 * @is_float: a floating-point number
 * @shift: bits below the value in the register (8 for %ah), else 0
 * @reg: byte offset of the register in struct pt_regs, as in TAP_OP_REG; -1: none
 * @index: the same for the second register
 * @scale: 1, 2, 4 or 8
 * @value: see the kinds
 * @symbol: name of a variable for %TAP_USDT_SYMBOL; points into the text of the
 *	arguments
 * @symbol_len: its bytes
 */
struct tap_usdt_arg {
	enum tap_usdt_kind kind;
	uint8_t size;
	bool is_signed;
	bool is_float;
	uint8_t shift;
	int16_t reg;
	int16_t index;
	uint8_t scale;
	int64_t value;
	const char *symbol;
	size_t symbol_len;
};

/**
 * struct tap_usdt - a place of a USDT probe; one name may have several
 * @provider: its provider
 * @name: without the provider
 * @offset: of the place in the file
 * @semaphore: offset of its semaphore in the file, 0 if it has none
 * @args: its arguments
 * @nr_args: number of @args
 */
struct tap_usdt {
	const char *provider;
	const char *name;
	uint64_t offset;
	uint64_t semaphore;
	struct tap_usdt_arg args[TAP_USDT_ARGS];
	unsigned int nr_args;
};

struct tap_elf;

/* Parts of a file are read when they are needed. */
int tap_elf_open(struct tap_elf **elf, const char *path, struct tap_error *err);
struct tap_elf *tap_elf_get(struct tap_elf *elf);
void tap_elf_put(struct tap_elf *elf);

int tap_reopen_file(int fd, struct stat *st);

int tap_elf_fd(const struct tap_elf *elf);
const char *tap_elf_path(const struct tap_elf *elf);
bool tap_elf_is_same(const struct tap_elf *a, const struct tap_elf *b);
bool tap_elf_is_32bit(const struct tap_elf *elf);
bool tap_elf_is_code(const struct tap_elf *elf, uint64_t offset);
bool tap_elf_replaced(const struct tap_elf *elf);
size_t tap_elf_build_id(struct tap_elf *elf, uint8_t id[TAP_BUILD_ID_MAX]);

int tap_elf_functions(struct tap_elf *elf,
		      const struct tap_elf_function **list, size_t *nr,
		      struct tap_error *err);
int tap_elf_match(struct tap_elf *elf, const char *pattern,
		  int (*each)(const struct tap_elf_function *fn, void *arg),
		  void *arg, struct tap_error *err);
const struct tap_elf_function *tap_elf_at(struct tap_elf *elf, uint64_t offset);
/*
 * Sets @addr to the virtual address of a byte of the code. Returns false if the byte is
 * not loaded as code.
 */
bool tap_elf_addr(const struct tap_elf *elf, uint64_t offset, uint64_t *addr);
/* The file as a module of libdwfl, loaded at the addresses in the file; NULL: libdwfl rejects it. */
Dwfl_Module *tap_elf_module(struct tap_elf *elf);
int tap_elf_line(struct tap_elf *elf, uint64_t offset, char *buf, size_t len);

int tap_elf_check(struct tap_elf *elf, const struct tap_elf_function *fn,
		  uint64_t off);
int tap_elf_check_at(struct tap_elf *elf, uint64_t offset);
bool tap_elf_is_refused(const struct tap_elf *elf, uint64_t offset);

int tap_elf_usdt(struct tap_elf *elf, const struct tap_usdt **list, size_t *nr,
		 struct tap_error *err);

/* Whether two places have the same name. */
bool tap_usdt_same(const struct tap_usdt *a, const struct tap_usdt *b);

void tap_elf_usdt_resolve(struct tap_elf *elf, const struct tap_usdt *place);

/* usdt_args.c: parses "-4@%eax 8@8(%rbp)"; 0 or -EINVAL. */
int tap_usdt_args(struct tap_usdt *usdt, const char *text, size_t len);
/*
 * Gives an argument in a variable its place in memory. @variable and @probe are
 * addresses in the file, which are the loaded ones if @fixed. Returns false if the
 * place is unknown.
 */
bool tap_usdt_place(struct tap_usdt_arg *arg, uint64_t variable, uint64_t probe,
		    bool fixed);

/* elf_unwind.c */
struct Dwfl;
bool tap_elf_hides_caller(struct tap_elf *elf, uint64_t offset);
struct Dwfl_Module *tap_elf_report(const struct tap_elf *elf, struct Dwfl *dwfl, uint64_t offset,
				   uint64_t at, uint64_t len);

/* elf_lookup.c */
int tap_elf_find(const char *name, uint32_t pid, char *path, size_t len,
		 struct tap_error *err);

#endif /* _TAP_ELF_ELF_OBJECT_H */
