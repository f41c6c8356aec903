// SPDX-License-Identifier: LGPL-2.1
/*
 * Single functions and raw tracepoints that need no list of the kernel's symbols.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/kernel_function.h"
#include "kernel/ksyms.h"
#include "kernel/symbols_scan.h"
#include "spec/ast.h"
#include "spec/spec.h"

/*
 * Names that the symbols say more about: parts of functions, what is refused by its name,
 * and the function that returns in another task than it was called in.
 */
static bool is_plain(const struct tap_target *target)
{
	const struct tap_symbol sym = {
		.name = target->name, .state = tap_symbol_state_of(target->name),
	};

	return !target->offset && !strpbrk(target->name, ".*?[") && tap_symbol_returns(&sym);
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
