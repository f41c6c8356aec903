// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of files: TAP_OP_PATH and TAP_OP_DENTRY. The rules of handler.h hold.
 *
 * d_path() takes locks, so this follows the pointers itself, from the file to the root, and reads
 * each as memory that may go away. Names and parents change under rename_lock only: a walk during
 * which its sequence number changes is marked. So is one after which the mounts have changed.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/string.h>

#include "exec/path.h"

/* What is read of a dentry at once. */
struct tap_dentry {
	u64 parent;
	struct qstr name;
};

/**
 * struct tap_walk - a walk to the root
 * @buffer: the path, from @start to the end of @room bytes
 * @start: where the path begins so far
 * @room: its maximum length
 * @left: names and mounts that may follow
 * @dentry: the place of the walk
 * @mount: its vfsmount; 0: the walk ends at the root of the file system
 * @root: root of that mount
 * @places: a sum over the mounts that were passed
 * @mounts: their number
 */
struct tap_walk {
	u8 buffer[TAP_MAX_PATH] __aligned(8);
	size_t start;
	size_t room;
	unsigned int left;
	u64 dentry;
	u64 mount;
	u64 root;
	u64 places;
	unsigned int mounts;
};

/* Puts bytes in front of the path; returns TAP_TEXT_* if not all of them fit, or a read fails. */
static u64 tap_walk_name(struct tap_walk *walk, u64 name, size_t len, bool slash)
{
	size_t take = min(len, walk->start);

	if (len > NAME_MAX ||
	    !tap_kernel_read(walk->buffer + walk->start - take, name + len - take, take))
		return TAP_TEXT_ABSENT;
	walk->start -= take;
	if (take < len || (slash && !walk->start))
		return TAP_TEXT_TRUNCATED;
	if (slash)
		walk->buffer[--walk->start] = '/';
	return 0;
}
NOKPROBE_SYMBOL(tap_walk_name);

static u64 tap_walk_sum(u64 places, const struct tap_mount *at)
{
	return (places ^ at->parent) * 31 + at->mountpoint;
}
NOKPROBE_SYMBOL(tap_walk_sum);

static bool tap_walk_root(struct tap_walk *walk)
{
	return tap_kernel_read(&walk->root, walk->mount + offsetof(struct vfsmount, mnt_root),
			       sizeof(walk->root));
}
NOKPROBE_SYMBOL(tap_walk_root);

/*
 * From the root of a mount to the place where it is mounted; *done: it is the root of all.
 * Returns TAP_TEXT_*.
 */
static u64 tap_walk_mount(struct tap_walk *walk, bool *done)
{
	struct tap_mount at;

	if (!tap_kernel_read(&at, tap_mount_at(walk->mount), sizeof(at)))
		return TAP_TEXT_ABSENT;
	if (tap_mount_vfs(at.parent) == walk->mount) {
		*done = true;
		return 0;
	}
	walk->places = tap_walk_sum(walk->places, &at);
	walk->mounts++;
	walk->mount = tap_mount_vfs(at.parent);
	walk->dentry = at.mountpoint;
	return tap_walk_root(walk) ? 0 : TAP_TEXT_ABSENT;
}
NOKPROBE_SYMBOL(tap_walk_mount);

/* A file that is in no directory, such as a pipe: its name, or that of its file system. */
static u64 tap_walk_pseudo(struct tap_walk *walk, const struct tap_dentry *dentry)
{
	u64 at = walk->dentry + offsetof(struct dentry, d_sb);
	size_t len = 0;
	char name[32];

	if (dentry->name.len)
		return tap_walk_name(walk, (unsigned long)dentry->name.name, dentry->name.len,
				     false);
	if (!tap_kernel_read(&at, at, sizeof(at)) ||
	    !tap_kernel_read(&at, at + offsetof(struct super_block, s_type), sizeof(at)) ||
	    !tap_kernel_read(&at, at + offsetof(struct file_system_type, name), sizeof(at)) ||
	    !tap_kernel_read(name, at, sizeof(name)))
		return TAP_TEXT_ABSENT;
	while (len < sizeof(name) && name[len])
		len++;
	return tap_walk_name(walk, at, len, false);
}
NOKPROBE_SYMBOL(tap_walk_pseudo);

