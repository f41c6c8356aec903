// SPDX-License-Identifier: LGPL-2.1
/*
 * A probe of a session, from its spec to its place in the probe table.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "module/common/program_cost.h"
#include "session/ioctl_error.h"
#include "session/probe_create.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"

/*
 * Says by how much the calls in flight of the session's probes are over their bound, if that
 * is why the module refused one. Returns whether it was.
 */
static bool explain_call_mem(struct tap_session *session, const struct tap_spec *spec,
			     struct tap_error *err)
{
	struct tap_info info;

	if (tap_session_info(session, &info) || !info.out_call_mem_wanted)
		return false;
	tap_error_set(err, -ENOMEM,
		      "%s: over the memory for calls in flight: it needs %llu KiB, the session's other probes have %llu of %llu KiB; %llu such probes fit into a session: take fewer events, or a smaller --maxactive",
		      spec->target, info.out_call_mem_wanted >> 10, info.out_call_mem >> 10,
		      info.out_max_call_mem >> 10,
		      info.out_max_call_mem / info.out_call_mem_wanted);
	return true;
}

/* Whether a program reads kernel memory through pointers that may lead to user memory. */
static bool may_read_user(const struct tap_spec *spec)
{
	__u32 i;

	for (i = 0; i < spec->nr_ops; i++)
		if (tap_op_of_user(spec->ops[i].code))
			return !tap_probe_is_user(spec->type);
	return false;
}

/*
 * Creates a probe that recognises user memory by its address, as no type says __user of all of
 * it. That costs more: if it is too much, the probe does without. @spec is unchanged on failure.
 */
static int create(struct tap_session *session, struct tap_spec *spec, __u32 *id)
{
	__u32 flags = spec->flags;
	int ret = -EFBIG;

	if (may_read_user(spec)) {
		spec->flags |= TAP_CREATE_F_USER;
		ret = tap_session_create(session, spec, id);
	}
	if (ret)
		spec->flags = flags;
	return ret == -EFBIG ? tap_session_create(session, spec, id) : ret;
}

/*
 * Creates the probes of a capture, unless they were. They are no probes of the table: they make
 * no records, and go with those that look into them.
 */
static int create_capture(struct tap_session *session, const struct tap_spec_capture *capture,
			  struct tap_error *err)
{
	__u32 id;
	int ret;

	if (!capture || capture->table->span->id)
		return 0;
	ret = tap_session_create(session, capture->table, &id);
	if (ret)
		return tap_explain(err, TAP_IOC_CREATE, ret, capture->table);
	ret = tap_session_create(session, capture->entry, &id);
	return ret ? tap_explain(err, TAP_IOC_CREATE, ret, capture->entry) : 0;
}

/**
 * tap_probe_create_from() - tap_probe_create() from a structure of the caller
 * @probes: the table
 * @session: a session that is set up
 * @spec: an expanded spec; all zero on success, unchanged on failure
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_probe_create_from(struct tap_probes *probes,
			  struct tap_session *session, struct tap_spec *spec,
			  struct tap_error *err)
{
	struct tap_probe probe = { 0 };
	struct tap_probe_info info;
	int ret;

	if (spec->target && strlen(spec->target) >= TAP_MAX_TARGET)
		return tap_error_set(err, -EINVAL,
				     "%.64s...: the name is too long, at most %d bytes",
				     spec->target, TAP_MAX_TARGET - 1);
	ret = create_capture(session, spec->capture, err);
	if (ret)
		return ret;
	ret = create(session, spec, &probe.id);
	if (ret == -ENOMEM &&
	    (explain_call_mem(session, spec, err) ||
	     tap_explain_memory(err, session, spec->event ? spec->event : spec->target,
				spec->agg ? "fewer --entries or events" :
					    "fewer events or a smaller --maxactive")))
		return ret;
	if (ret)
		return tap_explain(err, TAP_IOC_CREATE, ret, spec);
	ret = tap_session_probe_info(session, probe.id, &info, NULL, 0);
	if (ret) {
		tap_explain(err, TAP_IOC_PROBE_INFO, ret, spec);
		goto err_delete;
	}
	probe.slots = info.out_slots;
	probe.words = info.out_words;
	probe.address = info.out_address;
	probe.spec = *spec;
	tap_probe_shrink(&probe);
	ret = tap_probes_add(probes, &probe);
	if (ret) {
		tap_error_set(err, ret,
			      ret == -ENOMEM ? "%s: out of memory" :
			      "%s: the module gives the probe a layout that does not fit its fields; the module and this program may not be of the same version",
			      spec->target);
		goto err_delete;
	}
	memset(spec, 0, sizeof(*spec));
	return 0;

err_delete:
	tap_session_delete(session, probe.id);
	return ret;
}

int tap_probe_create(struct tap_probes *probes, struct tap_session *session,
		     struct tap_spec *spec, struct tap_error *err)
{
	int ret = tap_probe_create_from(probes, session, spec, err);

	if (!ret)
		free(spec);
	return ret;
}
