// SPDX-License-Identifier: LGPL-2.1
/*
 * Constants of system calls and signals by name, and the arguments that have them. The numbers are
 * those of the headers that this is compiled with: they differ between architectures.
 *
 * Where the C library has other numbers than the kernel (O_LARGEFILE) or other types, the kernel's
 * header is used; <fcntl.h> cannot be included beside it.
 */
#include <errno.h>
#include <linux/eventpoll.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/inotify.h>
#include <linux/io_uring.h>
#include <linux/membarrier.h>
#include <linux/memfd.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/signalfd.h>
#include <linux/timerfd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/constants.h"
#include "util/util.h"
#include "util/value_names.h"

#define N(constant)	{ (__u64)(__s64)(constant), #constant }

/*
 * Names of bits are tried in the order of the list, and the bits of one that fits are taken away: a
 * name of several bits stands before those of fewer. Small numbers in the lowest bits, such as the
 * type of a socket, stand from the highest to the lowest, so that each has its own name.
 */
static const struct tap_value_name open_flags[] = {
	N(O_TMPFILE), N(O_SYNC), N(O_ACCMODE), N(O_RDONLY), N(O_WRONLY), N(O_RDWR), N(O_CREAT),
	N(O_EXCL), N(O_NOCTTY), N(O_TRUNC), N(O_APPEND), N(O_NONBLOCK), N(O_DSYNC),
	{ FASYNC, "O_ASYNC" }, N(O_DIRECT), N(O_LARGEFILE), N(O_DIRECTORY), N(O_NOFOLLOW),
	N(O_NOATIME), N(O_CLOEXEC), N(O_PATH),
};

static const struct tap_value_name access_modes[] = {
	N(F_OK), N(R_OK), N(W_OK), N(X_OK),
};

static const struct tap_value_name access_flags[] = {
	N(AT_EACCESS), N(AT_SYMLINK_NOFOLLOW), N(AT_EMPTY_PATH),
};

static const struct tap_value_name at_flags[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_SYMLINK_FOLLOW), N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH),
	N(AT_STATX_FORCE_SYNC), N(AT_STATX_DONT_SYNC),
};

static const struct tap_value_name unlink_flags[] = {
	N(AT_REMOVEDIR),
};

static const struct tap_value_name directories[] = {
	N(AT_FDCWD),
};

static const struct tap_value_name statx_mask[] = {
	N(STATX_BASIC_STATS), N(STATX_TYPE), N(STATX_MODE), N(STATX_NLINK), N(STATX_UID),
	N(STATX_GID), N(STATX_ATIME), N(STATX_MTIME), N(STATX_CTIME), N(STATX_INO), N(STATX_SIZE),
	N(STATX_BLOCKS), N(STATX_BTIME),
};

static const struct tap_value_name rename_flags[] = {
	N(RENAME_NOREPLACE), N(RENAME_EXCHANGE), N(RENAME_WHITEOUT),
};

static const struct tap_value_name fallocate_modes[] = {
	N(FALLOC_FL_KEEP_SIZE), N(FALLOC_FL_PUNCH_HOLE), N(FALLOC_FL_COLLAPSE_RANGE),
	N(FALLOC_FL_ZERO_RANGE), N(FALLOC_FL_INSERT_RANGE), N(FALLOC_FL_UNSHARE_RANGE),
};

static const struct tap_value_name seeks[] = {
	N(SEEK_SET), N(SEEK_CUR), N(SEEK_END), N(SEEK_DATA), N(SEEK_HOLE),
};

