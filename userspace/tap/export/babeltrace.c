// SPDX-License-Identifier: GPL-2.0
/*
 * Loads libbabeltrace2.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "export/babeltrace.h"
#include "tool.h"

#define LIBRARY	"libbabeltrace2.so.0"

static const struct {
	const char *name;
	size_t member;
} functions[] = {
#define BABELTRACE_ENTRY(type, name, parameters)	\
	{ "bt_" #name, offsetof(struct babeltrace, name) },
	BABELTRACE_FUNCTIONS(BABELTRACE_ENTRY)
};

/* It stays loaded: its memory of each thread would outlive it. */
bool babeltrace_load(struct babeltrace *bt)
{
	const char *why;
	void *function;
	size_t i;

	bt->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!bt->handle) {
		why = dlerror();
		if (why)
			tool_error("--to ctf: %s; in Debian: apt install libbabeltrace2-0", why);
		else
			tool_error("--to ctf: a static tap cannot load " LIBRARY "; use one that is linked with shared libraries");
		return false;
	}
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(bt->handle, functions[i].name);
		if (!function) {
			tool_error("--to ctf: %s has no %s(); a version from 2.0 on is needed", LIBRARY,
				   functions[i].name);
			return false;
		}
		memcpy((char *)bt + functions[i].member, &function, sizeof(function));
	}
	return true;
}

void babeltrace_error(const struct babeltrace *bt)
{
	const struct bt_error *error = bt->current_thread_take_error();

	if (!error)
		return;
	/* The first cause is the innermost one. */
	tool_error("libbabeltrace2: %s",
		   bt->error_cause_get_message(bt->error_borrow_cause_by_index(error, 0)));
	bt->error_release(error);
}
