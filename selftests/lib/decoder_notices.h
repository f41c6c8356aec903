/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of decoder_test: notices.
 */
#ifndef _TEST_LIB_DECODER_NOTICES_H
#define _TEST_LIB_DECODER_NOTICES_H

void test_notices(void);

#endif /* _TEST_LIB_DECODER_NOTICES_H */
