// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of BTF: an input is the BTF of vmlinux.
 */
#include "compile/compile.h"
#include "selftests/lib/fuzz/fuzz.h"
#include "types/scope.h"
#include "selftests/lib/types_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const functions[] = { "write", "doit", "f", "rnd" };
	struct tap_error err = { 0 };
	struct tap_scope scope;
	struct tap_types *types;
	size_t i;

	fuzz_store(TAP_VMLINUX, data, size);
	if (tap_types_open_from(&types, fuzz_dir(), &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!tap_scope_open(&scope, types, TAP_PROBE_CALL, functions[i], &err))
			tap_scope_close(&scope);
	use_types(types);
	tap_types_free(types);
	return 0;
}
