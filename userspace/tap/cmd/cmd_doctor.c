// SPDX-License-Identifier: GPL-2.0
/*
 * tap doctor: checks what tapmod can do on this kernel.
 *
 * The checks only read; the kernel loads the module if it is installed. Each prints what it
 * found and, if that is a problem, the remedy. Works without the module and without privilege.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/doctor_modules.h"
#include "dwarf/dwarf.h"
#include "cmd/list_counters.h"
#include "kernel/ksyms.h"
#include "selftest/selftest.h"
#include "tool.h"

#define DEBUGFS		"/sys/kernel/debug"
#define VMLINUX_BTF	"/sys/kernel/btf/vmlinux"

/**
 * enum verdict - of one check
 * @OK: no problem
 * @WARN: something is limited
 * @NO: something does not work
 * @FATAL: nothing can be traced
 */
enum verdict {
	OK,
	WARN,
	NO,
	FATAL,
};

/* Bits of capabilities; linux/capability.h of Debian 10 lacks the newest. */
enum {
	SYS_MODULE	= 16,
	SYS_ADMIN	= 21,
	SYSLOG		= 34,
	PERFMON		= 38,
};

/**
 * struct doctor - one run of the command
 * @json: one JSON object
 * @printed: checks printed so far
 * @fatal: the first problem that makes tracing impossible, or ""
 * @caps: capabilities of this process
 * @locked: the kernel is locked down
 * @loaded: the module is loaded and answered with @info
 * @info: from the module
 */
struct doctor {
	bool json;
	unsigned int printed;
	char fatal[400];
	unsigned long long caps;
	bool locked;
	bool loaded;
	struct tap_info info;
};

__attribute__((format(printf, 4, 5)))
static void report(struct doctor *d, enum verdict verdict, const char *what,
		   const char *fmt, ...)
{
	static const char *const words[] = { "ok", "warn", "no", "no" };
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (verdict == FATAL && !*d->fatal)
		snprintf(d->fatal, sizeof(d->fatal), "%s: %.300s", what, text);
	if (d->json) {
		printf("%s{\"check\":", d->printed ? "," : "");
		tool_json(stdout, what);
		printf(",\"status\":\"%s\",\"fatal\":%s,\"text\":",
		       words[verdict], verdict == FATAL ? "true" : "false");
		tool_json(stdout, text);
		putchar('}');
	} else {
		printf("%-5s %-15s %s\n", words[verdict], what, text);
	}
	d->printed++;
}

/* The first line of a file, or -errno; @text is empty then. */
static int read_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	int ret = 0;

	*text = '\0';
	if (!f)
		return -errno;
	if (!fgets(text, size, f))
		ret = ferror(f) ? -EIO : 0;
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return ret;
}

static int read_number(const char *path, long *value)
{
	char text[32];
	int ret = read_line(path, text, sizeof(text));

	*value = ret ? 0 : strtol(text, NULL, 10);
	return ret;
}

static bool has(const struct doctor *d, int cap)
{
	return d->caps >> cap & 1;
}

static bool kernel_before(unsigned int major, unsigned int minor)
{
	unsigned int x = 0, y = 0;
	struct utsname u;

	uname(&u);
	sscanf(u.release, "%u.%u", &x, &y);
	return x < major || (x == major && y < minor);
}

static void check_kernel(struct doctor *d)
{
	struct utsname u;

	uname(&u);
	if (strcmp(u.machine, "x86_64") && strcmp(u.machine, "aarch64"))
		report(d, FATAL, "kernel",
		    "%s on %s: tapmod runs on x86_64 and aarch64", u.release,
		    u.machine);
	else if (kernel_before(5, 10))
		report(d, FATAL, "kernel",
		    "%s on %s: tapmod needs 5.10 or newer", u.release,
		    u.machine);
	else
		report(d, OK, "kernel", "%s on %s", u.release, u.machine);
}

static void check_cpus(struct doctor *d)
{
	char possible[128], online[128];

	read_line("/sys/devices/system/cpu/possible", possible,
		  sizeof(possible));
	read_line("/sys/devices/system/cpu/online", online, sizeof(online));
	report(d, OK, "cpus",
	    "online: %s, possible: %s; each CPU that is online gets a ring",
	    *online ? online : "?", *possible ? possible : "?");
}

