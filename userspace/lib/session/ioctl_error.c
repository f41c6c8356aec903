// SPDX-License-Identifier: LGPL-2.1
/*
 * From the errno of a command to an error message: the contract of uapi/linux/tap.h in
 * words.
 */
#include <errno.h>
#include <string.h>

#include <libtap.h>

#include "session/cost_error.h"
#include "session/ioctl_error.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/util.h"

/**
 * struct explanation - a row of the table
 * @command: TAP_IOC_*, or 0 for all
 * @type: enum tap_probe_type, %USER for all in programs, or 0 for all
 * @code: errno
 * @text: what follows "TARGET: "
 */
struct explanation {
	unsigned int command;
	unsigned int type;
	int code;
	const char *text;
};

#define NO_POOL	\
	"out of memory, or too many calls may be under way at once: take a smaller --maxactive, or fewer events"

#define NO_TABLES	\
	"out of memory for the tables, one for each CPU and event: take fewer --entries, fewer events or buckets"

#define NO_COUNTER	\
	"this machine has no such counter (a virtual machine without a PMU?); those of the kernel work everywhere: cpu-clock, page-faults, context-switches; so do software:page-faults:1 and profile:hz:99"

#define USER	0x100

/* The first row that matches wins, so specific rows come before general ones. */
static const struct explanation explanations[] = {
	{ TAP_IOC_CREATE, TAP_PROBE_COUNT, EOPNOTSUPP, NO_COUNTER },
	{ TAP_IOC_CREATE, TAP_PROBE_COUNT, EINVAL,
	  "the kernel refuses this counter: it is not of a process (of a memory controller or the like: then use -a), or the processor does not know it" },
	{ TAP_IOC_CREATE, TAP_PROBE_COUNT, ESRCH, "the process has ended" },
	{ TAP_IOC_CREATE, TAP_PROBE_RAWTP, ENOENT,
	  "no such tracepoint; 'tap list' shows what there is. A tracepoint of a module that is not loaded must be named MODULE:NAME" },
	{ 0, USER, EPERM,
	  "not permitted: a probe in programs needs CAP_SYS_ADMIN beside CAP_PERFMON (run it as root), and a kernel that is not locked down" },
	{ 0, USER, EOPNOTSUPP,
	  "this kernel cannot probe programs (CONFIG_UPROBES); 'tap doctor' says more" },
	{ 0, USER, ENOENT,
	  "the file or the probe is gone; try again" },
	{ TAP_IOC_CREATE, USER, ESRCH,
	  "there is no such process any more" },
	{ TAP_IOC_CREATE, USER, EBADF,
	  "the file is not open for reading" },
	{ 0, TAP_PROBE_USER_WATCH, EOPNOTSUPP,
	  "this kernel cannot watch memory of programs: arm64 executes the instruction again after the trap, or CONFIG_HAVE_HW_BREAKPOINT or the tracepoint task_newtask is missing" },
	{ TAP_IOC_ENABLE, TAP_PROBE_USER_WATCH, ENOSPC,
	  "no thread of the process has a debug register left: there are few (four on x86-64) for all watchpoints and debuggers; take fewer, or end other tracers and debuggers (tap, perf, gdb) that have some" },
	{ TAP_IOC_ENABLE, TAP_PROBE_USER_WATCH, EFAULT,
	  "the process has no memory there" },
	{ TAP_IOC_ENABLE, TAP_PROBE_USER_WATCH, EADDRNOTAVAIL,
	  "the address is none of a program, or no multiple of the length" },
	{ TAP_IOC_ENABLE, TAP_PROBE_USER_WATCH, ESRCH,
	  "the process has ended" },
	{ TAP_IOC_CREATE, USER, EINVAL,
	  "the kernel refuses this probe: it is no regular file, or shorter than the offset or the semaphore's place, or --maxactive is above 65536" },
	{ TAP_IOC_CREATE, TAP_PROBE_UCALL, ENOMEM, NO_POOL },
	{ TAP_IOC_ENABLE, USER, EADDRNOTAVAIL,
	  "the kernel cannot step over the instruction there; take another one, or the start of the function" },
	{ TAP_IOC_ENABLE, USER, EIO,
	  "the kernel cannot read pages of this file: its file system has no such operation, or it is damaged" },
	{ TAP_IOC_ENABLE, USER, EINVAL,
	  "the kernel refuses it: no code of a program is there, or another tracer has a probe at the place that disagrees on its semaphore; try again without it" },
	{ TAP_IOC_ENABLE, USER, EBUSY,
	  "a program that has it mapped is in the way of the kernel just now; try again" },
	{ 0, TAP_PROBE_EVENT, EOPNOTSUPP, NO_COUNTER },
	{ 0, TAP_PROBE_EVENT, ENOENT, NO_COUNTER },
	{ 0, TAP_PROBE_EVENT, ENOSPC,
	  "the processor has not so many counters that are free; take fewer events, or end another tracer that has some" },
	{ 0, TAP_PROBE_EVENT, EBUSY,
	  "another user of the counters (the NMI watchdog, a virtual machine) holds what it needs; try again without it" },
	{ 0, TAP_PROBE_EVENT, EINVAL,
	  "the kernel refuses this counter: it cannot be sampled, its period is too short, or it does not go with a modifier (:p, :G)" },
	{ 0, TAP_PROBE_WATCHPOINT, EPERM,
	  "not permitted: a watchpoint needs CAP_SYS_ADMIN beside CAP_PERFMON, and one of an address CAP_SYSLOG (run it as root)" },
	{ TAP_IOC_CREATE, TAP_PROBE_WATCHPOINT, ENOENT,
	  "the kernel does not know this symbol; variables are among them if it was built with CONFIG_KALLSYMS_ALL" },
	{ TAP_IOC_CREATE, TAP_PROBE_WATCHPOINT, EINVAL,
	  "the processor watches 2, 4 or 8 bytes only where the address is a multiple of that; take less, or two" },
	{ TAP_IOC_CREATE, TAP_PROBE_WATCHPOINT, EADDRNOTAVAIL,
	  "is no memory of the kernel (or is of the module tapmod, which does not watch itself)" },
	{ TAP_IOC_CREATE, TAP_PROBE_WATCHPOINT, EOPNOTSUPP,
	  "watchpoints can only be counted on this CPU: it re-executes the instruction after the trap; use 'tap stat' without a condition, -p, -c, --by and the like" },
	{ TAP_IOC_ENABLE, TAP_PROBE_WATCHPOINT, EINVAL,
	  "the processor watches 2, 4 or 8 bytes only where the address is a multiple of that; take less, or two" },
	{ TAP_IOC_ENABLE, TAP_PROBE_WATCHPOINT, ENOSPC,
	  "the processor has no debug register left: there are few (four on x86-64) for all watchpoints of everybody; take fewer, or end other tracers and debuggers (perf, gdb) that have some" },
	{ TAP_IOC_ENABLE, TAP_PROBE_WATCHPOINT, EADDRNOTAVAIL,
	  "the kernel refuses to have this watched: it is touched where a trap would be the end (entry code, the descriptors of the CPU)" },
	{ TAP_IOC_ENABLE, TAP_PROBE_WATCHPOINT, EOPNOTSUPP,
	  "this kernel has no watchpoints (CONFIG_HAVE_HW_BREAKPOINT)" },
	{ TAP_IOC_ENABLE, TAP_PROBE_WATCHPOINT, ENOENT,
	  "is gone: the module of this variable was unloaded" },
	{ TAP_IOC_CREATE, TAP_PROBE_FUNC, EADDRNOTAVAIL,
	  "ftrace cannot trace it: it is no function, or has no place for a call at its begin (notrace, assembly); use kprobe:" },
	{ TAP_IOC_CREATE, TAP_PROBE_FUNC, EOPNOTSUPP,
	  "this kernel has no function tracer (CONFIG_DYNAMIC_FTRACE); use kprobe:" },
	{ TAP_IOC_CREATE, TAP_PROBE_FUNC, EPERM,
	  "not permitted: several functions go by their addresses, which needs CAP_SYSLOG beside CAP_PERFMON (run it as root); name one" },
	{ TAP_IOC_ENABLE, TAP_PROBE_FUNC, EBUSY,
	  "function tracing is turned off (sysctl kernel.ftrace_enabled=1 turns it on)" },
	{ TAP_IOC_CREATE, 0, ENOENT,
	  "no such function in the running kernel; 'tap list' shows what there is" },
	{ TAP_IOC_CREATE, 0, EADDRNOTAVAIL,
	  "cannot be probed: it is on the kernel's kprobe blacklist, or the last function of a module, or it is not code; probe its caller instead" },
	{ TAP_IOC_CREATE, 0, EILSEQ,
	  "the offset lies inside an instruction; take the start of one (objdump -d shows them)" },
	{ TAP_IOC_CREATE, 0, EMSGSIZE,
	  "a record of this event is longer than a ring; take a larger --ring, or fewer or shorter fields" },
	{ TAP_IOC_CREATE, 0, ENOSPC,
	  "the session has all the probes it can have; narrow the glob or run two sessions" },
	{ TAP_IOC_CREATE, 0, EOVERFLOW,
	  "the session has made as many probes as it ever can, deleted ones included; open another session" },
	{ TAP_IOC_CREATE, TAP_PROBE_KPROBE, EINVAL,
	  "the kernel refuses this probe: an offset beyond the end of the function, a name that is too long, or a fetch that is not possible here" },
	{ TAP_IOC_CREATE, TAP_PROBE_RAWTP, EINVAL,
	  "the kernel refuses this probe: a tracepoint takes no offset, no maxactive and no $retval" },
	{ TAP_IOC_CREATE, 0, EINVAL,
	  "the kernel refuses this probe: no offset is possible here, maxactive is at most 4096, and a fetch must exist for the kind of probe" },
	{ TAP_IOC_CREATE, TAP_PROBE_KPROBE, EOPNOTSUPP,
	  "this kernel has no kprobes, or they are off (CONFIG_KPROBES, /sys/kernel/debug/kprobes/enabled); 'tap doctor' says more" },
	{ TAP_IOC_CREATE, TAP_PROBE_RAWTP, EOPNOTSUPP,
	  "a kernel with CONFIG_CFI (CONFIG_CFI_CLANG) gives raw arguments only of tracepoints in its public headers, and of none in a module; use tracepoint:, or probe a function near it" },
	{ TAP_IOC_CREATE, TAP_PROBE_FUNCGRAPH, EOPNOTSUPP,
	  "this kernel is too old for funcgraph: (5.11 is not), or what the call returns is tested; call: records the same calls at their return" },
	{ TAP_IOC_CREATE, TAP_PROBE_SYSCALL, EOPNOTSUPP,
	  "this kernel has no tracepoints of system calls that the module can use (CONFIG_HAVE_SYSCALL_TRACEPOINTS, CONFIG_FTRACE_SYSCALLS)" },
	{ TAP_IOC_CREATE, 0, EOPNOTSUPP,
	  "this kernel cannot probe the return of a function (CONFIG_KRETPROBES); 'tap doctor' says more" },
	{ TAP_IOC_ENABLE, 0, EADDRNOTAVAIL,
	  "cannot be probed: it is on the kernel's kprobe blacklist, or the last function of a module, or it is not code" },
	{ TAP_IOC_ENABLE, 0, ENOENT,
	  "is gone: the module of its function was unloaded" },
	{ TAP_IOC_ENABLE, 0, EBUSY,
	  "is held by another tracer at the same place (a jump-optimised probe, or live patching), or function tracing is turned off (sysctl kernel.ftrace_enabled)" },
	{ TAP_IOC_SETUP, 0, EINVAL,
	  "the ring size must be a power of two from 4 KiB (and a page) to 1 GiB, the watermark a power of two within it" },
	{ TAP_IOC_SETUP, 0, ENOMEM,
	  "not enough memory for the rings (one for each CPU), or the memory cgroup's limit is reached; take a smaller --ring" },
	{ TAP_IOC_SETUP, 0, EBADFD, "the session has rings already" },
	{ TAP_IOC_PMU, 0, EOPNOTSUPP, NO_COUNTER },
	{ TAP_IOC_PMU, 0, EINVAL,
	  "cannot be read at an event: it is not of one CPU (of a memory controller or the like), or the processor does not know it; tap stat -e may count it" },
	{ TAP_IOC_PMU, 0, ENOSPC,
	  "the processor has not so many counters free; take fewer, or end what else counts: perf, the NMI watchdog (sysctl kernel.nmi_watchdog=0)" },
	{ TAP_IOC_FOLLOW, 0, ESRCH, "there is no such process any more" },
	{ 0, 0, EBADFD, "the session has no rings yet" },
	{ 0, 0, EPERM,
	  "not permitted: it needs CAP_PERFMON (run it as root), and a kernel that is not locked down (/sys/kernel/security/lockdown)" },
	{ 0, 0, EACCES, "not permitted: run it as root" },
	{ TAP_IOC_CREATE, TAP_PROBE_KRETPROBE, ENOMEM, NO_POOL },
	{ TAP_IOC_CREATE, TAP_PROBE_CALL, ENOMEM, NO_POOL },
	{ TAP_IOC_CREATE, TAP_PROBE_FUNCGRAPH, ENOMEM, NO_POOL },
	{ 0, 0, ENOMEM,
	  "out of memory, or over the memory cgroup's limit" },
	{ 0, 0, ENOTTY,
	  "the loaded module does not know this command: the module and this program are not of the same version" },
	{ 0, 0, E2BIG,
	  "the loaded module is older than this program and cannot do what is asked" },
	{ 0, 0, EFAULT, "the kernel could not read the request" },
	{ 0, 0, ENOENT, "there is no such probe in this session" },
	{ 0, 0, EINTR, "interrupted by a signal" },
	{ 0, 0, EOPNOTSUPP, "this kernel cannot do it; 'tap doctor' says why" },
	{ 0, 0, EINVAL,
	  "the module refuses the request: the module and this program may not be of the same version" },
};

