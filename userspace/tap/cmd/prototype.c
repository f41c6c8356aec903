// SPDX-License-Identifier: GPL-2.0
/*
 * Prints arguments and fields of an event as C declarations.
 */
#include <string.h>

#include "cmd/prototype.h"
#include "compile/compile.h"
#include "kernel/ksyms.h"
#include "kernel/syscalls.h"
#include "kernel/tracefs.h"
#include "tool.h"

/* Bytes of a declaration; a longer one is truncated. */
#define DECLARATION	512

int prototypes_open(struct prototypes *p, const char *const *debug, size_t nr_debug)
{
	struct tap_error err;
	size_t i;

	*p = (struct prototypes) { .types = tap_types_new() };
	for (i = 0; p->types && i < nr_debug; i++)
		if (tap_types_add_debug(p->types, debug[i], &err)) {
			tool_error("%s", err.text);
			return TOOL_FAILED;
		}
	/* Without BTF of the kernel, a module may have debug information. */
	if (p->types)
		tap_types_read(p->types, &p->none);
	return 0;
}

/* The struct that a field of a driver's event points to is known by its tag only. */
static void declare(const struct tap_name *name, char *text)
{
	if (name->kernel && *name->tag)
		snprintf(text, DECLARATION, "struct %s %.*s%s", name->tag, (int)name->stars, "***",
			 name->name);
	else
		tap_type_declare(&name->type, name->name, text, DECLARATION);
}

static void print_text(const struct tap_scope *scope, FILE *to,
		       enum tap_probe_type type, const char *name)
{
	char text[DECLARATION];
	size_t i;

	for (i = 0; type == TAP_PROBE_TRACEPOINT && i < scope->nr; i++) {
		tap_type_declare(&scope->names[i].type, scope->names[i].name,
				 text, sizeof(text));
		fprintf(to, "    %s\n", text);
	}
	if (type == TAP_PROBE_TRACEPOINT)
		return;
	if (type == TAP_PROBE_RAWTP || type == TAP_PROBE_SYSCALL)
		snprintf(text, sizeof(text), "%s", name);
	else
		tap_type_declare(&scope->ret, name, text, sizeof(text));
	fprintf(to, "    %s(", text);
	for (i = 0; i < scope->nr && !scope->names[i].quiet; i++) {
		declare(&scope->names[i], text);
		fprintf(to, "%s%s", i ? ", " : "", text);
	}
	fprintf(to, "%s)", i ? "" : "void");
	if (*scope->base)
		fprintf(to, "  # of %s; its clone may lack arguments%s", scope->base,
			tap_symbol_lacks_return(name) ? " or the return value" : "");
	putc('\n', to);
}

static void print_json(const struct tap_scope *scope, FILE *to,
		       enum tap_probe_type type)
{
	char text[DECLARATION];
	size_t i;

	fputs(type == TAP_PROBE_TRACEPOINT ? ",\"fields\":[" :
					     ",\"arguments\":[", to);
	for (i = 0; i < scope->nr && !scope->names[i].quiet; i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", to);
		tool_json(to, scope->names[i].name);
		tap_type_name(&scope->names[i].type, text, sizeof(text));
		fputs(",\"type\":", to);
		tool_json(to, text);
		putc('}', to);
	}
	putc(']', to);
	if (type == TAP_PROBE_CALL) {
		tap_type_name(&scope->ret, text, sizeof(text));
		fputs(",\"returns\":", to);
		tool_json(to, text);
	}
	if (*scope->base) {
		fputs(",\"clone_of\":", to);
		tool_json(to, scope->base);
	}
}

static void print_scope(struct prototypes *p, FILE *to, struct tap_scope *scope,
			enum tap_probe_type type, const char *module, const char *name, bool json)
{
	if (*scope->why) {
		if (!*module && *p->none.text)
			return;
		if (!p->missing++) {
			snprintf(p->example, sizeof(p->example), "%s", name);
			memcpy(p->why, scope->why, sizeof(p->why));
		}
	} else if (json) {
		print_json(scope, to, type);
	} else {
		print_text(scope, to, type, name);
	}
	tap_scope_close(scope);
}

void prototypes_print(struct prototypes *p, FILE *to, enum tap_probe_type type,
		      const char *module, const char *name, bool json)
{
	char target[TAP_MAX_TARGET];
	struct tap_scope scope = { 0 };
	struct tap_error err;

	snprintf(target, sizeof(target), "%s:%s", *module ? module : TAP_VMLINUX,
		 name);
	if (type == TAP_PROBE_TRACEPOINT) {
		if (tap_scope_tracepoint(&scope, NULL, target, &err))
			snprintf(scope.why, sizeof(scope.why), "%.*s",
				 (int)sizeof(scope.why) - 1, err.text);
	} else if (type == TAP_PROBE_SYSCALL) {
		if (tap_scope_syscalls(&scope, name, &err))
			return;
	} else if (p->types) {
		/* The scope of a call has the arguments and the return value. */
		if (type != TAP_PROBE_RAWTP)
			type = TAP_PROBE_CALL;
		if (tap_scope_open(&scope, p->types, type, target, &err))
			return;
	} else {
		return;
	}
	print_scope(p, to, &scope, type, module, name, json);
}

void prototypes_print_emit(struct prototypes *p, FILE *to, const char *module, const char *name,
			   bool json)
{
	char target[TAP_MAX_TARGET];
	struct tap_scope scope;
	struct tap_error err;

	snprintf(target, sizeof(target), "%s:%s", module, name);
	if (p->types && !tap_scope_emit(&scope, p->types, target, &err))
		print_scope(p, to, &scope, TAP_PROBE_RAWTP, module, name, json);
}

void prototypes_close(struct prototypes *p)
{
	if (*p->none.text)
		tool_error("no prototypes: %s", p->none.text);
	else if (p->missing == 1)
		tool_error("no prototype of %s: %s", p->example, p->why);
	else if (p->missing)
		tool_error("no prototypes of %zu of them, e.g. of %s: %s",
			   p->missing, p->example, p->why);
	tap_types_free(p->types);
	*p = (struct prototypes) { 0 };
}
