// SPDX-License-Identifier: GPL-2.0
/*
 * Building, running and ending a session.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel/ksyms.h"
#include "run/cgroup.h"
#include "run/run.h"

#define NSEC_PER_MSEC	1000000ULL
/* A gap record needs room in the ring, which reading makes. */
#define FLUSH_ROUNDS	16

__u64 run_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * 1000000000ULL + (__u64)ts.tv_nsec;
}

/* Signals are read from a descriptor, so that poll() cannot miss one. */
static int take_signals(struct run *run, struct tap_error *err)
{
	struct sigaction hangup;
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	/*
	 * nohup stays in force; a blocked signal would be read even if it is ignored. A shell
	 * without job control ignores SIGINT in the background, where scripts end tap by it.
	 */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&mask, SIGHUP);
	if (run->opts->flight.bytes)
		sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, &run->old_mask);
	run->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signals < 0)
		return tap_error_set(err, -errno, "signalfd: %s",
				     strerror(errno));
	return 0;
}

/* The process id of a thread; 0 if there is no such thread. */
static __u32 process_of(__u32 tid)
{
	unsigned int tgid = 0;
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%u/status", tid);
	f = fopen(line, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	fclose(f);
	return tgid;
}

static int watch_process(struct run *run, __u32 pid, struct tap_error *err)
{
	__u32 tgid = process_of(pid);

	if (!tgid)
		return tap_error_set(err, -ESRCH, "-p %u: no such process",
				     pid);
	if (tgid != pid)
		return tap_error_set(err, -EINVAL,
				     "-p %u: not a process but a thread; use -p %u",
				     pid, tgid);
	/* Without a pidfd the end of the process is not seen, and ^C ends the run. */
	run->process = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

/* All probes count only hits where the variable has this value. */
static void run_test(struct run *run, enum tap_var var, __u64 imm, __u64 value)
{
	run->tests[run->nr_tests++] = (struct run_test) { var, imm, value };
}

/* Applies --cgroup and --cpu. */
static int confine(struct run *run, struct tap_error *err)
{
	const struct options *opts = run->opts;
	unsigned int depth;
	__u64 id;
	int ret;

	if (opts->one_cpu)
		run_test(run, TAP_VAR_CPU, 0, opts->cpu);
	if (!opts->cgroup)
		return 0;
	ret = cgroup_find(opts->cgroup, &id, &depth, err);
	/* Compares the ancestor at this depth, so that descendants match, too. */
	if (!ret)
		run_test(run, TAP_VAR_CGROUP, depth + 1, id);
	return ret;
}

static int open_process(struct run *run, struct tap_error *err)
{
	const struct options *opts = run->opts;
	int ret;

	if (opts->pid) {
		run_test(run, TAP_VAR_TGID, 0, opts->pid);
		return watch_process(run, opts->pid, err);
	}
	if (!opts->command)
		return 0;
	ret = child_fork(&run->child, opts->command, &run->old_mask,
			 opts->output && !strcmp(opts->output, "-"), err);
	if (ret)
		return ret;
	if (!opts->all) {
		/* It waits for child_go(): all that the command starts is created later. */
		ret = tap_session_follow(run->session, (__u32)run->child.pid);
		if (ret)
			return tap_explain(err, TAP_IOC_FOLLOW, ret, NULL);
		run_test(run, TAP_VAR_FOLLOWED, 0, 1);
	}
	run->process = (int)syscall(SYS_pidfd_open, run->child.pid, 0);
	if (run->process < 0)
		return tap_error_set(err, -errno, "pidfd_open: %s",
				     strerror(errno));
	return 0;
}

static void run_init(struct run *run, const struct options *opts)
{
	memset(run, 0, sizeof(*run));
	run->opts = opts;
	run->signals = -1;
	run->process = -1;
	run->modules = -1;
	run->input = -1;
	run->child.go = -1;
	run->child.result = -1;
}

static void run_begin(struct run *run)
{
	run->begun = run_now();
	if (run->opts->duration_ns)
		run->deadline = run->begun + run->opts->duration_ns;
}

int run_listen(struct run *run, const struct options *opts, int input,
	       struct tap_error *err)
{
	run_init(run, opts);
	run->input = input;
	run_begin(run);
	return take_signals(run, err);
}

/* --keep goes by the duration of an event. */
static int check_verdict(const struct tap_spec *spec, struct tap_error *err)
{
	switch (tap_spec_type(spec)) {
	case TAP_PROBE_CALL:
	case TAP_PROBE_UCALL:
	case TAP_PROBE_SYSCALL:
	case TAP_PROBE_SPAN:
		return 0;
	default:
		return tap_error_set(err, -EINVAL,
				     "--keep %s: the event has no begin and end; give a call:, ucall:, syscall: or span:",
				     tap_spec_text(spec));
	}
}

int run_open(struct run *run, const struct options *opts, bool read,
	     struct tap_error *err)
{
	size_t i;
	int ret;

	run_init(run, opts);
	run->count = !read;
	/* Errors in -e are reported even if the module is not loaded. */
	for (i = 0; i < opts->nr_events; i++) {
		struct tap_spec *spec;

		ret = tap_spec_parse(opts->events[i], &spec, err);
		if (ret)
			return ret;
		if (opts->verdict[i])
			ret = check_verdict(spec, err);
		tap_spec_free(spec);
		if (ret)
			return ret;
	}
	run->probes = tap_probes_new();
	if (!run->probes)
		return tap_error_set(err, -ENOMEM, "out of memory");
	run_modules_open(run);
	return tap_session_open(&run->session, err);
}

struct tap_symbols *run_symbols(struct run *run, struct tap_error *err)
{
	if (!run->syms)
		run->syms = tap_symbols_cached(err);
	return run->syms;
}

int run_resolve(const void *arg, __u64 addr, char *buf, size_t len)
{
	/* Loading the symbols late is no change that the caller can see. */
	struct run *run = (struct run *)arg;
	struct tap_symbols *syms = run_symbols(run, NULL);
	int ret = tap_symbols_lookup(syms, addr, buf, len);

	if (!ret)
		run_line(run, addr, buf, len);
	if (!ret || !tap_symbols_are_cached(syms) || (__s64)addr >= 0)
		return ret;
	/* It may be code that the kernel has generated, which is not kept. */
	syms = tap_symbols_load(NULL);
	if (!syms)
		return ret;
	tap_symbols_free(run->syms);
	run->syms = syms;
	return tap_symbols_lookup(syms, addr, buf, len);
}

bool run_has_kernel_code(const struct run *run)
{
	const struct tap_probe *probe;
	const struct tap_field *f;
	size_t i;
	unsigned int k;

	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++)
		for (k = 0; (f = tap_probe_field(probe, k)); k++)
			if (tool_is_kstack(f) ||
			    f->format == TAP_FMT_SYMBOL ||
			    f->format == TAP_FMT_FUNC ||
			    f->format == TAP_FMT_USYMBOL ||
			    /* It may have pointers to functions. */
			    f->format == TAP_FMT_STRUCT ||
			    f->element == TAP_FMT_SYMBOL)
				return true;
	return false;
}

int run_build(struct run *run, struct tap_error *err)
{
	/* Nothing reads the rings, so the smallest size will do: a page. */
	struct tap_session_opts setup = {
		.size = sizeof(setup),
		.ring_bytes = run->count ? (__u64)sysconf(_SC_PAGESIZE) :
					   run->opts->ring_bytes,
		.clock = run->opts->clock,
		.overwrite = run->opts->flight.bytes != 0,
		.panic = run->opts->panic,
	};
	int ret = tap_session_setup(run->session, &setup, err);

	if (ret)
		return ret;
	ret = pmu_args_open(&run->opts->pmu, run->session, err);
	if (!ret)
		ret = take_signals(run, err);
	if (!ret)
		ret = confine(run, err);
	if (!ret)
		ret = open_process(run, err);
	if (!ret)
		ret = run_create_probes(run, err);
	if (!ret)
		ret = run_budget_set(run, err);
	if (!ret)
		ret = run_gate_set(run, err);
	/* The keys of a table may be kernel code, too. */
	if (!run_has_kernel_code(run) && !(run->count && options_table(run->opts, 0)))
		run_modules_close(run);
	/* Loaded while probes are disabled: records would pile up meanwhile. */
	if (!ret && run_has_kernel_code(run) && !run_symbols(run, err))
		ret = err->code;
	if (!ret && !run->count)
		ret = tap_reader_open(&run->reader, run->session, err);
	if (!ret)
		ret = run_user_open(run, err);
	if (!ret)
		ret = ticker_open(&run->ticker, run->session, run->probes,
				  run->opts->every_ns, err);
	return ret;
}

static bool is_loaded(const struct tap_symbols *syms, const char *target)
{
	char module[TAP_MAX_TARGET];

	snprintf(module, sizeof(module), "%.*s", (int)strcspn(target, ":"), target);
	return tap_symbols_has_module(syms, module);
}

/*
 * Says why a probe could not be armed in its module: looks for its target as at the start, now
 * that the module is loaded. @syms are the symbols of now.
 */
static void explain_failed(struct tap_symbols *syms, const struct tap_spec *failed)
{
	const char *event = tap_spec_text(failed), *target = tap_spec_target(failed);
	struct tap_spec *spec = NULL, **list = NULL;
	struct tap_error err = { 0 };
	size_t nr = 0, len = strlen(target);

	if (tap_spec_parse(event, &spec, &err) ||
	    tap_spec_expand(syms, NULL, spec, &list, &nr, &err))
		tool_error("%s: could not be armed: %s", event,
			   !strncmp(err.text, target, len) && !strncmp(err.text + len, ": ", 2) ?
			   err.text + len + 2 : err.text);
	else if (syms && !is_loaded(syms, target))
		tool_error("%s: could not be armed; its module was unloaded again, so its functions cannot be looked at",
			   event);
	else if (strcmp(tap_spec_target(list[0]), target))
		tool_error("%s: could not be armed: no function of this name in the module; did you mean %s? The compiler made %s of it",
			   event, tap_spec_text(list[0]),
			   nr > 1 ? "clones" : "this clone");
	else
		tool_error("%s: could not be armed: the function is there, but cannot be probed: it is on the kernel's kprobe blacklist, or the last function of the module, or it is not code; the kernel's log (dmesg) has the error",
			   event);
	tap_spec_list_free(list, nr);
	tap_spec_free(spec);
}

static void report_failed(const struct run *run)
{
	struct tap_symbols *syms = NULL;
	const struct tap_probe *probe;
	struct tap_probe_info info;
	size_t i;

	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++) {
		const struct tap_spec *spec = tap_probe_spec(probe);

		if (!(tap_spec_flags(spec) & TAP_CREATE_F_WAIT) ||
		    tap_session_probe_info(run->session, tap_probe_id(probe), &info, NULL, 0) ||
		    info.out_state != TAP_STATE_FAILED)
			continue;
		/* Not those of the run: they are older than the module. */
		if (!syms)
			syms = tap_symbols_cached(NULL);
		explain_failed(syms, spec);
	}
	tap_symbols_free(syms);
}