static void check_privilege(struct doctor *d)
{
	char line[256];
	FILE *f;

	f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "CapEff:", 7))
			d->caps = strtoull(line + 7, NULL, 16);
	if (f)
		fclose(f);
	if (has(d, PERFMON) || has(d, SYS_ADMIN))
		report(d, OK, "CAP_PERFMON",
		    "this process has it: it may open %s", TAP_DEVICE);
	else
		report(d, FATAL, "CAP_PERFMON",
		    "this process may not trace: run tap as root, or run 'setcap cap_perfmon,cap_syslog=ep' on the program and give its users access to %s",
		    TAP_DEVICE);
	if (has(d, SYSLOG))
		report(d, OK, "CAP_SYSLOG",
		    "this process has it: kernel addresses are shown");
	else
		report(d, WARN, "CAP_SYSLOG",
		    "this process cannot see kernel addresses: run tap as root, or give it CAP_SYSLOG");
	if (has(d, SYS_ADMIN))
		report(d, OK, "CAP_SYS_ADMIN", "this process has it");
	else
		report(d, WARN, "CAP_SYS_ADMIN",
		    "this process lacks it: it cannot probe programs (uprobe:, uretprobe:, ucall:, usdt:) or set watchpoints");
}

static void check_lockdown(struct doctor *d)
{
	char text[128];
	int ret;

	ret = read_line("/sys/kernel/security/lockdown", text, sizeof(text));
	d->locked = !ret && !strstr(text, "[none]");
	if (ret == -ENOENT)
		report(d, OK, "lockdown",
		    "not supported by this kernel, or securityfs is not mounted");
	else if (ret)
		report(d, WARN, "lockdown", "cannot be read: %s", strerror(-ret));
	else if (strstr(text, "[confidentiality]"))
		report(d, FATAL, "lockdown",
		    "confidentiality: the kernel refuses tracing; boot with lockdown=integrity, or without lockdown");
	else if (strstr(text, "[integrity]"))
		report(d, OK, "lockdown",
		    "integrity: tracing works; modules must be signed");
	else
		report(d, OK, "lockdown", "none");
}

