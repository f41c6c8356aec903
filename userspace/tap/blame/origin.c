// SPDX-License-Identifier: GPL-2.0
/*
 * The line of an error: what the code of the function can return, less what the run has shown to be
 * another value.
 *
 * The compiler gives an instruction one line, and that of a neighbour if it has joined the two ways of
 * a condition, or several returns of the same number. So if the source is there, the lines are those
 * that have the name of the error, in the function and in those that are inlined into it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blame/report.h"
#include "dwarf/dwarf.h"

/*
 * Whether calls of a function that a module calls, its own or another one's, are events of the run: it
 * did not return the error.
 */
static bool is_traced(const struct blame *blame, const char *function)
{
	const char *target, *colon;
	size_t i;

	for (i = 0; i < tap_probes_nr(blame->probes); i++) {
		const struct tap_probe *probe = tap_probes_get(blame->probes, i);

		target = tap_spec_target(tap_probe_spec(probe));
		colon = strrchr(target, ':');
		if (blame->of[tap_probe_id(probe)].code && !strcmp(colon ? colon + 1 : target, function))
			return true;
	}
	return false;
}

static void add(struct blame_origin *origin, struct blame_line line)
{
	const char *slash = strrchr(line.file, '/');
	size_t i;

	snprintf(line.text, sizeof(line.text), "%s:%d", slash ? slash + 1 : line.file, line.line);
	for (i = 0; i < origin->nr && i < BLAME_LINES; i++)
		if (!strcmp(origin->lines[i].text, line.text))
			return;
	if (origin->nr < BLAME_LINES)
		origin->lines[i] = line;
	origin->nr++;
}

/* Adds the line of the instruction. */
static void add_line(struct blame_origin *origin, const struct tap_dwarf_return *r)
{
	struct blame_line line = {
		.file = r->file, .line = r->line, .first_line = r->first_line,
		.called = r->kind == TAP_DWARF_RETURN_CALL, .own = true, .decides = true,
	};

	snprintf(line.callee, sizeof(line.callee), "%s", r->callee);
	if (r->file)
		add(origin, line);
}

/* Whether what stands at @at is returned or assigned, and neither compared nor an argument. */
static bool is_result(const char *line, const char *at)
{
	const size_t len = strlen("return");

	while (at > line && isspace((unsigned char)at[-1]))
		at--;
	if ((size_t)(at - line) >= len && !strncmp(at - len, "return", len))
		return true;
	if (at - line < 2)
		return false;
	return at[-1] == '?' || at[-1] == ':' || (at[-1] == '=' && !strchr("=!<>", at[-2]));
}

/*
 * Whether a line has the name of an error, and not only as part of another name. NULL has other uses,
 * too.
 */
static bool has_name(const char *line, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = line; (at = strstr(at, name)); at += len)
		if ((at == line || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[len]) &&
		    at[len] != '_' && (strcmp(name, "NULL") || is_result(line, at)))
			return true;
	return false;
}

/* Whether the line is that of an instruction which makes the value. */
static bool is_own(const struct blame_call *call, const struct tap_dwarf_return *list, size_t nr,
		   const char *file, int line)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_CONST && (__s32)list[i].value == call->code &&
		    list[i].file && list[i].line == line && !strcmp(list[i].file, file))
			return true;
	return false;
}

/* Adds the lines of a function with the name of the error; false if there is none, or no source. */
static bool add_source(struct blame_origin *origin, const struct blame_call *call,
		       const struct tap_dwarf_return *list, size_t nr, const struct tap_dwarf_body *body)
{
	FILE *source = fopen(body->file, "re");
	char text[BLAME_TEXT], *name = text, *line = NULL;
	bool any = false;
	size_t size = 0;
	int number;

	if (!source)
		return false;
	blame_code_text(call->code, text);
	name += *name == '-';
	for (number = 1; getline(&line, &size, source) >= 0; number++) {
		if (number < body->first_line)
			continue;
		/* The end of the function. */
		if (*line == '}')
			break;
		if (!has_name(line, name))
			continue;
		add(origin, (struct blame_line) {
			.file = body->file, .line = number, .first_line = body->first_line,
			.own = is_own(call, list, nr, body->file, number),
			.decides = strstr(line, "if (") || strchr(line, '?'),
		});
		any = true;
	}
	free(line);
	fclose(source);
	return any;
}

