# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced after common.bash by scripts that work as root in copies of a Debian system of the cache. All
# mounts, processes and files are in namespaces of the script's own, which end with it. There is no
# network.

# Sets "inside" if $1 is --inside; see debian_namespaces.
inside=''
[ "${1:-}" != --inside ] || inside=1

# Runs this script again, with --inside and the arguments $2..., in namespaces of its own. It has $1
# seconds.
debian_namespaces() {
	mkdir -p "$cache/tmp/debian"
	exec timeout -k 1 "$1" unshare -mnpf --kill-child --propagation private --mount-proc \
		"$0" --inside "${@:2}"
}

# A file system in memory at $scratch, with a directory for temporary files.
debian_scratch() {
	scratch=$cache/tmp/debian
	mount -t tmpfs -o mode=700 tmpfs "$scratch" && mkdir "$scratch/tmp" || exit
	export TMPDIR=$scratch/tmp
	out=$scratch/out
}

# debian_copy ROOT NAME: mounts at $root=$scratch/NAME a copy of the Debian system ROOT, which changes in
# memory alone; the repository is its /mnt.
debian_copy() {
	root=$scratch/$2
	mkdir -p "$scratch/$2.changes"/{upper,work} "$root"
	mount -t overlay -o "lowerdir=$1,upperdir=$scratch/$2.changes/upper,workdir=$scratch/$2.changes/work" \
		overlay "$root" || exit
	mount -t proc proc "$root/proc" || exit
	mount --rbind /dev "$root/dev" || exit
	mount --bind -o ro "$src" "$root/mnt" || exit
}

# in_debian COMMAND...: runs it in the Debian system at $root as root, or with the options $as of chroot;
# writes $out, sets $status.
in_debian() {
	status=0
	timeout -k 5 3600 chroot "${as[@]}" "$root" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		PATH="${path:-/usr/sbin:/usr/bin:/sbin:/bin}" "$@" >"$out" 2>&1 </dev/null || status=$?
}
as=()

passed=0 failed=0 skipped=0

# check TEXT CONDITION...: reports whether the condition, a command, succeeds.
check() {
	if "${@:2}" >/dev/null 2>&1; then
		echo "ok $1"
		passed=$((passed + 1))
	else
		echo "not ok $1: status $status"
		tail -n 40 "$out" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}
succeeded() { [ "$status" -eq 0 ]; }
complained() { [ "$status" -ne 0 ] && grep -qF -- "$1" "$out"; }
printed() { [ "$(cat "$out")" = "$1" ]; }
# No file has tapmod in its name; the repository is another file system.
absent() { [ -z "$(find "$root" -xdev -name '*tapmod*' -print -quit)" ]; }