/* The firmware variable SecureBoot; -errno if there is none. */
static int secure_boot(void)
{
	/* Four bytes of attributes, then the value. */
	unsigned char var[5];
	size_t n;
	FILE *f;

	f = fopen("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		  "re");
	if (!f)
		return -errno;
	n = fread(var, 1, sizeof(var), f);
	fclose(f);
	return n == sizeof(var) ? var[4] : -EIO;
}

static void check_signing(struct doctor *d)
{
	char enforce[8] = "";
	int boot = secure_boot();
	bool forced;
	long tainted;

	read_line("/sys/module/module/parameters/sig_enforce", enforce,
		  sizeof(enforce));
	forced = *enforce == 'Y' || *enforce == '1';
	if (boot > 0 || forced || d->locked)
		report(d, d->loaded ? OK : WARN, "signing",
		    "%s: the kernel loads only signed modules%s",
		    boot > 0 ? "secure boot is on" :
		    forced ? "sig_enforce is set" : "the kernel is locked down",
		    d->loaded ? "; tapmod is loaded" :
		    "; sign tapmod.ko (DKMS does that) and enroll the key with 'mokutil --import /var/lib/dkms/mok.pub'");
	else
		report(d, OK, "signing", "%s: unsigned modules can be loaded",
		    boot == 0 ? "secure boot is off" : "no secure boot");
	if (!read_number("/proc/sys/kernel/tainted", &tainted) && tainted)
		report(d, OK, "taint",
		    "%ld%s%s (O: an out-of-tree module was loaded; E: an unsigned one)",
		    tainted, tainted >> 12 & 1 ? " O" : "",
		    tainted >> 13 & 1 ? " E" : "");
}

static const char *clock_name(__u32 clock)
{
	switch (clock) {
	case TAP_CLOCK_MONO:
		return "the kernel's monotonic clock";
	case TAP_CLOCK_TSC:
		return "the time stamp counter";
	case TAP_CLOCK_ARCH:
		return "the architecture's counter, read in order";
	}
	return "an unknown clock";
}

/**
 * struct feature - a type of probes that the module may lack on this kernel
 * @bit: TAP_FEATURE_*
 * @missing: the verdict without it
 * @what: the type
 * @yes: what it records
 * @no: why it is missing, and the remedy
 */
struct feature {
	__u64 bit;
	enum verdict missing;
	const char *what;
	const char *yes;
	const char *no;
};

static const struct feature features[] = {
	{ TAP_FEATURE_KPROBE, NO, "kprobe:",
	  "entries of functions, and single instructions",
	  "needs a kernel with CONFIG_KPROBES" },
	{ TAP_FEATURE_KRETPROBE, NO, "kretprobe:",
	  "returns of functions",
	  "needs a kernel with CONFIG_KRETPROBES" },
	{ TAP_FEATURE_CALL, NO, "call:",
	  "whole calls, with arguments, duration and return value",
	  "needs a kernel with CONFIG_KRETPROBES" },
	{ TAP_FEATURE_FUNCGRAPH, NO, "funcgraph:",
	  "calls as a graph: a record at the entry and one at the return",
	  "needs kernel 5.11 or newer; call: records the same calls, at their return" },
	{ TAP_FEATURE_FUNC, NO, "func:",
	  "entries of many functions at once, through ftrace",
	  "needs a kernel with CONFIG_DYNAMIC_FTRACE" },
	{ TAP_FEATURE_RAWTP, NO, "rawtracepoint:",
	  "tracepoints, with their raw arguments",
	  "needs a kernel with CONFIG_TRACEPOINTS" },
	{ TAP_FEATURE_TRACEPOINT, NO, "tracepoint:",
	  "tracepoints, with their fields by name",
	  "needs a kernel with CONFIG_PERF_EVENTS and CONFIG_EVENT_TRACING" },
	{ TAP_FEATURE_SYSCALL, NO, "syscall:",
	  "whole system calls, with arguments, duration and return value",
	  "needs a kernel whose tracepoints have the prototypes that tapmod knows" },
	{ TAP_FEATURE_UPROBE, NO, "uprobe:",
	  "functions and USDT probes of programs and libraries (with uretprobe:, ucall: and usdt:)",
	  "needs a kernel with CONFIG_UPROBES" },
	/* Without it, watchpoints can be counted but not recorded. */
	{ TAP_FEATURE_WATCHPOINT, WARN, "watchpoint:",
	  "memory that is written, read or executed, with its values",
	  "can only be counted (tap stat) on this CPU: it executes the watched instruction again after the trap" },
};

static void check_features(struct doctor *d)
{
	__u64 sources = TAP_FEATURE_KPROBE | TAP_FEATURE_KRETPROBE |
			TAP_FEATURE_CALL | TAP_FEATURE_RAWTP |
			TAP_FEATURE_TRACEPOINT | TAP_FEATURE_SYSCALL |
			TAP_FEATURE_UPROBE;
	const struct feature *f;
	size_t i;

	for (i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		f = &features[i];
		if (d->info.out_features & f->bit)
			report(d, OK, f->what, "%s", f->yes);
		else
			report(d, f->missing, f->what, "%s", f->no);
	}
	if (!(d->info.out_features & sources))
		report(d, FATAL, "sources", "this kernel supports no type of probe");
	if (d->info.out_features & TAP_FEATURE_RAW_CLOCK)
		report(d, OK, "clock", "%s, read directly%s",
		    clock_name(d->info.out_clock),
		    d->info.out_clock == TAP_CLOCK_TSC ?
		    "; events that follow each other on two CPUs by some nanoseconds may have their times the wrong way round, not with --clock ordered" : "");
	else
		report(d, WARN, "clock",
		    "%s: exact, but slower to read than the CPU's counter, which is not stable here ('dmesg | grep -i tsc' may say why)",
		    clock_name(d->info.out_clock));
}

static bool module_listed(void)
{
	return !access("/sys/module/tapmod", F_OK);
}

static void check_module(struct doctor *d)
{
	struct tap_session *session;
	struct tap_error err;
	char version[64];
	long disabled;
	int ret;

	ret = tap_session_open(&session, &err);
	if (ret == -ENOENT && module_listed()) {
		report(d, FATAL, "module",
		    "loaded, but %s does not exist: mount devtmpfs on /dev",
		    TAP_DEVICE);
		return;
	}
	if (ret) {
		report(d, FATAL, "module", "%s", err.text);
		if (ret == -ENOENT &&
		    !read_number("/proc/sys/kernel/modules_disabled",
				 &disabled) && disabled)
			report(d, FATAL, "modules",
			    "kernel.modules_disabled is set: no module can be loaded until the next boot");
		return;
	}
	ret = tap_session_info(session, &d->info);
	tap_session_close(session);
	if (ret) {
		report(d, FATAL, "module", "loaded, but it does not answer: %s",
		    strerror(-ret));
		return;
	}
	d->loaded = true;
	read_line("/sys/module/tapmod/version", version, sizeof(version));
	if (*version && strcmp(version, tap_version()))
		report(d, WARN, "module",
		    "version %s is loaded, this program has version %s; both use interface %u, but install them from one release",
		    version, tap_version(), d->info.out_api);
	else
		report(d, OK, "module",
		    "loaded, version %s, interface %u; up to %u probes a session",
		    *version ? version : "unknown", d->info.out_api,
		    d->info.out_max_probes);
	check_features(d);
}

/* How many processor counters a session could open now. */
/* The memory of rings, and of all sessions. */
static void check_memory(struct doctor *d)
{
	unsigned long long ring = tap_default_ring_bytes();
	unsigned long long max = d->info.out_memory_max, used = d->info.out_memory_used;
	unsigned long long need = ring * (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN);

	if (!d->loaded)
		return;
	report(d, used + need > max ? WARN : OK, "memory",
	       "a ring has %llu KiB for each CPU that is online, unless --ring is given; all sessions may take %llu MiB (module parameter memory_max) and take %llu MiB",
	       ring >> 10, max >> 20, used >> 20);
}

static void check_counters(struct doctor *d)
{
	struct tap_perf events[TAP_MAX_PMU];
	struct tap_session *session;
	int nr, ret = -ENOSPC;

	if (!d->loaded || !(d->info.out_features & TAP_FEATURE_PERF) ||
	    tap_session_open(&session, NULL))
		return;
	for (nr = 0; nr < TAP_MAX_PMU; nr++)
		tap_perf_parse("cycles", &events[nr], NULL);
	if (!tap_session_setup(session, NULL, NULL))
		for (; ret == -ENOSPC && nr; nr--)
			ret = tap_session_pmu(session, events, nr);
	tap_session_close(session);
	if (!ret)
		report(d, OK, "counters",
		    "of the processor and of the kernel; --pmu can use %d processor counters at once",
		    nr + 1);
	else if (ret == -ENOSPC)
		report(d, WARN, "counters",
		    "all processor counters are in use (by perf, or by the NMI watchdog: 'sysctl kernel.nmi_watchdog=0' frees one); kernel counters work");
	else
		report(d, WARN, "counters",
		    "no processor counters (a virtual machine without a PMU?); kernel counters work: page-faults, cpu-clock and others");
}

static void check_clocksource(struct doctor *d)
{
	char text[64];

	/* With the module loaded, check_features() prints its clock. */
	if (d->loaded)
		return;
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  text, sizeof(text));
	if (!strcmp(text, "tsc") || !strcmp(text, "arch_sys_counter"))
		report(d, OK, "clock", "the kernel uses %s, which tapmod can read directly", text);
	else
		report(d, WARN, "clock",
		    "the kernel uses %s: tapmod will use the kernel's clock, which is slower to read",
		    *text ? text : "an unknown clock");
}

