/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Lines of the source, inlined functions, and the variables at an instruction. Private to
 * libtap and its tool.
 */
#ifndef _TAP_DWARF_SOURCE_H
#define _TAP_DWARF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include <libtap.h>

struct tap_dwarf;
struct tap_type;

/**
 * struct tap_dwarf_variable - a variable or parameter
 * @name: as in the source
 * @die: describes it, where it is inlined: in this place
 * @parameter: of a function
 */
struct tap_dwarf_variable {
	const char *name;
	Dwarf_Die die;
	bool parameter;
};

/**
 * struct tap_dwarf_place - an instruction
 * @symbol: the function that kallsyms or the symbol table of the file has it in
 * @offset: bytes from the start of @symbol
 * @addr: where libdwfl laid it out
 * @bias: @addr without it is the address in the DWARF
 * @cu: its compilation unit
 * @file: of a line: the file of the source, as the line table has it
 * @line: the line that begins there; 0: it is the entry of a function
 * @empty: of a line: it has no instruction there, which belongs to another line
 * @instance: of the entry of a function: the offset of its DIE
 * @inlined: the function is inlined there
 * @no_entry: of an inlined function: no attribute says where it is entered, so this is its first
 *	instruction, which a loop that is entered elsewhere passes more or less often
 * @function: the DIE of the function around it, once its variables are known
 * @variables: those of the functions and blocks around it: the innermost first, each name once;
 *	allocated; NULL: not known yet
 * @nr_variables: number of @variables
 */
struct tap_dwarf_place {
	char symbol[TAP_MAX_TARGET];
	uint64_t offset;
	Dwarf_Addr addr;
	Dwarf_Addr bias;
	Dwarf_Die cu;
	const char *file;
	int line;
	bool empty;
	Dwarf_Off instance;
	bool inlined;
	bool no_entry;
	Dwarf_Die function;
	struct tap_dwarf_variable *variables;
	size_t nr_variables;
};

/**
 * struct tap_dwarf_places - the instructions of lines, or of an inlined function
 * @list: by address, of each line once; allocated
 * @nr: number of @list
 */
struct tap_dwarf_places {
	struct tap_dwarf_place *list;
	size_t nr;
};

/* dwarf_place.c */
int tap_dwarf_place_add(struct tap_dwarf_places *places, const struct tap_dwarf_place *place);
int tap_dwarf_places_finish(struct tap_dwarf_places *places, Dwfl_Module *mod,
			    struct tap_error *err);
void tap_dwarf_places_free(struct tap_dwarf_places *places);
int tap_dwarf_entry(Dwfl_Module *mod, const struct tap_dwarf_place *place,
		    struct tap_dwarf_places *entry, struct tap_error *err);

/* dwarf_lines.c */
int tap_dwarf_lines(Dwfl_Module *mod, const char *file, int first, int last,
		    struct tap_dwarf_places *places, struct tap_error *err);
int tap_dwarf_line(Dwfl_Module *mod, const char *file, int line,
		   struct tap_dwarf_places *places, struct tap_error *err);
int tap_dwarf_function_line(Dwfl_Module *mod, const char *function, int offset,
			    struct tap_dwarf_places *places, struct tap_error *err);
char *tap_dwarf_file_path(Dwarf_Die *cu, const char *name);

/* dwarf_inline.c */
size_t tap_dwarf_inlined(struct tap_dwarf *dwarf, const char *function);
int tap_dwarf_instances(Dwfl_Module *mod, const char *function,
			struct tap_dwarf_places *places, struct tap_error *err);

#define TAP_DWARF_MAX_DEPTH	64

/**
 * struct tap_dwarf_scope - the functions and blocks around an instruction
 * @die: the innermost last; the first is the function
 * @nr: number of @die; 0: the code belongs to no function
 */
struct tap_dwarf_scope {
	Dwarf_Die die[TAP_DWARF_MAX_DEPTH];
	unsigned int nr;
};

/* dwarf_vars.c */
void tap_dwarf_scope_at(const struct tap_dwarf_place *place, struct tap_dwarf_scope *scope);
int tap_dwarf_variables(struct tap_dwarf_place *place);
const struct tap_dwarf_variable *tap_dwarf_variable(const struct tap_dwarf_place *place,
						    const char *name, size_t len);
void tap_dwarf_alive(Dwfl_Module *mod, const struct tap_dwarf_place *place,
		     const struct tap_dwarf_variable *variable, char *buf, size_t size);

void tap_dwarf_variable_type(struct tap_dwarf *dwarf, const struct tap_dwarf_variable *variable,
			     struct tap_type *type);

#define TAP_DWARF_MAX_TERMS	64

/**
 * struct tap_dwarf_term - a step of the computation of a location
 * @code: enum tap_op_code: %TAP_OP_IMM the number @value, %TAP_OP_REG the register @value,
 *	%TAP_OP_LOAD memory at term @a, %TAP_OP_MOVE the lowest bytes of term @a,
 *	%TAP_OP_CAPTURED argument @value at the entry of the function, where @a was the stack
 *	pointer; arithmetic of terms @a and @b; jumps: 1 if they are taken, else 0
 * @size: as in struct tap_op
 * @value: see @code
 * @a: index of an earlier term
 * @b: the same
 */
struct tap_dwarf_term {
	uint8_t code;
	uint8_t size;
	uint8_t a;
	uint8_t b;
	uint64_t value;
};

/**
 * struct tap_dwarf_location - where a variable is, or its value
 * @terms: the last one is the result
 * @nr: number of @terms
 * @memory: the result is the address of the variable; else its value
 * @captured: it is computed from arguments of the function, as they were at its entry
 */
struct tap_dwarf_location {
	struct tap_dwarf_term terms[TAP_DWARF_MAX_TERMS];
	unsigned int nr;
	bool memory;
	bool captured;
};

/* dwarf_location.c */
int tap_dwarf_locate(Dwfl_Module *mod, const struct tap_dwarf_place *place,
		     const struct tap_dwarf_variable *variable,
		     struct tap_dwarf_location *location, char *why, size_t size);
int tap_dwarf_argument_register(unsigned int argument);

#endif /* _TAP_DWARF_SOURCE_H */
