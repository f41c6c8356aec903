// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for the files of a run, and unpacks them to the root of the guest. They are a cpio archive
 * ("newc") in the emulator's memory behind that of the kernel. A snapshot is the guest as it waits
 * here, before there are files. It does not sleep: then the guest's clock would jump.
 * usage: unpack ADDRESS SIZE
 */
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_SIZE 110

enum { MODE = 1, NLINK = 4, MTIME, FILE_SIZE, NAME_SIZE = 11 };

/*
 * The kernel maps memory that is not its own so that arm64 permits only aligned accesses. Headers and
 * data are aligned to four bytes.
 */
static void copy(void *to, const char *from, size_t size)
{
#ifdef __aarch64__
	const volatile uint32_t *words = (const void *)from;
	size_t i;

	for (i = 0; i < size; i += 4) {
		uint32_t word = words[i / 4];

		memcpy((char *)to + i, &word, size - i < 4 ? size - i : 4);
	}
#else
	memcpy(to, from, size);
#endif
}

static unsigned long field(const char *header, int number)
{
	char digits[9] = { 0 };

	memcpy(digits, header + 6 + 8 * number, 8);
	return strtoul(digits, NULL, 16);
}

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static int unpack_file(const char *name, mode_t mode, const char *data, size_t size)
{
	static char chunk[1 << 16];
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	size_t n;

	if (fd < 0)
		return -1;
	for (; size; data += n, size -= n) {
		n = size < sizeof(chunk) ? size : sizeof(chunk);
		copy(chunk, data, n);
		if (write(fd, chunk, n) != (ssize_t)n)
			return -1;
	}
	return fchmod(fd, mode) || close(fd) ? -1 : 0;
}

static int unpack_link(const char *name, const char *data, size_t size)
{
	char target[PATH_MAX] = { 0 };

	if (size >= sizeof(target))
		return -1;
	copy(target, data, size);
	return symlink(target, name);
}

/* Directories may exist. Hard links do not occur: their data would be with only one of them. */
static int unpack_entry(const char *header, const char *name, const char *data)
{
	mode_t mode = field(header, MODE);
	size_t size = field(header, FILE_SIZE);
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_NOW }, { .tv_sec = field(header, MTIME) },
	};

	switch (mode & S_IFMT) {
	case S_IFDIR:
		return access(name, F_OK) && mkdir(name, 0755) ? -1 : chmod(name, mode & 07777);
	case S_IFLNK:
		return unpack_link(name, data, size);
	case S_IFREG:
		if (field(header, NLINK) != 1 || unpack_file(name, mode & 07777, data, size))
			return -1;
		return utimensat(AT_FDCWD, name, times, 0);
	}
	return -1;
}

static int unpack(const char *at)
{
	char header[HEADER_SIZE + 2 + PATH_MAX], *name = header + HEADER_SIZE;
	const char *data;

	for (;; at = data + aligned(field(header, FILE_SIZE))) {
		copy(header, at, HEADER_SIZE + 2);
		if (memcmp(header, "070701", 6) || field(header, NAME_SIZE) > PATH_MAX) {
			fprintf(stderr, "unpack: no entry of an archive\n");
			return 1;
		}
		data = at + aligned(HEADER_SIZE + field(header, NAME_SIZE));
		copy(header, at, data - at);
		if (!strcmp(name, "TRAILER!!!"))
			return 0;
		if (unpack_entry(header, name, data)) {
			perror(name);
			return 1;
		}
	}
}

int main(int argc, char **argv)
{
	int fd = open("/dev/mem", O_RDONLY);
	const char *at;

	if (argc != 3 || fd < 0 || chdir("/"))
		return 2;
	at = mmap(NULL, strtoul(argv[2], NULL, 0), PROT_READ, MAP_SHARED, fd,
		  strtoul(argv[1], NULL, 0));
	if (at == MAP_FAILED) {
		perror("unpack: /dev/mem");
		return 1;
	}
	/* The snapshot is taken when this is seen; before one is started, its files are all there. */
	puts("ready");
	fflush(stdout);
	while (!*(const volatile uint32_t *)at)
		;
	return unpack(at);
}