static bool mounted(const char *type)
{
	char line[1024], found[64];
	bool any = false;
	FILE *f;

	f = fopen("/proc/mounts", "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %63s", found) == 1 &&
		    !strcmp(found, type))
			any = true;
	if (f)
		fclose(f);
	return any;
}

/* Whether a panic prints what --panic asks for: the kernel for crash dumps starts before. */
static void check_panic(struct doctor *d)
{
	long loaded;
	char after[8];

	read_number("/sys/kernel/kexec_crash_loaded", &loaded);
	read_line("/sys/module/kernel/parameters/crash_kexec_post_notifiers", after, sizeof(after));
	if (!loaded)
		report(d, OK, "panic", "no kernel for crash dumps is loaded: --panic prints");
	else if (*after == 'Y')
		report(d, OK, "panic",
		       "--panic prints before the kernel for crash dumps is started");
	else
		report(d, WARN, "panic",
		       "--panic prints nothing, as a kernel for crash dumps is loaded: 'tap report --vmcore' reads the dump; or boot with crash_kexec_post_notifiers");
}

static void check_filesystems(struct doctor *d)
{
	if (mounted("debugfs"))
		report(d, OK, "debugfs", "mounted");
	else
		report(d, WARN, "debugfs",
		    "not mounted: the list of functions that must not be probed cannot be read; 'mount -t debugfs none %s'",
		    DEBUGFS);
	if (mounted("tracefs"))
		report(d, OK, "tracefs", "mounted");
	else
		report(d, WARN, "tracefs",
		    "not mounted: tracepoint: and argument names of syscall: need it; 'mount -t tracefs nodev /sys/kernel/tracing'");
}

