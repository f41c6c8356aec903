// SPDX-License-Identifier: GPL-2.0
/*
 * Part of elf_test: programs that are damaged at random, or truncated while they are read.
 */
#include <gelf.h>
#include <unistd.h>

#include "sigbus.h"
#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/elf_corrupt.h"
#include "selftests/lib/elf_programs.h"
#include "selftests/lib/elf_use.h"

#define DAMAGED		800

static void try_all(const char *name, unsigned int *opened)
{
	struct tap_error err = { 0 };
	struct tap_elf *elf;

	if (open_in_dir(&elf, name, &err)) {
		check(*err.text, "%s: an error without a message", name);
		return;
	}
	++*opened;
	use_elf(elf);
	tap_elf_put(elf);
}

/* A random offset: in a header, in the section table, or in a section. */
static size_t place_of(const char *data, size_t size)
{
	GElf_Ehdr ehdr;
	Elf64_Shdr s;
	size_t at;

	memcpy(&ehdr, data, sizeof(ehdr));
	switch (rand() % 6) {
	case 0:
		return rand() % sizeof(ehdr);
	case 1:
		return ehdr.e_phoff + rand() % (ehdr.e_phnum * ehdr.e_phentsize);
	case 2:
		return ehdr.e_shoff + rand() % (ehdr.e_shnum * ehdr.e_shentsize);
	case 3:
		return rand() % size;
	}
	at = ehdr.e_shoff + rand() % ehdr.e_shnum * sizeof(s);
	memcpy(&s, data + at, sizeof(s));
	if (!s.sh_size || s.sh_offset >= size)
		return at;
	/* The start of a section often describes the rest. */
	return s.sh_offset + rand() % (rand() % 2 && s.sh_size > 64 ? 64 :
				       s.sh_size);
}

void test_corrupt(const char *name)
{
	char path[128], *data, *copy;
	unsigned int k, opened = 0;
	size_t size, i;

	snprintf(path, sizeof(path), "%s/%s", elf_dir, name);
	data = damage_load(path, &size);
	copy = malloc(size);
	if (!copy)
		abort();
	snprintf(path, sizeof(path), "%s/damaged", elf_dir);
	for (k = 0; k < DAMAGED; k++) {
		memcpy(copy, data, size);
		for (i = 0; i < 1 + k % 6; i++)
			damage_at(copy, size, place_of(data, size));
		damage_store(path, copy, k % 16 ? size : rand() % size);
		/* An endless loop fails the test. */
		alarm(30);
		try_all("damaged", &opened);
		alarm(0);
	}
	check(opened > DAMAGED / 10 && opened < DAMAGED,
	      "%s: %u damaged files were opened", name, opened);
	free(copy);
	free(data);
}

/* libdw maps the file; it is truncated after it was opened. */
void test_cut(void)
{
	const struct tap_elf_function *list;
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	char line[256];
	size_t nr, i;

	run_in_dir("cp cxx short");
	check(!sigbus_seen(), "a complete file is read");
	if (open_in_dir(&elf, "short", &err) ||
	    tap_elf_functions(elf, &list, &nr, &err)) {
		check(false, "short: %s", err.text);
		return;
	}
	run_in_dir("head -c 5000 short > begin && cat begin > short");
	for (i = 0; i < nr; i++) {
		tap_elf_line(elf, list[i].offset, line, sizeof(line));
		tap_elf_at(elf, list[i].offset + 1);
		tap_elf_check(elf, &list[i], 9);
		tap_elf_check_at(elf, list[i].offset + 9);
	}
	check(sigbus_seen(), "a truncated file is detected");
	tap_elf_put(elf);
}
