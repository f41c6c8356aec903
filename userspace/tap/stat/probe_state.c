// SPDX-License-Identifier: GPL-2.0
/*
 * The one table of states, for tap monitor and for the summary of a run.
 */
#include "stat/probe_state.h"

static const struct {
	const char *name;
	const char *reason;
} states[] = {
	[TAP_STATE_DISABLED] = { "disabled", NULL },
	[TAP_STATE_ENABLED]  = { "enabled", NULL },
	[TAP_STATE_WAITING]  = { "waiting", NULL },
	[TAP_STATE_GONE]     = { "gone", "its module was unloaded" },
	[TAP_STATE_FAILED]   = { "failed",
				 "it could not be armed when its module was loaded, or after a pause of the budget" },
};

static bool is_known(__u32 state)
{
	return state < sizeof(states) / sizeof(states[0]);
}

const char *probe_state_name(__u32 state)
{
	return is_known(state) ? states[state].name : "?";
}

const char *probe_state_reason(__u32 state)
{
	return is_known(state) ? states[state].reason : NULL;
}
