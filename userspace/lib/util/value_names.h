/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Labels: names of values or bits, shared by the fields that have them. Private
 * to libtap and its tool.
 */
#ifndef _TAP_LABELS_H
#define _TAP_LABELS_H

#include <libtap.h>

struct tap_labels *tap_labels_new(void);
int tap_labels_add(struct tap_labels *labels, __u64 value, const char *name,
		   size_t len);
struct tap_labels *tap_labels_get(struct tap_labels *labels);
void tap_labels_put(struct tap_labels *labels);

#endif /* _TAP_LABELS_H */
