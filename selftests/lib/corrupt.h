/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Damages files in ways that find most errors: numbers off by one, maximum values, values from
 * other places of the file, and random bytes. Each run makes the same damage.
 */
#ifndef _TEST_LIB_CORRUPT_H
#define _TEST_LIB_CORRUPT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t damage_number(const char *data, size_t size)
{
	static const uint64_t edges[] = {
		0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000,
		INT32_MAX, 0x80000000, UINT32_MAX - 7, UINT32_MAX, 1ULL << 32,
		INT64_MAX, 1ULL << 63, UINT64_MAX - 7, UINT64_MAX,
	};
	uint64_t number;

	switch (rand() % 4) {
	case 0:
		return edges[(size_t)rand() % (sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return size - (size_t)rand() % 64;
	case 2:
		return (size_t)rand() % size;
	}
	memcpy(&number, data + (size_t)rand() % (size - sizeof(number)),
	       sizeof(number));
	return number + (uint64_t)(rand() % 17) - 8;
}

/* Writes a number of random width near an offset. */
static inline void damage_at(char *data, size_t size, size_t at)
{
	uint64_t number = damage_number(data, size);
	size_t width = (size_t)1 << rand() % 4;

	at &= ~(width - 1);
	if (at <= size - width)
		memcpy(data + at, &number, width);
}

static inline char *damage_load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *data = NULL;

	if (!f || fseek(f, 0, SEEK_END))
		abort();
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	if (!data || fread(data, *size, 1, f) != 1)
		abort();
	fclose(f);
	return data;
}

static inline void damage_store(const char *path, const char *data, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || (len && fwrite(data, len, 1, f) != 1) || fclose(f))
		abort();
}

#endif /* _TEST_LIB_CORRUPT_H */
