/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Lengths of instructions of this architecture. Private to libtap.
 */
#ifndef _TAP_UTIL_INSN_LEN_H
#define _TAP_UTIL_INSN_LEN_H

#include <stddef.h>
#include <stdint.h>

int tap_insn_length(const uint8_t *code, size_t len);

#endif /* _TAP_UTIL_INSN_LEN_H */
