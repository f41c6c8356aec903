/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the states that a probe can have.
 */
#ifndef _TOOL_STAT_PROBE_STATE_H
#define _TOOL_STAT_PROBE_STATE_H

#include "tool.h"

/**
 * probe_state_name() - one word for a state, as tap monitor prints it
 * @state: enum tap_probe_state, from the module or from a file
 *
 * Return: the word; "?" for a state of a later version.
 */
const char *probe_state_name(__u32 state);

/**
 * probe_state_reason() - why a probe in this state records nothing any more
 * @state: enum tap_probe_state, from the module or from a file
 *
 * Such a probe is always printed, even where probes without hits are left out.
 *
 * Return: the reason, as it follows the verdict in a summary; or NULL.
 */
const char *probe_state_reason(__u32 state);

#endif /* _TOOL_STAT_PROBE_STATE_H */
