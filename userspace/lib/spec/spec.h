/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Building specs. Private to libtap and its tool.
 */
#ifndef _TAP_SPEC_SPEC_H
#define _TAP_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>
#include "lang/lang.h"
#include "kernel/ksyms.h"

/* Offsets behind this are no function's. */
#define TAP_MAX_FUNCTION	0xffffff
/* Steps that the tool adds on its own: tests and the hidden comm. */
#define TAP_SPEC_OWN_OPS	8
/* Outputs but those that the tool and the library add: comm, and what is absent. */
#define TAP_SPEC_MAX_VALUES	(TAP_MAX_OUTPUTS - 2)

bool tap_probe_is_call(enum tap_probe_type type);
bool tap_probe_is_return(enum tap_probe_type type);
bool tap_probe_is_user(enum tap_probe_type type);
bool tap_spec_glob(const struct tap_spec *spec);
bool tap_spec_same_event(const struct tap_spec *a, const struct tap_spec *b);
const char *tap_spec_type_name(enum tap_probe_type type);
unsigned int tap_op_words(const struct tap_op *op);
unsigned int tap_spec_words(const struct tap_spec *spec);
int tap_spec_add_op(struct tap_spec *spec, const struct tap_op *op,
		    const struct tap_field *field);
int tap_spec_add_field(struct tap_spec *spec, const struct tap_field *field);
int tap_spec_copy(const struct tap_spec *from, const char *event,
		  const char *target, struct tap_spec *to);

/**
 * struct tap_target - a target in its parts
 * @module: "" if none was named
 * @name: function or tracepoint, perhaps a glob
 * @offset: behind its begin
 */
struct tap_target {
	char module[TAP_MAX_TARGET];
	char name[TAP_MAX_TARGET];
	uint32_t offset;
};

/* resolve_syscall.c */
int tap_spec_expand_syscall(const struct tap_spec *spec,
			    struct tap_spec **list, size_t *nr,
			    struct tap_error *err);

void tap_target_split(const char *text, struct tap_target *target);
bool tap_target_in_module(const struct tap_target *target, const char *module);

/* parse_sample.c */
int tap_spec_event(struct tap_parser *p, struct tap_token word);

/* resolve_tracepoint.c */
int tap_spec_expand_tracepoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);

/* parse_watchpoint.c */
int tap_watchpoint_parse(struct tap_parser *p, struct tap_token t);
int tap_spec_expand_watchpoint(const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);

/* parse_event.c */
int tap_target_parse(struct tap_parser *p, struct tap_token t);
int tap_offset_parse(struct tap_parser *p, struct tap_token t, __u64 most,
		     __u64 *value);
int tap_spec_target(struct tap_parser *p, const char *text);

/**
 * struct tap_user_target - a place in a program in its parts, which point into
 * the text
 * @file: of the program or library, as it was written
 * @path: the same without quotes, or a name to find it by
 * @provider: of a USDT probe; at NULL if none was named
 * @name: the function or the USDT probe, perhaps a glob; or 0x... in the file
 * @offset: what stands behind a +; at NULL if there is none
 * @quoted: the name stood in quotes: it is no glob
 */
struct tap_user_target {
	struct tap_token file;
	struct tap_token path;
	struct tap_token provider;
	struct tap_token name;
	struct tap_token offset;
	bool quoted;
};

/* parse_user_target.c */
void tap_user_target_split(enum tap_probe_type type, struct tap_token t,
			   struct tap_user_target *target);
int tap_user_target_parse(struct tap_parser *p, struct tap_token t);
bool tap_user_target_glob(const struct tap_user_target *target);
bool tap_spec_inside(const struct tap_spec *spec);

/* parse_pmu.c */
void tap_pmu_name(const char *counter, char *name);

/* parse_mark.c */
int tap_spec_mark(struct tap_parser *p, struct tap_token word);
__u64 tap_spec_interval(const struct tap_spec *spec);
const char *tap_spec_value_file(const struct tap_spec *spec);

/* resolve_user.c */
int tap_spec_expand_user(const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err);

#endif /* _TAP_SPEC_SPEC_H */