/* Walks to the root; returns TAP_TEXT_*. */
static u64 tap_walk_all(struct tap_walk *walk)
{
	bool done = false;
	u64 flags = 0;

	while (!flags) {
		struct tap_dentry dentry;

		if (walk->mount && walk->dentry == walk->root) {
			flags = tap_walk_mount(walk, &done);
			if (done)
				break;
			if (!walk->left--)
				flags = TAP_TEXT_TRUNCATED;
			continue;
		}
		if (!tap_kernel_read(&dentry, walk->dentry + offsetof(struct dentry, d_parent),
				     sizeof(dentry)))
			return TAP_TEXT_ABSENT;
		if (dentry.parent == walk->dentry) {
			/* The root of a file system, or of a part of one that is in no mount. */
			if (walk->mount && walk->start == walk->room)
				return tap_walk_pseudo(walk, &dentry);
			break;
		}
		if (!walk->left--)
			return TAP_TEXT_TRUNCATED;
		flags = tap_walk_name(walk, (unsigned long)dentry.name.name, dentry.name.len, true);
		walk->dentry = dentry.parent;
	}
	if (!flags && walk->start == walk->room && walk->room)
		walk->buffer[--walk->start] = '/';
	return flags;
}
NOKPROBE_SYMBOL(tap_walk_all);

/* Whether the mounts above a vfsmount are still those that the walk has seen. */
static bool tap_walk_same(const struct tap_walk *walk, u64 mount)
{
	u64 places = 0;
	unsigned int i;

	for (i = 0; i < walk->mounts; i++) {
		struct tap_mount at;

		if (!tap_kernel_read(&at, tap_mount_at(mount), sizeof(at)))
			return false;
		places = tap_walk_sum(places, &at);
		mount = tap_mount_vfs(at.parent);
	}
	return places == walk->places;
}
NOKPROBE_SYMBOL(tap_walk_same);

/* The sequence number itself: on a real-time kernel its reader may take the lock. */
static unsigned int tap_rename_seq(void)
{
	return READ_ONCE(rename_lock.seqcount.seqcount.sequence);
}
NOKPROBE_SYMBOL(tap_rename_seq);

/* Finds the start of a walk; false if it cannot be read. */
static bool tap_walk_begin(struct tap_walk *walk, u64 at, bool dentry)
{
	struct path path;

	walk->start = walk->room;
	walk->places = 0;
	walk->mounts = 0;
	walk->mount = 0;
	walk->dentry = at;
	if (dentry)
		return true;
	if (!tap_kernel_read(&path, at, sizeof(path)))
		return false;
	walk->mount = (unsigned long)path.mnt;
	walk->dentry = (unsigned long)path.dentry;
	return tap_walk_root(walk);
}
NOKPROBE_SYMBOL(tap_walk_begin);

/* Appends the path of a file; returns its TAP_TEXT_* word. */
u64 tap_interp_path(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 at = interp->reg[insn->src] + insn->off, flags = TAP_TEXT_ABSENT, mount;
	size_t len = 0, words = DIV_ROUND_UP((u16)insn->imm, sizeof(u64));
	struct tap_walk walk __uninitialized;
	unsigned int seq = tap_rename_seq();

	BUILD_BUG_ON(offsetof(struct dentry, d_name) != offsetof(struct dentry, d_parent) +
							offsetof(struct tap_dentry, name));
	walk.room = (u16)insn->imm;
	walk.left = insn->imm >> 16;
	/* Pairs with the barrier of write_seqlock(&rename_lock). */
	smp_rmb();
	if (tap_walk_begin(&walk, at, insn->sub == TAP_OP_DENTRY)) {
		mount = walk.mount;
		flags = tap_walk_all(&walk);
		len = walk.room - walk.start;
		/* Pairs with the barrier of write_sequnlock(&rename_lock). */
		smp_rmb();
		if (seq & 1 || tap_rename_seq() != seq || !tap_walk_same(&walk, mount))
			interp->flags |= TAP_F_RACED;
	}
	if (flags == TAP_TEXT_ABSENT)
		len = 0;
	memmove(walk.buffer, walk.buffer + walk.room - len, len);
	if (len)
		words -= tap_interp_append_bytes(interp, (u64 *)walk.buffer, len);
	tap_interp_append_zeros(interp, words);
	return len | flags;
}
NOKPROBE_SYMBOL(tap_interp_path);
