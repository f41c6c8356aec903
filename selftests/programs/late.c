// SPDX-License-Identifier: GPL-2.0
/*
 * Text whose page is not there when late_read() is called, and is when it returns: "late FILE"
 * maps the file anew 5 times, then gives its page back 5 times. Before the end late_pass() has it
 * once, which leaves it alone.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noclone))
#define SIZE 4096

NOINLINE int late_read(const char *text)
{
	return *(const volatile char *)text;
}

NOINLINE void late_pass(const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
}

int main(int argc, char **argv)
{
	int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	char *text = NULL;

	for (int i = 0; i < 5; i++) {
		if (text)
			munmap(text, SIZE);
		text = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, file, 0);
		if (text == MAP_FAILED) {
			perror("late");
			return 1;
		}
		late_read(text);
	}
	for (int i = 0; i < 5; i++) {
		madvise(text, SIZE, MADV_DONTNEED);
		late_read(text);
	}
	madvise(text, SIZE, MADV_DONTNEED);
	late_pass(text);
	return 0;
}