static const struct tap_value_name fcntl_commands[] = {
	N(F_DUPFD), N(F_GETFD), N(F_SETFD), N(F_GETFL), N(F_SETFL), N(F_GETLK), N(F_SETLK),
	N(F_SETLKW), N(F_SETOWN), N(F_GETOWN), N(F_SETSIG), N(F_GETSIG), N(F_SETOWN_EX),
	N(F_GETOWN_EX), N(F_OFD_GETLK), N(F_OFD_SETLK), N(F_OFD_SETLKW), N(F_SETLEASE),
	N(F_GETLEASE), N(F_NOTIFY), N(F_DUPFD_CLOEXEC), N(F_SETPIPE_SZ), N(F_GETPIPE_SZ),
	N(F_ADD_SEALS), N(F_GET_SEALS),
};

static const struct tap_value_name locks[] = {
	N(LOCK_SH), N(LOCK_EX), N(LOCK_NB), N(LOCK_UN),
};

static const struct tap_value_name rwf_flags[] = {
	N(RWF_HIPRI), N(RWF_DSYNC), N(RWF_SYNC), N(RWF_NOWAIT), N(RWF_APPEND),
};

static const struct tap_value_name mount_flags[] = {
	N(MS_RDONLY), N(MS_NOSUID), N(MS_NODEV), N(MS_NOEXEC), N(MS_SYNCHRONOUS), N(MS_REMOUNT),
	N(MS_MANDLOCK), N(MS_DIRSYNC), N(MS_NOATIME), N(MS_NODIRATIME), N(MS_BIND), N(MS_MOVE),
	N(MS_REC), N(MS_SILENT), N(MS_POSIXACL), N(MS_UNBINDABLE), N(MS_PRIVATE), N(MS_SLAVE),
	N(MS_SHARED), N(MS_RELATIME), N(MS_I_VERSION), N(MS_STRICTATIME),
	N(MS_LAZYTIME),
};

static const struct tap_value_name protections[] = {
	N(PROT_NONE), N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), N(PROT_SEM), N(PROT_GROWSDOWN),
	N(PROT_GROWSUP),
#ifdef PROT_BTI
	N(PROT_BTI), N(PROT_MTE),
#endif
};

static const struct tap_value_name map_flags[] = {
	N(MAP_SHARED_VALIDATE), N(MAP_SHARED), N(MAP_PRIVATE), N(MAP_FIXED), N(MAP_ANONYMOUS),
#ifdef MAP_32BIT
	N(MAP_32BIT),
#endif
	N(MAP_GROWSDOWN), N(MAP_DENYWRITE), N(MAP_EXECUTABLE), N(MAP_LOCKED), N(MAP_NORESERVE),
	N(MAP_POPULATE), N(MAP_NONBLOCK), N(MAP_STACK), N(MAP_HUGETLB), N(MAP_SYNC),
	N(MAP_FIXED_NOREPLACE),
};

static const struct tap_value_name mremap_flags[] = {
	N(MREMAP_MAYMOVE), N(MREMAP_FIXED), N(MREMAP_DONTUNMAP),
};

static const struct tap_value_name msync_flags[] = {
	N(MS_ASYNC), N(MS_INVALIDATE), N(MS_SYNC),
};

static const struct tap_value_name mlock_flags[] = {
	N(MLOCK_ONFAULT),
};

static const struct tap_value_name mlockall_flags[] = {
	N(MCL_CURRENT), N(MCL_FUTURE), N(MCL_ONFAULT),
};

static const struct tap_value_name advice[] = {
	N(MADV_NORMAL), N(MADV_RANDOM), N(MADV_SEQUENTIAL), N(MADV_WILLNEED), N(MADV_DONTNEED),
	N(MADV_FREE), N(MADV_REMOVE), N(MADV_DONTFORK), N(MADV_DOFORK), N(MADV_HWPOISON),
	N(MADV_SOFT_OFFLINE), N(MADV_MERGEABLE), N(MADV_UNMERGEABLE), N(MADV_HUGEPAGE),
	N(MADV_NOHUGEPAGE), N(MADV_DONTDUMP), N(MADV_DODUMP), N(MADV_WIPEONFORK),
	N(MADV_KEEPONFORK), N(MADV_COLD), N(MADV_PAGEOUT),
#ifdef MADV_POPULATE_READ
	N(MADV_POPULATE_READ), N(MADV_POPULATE_WRITE),
#endif
#ifdef MADV_COLLAPSE
	N(MADV_DONTNEED_LOCKED), N(MADV_COLLAPSE),
#endif
};

