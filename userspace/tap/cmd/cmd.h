/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands: each is a main() with argv[0] "tap COMMAND", and returns the exit status.
 */
#ifndef _TOOL_CMD_CMD_H
#define _TOOL_CMD_CMD_H

int cmd_trace(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif /* _TOOL_CMD_CMD_H */
