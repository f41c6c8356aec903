// SPDX-License-Identifier: LGPL-2.1
/*
 * The names that a function or a raw tracepoint gives to its expressions, from its
 * prototype.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "dwarf/dwarf.h"
#include "lang/target.h"
#include "spec/spec.h"
#include "types/scope.h"
#include "util/arch.h"
#include "util/value_names.h"

/* Bytes of a register. */
#define WORD		8

/*
 * Registers of arguments while they are assigned. @next is the first free one; from
 * %TAP_MAX_ARGS on programs cannot read them. The probe of a raw tracepoint (@rawtp) is
 * called differently from a function. With debug information (@located), structs and
 * floating-point numbers of a program need not be where the calling convention of the kernel has
 * them: behind one, @next is @unsure.
 */
struct places {
	unsigned int next;
	bool rawtp;
	bool located;
	bool unsure;
};

/* The number of the next argument, or -1 if programs cannot read it. */
static int place(struct places *p, const struct tap_type *type)
{
	unsigned int words = (type->size + WORD - 1) / WORD;

	if (p->located && tap_type_is_float(type))
		return -1;
	p->unsure |= p->located && (type->cls == TAP_TYPE_STRUCT || type->cls == TAP_TYPE_OTHER);
	if (p->next >= TAP_MAX_ARGS)
		return -1;
	if (type->cls != TAP_TYPE_STRUCT && type->cls != TAP_TYPE_OTHER)
		return p->next++;
	if (type->cls == TAP_TYPE_STRUCT && words <= 1) {
		p->next += words;
		return -1;
	}
	if (type->cls == TAP_TYPE_STRUCT && !p->rawtp) {
		p->next += tap_arch_struct_regs(words, p->next);
		return -1;
	}
	/* The calling convention does not say where the next arguments are. */
	p->next = TAP_MAX_ARGS;
	return -1;
}

/*
 * What debug information says of the place of parameter @i. @at is its place by the calling
 * convention.
 */
static void check_place(struct tap_name *name, const struct tap_prototype *proto, unsigned int i,
			bool unsure)
{
	bool is_value = name->type.cls != TAP_TYPE_STRUCT && name->type.cls != TAP_TYPE_OTHER;
	enum tap_param_place place = proto->params[i].place;
	int arg = proto->params[i].arg;

	if (unsure && is_value)
		name->at = place == TAP_PARAM_ARG && arg < TAP_MAX_ARGS ? arg : -1;
	if (name->at < 0)
		return;
	if (place == TAP_PARAM_REMOVED)
		name->lost = "the compiler removed it from this function";
	else if (place == TAP_PARAM_CONSTANT)
		name->lost = "the compiler put a constant in its place in this copy of the function";
	else if (place == TAP_PARAM_ELSEWHERE || (place == TAP_PARAM_ARG && arg != name->at))
		name->lost = "the compiler moved it to another register or to the stack";
	name->moved = name->lost && place != TAP_PARAM_REMOVED && place != TAP_PARAM_CONSTANT;
	if (name->lost)
		name->at = -1;
}

static int add_params(struct tap_scope *scope,
		      const struct tap_prototype *proto, bool rawtp)
{
	struct places places = {
		.rawtp = rawtp, .located = proto->located,
		/* It may be returned in memory, whose address is then the first argument. */
		.unsure = proto->located && proto->ret.cls == TAP_TYPE_STRUCT,
	};
	struct tap_name *name;
	unsigned int i;
	bool unsure;

	/* One more for add_function(). */
	scope->names = calloc(proto->nr + 1, sizeof(*scope->names));
	if (!scope->names)
		return -ENOMEM;
	for (i = 0; i < proto->nr; i++) {
		name = &scope->names[scope->nr++];
		memcpy(name->name, proto->params[i].name, sizeof(name->name));
		if (!*name->name)
			snprintf(name->name, sizeof(name->name), "arg%u",
				 i + 1);
		name->kind = TAP_NAME_ARG;
		name->type = proto->params[i].type;
		unsure = places.unsure;
		name->at = place(&places, &name->type);
		if (proto->located)
			check_place(name, proto, i, unsure);
		/*
		 * NULL for other types and when out of memory: the value is then
		 * printed as a number.
		 */
		name->value_names = tap_type_value_names(&name->type);
	}
	return 0;
}

/* The function of a glob. A single function is in the event's name. */
static void add_function(struct tap_scope *scope)
{
	scope->names[scope->nr++] = (struct tap_name) {
		.name = "func", .kind = TAP_NAME_VAR, .at = TAP_VAR_FUNC,
		.type = { .cls = TAP_TYPE_INT, .size = WORD },
		.format = TAP_FMT_FUNC, .quiet = true,
	};
}

