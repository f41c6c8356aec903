// SPDX-License-Identifier: GPL-2.0
/*
 * tap dump: asks the flight recorder of another process for a window.
 */
#include <string.h>

#include "cmd/cmd.h"
#include "run/option_value.h"

static const char help[] =
	"usage: tap dump SESSION\n\n"
	"Asks 'tap record --flight' for a window, as an event of --when does. SESSION is\n"
	"the number that 'tap monitor' prints. Needs root. SIGUSR1 to the recorder does\n"
	"the same.\n\n"
	"options:\n"
	"      --help               print this help\n";

int cmd_dump(int argc, char **argv)
{
	struct tap_netlink *nl = NULL;
	struct tap_error err;
	__u32 session;
	int ret;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(help, stdout);
		return 0;
	}
	if (argc != 2) {
		tool_error("give the number of one session; 'tap monitor --once' lists them");
		return TOOL_USAGE;
	}
	ret = option_number("SESSION", argv[1], 1, INT32_MAX, &session);
	if (ret >= 0)
		return ret;
	ret = tap_netlink_open(&nl, &err);
	if (!ret)
		ret = tap_netlink_control(nl, TAP_NETLINK_WINDOW, session, &err);
	tap_netlink_close(nl);
	return ret ? tool_fail(&err) : 0;
}
