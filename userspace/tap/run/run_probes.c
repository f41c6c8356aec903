// SPDX-License-Identifier: GPL-2.0
/*
 * From -e arguments to probes in the session.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "run/run.h"

/* With more probes than this, progress is shown. */
#define PROGRESS_FROM	100

/**
 * struct progress - of creating probes
 * @total: probes to create
 * @done: probes created or refused
 * @refused: of @done, probes that the kernel refused
 * @first: the error message of the first refused one
 * @show: stderr is a terminal, and @total is more than PROGRESS_FROM
 */
struct progress {
	size_t total;
	size_t done;
	size_t refused;
	struct tap_error first;
	bool show;
};

static void progress_show(const struct progress *progress)
{
	if (progress->show && (progress->done % 64 == 0 ||
			       progress->done == progress->total))
		fprintf(stderr, "\rtap: probe %zu of %zu%s", progress->done,
			progress->total,
			progress->done == progress->total ? "\n" : "");
}

/* Errors for which a match of a glob is left out. A name must be probed. */
static bool may_leave_out(int code)
{
	return code == -EADDRNOTAVAIL || code == -EOPNOTSUPP ||
	       code == -ENOENT || code == -EILSEQ || code == -EINVAL;
}

int run_add_ops(const struct run *run, struct tap_spec *spec, bool silent, struct tap_error *err)
{
	/*
	 * Any task may write a mark, and the two ends of a span may be in any tasks: the
	 * conditions on tasks do not apply.
	 */
	bool any = tap_spec_type(spec) == TAP_PROBE_MARK ||
		   tap_spec_type(spec) == TAP_PROBE_SPAN || tap_spec_side(spec);
	unsigned int nr = any ? 0 : run->nr_tests, i;
	int ret = 0;

	/* What a side keeps is for its span; the name is for the records of --sides. */
	if (tap_spec_side(spec) && !run->opts->sides)
		return 0;
	for (i = 0; i < nr && !ret; i++)
		ret = tap_spec_test(spec, run->tests[i].var, run->tests[i].imm,
				    run->tests[i].value);
	/* What is counted or aggregated writes no event that would name its task. */
	if (!ret && !run->count && !silent)
		ret = tap_spec_fetch_comm(spec);
	if (ret)
		tap_error_set(err, ret, ret == -E2BIG ?
			      "%s: too many fetches, at most %d" :
			      "%s: out of memory", tap_spec_event(spec),
			      TAP_MAX_OPS - 2);
	return ret;
}

static __u32 max_maxactive(enum tap_probe_type type)
{
	if (type == TAP_PROBE_UCALL)
		return TAP_MAX_UCALLS;
	return type == TAP_PROBE_SYSCALL ? TAP_MAX_TASKS : TAP_MAX_MAXACTIVE;
}

/*
 * The kernel has the function, but no probe can be made there. Without symbols its state was
 * not known when the event was looked up; now they tell more than the errno.
 */
static void explain_refused(struct run *run, const struct tap_spec *spec,
			    struct tap_error *err)
{
	struct tap_spec *again, **list;
	struct tap_error why;
	size_t nr;

	if (run->syms || !tap_spec_needs_symbols(spec) ||
	    tap_spec_parse(tap_spec_text(spec), &again, &why))
		return;
	if (run_symbols(run, &why)) {
		if (tap_spec_expand(run->syms, run->types, again, &list, &nr, &why))
			*err = why;
		else
			tap_spec_list_free(list, nr);
	}
	tap_spec_free(again);
}

/* @place: the spec in its list; NULL once it belongs to the probe table. @silent: no output. */
static int create_one(struct run *run, struct tap_spec **place, bool glob, bool silent,
		      struct progress *progress, struct tap_error *err)
{
	struct tap_spec *spec = *place;
	enum tap_probe_type type = tap_spec_type(spec);
	bool returns = tap_probe_is_call(type) || type == TAP_PROBE_KRETPROBE;
	struct tap_error why;
	int ret;

