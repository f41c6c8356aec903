/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types and prototypes of a kernel, in a BTF file, for tests of expressions.
 */
#ifndef _TEST_LIB_FAKE_BTF_H
#define _TEST_LIB_FAKE_BTF_H

/* Memory that random programs read; the BTF has it as struct rec. */
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

struct btf;
struct tap_types;

/* Makes types of @btf, and frees it; close them with tap_types_free(). */
struct tap_types *fake_btf_types(struct btf *btf);

/* Opens the types; close them with tap_types_free(). */
struct tap_types *fake_btf_open(void);

#endif /* _TEST_LIB_FAKE_BTF_H */
