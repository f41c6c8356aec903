/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A program or shared library: its functions, its build-id, its USDT probes and
 * its lines of source, from the file and its separate debug file. Private to
 * libtap and its tool.
 */
#ifndef _TAP_ELF_ELF_OBJECT_H
#define _TAP_ELF_ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <libtap.h>

#define TAP_BUILD_ID_MAX	32
#define TAP_USDT_ARGS		12

/**
 * struct tap_elf_function - a function
 * @name: as in the symbol table
 * @demangled: as in the source, with its parameters; or NULL: as @name
 * @bare: the same without its parameters, to be shown; or NULL
 * @addr: virtual address in the file's own terms
 * @offset: where its first byte lies in the file
 * @size: bytes, 0 if not known
 * @indirect: an IFUNC: what runs is a resolver that chooses the function
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
 * enum tap_usdt_kind - where an argument of a USDT probe is
 * @TAP_USDT_CONST: it is @value
 * @TAP_USDT_REG: in register @reg
 * @TAP_USDT_MEMORY: in memory at @reg + @index * @scale + @value
 * @TAP_USDT_SYMBOL: the same, to which the address of @symbol is to be added in
 *	the way of the architecture; tap_elf_usdt_resolve() makes it that
 * @TAP_USDT_UNKNOWN: nowhere that a program can read (a floating-point register)
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
 * @is_signed: they are a signed number
 * @is_float: they are a floating-point number
 * @shift: of a register: bits below it (8 for %ah), else 0
 * @reg: byte offset of the register in struct pt_regs as TAP_OP_REG has it; -1:
 *	there is none
 * @index: the same of the second register
 * @scale: 1, 2, 4 or 8
 * @value: see the kinds
 * @symbol: of %TAP_USDT_SYMBOL: name of a variable, in the text of the arguments
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
 * @name: its name
 * @offset: where the place lies in the file
 * @semaphore: where its semaphore lies in the file, 0 if it has none
 * @args: its arguments
 * @nr_args: how many
 */
struct tap_usdt {
	const char *provider;
	const char *name;
	uint64_t offset;
	uint64_t semaphore;
	struct tap_usdt_arg args[TAP_USDT_ARGS];
	unsigned int nr_args;
};

/* Opens a file; what is read of it is read when it is first asked for. */
int tap_elf_open(struct tap_elf **elf, const char *path, struct tap_error *err);
struct tap_elf *tap_elf_get(struct tap_elf *elf);
void tap_elf_put(struct tap_elf *elf);

/* A regular file, by a descriptor of O_PATH that it closes; -1 with errno. */
int tap_reopen_file(int fd, struct stat *st);

/* Open for reading; stays the elf's. */
int tap_elf_fd(const struct tap_elf *elf);
const char *tap_elf_path(const struct tap_elf *elf);
/* Whether it is a program of 32 bits, whose arguments are on the stack. */
bool tap_elf_is_32bit(const struct tap_elf *elf);
/* Whether a byte of the file is loaded as code. */
bool tap_elf_is_code(const struct tap_elf *elf, uint64_t offset);
/* Whether another file has its name by now. */
bool tap_elf_replaced(const struct tap_elf *elf);
/* Bytes of the build-id at id, 0 if it has none. */
size_t tap_elf_build_id(struct tap_elf *elf, uint8_t id[TAP_BUILD_ID_MAX]);

/*
 * All functions by address, names of the same place one after the other, the one
 * to be shown first. -ENODATA with an error message if there is no symbol table.
 */
int tap_elf_functions(struct tap_elf *elf,
		      const struct tap_elf_function **list, size_t *nr,
		      struct tap_error *err);
/*
 * The functions of a name, as in the symbol table or as in the source with or
 * without parameters, or those that a glob over these matches; a place once. An
 * IFUNC is among them. -ENOENT with near names; what each returns if it is not 0.
 */
int tap_elf_match(struct tap_elf *elf, const char *pattern,
		  int (*each)(const struct tap_elf_function *fn, void *arg),
		  void *arg, struct tap_error *err);
/* The function that covers a byte of the file, or NULL. */
const struct tap_elf_function *tap_elf_at(struct tap_elf *elf, uint64_t offset);
/* "FILE:LINE" of a byte of the file; 0 or -ENOENT. */
int tap_elf_line(struct tap_elf *elf, uint64_t offset, char *buf, size_t len);

/*
 * Whether an instruction begins off bytes behind a function's begin: 0; -EILSEQ
 * if not; -ERANGE behind its end; -EOPNOTSUPP if that is not known.
 */
int tap_elf_check(struct tap_elf *elf, const struct tap_elf_function *fn,
		  uint64_t off);
/* The same of a byte of the file that is in no function known. */
int tap_elf_check_at(struct tap_elf *elf, uint64_t offset);

/*
 * All places of USDT probes, those of a name one after the other; -ENODATA with an
 * error message if there are none.
 */
int tap_elf_usdt(struct tap_elf *elf, const struct tap_usdt **list, size_t *nr,
		 struct tap_error *err);

/* Whether two places are of the same name. */
bool tap_usdt_same(const struct tap_usdt *a, const struct tap_usdt *b);

/* Finds the variables that arguments of a place are in, as far as they are known. */
void tap_elf_usdt_resolve(struct tap_elf *elf, const struct tap_usdt *place);

/* usdt_args.c: "-4@%eax 8@8(%rbp)"; 0 or -EINVAL. */
int tap_usdt_args(struct tap_usdt *usdt, const char *text, size_t len);
/*
 * Gives an argument that is in a variable its place in memory: at addresses of the
 * file itself, which is loaded at these if it is fixed. False if that is not known.
 */
bool tap_usdt_place(struct tap_usdt_arg *arg, uint64_t variable, uint64_t probe,
		    bool fixed);

/*
 * elf_lookup.c: the path of a program or library by what the user says: a path; the
 * name of a library that process pid has mapped, or that the linker would find
 * ("libc", "libc.so.6"); the name of a program in PATH. Of a process in another
 * mount namespace a path that leads through /proc/PID/root.
 */
int tap_elf_find(const char *name, uint32_t pid, char *path, size_t len,
		 struct tap_error *err);

#endif /* _TAP_ELF_ELF_OBJECT_H */
