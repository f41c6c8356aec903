/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_GLOB_H
#define _TAPMOD_EXEC_GLOB_H

#include <linux/types.h>

bool tap_glob(const u8 *p, size_t pattern, const u8 *s, size_t len);

#endif /* _TAPMOD_EXEC_GLOB_H */
