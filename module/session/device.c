// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tap: an open file is a session.
 *
 * tap_release() runs when the last descriptor, mapping and command in flight are
 * gone. It removes, in this order: the entries in the lists of sessions, the governor,
 * the probes and the handler of new tasks (no event starts, then none runs), the
 * counters, the bits of followed tasks, wake-ups, rings. The module cannot be unloaded
 * while a file is open.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "core/netlink_notify.h"
#include "core/notify.h"
#include "core/session.h"
#include "exec/stack_table.h"
#include "exec/tasks.h"
#include "perf/call_counters.h"
#include "probes/probes.h"
#include "session/budget.h"
#include "session/device.h"
#include "session/governor.h"
#include "session/session_ops.h"

/*
 * Whether the calling task may set probes: 0 or -EPERM. register_kprobe() and the other
 * interfaces that probes use leave this check to their caller.
 */
int tap_may_probe(void)
{
	if (!perfmon_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_KPROBES) ?:
	       security_locked_down(LOCKDOWN_PERF);
}

static int tap_session_ring_prepare(struct tap_cpu_user *user, unsigned int cpu, gfp_t gfp)
{
	struct tapmod_session *session = container_of(user, struct tapmod_session, rings_user);

	int made = tap_rings_prepare(&session->rings, cpu, gfp);
	int spare = made < 0 || !session->rings.overwrite ? 0 :
		    tap_rings_prepare(&session->spare, cpu, gfp);

	return spare ?: made;
}

static int tap_open(struct inode *inode, struct file *file)
{
	const struct tapmod_change opened = { .what = TAP_NOTICE_OPENED };
	struct tapmod_session *session;
	int ret = tap_may_probe();

	if (ret)
		return ret;
	/* Records contain ids of the initial pid namespace, which others must not see. */
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	xa_init(&session->probes);
	INIT_LIST_HEAD(&session->batches);
	INIT_LIST_HEAD(&session->return_pools);
	INIT_LIST_HEAD(&session->func_pending);
	session->next_id = 1;
	session->addresses = file_ns_capable(file, &init_user_ns, CAP_SYSLOG);
	tap_rings_init(&session->rings, &session->memory);
	tap_rings_init(&session->spare, &session->memory);
	session->active = &session->rings;
	session->rings_user.prepare = tap_session_ring_prepare;
	tap_governor_init(session);
	tap_budget_init(session);
	tap_notices_init(&session->notices);
	tap_cpus_join(session);
	file->private_data = session;
	tap_sessions_add(session);
	tap_netlink_notice(session, NULL, &opened);
	return nonseekable_open(inode, file);
}

static int tap_release(struct inode *inode, struct file *file)
{
	const struct tapmod_change closed = { .what = TAP_NOTICE_CLOSED };
	struct tapmod_session *session = file->private_data;

	tap_sessions_remove(session);
	tap_panic_leave(session);
	tap_budget_stop(session);
	tap_governor_stop(session);
	tap_session_detach(session);
	tap_budget_free(session);
	tap_pmu_close(session);
	tap_stacks_free(session);
	tap_tasks_free(session);
	tap_follow_free(session);
	tap_cpus_leave(session);
	tap_rings_free(&session->rings);
	tap_rings_free(&session->spare);
	tap_notices_free(&session->notices);
	tap_netlink_notice(session, NULL, &closed);
	mutex_destroy(&session->lock);
	kfree(session);
	return 0;
}

static __poll_t tap_poll(struct file *file, struct poll_table_struct *wait)
{
	struct tapmod_session *session = file->private_data;

	return tap_rings_poll(&session->rings, file, wait);
}

static int tap_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tapmod_session *session = file->private_data;
	u64 end;

	if (!tap_rings_ready(&session->rings))
		return -EBADFD;
	/* The second set follows the first. */
	end = tap_rings_end(&session->rings);
	if (vma->vm_pgoff >= end && tap_rings_ready(&session->spare))
		return tap_rings_mmap(&session->spare, vma, vma->vm_pgoff - end);
	return tap_rings_mmap(&session->rings, vma, vma->vm_pgoff);
}

static const struct file_operations tap_fops = {
	.owner		= THIS_MODULE,
	.open		= tap_open,
	.release	= tap_release,
	.unlocked_ioctl	= tap_session_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.poll		= tap_poll,
	.mmap		= tap_mmap,
#ifdef CONFIG_PROC_FS
	.show_fdinfo	= tap_session_fdinfo,
#endif
};

static struct miscdevice tap_miscdev = {
	.minor		= MISC_DYNAMIC_MINOR,
	.name		= "tap",
	.mode		= 0600,
	.fops		= &tap_fops,
};

int tap_device_init(void)
{
	return misc_register(&tap_miscdev);
}

/* The module's reference count is 0, so no file is open. */
void tap_device_exit(void)
{
	misc_deregister(&tap_miscdev);
}