	if (run->opts->maxactive && returns)
		tap_spec_set_maxactive(spec, run->opts->maxactive);
	if (tap_spec_maxactive(spec) > max_maxactive(type))
		return tap_error_set(err, -EINVAL,
				     "%s: --maxactive must be at most %d for the calls of a function",
				     tap_spec_event(spec), max_maxactive(type));
	tap_spec_set_limit(spec, run->opts->limit);
	if ((run->count || silent) && !tap_spec_aggregates(spec) && !tap_spec_side(spec))
		tap_spec_set_flags(spec, tap_spec_flags(spec) |
					 TAP_CREATE_F_COUNT);
	if (run->opts->sides && tap_spec_side(spec))
		tap_spec_set_flags(spec, tap_spec_flags(spec) | TAP_CREATE_F_RECORD);
	ret = run_add_ops(run, spec, silent, err);
	if (ret)
		return ret;
	ret = tap_probe_create(run->probes, run->session, spec, &why);
	if (!ret)
		*place = NULL;
	progress->done++;
	progress_show(progress);
	if (ret && glob && may_leave_out(ret) && type != TAP_PROBE_SPAN) {
		if (!progress->refused++)
			progress->first = why;
		return 0;
	}
	if (!ret)
		return 0;
	*err = why;
	if (may_leave_out(ret))
		explain_refused(run, spec, err);
	return err->code;
}

/**
 * struct expansion - the probes of one event
 * @list: one spec for each probe
 * @nr: number of @list
 * @glob: the event has a glob
 */
struct expansion {
	struct tap_spec **list;
	size_t nr;
	bool glob;
};

/*
 * With more events than this, the symbols are read at once: they answer for all. Beside a glob
 * with any: to find what matches it takes a third of that.
 */
#define MAX_ASKED	4

/* Whether the symbols of the kernel are still to be read for an event. */
static bool needs_symbols(const struct run *run, const struct tap_spec *spec)
{
	return !run->syms && tap_spec_needs_symbols(spec) &&
	       (run->opts->nr_events > (tap_spec_glob(spec) ? 1 : MAX_ASKED) ||
		!tap_spec_known(spec));
}

/* Whether a table is for the event. */
static bool has_table(const struct run *run, const struct tap_spec *spec)
{
	const struct stat_args *args;
	size_t i;

	for (i = 0; (args = options_table(run->opts, i)); i++)
		if (stat_args_is_for(args, spec))
			return true;
	return false;
}

/* --entries of a span: of its own --for, or of all events. */
static __u32 span_entries(const struct run *run, const struct tap_spec *spec)
{
	__u32 entries = run->opts->stat.entries;
	size_t i;

	for (i = 0; i < run->opts->nr_scopes; i++)
		if (run->opts->scopes[i].entries && stat_args_is_for(&run->opts->scopes[i], spec))
			entries = run->opts->scopes[i].entries;
	return entries;
}

static int aggregate(const struct run *run, struct tap_spec *spec, struct tap_error *err)
{
	const struct stat_args *args;
	size_t i;
	int ret = 0;

	for (i = 0; (args = options_table(run->opts, i)) && !ret; i++)
		if (stat_args_is_for(args, spec))
			ret = tap_spec_aggregate(spec, args->keys, args->nr_keys, args->values,
						 args->nr_values, stat_args_entries(args), err);
	return ret;
}

/* Frames of a stack, for tap_spec_stack(): 0 is the default. */
static __u32 frames(__u32 option)
{
	return option == STACK_DEFAULT ? 0 : option;
}

static int add_triggers(const struct expansion *e, const char *text, struct tap_error *err)
{
	size_t k;
	int ret = 0;

	for (k = 0; k < e->nr && !ret; k++)
		ret = tap_spec_trigger(e->list[k]);
	if (ret == -EOPNOTSUPP)
		return tap_error_set(err, ret,
				     "--when %s: a span cannot trigger; give the event that ends it",
				     text);
	return ret ? tap_error_set(err, ret, "--when %s: %s", text, strerror(-ret)) : 0;
}

