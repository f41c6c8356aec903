// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and libraries: their symbols, notes of USDT probes, lines of source.
 */
#include "fuzz.h"
#include "../elf_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	static char path[80];

	if (!*path)
		snprintf(path, sizeof(path), "%s/program", fuzz_dir());
	fuzz_store(path, data, size);
	if (tap_elf_open(&elf, path, &err)) {
		if (!*err.text)
			abort();
		return 0;
	}
	use_elf(elf);
	tap_elf_put(elf);
	return 0;
}