static void check_symbols(struct doctor *d)
{
	struct tap_symbols *syms;
	struct tap_error err;
	long restricted = 0;

	read_number("/proc/sys/kernel/kptr_restrict", &restricted);
	syms = tap_symbols_load(&err);
	if (!syms || syms->unreadable) {
		report(d, WARN, "kallsyms", "%s", err.text);
		goto out;
	}
	if (!syms->nr) {
		report(d, WARN, "kallsyms",
		    "/proc/kallsyms lists no functions (CONFIG_KALLSYMS): names are not checked, and globs do not work");
		goto out;
	}
	if (syms->addresses)
		report(d, OK, "kallsyms",
		    "%zu functions with addresses, %zu tracepoints",
		    syms->counts[TAP_SYMBOL_OK], syms->nr_tracepoints);
	else
		report(d, WARN, "kallsyms",
		    "%zu functions and %zu tracepoints, but addresses are hidden, so a trace cannot name addresses: %s",
		    syms->counts[TAP_SYMBOL_OK], syms->nr_tracepoints,
		    restricted == 2 ?
		    "'sysctl kernel.kptr_restrict=1' shows them to root" :
		    "run tap as root, or with CAP_SYSLOG");
	switch (syms->blacklist) {
	case TAP_BLACKLIST_KERNEL:
		report(d, OK, "blacklist",
		    "%zu functions must not be probed, according to the kernel",
		    syms->counts[TAP_SYMBOL_BLACKLISTED]);
		break;
	case TAP_BLACKLIST_SECTIONS:
		report(d, WARN, "blacklist",
		    "%s/kprobes/blacklist cannot be read (%s): %zu functions are known from the kernel's sections; the kernel refuses probes in the others",
		    DEBUGFS, strerror(syms->blacklist_unreadable),
		    syms->counts[TAP_SYMBOL_BLACKLISTED]);
		break;
	case TAP_BLACKLIST_NONE:
		report(d, WARN, "blacklist",
		    "%s/kprobes/blacklist cannot be read (%s): the kernel refuses probes where they are not possible",
		    DEBUGFS, strerror(syms->blacklist_unreadable));
		break;
	}
out:
	report(d, OK, "kptr_restrict", "%ld%s", restricted,
	    restricted == 2 ? ": addresses are hidden even from root" : "");
	tap_symbols_free(syms);
}

static void check_kprobes(struct doctor *d)
{
	long value;
	int ret;

	ret = read_number(DEBUGFS "/kprobes/enabled", &value);
	if (!ret && value)
		report(d, OK, "kprobes", "enabled");
	else if (!ret)
		report(d, FATAL, "kprobes",
		    "disabled: no probe in a kernel function fires; 'echo 1 > %s/kprobes/enabled'",
		    DEBUGFS);
	else
		report(d, OK, "kprobes",
		    "%s/kprobes/enabled cannot be read (%s); they are enabled by default",
		    DEBUGFS, strerror(-ret));
	if (!read_number("/proc/sys/debug/kprobes-optimization", &value)) {
		if (value)
			report(d, OK, "kprobes-jump",
			    "probes use jumps where possible");
		else
			report(d, WARN, "kprobes-jump",
			    "each event takes a trap, which is slower than a jump; 'sysctl debug.kprobes-optimization=1'");
	}
	if (!read_number("/proc/sys/kernel/ftrace_enabled", &value) && !value)
		report(d, WARN, "ftrace",
		    "disabled: probes at the start of functions may not fire; 'sysctl kernel.ftrace_enabled=1'");
}

static void check_perf(struct doctor *d)
{
	long value;

	if (!read_number("/proc/sys/kernel/perf_event_paranoid", &value))
		report(d, OK, "perf_paranoid",
		    "%ld; tapmod does not use it, but checks CAP_PERFMON", value);
}

