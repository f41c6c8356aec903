/* SPDX-License-Identifier: LGPL-2.1 */
#ifndef _TAP_UTIL_CRC32C_H
#define _TAP_UTIL_CRC32C_H

#include <linux/types.h>
#include <stddef.h>

__u32 tap_crc32c(__u32 crc, const void *data, size_t len);
__u32 tap_crc32c_table(__u32 crc, const void *data, size_t len);

#endif /* _TAP_UTIL_CRC32C_H */