/* Expands a parsed event, and frees it. */
static int expand(struct run *run, struct run_wanted *wanted, struct expansion *e,
		  struct tap_error *err)
{
	struct tap_spec *spec = wanted->spec;
	bool mark, table = !wanted->silent && has_table(run, spec);
	int ret = 0;

	memset(err, 0, sizeof(*err));
	e->glob = tap_spec_glob(spec);
	/* A mark has no stack and no counters: tap itself may write it. */
	mark = tap_spec_type(spec) == TAP_PROBE_MARK;
	tap_spec_set_pid(spec, run->opts->pid);
	if (tap_spec_type(spec) == TAP_PROBE_USER_WATCH && !run->opts->pid && !run->opts->command)
		ret = tap_error_set(err, -EINVAL,
				    "%s: memory of a program belongs to a process; add -p PID, or -c COMMAND to start one",
				    tap_spec_wanted(spec));
	tap_spec_set_entries(spec, span_entries(run, spec));
	/* With an aggregation this only defines the names of the counters. */
	if (!ret && run->opts->pmu.nr && (!mark || table))
		ret = tap_spec_pmu(spec, run->opts->pmu.names,
				   run->opts->pmu.nr, err);
	if (!ret && run->opts->why && !wanted->silent)
		ret = tap_spec_why(spec, err);
	if (!ret && table)
		ret = aggregate(run, spec, err);
	else if (!ret && run->opts->kstack && !mark && !wanted->silent)
		ret = tap_spec_stack(spec, false, frames(run->opts->kstack), err);
	if (!ret && !table && run->opts->ustack && !mark && !wanted->silent)
		ret = run->opts->unwind ?
		      tap_spec_stack_copy(spec, run->opts->unwind_bytes, err) :
		      tap_spec_stack(spec, true, frames(run->opts->ustack), err);
	if (!ret && needs_symbols(run, spec) && !run_symbols(run, err))
		ret = err->code;
	if (!ret)
		ret = tap_spec_expand(run->syms, run->types, spec, &e->list, &e->nr, err);
	if (!ret && wanted->trigger)
		ret = add_triggers(e, wanted->text, err);
	/* On success err may hold a warning: several functions have this name. */
	if (!ret && *err->text)
		tool_error("%s", err->text);
	tap_spec_free(spec);
	wanted->spec = NULL;
	return ret;
}

/* The last of the arguments has a name of its own. */
static int check_name(const struct expansion *list, size_t nr, struct tap_error *err)
{
	const struct tap_spec *spec = list[nr - 1].list[0], *other;
	const char *name = tap_spec_name(spec);
	size_t i;

	for (i = 0; name && i < nr - 1; i++) {
		other = list[i].list[0];
		if (tap_spec_name(other) && !strcmp(tap_spec_name(other), name))
			return tap_error_set(err, -EINVAL,
					     "%s=%s: %s has this name; give each event a name of its own",
					     name, tap_spec_wanted(spec), tap_spec_wanted(other));
	}
	return 0;
}

/* Each --for names an event. */
static int check_scopes(const struct options *opts, const struct expansion *list,
			struct tap_error *err)
{
	size_t i, k;

	for (i = 0; i < opts->nr_scopes; i++) {
		for (k = 0; k < opts->nr_events; k++)
			if (stat_args_is_for(&opts->scopes[i], list[k].list[0]))
				break;
		if (k == opts->nr_events)
			return tap_error_set(err, -EINVAL,
					     "--for %s: no event has this name; give it to one: -e '%s=kprobe:...'",
					     opts->scopes[i].event,
					     strchr(opts->scopes[i].event, ':') ? "NAME" :
					     opts->scopes[i].event);
	}
	return 0;
}

