// SPDX-License-Identifier: GPL-2.0
/*
 * Makes tap_target call its function with a loop of TURNS rounds, CALLS times:
 *	target_loop TURNS CALLS
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "selftests/module/kmod/tap_target.h"

int main(int argc, char **argv)
{
	struct tap_target_run run = { .function = TAP_TARGET_LOOP };
	int fd = open("/dev/tap_target", O_RDWR);
	long calls;

	if (argc != 3 || fd < 0) {
		fprintf(stderr, "usage: target_loop TURNS CALLS; needs the module tap_target\n");
		return 2;
	}
	run.count = strtoull(argv[1], NULL, 0);
	for (calls = atol(argv[2]); calls > 0; calls--) {
		if (ioctl(fd, TAP_TARGET_CALL, &run)) {
			perror("target_loop");
			return 1;
		}
	}
	return 0;
}
