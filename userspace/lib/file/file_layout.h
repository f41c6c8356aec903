/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Layouts of structs in a trace file. Private to file/.
 */
#ifndef _TAP_FILE_FILE_LAYOUT_H
#define _TAP_FILE_FILE_LAYOUT_H

#include "file/file_value_names.h"

int tap_file_layout_write(struct tap_buffer *buf, const struct tap_file_value_names_table *table,
			  unsigned int number);
int tap_file_layouts_parse(struct tap_file_value_names_table *table, const char *data, size_t len);

#endif /* _TAP_FILE_FILE_LAYOUT_H */
