// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a text whose page is not present when late_read() is called, but is when it returns: "late
 * FILE" maps the file again 5 times, then drops its page 5 times. At the end it calls late_pass()
 * once, which does not read the text.
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
