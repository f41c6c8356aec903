// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of ELF files: symbols, USDT notes, line numbers.
 */
#include "selftests/lib/fuzz/fuzz.h"
#include "selftests/lib/fuzz/libdw.h"
#include "selftests/lib/elf_use.h"

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