/* One line for all events: what retval means where no type says how wide it is. */
static void report_untyped(const struct expansion *list, size_t nr)
{
	const struct tap_spec *first = NULL;
	size_t i, k, others = 0;
	char more[48] = "";

	for (i = 0; i < nr; i++) {
		for (k = 0; k < list[i].nr; k++) {
			if (!tap_spec_untyped_retval(list[i].list[k]))
				continue;
			if (first)
				others++;
			else
				first = list[i].list[k];
		}
	}
	if (!first)
		return;
	if (others)
		snprintf(more, sizeof(more), ", and of %zu other event%s", others,
			 others > 1 ? "s" : "");
	tool_error("%s: the type of its return value is not known (%s)%s: retval is the whole register, but 0xfffff001 to 0xffffffff is taken as the negative errno of an int; write (int)retval or (long)retval to settle it",
		   tap_spec_event(first), tap_spec_untyped_retval(first), more);
}

/*
 * Probes of a glob after which check_room() knows what each of the others takes. Without
 * --maxactive the first few have instances of their own, and further ones may share.
 */
#define ROOM_KNOWN	12

/*
 * Whether the other probes of a glob fit as well, after one was made that takes as much memory as
 * each of the others. To make a thousand probes takes seconds, and in the end they would be
 * removed. @before: out_call_mem before that one; @nr: it and the others.
 */
static int check_room(struct run *run, const char *text, __u64 before, size_t nr,
		      struct tap_error *err)
{
	struct tap_info info;
	__u64 each;

	if (nr < 2 || tap_session_info(run->session, &info) || info.out_call_mem <= before)
		return 0;
	each = info.out_call_mem - before;
	if (each <= (info.out_max_call_mem - before) / nr)
		return 0;
	return tap_error_set(err, -ENOMEM,
			     "%s: the calls in flight of %zu probes would take %llu MiB (%llu KiB each), and a session may have %llu MiB: %llu of them would fit; take a narrower glob, or a smaller --maxactive",
			     text, nr, each * nr >> 20, each >> 10,
			     info.out_max_call_mem >> 20,
			     (info.out_max_call_mem - before) / each);
}

/* Makes the probes of one event. */
static int create_all(struct run *run, struct expansion *e, const struct run_wanted *wanted,
		      struct progress *progress, struct tap_error *err)
{
	const size_t known = run->opts->maxactive ? 1 : ROOM_KNOWN;
	struct tap_info info = { 0 };
	size_t k, made = 0;
	int ret = 0;

	for (k = 0; k < e->nr && !ret; k++) {
		if (made == known - 1 && e->nr > 1)
			tap_session_info(run->session, &info);
		ret = create_one(run, &e->list[k], e->glob, wanted->silent, progress, err);
		/* It is NULL if the probe was made: the kernel may refuse some of a glob. */
		if (!ret && !e->list[k] && ++made == known)
			ret = check_room(run, wanted->text, info.out_call_mem, e->nr - k, err);
	}
	return ret;
}

/* Parses all events, and adds those that they are inside of. */
static int parse_all(const struct run *run, struct run_wanted **out, size_t *nr,
		     struct tap_error *err)
{
	const struct options *opts = run->opts;
	struct run_wanted *wanted = calloc(opts->nr_events + 1, sizeof(*wanted)), *more;
	int ret = 0;

	*out = wanted;
	*nr = 0;
	if (!wanted)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (; *nr < opts->nr_events && !ret; *nr += !ret) {
		wanted[*nr].text = opts->events[*nr];
		wanted[*nr].trigger = opts->trigger[*nr];
		ret = tap_spec_parse(wanted[*nr].text, &wanted[*nr].spec, err);
		if (!ret)
			run_gate_event(run, *nr, wanted[*nr].spec);
	}
	if (ret)
		return ret;
	more = realloc(wanted, (*nr + 1 + run_insides_max(wanted, *nr)) * sizeof(*wanted));
	if (!more)
		return tap_error_set(err, -ENOMEM, "out of memory");
	*out = more;
	memset(more + *nr, 0, (1 + run_insides_max(more, *nr)) * sizeof(*more));
	return run_insides(more, nr, err);
}