static const struct tap_value_name memory_policies[] = {
	N(MPOL_DEFAULT), N(MPOL_PREFERRED), N(MPOL_BIND), N(MPOL_INTERLEAVE), N(MPOL_LOCAL),
};

static const struct tap_value_name memfd_flags[] = {
	N(MFD_CLOEXEC), N(MFD_ALLOW_SEALING), N(MFD_HUGETLB),
#ifdef MFD_EXEC
	N(MFD_NOEXEC_SEAL), N(MFD_EXEC),
#endif
};

/* The lowest byte of these, the signal at the end, has no name here. */
static const struct tap_value_name clone_flags[] = {
	N(CLONE_VM), N(CLONE_FS), N(CLONE_FILES), N(CLONE_SIGHAND), N(CLONE_PIDFD),
	N(CLONE_PTRACE), N(CLONE_VFORK), N(CLONE_PARENT), N(CLONE_THREAD), N(CLONE_NEWNS),
	N(CLONE_SYSVSEM), N(CLONE_SETTLS), N(CLONE_PARENT_SETTID), N(CLONE_CHILD_CLEARTID),
	N(CLONE_DETACHED), N(CLONE_UNTRACED), N(CLONE_CHILD_SETTID), N(CLONE_NEWCGROUP),
	N(CLONE_NEWUTS), N(CLONE_NEWIPC), N(CLONE_NEWUSER), N(CLONE_NEWPID), N(CLONE_NEWNET),
	N(CLONE_IO), N(CLONE_NEWTIME),
};

static const struct tap_value_name wait_options[] = {
	N(WNOHANG), N(WUNTRACED), N(WEXITED), N(WCONTINUED), N(WNOWAIT), N(__WNOTHREAD), N(__WALL),
	N(__WCLONE),
};

static const struct tap_value_name wait_ids[] = {
	N(P_ALL), N(P_PID), N(P_PGID), N(P_PIDFD),
};

static const struct tap_value_name futex_ops[] = {
	N(FUTEX_WAIT), N(FUTEX_WAKE), N(FUTEX_REQUEUE), N(FUTEX_CMP_REQUEUE), N(FUTEX_WAKE_OP),
	N(FUTEX_LOCK_PI), N(FUTEX_UNLOCK_PI), N(FUTEX_TRYLOCK_PI), N(FUTEX_WAIT_BITSET),
	N(FUTEX_WAKE_BITSET), N(FUTEX_WAIT_REQUEUE_PI), N(FUTEX_CMP_REQUEUE_PI),
	N(FUTEX_WAIT_PRIVATE), N(FUTEX_WAKE_PRIVATE), N(FUTEX_REQUEUE_PRIVATE),
	N(FUTEX_CMP_REQUEUE_PRIVATE), N(FUTEX_WAKE_OP_PRIVATE), N(FUTEX_LOCK_PI_PRIVATE),
	N(FUTEX_UNLOCK_PI_PRIVATE), N(FUTEX_TRYLOCK_PI_PRIVATE), N(FUTEX_WAIT_BITSET_PRIVATE),
	N(FUTEX_WAKE_BITSET_PRIVATE), N(FUTEX_WAIT_REQUEUE_PI_PRIVATE),
	N(FUTEX_CMP_REQUEUE_PI_PRIVATE), N(FUTEX_PRIVATE_FLAG), N(FUTEX_CLOCK_REALTIME),
};

