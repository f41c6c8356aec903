// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel modules that are loaded or unloaded during a run, from the uevents that
 * the kernel sends to udev. Addresses in a module can be named only while it is
 * loaded.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "run/run.h"

/* The group of the kernel; udev sends to another one. */
#define KERNEL_GROUP	1

/* Without the socket, or in another network namespace, nothing is reported. */
void run_modules_open(struct run *run)
{
	struct sockaddr_nl addr = {
		.nl_family = AF_NETLINK,
		.nl_groups = KERNEL_GROUP,
	};

	run->modules = socket(AF_NETLINK,
			      SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      NETLINK_KOBJECT_UEVENT);
	if (run->modules >= 0 &&
	    bind(run->modules, (struct sockaddr *)&addr, sizeof(addr)))
		run_modules_close(run);
}

/* "add@/module/NAME" or "remove@/module/NAME"; what follows repeats it. */
static bool parse(const char *text, struct run_module *module)
{
	static const char came[] = "add@/module/", went[] = "remove@/module/";
	const char *name;

	module->gone = !strncmp(text, went, sizeof(went) - 1);
	if (!module->gone && strncmp(text, came, sizeof(came) - 1))
		return false;
	name = text + (module->gone ? sizeof(went) : sizeof(came)) - 1;
	if (!*name || strchr(name, '/') || strlen(name) >= sizeof(module->name))
		return false;
	strcpy(module->name, name);
	return true;
}

void run_check_builds(struct run *run)
{
	struct tap_error err;
	int i = 0;

	while (i < run->nr_builds) {
		if (!tap_dwarf_check_build(&run->builds[i], &err)) {
			i++;
			continue;
		}
		tool_error("%s", err.text);
		run->builds[i] = run->builds[--run->nr_builds];
	}
}

bool run_modules_next(struct run *run, struct run_module *module)
{
	struct sockaddr_nl from;
	char text[8192];
	socklen_t len;
	ssize_t n;

	while (run->modules >= 0) {
		len = sizeof(from);
		n = recvfrom(run->modules, text, sizeof(text) - 1, 0,
			     (struct sockaddr *)&from, &len);
		if (n < 0 && errno == ENOBUFS) {
			run->modules_lost = true;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		text[n] = '\0';
		/* Only messages of the kernel have port 0. */
		if (len != sizeof(from) || from.nl_pid || !parse(text, module))
			continue;
		if (!module->gone)
			run_check_builds(run);
		return true;
	}
	return false;
}

void run_modules_reload(struct run *run)
{
	struct tap_symbols *syms;
	struct run_module module;
	bool came = false, lost = run->modules_lost;

	while (run_modules_next(run, &module))
		came |= !module.gone;
	came |= run->modules_lost && !lost;
	syms = came && run->syms ? tap_symbols_cached(NULL) : NULL;
	if (!syms)
		return;
	tap_symbols_free(run->syms);
	run->syms = syms;
}

void run_modules_close(struct run *run)
{
	if (run->modules_lost && run->syms)
		tool_error("the kernel did not report all modules that were loaded or unloaded: names of their functions may be missing");
	run->modules_lost = false;
	if (run->modules >= 0)
		close(run->modules);
	run->modules = -1;
}
