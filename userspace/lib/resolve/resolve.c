// SPDX-License-Identifier: LGPL-2.1
/*
 * From a spec to the probes of the running kernel: checks whether the name exists,
 * expands globs, and suggests near names.
 *
 * If the symbols cannot be read, a name goes to the kernel unchecked.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/program.h"
#include "dwarf/dwarf.h"
#include "kernel/ksyms.h"
#include "kernel/syscalls.h"
#include "resolve/expansion.h"
#include "resolve/resolve.h"
#include "resolve/resolve_func.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "types/scope.h"
#include "util/array.h"
#include "util/glob.h"
#include "util/suggest.h"
#include "util/util.h"
#include "util/value_names.h"

/* Clones of one function; more than compilers make. Further ones are ignored. */
#define MAX_CLONES	32

int tap_expansion_no_memory(struct expansion *x)
{
	return tap_error_set(x->err, -ENOMEM, "out of memory");
}

/* A remark on success: sets the error message without a code. */
__attribute__((format(printf, 2, 3)))
void tap_expansion_warn(struct expansion *x, const char *fmt, ...)
{
	char text[sizeof(x->err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap_error_set(x->err, 0, "%s", text);
}

int tap_expansion_too_many(struct expansion *x, size_t matched)
{
	return tap_error_set(x->err, -ENOSPC,
			     "%s: matches %zu %ss, a session has at most %d probes; narrow the glob",
			     x->spec->target, matched,
			     x->spec->type == TAP_PROBE_RAWTP ? "tracepoint" :
								"function",
			     TAP_MAX_PROBES);
}

/* Appends a copy of the spec for one target. */
int tap_expansion_add(struct expansion *x, const char *module, const char *name)
{
	char target[TAP_MAX_TARGET], event[TAP_MAX_TARGET + 32];
	size_t len;
	int ret;

	len = snprintf(target, sizeof(target), "%s%s%s", module,
		       *module ? ":" : "", name);
	if (len < sizeof(target) && x->target.offset)
		len += snprintf(target + len, sizeof(target) - len, "+0x%x",
				x->target.offset);
	if (len >= sizeof(target))
		return tap_error_set(x->err, -EINVAL,
				     "%s: the name is longer than %d characters",
				     name, TAP_MAX_TARGET - 1);
	snprintf(event, sizeof(event), "%s:%s",
		 tap_spec_type_name(x->spec->type), target);
	if (!TAP_GROW(x->list, x->nr))
		return tap_expansion_no_memory(x);
	ret = tap_spec_copy(x->spec, event, target, &x->list[x->nr]);
	if (ret)
		return tap_expansion_no_memory(x);
	x->nr++;
	return 0;
}

static bool module_known(const struct expansion *x)
{
	const char *module = x->target.module;

	return !*module || !strcmp(module, TAP_VMLINUX) || tap_glob_is(module) ||
	       tap_symbols_has_module(x->syms, module);
}

/*
 * Adds a target by name. TAP_CREATE_F_WAIT lets it wait for its module, and arms it
 * again when the module is loaded again.
 */
static int add_named(struct expansion *x)
{
	bool module = *x->target.module && !tap_glob_is(x->target.module) &&
		      strcmp(x->target.module, TAP_VMLINUX);
	int ret = tap_expansion_add(x, module ? x->target.module : "", x->target.name);

	if (!ret && module)
		x->list[x->nr - 1].flags |= TAP_CREATE_F_WAIT;
	return ret;
}

static bool usable(const struct expansion *x, const struct tap_symbol *sym)
{
	if (x->spec->type == TAP_PROBE_FUNC)
		return tap_symbol_is_function(sym);
	if (x->spec->type == TAP_PROBE_KPROBE)
		return sym->state == TAP_SYMBOL_OK;
	return tap_symbol_returns(sym);
}

/* ------------------------------------------------------ functions, by glob */

/*
 * Suggests names for a glob: compares the part before its first wildcard with the
 * starts of names.
 */
static void glob_near(const struct expansion *x, char *buf, size_t size)
{
	const char *glob = x->target.name;
	size_t len = tap_glob_literal(glob), i;
	struct tap_suggest s;
	char suffix[TAP_MAX_TARGET];

	*buf = '\0';
	if (len < 3)
		return;
	snprintf(suffix, sizeof(suffix), "%s", glob + len);
	tap_suggest_begin(&s, glob, len);
	/* With few letters a distance of two would match unrelated names. */
	if (s.bound > 1 && len < 10)
		s.bound = 1;
	if (x->spec->type == TAP_PROBE_RAWTP) {
		for (i = 0; i < x->syms->nr_tracepoints; i++)
			tap_suggest_offer(&s, x->syms->tracepoints[i].name,
				strnlen(x->syms->tracepoints[i].name, len));
	} else {
		for (i = 0; i < x->syms->nr; i++)
			if (usable(x, &x->syms->list[i]))
				tap_suggest_offer(&s, x->syms->list[i].name,
					strnlen(x->syms->list[i].name, len));
	}
	/* The start is right, and what is behind it matches nothing. */
	if (s.nr && strlen(s.best[0].name) == len && !memcmp(s.best[0].name, glob, len))
		return;
	tap_suggest_text(&s, "", suffix, buf, size);
}

static int no_match(struct expansion *x, size_t refused, const char *example)
{
	char near[300];

	if (refused)
		return tap_error_set(x->err, -EADDRNOTAVAIL,
				     "%s: matches %zu functions and none can be probed, e.g. %s; 'tap list -v' shows why",
				     x->spec->target, refused, example);
	glob_near(x, near, sizeof(near));
	return tap_error_set(x->err, -ENOENT, "%s: no %s matches%s",
			     x->spec->target,
			     x->spec->type == TAP_PROBE_RAWTP ? "tracepoint" :
								"function",
			     near);
}

static int expand_glob(struct expansion *x)
{
	const struct tap_symbol *sym, *last = NULL;
	size_t i, matched = 0, refused = 0, shared = 0;
	const char *example = NULL;
	bool counted = false;
	int ret = 0;

	if (!module_known(x))
		return tap_expand_absent_glob(x);
	for (i = 0; i < x->syms->nr; i++) {
		sym = tap_symbols_by_name(x->syms, i);
		/* The module first: alternatives in braces are matched one by one. */
		if (!tap_target_in_module(&x->target, sym->module) ||
		    !tap_glob_match(x->target.name, sym->name))
			continue;
		if (!usable(x, sym)) {
			if (sym->state == TAP_SYMBOL_BLACKLISTED ||
			    sym->state == TAP_SYMBOL_TRAMPOLINE) {
				refused++;
				example = sym->name;
			}
			continue;
		}
		/* Of several static functions of one name the kernel probes the first. */
		if (last && !strcmp(last->name, sym->name) &&
		    !strcmp(last->module, sym->module)) {
			if (!last->addr || last->addr != sym->addr) {
				shared += !counted;
				counted = true;
			}
			continue;
		}
		counted = false;
		last = sym;
		if (++matched > TAP_MAX_PROBES)
			continue;
		ret = tap_expansion_add(x, sym->module, sym->name);
		if (ret)
			return ret;
	}
	if (matched > TAP_MAX_PROBES)
		return tap_expansion_too_many(x, matched);
	if (!matched)
		return no_match(x, refused, example);
	if (shared)
		tap_expansion_warn(x, "%s: matches %zu functions; %zu of these names belong to several functions each, and the kernel probes only one of them",
				   x->spec->target, matched, shared);
	return 0;
}

/* ------------------------------------------------------ functions, by name */

static int no_function(struct expansion *x)
{
	const char *name = x->target.name;
	const struct tap_symbol *sym;
	struct tap_suggest s;
	char near[400];
	size_t i;

	/* Another module may have it. */
	i = tap_symbols_lower(x->syms, name);
	if (i < x->syms->nr) {
		sym = tap_symbols_by_name(x->syms, i);
		if (!strcmp(sym->name, name) && usable(x, sym))
			return tap_error_set(x->err, -ENOENT,
				"%s: no such function in that module; did you mean %s%s%s?",
				x->spec->target, sym->module,
				*sym->module ? ":" : "", name);
	}
	tap_suggest_begin(&s, name, strlen(name));
	for (i = 0; i < x->syms->nr; i++)
		if (usable(x, &x->syms->list[i]) &&
		    tap_target_in_module(&x->target, x->syms->list[i].module))
			tap_suggest_offer(&s, x->syms->list[i].name,
					  strlen(x->syms->list[i].name));
	tap_suggest_text(&s, "", "", near, sizeof(near));
	return tap_error_set(x->err, -ENOENT, "%s: no such function%s%s",
			     x->spec->target, near,
			     *near ? "" : *x->target.module ?
			     " in that module; it may be inlined, or be an __init function, which exists only while the module loads" :
			     "; it may be inlined, or in a module that is not loaded (then write MODULE:NAME); 'tap list' shows all functions");
}

static int check_offset(struct expansion *x, const struct tap_symbol *sym)
{
	uint64_t size = tap_symbols_size(x->syms, sym);

	if (!size || x->target.offset < size)
		return 0;
	return tap_error_set(x->err, -EINVAL,
			     "%s: the function is only 0x%llx bytes long",
			     x->spec->target, (unsigned long long)size);
}

/* The clones that the compiler made of a function, e.g. NAME.isra.0. */
static int expand_clones(struct expansion *x)
{
	const struct tap_symbol *clones[MAX_CLONES], *last = NULL;
	size_t nr, i;
	int ret;

	nr = tap_symbols_clones(x->syms, x->target.name, clones, MAX_CLONES);
	for (i = 0; i < nr; i++) {
		if (!tap_target_in_module(&x->target, clones[i]->module) ||
		    !usable(x, clones[i]))
			continue;
		/* Of several functions of one name the kernel probes the first. */
		if (last && !strcmp(last->name, clones[i]->name) &&
		    !strcmp(last->module, clones[i]->module))
			continue;
		last = clones[i];
		ret = check_offset(x, last);
		if (!ret)
			ret = tap_expansion_add(x, last->module, last->name);
		if (ret)
			return ret;
	}
	return x->nr ? tap_expand_clones(x) : no_function(x);
}

/*
 * Entry stubs of system calls. Their $arg1 is a pt_regs pointer, which surprises many
 * users.
 */
static bool syscall_stub(const char *name)
{
	static const char *const stubs[] = {
		"__x64_sys_", "__ia32_sys_", "__arm64_sys_",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stubs); i++)
		if (!strncmp(name, stubs[i], strlen(stubs[i])))
			return true;
	return false;
}

static bool takes_argument(const struct tap_spec *spec)
{
	const struct tap_node *node = spec->ast ? spec->ast->nodes : NULL;

	for (; node; node = node->next)
		if (node->kind == TAP_NODE_BUILTIN &&
		    node->builtin == TAP_BUILTIN_ARG)
			return true;
	return false;
}

static void warn_stub(struct expansion *x)
{
	if (syscall_stub(x->target.name) && takes_argument(x->spec))
		tap_expansion_warn(x, "%s: $arg1 of a system call's stub points to the saved registers; for the arguments, probe the function that it calls (e.g. do_sys_openat2 for openat)",
				   x->spec->target);
}

static int expand_function(struct expansion *x)
{
	const struct tap_symbol *sym, *ok = NULL, *refused = NULL, *last = NULL;
	size_t i, nr = 0;
	int ret;

	if (!module_known(x))
		return tap_expand_absent(x);
	for (i = tap_symbols_lower(x->syms, x->target.name); i < x->syms->nr;
	     i++) {
		sym = tap_symbols_by_name(x->syms, i);
		if (strcmp(sym->name, x->target.name))
			break;
		if (!tap_target_in_module(&x->target, sym->module))
			continue;
		/* The same function listed twice counts once. */
		if (last && last->addr && last->addr == sym->addr)
			continue;
		last = sym;
		nr++;
		/* A .cold part or a label may be probed if it is named in full. */
		if (usable(x, sym) ||
		    ((sym->state == TAP_SYMBOL_COLD ||
		      sym->state == TAP_SYMBOL_LABEL) &&
		     x->spec->type == TAP_PROBE_KPROBE))
			ok = ok ? ok : sym;
		else
			refused = sym;
	}
	if (!nr)
		return expand_clones(x);
	if (!ok && refused->state == TAP_SYMBOL_OK)
		return tap_error_set(x->err, -EADDRNOTAVAIL,
				     "%s: another task than the caller leaves this function, so its return cannot be probed; use kprobe:",
				     x->spec->target);
	if (!ok)
		return tap_error_set(x->err, -EADDRNOTAVAIL, "%s: %s%s",
				     x->spec->target,
				     tap_symbol_reason(refused->state),
				     refused->state == TAP_SYMBOL_BLACKLISTED ?
				     "; probe its caller instead" : "");
	if (nr == 1) {
		ret = check_offset(x, ok);
		if (ret)
			return ret;
	}
	ret = add_named(x);
	if (ret)
		return ret;
	if (nr > 1)
		tap_expansion_warn(x, "%s: %zu functions have this name; the kernel probes the first of them",
				   x->spec->target, nr);
	else
		warn_stub(x);
	return 0;
}

/* ------------------------------------------------------------- tracepoints */

static int expand_tracepoint_glob(struct expansion *x)
{
	size_t i, matched = 0;
	int ret;

	if (!module_known(x))
		return tap_expand_no_module(x);
	for (i = 0; i < x->syms->nr_tracepoints; i++) {
		const struct tap_tracepoint *tp = &x->syms->tracepoints[i];

		if (!tap_glob_match(x->target.name, tp->name) ||
		    !tap_target_in_module(&x->target, tp->module))
			continue;
		if (++matched > TAP_MAX_PROBES)
			continue;
		ret = tap_expansion_add(x, tp->module, tp->name);
		if (ret)
			return ret;
	}
	if (matched > TAP_MAX_PROBES)
		return tap_expansion_too_many(x, matched);
	return matched ? 0 : no_match(x, 0, NULL);
}

static int no_tracepoint(struct expansion *x)
{
	const struct tap_symbols *syms = x->syms;
	struct tap_suggest s;
	char near[300];
	size_t i;

	tap_suggest_begin(&s, x->target.name, strlen(x->target.name));
	for (i = 0; i < syms->nr_tracepoints; i++)
		if (tap_target_in_module(&x->target, syms->tracepoints[i].module))
			tap_suggest_offer(&s, syms->tracepoints[i].name,
					  strlen(syms->tracepoints[i].name));
	tap_suggest_text(&s, "", "", near, sizeof(near));
	if (*x->target.module)
		return tap_error_set(x->err, -ENOENT,
				     "%s: the module has no such tracepoint%s",
				     x->spec->target, near);
	return tap_error_set(x->err, -ENOENT,
			     "%s: no such tracepoint%s%sIf its module is not loaded yet, name the module: rawtracepoint:MODULE:%s",
			     x->spec->target, near, *near ? " " : ". ",
			     x->target.name);
}

static int expand_tracepoint(struct expansion *x)
{
	const struct tap_symbols *syms = x->syms;
	const struct tap_tracepoint *tp, *other = NULL;
	bool known = module_known(x);
	size_t i, nr = 0;
	int ret;

	for (i = tap_symbols_tracepoint(syms, x->target.name);
	     i < syms->nr_tracepoints; i++) {
		tp = &syms->tracepoints[i];
		if (strcmp(tp->name, x->target.name))
			break;
		if (tap_target_in_module(&x->target, tp->module))
			nr++;
		else
			other = tp;
	}
	/*
	 * SUBSYS:NAME, the notation of other tools, would otherwise wait forever for a
	 * module of that name.
	 */
	if (!nr && other)
		return tap_error_set(x->err, -ENOENT,
				     "%s: that module has no such tracepoint; did you mean rawtracepoint:%s%s%s?",
				     x->spec->target, other->module,
				     *other->module ? ":" : "", other->name);
	/* If the tracepoints cannot be listed, only the kernel can check the name. */
	if (!nr && known && syms->nr_tracepoints)
		return no_tracepoint(x);
	ret = add_named(x);
	if (ret)
		return ret;
	if (nr > 1)
		tap_expansion_warn(x, "%s: %zu modules have a tracepoint of this name; name the module: rawtracepoint:MODULE:NAME",
				   x->spec->target, nr);
	return 0;
}

/*
 * These events have no place in the code. One probe is enough, whatever characters
 * their name contains.
 */
static bool is_one_probe(const struct tap_spec *spec)
{
	return spec->type == TAP_PROBE_EVENT || spec->type == TAP_PROBE_MARK;
}

static int expand_event(struct expansion *x)
{
	x->list = calloc(1, sizeof(*x->list));
	if (!x->list || tap_spec_copy(x->spec, x->spec->event, x->spec->target,
				      x->list))
		return tap_expansion_no_memory(x);
	x->nr = 1;
	return 0;
}

/* Number of matching functions, traceable or not. */
static size_t matching(const struct expansion *x)
{
	size_t nr = 0, i;

	for (i = 0; i < x->syms->nr; i++)
		nr += usable(x, &x->syms->list[i]) &&
		      tap_glob_match(x->target.name, x->syms->list[i].name) &&
		      tap_target_in_module(&x->target, x->syms->list[i].module);
	return nr;
}

/* All functions of a glob share one probe. */
static int expand_functions(struct expansion *x)
{
	struct tap_functions found;
	size_t seen;
	int ret;

	if (!module_known(x))
		return tap_expand_no_module(x);
	if (!x->syms->addresses)
		return tap_error_set(x->err, -EPERM,
				     "%s: a glob needs the addresses of functions, which the kernel hides; get CAP_SYSLOG and set kernel.kptr_restrict to 0 or 1",
				     x->spec->target);
	ret = tap_functions_find(x->syms, &x->target, &found, x->err);
	if (ret)
		return ret;
	seen = found.nr ? 0 : matching(x);
	if (!found.nr && !seen)
		return no_match(x, 0, NULL);
	if (!found.nr)
		return tap_error_set(x->err, -EADDRNOTAVAIL,
				     "%s: matches %zu functions and ftrace can trace none of them (notrace, assembly); use kprobe:",
				     x->spec->target, seen);
	if (found.nr > TAP_MAX_ADDRS)
		ret = tap_error_set(x->err, -ENOSPC,
				    "%s: matches %zu functions, a probe has at most %d; narrow the glob",
				    x->spec->target, found.nr, TAP_MAX_ADDRS);
	else
		ret = expand_event(x);
	if (ret) {
		free(found.addrs);
		return ret;
	}
	x->list[0].addrs = found.addrs;
	x->list[0].nr_addrs = (__u32)found.nr;
	if (found.unsure)
		tap_expansion_warn(x, "%s: left out %zu functions, as others of the same names cannot be traced",
				   x->spec->target, found.unsure);
	return 0;
}

/* Symbols are not available, or not needed: takes the name as it is. */
static int expand_unseen(struct expansion *x)
{
	int ret;

	if (tap_glob_is(x->spec->target))
		return tap_error_set(x->err, -ENOTSUP,
				     "%s: a glob needs /proc/kallsyms, which cannot be read: %s",
				     x->spec->target,
				     x->syms && x->syms->unreadable ?
				     strerror(x->syms->unreadable) :
				     "it lists no functions");
	ret = add_named(x);
	if (!ret)
		warn_stub(x);
	return ret;
}

/* ---------------------------------------------------------------- programs */

/* Says which parameters of a clone are gone, if its debug information was read. */
static void note_lost(struct expansion *x, const struct tap_spec *spec,
		      const struct tap_scope *scope)
{
	char lost[300];

	if (tap_scope_lost(scope, lost, sizeof(lost)))
		tap_expansion_warn(x, "%s is a clone of %s: the compiler has taken from it: %s%s",
				   spec->target, scope->base, lost,
				   tap_symbol_lacks_return(spec->target) ?
				   ", and perhaps the return value" : "");
}

/*
 * Says how many inlined copies a probe of a function of a module does not see, where the event has
 * opened the debug information anyway. For this alone it is not read.
 */
static void note_inlined(struct expansion *x, const struct tap_scope *scope)
{
	size_t nr = tap_dwarf_inlined(scope->dwarf, x->target.name);

	if (nr)
		tap_expansion_warn(x, "%s: the function is inlined at %zu place%s, which this event does not see; inline:%s:%s has them",
				   x->spec->target, nr, nr > 1 ? "s" : "", x->target.module,
				   x->target.name);
}

/* Places of an inlined function whose entry is not in the debug information. */
static size_t without_entry(const struct expansion *x)
{
	size_t i, nr = 0;

	for (i = 0; i < x->source.places.nr; i++)
		nr += x->source.places.list[i].no_entry;
	return nr;
}

/* Places in programs where the kernel sets no breakpoint. */
static size_t refused(const struct expansion *x)
{
	size_t i, nr = 0;

	for (i = 0; i < x->nr; i++)
		nr += x->list[i].elf && tap_elf_is_refused(x->list[i].elf, x->list[i].offset);
	return nr;
}

/* The names depend on the target, so each target gets a program of its own. */
static int make_programs(struct expansion *x, bool glob)
{
	struct tap_value_names *places = NULL;
	const struct tap_ast *ast = x->spec->ast;
	struct tap_types *types = NULL;
	bool user = tap_probe_is_user(x->spec->type);
	bool event = is_one_probe(x->spec);
	struct tap_error why = { 0 };
	/* A return value is printed by its type, and that of a void function not at all. */
	bool names = ast && (ast->names || user || x->spec->emit || event ||
			     x->list[0].nr_addrs ||
			     x->spec->type == TAP_PROBE_FUNCGRAPH ||
			     x->spec->type == TAP_PROBE_CALL ||
			     x->spec->type == TAP_PROBE_KRETPROBE ||
			     x->spec->type == TAP_PROBE_TRACEPOINT ||
			     x->spec->type == TAP_PROBE_SYSCALL ||
			     x->spec->type == TAP_PROBE_WATCHPOINT);
	struct tap_scope scope;
	const char *missing;
	size_t i, unsure, unseen;
	int ret = 0;

	if (!ast)
		return 0;
	/* Without types, error messages about names have the reason in @why. */
	if (names && !event && !x->list[0].nr_addrs &&
	    (ast->names || (!user && !tap_spec_own_types(x->spec->type)))) {
		types = x->types;
		if (!types)
			types = x->own = tap_types_new();
		if (!types)
			return tap_expansion_no_memory(x);
		if (!user && (ast->names || !x->spec->emit))
			tap_types_read(types, &why);
	}
	if (ast->names && !event && !x->list[0].nr_addrs &&
	    (glob || x->spec->source || tap_glob_is(x->spec->target))) {
		places = tap_places_new(x->list, x->nr);
		ret = places ? 0 : tap_expansion_no_memory(x);
	}
	for (i = 0; i < x->nr && !ret; i++) {
		struct tap_spec *spec = &x->list[i];

		scope = (struct tap_scope) { 0 };
		if (names)
			ret = tap_spec_scope(&scope, types, why.text, spec, &x->source, i, x->err);
		if (!ret && spec->emit && ast->names)
			tap_scope_emit_structs(&scope, spec->target);
		if (!ret && places && tap_scope_place(&scope, spec->source ? "place" : "func",
						      places, i))
			ret = tap_expansion_no_memory(x);
		if (!ret && x->absent && *scope.why)
			snprintf(scope.why, sizeof(scope.why),
				 "the module %.64s is not loaded",
				 x->target.module);
		if (!ret)
			/* A system call's target is its number. */
			ret = tap_program_make(spec, ast, &scope, !glob ? NULL :
					       user || spec->emit || spec->type == TAP_PROBE_SYSCALL ?
					       spec->event : spec->target,
					       x->err);
		if (!ret && x->nr == 1 && *scope.base)
			note_lost(x, spec, &scope);
		else if (!ret && x->nr == 1 && scope.dwarf && !user && !spec->source)
			note_inlined(x, &scope);
		missing = tap_scope_absent(&scope);
		if (!ret && missing && !x->absent_at++)
			snprintf(x->absent_name, sizeof(x->absent_name), "%s", missing);
		tap_scope_close(&scope);
	}
	tap_value_names_put(places);
	if (!ret && x->absent_at)
		tap_expansion_warn(x, "%s: %s is optimised out at %zu of %zu places, and absent there",
				   x->spec->event, x->absent_name, x->absent_at, x->nr);
	/* Of several the last counts: an absent value is seen anyway. */
	unsure = ret ? 0 : without_entry(x);
	if (unsure)
		tap_expansion_warn(x, "%s: at %zu of %zu places the debug information does not say where the function is entered: its first instruction there is taken, which a loop may pass more often, or not at all",
				   x->spec->event, unsure, x->nr);
	unseen = ret ? 0 : refused(x);
	if (unseen)
		tap_expansion_warn(x, "%s: %zu of %zu places are not seen: the kernel cannot set a breakpoint on an instruction with the prefix LOCK or of a segment; take a place beside it",
				   x->spec->event, unseen, x->nr);
	return ret;
}

/* The types find the debug information, so these are needed first. */
static int expand_source(struct expansion *x)
{
	int ret = tap_expansion_types(x);

	return ret ? ret : tap_spec_expand_source(x->types, x->spec, &x->source, &x->list,
						  &x->nr, x->err);
}

/**
 * tap_spec_expand_in() - tap_spec_expand() into one array of structures
 * @syms: as for tap_spec_expand()
 * @types: as for tap_spec_expand()
 * @spec: as for tap_spec_expand()
 * @list: set to an allocated array; each element is to be ended with tap_spec_clear()
 * @nr: set to its length
 * @err: as for tap_spec_expand()
 *
 * Return: 0 or -errno.
 */
int tap_spec_expand_in(struct tap_symbols *syms, struct tap_types *types,
		       const struct tap_spec *spec, struct tap_spec **list,
		       size_t *nr, struct tap_error *err)
{
	struct expansion x = { .syms = syms, .types = types, .spec = spec, .err = err };
	bool glob = tap_glob_is(spec->target);
	int ret;

	if (err)
		memset(err, 0, sizeof(*err));
	if (spec->type == TAP_PROBE_SPAN)
		return tap_spec_expand_span(syms, types, spec, list, nr, err);
	if (!syms && tap_spec_matches(spec))
		return tap_spec_expand_matching(types, spec, list, nr, err);
	tap_target_split(spec->target, &x.target);
	if (spec->emit)
		ret = tap_expand_emit(&x);
	else if (spec->source)
		ret = expand_source(&x);
	else if (spec->type == TAP_PROBE_USER_WATCH)
		ret = tap_spec_expand_user_watch(spec, &x.list, &x.nr, err);
	else if (tap_probe_is_user(spec->type))
		ret = tap_spec_expand_user(spec, &x.list, &x.nr, err);
	else if (spec->type == TAP_PROBE_SYSCALL)
		ret = tap_spec_expand_syscall(spec, &x.list, &x.nr, err);
	else if (spec->type == TAP_PROBE_TRACEPOINT)
		ret = tap_spec_expand_tracepoint(spec, &x.list, &x.nr, err);
	else if (is_one_probe(spec))
		ret = expand_event(&x);
	else if (spec->type == TAP_PROBE_WATCHPOINT)
		ret = tap_spec_expand_watchpoint(spec, &x.list, &x.nr, err);
	else if (!syms || !syms->nr)
		ret = expand_unseen(&x);
	else if (spec->type == TAP_PROBE_RAWTP)
		ret = glob ? expand_tracepoint_glob(&x) : expand_tracepoint(&x);
	else if (tap_symbols_sort(syms))
		ret = tap_expansion_no_memory(&x);
	else if (spec->type == TAP_PROBE_FUNC && glob)
		ret = expand_functions(&x);
	else
		ret = glob ? expand_glob(&x) : expand_function(&x);
	if (!ret)
		ret = make_programs(&x, x.nr > 1);
	if (!ret && spec->source)
		ret = tap_spec_make_captures(&x.source, x.list, err);
	tap_dwarf_places_free(&x.source.places);
	tap_types_free(x.own);
	if (ret) {
		while (x.nr)
			tap_spec_clear(&x.list[--x.nr]);
		free(x.list);
		return ret;
	}
	*list = x.list;
	*nr = x.nr;
	return 0;
}
