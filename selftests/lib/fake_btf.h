/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel for expressions: types and prototypes in a file of BTF.
 */
#ifndef _TEST_LIB_FAKE_BTF_H
#define _TEST_LIB_FAKE_BTF_H

/* Memory that the random programs read; also in the BTF, as struct rec. */
struct rec {
	signed char sc;
	unsigned char uc;
	short ss;
	unsigned short us;
	int si;
	unsigned int ui;
	long sl;
	unsigned long ul;
	unsigned int b3 : 3;
	unsigned int b11 : 11;
	int s5 : 5;
	unsigned int b13 : 13;
	unsigned int arr[4];
	struct rec *next;
};

struct tap_types;

/* Opens the types; for tap_types_close(). */
struct tap_types *fake_btf_open(void);

#endif /* _TEST_LIB_FAKE_BTF_H */