static const struct tap_value_name families[] = {
	N(AF_UNSPEC), N(AF_UNIX), N(AF_INET), N(AF_AX25), N(AF_IPX), N(AF_APPLETALK),
	N(AF_NETROM), N(AF_BRIDGE), N(AF_ATMPVC), N(AF_X25), N(AF_INET6), N(AF_ROSE),
	N(AF_KEY), N(AF_NETLINK), N(AF_PACKET), N(AF_RDS), N(AF_PPPOX), N(AF_LLC), N(AF_IB),
	N(AF_MPLS), N(AF_CAN), N(AF_TIPC), N(AF_BLUETOOTH), N(AF_RXRPC), N(AF_PHONET),
	N(AF_IEEE802154), N(AF_ALG), N(AF_NFC), N(AF_VSOCK), N(AF_KCM), N(AF_QIPCRTR), N(AF_SMC),
	N(AF_XDP),
};

static const struct tap_value_name socket_types[] = {
	N(SOCK_NONBLOCK), N(SOCK_CLOEXEC), N(SOCK_PACKET), N(SOCK_DCCP), N(SOCK_SEQPACKET),
	N(SOCK_RDM), N(SOCK_RAW), N(SOCK_DGRAM), N(SOCK_STREAM),
};

static const struct tap_value_name accept_flags[] = {
	N(SOCK_NONBLOCK), N(SOCK_CLOEXEC),
};

static const struct tap_value_name socket_levels[] = {
	N(SOL_SOCKET), N(IPPROTO_IP), N(IPPROTO_TCP), N(IPPROTO_UDP), N(IPPROTO_IPV6),
};

static const struct tap_value_name shutdowns[] = {
	N(SHUT_RD), N(SHUT_WR), N(SHUT_RDWR),
};

static const struct tap_value_name message_flags[] = {
	N(MSG_OOB), N(MSG_PEEK), N(MSG_DONTROUTE), N(MSG_CTRUNC), N(MSG_TRUNC), N(MSG_DONTWAIT),
	N(MSG_EOR), N(MSG_WAITALL), N(MSG_CONFIRM), N(MSG_ERRQUEUE), N(MSG_NOSIGNAL), N(MSG_MORE),
	N(MSG_WAITFORONE), N(MSG_ZEROCOPY), N(MSG_FASTOPEN), N(MSG_CMSG_CLOEXEC),
};

static const struct tap_value_name epoll_ops[] = {
	N(EPOLL_CTL_ADD), N(EPOLL_CTL_DEL), N(EPOLL_CTL_MOD),
};

static const struct tap_value_name epoll_flags[] = {
	N(EPOLL_CLOEXEC),
};

static const struct tap_value_name eventfd_flags[] = {
	N(EFD_SEMAPHORE), N(EFD_CLOEXEC), N(EFD_NONBLOCK),
};

static const struct tap_value_name signalfd_flags[] = {
	N(SFD_CLOEXEC), N(SFD_NONBLOCK),
};

static const struct tap_value_name inotify_flags[] = {
	N(IN_CLOEXEC), N(IN_NONBLOCK),
};

static const struct tap_value_name inotify_mask[] = {
	N(IN_ALL_EVENTS), N(IN_ACCESS), N(IN_MODIFY), N(IN_ATTRIB), N(IN_CLOSE_WRITE),
	N(IN_CLOSE_NOWRITE), N(IN_OPEN), N(IN_MOVED_FROM), N(IN_MOVED_TO), N(IN_CREATE),
	N(IN_DELETE), N(IN_DELETE_SELF), N(IN_MOVE_SELF), N(IN_ONLYDIR), N(IN_DONT_FOLLOW),
	N(IN_EXCL_UNLINK), N(IN_MASK_CREATE), N(IN_MASK_ADD), N(IN_ISDIR), N(IN_ONESHOT),
};

