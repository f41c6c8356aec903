// SPDX-License-Identifier: GPL-2.0
/*
 * tap list: lists what can be probed.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/glob.h"
#include "cmd/list_counters.h"
#include "cmd/list_row.h"
#include "cmd/list_source.h"
#include "cmd/list_user.h"
#include "cmd/prototype.h"
#include "resolve/resolve_func.h"
#include "kernel/ksyms.h"
#include "kernel/syscalls.h"
#include "tool.h"
#include "kernel/tracefs.h"

/* Output often has a hundred thousand lines: a large buffer saves calls. */
#define OUT_SIZE	(64 << 10)

/* The types that a pattern selects; one without a type selects all of them. */
enum kind {
	KIND_ANY,
	KIND_KPROBE,
	KIND_KRETPROBE,
	KIND_CALL,
	KIND_FUNCGRAPH,
	KIND_FUNC,
	KIND_RAWTP,
	KIND_EMIT,
	KIND_TRACEPOINT,
	KIND_SYSCALL,
	NR_KINDS,
};

static const char *const kind_names[NR_KINDS] = {
	"", "kprobe", "kretprobe", "call", "funcgraph", "func",
	"rawtracepoint", "emit", "tracepoint", "syscall",
};

/**
 * struct pattern - an argument
 * @text: as typed
 * @kind: the type
 * @module: glob for the module, or the subsystem of a tracepoint; NULL for any
 * @name: glob for the name; points into @text
 * @matched: number of matches
 */
struct pattern {
	const char *text;
	enum kind kind;
	char *module;
	const char *name;
	size_t matched;
};

/**
 * struct lister - one run of the command
 * @syms: symbols of the kernel
 * @events: tracepoints in tracefs; empty if tracefs cannot be read
 * @emitted: events of drivers
 * @not_emitted: why those of a module are missing; its code is 0 if none are
 * @patterns: the arguments
 * @nr_patterns: number of @patterns
 * @debug: the arguments of --debug; allocated
 * @nr_debug: number of @debug
 * @verbose: also what cannot be probed, with the reason
 * @json: one JSON object a line
 * @prototypes: of what is listed, if @verbose
 */
struct lister {
	struct tap_symbols *syms;
	struct tap_events events;
	struct tap_events emitted;
	struct tap_error not_emitted;
	struct pattern *patterns;
	size_t nr_patterns;
	const char **debug;
	size_t nr_debug;
	bool verbose;
	bool json;
	struct prototypes prototypes;
};

static enum tap_probe_type type_of(enum kind kind)
{
	switch (kind) {
	case KIND_KRETPROBE:	return TAP_PROBE_KRETPROBE;
	case KIND_CALL:		return TAP_PROBE_CALL;
	case KIND_FUNCGRAPH:	return TAP_PROBE_FUNCGRAPH;
	case KIND_FUNC:		return TAP_PROBE_FUNC;
	case KIND_RAWTP:	return TAP_PROBE_RAWTP;
	case KIND_TRACEPOINT:	return TAP_PROBE_TRACEPOINT;
	case KIND_SYSCALL:	return TAP_PROBE_SYSCALL;
	default:		return TAP_PROBE_KPROBE;
	}
}

static void put_json(const char *name, const char *value)
{
	fputs(name, stdout);
	tool_json(stdout, value);
}

static void put_row(struct lister *l, enum kind kind, const char *module,
		    const char *name, const char *reason)
{
	char where[TAP_MAX_TARGET + 1];

	if (l->json) {
		put_json("{\"type\":", kind_names[kind]);
		if (*module)
			put_json(kind == KIND_TRACEPOINT ? ",\"subsystem\":" :
							   ",\"module\":",
				 module);
		put_json(",\"name\":", name);
		if (l->verbose)
			printf(",\"probeable\":%s", reason ? "false" : "true");
		if (reason)
			put_json(",\"reason\":", reason);
	} else {
		snprintf(where, sizeof(where), "%s%s", module, *module ? ":" : "");
		list_row(kind_names[kind], where, name, reason);
	}
	if (l->verbose && kind == KIND_EMIT)
		prototypes_print_emit(&l->prototypes, stdout, module, name, l->json);
	else if (l->verbose && !reason)
		prototypes_print(&l->prototypes, stdout, type_of(kind), module,
				 name, l->json);
	if (l->json)
		puts("}");
}

