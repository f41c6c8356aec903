// SPDX-License-Identifier: LGPL-2.1
/*
 * Names: of the scope, built-ins, enumerators, symbols of the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/sema.h"
#include "elf/elf_object.h"
#include "kernel/constants.h"
#include "kernel/symbols_cache.h"
#include "lang/lang.h"
#include "util/errno_name.h"
#include "util/registers.h"
#include "util/suggest.h"
#include "util/util.h"
#include "util/value_names.h"

static const struct tap_name *find(const struct tap_sema *t,
				   struct tap_token name)
{
	size_t i;

	for (i = 0; i < t->scope->nr; i++)
		if (tap_token_is(name, t->scope->names[i].name))
			return &t->scope->names[i];
	return NULL;
}

/* The name of the scope; NULL if there is none. */
const struct tap_name *tap_type_name_in(const struct tap_sema *t, struct tap_token name)
{
	return find(t, name);
}

/* A parameter that cannot be read at the entry. The debug information may say where it is at a line. */
static int lost_param(struct tap_sema *t, const struct tap_node *node, const struct tap_name *name)
{
	const char *target = t->p.spec->target, *file = t->scope->file, *slash;

	if (!name->moved || !file)
		return SEMA_DIAG(t, node->t, "%s cannot be read: %s", name->name, name->lost);
	slash = strrchr(file, '/');
	return SEMA_DIAG(t, node->t,
			 "%s cannot be read: %s; a line of the function may have it: tap list -L %.*s:%s",
			 name->name, name->lost, (int)strcspn(target, ":"), target,
			 slash ? slash + 1 : file);
}

/* Reads an argument of a USDT probe from the place that its note has. */
static int usdt_arg(struct tap_sema *t, const struct tap_node *node,
		    const struct tap_usdt_arg *arg, struct tap_value *v)
{
	__u8 size = arg->size | (arg->is_signed ? TAP_OP_SIGNED : 0);
	const struct tap_expr *e, *index;

	v->place = TAP_PLACE_VALUE;
	v->off = 0;
	if (arg->kind == TAP_USDT_UNKNOWN)
		return SEMA_DIAG(t, node->t,
				 "the argument is in a place that cannot be read, such as a floating-point register");
	if (arg->kind == TAP_USDT_SYMBOL)
		return SEMA_DIAG(t, node->t,
				 "the argument is in the variable \"%.*s\", whose address is unknown, as the file has no symbol of this name, or several; install its debug symbols (in Debian PACKAGE-dbgsym)",
				 (int)arg->symbol_len, arg->symbol);
	if (arg->kind == TAP_USDT_CONST) {
		/* Not a constant: other places of the same event may have another number. */
		v->e = tap_expr_value(&t->pool, TAP_OP_IMM, 8, 0,
				      tap_extend(arg->value, size));
		return 0;
	}
	if (arg->kind == TAP_USDT_REG && !arg->shift) {
		v->e = tap_expr_value(&t->pool, TAP_OP_REG, size, arg->reg, 0);
		return 0;
	}
	e = arg->reg < 0 ? tap_expr_const(&t->pool, 0) :
	    tap_expr_value(&t->pool, TAP_OP_REG, 8, arg->reg, 0);
	if (arg->kind == TAP_USDT_REG) {
		e = tap_expr_arithmetic(&t->pool, TAP_OP_SHR, false, e,
					tap_expr_const(&t->pool, arg->shift));
		v->e = tap_expr_move(&t->pool, e, size);
		return 0;
	}
	if (arg->index >= 0) {
		index = tap_expr_value(&t->pool, TAP_OP_REG, 8, arg->index, 0);
		index = tap_expr_arithmetic(&t->pool, TAP_OP_MUL, false, index,
					    tap_expr_const(&t->pool,
							   arg->scale));
		e = tap_expr_arithmetic(&t->pool, TAP_OP_ADD, false, e, index);
	}
	v->e = tap_expr_load(&t->pool, true, e, arg->value, size);
	return 0;
}

/*
 * The type of a pointer whose target is known by its text: struct stat *, char ** in tracefs, or that of an
 * event of a driver.
 */
