/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sessions in the memory of a dead machine, as trace files.
 */
#ifndef _TOOL_VMCORE_H
#define _TOOL_VMCORE_H

#include "tool.h"

/**
 * struct vmcore - a session of a dump
 * @about: about it
 * @path: the trace file that was made of it; allocated
 * @temporary: nobody asked for the file
 */
struct vmcore {
	struct tap_dump_session about;
	char *path;
	bool temporary;
};

/**
 * vmcore_open() - make a trace file of a session of a dump
 * @core: filled in; for vmcore_close(), also after a failure
 * @dump: the dump
 * @id: of the session; 0: the only one
 * @output: the trace file; NULL: a temporary one
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int vmcore_open(struct vmcore *core, const char *dump, __u32 id, const char *output,
		struct tap_error *err);

/**
 * vmcore_print() - print to standard error what the rings contained
 * @core: an open one
 * @lost: events that the records say were lost
 *
 * Return: whether all rings were whole; else a message was printed.
 */
bool vmcore_print(const struct vmcore *core, __u64 lost);

/**
 * vmcore_close() - remove the trace file if it is a temporary one
 * @core: all zero, or of vmcore_open()
 */
void vmcore_close(struct vmcore *core);

#endif /* _TOOL_VMCORE_H */
