// SPDX-License-Identifier: GPL-2.0
/*
 * The machine: what of it a report needs, and nothing that names it or its owner.
 */
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "selftest/selftest.h"

#define MAX_CPUS	8192

/* The first line of a file; false, and an empty text, if it cannot be read. */
bool machine_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	bool read;

	*text = '\0';
	if (!f)
		return false;
	read = fgets(text, (int)size, f);
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return read;
}

__u64 machine_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * 1000000000ULL + (__u64)ts.tv_nsec;
}

/* Of all threads of this process, nanoseconds. */
__u64 machine_cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (__u64)ts.tv_sec * 1000000000ULL + (__u64)ts.tv_nsec;
}

/* --------------------------------------------------------------------- CPUs */

/* The CPUs that this process may use; they are online. Returns 0 or -errno. */
int machine_cpus(struct selftest *st)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	int cpu;

	st->cpus = calloc(MAX_CPUS, sizeof(*st->cpus));
	if (set && st->cpus && !sched_getaffinity(0, size, set))
		for (cpu = 0; cpu < MAX_CPUS; cpu++)
			if (CPU_ISSET_S((size_t)cpu, size, set))
				st->cpus[st->nr_cpus++] = cpu;
	CPU_FREE(set);
	return st->nr_cpus ? 0 : -1;
}

/* Moves this thread to a CPU. */
bool machine_pin(const struct selftest *st, int cpu)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	bool moved = false;

	(void)st;
	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)cpu, size, set);
		moved = !sched_setaffinity(0, size, set);
	}
	CPU_FREE(set);
	return moved;
}

/* Lets this thread run where the process could when it was started. */
void machine_unpin(const struct selftest *st)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	unsigned int i;

	if (set) {
		CPU_ZERO_S(size, set);
		for (i = 0; i < st->nr_cpus; i++)
			CPU_SET_S((size_t)st->cpus[i], size, set);
		sched_setaffinity(0, size, set);
	}
	CPU_FREE(set);
}

/* -------------------------------------------------------------- description */

/* A field of the first processor in /proc/cpuinfo, "" if there is none. */
static void cpuinfo(const char *field, char *text, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	/* The flags of a processor are a long line. */
	char line[8192], *colon;

	*text = '\0';
	while (f && !*text && fgets(line, sizeof(line), f)) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, field, strlen(field)) ||
		    !strchr(" \t:", line[strlen(field)]))
			continue;
		colon += 1 + (colon[1] == ' ');
		snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
	}
	if (f)
		fclose(f);
}

static bool has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);
	const char *at = flags;

	for (; (at = strstr(at, flag)); at += len)
		if ((at == flags || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static void describe_cpu(char *text, size_t size)
{
	static const char *const fields[] = {
		"model name", "cpu family", "model", "stepping", "microcode",
		"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision",
	};
	char value[128];
	size_t i, len = 0;

	*text = '\0';
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && len < size; i++) {
		cpuinfo(fields[i], value, sizeof(value));
		if (*value)
			len += snprintf(text + len, size - len, "%s%s%s%s", len ? ", " : "",
					i ? fields[i] : "", i ? " " : "", value);
	}
}

static void describe_clock(const struct selftest *st, char *text, size_t size)
{
	static const char *const flags[] = {
		"tsc", "constant_tsc", "nonstop_tsc", "tsc_adjust", "tsc_known_freq",
		"tsc_reliable", "rdtscp",
	};
	static const char *const clocks[] = {
		[TAP_CLOCK_MONO] = "CLOCK_MONOTONIC",
		[TAP_CLOCK_TSC] = "the time stamp counter",
		[TAP_CLOCK_ARCH] = "the architecture's counter",
		[TAP_CLOCK_TSC_ORDERED] = "the time stamp counter, read in order",
	};
	char source[64], have[8192];
	size_t i, len;

	machine_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		     sizeof(source));
	cpuinfo("flags", have, sizeof(have));
	len = snprintf(text, size, "sessions use %s, clocksource %s",
		       st->info.out_clock < sizeof(clocks) / sizeof(clocks[0]) &&
		       clocks[st->info.out_clock] ? clocks[st->info.out_clock] : "?",
		       *source ? source : "?");
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]) && *have && len < size; i++)
		len += snprintf(text + len, size - len, ", %s%s",
				has_flag(have, flags[i]) ? "" : "no ", flags[i]);
}

/* The hypervisor's name for itself; DMI of a virtual machine has no private data either. */
static void describe_hypervisor(char *text, size_t size)
{
#if defined(__x86_64__)
	unsigned int a, b, c, d;
	char name[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31 & 1)) {
		snprintf(text, size, "none that the processor tells of");
		return;
	}
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
	for (a = 0; name[a]; a++)
		if (name[a] < ' ' || name[a] > '~')
			name[a] = '?';
	snprintf(text, size, "a virtual machine, \"%s\"", name);