static bool wanted(struct lister *l, enum kind kind, const char *module,
		   const char *name)
{
	bool any = false;
	size_t i;

	for (i = 0; i < l->nr_patterns; i++) {
		struct pattern *p = &l->patterns[i];

		/* Without a type each function is shown once, as kprobe. */
		if (p->kind != kind &&
		    !(p->kind == KIND_ANY && kind != KIND_KRETPROBE &&
		      kind != KIND_CALL && kind != KIND_FUNCGRAPH))
			continue;
		if (!tap_glob_match(p->name, name) ||
		    (p->module && !tap_glob_match(p->module, *module ?
						  module : TAP_VMLINUX)))
			continue;
		p->matched++;
		any = true;
	}
	return any;
}

/* The reason that it cannot be probed, or NULL. Clears @show if it is not listed. */
static const char *why_not(const struct lister *l, enum kind kind,
			   const struct tap_symbol *sym, bool *show)
{
	*show = true;
	if (sym->state == TAP_SYMBOL_OK &&
	    (kind == KIND_KPROBE || tap_symbol_returns(sym)))
		return NULL;
	*show = l->verbose && (sym->state == TAP_SYMBOL_OK ||
			       sym->state == TAP_SYMBOL_BLACKLISTED ||
			       sym->state == TAP_SYMBOL_INIT ||
			       sym->state == TAP_SYMBOL_COLD ||
			       sym->state == TAP_SYMBOL_LABEL ||
			       sym->state == TAP_SYMBOL_TRAMPOLINE);
	if (sym->state == TAP_SYMBOL_OK)
		return "returns in another task than the one that called it";
	return tap_symbol_reason(sym->state);
}

static void list_functions(struct lister *l, enum kind kind)
{
	const struct tap_symbol *sym, *last = NULL;
	const char *reason;
	bool show;
	size_t i;

	for (i = 0; i < l->syms->nr && !ferror(stdout); i++) {
		sym = tap_symbols_by_name(l->syms, i);
		reason = why_not(l, kind, sym, &show);
		if (!show)
			continue;
		/* Functions that share a name are one target. */
		if (last && last->state == sym->state &&
		    !strcmp(last->name, sym->name) &&
		    !strcmp(last->module, sym->module))
			continue;
		last = sym;
		if (wanted(l, kind, sym->module, sym->name))
			put_row(l, kind, sym->module, sym->name, reason);
	}
}

/* "NAME+0xOFF [MODULE]", as symbols are looked up. */
static void put_traced(struct lister *l, char *text)
{
	char *module = strchr(text, '[');

	if (module) {
		module++;
		module[strcspn(module, "]")] = '\0';
	}
	text[strcspn(text, "+")] = '\0';
	put_row(l, KIND_FUNC, module ? module : "", text, NULL);
}

/* func: is what ftrace can trace, not what kprobes can probe. */
static void list_traced(struct lister *l)
{
	size_t i, k;

	for (i = 0; i < l->nr_patterns; i++) {
		struct pattern *p = &l->patterns[i];
		struct tap_target target = { 0 };
		struct tap_functions found;
		struct tap_error err;
		char text[512];

		if (p->kind != KIND_FUNC)
			continue;
		snprintf(target.name, sizeof(target.name), "%s", p->name);
		if (p->module)
			snprintf(target.module, sizeof(target.module), "%s",
				 p->module);
		if (tap_functions_find(l->syms, &target, &found, &err))
			continue;
		for (k = 0; k < found.nr && !ferror(stdout); k++)
			if (!tap_symbols_lookup(l->syms, found.addrs[k], text,
						sizeof(text))) {
				put_traced(l, text);
				p->matched++;
			}
		free(found.addrs);
	}
}