static void pointer_type(const struct tap_sema *t, const struct tap_name *name,
			 struct tap_ctype *type)
{
	struct tap_ctype to = {
		.base = { .cls = TAP_TYPE_CHAR, .size = 1 }, .stars = name->stars,
		.user = !name->kernel,
	};

	if (*name->tag && tap_scope_struct(t->scope, name->tag, strlen(name->tag), &to.base))
		return;
	*type = to;
}

static int scope_name(struct tap_sema *t, const struct tap_node *node,
		      const struct tap_name *name, struct tap_value *v)
{
	int ret;

	v->type.base = name->type;
	if (name->stars)
		pointer_type(t, name, &v->type);
	tap_ctype_named(&v->type, (struct tap_token) {
		name->name, strlen(name->name) });
	/* For an array of the event without BTF, the format has the type of the elements. */
	if (name->type.cls == TAP_TYPE_ARRAY && !name->type.btf &&
	    !name->type.id)
		v->type.base.id = name->format == TAP_FMT_STRING ||
				  name->format == TAP_FMT_CHARS ?
				  TAP_TYPE_CHAR : TAP_TYPE_INT;
	v->name = name;
	v->off = name->at;
	switch (name->kind) {
	case TAP_NAME_FIELD:
		v->place = TAP_PLACE_FIELD;
		return 0;
	case TAP_NAME_DATA_LOC:
		v->place = TAP_PLACE_DATA_LOC;
		return 0;
	case TAP_NAME_VAR:
		v->place = TAP_PLACE_VALUE;
		v->off = 0;
		v->e = tap_expr_value(&t->pool, TAP_OP_VAR, 8, name->at, 0);
		return 0;
	case TAP_NAME_PLACE:
		v->place = TAP_PLACE_VALUE;
		v->off = 0;
		/* Not a constant, for the same reason as that of usdt_arg(). */
		v->e = tap_expr_value(&t->pool, TAP_OP_IMM, 8, 0, (__u64)name->at);
		return 0;
	case TAP_NAME_USDT:
		return usdt_arg(t, node, &t->scope->usdt->args[name->at], v);
	case TAP_NAME_LOCAL:
		return tap_type_local(t, node, (struct tap_name *)name, v);
	case TAP_NAME_ARG:
		break;
	}
	ret = tap_builtin_check(&t->p, node->t, TAP_BUILTIN_ARG, 0);
	if (ret)
		return ret;
	if (name->lost)
		return lost_param(t, node, name);
	if (name->at < 0 || name->at >= TAP_MAX_ARGS)
		return SEMA_DIAG(t, node->t,
				 "%s is not passed in a register that can be read; only six arguments that fit into registers can be",
				 name->name);
	v->place = TAP_PLACE_VALUE;
	v->off = 0;
	v->e = tap_expr_value(&t->pool, TAP_OP_ARG, tap_ctype_step(&v->type),
			      name->at, 0);
	return 0;
}

/* $argN of a USDT probe is its argument argN. */
static int usdt_number(struct tap_sema *t, const struct tap_node *node,
		       __u64 number, struct tap_value *v)
{
	const struct tap_scope *scope = t->scope;

	if (number < scope->nr)
		return scope_name(t, node, &scope->names[number], v);
	return SEMA_DIAG(t, node->t, scope->nr ?
			 "the probe has only %zu arguments" :
			 "the probe has no arguments", scope->nr);
}

/* The task, a pointer to a struct in the kernel. */
static int type_current(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	struct tap_ctype type = { .stars = 1 };

	if (!t->scope->types || tap_types_struct(t->scope->types, "task_struct", 11, &type.base))
		return SEMA_DIAG(t, node->t, "the kernel's BTF does not describe struct task_struct");
	tap_value_set(v, tap_expr_value(&t->pool, TAP_OP_VAR, 8, TAP_VAR_TASK, 0), type);
	return 0;
}

