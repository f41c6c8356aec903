// SPDX-License-Identifier: LGPL-2.1
/*
 * From the names of system calls to probes: one probe follows as many of them as
 * its target can name, so that a glob is one probe too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "glob.h"
#include "private.h"
#include "spec.h"
#include "suggest.h"
#include "syscalls.h"

/**
 * struct calls - the system calls of an event
 * @spec: the event
 * @list: the probes
 * @nr: number of @list
 * @err: the sentence on failure
 * @wanted: by number
 */
struct calls {
	const struct tap_spec *spec;
	struct tap_spec *list;
	size_t nr;
	struct tap_error *err;
	bool wanted[TAP_MAX_SYSCALLS];
};

static int add(struct calls *c, const char *name, const char *target)
{
	char event[TAP_MAX_TARGET + sizeof("syscall:")];
	struct tap_spec *list;
	int ret = -ENOMEM;

	snprintf(event, sizeof(event), "syscall:%s", name);
	list = realloc(c->list, (c->nr + 1) * sizeof(*list));
	if (list) {
		c->list = list;
		ret = tap_spec_copy(c->spec, event, target, &list[c->nr]);
	}
	if (ret)
		return tap_error_set(c->err, ret, "out of memory");
	c->nr++;
	return 0;
}

/* A probe for each. */
static int add_each(struct calls *c)
{
	char number[16];
	unsigned int nr;
	const char *name;
	int ret = 0;

	for (nr = 0; nr < TAP_MAX_SYSCALLS && !ret; nr++) {
		if (!c->wanted[nr])
			continue;
		snprintf(number, sizeof(number), "%u", nr);
		name = tap_syscall_name(nr);
		ret = add(c, name ? name : number, number);
	}
	return ret;
}

/* One probe for all, or a few if there are more than a target can hold. */
static int add_all(struct calls *c)
{
	char target[TAP_MAX_TARGET] = "", range[32];
	unsigned int nr, last;
	size_t len = 0;
	int ret = 0;

	for (nr = 0; nr < TAP_MAX_SYSCALLS && !ret; nr++) {
		size_t more;

		if (!c->wanted[nr])
			continue;
		for (last = nr; last + 1 < TAP_MAX_SYSCALLS &&
				c->wanted[last + 1]; last++)
			;
		more = last == nr ?
			snprintf(range, sizeof(range), ",%u", nr) :
			snprintf(range, sizeof(range), ",%u-%u", nr, last);
		if (len + more >= sizeof(target)) {
			ret = add(c, c->spec->target, target);
			len = 0;
		}
		/* The first needs no comma. */
		len += snprintf(target + len, sizeof(target) - len, "%s",
				range + !len);
		nr = last;
	}
	return ret ? ret : add(c, c->spec->target, target);
}

static int no_syscall(struct calls *c)
{
	const char *name = c->spec->target;
	const struct tap_syscall *all;
	struct tap_suggest s;
	char near[300];
	size_t nr, i;

	if (*name >= '0' && *name <= '9')
		return tap_error_set(c->err, -ENOENT,
				     "syscall:%s: no system call has this number; they go up to %d",
				     name, TAP_MAX_SYSCALLS - 1);
	all = tap_syscalls(&nr);
	tap_suggest_begin(&s, name, strlen(name));
	for (i = 0; i < nr; i++)
		tap_suggest_offer(&s, all[i].name, strlen(all[i].name));
	tap_suggest_text(&s, "", "", near, sizeof(near));
	return tap_error_set(c->err, -ENOENT, "syscall:%s: no such system call%s%s",
			     name, near, *near ? "" :
			     "; 'tap list syscall:' names them, and one that is newer than this program goes by its number");
}

static int expand_glob(struct calls *c, bool each)
{
	const struct tap_syscall *all;
	size_t nr, i, matched = 0;

	if (!each && !strcmp(c->spec->target, "*"))
		return add(c, "*", "*");
	all = tap_syscalls(&nr);
	for (i = 0; i < nr; i++) {
		if (all[i].nr >= TAP_MAX_SYSCALLS ||
		    !tap_glob_match(c->spec->target, all[i].name))
			continue;
		c->wanted[all[i].nr] = true;
		matched++;
	}
	if (!matched)
		return tap_error_set(c->err, -ENOENT,
				     "syscall:%s: no system call matches",
				     c->spec->target);
	return each || matched == 1 ? add_each(c) : add_all(c);
}

/**
 * tap_spec_expand_syscall() - find the system calls of a spec
 * @spec: a parsed spec; not changed
 * @each: a glob becomes a probe for each that it matches, not one for all
 * @list: as of tap_spec_expand()
 * @nr: as of tap_spec_expand()
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int tap_spec_expand_syscall(const struct tap_spec *spec, bool each,
			    struct tap_spec **list, size_t *nr,
			    struct tap_error *err)
{
	struct calls c = { .spec = spec, .err = err };
	int ret;

	if (tap_glob_is(spec->target)) {
		ret = expand_glob(&c, each);
	} else {
		ret = tap_syscall_number(spec->target, strlen(spec->target));
		if (ret < 0) {
			ret = no_syscall(&c);
		} else {
			c.wanted[ret] = true;
			ret = add_each(&c);
		}
	}
	if (ret) {
		while (c.nr)
			tap_spec_free(&c.list[--c.nr]);
		free(c.list);
		return ret;
	}
	*list = c.list;
	*nr = c.nr;
	return 0;
}