/* The user may have mistyped the module: say that the event waits, once if it has a name. */
static void report_waiting(const struct run *run, const char *what)
{
	const struct tap_probe *probe;
	struct tap_probe_info info;
	const char *last = "";
	size_t i;

	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++)
		if (tap_spec_flags(tap_probe_spec(probe)) & TAP_CREATE_F_WAIT &&
		    !tap_session_probe_info(run->session, tap_probe_id(probe),
					    &info, NULL, 0) &&
		    info.out_state == TAP_STATE_WAITING && strcmp(tap_probe_event(probe), last)) {
			last = tap_probe_event(probe);
			tool_error("%s: %s", last, what);
		}
}

/* Watchpoints that no process of the command has reached, or whose threads were not all armed. */
static void report_unwatched(const struct run *run)
{
	const struct tap_probe *probe;
	struct tap_probe_info info;
	struct tap_stats stats;
	size_t i;

	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++) {
		if (tap_spec_type(tap_probe_spec(probe)) != TAP_PROBE_USER_WATCH)
			continue;
		if (tap_session_stats(run->session, tap_probe_id(probe), &stats, NULL, 0))
			continue;
		if (stats.out_nmissed)
			tool_error("%s: accesses by %llu threads or processes were missed, for some time or always: no debug register was free (x86-64 has four; end other tracers and debuggers), or they were created while others were armed",
				   tap_probe_event(probe), (unsigned long long)stats.out_nmissed);
		else if (!tap_session_probe_info(run->session, tap_probe_id(probe), &info, NULL, 0) &&
			 info.out_state == TAP_STATE_WAITING)
			tool_error("%s: was never armed: the command did not start this program, or load this library",
				   tap_probe_event(probe));
	}
}