/* current->real_parent->tgid */
static int type_ppid(struct tap_sema *t, const struct tap_node *node, struct tap_value *v)
{
	struct tap_member parent, tgid;
	struct tap_type task;
	int ret = type_current(t, node, v);

	if (ret)
		return ret;
	if (tap_type_member(&v->type.base, "real_parent", 11, &parent) ||
	    tap_type_target(&parent.type, &task) || tap_type_member(&task, "tgid", 4, &tgid))
		return SEMA_DIAG(t, node->t, "the kernel's BTF does not describe struct task_struct");
	v->e = tap_expr_load(&t->pool, false, v->e, parent.bit / 8, 8);
	tap_value_set(v, tap_expr_load(&t->pool, false, v->e, tgid.bit / 8, 4 | TAP_OP_SIGNED),
		      tap_ctype_int(4, true));
	return 0;
}

/* Whether the type of the return value is known, and has no errors. */
static bool returns_no_error(const struct tap_scope *scope)
{
	const struct tap_type *ret = &scope->ret;

	if (ret->cls == TAP_TYPE_NONE)
		return scope->types && !*scope->why;
	if (ret->cls == TAP_TYPE_POINTER)
		return false;
	/* Of 8 bytes it may hold what IS_ERR_VALUE() finds. */
	return (ret->cls != TAP_TYPE_INT && ret->cls != TAP_TYPE_ENUM) ||
	       (!ret->is_signed && ret->size < 8);
}

/* @null: whether NULL is returned, else whether an error is. */
static int type_failed(struct tap_sema *t, const struct tap_node *node, bool null,
		       struct tap_value *v)
{
	const struct tap_scope *scope = t->scope;
	bool never = null ? scope->ret.cls != TAP_TYPE_POINTER :
			    t->p.spec->type != TAP_PROBE_SYSCALL && returns_no_error(scope);
	int ret = tap_type_builtin(t, node, TAP_BUILTIN_RETVAL, 0, v);

	if (ret)
		return ret;
	t->by_type |= never;
	tap_value_set(v, never ? tap_expr_const(&t->pool, 0) :
		      null ? tap_expr_compare(&t->pool, TAP_OP_JEQ, false, v->e,
					      tap_expr_const(&t->pool, 0)) :
		      tap_expr_compare(&t->pool, TAP_OP_JGE, false, v->e,
				       tap_expr_const(&t->pool, -(__u64)TAP_MAX_ERRNO)),
		      tap_ctype_bool());
	return 0;
}

/* The value of a built-in. @value is an argument, an enum tap_var or a word of the stack. */
int tap_type_builtin(struct tap_sema *t, const struct tap_node *node,
		     enum tap_builtin builtin, __u64 value,
		     struct tap_value *v)
{
	const struct tap_expr *sp;
	int ret = tap_builtin_check(&t->p, node->t, builtin, value);

