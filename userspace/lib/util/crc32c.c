// SPDX-License-Identifier: LGPL-2.1
/*
 * CRC-32C (Castagnoli, as iSCSI has it), by the processor's instruction where there is one: 9
 * instructions for 64 bytes. No library of Debian's does: XXH3 of libxxhash takes 64, and libisal has no
 * archive for the static tap.
 */
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "util/crc32c.h"

/* The polynomial, bits reversed. */
#define CRC32C_POLY	0x82f63b78

#if defined(__x86_64__)

static int has_instruction(void)
{
	return __builtin_cpu_supports("sse4.2");
}

#define TARGET			__attribute__((target("sse4.2")))
#define CRC_8(_crc, _word)	__builtin_ia32_crc32di(_crc, _word)
#define CRC_1(_crc, _byte)	__builtin_ia32_crc32qi((__u32)(_crc), _byte)

#elif defined(__aarch64__)

/* HWCAP_CRC32 of asm/hwcap.h. */
static int has_instruction(void)
{
	return !!(getauxval(AT_HWCAP) & 1 << 7);
}

#define TARGET			__attribute__((target("+crc")))
#define CRC_8(_crc, _word)	__builtin_aarch64_crc32cx((__u32)(_crc), _word)
#define CRC_1(_crc, _byte)	__builtin_aarch64_crc32cb((__u32)(_crc), _byte)

#endif

/* Words of one step: with more of them the loop itself costs less than a tenth. */
#define STEP	32

#ifdef TARGET
/* The sum is 64 bits wide, as x86's instruction has it: else each use of it is extended again. */
TARGET static __u32 by_instruction(__u64 crc, const unsigned char *p, size_t len)
{
	__u64 word;
	unsigned int i;

	for (; len >= STEP * sizeof(word); len -= STEP * sizeof(word), p += STEP * sizeof(word)) {
#pragma GCC unroll 32
		for (i = 0; i < STEP; i++) {
			memcpy(&word, p + i * sizeof(word), sizeof(word));
			crc = CRC_8(crc, word);
		}
	}
	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		crc = CRC_8(crc, word);
	}
	while (len--)
		crc = CRC_1(crc, *p++);
	return (__u32)crc;
}
#endif

/**
 * tap_crc32c_table() - tap_crc32c() without the processor's instruction
 * @crc: as there
 * @data: as there
 * @len: as there
 *
 * Return: as there.
 */
__u32 tap_crc32c_table(__u32 crc, const void *data, size_t len)
{
	const unsigned char *p = data;
	__u32 table[256];
	unsigned int i, bit;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? CRC32C_POLY : 0);
	}
	crc = ~crc;
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return ~crc;
}

/**
 * tap_crc32c() - the checksum of bytes
 * @crc: 0, or the checksum of the bytes in front of them
 * @data: the bytes
 * @len: their number
 *
 * Return: the checksum.
 */
__u32 tap_crc32c(__u32 crc, const void *data, size_t len)
{
#ifdef TARGET
	if (has_instruction())
		return ~by_instruction(~crc, data, len);
#endif
	return tap_crc32c_table(crc, data, len);
}
