/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Lists of value names of a trace file. Private to file/.
 */
#ifndef _TAP_FILE_FILE_VALUE_NAMES_H
#define _TAP_FILE_FILE_VALUE_NAMES_H

#include <libtap.h>

#include "util/buffer.h"

/**
 * struct tap_file_value_names_table - the lists of a file
 * @list: list number N of the file is at N - 1; each holds a reference
 * @nr: number of @list
 */
struct tap_file_value_names_table {
	struct tap_value_names **list;
	size_t nr;
};

int tap_file_value_names_collect(struct tap_file_value_names_table *table,
				 const struct tap_probes *probes);
__u32 tap_file_value_names_index(const struct tap_file_value_names_table *table,
				 const struct tap_value_names *value_names);
void tap_file_value_names_free(struct tap_file_value_names_table *table);
int tap_file_value_names_write(struct tap_buffer *buf,
			       const struct tap_value_names *value_names);
int tap_file_value_names_parse(struct tap_file_value_names_table *table,
			       const char *data, size_t len);

#endif /* _TAP_FILE_FILE_VALUE_NAMES_H */
