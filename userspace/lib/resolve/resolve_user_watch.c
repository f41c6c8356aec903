// SPDX-License-Identifier: LGPL-2.1
/*
 * Watchpoints in programs: from a symbol to the address in a process, or to the distance from the
 * instruction at which processes are armed.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_variable.h"
#include "lang/target.h"
#include "resolve/resolve.h"
#include "spec/spec.h"

/* A spec while its place is looked up; the texts are without quotes. */
struct user_watch {
	const struct tap_spec *spec;
	char *path;
	char *name;
	__u64 offset;
	struct tap_elf *elf;
	struct tap_elf_variable var;
	struct tap_error *err;
};

#define FAULT(w, code, fmt, ...)	\
	tap_error_set((w)->err, code, "%s: " fmt, (w)->spec->event, ##__VA_ARGS__)

static int take_apart(struct user_watch *w)
{
	const char *target = w->spec->target;
	struct tap_user_target t;

	tap_user_target_split(w->spec->type, (struct tap_token) { target, strlen(target) }, &t);
	w->path = strndup(t.path.at, t.path.len);
	w->name = strndup(t.name.at, t.name.len);
	if (!w->path || !w->name)
		return tap_error_set(w->err, -ENOMEM, "out of memory");
	if (t.offset.at)
		w->offset = strtoull(t.offset.at, NULL, 0);
	return 0;
}

static int open_elf(const char *name, __u32 pid, struct tap_elf **elf, struct tap_error *err)
{
	char path[PATH_MAX];
	int ret = tap_elf_find(name, pid, path, sizeof(path), err);

	return ret ? ret : tap_elf_open(elf, path, err);
}

static int check_place(struct user_watch *w)
{
	const struct tap_perf *perf = &w->spec->perf;

	if (w->var.size && (w->offset >= w->var.size || perf->config2 > w->var.size - w->offset) &&
	    perf->config != TAP_WATCH_EXECUTE)
		return FAULT(w, -EINVAL, "the variable is only %llu bytes long",
			     (unsigned long long)w->var.size);
	if (perf->config != TAP_WATCH_EXECUTE && (w->var.addr + w->offset) % perf->config2)
		return FAULT(w, -EINVAL,
			     "the processor watches %llu bytes only at a multiple of %llu, and this is at 0x%llx; use a shorter length or two watchpoints",
			     (unsigned long long)perf->config2, (unsigned long long)perf->config2,
			     (unsigned long long)(w->var.addr + w->offset));
	if (w->var.nr > 1)
		FAULT(w, 0, "%zu variables have this name; the first of the symbol table is watched",
		      w->var.nr);
	return 0;
}

/* Gives the probe its address, in a process or from the start of each. */
static int find_place(struct user_watch *w, struct tap_spec *spec)
{
	uint64_t at, offset = 0, pointer;
	int ret;

	if (spec->pid) {
		ret = tap_elf_bias(w->elf, spec->pid, &at, w->err);
	} else {
		ret = tap_elf_start(w->elf, &at, &offset, w->err);
		at = -at;
	}
	if (ret)
		return ret;
	spec->offset = offset;
	if (tap_elf_pointer(w->elf, w->var.symbol, &pointer)) {
		if (tap_elf_is_32bit(w->elf))
			return FAULT(w, -EOPNOTSUPP,
				     "a program may have a copy of this variable of a library; to find it in 32-bit programs is "
				     TAP_LATER);
		spec->perf.flags = TAP_PERF_F_POINTER;
		spec->perf.config1 = at + pointer;
		spec->perf.period = w->offset;
	} else {
		spec->perf.config1 = at + w->var.addr + w->offset;
	}
	return 0;
}

/*
 * Finds the variable of a watchpoint in a program. The result is as in tap_spec_expand(), one spec;
 * @err may have a remark on success.
 */
int tap_spec_expand_user_watch(const struct tap_spec *spec, struct tap_spec **list, size_t *nr,
			       struct tap_error *err)
{
	struct user_watch w = { .spec = spec, .err = err };
	int ret = take_apart(&w);

	*list = NULL;
	if (!ret)
		ret = open_elf(w.path, spec->pid, &w.elf, err);
	if (!ret)
		ret = tap_elf_variable(w.elf, w.name, &w.var, err);
	if (!ret)
		ret = check_place(&w);
	if (!ret) {
		*list = calloc(1, sizeof(**list));
		ret = *list ? tap_spec_copy(spec, spec->event, spec->target, *list) : -ENOMEM;
		if (ret)
			tap_error_set(err, ret, "out of memory");
	}
	if (!ret) {
		*nr = 1;
		(*list)->elf = tap_elf_get(w.elf);
		ret = find_place(&w, *list);
	} else {
		free(*list);
		*list = NULL;
	}
	if (w.elf)
		tap_elf_put(w.elf);
	free(w.path);
	free(w.name);
	return ret;
}
