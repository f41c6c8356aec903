/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap export: one reader of trace files, and a writer for each format.
 */
#ifndef _TOOL_EXPORT_EXPORT_H
#define _TOOL_EXPORT_EXPORT_H

#include "export/json.h"
#include "export/out.h"
#include "tool.h"

/* The members of a line of tap report --json, in their order there. */
enum row_member {
	ROW_TYPE,
	ROW_TIME,
	ROW_TIME_NS,
	ROW_CPU,
	ROW_COMM,
	ROW_TID,
	ROW_PID,
	ROW_EVENT,
	ROW_TEXT,
	ROW_CALL,
	ROW_DEPTH,
	ROW_DURATION_NS,
	ROW_RET,
	ROW_ARGS,
	ROW_FLAGS,
	ROW_LOST,
	ROW_TOTAL,
	ROW_WHAT,
	ROW_SINCE,
	ROW_COUNT,
	ROW_SIZE,
	NR_ROW_MEMBERS,
};

extern const char *const row_member_names[NR_ROW_MEMBERS];

/**
 * struct row - an event, a loss or a notice
 * @ev: its record
 * @line: the whole line, without the newline
 * @member: its members; those that the line does not have are without text
 */
struct row {
	const struct tap_event *ev;
	struct json line;
	struct json member[NR_ROW_MEMBERS];
};

/* Ids of probes that a record can have. */
#define EXPORT_IDS	65536

/**
 * struct export - a trace file that becomes another one
 * @path: of the file
 * @to: the format
 * @quiet: print no totals
 * @wanted: by id of a probe: whether its events are exported
 * @probes: of the file
 * @file: the file
 * @out: where to
 * @state: of the format; of its begin()
 */
struct export {
	const char *path;
	const struct export_format *to;
	bool quiet;
	bool wanted[EXPORT_IDS];
	const struct tap_probes *probes;
	struct tap_file_reader *file;
	struct out out;
	void *state;
};

/**
 * struct export_format - a format
 * @name: as --to takes it
 * @binary: it is not for a terminal
 * @directory: it is a directory, which begin() or row() makes at @inside of the output
 * @stacks: it has stacks alone
 * @windows: it has rows for the windows of a flight recorder
 * @begin: allocates the state and writes what precedes all rows; returns 0 or -errno
 * @row: writes a row; returns 0 or -errno
 * @end: writes what follows all rows, and may print what is missing; returns 0 or -errno; may be
 * NULL
 * @free: frees the state, which may be NULL; may be NULL
 */
struct export_format {
	const char *name;
	bool binary;
	bool directory;
	bool stacks;
	bool windows;
	int (*begin)(struct export *x);
	int (*row)(struct export *x, const struct row *row);
	int (*end)(struct export *x);
	void (*free)(struct export *x);
};

extern const struct export_format export_ctf, export_json, export_perfetto, export_pprof, export_tsv;

/* Whether events of a probe are exported. */
static inline bool export_wants(const struct export *x, const struct tap_probe *probe)
{
	return tap_probe_id(probe) < EXPORT_IDS && x->wanted[tap_probe_id(probe)];
}

/**
 * export_format() - find a format
 * @name: as typed
 *
 * Return: the format, or NULL after an error message that names all.
 */
const struct export_format *export_format(const char *name);

/**
 * export_run() - export a file
 * @x: with @path, @to, @wanted, @probes and @file
 * @output: as for out_open()
 *
 * Return: exit status. A signal that ends the export ends the process, after the output was
 * removed.
 */
int export_run(struct export *x, const char *output);

#endif /* _TOOL_EXPORT_EXPORT_H */
