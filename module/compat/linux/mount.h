/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_MOUNT_H
#define _TAP_COMPAT_LINUX_MOUNT_H

#include_next <linux/mount.h>
#include <linux/types.h>

/**
 * struct tap_mount - where a file system is mounted
 * @parent: the struct mount that has @mountpoint; that of the root is itself
 * @mountpoint: struct dentry
 *
 * struct mount is private to the kernel's fs/. Since 3.3 it begins with mnt_hash and these two
 * members, and its vfsmount follows. Elsewhere a read gives other addresses, or fails.
 */
struct tap_mount {
	u64 parent;
	u64 mountpoint;
};

/* Where the members are, of a vfsmount at an address; the vfsmount of a struct mount. */
#define tap_mount_at(vfsmount)	((vfsmount) - sizeof(struct tap_mount))
#define tap_mount_vfs(mount)						\
	((mount) + sizeof(struct hlist_node) + sizeof(struct tap_mount))

#endif /* _TAP_COMPAT_LINUX_MOUNT_H */