/* Enables the probes one by one, to name the one that the kernel refuses. */
static int explain_enable(struct run *run, int code, struct tap_error *err)
{
	const struct tap_probe *probe;
	size_t i;

	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++) {
		int ret = tap_session_enable(run->session, tap_probe_id(probe));

		if (ret)
			return tap_explain(err, TAP_IOC_ENABLE, ret,
					   tap_probe_spec(probe));
	}
	return tap_explain(err, TAP_IOC_ENABLE, code, NULL);
}

int run_start(struct run *run, struct tap_error *err)
{
	int ret = tap_session_enable(run->session, 0);

	if (ret)
		return explain_enable(run, ret, err);
	run->enabled = true;
	report_waiting(run, "waits for its module, which is not loaded");
	ret = run_arm_start(run, err);
	if (!ret)
		ret = ticker_start(run->ticker, err);
	if (ret)
		return ret;
	run_begin(run);
	if (run->child.pid)
		return child_go(&run->child, err);
	return 0;
}

/* Milliseconds until a moment, rounded up; -1 if there is none. */
static int timeout_until(__u64 until)
{
	__u64 now, ms;

	if (!until)
		return -1;
	now = run_now();
	if (until <= now)
		return 0;
	ms = (until - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	return ms > 3600000 ? 3600000 : (int)ms;
}

static void read_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			run->asked = true;
		else
			run->interrupted = true;
	}
}