/* Adds the lines of the function, and of those that are inlined into it, with the name of the error. */
static bool add_sources(const struct blame *blame, struct blame_origin *origin, const struct blame_call *call,
			const struct tap_dwarf_return *list, size_t nr)
{
	__u32 id = tap_probe_id(call->probe);
	bool any = false;
	size_t i;

	for (i = 0; i < blame->of[id].nr_bodies; i++)
		any |= add_source(origin, call, list, nr, &blame->of[id].bodies[i]);
	return any;
}

static void add_all(const struct blame *blame, const struct blame_call *call,
		    const struct tap_dwarf_return *list, size_t nr, struct blame_origin *origin)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_CONST && (__s32)list[i].value == call->code &&
		    !add_sources(blame, origin, call, list, nr))
			add_line(origin, &list[i]);
	for (i = 0; i < nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_CALL && *list[i].callee &&
		    !is_traced(blame, list[i].callee))
			add_line(origin, &list[i]);
	/* Only if nothing else is possible: these can have any value. */
	for (i = 0; i < nr && !origin->nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_COMPUTED && !add_sources(blame, origin, call, list, nr))
			add_line(origin, &list[i]);
	for (i = 0; i < nr && !origin->nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_CALL && !*list[i].callee)
			add_line(origin, &list[i]);
}

/* The module of a call; false if its function is the kernel's. */
static bool module_of(const struct blame_call *call, char module[TAP_MAX_TARGET])
{
	const char *target = tap_spec_target(tap_probe_spec(call->probe)), *function = blame_function(call);

	if (function == target)
		return false;
	snprintf(module, TAP_MAX_TARGET, "%.*s", (int)(function - target - 1), target);
	return true;
}

/*
 * Reads what makes the values that a function returns. A file of another build than the loaded one is
 * not used, and that is said; of one that is not there, nothing is.
 */
static void read_returns(struct blame *blame, const char *module, const char *function, __u32 id)
{
	struct tap_error err;
	int ret;

	ret = tap_dwarf_returns(blame->types, module, function, &blame->of[id].returns,
				&blame->of[id].nr_returns, &err);
	if (ret != -ESTALE)
		ret = tap_dwarf_bodies(blame->types, module, function, &blame->of[id].bodies,
				       &blame->of[id].nr_bodies, &err);
	if (ret != -ESTALE || !strcmp(blame->stale.text, err.text))
		return;
	tool_error("no lines are known: %s", err.text);
	blame->stale = err;
}

/* What makes the values that a function returns; without any if that is not known. */
static size_t returns_of(struct blame *blame, const struct blame_call *call,
			 const struct tap_dwarf_return **list)
{
	__u32 id = tap_probe_id(call->probe);
	char module[TAP_MAX_TARGET];

	if (!blame->of[id].read && blame->types && module_of(call, module))
		read_returns(blame, module, blame_function(call), id);
	blame->of[id].read = true;
	*list = blame->of[id].returns;
	return blame->of[id].nr_returns;
}

/* Whether the type of the return value is known: then it has a field of its own. */
static bool is_typed(const struct blame_call *call)
{
	unsigned int i, nr = tap_probe_nr_fields(call->probe);

	for (i = 0; i < nr; i++)
		if (tap_probe_field(call->probe, i)->word == TAP_CALL_RETVAL)
			return true;
	return false;
}

/*
 * Whether a call can pass on the result of one inside it. What is outside of its module may be inside
 * a function that it calls, and that is no event. A computed value may be made of it. But if
 * no types are known, the call inside may return nothing, and the error is an old value of the
 * register. For the same reason blame_first() takes the first of several calls then, and else the last.
 */