static const struct tap_value_name clocks[] = {
	N(CLOCK_REALTIME), N(CLOCK_MONOTONIC), N(CLOCK_PROCESS_CPUTIME_ID),
	N(CLOCK_THREAD_CPUTIME_ID), N(CLOCK_MONOTONIC_RAW), N(CLOCK_REALTIME_COARSE),
	N(CLOCK_MONOTONIC_COARSE), N(CLOCK_BOOTTIME), N(CLOCK_REALTIME_ALARM),
	N(CLOCK_BOOTTIME_ALARM), N(CLOCK_TAI),
};

static const struct tap_value_name timer_flags[] = {
	N(TIMER_ABSTIME),
};

static const struct tap_value_name timerfd_flags[] = {
	N(TFD_CLOEXEC), N(TFD_NONBLOCK),
};

static const struct tap_value_name timerfd_set_flags[] = {
	N(TFD_TIMER_ABSTIME), N(TFD_TIMER_CANCEL_ON_SET),
};

static const struct tap_value_name policies[] = {
	N(SCHED_NORMAL), N(SCHED_FIFO), N(SCHED_RR), N(SCHED_BATCH), N(SCHED_IDLE),
	N(SCHED_DEADLINE),
};

static const struct tap_value_name resources[] = {
	N(RLIMIT_CPU), N(RLIMIT_FSIZE), N(RLIMIT_DATA), N(RLIMIT_STACK), N(RLIMIT_CORE),
	N(RLIMIT_RSS), N(RLIMIT_NPROC), N(RLIMIT_NOFILE), N(RLIMIT_MEMLOCK), N(RLIMIT_AS),
	N(RLIMIT_LOCKS), N(RLIMIT_SIGPENDING), N(RLIMIT_MSGQUEUE), N(RLIMIT_NICE),
	N(RLIMIT_RTPRIO), N(RLIMIT_RTTIME),
};

static const struct tap_value_name usages[] = {
	N(RUSAGE_SELF), N(RUSAGE_CHILDREN), N(RUSAGE_THREAD),
};

static const struct tap_value_name random_flags[] = {
	N(GRND_NONBLOCK), N(GRND_RANDOM), N(GRND_INSECURE),
};

static const struct tap_value_name perf_flags[] = {
	N(PERF_FLAG_FD_NO_GROUP), N(PERF_FLAG_FD_OUTPUT), N(PERF_FLAG_PID_CGROUP),
	N(PERF_FLAG_FD_CLOEXEC),
};

static const struct tap_value_name uring_flags[] = {
	N(IORING_ENTER_GETEVENTS), N(IORING_ENTER_SQ_WAKEUP), N(IORING_ENTER_SQ_WAIT),
};

