// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a kernel, without an initrd, that the running one starts when it panics.
 * usage: crash_kernel FILE COMMAND-LINE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const unsigned long flags = KEXEC_FILE_ON_CRASH | KEXEC_FILE_NO_INITRAMFS;
	int fd = argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return 2;
	if (!syscall(SYS_kexec_file_load, fd, -1, strlen(argv[2]) + 1, argv[2], flags))
		return 0;
	perror("kexec_file_load");
	return 1;
}
