// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of errors: those of the C library, and those internal to the kernel.
 */
#include <stddef.h>
#include <string.h>

#include "util/errno_name.h"
#include "util/util.h"

#define KERNEL_FIRST	512

/* From KERNEL_FIRST on. ERESTART* ends a call that a signal interrupts. */
static const char * const kernel_names[] = {
	"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD",
	"ERESTART_RESTARTBLOCK", "EPROBE_DEFER", "EOPENSTALE", "ENOPARAM",
	NULL, "EBADHANDLE", "ENOTSYNC", "EBADCOOKIE", "ENOTSUPP", "ETOOSMALL",
	"ESERVERFAULT", "EBADTYPE", "EJUKEBOX", "EIOCBQUEUED",
	"ERECALLCONFLICT", "ENOGRACE",
};

/**
 * tap_errno_name() - return the name of an error
 * @number: positive
 *
 * Return: e.g. "ENOENT"; NULL if it has no name.
 */
const char *tap_errno_name(unsigned int number)
{
	if (!number || number > TAP_MAX_ERRNO)
		return NULL;
	if (number < KERNEL_FIRST)
		return strerrorname_np((int)number);
	number -= KERNEL_FIRST;
	return number < ARRAY_SIZE(kernel_names) ? kernel_names[number] : NULL;
}

/**
 * tap_errno_number() - return the number of an error
 * @name: its name; no final 0 is needed
 * @len: of @name
 *
 * Return: e.g. 2 for "ENOENT"; 0 if no error has this name.
 */
unsigned int tap_errno_number(const char *name, size_t len)
{
	unsigned int number;

	for (number = 1; number < KERNEL_FIRST + ARRAY_SIZE(kernel_names); number++) {
		const char *known = tap_errno_name(number);

		if (known && strlen(known) == len && !memcmp(known, name, len))
			return number;
	}
	return 0;
}
