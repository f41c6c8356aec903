// SPDX-License-Identifier: LGPL-2.1
/*
 * What follows from the type of a probe.
 */
#include "spec/probe_type.h"

bool tap_probe_is_call(enum tap_probe_type type)
{
	return type == TAP_PROBE_CALL || type == TAP_PROBE_SYSCALL ||
	       type == TAP_PROBE_UCALL || type == TAP_PROBE_FUNCGRAPH;
}

/**
 * tap_probe_is_return() - whether a type of probe fires at the return of a function only
 * @type: event source
 *
 * Return: true for kretprobe and uretprobe.
 */
bool tap_probe_is_return(enum tap_probe_type type)
{
	return type == TAP_PROBE_KRETPROBE || type == TAP_PROBE_URETPROBE;
}

bool tap_probe_is_user(enum tap_probe_type type)
{
	return type == TAP_PROBE_UPROBE || type == TAP_PROBE_URETPROBE ||
	       type == TAP_PROBE_UCALL || type == TAP_PROBE_USDT ||
	       type == TAP_PROBE_USER_WATCH;
}

/**
 * tap_probe_is_watch() - whether a type is of watchpoints
 * @type: event source
 *
 * Return: true for those in the kernel and in programs.
 */
bool tap_probe_is_watch(enum tap_probe_type type)
{
	return type == TAP_PROBE_WATCHPOINT || type == TAP_PROBE_USER_WATCH;
}

const char *tap_spec_type_name(enum tap_probe_type type)
{
	switch (type) {
	case TAP_PROBE_KPROBE:
		return "kprobe";
	case TAP_PROBE_KRETPROBE:
		return "kretprobe";
	case TAP_PROBE_CALL:
		return "call";
	case TAP_PROBE_RAWTP:
		return "rawtracepoint";
	case TAP_PROBE_TRACEPOINT:
		return "tracepoint";
	case TAP_PROBE_SYSCALL:
		return "syscall";
	case TAP_PROBE_UPROBE:
		return "uprobe";
	case TAP_PROBE_URETPROBE:
		return "uretprobe";
	case TAP_PROBE_UCALL:
		return "ucall";
	case TAP_PROBE_USDT:
		return "usdt";
	case TAP_PROBE_EVENT:
		return "event";
	case TAP_PROBE_WATCHPOINT:
	case TAP_PROBE_USER_WATCH:
		return "watchpoint";
	case TAP_PROBE_COUNT:
		return "count";
	case TAP_PROBE_MARK:
		return "mark";
	case TAP_PROBE_FUNC:
		return "func";
	case TAP_PROBE_FUNCGRAPH:
		return "funcgraph";
	case TAP_PROBE_SPAN:
		return "span";
	}
	return "?";
}
