// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the events that expr_guest traces: calls each function and event of tap_target with known
 * arguments, and makes some system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftests/module/kmod/tap_target.h"

/* tap_target_add() is called with i = 0, 1 and 2. */
#define ADDS		3

/* The size of a file, and the bytes that are read from it: in conditions of the table. */
#define OUT_SIZE	12345
#define OUT_READ	77
#define OUT_PATH	79

/* Initialized at run time, so its page is present: probes do not fault pages in. */
static char user_text[16];

/* The start of the area; the rest is 'x'. */
static const struct {
	__u64 number;
	__s32 negative;
	__u32 bits;
	__u16 shorts[4];
	char text[16];
} known = {
	.number = 0x1122334455667788,
	.negative = -5,
	.bits = 0xabcd1234,
	.shorts = { 1, 22, 333, 4444 },
	.text = "in the kernel",
};

static char area[TAP_TARGET_AREA];

static __u64 target(int fd, unsigned long cmd, __u32 function, __u64 count,
		    const __u64 arg[6])
{
	struct tap_target_run run = {
		.function = function,
		.count = count,
	};

	if (arg)
		memcpy(run.arg, arg, sizeof(run.arg));
	if (ioctl(fd, cmd, &run)) {
		perror("expr_call: " TAP_TARGET_DEVICE);
		exit(1);
	}
	return run.out_result;
}

static void call(int fd, __u32 function, __u64 count, __u64 arg0)
{
	const __u64 arg[6] = { arg0 };

	target(fd, TAP_TARGET_CALL, function, count, arg);
}

/* The kernel writes to memory of the program: a size, and a text to a page that is not present. */
static void out_parameters(void)
{
	char *text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = syscall(SYS_memfd_create, "expr_call", 0);
	struct stat stat;

	if (text == MAP_FAILED || ftruncate(fd, OUT_SIZE) || syscall(SYS_fstat, fd, &stat) ||
	    pwrite(fd, user_text, sizeof(user_text), 0) != sizeof(user_text) ||
	    pread(fd, text, OUT_READ, 0) != OUT_READ)
		perror("expr_call: memfd");
	close(fd);
}

/* A file in a mount below the root, which is renamed; a pipe. */
static void paths(void)
{
	char text[OUT_PATH];
	int fd, ends[2];

	if ((mkdir("paths", 0700) && errno != EEXIST) || mount("tmpfs", "paths", "tmpfs", 0, NULL) ||
	    mkdir("paths/one", 0700))
		perror("expr_call: paths");
	fd = open("paths/one/two", O_RDWR | O_CREAT, 0600);
	if (pwrite(fd, text, 1, 0) != 1 || pread(fd, text, OUT_PATH, 0) != 1 ||
	    rename("paths/one/two", "paths/one/three"))
		perror("expr_call: paths/one/two");
	close(fd);
	fd = open("paths/one", O_RDONLY);
	syscall(SYS_read, fd, text, OUT_PATH);
	close(fd);
	if (pipe(ends) || write(ends[1], text, 1) != 1 || read(ends[0], text, OUT_PATH) != 1)
		perror("expr_call: pipe");
	umount2("paths", MNT_DETACH);
}

/* These fail on purpose. */
static void syscalls(void)
{
	/* On the stack, so that execve finds them in memory. */
	char nonesuch[] = "/nonesuch", name[] = "expr_call", words[] = "two words", empty[] = "";
	char *argv[] = { name, words, empty, name, NULL };

	syscall(SYS_openat, AT_FDCWD, "/nonesuch/of/expr_call", O_RDWR, 0);
	syscall(SYS_write, -1, user_text, strlen(user_text));
	syscall(SYS_lseek, -1, 4096L, SEEK_END);
	syscall(SYS_execve, nonesuch, argv, NULL);
}

int main(void)
{
	int fd = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	__u64 arg[6] = { (uintptr_t)area };
	__u64 base;

	if (fd < 0) {
		perror("expr_call: " TAP_TARGET_DEVICE);
		return 1;
	}
	snprintf(user_text, sizeof(user_text), "of the user");
	memset(area, 'x', sizeof(area));
	memcpy(area, &known, sizeof(known));
	base = target(fd, TAP_TARGET_FILL, 0, 0, arg);

	call(fd, TAP_TARGET_ADD, ADDS, 0);
	call(fd, TAP_TARGET_SIX, 1, 0);
	call(fd, TAP_TARGET_FAIL, 1, 0);
	call(fd, TAP_TARGET_POINTER, 1, 0);
	call(fd, TAP_TARGET_SLEEP, 20, 0);
	call(fd, TAP_TARGET_TYPED, 1, (uintptr_t)user_text);
	call(fd, TAP_TARGET_EVENT, 1, 0);
	call(fd, TAP_TARGET_FIELDS, 1, 0);
	call(fd, TAP_TARGET_STORE, 2, 0);
	/* Kernel memory, its end, user memory, a non-canonical address, NULL, a small number. */
	arg[0] = base;
	arg[1] = base + TAP_TARGET_AREA;
	arg[2] = (uintptr_t)user_text;
	arg[3] = TAP_TARGET_WILD;
	arg[4] = 0;
	arg[5] = -1234;
	target(fd, TAP_TARGET_CALL, TAP_TARGET_VALUES, 1, arg);
	target(fd, TAP_TARGET_CALL, TAP_TARGET_PASS, 1, arg);
	syscalls();
	out_parameters();
	paths();
	return 0;
}