static bool can_pass(struct blame *blame, const struct blame_call *call, const struct blame_call *inner)
{
	char module[TAP_MAX_TARGET], of_inner[TAP_MAX_TARGET];
	const struct tap_dwarf_return *list;
	size_t i, nr = returns_of(blame, call, &list);
	bool outside = nr && module_of(call, module) &&
		       (!module_of(inner, of_inner) || strcmp(module, of_inner));

	for (i = 0; i < nr; i++)
		if ((list[i].kind == TAP_DWARF_RETURN_COMPUTED && is_typed(inner)) ||
		    (list[i].kind == TAP_DWARF_RETURN_CALL &&
		     (!*list[i].callee || !strcmp(list[i].callee, blame_function(inner)) ||
		      (outside && !is_traced(blame, list[i].callee)))))
			return true;
	return !nr;
}

const struct blame_call *blame_first(struct blame *blame, struct blame_call *call)
{
	struct blame_call *inner, *last;

	for (;; call = last) {
		call->passed = true;
		last = NULL;
		for (inner = call->inner; inner; inner = inner->next)
			if (!inner->hit && inner->code == call->code && (!last || is_typed(inner)) &&
			    can_pass(blame, call, inner))
				last = inner;
		if (!last)
			return call;
	}
}

/* The call inside @call that passed the error on. */
static const struct blame_call *passed_inside(const struct blame_call *call)
{
	const struct blame_call *inner = call->inner;

	while (inner && !inner->passed)
		inner = inner->next;
	return inner;
}

/*
 * The lines on which @caller passes on the result of @callee, or of a function around it that is no
 * event.
 */
static void add_site(struct blame *blame, const struct blame_call *caller,
		     const struct blame_call *callee, struct blame_origin *origin)
{
	const struct tap_dwarf_return *list;
	size_t i, nr = returns_of(blame, caller, &list);
	char module[TAP_MAX_TARGET];

	for (i = 0; i < nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_CALL &&
		    !strcmp(list[i].callee, blame_function(callee)))
			add_line(origin, &list[i]);
	if (origin->nr || !module_of(caller, module))
		return;
	for (i = 0; i < nr; i++)
		if (list[i].kind == TAP_DWARF_RETURN_CALL && !is_traced(blame, list[i].callee))
			add_line(origin, &list[i]);
}

/* Leaves the lines with a bit. */
static void leave(struct blame_origin *origin, unsigned int lines)
{
	size_t i, nr = 0;

	for (i = 0; i < origin->nr; i++)
		if (lines >> i & 1)
			origin->lines[nr++] = origin->lines[i];
	origin->nr = nr;
}

void blame_origin(struct blame *blame, const struct blame_failure *f, struct blame_origin *origin)
{
	const struct blame_call *call, *inner, *callee = NULL;
	const struct tap_dwarf_return *list;
	char module[TAP_MAX_TARGET];
	size_t nr;

	*origin = (struct blame_origin) { 0 };
	for (call = f->call; (inner = passed_inside(call)); call = inner) {
		/* Rather one whose lines are known. */
		if (!module_of(call, module) || (origin->caller && returns_of(blame, origin->caller, &list) &&
						 !returns_of(blame, call, &list)))
			continue;
		origin->caller = call;
		callee = inner;
	}
	origin->of = origin->caller;
	if (module_of(f->first, module) &&
	    (!origin->caller || returns_of(blame, f->first, &list) ||
	     !returns_of(blame, origin->caller, &list))) {
		origin->of = f->first;
		origin->caller = NULL;
	}
	if (!origin->of || !module_of(origin->of, origin->module))
		return;
	nr = returns_of(blame, origin->of, &list);
	if (origin->caller)
		add_site(blame, origin->of, callee, origin);
	else if (nr)
		add_all(blame, origin->of, list, nr, origin);
	if (f->lines)
		leave(origin, f->lines);
}
