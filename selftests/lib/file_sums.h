/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Corrects the checksums of the chunks of a damaged trace file, so that the damage reaches the code
 * after the comparison.
 */
#ifndef _TEST_LIB_FILE_SUMS_H
#define _TEST_LIB_FILE_SUMS_H

#include <string.h>

#include "file/file_internal.h"

static inline void file_resum(char *data, size_t len)
{
	struct tap_file_chunk chunk;
	struct tap_file_header head;
	size_t at;

	if (len < sizeof(head))
		return;
	memcpy(&head, data, sizeof(head));
	for (at = head.length; at <= len && len - at >= sizeof(chunk);
	     at += (chunk.length + TAP_FILE_ALIGN - 1) & -TAP_FILE_ALIGN) {
		memcpy(&chunk, data + at, sizeof(chunk));
		if (chunk.length > len - at - sizeof(chunk))
			return;
		chunk.sum = tap_file_chunk_sum(&chunk, data + at + sizeof(chunk));
		memcpy(data + at, &chunk, sizeof(chunk));
		at += sizeof(chunk);
	}
}

#endif /* _TEST_LIB_FILE_SUMS_H */
