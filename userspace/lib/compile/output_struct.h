/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Outputs that are whole structs, or what a call has changed in one. Private to libtap.
 */
#ifndef _TAP_COMPILE_OUTPUT_STRUCT_H
#define _TAP_COMPILE_OUTPUT_STRUCT_H

#include "compile/output.h"

bool tap_value_is_whole(const struct tap_value *v);
int tap_output_struct(struct tap_sema *t, const struct tap_value *v, struct tap_output *out);
int tap_output_diff(struct tap_sema *t, const struct tap_value *v, const struct tap_as *as,
		    bool aggregate, struct tap_output *out);

#endif /* _TAP_COMPILE_OUTPUT_STRUCT_H */
