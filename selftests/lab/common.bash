# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# Shared by the programs of the lab: where things lie and how to speak.

lab=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
src=$(readlink -f "${TAPMOD_SRC:-$lab/../..}")
cache=${TAPMOD_CACHE:-~/.cache/tapmod}
host_arch=$(dpkg --print-architecture)
self=${0##*/}

# Everything the lab has to say goes to stderr: the stdout of "run" is the guest's.
say() { printf '%s: %s\n' "$self" "$*" >&2; }
die() { say "$*"; exit 1; }
usage_error() { say "$*"; usage >&2; exit 2; }

# The directory of kernel $1 (a name that "fetch" knows, or a directory) for architecture $2.
# It holds vmlinux or vmlinuz or both, release (what uname -r says) and build (the tree that
# modules build against). A debug kernel is another one with another source, configuration or
# compiler.
kernel_dir() {
	case $1 in
	*/*) readlink -f "$1" ;;
	*-kasan | *-kcsan) printf '%s/kernel/%s-%s-%s\n' "$cache" "$1" "$2" "$(debug_key "$1")" ;;
	*) printf '%s/kernel/%s-%s\n' "$cache" "$1" "$2" ;;
	esac
}

# The configuration of debug kernel $1, such as 6.12-kasan: what all have, then what this one has.
debug_config() { cat "$lab/debug.config" "$lab/${1#*-}.config"; }

# What debug kernel $1 is made from.
debug_key() {
	{
		cat "$cache/linux-tree-${1%%-*}/packages" 2>/dev/null || :
		debug_config "$1"
		gcc -dumpfullversion
	} | sha256sum | cut -c1-12
}

# Where the modules for kernel $1, architecture $2 are built.
build_dir() {
	local name=${1%/}
	name=${name##*/}
	[ "$2" = amd64 ] || name+=-$2
	printf '%s/build/%s\n' "$src" "$name"
}

# Fetches kernel $1 for architecture $2 unless it is there.
need_kernel() {
	local dir
	case $1 in
	*/*) ;;
	*-kasan | *-kcsan)
		[ "$2" = amd64 ] || die "$1: there are debug kernels for amd64 alone"
		[ -d "$cache/linux-tree-${1%%-*}" ] || "$lab/fetch" "linux-tree-${1%%-*}" || exit
		;;
	esac
	dir=$(kernel_dir "$1" "$2")
	case $1 in
	*/*)
		[ -e "$dir/build" ] && { [ -e "$dir/vmlinux" ] || [ -e "$dir/vmlinuz" ]; } && return
		die "$1: a kernel directory holds vmlinux or vmlinuz, and build (what modules build against)"
		;;
	*) [ -d "$dir" ] || "$lab/fetch" --arch "$2" "$1" || exit ;;
	esac
}

# The programs below the directories $1... that this host cannot run since a library is too old or missing.
# Without those that "fetch" has wrapped, PROGRAM.bin.
lacking_programs() {
	local file said
	{ find -L "$@" -type f -perm -u+x -not -name '*.bin' 2>/dev/null || :; } | while read -r file; do
		[ "$(head -c4 "$file" | tr -d '\0')" = $'\177ELF' ] || continue
		said=$(ldd "$file" 2>&1) || :
		[[ $said != *'not found'* ]] || readlink -f "$file"
	done | LC_ALL=C sort -u
}

# Where the headers in $1 have the programs that a module's build runs.
build_tools() { printf '%s\n' "$1/scripts" "$1/tools/objtool" "$1/tools/bpf/resolve_btfids"; }

# Sets "compiler", arguments of make, for modules of the kernel whose headers are in $1, architecture $2: the
# kernel's own compiler where there is one, else the host's. An older one lacks
# -fmin-function-alignment (gcc 14; the kernel falls back to -falign-functions), and does not
# know counted_by, of which it would warn in the kernel's headers.
kernel_compiler() {
	local want have cross
	compiler=()
	want=$(sed -n 's/^CONFIG_GCC_VERSION=//p' "$1/include/config/auto.conf")
	want=$((${want:-0} / 10000))
	case $2 in
	amd64) cross=x86_64-linux-gnu- ;;
	arm64) cross=aarch64-linux-gnu- ;;
	esac
	! command -v "${cross}gcc-$want" >/dev/null || return 0
	command -v "${cross}gcc" >/dev/null || die "no ${cross}gcc on this host"
	have=$("${cross}gcc" -dumpversion)
	compiler+=(CC="${cross}gcc")
	[ "${have%%.*}" -ge 14 ] || compiler+=(CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=)
	[ "${have%%.*}" -ge "$want" ] || compiler+=(KCFLAGS=-Wno-attributes)
}
