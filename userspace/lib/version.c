// SPDX-License-Identifier: LGPL-2.1
#include <libtap.h>

#ifndef TAP_VERSION
#error "TAP_VERSION comes from the file VERSION, by way of the Makefile"
#endif

const char *tap_version(void)
{
	return TAP_VERSION;
}
