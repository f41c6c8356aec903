// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of ELF files: symbols, USDT notes, line numbers.
 */
#include "selftests/lib/fuzz/fuzz.h"
#include "selftests/lib/elf_use.h"

/*
 * Replaces that of libdw: a search for debug files on this machine would take most of the time, and
 * make results depend on the machine.
 */
int __wrap_dwfl_standard_find_debuginfo(void);

int __wrap_dwfl_standard_find_debuginfo(void)
{
	return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tap_error err = { 0 };
	struct tap_elf *elf;

	if (tap_elf_open(&elf, fuzz_store("program", data, size), &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	use_elf(elf);
	tap_elf_put(elf);
	return 0;
}
