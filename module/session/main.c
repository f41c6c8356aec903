// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload of the module.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "core/hotplug.h"
#include "core/netlink_notify.h"
#include "exec/stacktrace.h"
#include "memory/memory.h"
#include "perf/percpu_counter.h"
#include "probes/deferred_attach.h"
#include "probes/probes.h"
#include "probes/tracepoint_direct.h"
#include "ring/ring.h"
#include "session/device.h"
#include "session/netlink_dump.h"
#include "session/session_ops.h"

static int __init tap_init(void)
{
	int ret;

	tap_memory_init();
	tap_stack_init();
	ret = tap_cpus_init();
	if (ret)
		return ret;
	ret = tap_rawtp_init();
	if (ret)
		goto err_cpus;
	tap_direct_init();
	ret = tap_perf_init();
	if (ret)
		goto err_direct;
	ret = tap_watchpoints_init();
	if (ret)
		goto err_perf;
	ret = tap_func_init();
	if (ret)
		goto err_watchpoints;
	ret = tap_deferred_init();
	if (ret)
		goto err_func;
	ret = tap_netlink_dump_init();
	if (ret)
		goto err_deferred;
	tap_jumps_init();
	tap_panic_init();
	/* Last: once the device exists, sessions may be opened. */
	ret = tap_device_init();
	if (ret)
		goto err_netlink;
	return 0;

err_netlink:
	tap_panic_exit();
	tap_jumps_exit();
	tap_netlink_exit();
err_deferred:
	tap_deferred_exit();
err_func:
	tap_func_exit();
err_watchpoints:
	tap_watchpoints_exit();
err_perf:
	tap_perf_exit();
err_direct:
	tap_direct_exit();
	tap_rawtp_exit();
err_cpus:
	tap_cpus_exit();
	return ret;
}

static void __exit tap_exit(void)
{
	tap_device_exit();
	tap_panic_exit();
	tap_jumps_exit();
	tap_netlink_exit();
	tap_deferred_exit();
	tap_func_exit();
	tap_watchpoints_exit();
	tap_perf_exit();
	tap_direct_exit();
	tap_rawtp_exit();
	tap_cpus_exit();
}

module_init(tap_init);
module_exit(tap_exit);

MODULE_DESCRIPTION("Event tap: kernel probes to per-CPU lockless rings");
MODULE_AUTHOR("The tapmod developers");
MODULE_VERSION(TAP_VERSION);
MODULE_LICENSE("GPL");