static const char *command_name(unsigned int command)
{
	switch (command) {
	case TAP_IOC_INFO:	 return "asking what the module can do";
	case TAP_IOC_SETUP:	 return "making the rings";
	case TAP_IOC_CREATE:	 return "making a probe";
	case TAP_IOC_ENABLE:	 return "enabling the probes";
	case TAP_IOC_DISABLE:	 return "disabling the probes";
	case TAP_IOC_DELETE:	 return "deleting the probes";
	case TAP_IOC_PROBE_INFO: return "reading a probe back";
	case TAP_IOC_STATS:	 return "reading the counters";
	case TAP_IOC_FLUSH:	 return "flushing the rings";
	case TAP_IOC_TIME:	 return "reading the clock";
	case TAP_IOC_READ:	 return "reading an aggregation";
	case TAP_IOC_COUNT:	 return "reading a counter";
	case TAP_IOC_PMU:	 return "making counters";
	case TAP_IOC_FOLLOW:	 return "following the command";
	case TAP_IOC_BUDGET:	 return "setting the budget";
	case TAP_IOC_GATE:	 return "setting the gate";
	}
	return "asking the module";
}

static int explain(struct tap_error *err, unsigned int command, int code,
		   unsigned int type, const char *what)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(explanations); i++) {
		const struct explanation *e = &explanations[i];

		if ((!e->command || e->command == command) &&
		    (!e->type || e->type == type ||
		     (e->type == USER && tap_probe_is_user(type))) &&
		    e->code == -code)
			return tap_error_set(err, code, "%s: %s", what,
					     e->text);
	}
	return tap_error_set(err, code, "%s: %s", what, strerror(-code));
}