static const struct tap_value_name membarriers[] = {
	N(MEMBARRIER_CMD_QUERY), N(MEMBARRIER_CMD_GLOBAL), N(MEMBARRIER_CMD_GLOBAL_EXPEDITED),
	N(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED), N(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	N(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
	N(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE),
	N(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE),
};

static const struct tap_value_name seccomp_ops[] = {
	N(SECCOMP_SET_MODE_STRICT), N(SECCOMP_SET_MODE_FILTER), N(SECCOMP_GET_ACTION_AVAIL),
	N(SECCOMP_GET_NOTIF_SIZES),
};

static const struct tap_value_name prctl_options[] = {
	N(PR_SET_PDEATHSIG), N(PR_GET_PDEATHSIG), N(PR_GET_DUMPABLE), N(PR_SET_DUMPABLE),
	N(PR_GET_KEEPCAPS), N(PR_SET_KEEPCAPS), N(PR_SET_NAME), N(PR_GET_NAME), N(PR_GET_SECCOMP),
	N(PR_SET_SECCOMP), N(PR_CAPBSET_READ), N(PR_CAPBSET_DROP), N(PR_GET_SECUREBITS),
	N(PR_SET_SECUREBITS), N(PR_SET_TIMERSLACK), N(PR_GET_TIMERSLACK), N(PR_SET_MM),
	N(PR_SET_PTRACER), N(PR_SET_CHILD_SUBREAPER), N(PR_GET_CHILD_SUBREAPER),
	N(PR_SET_NO_NEW_PRIVS), N(PR_GET_NO_NEW_PRIVS), N(PR_SET_THP_DISABLE),
	N(PR_GET_THP_DISABLE), N(PR_CAP_AMBIENT), N(PR_GET_SPECULATION_CTRL),
	N(PR_SET_SPECULATION_CTRL), N(PR_SET_TAGGED_ADDR_CTRL),
#ifdef PR_SET_VMA
	N(PR_SET_VMA),
#endif
};

static const struct tap_value_name ptrace_requests[] = {
	N(PTRACE_TRACEME), N(PTRACE_PEEKTEXT), N(PTRACE_PEEKDATA), N(PTRACE_POKETEXT),
	N(PTRACE_POKEDATA), N(PTRACE_CONT), N(PTRACE_KILL), N(PTRACE_SINGLESTEP),
	N(PTRACE_ATTACH), N(PTRACE_DETACH), N(PTRACE_SYSCALL), N(PTRACE_SETOPTIONS),
	N(PTRACE_GETEVENTMSG), N(PTRACE_GETSIGINFO), N(PTRACE_SETSIGINFO), N(PTRACE_GETREGSET),
	N(PTRACE_SETREGSET), N(PTRACE_SEIZE), N(PTRACE_INTERRUPT), N(PTRACE_LISTEN),
};

static const struct tap_value_name signals[] = {
	N(SIGHUP), N(SIGINT), N(SIGQUIT), N(SIGILL), N(SIGTRAP), N(SIGABRT), N(SIGBUS), N(SIGFPE),
	N(SIGKILL), N(SIGUSR1), N(SIGSEGV), N(SIGUSR2), N(SIGPIPE), N(SIGALRM), N(SIGTERM),
	N(SIGSTKFLT), N(SIGCHLD), N(SIGCONT), N(SIGSTOP), N(SIGTSTP), N(SIGTTIN), N(SIGTTOU),
	N(SIGURG), N(SIGXCPU), N(SIGXFSZ), N(SIGVTALRM), N(SIGPROF), N(SIGWINCH), N(SIGIO),
	N(SIGPWR), N(SIGSYS),
};

static const struct tap_value_name mask_changes[] = {
	N(SIG_BLOCK), N(SIG_UNBLOCK), N(SIG_SETMASK),
};

static const struct tap_value_name reboots[] = {
	N(LINUX_REBOOT_CMD_RESTART), N(LINUX_REBOOT_CMD_HALT), N(LINUX_REBOOT_CMD_CAD_ON),
	N(LINUX_REBOOT_CMD_CAD_OFF), N(LINUX_REBOOT_CMD_POWER_OFF),
	N(LINUX_REBOOT_CMD_RESTART2), N(LINUX_REBOOT_CMD_KEXEC),
};

#define BITS(list)	{ (list), ARRAY_SIZE(list), TAP_FMT_FLAGS }
#define VALUES(list)	{ (list), ARRAY_SIZE(list), TAP_FMT_CONSTANT }

static const struct group {
	const struct tap_value_name *list;
	unsigned int nr;
	enum tap_format format;
} groups[] = {
	BITS(open_flags), BITS(access_modes), BITS(access_flags), BITS(at_flags),
	BITS(unlink_flags), VALUES(directories), BITS(statx_mask), BITS(rename_flags),
	BITS(fallocate_modes), VALUES(seeks), VALUES(fcntl_commands), BITS(locks),
	BITS(rwf_flags), BITS(mount_flags), BITS(protections),
	BITS(map_flags), BITS(mremap_flags), BITS(msync_flags), BITS(mlock_flags),
	BITS(mlockall_flags), VALUES(advice), VALUES(memory_policies), BITS(memfd_flags),
	BITS(clone_flags), BITS(wait_options), VALUES(wait_ids), VALUES(futex_ops),
	VALUES(families), BITS(socket_types), BITS(accept_flags), VALUES(socket_levels),
	VALUES(shutdowns), BITS(message_flags), VALUES(epoll_ops), BITS(epoll_flags),
	BITS(eventfd_flags), BITS(signalfd_flags), BITS(inotify_flags), BITS(inotify_mask),
	VALUES(clocks), BITS(timer_flags), BITS(timerfd_flags), BITS(timerfd_set_flags),
	VALUES(policies), VALUES(resources), VALUES(usages), BITS(random_flags),
	BITS(perf_flags), BITS(uring_flags), VALUES(membarriers), VALUES(seccomp_ops),
	VALUES(prctl_options), VALUES(ptrace_requests), VALUES(signals), VALUES(mask_changes),
	VALUES(reboots),
};

/*
 * Arguments by number, counted from 1: unlike their names, the numbers never change. A system call
 * that an architecture lacks does no harm.
 */
static const struct {
	const char *syscall;
	unsigned int number;
	const struct tap_value_name *list;
} args[] = {
	{ "accept4", 4, accept_flags },
	{ "access", 2, access_modes },
	{ "clock_adjtime", 1, clocks },
	{ "clock_getres", 1, clocks },
	{ "clock_gettime", 1, clocks },
	{ "clock_nanosleep", 1, clocks },
	{ "clock_nanosleep", 2, timer_flags },
	{ "clock_settime", 1, clocks },
	{ "clone", 1, clone_flags },
	{ "dup3", 3, open_flags },
	{ "epoll_create1", 1, epoll_flags },
	{ "epoll_ctl", 2, epoll_ops },
	{ "eventfd2", 2, eventfd_flags },
	{ "execveat", 5, at_flags },
	{ "faccessat", 3, access_modes },
	{ "faccessat2", 3, access_modes },
	{ "faccessat2", 4, access_flags },
	{ "fallocate", 2, fallocate_modes },
	{ "fchownat", 5, at_flags },
	{ "fcntl", 2, fcntl_commands },
	{ "flock", 2, locks },
	{ "futex", 2, futex_ops },
	{ "getrandom", 3, random_flags },
	{ "getrlimit", 1, resources },
	{ "getrusage", 1, usages },
	{ "getsockopt", 2, socket_levels },
	{ "inotify_add_watch", 3, inotify_mask },
	{ "inotify_init1", 1, inotify_flags },
	{ "io_uring_enter", 4, uring_flags },
	{ "kill", 2, signals },
	{ "linkat", 5, at_flags },
	{ "lseek", 3, seeks },
	{ "madvise", 3, advice },
	{ "membarrier", 1, membarriers },
	{ "memfd_create", 2, memfd_flags },
	{ "mlock2", 3, mlock_flags },
	{ "mlockall", 1, mlockall_flags },
	{ "mmap", 3, protections },
	{ "mmap", 4, map_flags },
	{ "mount", 4, mount_flags },
	{ "mprotect", 3, protections },
	{ "mq_open", 2, open_flags },
	{ "mremap", 4, mremap_flags },
	{ "msync", 3, msync_flags },
	{ "name_to_handle_at", 5, at_flags },
	{ "newfstatat", 4, at_flags },
	{ "open", 2, open_flags },
	{ "open_by_handle_at", 3, open_flags },
	{ "openat", 3, open_flags },
	{ "perf_event_open", 5, perf_flags },
	{ "pidfd_send_signal", 2, signals },
	{ "pipe2", 2, open_flags },
	{ "pkey_mprotect", 3, protections },
	{ "prctl", 1, prctl_options },
	{ "preadv2", 6, rwf_flags },
	{ "prlimit64", 2, resources },
	{ "process_madvise", 4, advice },
	{ "ptrace", 1, ptrace_requests },
	{ "pwritev2", 6, rwf_flags },
	{ "reboot", 3, reboots },
	{ "recvfrom", 4, message_flags },
	{ "recvmmsg", 4, message_flags },
	{ "recvmsg", 3, message_flags },
	{ "renameat2", 5, rename_flags },
	{ "rt_sigaction", 1, signals },
	{ "rt_sigprocmask", 1, mask_changes },
	{ "rt_sigqueueinfo", 2, signals },
	{ "rt_tgsigqueueinfo", 3, signals },
	{ "sched_setscheduler", 2, policies },
	{ "seccomp", 1, seccomp_ops },
	{ "sendmmsg", 4, message_flags },
	{ "sendmsg", 3, message_flags },
	{ "sendto", 4, message_flags },
	{ "set_mempolicy", 1, memory_policies },
	{ "setns", 2, clone_flags },
	{ "setrlimit", 1, resources },
	{ "setsockopt", 2, socket_levels },
	{ "shutdown", 2, shutdowns },
	{ "signalfd4", 4, signalfd_flags },
	{ "socket", 1, families },
	{ "socket", 2, socket_types },
	{ "socketpair", 1, families },
	{ "socketpair", 2, socket_types },
	{ "statx", 3, at_flags },
	{ "statx", 4, statx_mask },
	{ "tgkill", 3, signals },
	{ "timer_create", 1, clocks },
	{ "timer_settime", 2, timer_flags },
	{ "timerfd_create", 1, clocks },
	{ "timerfd_create", 2, timerfd_flags },
	{ "timerfd_settime", 2, timerfd_set_flags },
	{ "tkill", 2, signals },
	{ "unlinkat", 3, unlink_flags },
	{ "unshare", 1, clone_flags },
	{ "utimensat", 4, at_flags },
	{ "wait4", 3, wait_options },
	{ "waitid", 1, wait_ids },
	{ "waitid", 4, wait_options },
};

/**
 * tap_constant_find() - find a constant of a system call, or a signal
 * @name: its name; no final 0 is needed
 * @len: of @name
 * @value: set to its number, sign-extended
 *
 * Return: 0 or -ENOENT.
 */
int tap_constant_find(const char *name, size_t len, __u64 *value)
{
	const struct tap_value_name *c;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (k = 0; k < groups[i].nr; k++) {
			c = &groups[i].list[k];
			if (strncmp(c->name, name, len) || c->name[len])
				continue;
			*value = c->value;
			return 0;
		}
	}
	return -ENOENT;
}

/* Offers the name of each constant. */
void tap_constants_suggest(struct tap_suggest *s)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(groups); i++)
		for (k = 0; k < groups[i].nr; k++)
			tap_suggest_offer(s, groups[i].list[k].name,
					  strlen(groups[i].list[k].name));
}

/* Copies the names of a group into the name of an argument, which prints numbers if memory is short. */
static void name_values(struct tap_name *arg, const struct group *group)
{
	struct tap_value_names *names = tap_value_names_new();
	unsigned int i;

	for (i = 0; names && i < group->nr; i++) {
		if (!tap_value_names_add(names, group->list[i].value, group->list[i].name,
					 strlen(group->list[i].name)))
			continue;
		tap_value_names_put(names);
		names = NULL;
	}
	if (!names)
		return;
	arg->value_names = names;
	arg->format = group->format;
}

/**
 * tap_constants_name() - give the arguments of a system call the names of their values
 * @scope: its arguments, which have no such names yet
 * @syscall: its name
 */
void tap_constants_name(struct tap_scope *scope, const char *syscall)
{
	size_t i, k, at;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		if (strcmp(args[i].syscall, syscall))
			continue;
		for (at = 0; at < scope->nr; at++) {
			if (scope->names[at].kind != TAP_NAME_ARG ||
			    scope->names[at].at != (int)args[i].number - 1)
				continue;
			for (k = 0; groups[k].list != args[i].list; k++)
				;
			name_values(&scope->names[at], &groups[k]);
		}
	}
}