	if (ret)
		return ret;
	v->place = TAP_PLACE_VALUE;
	v->type = tap_ctype_int(8, false);
	switch (builtin) {
	case TAP_BUILTIN_ARG:
		if (t->p.spec->type == TAP_PROBE_USDT)
			return usdt_number(t, node, value, v);
		v->e = tap_expr_value(&t->pool, TAP_OP_ARG, 8, value, 0);
		return 0;
	case TAP_BUILTIN_RETVAL:
		if (t->scope->ret.cls != TAP_TYPE_NONE &&
		    t->scope->ret.cls != TAP_TYPE_STRUCT &&
		    t->scope->ret.cls != TAP_TYPE_ARRAY) {
			v->type.base = t->scope->ret;
		} else {
			v->type.base.is_signed = true;
			if (t->p.spec->type != TAP_PROBE_SYSCALL) {
				v->e = tap_expr_untyped_retval(&t->pool);
				return 0;
			}
		}
		v->e = tap_expr_value(&t->pool, TAP_OP_RETVAL,
				      tap_ctype_step(&v->type), 0, 0);
		return 0;
	case TAP_BUILTIN_FAILED:
	case TAP_BUILTIN_RETURNED_NULL:
		return type_failed(t, node, builtin == TAP_BUILTIN_RETURNED_NULL, v);
	case TAP_BUILTIN_DURATION:
		v->type.base.is_signed = true;
		v->e = tap_expr_value(&t->pool, TAP_OP_VAR, 8,
				      TAP_VAR_DURATION, 0);
		return 0;
	case TAP_BUILTIN_STACK:
	case TAP_BUILTIN_STACK_WORD:
		sp = tap_expr_value(&t->pool, TAP_OP_REG, 8,
				    tap_register_offset("sp", 2), 0);
		v->e = sp;
		if (builtin == TAP_BUILTIN_STACK_WORD)
			v->e = tap_expr_load(&t->pool, tap_sema_user(t), sp,
					     8 * value, 8);
		return 0;
	case TAP_BUILTIN_COMM:
		v->place = TAP_PLACE_COMM;
		return 0;
	case TAP_BUILTIN_KSTACK:
	case TAP_BUILTIN_USTACK:
		*v = (struct tap_value) {
			.place = TAP_PLACE_STACK,
			.user = builtin == TAP_BUILTIN_USTACK, .node = node,
		};
		return 0;
	case TAP_BUILTIN_PMU:
		v->e = tap_expr_value(&t->pool, TAP_OP_PMU, 8, value, 0);
		return 0;
	case TAP_BUILTIN_CURRENT:
		return type_current(t, node, v);
	case TAP_BUILTIN_FLAG:
		v->type.base = (struct tap_type) { .cls = TAP_TYPE_BOOL, .size = 1 };
		v->e = tap_expr_value(&t->pool, TAP_OP_VAR, 8, TAP_VAR_FLAGS, value);
		return 0;
	case TAP_BUILTIN_PPID:
		return type_ppid(t, node, v);
	case TAP_BUILTIN_ARGS:
		return SEMA_DIAG(t, node->t,
				 "$args stands for several values, so it cannot be a part of one, a key or a condition; name the argument");
	case TAP_BUILTIN_VAR:
		if (value == TAP_VAR_ENCLOSED)
			v->type = tap_ctype_bool();
		else if (value != TAP_VAR_CGROUP && value != TAP_VAR_TIME)
			v->type = tap_ctype_int(4, value == TAP_VAR_TGID ||
						   value == TAP_VAR_TID);
		v->e = tap_expr_value(&t->pool, TAP_OP_VAR, 8, value, 0);
		return 0;
	}
	return 0;
}

static int no_name(struct tap_sema *t, const struct tap_node *node)
{
	static const char *const builtins[] = {
		"pid", "tid", "comm", "cpu", "uid", "cgroup", "duration",
		"retval", "now", "current", "ppid", "in_irq", "in_softirq", "in_nmi",
		"migrated", "descheduled", "nested", "enclosed", "failed", "returned_null",
		"kstack", "ustack",
	};
	const struct tap_scope *scope = t->scope;
	struct tap_token name = node->t;
	char near[200], list[160] = "";
	struct tap_suggest s;
	size_t i, at = 0;

	if (!scope->usdt && name.len == 4 && !memcmp(name.at, "arg", 3) &&
	    name.at[3] >= '0' && name.at[3] <= '6')
		return SEMA_DIAG(t, name,
				 "no name \"%.*s\"; did you mean $arg%c? The first argument is $arg1",
				 QUOTE(name), name.at[3] == '0' ? '1' : name.at[3]);
	tap_suggest_begin(&s, name.at, name.len);
	for (i = 0; i < scope->nr; i++)
		tap_suggest_offer(&s, scope->names[i].name,
				  strlen(scope->names[i].name));
	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		tap_suggest_offer(&s, builtins[i], strlen(builtins[i]));
	for (i = 0; i < t->ast->nr_pmu; i++)
		tap_suggest_offer(&s, t->ast->pmu[i].name,
				  strlen(t->ast->pmu[i].name));
	tap_constants_suggest(&s);
	tap_suggest_text(&s, "", "", near, sizeof(near));
	if (*scope->why)
		return SEMA_DIAG(t, name, "no name \"%.*s\": %s%s%s",
				 QUOTE(name), scope->why, near, *near ? "" :
				 t->p.spec->type == TAP_PROBE_FUNC ?
				 "; use $arg1 to $arg6" :
				 "; use $arg1 to $arg6 or registers");
	for (i = 0; i < scope->nr && at < sizeof(list) - 40; i++)
		at += snprintf(list + at, sizeof(list) - at, "%s%.32s",
			       i ? ", " : "", scope->names[i].name);
	return SEMA_DIAG(t, name, "no name \"%.*s\"%s%s %s%s", QUOTE(name),
			 near, *near ? "" : ".",
			 scope->nr ? "There are " : "The event has none of its own",
			 list);
}