__attribute__((format(printf, 2, 3)))
static void explain(struct tap_scope *scope, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(scope->why, sizeof(scope->why), fmt, ap);
	va_end(ap);
}

/* The prototype out of the debug information of a module without BTF. */
static int read_dwarf(struct tap_scope *scope, const struct tap_target *target,
		      struct tap_prototype *proto)
{
	struct tap_error err = { 0 };
	int ret;

	if (!*target->module || !strcmp(target->module, TAP_VMLINUX))
		return -ENODATA;
	ret = tap_dwarf_find_module(scope->types, target->module, &scope->dwarf, &err);
	if (ret) {
		explain(scope, "%s", err.text);
		return -ENODATA;
	}
	ret = tap_dwarf_function(scope->dwarf, target->name, proto);
	if (ret == -ENOENT)
		explain(scope, "the debug information of %.200s does not describe %.64s",
			tap_dwarf_path(scope->dwarf), target->name);
	else if (ret == -ENOTUNIQ)
		explain(scope, "several functions of the module %.64s have the name %.64s",
			target->module, target->name);
	else if (ret == -EBADMSG)
		explain(scope, "the debug information of %.200s is malformed",
			tap_dwarf_path(scope->dwarf));
	return ret;
}

/* Explains the error codes of tap_types_function() and tap_types_tracepoint(). */
static int no_prototype(struct tap_scope *scope, int code,
			const struct tap_target *target, struct tap_error *err)
{
	if (*scope->why && code != -ENOMEM)
		return 0;
	switch (code) {
	case -ENODATA:
		explain(scope, "the module %.64s has no BTF", target->module);
		return 0;
	case -ENOENT:
		explain(scope, "the kernel's BTF does not describe %.64s",
			target->name);
		return 0;
	case -EBADMSG:
		explain(scope, "the kernel's BTF for it is malformed");
		return 0;
	}
	return tap_error_set(err, code, "out of memory");
}

/* The names that a prototype gives to an event. */
static int take_prototype(struct tap_scope *scope, enum tap_probe_type type,
			  const struct tap_prototype *proto, struct tap_error *err)
{
	int ret;

	memcpy(scope->base, proto->base, sizeof(scope->base));
	scope->file = proto->file;
	if (type == TAP_PROBE_KRETPROBE || type == TAP_PROBE_CALL ||
	    type == TAP_PROBE_FUNCGRAPH || type == TAP_PROBE_URETPROBE ||
	    type == TAP_PROBE_UCALL)
		scope->ret = proto->ret;
	if (type == TAP_PROBE_KRETPROBE || type == TAP_PROBE_URETPROBE)
		return 0;
	ret = add_params(scope, proto, type == TAP_PROBE_RAWTP);
	if (!ret)
		return 0;
	tap_scope_close(scope);
	return tap_error_set(err, ret, "out of memory");
}

/**
 * tap_scope_open() - the names of a function or a raw tracepoint
 * @scope: filled in; the caller has to call tap_scope_close()
 * @types: of the running kernel, or NULL if it has none; must outlive the scope
 * @type: a kprobe has the arguments, a kretprobe the return value, a call or a
 *	funcgraph both, a raw tracepoint its arguments
 * @target: e.g. "ext4:ext4_sync_file", without a glob
 * @err: an error message on failure
 *
 * A missing prototype is not a failure; @scope->why then has the reason.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_open(struct tap_scope *scope, struct tap_types *types,
		   enum tap_probe_type type, const char *target,
		   struct tap_error *err)
{
	bool rawtp = type == TAP_PROBE_RAWTP;
	struct tap_prototype proto;
	struct tap_target t;
	int ret;

	*scope = (struct tap_scope) { .types = types };
	tap_target_split(target, &t);
	if (t.offset) {
		explain(scope, "an instruction inside a function has no arguments");
		return 0;
	}
	if (strstr(t.name, ".cold")) {
		explain(scope, "the .cold part of a function has no arguments");
		return 0;
	}
	if (!types) {
		explain(scope, "the kernel has no BTF");
		return 0;
	}
	if (rawtp)
		ret = tap_types_tracepoint(types, t.module, t.name, &proto);
	else
		ret = tap_types_function(types, t.module, t.name, &proto);
	if (ret == -ENODATA && !rawtp)
		ret = read_dwarf(scope, &t, &proto);
	if (ret)
		return no_prototype(scope, ret, &t, err);
	ret = take_prototype(scope, type, &proto, err);
	if (!ret && type == TAP_PROBE_FUNC)
		add_function(scope);
	return ret;
}

/* The prototype of a function of a program. */
static int read_program(struct tap_scope *scope, struct tap_types *types,
			const struct tap_spec *spec, struct tap_prototype *proto)
{
	const struct tap_elf_function *fn = tap_elf_at(spec->elf, spec->offset);
	struct tap_error err = { 0 };
	uint64_t addr;
	int ret;

	ret = tap_dwarf_find_elf(types, spec->elf, &scope->dwarf, &err);
	if (ret) {
		explain(scope, "%s", err.text);
		return ret;
	}
	if (!fn || !tap_elf_addr(spec->elf, spec->offset, &addr))
		return -ENOENT;
	return tap_dwarf_function_at(scope->dwarf, addr, fn->name, proto);
}

