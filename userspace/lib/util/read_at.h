/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A piece of a file.
 */
#ifndef _TAP_UTIL_READ_AT_H
#define _TAP_UTIL_READ_AT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool tap_read_at(int fd, uint64_t offset, void *data, size_t len);

#endif /* _TAP_UTIL_READ_AT_H */
