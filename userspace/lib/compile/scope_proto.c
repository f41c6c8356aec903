// SPDX-License-Identifier: LGPL-2.1
/*
 * The names that a function or a raw tracepoint gives to its expressions, by
 * its prototype.
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

/**
 * struct places - where the next argument lies
 * @next: the first register that is free; %TAP_MAX_ARGS and above: none that a
 *	program can read
 * @rawtp: of a raw tracepoint: its probe is called in another way
 */
struct places {
	unsigned int next;
	bool rawtp;
};

/* Argument number, or -1 if it cannot be read. Takes the place. */
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
	/* Who knows where the next ones are. */
	p->next = TAP_MAX_ARGS;
	return -1;
}

static int add_params(struct tap_scope *scope,
		      const struct tap_prototype *proto, bool rawtp)
{
	struct places places = { .rawtp = rawtp };
	struct tap_name *name;
	unsigned int i;

	/* And one that is none of them. */
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
		/* No enum or out of memory: then numbers are printed. */
		name->value_names = tap_type_value_names(&name->type);
	}
	return 0;
}

/* Which function it is. Of one alone the event tells. */
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

/* What tap_types_function() and tap_types_tracepoint() said. */
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
		explain(scope, "what the kernel's BTF says of it makes no sense");
		return 0;
	}
	return tap_error_set(err, code, "out of memory");
}

/**
 * tap_scope_open() - the names of a function or a raw tracepoint
 * @scope: filled in; to be ended with tap_scope_close()
 * @types: of the running kernel; NULL if it has none. Must stay as long as the
 *	scope
 * @type: kind of the probe: a kprobe has the arguments, a kretprobe the return
 *	value, a call or a funcgraph both, a raw tracepoint its arguments
 * @target: e.g. "ext4:ext4_sync_file", without a glob
 * @err: an error message on failure
 *
 * That a name is not known is no failure; @scope->why tells then.
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
		explain(scope, "the unlikely part of a function has no arguments");
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
 * tap_scope_functions() - the names of all functions of a glob
 * @scope: filled in; to be ended with tap_scope_close()
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
	explain(scope, "the functions of a glob have no names in common");
	add_function(scope);
	return 0;
}

/**
 * tap_scope_close() - end a scope
 * @scope: may be all zero; is so afterwards. Its types stay
 */
void tap_scope_close(struct tap_scope *scope)
{
	size_t i;

	for (i = 0; i < scope->nr; i++)
		tap_value_names_put(scope->names[i].value_names);
	free(scope->names);
	*scope = (struct tap_scope) { 0 };
}
