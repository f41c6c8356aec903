/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of decoder_test.
 */
#ifndef _TEST_LIB_DECODER_TEST_H
#define _TEST_LIB_DECODER_TEST_H

#include <stdbool.h>

#include <libtap.h>

/* Formats one event of CPU 1; the text is valid until the next call. */
const char *formatted(const struct tap_probes *probes, const struct tap_record *recs,
		      unsigned int slots, bool json, bool header);

#endif /* _TEST_LIB_DECODER_TEST_H */