static void list_tracepoints(struct lister *l)
{
	size_t i;

	for (i = 0; i < l->syms->nr_tracepoints && !ferror(stdout); i++) {
		const struct tap_tracepoint *tp = &l->syms->tracepoints[i];

		if (wanted(l, KIND_RAWTP, tp->module, tp->name))
			put_row(l, KIND_RAWTP, tp->module, tp->name, NULL);
	}
}

static void list_events(struct lister *l, enum kind kind, const struct tap_events *events)
{
	char *name, *colon;
	size_t i;

	for (i = 0; i < events->nr && !ferror(stdout); i++) {
		name = events->names[i];
		colon = strchr(name, ':');
		if (!colon)
			continue;
		*colon = '\0';
		if (wanted(l, kind, name, colon + 1))
			put_row(l, kind, name, colon + 1, NULL);
		*colon = ':';
	}
}

static void list_syscalls(struct lister *l)
{
	const struct tap_syscall *all;
	size_t nr, i;

	all = tap_syscalls(&nr);
	for (i = 0; i < nr && !ferror(stdout); i++)
		if (wanted(l, KIND_SYSCALL, "", all[i].name))
			put_row(l, KIND_SYSCALL, "", all[i].name, NULL);
}

static bool asked(const struct lister *l, enum kind kind)
{
	size_t i;

	for (i = 0; i < l->nr_patterns; i++)
		if (l->patterns[i].kind == kind)
			return true;
	return false;
}

/* "[TYPE:][MODULE:]NAME"; a word before a colon that is not a type is a module. */
static int parse_pattern(const char *text, struct pattern *p)
{
	const char *colon = strchr(text, ':');
	enum kind kind;
	size_t len;

	*p = (struct pattern) { .text = text, .name = text };
	if (!colon)
		return 0;
	len = colon - text;
	for (kind = KIND_KPROBE; kind < NR_KINDS; kind++)
		if (strlen(kind_names[kind]) == len &&
		    !strncmp(text, kind_names[kind], len))
			p->kind = kind;
	if (len == 5 && !strncmp(text, "rawtp", len))
		p->kind = KIND_RAWTP;
	if (len == 2 && !strncmp(text, "tp", len))
		p->kind = KIND_TRACEPOINT;
	if (p->kind != KIND_ANY) {
		p->name = colon + 1;
		/* "kprobe:" alone lists all of them. */
		if (!*p->name)
			p->name = "*";
		colon = strchr(p->name, ':');
		len = colon ? colon - p->name : 0;
	}
	if (!colon)
		return 0;
	p->module = strndup(p->name, len);
	if (!p->module)
		return -ENOMEM;
	/* In the kernel, module names have underscores: snd_pcm for snd-pcm. */
	if (!strchr(p->module, '['))
		for (len = 0; p->module[len]; len++)
			if (p->module[len] == '-')
				p->module[len] = '_';
	p->name = colon + 1;
	return 0;
}

/* Gets the error message that tap trace would print. */
static void ask(const struct lister *l, const struct pattern *p,
		enum kind kind, struct tap_error *err)
{
	size_t size = strlen(p->text) + sizeof("rawtracepoint:*"), nr;
	struct tap_spec *spec, **list;
	char *text = malloc(size);

	if (!text) {
		tap_error_set(err, -ENOMEM, "out of memory");
		return;
	}
	/* An event of a driver has a module; without one in the pattern it is any. */
	snprintf(text, size, "%s:%s%s%s", kind_names[kind],
		 p->module ? p->module : kind == KIND_EMIT ? "*" : "",
		 p->module || kind == KIND_EMIT ? ":" : "", p->name);
	if (!tap_spec_parse(text, &spec, err)) {
		if (!tap_spec_expand(l->syms, NULL, spec, &list, &nr, err))
			tap_spec_list_free(list, nr);
		tap_spec_free(spec);
	}
	free(text);
}

