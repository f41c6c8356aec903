/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of events with the expected results, and the loops over them, for tests of the event
 * language.
 */
#ifndef _TEST_LIB_HARNESS_H
#define _TEST_LIB_HARNESS_H

#include "types/scope.h"
#include "spec/spec.h"

/* An event with its program and fields, in the format of op_text.h. */
struct right_event {
	const char *text;
	const char *steps;
	const char *fields;
};

/*
 * An event that must be refused with @code: the error contains @says, and marks the characters
 * below which @mark has ^ or ~; no marks if @mark is NULL.
 */
struct wrong_event {
	const char *text;
	const char *mark;
	int code;
	const char *says;
};

/* An event and the events that it expands to, or the error; @says is part of the message. */
struct expansion {
	const char *text;
	int code;
	const char *gives;
	const char *says;
};

/* Makes the program of an event; the caller frees @spec if it returns 0. */
typedef int make_event(const char *text, struct tap_spec *spec, struct tap_error *err);

/* Expands an event; the caller frees the list if it returns 0. */
typedef int expand_event(const char *text, struct tap_spec **list, size_t *nr,
			 struct tap_error *err);

/* Whether a list of specs is the expected expansion. */
typedef bool expansion_fits(const char *gives, const struct tap_spec *list, size_t nr);

/* Each adds one check for each row; the check's name starts with @title. */
void check_right_events(const char *title, const struct right_event *rows, size_t nr,
			make_event *make);
void check_wrong_events(const struct wrong_event *rows, size_t nr, make_event *make);
void check_expansions(const struct expansion *rows, size_t nr, expand_event *expand,
		      expansion_fits *fits);

/*
 * Ends a make_event: makes the program of the parsed @spec unless @ret is an error, closes @scope,
 * and frees @spec on error.
 */
int make_event_end(int ret, struct tap_spec *spec, struct tap_scope *scope,
		   struct tap_error *err);

void free_events(struct tap_spec *list, size_t nr);

#endif /* _TEST_LIB_HARNESS_H */
