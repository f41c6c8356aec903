// SPDX-License-Identifier: LGPL-2.1
/*
 * From the names of system calls to probes. One probe covers as many system calls as
 * its target can list, so a glob is usually one probe.
 *
 * If the event uses names of arguments, which differ between system calls, each system
 * call gets a probe; of a glob only those that have these arguments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "kernel/syscalls.h"
#include "lang/lang.h"
#include "resolve/resolve.h"
#include "spec/ast.h"
#include "spec/spec.h"
#include "util/glob.h"
#include "util/suggest.h"

/* The system calls of an event. @wanted is indexed by number. */
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

/* One probe for all, or a few if a target cannot hold the list. */
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
		/* Skips the comma of the first range. */
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
				     "syscall:%s: no system call has this number; the highest is %d",
				     name, TAP_MAX_SYSCALLS - 1);
	all = tap_syscalls(&nr);
	tap_suggest_begin(&s, name, strlen(name));
	for (i = 0; i < nr; i++)
		tap_suggest_offer(&s, all[i].name, strlen(all[i].name));
	tap_suggest_text(&s, "", "", near, sizeof(near));
	return tap_error_set(c->err, -ENOENT, "syscall:%s: no such system call%s%s",
			     name, near, *near ? "" :
			     "; 'tap list syscall:' shows them, and newer ones can be given by number");
}

/*
 * The names of the event that are arguments of a system call, as bits in the order of
 * the nodes.
 */
static int names_of(struct calls *c, unsigned int nr, __u32 *has)
{
	struct tap_scope scope = { 0 };
	const struct tap_node *node;
	enum tap_builtin builtin;
	char target[16];
	unsigned int bit = 0;
	__u64 value;
	size_t i;
	int ret;

	snprintf(target, sizeof(target), "%u", nr);
	ret = tap_scope_syscalls(&scope, target, c->err);
	if (ret)
		return ret;
	*has = 0;
	for (node = c->spec->ast->nodes; node && bit < 32; node = node->next) {
		/* Built-ins take precedence: pid is the process, not an argument of kill. */
		if (node->kind != TAP_NODE_NAME ||
		    !tap_builtin_find(node->t, &builtin, &value))
			continue;
		for (i = 0; i < scope.nr; i++)
			if (scope.names[i].kind == TAP_NAME_ARG && !*scope.why &&
			    tap_token_is(node->t, scope.names[i].name))
				*has |= 1U << bit;
		bit++;
	}
	tap_scope_close(&scope);
	return 0;
}

/*
 * Drops the system calls that lack a name which any of them has. A name that none has
 * is something else, or an error that tap_program_make() reports.
 */
static int choose_by_names(struct calls *c, bool *each)
{
	__u32 has[TAP_MAX_SYSCALLS] = { 0 }, any = 0;
	unsigned int nr, left = 0, matched = 0;
	int ret;

	for (nr = 0; nr < TAP_MAX_SYSCALLS; nr++) {
		if (!c->wanted[nr])
			continue;
		ret = names_of(c, nr, &has[nr]);
		if (ret)
			return ret;
		any |= has[nr];
		matched++;
	}
	*each = any;
	for (nr = 0; nr < TAP_MAX_SYSCALLS; nr++) {
		c->wanted[nr] &= has[nr] == any;
		left += c->wanted[nr];
	}
	if (!left)
		return tap_error_set(c->err, -ENOENT,
				     "syscall:%s: no matching system call has all of these arguments",
				     c->spec->target);
	if (left < matched)
		tap_error_set(c->err, 0,
			      "syscall:%s: only %u of %u system calls have the arguments that are named; the others are not traced",
			      c->spec->target, left, matched);
	return 0;
}

static int expand_glob(struct calls *c)
{
	bool each = c->spec->ast && c->spec->ast->names;
	const struct tap_syscall *all;
	size_t nr, i, matched = 0;

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
	if (each) {
		int ret = choose_by_names(c, &each);

		if (ret)
			return ret;
	}
	if (each || matched == 1)
		return add_each(c);
	return strcmp(c->spec->target, "*") ? add_all(c) : add(c, "*", "*");
}

/* Finds the system calls of a spec. The parameters are those of tap_spec_expand(). */
int tap_spec_expand_syscall(const struct tap_spec *spec,
			    struct tap_spec **list, size_t *nr,
			    struct tap_error *err)
{
	struct calls c = { .spec = spec, .err = err };
	int ret;

	if (tap_glob_is(spec->target)) {
		ret = expand_glob(&c);
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
			tap_spec_clear(&c.list[--c.nr]);
		free(c.list);
		return ret;
	}
	*list = c.list;
	*nr = c.nr;
	return 0;
}
