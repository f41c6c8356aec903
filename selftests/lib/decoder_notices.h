/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of decoder_test that is about notices.
 */
#ifndef _TEST_LIB_DECODER_NOTICES_H
#define _TEST_LIB_DECODER_NOTICES_H

void test_notices(void);

#endif /* _TEST_LIB_DECODER_NOTICES_H */