/* Sets @run->stopping; fds[0] is the signalfd, fds[1] the pidfd. */
static void check_end(struct run *run, const struct pollfd *fds)
{
	if (fds[0].revents)
		read_signals(run);
	if (run->interrupted || fds[1].revents ||
	    (run->deadline && run_now() >= run->deadline))
		run->stopping = true;
}

int run_wait(struct run *run, __u64 until)
{
	struct pollfd fds[] = {
		{ .fd = run->signals, .events = POLLIN },
		{ .fd = run->process, .events = POLLIN },
		{ .fd = (run->reader && !run->blind) || run_gate_polls(run) ?
			tap_session_fd(run->session) : -1,
		  .events = POLLIN },
		{ .fd = run_user_fd(run), .events = POLLIN },
		{ .fd = run->input, .events = POLLIN },
		/* Without records nothing has to be named before it is printed. */
		{ .fd = run->reader ? run->modules : -1, .events = POLLIN },
		{ .fd = run_arm_fd(run), .events = POLLIN },
	};
	int timeout;

	if (run->deadline && (!until || run->deadline < until))
		until = run->deadline;
	timeout = timeout_until(until);
	if (run->reader && tap_reader_held(run->reader)) {
		/* The reader holds records back for less than a millisecond. */
		fds[2].fd = -1;
		timeout = timeout < 0 || timeout > 1 ? 1 : timeout;
	}
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout) < 0 && errno != EINTR)
		return -errno;
	if (fds[3].revents)
		run_user_update(run);
	if (fds[6].revents)
		run_arm_read(run);
	if (fds[2].revents & (POLLERR | POLLNVAL))
		return -EIO;
	check_end(run, fds);
	if (!run->stopping && run_gate_ended(run))
		run->stopping = true;
	return 0;
}

