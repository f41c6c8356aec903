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
#include "spec/spec.h"
#include "types/scope.h"
#include "util/arch.h"
#include "util/value_names.h"

/* Bytes of a register. */
#define WORD		8

/*
 * Registers of arguments while they are assigned. @next is the first free one; from
 * %TAP_MAX_ARGS on programs cannot read them. The probe of a raw tracepoint (@rawtp) is
 * called differently from a function.
 */
struct places {
	unsigned int next;
	bool rawtp;
};

/* The number of the next argument, or -1 if programs cannot read it. */
static int place(struct places *p, const struct tap_type *type)
{
	unsigned int words = (type->size + WORD - 1) / WORD;

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

static int add_params(struct tap_scope *scope,
		      const struct tap_prototype *proto, bool rawtp)
{
	struct places places = { .rawtp = rawtp };
	struct tap_name *name;
	unsigned int i;

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
		name->at = place(&places, &name->type);
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

/* Explains the error codes of tap_types_function() and tap_types_tracepoint(). */
static int no_prototype(struct tap_scope *scope, int code,
			const struct tap_target *target, struct tap_error *err)
{
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
	if (ret)
		return no_prototype(scope, ret, &t, err);
	memcpy(scope->base, proto.base, sizeof(scope->base));
	if (type == TAP_PROBE_KRETPROBE || type == TAP_PROBE_CALL ||
	    type == TAP_PROBE_FUNCGRAPH)
		scope->ret = proto.ret;
	if (type == TAP_PROBE_KRETPROBE)
		return 0;
	ret = add_params(scope, &proto, rawtp);
	if (ret) {
		tap_scope_close(scope);
		return tap_error_set(err, ret, "out of memory");
	}
	if (type == TAP_PROBE_FUNC)
		add_function(scope);
	return 0;
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
