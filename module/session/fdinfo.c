// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/fdinfo/FD of a session: who it is, and the sums of its counters. The kernel
 * checks that the reader may trace the process (ptrace).
 */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "core/probe.h"
#include "core/session.h"
#include "session/session_ops.h"

/*
 * Counters of CPUs that are offline are left out, so that the time follows the CPUs that
 * there are: 16,384 probes on 8,192 possible CPUs would take seconds.
 */
static void tap_fdinfo_sums(struct seq_file *seq, struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	struct tap_sums sums = {};
	unsigned int enabled = 0;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		enabled += probe->enabled;
		tap_probe_sum(probe, cpu_online_mask, &sums);
		cond_resched();
	}
	seq_printf(seq, "tap-probes:\t%u\n", session->nr_probes);
	seq_printf(seq, "tap-enabled:\t%u\n", enabled);
	seq_printf(seq, "tap-hits:\t%llu\n", sums.counters.hits);
	seq_printf(seq, "tap-written:\t%llu\n", sums.counters.written);
	seq_printf(seq, "tap-filtered:\t%llu\n", sums.counters.filtered);
	seq_printf(seq, "tap-aggregated:\t%llu\n", sums.counters.aggregated);
	seq_printf(seq, "tap-lost:\t%llu\n", sums.counters.lost_full +
		   sums.counters.lost_nested + sums.counters.lost_fault);
	seq_printf(seq, "tap-throttled:\t%llu\n", sums.counters.throttled);
}

/* ->show_fdinfo() of /dev/tap. A command may hold the lock for seconds: do not wait. */
void tap_session_fdinfo(struct seq_file *seq, struct file *file)
{
	struct tapmod_session *session = file->private_data;

	seq_printf(seq, "tap-session:\t%llu\n", session->id);
	if (!mutex_trylock(&session->lock)) {
		seq_puts(seq, "tap-state:\tbusy\n");
		return;
	}
	if (tap_rings_ready(&session->rings)) {
		seq_puts(seq, "tap-state:\tready\n");
		seq_printf(seq, "tap-ring-bytes:\t%llu\n", session->rings.bytes);
		seq_printf(seq, "tap-rings:\t%u\n", READ_ONCE(session->rings.nr_made) +
			   READ_ONCE(session->spare.nr_made));
	} else {
		seq_puts(seq, "tap-state:\tempty\n");
	}
	seq_printf(seq, "tap-memory:\t%lld\n", atomic64_read(&session->memory.used));
	seq_printf(seq, "tap-cpus-failed:\t%u\n", READ_ONCE(session->cpus.failed));
	tap_fdinfo_sums(seq, session);
	mutex_unlock(&session->lock);
}