/* The kernel may have marked the TSC as unstable since the start of the run. */
static void check_clock(const struct run *run)
{
	struct tap_info info;

	if (run->reader && !tap_session_info(run->session, &info) &&
	    info.out_clock == TAP_CLOCK_MONO &&
	    tap_reader_meta(run->reader)->clock != TAP_CLOCK_MONO)
		tool_error("the kernel marked the time stamp counter as unstable during this run: times, and the order of events across CPUs, may be wrong");
}

/* The file of a program's probe; NULL for other probes. */
static const char *path_of(const struct run *run, size_t i)
{
	return tap_spec_file(tap_probe_spec(tap_probes_get(run->probes, i)));
}

/* A probe is set in an inode: after a replacement the path is another file. */
static void report_replaced(const struct run *run)
{
	const char *last = NULL, *path;
	size_t i, k;

	for (i = 0; i < tap_probes_nr(run->probes); i++) {
		path = path_of(run, i);
		if (!path || path == last)
			continue;
		last = path;
		if (!tap_spec_file_replaced(tap_probe_spec(
				tap_probes_get(run->probes, i))))
			continue;
		for (k = 0; k < i; k++)
			if (path_of(run, k) && !strcmp(path_of(run, k), path))
				break;
		if (k == i)
			tool_error("%s was replaced while it was traced: programs started since then were not traced",
				   path);
	}
}

static void restore_signals(struct run *run)
{
	struct signalfd_siginfo info;

	if (run->signals < 0)
		return;
	/* Consume the signal that ended the run; the next one has its default action. */
	while (read(run->signals, &info, sizeof(info)) > 0)
		;
	sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
	close(run->signals);
	run->signals = -1;
}

int run_disable(struct run *run)
{
	int ret = 0;

	if (run->enabled) {
		ticker_stop(run->ticker);
		report_waiting(run, "its module was not loaded");
		report_unwatched(run);
		run_arm_stop(run);
		report_failed(run);
		run_check_builds(run);
		run->ended = run_now();
		ret = tap_session_disable(run->session, 0);
		run_budget_report(run);
		run_gate_report(run);
		check_clock(run);
		report_replaced(run);
	}
	run->enabled = false;
	if (run->interrupted)
		restore_signals(run);
	return ret;
}

int run_drain(struct run *run, int (*rest)(void *arg), void *arg)
{
	unsigned int i;
	int ret;

	tap_reader_drain(run->reader, true);
	ret = rest(arg);
	for (i = 0; i < FLUSH_ROUNDS && !ret; i++) {
		ret = tap_session_flush(run->session, &run->pending);
		if (!ret)
			ret = rest(arg);
		if (!run->pending)
			break;
	}
	return ret;
}

int run_stop(struct run *run)
{
	int ret = run_disable(run);

	restore_signals(run);
	return ret;
}

int run_wait_output(struct run *run, int fd, __u64 until)
{
	struct pollfd fds[] = {
		{ .fd = run->signals, .events = POLLIN },
		{ .fd = run->stopping ? -1 : run->process, .events = POLLIN },
		{ .fd = fd, .events = POLLOUT },
		{ .fd = run_user_fd(run), .events = POLLIN },
		{ .fd = run_arm_fd(run), .events = POLLIN },
	};
	int ret = 0;

	if (!run->stopping && run->deadline &&
	    (!until || run->deadline < until))
		until = run->deadline;
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_until(until)) < 0 && errno != EINTR)
		return -errno;
	if (fds[3].revents)
		run_user_update(run);
	if (fds[4].revents)
		run_arm_read(run);
	check_end(run, fds);
	if (run->stopping)
		ret = run_disable(run);
	return ret ? ret : fds[2].revents != 0;
}

void run_close(struct run *run)
{
	run_stop(run);
	ticker_close(run->ticker);
	child_end(&run->child);
	run_user_close(run);
	run_lines_close(run);
	run_modules_close(run);
	free(run->builds);
	tap_keep_close(run->keep);
	free(run->verdicts);
	run_arm_close(run);
	tap_reader_close(run->reader);
	tap_probes_free(run->probes);
	tap_symbols_free(run->syms);
	tap_session_close(run->session);
	if (run->process >= 0)
		close(run->process);
}
