/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loaded modules that are not of the kernel's own tree.
 */
#ifndef _TOOL_CMD_DOCTOR_MODULES_H
#define _TOOL_CMD_DOCTOR_MODULES_H

#include <stdbool.h>

/**
 * doctor_modules() - look at each loaded out-of-tree module but tapmod
 * @each: called with the module's name, and whether the kernel has BTF of it
 * @arg: for @each
 */
void doctor_modules(void (*each)(const char *module, bool known, void *arg), void *arg);

#endif /* _TOOL_CMD_DOCTOR_MODULES_H */