static void explain_nothing(const struct lister *l, const struct pattern *p)
{
	struct tap_error err, tracepoint;

	ask(l, p, p->kind == KIND_ANY ? KIND_KPROBE : p->kind, &err);
	if (p->kind == KIND_ANY && err.code == -ENOENT) {
		if (p->module && !tap_glob_is(p->module) &&
		    !tap_symbols_has_module(l->syms, p->module)) {
			tool_error("%s: \"%s\" is neither a type (kprobe, kretprobe, call, func, funcgraph, tracepoint, rawtracepoint, emit, syscall) nor a loaded module",
				   p->text, p->module);
			return;
		}
		ask(l, p, KIND_RAWTP, &tracepoint);
		if (strstr(tracepoint.text, "did you mean")) {
			tool_error("%s", tracepoint.text);
			if (!strstr(err.text, "did you mean"))
				return;
		}
	}
	if (err.code)
		tool_error("%s", err.text);
	else
		tool_error("%s: matches only what cannot be probed; -v lists it",
			   p->text);
}

/* Counts names that can be probed; functions that share a name are one. */
static void count(const struct tap_symbols *syms, size_t *functions,
		  size_t *returning)
{
	const struct tap_symbol *sym, *last = NULL;
	size_t i;

	*functions = *returning = 0;
	for (i = 0; i < syms->nr; i++) {
		sym = tap_symbols_by_name(syms, i);
		if (sym->state != TAP_SYMBOL_OK ||
		    (last && !strcmp(last->name, sym->name) &&
		     !strcmp(last->module, sym->module)))
			continue;
		last = sym;
		++*functions;
		*returning += tap_symbol_returns(sym);
	}
}

static void print_counts(const struct lister *l)
{
	const struct tap_symbols *syms = l->syms;
	size_t functions, returning, nr_syscalls;

	tap_syscalls(&nr_syscalls);
	count(syms, &functions, &returning);
	if (l->json) {
		printf("{\"kprobe\":%zu,\"kretprobe\":%zu,\"call\":%zu,\"rawtracepoint\":%zu,\"emit\":%zu,\"tracepoint\":%zu,\"syscall\":%zu,\"blacklisted\":%zu,\"trampolines\":%zu,\"init\":%zu,\"parts\":%zu}\n",
		       functions, returning, returning, syms->nr_tracepoints,
		       l->emitted.nr, l->events.nr, nr_syscalls,
		       syms->counts[TAP_SYMBOL_BLACKLISTED],
		       syms->counts[TAP_SYMBOL_TRAMPOLINE],
		       syms->counts[TAP_SYMBOL_INIT],
		       syms->counts[TAP_SYMBOL_COLD] +
		       syms->counts[TAP_SYMBOL_LABEL]);
		return;
	}
	printf("kprobe         %6zu functions\n"
	       "kretprobe      %6zu functions\n"
	       "call           %6zu functions\n"
	       "rawtracepoint  %6zu tracepoints\n"
	       "emit           %6zu events of drivers\n"
	       "tracepoint     %6zu tracepoints with fields\n"
	       "syscall        %6zu system calls\n\n",
	       functions, returning, returning, syms->nr_tracepoints,
	       l->emitted.nr, l->events.nr, nr_syscalls);
	printf("Not listed: %zu blacklisted%s, %zu trampolines, %zu of the kernel's initialization,\n"
	       "%zu parts of functions (-v shows them).\n\n",
	       syms->counts[TAP_SYMBOL_BLACKLISTED],
	       syms->blacklist == TAP_BLACKLIST_KERNEL ? "" :
	       " (as far as can be seen)",
	       syms->counts[TAP_SYMBOL_TRAMPOLINE],
	       syms->counts[TAP_SYMBOL_INIT],
	       syms->counts[TAP_SYMBOL_COLD] + syms->counts[TAP_SYMBOL_LABEL]);
	fputs("tap list 'kprobe:tcp_*'          functions by name\n"
	      "tap list 'kprobe:ext4:*'         functions of a module; of no module: vmlinux\n"
	      "tap list 'func:tcp_*'            those that ftrace can trace\n"
	      "tap list 'rawtracepoint:sched*'  tracepoints by name\n"
	      "tap list 'tracepoint:block:*'    those of a subsystem\n"
	      "tap list -v emit:                events of drivers, with their fields\n"
	      "tap list '*openat*'              all of these, and system calls\n"
	      "tap list -v vfs_read             with its arguments and their types\n"
	      "tap list 'uprobe:libc:mem*'      functions of a program or library\n"
	      "tap list -v usdt:python3         its USDT probes, with their arguments\n"
	      "tap list counters                counters of the processor and the kernel\n", stdout);
}

