// SPDX-License-Identifier: LGPL-2.1
/*
 * The probe table, and what the tool adds to a probe's program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/value.h"
#include "util/util.h"
#include "record/record.h"
#include "spec/spec.h"

int tap_spec_test(struct tap_spec *spec, enum tap_var var, __u64 imm,
		  __u64 value)
{
	const struct tap_op test[] = {
		{ .code = TAP_OP_VAR, .size = 8, .off = var, .imm = imm },
		{ .code = TAP_OP_JNE, .src = TAP_OP_IMM_SRC, .size = 8,
		  .off = TAP_OP_REJECT, .imm = value },
	};
	struct tap_op *ops;

	if (spec->nr_ops + ARRAY_SIZE(test) > TAP_MAX_OPS)
		return -E2BIG;
	ops = realloc(spec->ops, (spec->nr_ops + ARRAY_SIZE(test)) *
				 sizeof(*ops));
	if (!ops)
		return -ENOMEM;
	memmove(ops + ARRAY_SIZE(test), ops, spec->nr_ops * sizeof(*ops));
	memcpy(ops, test, sizeof(test));
	spec->ops = ops;
	spec->nr_ops += ARRAY_SIZE(test);
	return 0;
}

int tap_spec_fetch_comm(struct tap_spec *spec)
{
	static const struct tap_op op = {
		.code = TAP_OP_COMM, .dst = TAP_OP_OUT,
	};
	/* Hidden: for the COMM column. */
	static const struct tap_field field = {
		.name = "comm", .format = TAP_FMT_COMM,
		.flags = TAP_FIELD_F_HIDDEN,
	};
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].flags & TAP_FIELD_F_HIDDEN &&
		    spec->fields[i].format == TAP_FMT_COMM)
			return 0;
	return tap_spec_add_op(spec, &op, &field);
}

/* Whether the layout makes sense; finds the words of no value on the way. */
static int probe_check(struct tap_probe *probe)
{
	const struct tap_spec *spec = &probe->spec;
	unsigned int room, i;

	if (!probe->id || probe->id > UINT16_MAX || !probe->slots ||
	    probe->slots > TAP_MAX_SLOTS || !spec->event || !spec->target)
		return -EBADMSG;
	room = TAP_FIRST_VALUES + (probe->slots - 1) * TAP_SLOT_VALUES;
	if (probe->words > room)
		return -EBADMSG;
	if (tap_probe_is_call(spec->type) && probe->words < TAP_CALL_FETCHES)
		return -EBADMSG;
	probe->comm_word = -1;
	probe->absent_word = -1;
	probe->entry_absent_word = -1;
	probe->frame_word = -1;
	for (i = 0; i < spec->nr_fields; i++) {
		const struct tap_field *f = &spec->fields[i];

		if (!tap_field_check(f, probe->words))
			return -EBADMSG;
		if (f->flags & TAP_FIELD_F_ABSENT)
			probe->absent_word = f->word;
		else if (f->flags & TAP_FIELD_F_FRAME)
			probe->frame_word = f->word;
		else if (f->flags & TAP_FIELD_F_HIDDEN &&
			 f->format == TAP_FMT_COMM)
			probe->comm_word = f->word;
		if (f->flags & TAP_FIELD_F_ABSENT &&
		    !(f->flags & TAP_FIELD_F_RETURN))
			probe->entry_absent_word = f->word;
	}
	return 0;
}

static int probes_index(struct tap_probes *probes, __u32 id, size_t index)
{
	if (id >= probes->nr_ids) {
		size_t nr = (size_t)id * 2 + 16;
		__u32 *by_id = realloc(probes->by_id, nr * sizeof(*by_id));

		if (!by_id)
			return -ENOMEM;
		memset(by_id + probes->nr_ids, 0,
		       (nr - probes->nr_ids) * sizeof(*by_id));
		probes->by_id = by_id;
		probes->nr_ids = nr;
	}
	if (probes->by_id[id])
		return -EEXIST;
	probes->by_id[id] = (__u32)index + 1;
	return 0;
}

int tap_probes_add(struct tap_probes *probes, struct tap_probe *probe)
{
	struct tap_probe *list;
	int ret = probe_check(probe);

	if (ret)
		return ret;
	/* Grow at each power of two: the length says when. */
	if (!(probes->nr & (probes->nr - 1))) {
		size_t room = probes->nr ? probes->nr * 2 : 1;

		list = realloc(probes->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		probes->list = list;
	}
	ret = probes_index(probes, probe->id, probes->nr);
	if (ret)
		return ret;
	probes->list[probes->nr++] = *probe;
	memset(&probe->spec, 0, sizeof(probe->spec));
	return 0;
}

void tap_probes_free(struct tap_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->nr; i++)
		tap_spec_free(&probes->list[i].spec);
	free(probes->list);
	free(probes->by_id);
	memset(probes, 0, sizeof(*probes));
}

const struct tap_probe *tap_probes_find(const struct tap_probes *probes,
					__u32 id)
{
	return tap_probes_at(probes, id);
}

int tap_probe_create(struct tap_probes *probes, struct tap_session *session,
		     struct tap_spec *spec, struct tap_error *err)
{
	struct tap_probe probe = { 0 };
	struct tap_probe_info info;
	int ret;

	if (spec->target && strlen(spec->target) >= TAP_MAX_TARGET)
		return tap_error_set(err, -EINVAL,
				     "%.64s...: the name is too long, at most %d bytes",
				     spec->target, TAP_MAX_TARGET - 1);
	ret = tap_session_create(session, spec, &probe.id);
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