/* Gives the session a table of tasks for all probes, if one of them needs it. */
static int make_tasks(struct run *run, const struct expansion *list, size_t nr,
		      struct tap_error *err)
{
	__u32 flags = 0, sources = 0;
	size_t i, k;
	int ret;

	for (i = 0; i < nr; i++)
		for (k = 0; k < list[i].nr; k++)
			flags |= tap_spec_tasks(list[i].list[k]);
	if (!flags)
		return 0;
	ret = tap_session_tasks(run->session, flags, &sources);
	if (ret == -EOPNOTSUPP)
		return tap_error_set(err, ret,
				     "this kernel has other tracepoints of the scheduler or of interrupts than the module was built for: no --why");
	if (ret)
		return tap_explain(err, TAP_IOC_TASKS, ret, NULL);
	if (flags & TAP_TASKS_F_DIVISION && !(sources & TAP_SOURCE_LOCK) && !run->opts->quiet)
		tool_error("this kernel has no tracepoints of locks: what a task waits for a lock is in its sleep");
	return 0;
}

int run_create_probes(struct run *run, struct tap_error *err)
{
	const struct options *opts = run->opts;
	struct progress progress = { 0 };
	struct run_wanted *wanted;
	struct expansion *list;
	size_t i, nr;
	int ret = parse_all(run, &wanted, &nr, err);

	list = calloc(nr + 1, sizeof(*list));
	run->types = tap_types_new();
	if (!ret && (!list || !run->types))
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < opts->nr_debug && !ret; i++)
		ret = tap_types_add_debug(run->types, opts->debug[i], err);
	/* All targets must be found before the first probe is created. */
	for (i = 0; i < nr && !ret; i++) {
		ret = expand(run, &wanted[i], &list[i], err);
		progress.total += list[i].nr;
		if (!ret)
			ret = check_name(list, i + 1, err);
	}
	if (!ret)
		ret = check_scopes(opts, list, err);
	if (!ret && !opts->quiet)
		report_untyped(list, nr);
	if (!ret && progress.total > TAP_MAX_PROBES)
		ret = tap_error_set(err, -ENOSPC,
				    "%zu probes: a session can have at most %d; use a narrower glob",
				    progress.total, TAP_MAX_PROBES);
	if (!ret)
		ret = make_tasks(run, list, nr, err);
	progress.show = progress.total > PROGRESS_FROM && isatty(2);
	for (i = 0; i < nr && !ret; i++) {
		size_t first = tap_probes_nr(run->probes);

		ret = create_all(run, &list[i], &wanted[i], &progress, err);
		if (!ret && i < opts->nr_events && opts->verdict[i])
			ret = run_keep_add(run, first, err);
	}
	if (!ret && progress.refused)
		tool_error("%zu of %zu probes left out because the kernel refuses them; the first: %s",
			   progress.refused, progress.total,
			   progress.first.text);
	if (!ret && opts->nr_events && !tap_probes_nr(run->probes))
		ret = tap_error_set(err, -EADDRNOTAVAIL,
				    "no probe is left");
	if (!ret)
		ret = run_arm_create(run, err);
	for (i = 0; i < nr; i++) {
		if (list)
			tap_spec_list_free(list[i].list, list[i].nr);
		tap_spec_free(wanted[i].spec);
		free(wanted[i].own);
	}
	free(list);
	free(wanted);
	if (!ret)
		run->nr_builds = tap_dwarf_builds(run->types, &run->builds);
	tap_types_free(run->types);
	run->types = NULL;
	return ret;
}