static void print_help(void)
{
	fputs("usage: tap list [-v] [--debug FILE|DIR] [--json] [PATTERN]...\n"
	      "       tap list -L FILE[:FROM[-TO]] [--debug FILE|DIR] [--json]\n\n"
	      "Lists what can be probed, one event per line in the form that tap trace -e\n"
	      "takes. Without a PATTERN, prints how many there are of each type.\n\n"
	      "PATTERN is one of:\n"
	      "  [TYPE:][MODULE:]GLOB   functions, tracepoints, system calls. TYPE is kprobe,\n"
	      "                         kretprobe, call, func, funcgraph, tracepoint,\n"
	      "                         rawtracepoint, emit or syscall. Without TYPE,\n"
	      "                         functions are listed as kprobe: (kretprobe: and call:\n"
	      "                         take them as well). MODULE of tracepoint: is the\n"
	      "                         subsystem.\n"
	      "  TYPE:PATH[:GLOB]       functions or USDT probes of a program or library. TYPE\n"
	      "                         is uprobe, uretprobe, ucall or usdt.\n"
	      "  KIND[:GLOB]            counters of this machine that tap stat -e takes. KIND\n"
	      "                         is counters, hardware, cache, software or pmu.\n\n"
	      "options:\n"
	      "  -v, --verbose            with arguments and types; also what cannot be\n"
	      "                           probed, with the reason\n"
	      "  -L, --lines FILE[:FROM[-TO]]\n"
	      "                           a file of the source of a module: marks the lines\n"
	      "                           that line: can probe, with their functions and\n"
	      "                           variables. As in line:, MODULE: or the PATH: of a\n"
	      "                           program may stand before FILE\n"
	      "      --debug FILE|DIR     with -v or -L: debug information of modules without\n"
	      "                           BTF: a module, its debug symbols, or a directory\n"
	      "                           of them; may be given several times\n"
	      "      --json               print one JSON object per line\n"
	      "      --help               print this help\n", stdout);
}

static int list(struct lister *l)
{
	enum kind kind;
	int ret = 0;
	size_t i;

	for (kind = KIND_KPROBE; kind <= KIND_FUNCGRAPH; kind++)
		if (asked(l, kind) ||
		    (kind == KIND_KPROBE && asked(l, KIND_ANY)))
			list_functions(l, kind);
	if (asked(l, KIND_FUNC))
		list_traced(l);
	if (asked(l, KIND_RAWTP) || asked(l, KIND_ANY))
		list_tracepoints(l);
	if (asked(l, KIND_EMIT) || asked(l, KIND_ANY))
		list_events(l, KIND_EMIT, &l->emitted);
	if (asked(l, KIND_TRACEPOINT) || asked(l, KIND_ANY))
		list_events(l, KIND_TRACEPOINT, &l->events);
	if (asked(l, KIND_SYSCALL) || asked(l, KIND_ANY))
		list_syscalls(l);
	if (l->not_emitted.code && asked(l, KIND_EMIT)) {
		tool_error("%s", l->not_emitted.text);
		ret = TOOL_FAILED;
	}
	/* main() reports failed output. */
	if (ferror(stdout))
		return 0;
	for (i = 0; i < l->nr_patterns; i++) {
		if (l->patterns[i].matched)
			continue;
		explain_nothing(l, &l->patterns[i]);
		ret = TOOL_FAILED;
	}
	return ret;
}

