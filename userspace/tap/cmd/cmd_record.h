/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording to a file, for tap record and for commands that need the file themselves.
 */
#ifndef _TOOL_CMD_CMD_RECORD_H
#define _TOOL_CMD_CMD_RECORD_H

#include "run/options.h"

/**
 * struct record_watch - who looks at the events of a run while they are recorded
 * @open: called before the probes are enabled; both tables stay until the run ends. 0 or -errno
 * @event: gets each event, decoded and by time. NULL: events are not looked at, which is cheaper
 * @seen: all events up to this raw time were given. Called after each round, and at least each
 *	tenth of a second; NULL if @event is
 * @close: the tables are gone afterwards. Called once, even if @open was not, or failed
 * @arg: handed to all four
 *
 * @event and @seen return 0; 1 if the run is to end; or -errno.
 */
struct record_watch {
	int (*open)(void *arg, const struct tap_probes *probes,
		    const struct tap_timebase *timebase, struct tap_error *err);
	int (*event)(void *arg, const struct tap_event *ev);
	int (*seen)(void *arg, __u64 raw);
	void (*close)(void *arg);
	void *arg;
};

/**
 * record_run() - what tap record does
 * @opts: the command line
 * @temporary: the file in place of that of -o; its name is not printed. NULL: that of -o
 * @watch: looks at the events; NULL: nobody does
 * @argc: of the command, for the file
 * @argv: likewise
 *
 * Return: exit status.
 */
int record_run(const struct options *opts, const char *temporary,
	       const struct record_watch *watch, int argc, char **argv);

#endif /* _TOOL_CMD_CMD_RECORD_H */
