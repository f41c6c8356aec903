// SPDX-License-Identifier: LGPL-2.1
/*
 * Events that need no list of all of the kernel's symbols: single functions and raw tracepoints,
 * which the kernel finds, and globs, for which those that match are enough.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/kernel_function.h"
#include "kernel/ksyms.h"
#include "kernel/symbols_cache.h"
#include "kernel/symbols_scan.h"
#include "resolve/resolve.h"
#include "spec/ast.h"
#include "spec/spec.h"
#include "util/glob.h"

/*
 * Names that the symbols say more about: parts of functions, what is refused by its name,
 * and the function that returns in another task than it was called in.
 */
static bool is_plain(const struct tap_target *target)
{
	const struct tap_symbol sym = {
		.name = target->name, .state = tap_symbol_state_of(target->name),
	};

	return !target->offset && !strchr(target->name, '.') && tap_symbol_returns(&sym);
}

bool tap_spec_known(const struct tap_spec *spec)
{
	char iterator[TAP_MAX_TARGET + 16];
	struct tap_target target;
	const char *name = target.name;

	const struct tap_span_text *span = spec->ast ? spec->ast->span : NULL;
	unsigned int i;

	for (i = 0; span && i < 2; i++)
		if (tap_spec_needs_symbols(span->side[i]) && !tap_spec_known(span->side[i]))
			return false;
	if (span)
		return true;
	tap_target_split(spec->target, &target);
	switch (tap_spec_type(spec)) {
	case TAP_PROBE_KPROBE:
	case TAP_PROBE_KRETPROBE:
	case TAP_PROBE_CALL:
	case TAP_PROBE_FUNC:
	case TAP_PROBE_FUNCGRAPH:
		if (tap_glob_is(spec->target))
			return true;
		if (!is_plain(&target))
			return false;
		break;
	case TAP_PROBE_RAWTP:
		if (strpbrk(target.name, "*?["))
			return false;
		/* The function that calls a tracepoint's probes. */
		snprintf(iterator, sizeof(iterator), "__traceiter_%s", target.name);
		name = iterator;
		break;
	default:
		return false;
	}
	/* The kernel does not say which module has the function. */
	return !*target.module && tap_kernel_function_is_one(name);
}

/**
 * tap_spec_matches() - whether tap_spec_expand_matching() is for a spec
 * @spec: any
 *
 * Return: true if it has a glob of functions.
 */
bool tap_spec_matches(const struct tap_spec *spec)
{
	return spec->type != TAP_PROBE_RAWTP && tap_spec_needs_symbols(spec) &&
	       tap_glob_is(spec->target);
}

/**
 * tap_spec_expand_matching() - tap_spec_expand_in() with those symbols that match its glob
 * @types: as for tap_spec_expand()
 * @spec: tap_spec_matches() says so
 * @list: as for tap_spec_expand_in()
 * @nr: as for tap_spec_expand_in()
 * @err: as for tap_spec_expand_in()
 *
 * Return: 0 or -errno.
 */
int tap_spec_expand_matching(struct tap_types *types, const struct tap_spec *spec,
			     struct tap_spec **list, size_t *nr, struct tap_error *err)
{
	struct tap_error why = { 0 };
	struct tap_symbols *syms;
	struct tap_target target;
	int ret;

	tap_target_split(spec->target, &target);
	syms = tap_symbols_matching(target.name, &why);
	ret = syms ? tap_spec_expand_in(syms, types, spec, list, nr, err) : why.code;
	tap_symbols_free(syms);
	if (!ret)
		return 0;
	/* The message names what else there is. */
	syms = tap_symbols_cached(&why);
	if (!syms)
		return tap_error_set(err, why.code, "%s", why.text);
	ret = tap_spec_expand_in(syms, types, spec, list, nr, err);
	tap_symbols_free(syms);
	return ret;
}