/* The common counters that the processor has, in use or free. */
static void check_hardware(struct doctor *d)
{
	static const char *const usual[] = {
		"cycles", "instructions", "branches", "branch-misses",
		"cache-references", "cache-misses", "ref-cycles",
	};
	char there[128] = "";
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!counter_there(usual[i]))
			snprintf(there + strlen(there),
				 sizeof(there) - strlen(there), "%s%s",
				 *there ? ", " : "", usual[i]);
	if (*there)
		report(d, OK, "hardware", "%s; 'tap list counters' lists all",
		    there);
}

static void check_btf(struct doctor *d)
{
	if (!access(VMLINUX_BTF, R_OK))
		report(d, OK, "BTF", "available: arguments and members have their names");
	else
		report(d, WARN, "BTF",
		    "not available (CONFIG_DEBUG_INFO_BTF): use $arg1 to $arg6 and registers instead of argument names");
}

static void check_module_names(const char *module, bool known, void *arg)
{
	struct tap_types *types = known ? NULL : tap_types_new();
	struct tap_error err = { 0 };
	struct tap_dwarf *dwarf;
	bool old = kernel_before(5, 11), pahole = !old && !access(VMLINUX_BTF, R_OK);
	struct doctor *d = arg;
	char what[80];

	snprintf(what, sizeof(what), "BTF:%s", module);
	if (known)
		report(d, OK, what, "available: its arguments and members have their names");
	else if (types && !tap_dwarf_find_module(types, module, &dwarf, &err))
		report(d, OK, what,
		    "not available; names come from its debug information, %s",
		    tap_dwarf_path(dwarf));
	else if (err.code == -ESTALE)
		report(d, WARN, what, "not available: %s", err.text);
	else
		report(d, WARN, what, "not available%s, and no debug information (DWARF) was found: build the module with CONFIG_DEBUG_INFO, and have DKMS keep it (STRIP[0]=\"no\" in dkms.conf), or use --debug%s%s%s",
		    old ? " (kernels before 5.11 read no BTF of modules)" : "",
		    pahole ? "; or add BTF to the file before loading the module: LLVM_OBJCOPY=objcopy pahole -J --btf_base " VMLINUX_BTF " " : "",
		    pahole ? module : "", pahole ? ".ko (package pahole or dwarves)" : "");
	tap_types_free(types);
}

static void check_modules(struct doctor *d)
{
	doctor_modules(check_module_names, d);
}

static int examine(struct doctor *d)
{
	check_kernel(d);
	check_cpus(d);
	check_privilege(d);
	check_module(d);
	check_memory(d);
	check_counters(d);
	check_clocksource(d);
	check_lockdown(d);
	check_signing(d);
	check_kprobes(d);
	check_symbols(d);
	check_panic(d);
	check_filesystems(d);
	check_perf(d);
	check_hardware(d);
	check_btf(d);
	check_modules(d);
	return *d->fatal ? TOOL_FAILED : 0;
}

/**
 * cmd_doctor() - tap doctor
 * @argc: of the command
 * @argv: of the command
 *
 * Return: exit status; 0 if tapmod can trace here, 1 if not.
 */
int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "selftest", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct doctor d = { 0 };
	bool selftest = false;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (opt) {
		case 'j':
			d.json = true;
			break;
		case 's':
			selftest = true;
			break;
		case 'h':
			fputs("usage: tap doctor [--selftest] [--json]\n\n"
			      "Checks what tapmod can do on this kernel, and prints what prevents more.\n"
			      "Exit status 0: tapmod can trace here.\n\n"
			      "options:\n"
			      "      --selftest           probe events whose number is known, and compare\n"
			      "      --json               print one JSON object\n"
			      "      --help               print this help\n", stdout);
			return 0;
		default:
			fputs("'tap doctor --help' shows the options\n",
			      stderr);
			return TOOL_USAGE;
		}
	}
	if (optind < argc) {
		tool_error("doctor takes no argument \"%s\"", argv[optind]);
		return TOOL_USAGE;
	}
	if (selftest)
		return selftest_run(d.json, counter_there);
	if (d.json)
		fputs("{\"checks\":[", stdout);
	ret = examine(&d);
	if (d.json)
		printf("],\"can_trace\":%s}\n", ret ? "false" : "true");
	else if (ret)
		printf("\ntapmod cannot trace here. %s\n", d.fatal);
	else
		puts("\ntapmod can trace here.");
	return ret;
}
