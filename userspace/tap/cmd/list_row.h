/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of tap list.
 */
#ifndef _TOOL_CMD_LIST_ROW_H
#define _TOOL_CMD_LIST_ROW_H

/**
 * list_row() - print an event in the form that -e takes, with colours on a terminal
 * @type: e.g. "kprobe"; or ""
 * @where: module, subsystem or program, with a colon at its end; or ""
 * @name: with quotes if -e needs them
 * @remark: printed behind a #, in a column of its own; or NULL
 */
void list_row(const char *type, const char *where, const char *name, const char *remark);

#endif /* _TOOL_CMD_LIST_ROW_H */