int tap_explain_target(struct tap_error *err, unsigned int command, int code,
		       const char *target)
{
	return explain(err, command, code, 0, target);
}

int tap_explain(struct tap_error *err, unsigned int command, int code,
		const struct tap_spec *spec)
{
	const char *what = spec && spec->target ? spec->target :
						  command_name(command);
	unsigned int type = spec ? spec->type : 0;

	/* Its target is a list of numbers, or a path that was cut. */
	if (spec && spec->event &&
	    (type == TAP_PROBE_SYSCALL || type == TAP_PROBE_WATCHPOINT ||
	     tap_probe_is_user(type)))
		what = spec->event;

	if (command == TAP_IOC_CREATE && code == -EFBIG && spec)
		return tap_explain_cost(err, code, what, spec);
	if (command == TAP_IOC_CREATE && code == -ENOMEM && spec && spec->agg)
		return tap_error_set(err, code, "%s: " NO_TABLES, what);
	return explain(err, command, code, type, what);
}

bool tap_explain_memory(struct tap_error *err, struct tap_session *session, const char *what,
			const char *less)
{
	struct tap_info info;

	if (tap_session_info(session, &info) || !info.out_memory_refused)
		return false;
	tap_error_set(err, -ENOMEM,
		      "not enough memory for %s: all sessions together may take %llu MiB (memory_max), %llu MiB of it are in use and %llu KiB more are needed; take %s, end other sessions ('tap monitor'), or raise /sys/module/tapmod/parameters/memory_max",
		      what, (unsigned long long)info.out_memory_max >> 20,
		      (unsigned long long)info.out_memory_used >> 20,
		      (unsigned long long)(info.out_memory_refused + 1023) >> 10, less);
	return true;
}

int tap_explain_ring_bytes(struct tap_error *err, __u64 bytes)
{
	if (bytes >= TAP_MIN_RING_BYTES && bytes <= TAP_MAX_RING_BYTES &&
	    !(bytes & (bytes - 1)))
		return 0;
	return tap_error_set(err, -EINVAL,
			     "ring size %llu: it must be a power of two from 4K to 1G (bytes for each CPU; 'tap doctor' shows the default)",
			     (unsigned long long)bytes);
}
