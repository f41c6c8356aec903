// SPDX-License-Identifier: LGPL-2.1
/*
 * Single functions that need no list of the kernel's symbols.
 */
#include <string.h>

#include "kernel/kallsyms.h"
#include "kernel/kernel_function.h"
#include "kernel/ksyms.h"
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

	return !*target->module && !target->offset &&
	       !strpbrk(target->name, ".*?[") && tap_symbol_returns(&sym);
}

bool tap_spec_known(const struct tap_spec *spec)
{
	struct tap_target target;

	switch (tap_spec_type(spec)) {
	case TAP_PROBE_KPROBE:
	case TAP_PROBE_KRETPROBE:
	case TAP_PROBE_CALL:
	case TAP_PROBE_FUNC:
	case TAP_PROBE_FUNCGRAPH:
		break;
	default:
		return false;
	}
	tap_target_split(spec->target, &target);
	return is_plain(&target) && tap_kernel_function_is_one(target.name);
}
