/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the program of an event, with the types of fake_btf.c.
 */
#ifndef _TEST_LIB_EXPR_HARNESS_H
#define _TEST_LIB_EXPR_HARNESS_H

#include "spec/spec.h"

/* A call of tap_spec_aggregate(). */
struct expr_table {
	const char *const *keys;
	unsigned int nr_keys;
	const struct tap_spec_value *values;
	unsigned int nr_values;
};

/* Opens and closes the types of fake_btf.c. */
void expr_open(void);
void expr_close(void);

/* The caller frees @spec if these return 0. */
int expr_make_side(const char *text, struct tap_spec *spec, struct tap_error *err);
int expr_make(const char *text, struct tap_spec *spec, struct tap_error *err);
int expr_make_tables(const char *text, const struct expr_table *tables, unsigned int nr,
		     struct tap_spec *spec, struct tap_error *err);
int expr_make_aggregate(const char *text, const char *const *keys, unsigned int nr_keys,
			const struct tap_spec_value *values, unsigned int nr_values,
			struct tap_spec *spec, struct tap_error *err);

#endif /* _TEST_LIB_EXPR_HARNESS_H */
