// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the events of a command: those of the command line, and those that tap why -m and
 * tap blame add. Built with sanitizers.
 */
#include <stdlib.h>

#include "run/options.h"
#include "selftests/lib/check.h"

#define ADDED	100

int main(void)
{
	char *texts[ADDED], names[ADDED][8];
	/* As options_parse() makes them for "why -m drv". */
	struct options o = {
		.events = calloc(4, sizeof(*o.events)), .verdict = calloc(4, sizeof(*o.verdict)),
		.trigger = calloc(4, sizeof(*o.trigger)), .nr_events = 1,
	};
	bool good = true;
	size_t i;

	o.events[0] = "its own";
	o.verdict[0] = true;
	o.trigger[0] = true;
	for (i = 0; i < ADDED; i++) {
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		texts[i] = names[i];
	}
	ok(!options_add_events(&o, texts, ADDED) && o.nr_events == ADDED + 1, "events are added");
	ok(o.verdict[0] && o.trigger[0], "those of the command line are as they were");
	for (i = 0; i < ADDED; i++)
		good &= o.events[i + 1] == texts[i] && !o.verdict[i + 1] && !o.trigger[i + 1];
	ok(good, "those that were added are neither of --keep nor of --when");
	o.nr_events = 0;
	ok(!options_add_events(&o, texts, 1) && o.nr_events == 1 && !o.verdict[0] && !o.trigger[0],
	   "an event in place of those");
	o.nr_events = 0;
	ok(!options_add_events(&o, texts, 0) && !o.nr_events, "no event");
	options_free(&o);
	return check_end();
}
