/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * C types: from BTF of the running kernel, or made by hand. Private to libtap.
 */
#ifndef _TAP_TYPES_BTF_H
#define _TAP_TYPES_BTF_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>

struct btf;
struct btf_type;
struct tap_btf;
struct tap_suggest;

/**
 * enum tap_type_class - the class of a type
 * @TAP_TYPE_NONE: void, or unknown
 * @TAP_TYPE_INT: a number
 * @TAP_TYPE_BOOL: true or false
 * @TAP_TYPE_CHAR: a character: pointers to it and arrays of it are text
 * @TAP_TYPE_ENUM: a number with names
 * @TAP_TYPE_POINTER: an address
 * @TAP_TYPE_STRUCT: a struct or union; only its members are values
 * @TAP_TYPE_ARRAY: contiguous elements of one type
 * @TAP_TYPE_OTHER: a function, a floating-point number
 */
enum tap_type_class {
	TAP_TYPE_NONE,
	TAP_TYPE_INT,
	TAP_TYPE_BOOL,
	TAP_TYPE_CHAR,
	TAP_TYPE_ENUM,
	TAP_TYPE_POINTER,
	TAP_TYPE_STRUCT,
	TAP_TYPE_ARRAY,
	TAP_TYPE_OTHER,
};

/**
 * struct tap_type - a type without its typedefs and qualifiers
 * @cls: its class
 * @is_signed: a signed number
 * @user: a pointer to user memory (__user)
 * @size: bytes; 0 if unknown. For an array made by hand without @nr: of one element
 * @nr: elements of an array
 * @btf: BTF that describes it; NULL: made by hand
 * @id: its id in @btf, including typedefs and qualifiers, for its name; without @btf:
 *	enum tap_type_class of an array's elements, or of a pointer's target
 */
struct tap_type {
	enum tap_type_class cls;
	bool is_signed;
	bool user;
	__u32 size;
	__u32 nr;
	const struct tap_btf *btf;
	__u32 id;
};

/**
 * struct tap_member - a member of a struct or union
 * @type: its type
 * @bit: offset in bits from the start of the outermost struct
 * @bits: width of a bitfield; else 0
 */
struct tap_member {
	struct tap_type type;
	__u32 bit;
	__u32 bits;
};

#define TAP_MAX_PARAMS	16

/**
 * enum tap_param_place - what debug information says of a parameter at the first instruction
 * @TAP_PARAM_UNTOLD: nothing, as in BTF: it is where the calling convention has it
 * @TAP_PARAM_ARG: it is the argument @arg of the calling convention
 * @TAP_PARAM_ELSEWHERE: it is in another register, or on the stack
 * @TAP_PARAM_CONSTANT: the compiler put a constant in its place
 * @TAP_PARAM_REMOVED: the compiler removed it
 */
enum tap_param_place {
	TAP_PARAM_UNTOLD,
	TAP_PARAM_ARG,
	TAP_PARAM_ELSEWHERE,
	TAP_PARAM_CONSTANT,
	TAP_PARAM_REMOVED,
};

/**
 * struct tap_prototype - the prototype of a function
 * @nr: parameters
 * @params: their names, or "", types and places
 * @located: it is from debug information, which has the places
 * @ret: type of the return value; %TAP_TYPE_NONE for void
 * @base: for a clone the function that BTF describes, whose parameters the clone may
 *	lack; else ""
 * @file: of the source, as the debug information has it, to which it belongs; NULL: not known
 */
struct tap_prototype {
	unsigned int nr;
	struct {
		char name[TAP_FIELD_NAME_LEN];
		struct tap_type type;
		enum tap_param_place place;
		unsigned int arg;
	} params[TAP_MAX_PARAMS];
	bool located;
	struct tap_type ret;
	char base[128];
	const char *file;
};

/**
 * struct tap_debug - where debug information is found, and what was found
 * @paths: files and directories of --debug, searched first
 * @nr: number of @paths
 * @root: before /sys, /lib and others: "", or a directory of a test
 * @found: the opened files, of dwarf/; NULL: none yet
 * @free: frees @found
 */
struct tap_debug {
	char **paths;
	size_t nr;
	const char *root;
	struct tap_dwarfs *found;
	void (*free)(struct tap_dwarfs *found);
};

/* The module name of code that is in no module. */
#define TAP_VMLINUX	"vmlinux"

#define TAP_BTF_DIR	"/sys/kernel/btf"

/* btf_data.c: types by id */
int tap_btf_open(struct tap_btf **btf, const char *path, const struct tap_btf *base);
struct tap_btf *tap_btf_grow(struct btf *types, bool user, __u32 (*complete)(void *arg, __u32 id),
			     void *arg);
bool tap_btf_is_user(const struct tap_btf *btf);
bool tap_btf_is_grown(const struct tap_btf *btf);
__u32 tap_btf_complete(const struct tap_btf *btf, __u32 id);
void tap_btf_close(struct tap_btf *btf);
__u32 tap_btf_first(const struct tap_btf *btf);
__u32 tap_btf_end(const struct tap_btf *btf);
const struct btf_type *tap_btf_type(const struct tap_btf *btf, __u32 id);
const char *tap_btf_name(const struct tap_btf *btf, __u32 offset);
__u32 tap_btf_find(const struct tap_btf *btf, const char *name, size_t len,
		   bool (*fits)(const struct btf_type *t));
__u32 tap_btf_find_all(const struct tap_btf *btf, const char *name,
		       bool (*fits)(const struct btf_type *t));

/* btf.c: types by name */
int tap_types_read(struct tap_types *types, struct tap_error *err);
int tap_types_open(struct tap_types **types, struct tap_error *err);
int tap_types_open_from(struct tap_types **types, const char *dir,
			struct tap_error *err);
struct tap_debug *tap_types_debug(struct tap_types *types);
int tap_types_function(struct tap_types *types, const char *module,
		       const char *name, struct tap_prototype *proto);
int tap_types_tracepoint(struct tap_types *types, const char *module,
			 const char *name, struct tap_prototype *proto);
int tap_types_struct(struct tap_types *types, const char *name, size_t len,
		     struct tap_type *type);
int tap_types_enumerator(struct tap_types *types, const char *name, size_t len,
			 __s64 *value);

/* btf_type.c: parts of a type */
const char *tap_btf_enumerator(const struct tap_btf *btf, const struct btf_type *t,
			       unsigned int i, __s64 *value);
bool tap_type_is_float(const struct tap_type *type);
int tap_type_make(const struct tap_btf *btf, __u32 id, struct tap_type *type);
int tap_type_target(const struct tap_type *type, struct tap_type *target);
int tap_type_member(const struct tap_type *type, const char *name, size_t len,
		    struct tap_member *member);
int tap_type_members(const struct tap_type *type,
		     int (*fn)(void *arg, const char *name, const struct tap_member *member),
		     void *arg);
void tap_type_suggest(const struct tap_type *type, struct tap_suggest *s);
int tap_type_enumerator(const struct tap_type *type, const char *name,
			size_t len, __s64 *value);
struct tap_value_names *tap_type_value_names(const struct tap_type *type);

/* btf_type_name.c: types in C syntax */
void tap_type_declare(const struct tap_type *type, const char *name, char *buf,
		      size_t size);
void tap_type_name(const struct tap_type *type, char *buf, size_t size);

#endif /* _TAP_TYPES_BTF_H */
