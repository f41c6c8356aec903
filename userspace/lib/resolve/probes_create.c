// SPDX-License-Identifier: LGPL-2.1
/*
 * From a parsed spec to all of its probes, for callers of the library.
 */
#include <errno.h>
#include <stdlib.h>

#include "resolve/resolve.h"
#include "session/probe_create.h"
#include "spec/probe_table.h"

int tap_spec_expand(struct tap_symbols *syms, struct tap_types *types,
		    const struct tap_spec *spec, struct tap_spec ***out, size_t *nr,
		    struct tap_error *err)
{
	struct tap_spec *specs, **list;
	size_t i, n;
	int ret = tap_spec_expand_in(syms, types, spec, &specs, &n, err);

	if (ret)
		return ret;
	list = calloc(n, sizeof(*list));
	if (!list)
		goto err_specs;
	for (i = 0; i < n; i++) {
		list[i] = malloc(sizeof(**list));
		if (!list[i])
			goto err_list;
	}
	for (i = 0; i < n; i++)
		*list[i] = specs[i];
	free(specs);
	*out = list;
	*nr = n;
	return 0;

err_list:
	while (i--)
		free(list[i]);
	free(list);
err_specs:
	for (i = 0; i < n; i++)
		tap_spec_clear(&specs[i]);
	free(specs);
	return tap_error_set(err, -ENOMEM, "out of memory");
}

/* Errors for which a match of a glob is left out. A name must be probed. */
static bool may_leave_out(int code)
{
	return code == -EADDRNOTAVAIL || code == -EOPNOTSUPP ||
	       code == -ENOENT || code == -EILSEQ || code == -EINVAL;
}

static int create_one(struct tap_probes *probes, struct tap_session *session,
		      struct tap_spec *spec, struct tap_error *err)
{
	bool records = !tap_spec_aggregates(spec) && !(spec->flags & TAP_CREATE_F_COUNT) &&
		       (!spec->side || spec->flags & TAP_CREATE_F_RECORD);
	int ret = records ? tap_spec_fetch_comm(spec) : 0;

	if (ret)
		return tap_error_set(err, ret, ret == -E2BIG ?
				     "%s: too many fetches" :
				     "%s: out of memory", spec->event);
	return tap_probe_create_from(probes, session, spec, err);
}

int tap_probes_create(struct tap_probes *probes, struct tap_session *session,
		      struct tap_symbols *syms, const struct tap_spec *spec,
		      struct tap_error *err)
{
	bool glob = tap_spec_glob(spec);
	struct tap_error remark, why = { 0 };
	struct tap_symbols *own = NULL;
	struct tap_spec *list;
	int ret, created = 0;
	size_t nr, i;

	if (!syms && tap_spec_needs_symbols(spec) && !tap_spec_known(spec)) {
		own = tap_symbols_cached(&remark);
		if (!own) {
			if (err)
				*err = remark;
			return remark.code;
		}
	}
	ret = tap_spec_expand_in(syms ? syms : own, NULL, spec, &list, &nr, &remark);
	tap_symbols_free(own);
	if (ret) {
		if (err)
			*err = remark;
		return ret;
	}
	for (i = 0; i < nr && !ret; i++) {
		ret = create_one(probes, session, &list[i], &why);
		if (!ret)
			created++;
		else if (glob && may_leave_out(ret) && list[i].type != TAP_PROBE_SPAN)
			ret = 0;
	}
	for (i = 0; i < nr; i++)
		tap_spec_clear(&list[i]);
	free(list);
	if (!ret && !created)
		ret = why.code;
	if (err)
		*err = ret ? why : remark;
	return ret ? ret : created;
}
