/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Probes of a session, and the table that decoding needs. Included by libtap.h, which has the
 * conventions.
 */
#ifndef _LIBTAP_PROBE_H
#define _LIBTAP_PROBE_H

#include <libtap/session.h>
#include <libtap/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_probe - a probe that exists, or did when a file was recorded
 *
 * Its table owns it. A pointer to it stays valid until the table is freed or another probe is
 * added to the table.
 */
struct tap_probe;

/**
 * tap_probe_id() - its id in the session and in records
 * @probe: a probe
 *
 * Return: the id, never 0.
 */
LIBTAP_API __u32 tap_probe_id(const struct tap_probe *probe);

/**
 * tap_probe_address() - where it is in the kernel
 * @probe: a probe
 *
 * Return: the address; 0 if it has none or it is not known.
 */
LIBTAP_API __u64 tap_probe_address(const struct tap_probe *probe);

/**
 * tap_probe_spec() - the spec that it was made from
 * @probe: a probe
 *
 * Return: the spec, valid as long as @probe.
 */
LIBTAP_API const struct tap_spec *tap_probe_spec(const struct tap_probe *probe);

/**
 * tap_probe_event() - tap_spec_event() of a probe
 * @probe: a probe
 *
 * Return: e.g. "call:vfs_read"; valid as long as @probe.
 */
LIBTAP_API const char *tap_probe_event(const struct tap_probe *probe);

/**
 * tap_probe_type() - tap_spec_type() of a probe
 * @probe: a probe
 *
 * Return: the event source.
 */
LIBTAP_API enum tap_probe_type tap_probe_type(const struct tap_probe *probe);

/**
 * tap_probe_nr_fields() - tap_spec_nr_fields() of a probe
 * @probe: a probe
 *
 * Return: the number, hidden fields included.
 */
LIBTAP_API unsigned int tap_probe_nr_fields(const struct tap_probe *probe);

/**
 * tap_probe_field() - tap_spec_field() of a probe
 * @probe: a probe
 * @i: which one, in the order of printing
 *
 * Return: the field, valid as long as @probe; NULL if there is no such field.
 */
LIBTAP_API const struct tap_field *
tap_probe_field(const struct tap_probe *probe, unsigned int i);

/**
 * tap_probe_find_field() - the field with a name
 * @probe: a probe
 * @name: e.g. "dfd"
 *
 * Return: the field, valid as long as @probe; NULL if there is none. Hidden fields are found
 * as well.
 */
LIBTAP_API const struct tap_field *
tap_probe_find_field(const struct tap_probe *probe, const char *name);

/**
 * struct tap_probes - the probe table: the probes of a session or a trace file, by id
 */
struct tap_probes;

/**
 * tap_probes_new() - make an empty table
 *
 * Return: the table, to be ended with tap_probes_free(); NULL if there is no memory.
 */
LIBTAP_API struct tap_probes *tap_probes_new(void);

/**
 * tap_probes_free() - free a table and what it has of its probes
 * @probes: of tap_probes_new(); may be NULL. The probes stay in their session
 */
LIBTAP_API void tap_probes_free(struct tap_probes *probes);

/**
 * tap_probes_nr() - number of probes in a table
 * @probes: a table; NULL counts as an empty one
 *
 * Return: the number.
 */
LIBTAP_API size_t tap_probes_nr(const struct tap_probes *probes);

/**
 * tap_probes_get() - a probe by its place in the table
 * @probes: a table
 * @i: from 0, in the order in which the probes were created
 *
 * Return: the probe; NULL if @i is not below tap_probes_nr().
 */
LIBTAP_API const struct tap_probe *
tap_probes_get(const struct tap_probes *probes, size_t i);

/**
 * tap_probes_find() - the probe with an id
 * @probes: a table
 * @id: as in a record
 *
 * Return: the probe or NULL.
 */
LIBTAP_API const struct tap_probe *
tap_probes_find(const struct tap_probes *probes, __u32 id);

/**
 * tap_probe_create() - create a probe in a session and put it in a table
 * @probes: the table
 * @session: a session that is set up
 * @spec: of tap_spec_expand(); belongs to the table on success, to the caller on failure
 * @err: an error message on failure
 *
 * The probe is not enabled.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_probe_create(struct tap_probes *probes,
				struct tap_session *session,
				struct tap_spec *spec, struct tap_error *err);

/**
 * tap_probes_create() - expand a spec and create all of its probes
 * @probes: the table
 * @session: a session that is set up
 * @syms: of tap_symbols_load(); NULL: loaded for this call if they are needed
 * @spec: of tap_spec_parse(); not changed, stays the caller's
 * @err: an error message on failure; on success its text may be a remark (a name that
 *	several functions have), else empty
 *
 * Records get the hidden field for the COMM column. Of a glob, functions that the kernel
 * refuses to probe are left out, but not all of them. On failure the probes that were
 * created stay in the session and in the table.
 *
 * Return: how many probes were created, at least 1, or -errno.
 */
LIBTAP_API int tap_probes_create(struct tap_probes *probes,
				 struct tap_session *session,
				 struct tap_symbols *syms,
				 const struct tap_spec *spec,
				 struct tap_error *err);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_PROBE_H */