/**
 * tap_scope_user() - the names of a place in a program
 * @scope: filled in; the caller has to call tap_scope_close() before it frees @spec
 * @types: keep the debug information; NULL: no expression needs it. Must outlive the scope
 * @spec: expanded
 * @err: an error message on failure
 *
 * A USDT probe has the arguments of its note; a function has those of its debug information.
 * Its return value has no type if no expression needs one: the debug information of a program may
 * be large.
 *
 * Return: 0 or -errno.
 */
int tap_scope_user(struct tap_scope *scope, struct tap_types *types, const struct tap_spec *spec,
		   struct tap_error *err)
{
	struct tap_prototype proto;
	int ret;

	if (spec->type == TAP_PROBE_USDT)
		return tap_scope_usdt(scope, spec, err);
	*scope = (struct tap_scope) { 0 };
	if (!types)
		return 0;
	if (tap_spec_inside(spec)) {
		explain(scope, "an instruction inside a function has no arguments");
		return 0;
	}
	if (tap_elf_is_32bit(spec->elf)) {
		explain(scope, "the functions of a 32-bit program have none");
		return 0;
	}
	ret = read_program(scope, types, spec, &proto);
	if (!ret)
		return take_prototype(scope, spec->type, &proto, err);
	if (ret == -ENOMEM)
		return tap_error_set(err, ret, "out of memory");
	if (!*scope->why)
		explain(scope, ret == -ENOENT ?
			"the debug information of %.200s does not describe this function" :
			"the debug information of %.200s is malformed", tap_elf_path(spec->elf));
	return 0;
}

/**
 * tap_scope_lost() - list the parameters that a function does not get any more
 * @scope: of a function
 * @buf: gets their names with commas between them, as many as fit
 * @size: bytes of @buf
 *
 * Return: whether there are any.
 */
bool tap_scope_lost(const struct tap_scope *scope, char *buf, size_t size)
{
	size_t i, len = 0;

	*buf = '\0';
	for (i = 0; i < scope->nr && len < size; i++)
		if (scope->names[i].lost)
			len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
					scope->names[i].name);
	return len;
}

/**
 * tap_scope_struct() - look up a struct or union
 * @scope: its debug information comes before its types
 * @name: as for tap_types_struct()
 * @len: length of @name
 * @type: filled in
 *
 * Return: as tap_types_struct().
 */
int tap_scope_struct(const struct tap_scope *scope, const char *name, size_t len,
		     struct tap_type *type)
{
	int ret = scope->dwarf ? tap_dwarf_struct(scope->dwarf, name, len, type) : -ENOENT;

	if (ret == -ENOENT && scope->types)
		ret = tap_types_struct(scope->types, name, len, type);
	return ret;
}

/**
 * tap_scope_enumerator() - look up an enumerator of any enum
 * @scope: its debug information comes before its types
 * @name: not terminated
 * @len: length of @name
 * @value: set
 *
 * Return: as tap_types_enumerator().
 */
int tap_scope_enumerator(const struct tap_scope *scope, const char *name, size_t len,
			 __s64 *value)
{
	int ret = scope->dwarf ? tap_dwarf_enumerator(scope->dwarf, name, len, value) : -ENOENT;

	if (ret == -ENOENT && scope->types)
		ret = tap_types_enumerator(scope->types, name, len, value);
	return ret;
}

/**
 * tap_scope_functions() - the names that all functions of a glob have
 * @scope: filled in; the caller has to call tap_scope_close()
 * @err: an error message on failure
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_functions(struct tap_scope *scope, struct tap_error *err)
{
	*scope = (struct tap_scope) {
		.names = calloc(1, sizeof(*scope->names)),
	};
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	explain(scope, "the functions of a glob do not share the names of arguments");
	add_function(scope);
	return 0;
}

/**
 * tap_scope_close() - free a scope
 * @scope: may be all zero; is all zero afterwards. Its types stay open
 */
void tap_scope_close(struct tap_scope *scope)
{
	size_t i;

	for (i = 0; i < scope->nr; i++)
		tap_value_names_put(scope->names[i].value_names);
	free(scope->names);
	free(scope->locals);
	*scope = (struct tap_scope) { 0 };
}