static int list_kernel(struct lister *l)
{
	struct tap_error err;
	int ret = 0;

	l->syms = tap_symbols_cached(&err);
	if (!l->syms || !l->syms->nr) {
		tool_error("%s", l->syms && !l->syms->unreadable ?
			   "/proc/kallsyms shows no functions" : err.text);
		return TOOL_FAILED;
	}
	if (tap_symbols_sort(l->syms)) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	/* A failure is reported only if a tracepoint is named: by explain_nothing(). */
	tap_events_load(&l->events, NULL, &err);
	if (tap_events_emitted(&l->emitted, "", &l->not_emitted)) {
		tool_error("%s", l->not_emitted.text);
		return TOOL_FAILED;
	}
	if (l->nr_patterns) {
		if (l->verbose)
			ret = prototypes_open(&l->prototypes, l->debug, l->nr_debug);
		if (!ret)
			ret = list(l);
		prototypes_close(&l->prototypes);
	} else {
		print_counts(l);
	}
	return ret;
}

/**
 * cmd_list() - tap list
 * @argc: of the command
 * @argv: of the command
 *
 * Return: exit status; 1 if something that was asked for is not there.
 */
int cmd_list(int argc, char **argv)
{
	static const struct option options[] = {
		{ "verbose", no_argument, NULL, 'v' },
		{ "lines", required_argument, NULL, 'L' },
		{ "debug", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt, i, ret = TOOL_FAILED;
	const char *lines = NULL;
	struct lister *l;

	l = calloc(1, sizeof(*l));
	if (l)
		l->debug = calloc(argc, sizeof(*l->debug));
	if (!l || !l->debug)
		goto err_memory;
	while ((opt = getopt_long(argc, argv, "vL:h", options, NULL)) != -1) {
		switch (opt) {
		case 'v':
			l->verbose = true;
			break;
		case 'L':
			lines = optarg;
			break;
		case 'd':
			l->debug[l->nr_debug++] = optarg;
			break;
		case 'j':
			l->json = true;
			break;
		case 'h':
			print_help();
			ret = 0;
			goto out;
		default:
			fputs("'tap list --help' shows the options\n", stderr);
			ret = TOOL_USAGE;
			goto out;
		}
	}
	if (lines) {
		ret = list_source(lines, l->debug, l->nr_debug, l->json);
		if (optind < argc) {
			tool_error("-L lists one file: \"%s\" is one argument too many", argv[optind]);
			ret = TOOL_USAGE;
		}
		goto out;
	}
	l->patterns = calloc(argc - optind + 1, sizeof(*l->patterns));
	if (!l->patterns)
		goto err_memory;
	for (i = optind; i < argc; i++)
		if (!list_user_asked(argv[i]) &&
		    !list_counters_asked(argv[i]) &&
		    parse_pattern(argv[i], &l->patterns[l->nr_patterns++]))
			goto err_memory;
	if (optind < argc)
		setvbuf(stdout, NULL, _IOFBF, OUT_SIZE);
	ret = l->nr_patterns || optind == argc ? list_kernel(l) : 0;
	for (i = optind; i < argc; i++)
		if ((list_user_asked(argv[i]) &&
		     list_user(argv[i], l->verbose, l->json)) ||
		    (list_counters_asked(argv[i]) &&
		     list_counters(argv[i], l->verbose, l->json)))
			ret = TOOL_FAILED;
	goto out;

err_memory:
	tool_error("out of memory");
out:
	if (l) {
		free(l->debug);
		for (i = 0; l->patterns && i < (int)l->nr_patterns; i++)
			free(l->patterns[i].module);
		free(l->patterns);
		tap_symbols_free(l->syms);
		tap_events_free(&l->events);
		tap_events_free(&l->emitted);
	}
	free(l);
	return ret;
}