#else
	char name[64];

	if (machine_line("/sys/hypervisor/type", name, sizeof(name)) ||
	    machine_line("/proc/device-tree/hypervisor/compatible", name, sizeof(name)) ||
	    (machine_line("/sys/class/dmi/id/sys_vendor", name, sizeof(name)) &&
	     !strcmp(name, "QEMU")))
		snprintf(text, size, "a virtual machine, \"%s\"", name);
	else
		snprintf(text, size, "none that was found");
#endif
}

static void describe_pmus(char *text, size_t size)
{
	DIR *dir = opendir("/sys/bus/event_source/devices");
	const struct dirent *entry;
	size_t len = 0;

	*text = '\0';
	while (dir && len < size && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			len += snprintf(text + len, size - len, "%s%s", len ? " " : "",
					entry->d_name);
	if (dir)
		closedir(dir);
}

/* Usual counters, and how many of one kind a session can have at once. */
static void describe_counters(const struct selftest *st, char *text, size_t size)
{
	static const char *const usual[] = {
		"cycles", "instructions", "branches", "branch-misses", "cache-references",
		"cache-misses", "ref-cycles",
	};
	struct tap_session_opts opts = {
		.size = sizeof(opts), .ring_bytes = rig_ring_bytes(st, 0),
	};
	struct tap_perf events[TAP_MAX_PMU];
	struct tap_session *session;
	size_t i, len = 0;
	char nmi[8];
	__u32 nr;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]) && len < size; i++)
		if (!st->counter_there(usual[i]))
			len += snprintf(text + len, size - len, "%s%s", len ? ", " : "", usual[i]);
	if (!len) {
		snprintf(text, size, "none of the processor");
		return;
	}
	for (nr = 0; nr < TAP_MAX_PMU; nr++)
		tap_perf_parse("cycles", &events[nr], NULL);
	if (!tap_session_open(&session, NULL)) {
		if (!tap_session_setup(session, &opts, NULL))
			while (nr && tap_session_pmu(session, events, nr))
				nr--;
		tap_session_close(session);
	}
	machine_line("/proc/sys/kernel/nmi_watchdog", nmi, sizeof(nmi));
	if (len < size)
		snprintf(text + len, size - len, "; at once: %u%s; NMI watchdog %s", nr,
			 nr == TAP_MAX_PMU ? " or more" : "", *nmi == '1' ? "on" : "off");
}

static void describe_kernel(char *text, size_t size)
{
	struct utsname u;

	uname(&u);
	/* Not /proc/version: it has the user and the host of the build. */
	snprintf(text, size, "%s %s %s", u.release, u.machine, u.version);
}

static void describe_settings(char *text, size_t size)
{
	static const struct {
		const char *name;
		const char *path;
	} settings[] = {
		{ "tainted", "/proc/sys/kernel/tainted" },
		{ "kptr_restrict", "/proc/sys/kernel/kptr_restrict" },
		{ "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid" },
		{ "kprobes-optimization", "/proc/sys/debug/kprobes-optimization" },
		{ "lockdown", "/sys/kernel/security/lockdown" },
	};
	char value[64];
	size_t i, len;

	len = snprintf(text, size, "BTF %s",
		       access("/sys/kernel/btf/vmlinux", R_OK) ? "no" : "yes");
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]) && len < size; i++)
		if (machine_line(settings[i].path, value, sizeof(value)))
			len += snprintf(text + len, size - len, ", %s %s", settings[i].name, value);
}

/* Calls item for each line of the description. */
void machine_describe(struct selftest *st, void (*item)(void *arg, const char *name,
							const char *text),
		      void *arg)
{
	char text[600], possible[128], online[128], version[64];

	machine_line("/sys/module/tapmod/version", version, sizeof(version));
	snprintf(text, sizeof(text), "tap %s, module %s, interface %u, features %#llx",
		 tap_version(), *version ? version : "?", st->info.out_api,
		 (unsigned long long)st->info.out_features);
	item(arg, "tapmod", text);
	describe_kernel(text, sizeof(text));
	item(arg, "kernel", text);
	describe_cpu(text, sizeof(text));
	item(arg, "processor", text);
	machine_line("/sys/devices/system/cpu/possible", possible, sizeof(possible));
	machine_line("/sys/devices/system/cpu/online", online, sizeof(online));
	snprintf(text, sizeof(text), "online %s, possible %s, usable here %u, rings %u", online,
		 possible, st->nr_cpus, st->info.out_nr_rings);
	item(arg, "cpus", text);
	describe_clock(st, text, sizeof(text));
	item(arg, "clock", text);
	describe_hypervisor(text, sizeof(text));
	item(arg, "hypervisor", text);
	describe_pmus(text, sizeof(text));
	item(arg, "pmus", text);
	describe_counters(st, text, sizeof(text));
	item(arg, "counters", text);
	describe_settings(text, sizeof(text));
	item(arg, "settings", text);
}
