/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The size of a record, as uapi/linux/tap_record.h defines it. The module, which writes
 * records, and libtap, which reads them, share this copy.
 */
#ifndef _TAPMOD_COMMON_RECORD_SLOTS_H
#define _TAPMOD_COMMON_RECORD_SLOTS_H

#include <linux/tap.h>

/* Slots of a record with so many value words. */
static inline unsigned int tap_words_slots(unsigned int words)
{
	return words <= TAP_FIRST_VALUES ?
	       1 : 1 + (words - TAP_FIRST_VALUES + TAP_SLOT_VALUES - 1) / TAP_SLOT_VALUES;
}

#endif /* _TAPMOD_COMMON_RECORD_SLOTS_H */