/* A name that the values of the other operand have: an enumerator, or a flag. */
static int hinted(const struct tap_value *hint, struct tap_token name, __s64 *value)
{
	const struct tap_value_names *names = hint->name ? hint->name->value_names : NULL;
	unsigned int i;

	for (i = 0; names && i < names->nr; i++) {
		if (!tap_token_is(name, names->list[i].name))
			continue;
		*value = (__s64)names->list[i].value;
		return 0;
	}
	if (hint->type.stars || hint->type.base.cls != TAP_TYPE_ENUM)
		return -ENOENT;
	return tap_type_enumerator(&hint->type.base, name.at, name.len, value);
}

/* The number behind a name that no event has: see the order in docs/event-language.md. */
static int constant_number(struct tap_sema *t, struct tap_token name,
			   const struct tap_value *hint, __s64 *value)
{
	__u64 number;
	int ret = hint ? hinted(hint, name, value) : -ENOENT;

	if (ret && !tap_literal_find(name, &number)) {
		*value = (__s64)number;
		return 0;
	}
	if (ret)
		ret = tap_scope_enumerator(t->scope, name.at, name.len, value);
	if (ret != -ENOENT)
		return ret;
	/* As in retval == -EIO. */
	*value = tap_errno_number(name.at, name.len);
	if (*value)
		return 0;
	ret = tap_constant_find(name.at, name.len, &number);
	if (!ret)
		*value = (__s64)number;
	return ret;
}

static int constant(struct tap_sema *t, const struct tap_node *node,
		    const struct tap_value *hint, struct tap_value *v)
{
	struct tap_token name = node->t;
	__s64 value = 0;
	int ret = constant_number(t, name, hint, &value);

	if (ret == -ENOTUNIQ)
		return SEMA_DIAG(t, name,
				 "%.*s has several values, in several enums; write the number",
				 QUOTE(name));
	if (ret == -ENOMEM)
		return tap_error_set(t->p.err, ret, "out of memory");
	if (ret)
		return no_name(t, node);
	v->place = TAP_PLACE_VALUE;
	v->type = tap_ctype_int(value == (__s32)value ? 4 : 8, true);
	v->e = tap_expr_const(&t->pool, value);
	return 0;
}

/* The value of a name. The names of the values of @hint, the other operand, are looked up first. */
int tap_type_name_of(struct tap_sema *t, const struct tap_node *node,
		     const struct tap_value *hint, struct tap_value *v)
{
	const struct tap_name *name = find(t, node->t);
	enum tap_builtin builtin;
	unsigned int i;
	__u64 value;

	if (!name)
		name = tap_scope_elsewhere(t->scope, node->t);
	if (name)
		return scope_name(t, node, name, v);
	if (tap_type_divided(t, node->t, v))
		return 0;
	if (!tap_builtin_find(node->t, &builtin, &value))
		return tap_type_builtin(t, node, builtin, value, v);
	for (i = 0; i < t->ast->nr_pmu; i++)
		if (tap_token_is(node->t, t->ast->pmu[i].name))
			return tap_type_expr(t, t->ast->pmu[i].node, v);
	return constant(t, node, hint, v);
}

/* ----------------------------------------------------------------- symbols */

/* The symbols of one name: @where has the first of them, with their modules. */
struct symbol {
	struct tap_token name;
	__u64 address;
	unsigned int nr;
	bool first;
	char where[160];
};

static int symbol_is(const struct tap_kallsym *sym, void *arg)
{
	struct symbol *symbol = arg;
	size_t len = strlen(symbol->where);

	if (sym->len != symbol->name.len ||
	    memcmp(sym->name, symbol->name.at, sym->len))
		return 0;
	if (!symbol->nr++)
		symbol->address = sym->addr;
	snprintf(symbol->where + len, sizeof(symbol->where) - len, "%s0x%llx [%s]", len ? ", " : "",
		 (unsigned long long)sym->addr, *sym->module ? sym->module : TAP_VMLINUX);
	return symbol->first && sym->addr;
}

/*
 * The lines of a symbol in /proc/kallsyms, which also lists variables: the first one, or all that
 * there are.
 */
static int symbol_find(struct symbol *symbol)
{
	char *name = strndup(symbol->name.at, symbol->name.len);
	const char *const names[] = { name, NULL };
	struct symbol named = *symbol;
	int ret = name ? tap_kallsyms_named(names, symbol_is, &named) : -ENOMEM;

	free(name);
	if (ret >= 0 && named.address) {
		*symbol = named;
		return 0;
	}
	ret = tap_kallsyms_each(symbol_is, symbol);
	if (ret < 0)
		return ret;
	return symbol->address ? 0 : symbol->nr ? -EACCES : -ENOENT;
}

static int no_symbol(struct tap_sema *t, struct tap_token all, struct tap_token name, int ret)
{
	if (ret == -EACCES)
		return tap_diag(&t->p, all.at, all.len, ret,
				"the kernel hides its addresses; run tap as root and set kernel.kptr_restrict to 0 or 1");
	return tap_diag(&t->p, all.at, all.len, ret,
			"the kernel has no symbol %.*s; /proc/kallsyms lists variables only with CONFIG_KALLSYMS_ALL",
			QUOTE(name));
}

/* Whether the operand of & is a symbol of the kernel: a name that is no value. */
bool tap_type_is_symbol(const struct tap_sema *t, const struct tap_node *node)
{
	enum tap_builtin builtin;
	unsigned int i;
	__u64 value;

	if (node->kind != TAP_NODE_NAME || find(t, node->t) ||
	    !tap_builtin_find(node->t, &builtin, &value))
		return false;
	for (i = 0; i < t->ast->nr_pmu; i++)
		if (tap_token_is(node->t, t->ast->pmu[i].name))
			return false;
	return true;
}

/* The address of a function or variable of the kernel or of a module: &SYMBOL. */
int tap_type_symbol_address(struct tap_sema *t, const struct tap_node *node,
			    struct tap_value *v)
{
	struct symbol symbol = { .name = node->t };
	struct tap_ctype type = { .stars = 1 };
	int ret = symbol_find(&symbol);

	if (ret)
		return no_symbol(t, node->t, node->t, ret);
	if (symbol.nr > 1)
		return SEMA_DIAG(t, node->t, "%u symbols have this name; write the address of one: %s%s",
				 symbol.nr, symbol.where,
				 strlen(symbol.where) + 1 == sizeof(symbol.where) ? "..." : "");
	/* No symbol of the kernel is in the lower half. */
	if (!(symbol.address >> 63) && !t->per_cpu)
		return SEMA_DIAG(t, node->t,
				 "this is a per-CPU variable, so its name is no address; write this_cpu_ptr(&%.*s)",
				 QUOTE(node->t));
	tap_value_set(v, tap_expr_const(&t->pool, symbol.address), type);
	return 0;
}

/* Memory at a symbol or an address. */
int tap_type_symbol(struct tap_sema *t, const struct tap_node *node,
		    struct tap_value *v)
{
	const struct tap_ctype word = tap_ctype_int(8, false);
	struct tap_token name = { node->t.at + 1, node->t.len - 1 };
	struct symbol symbol = { .name = name, .first = true };
	size_t i;
	int ret = 0;

	if (isdigit((unsigned char)*name.at)) {
		for (i = 2; i < name.len; i++)
			if (!isxdigit((unsigned char)name.at[i]))
				break;
		if (name.len < 3 || name.len > 18 || i < name.len ||
		    memcmp(name.at, "0x", 2))
			return SEMA_DIAG(t, node->t,
					 "this is not an address; write it in hexadecimal after 0x, e.g. @0xffffffff82000000");
		symbol.address = strtoull(name.at, NULL, 16);
	} else {
		ret = symbol_find(&symbol);
	}
	if (ret)
		return no_symbol(t, node->t, name, ret);
	tap_value_memory(v, tap_expr_const(&t->pool, symbol.address + node->value), 0,
			 &word, false);
	v->untyped = true;
	return 0;
}
