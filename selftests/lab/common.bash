# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# Sourced by the scripts of the lab: paths, messages, and functions that they share.

lab=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
src=$(readlink -f "${TAPMOD_SRC:-$lab/../..}")
cache=${TAPMOD_CACHE:-~/.cache/tapmod}
host_arch=$(dpkg --print-architecture)
self=${0##*/}

# Messages of the lab go to stderr: the stdout of "run" is the guest's.
say() { printf '%s: %s\n' "$self" "$*" >&2; }
die() { say "$*"; exit 1; }
usage_error() { say "$*"; usage >&2; exit 2; }

# Prints the directory of kernel $1 (a name that "fetch" knows, or a directory) for architecture $2.
# It contains vmlinux or vmlinuz or both, release (the output of uname -r) and build (the tree that
# modules are built against). The directory of a kernel that is compiled here is named after a hash
# of its source, configuration and compiler.
kernel_dir() {
	case $1 in
	*/*) readlink -f "$1" ;;
	*)
		if is_compiled "$1"; then
			printf '%s/kernel/%s-%s-%s\n' "$cache" "$1" "$2" "$(compiled_key "$1")"
		else
			printf '%s/kernel/%s-%s\n' "$cache" "$1" "$2"
		fi
		;;
	esac
}

# Whether kernel $1 is compiled here, such as 6.12-kasan; the others are Debian's.
is_compiled() {
	case $1 in
	*/*) return 1 ;;
	*-kasan | *-kcsan | *-small | *-bare | *-cfi | *-fault | *-gcov) return 0 ;;
	*) return 1 ;;
	esac
}

# The configuration of kernel $1, such as 6.12-kasan: the common parts, then its own.
compiled_config() {
	local parts=("$lab/machine.config")
	case $1 in *-kasan | *-kcsan) parts+=("$lab/debug.config") ;; esac
	cat "${parts[@]}" "$lab/${1#*-}.config"
}

# The compiler of kernel $1: CFI needs clang 16 or newer.
compiled_with() {
	case $1 in
	*-cfi) compgen -c clang- | grep -E '^clang-[0-9]+$' | sort -t - -k 2 -n | tail -n 1 ;;
	*) echo gcc ;;
	esac
}

# A hash of the input of the build of kernel $1.
compiled_key() {
	{
		cat "$cache/linux-tree-${1%%-*}/packages" 2>/dev/null || :
		compiled_config "$1"
		# clang does not know the option.
		"$(compiled_with "$1")" -dumpfullversion 2>/dev/null || "$(compiled_with "$1")" --version
	} | sha256sum | cut -c1-12
}

# The directory where modules for kernel $1, architecture $2 are built.
build_dir() {
	local name=${1%/}
	name=${name##*/}
	[ "$2" = amd64 ] || name+=-$2
	printf '%s/build/%s\n' "$src" "$name"
}

# Fetches kernel $1 for architecture $2 if it is missing.
need_kernel() {
	local dir
	if is_compiled "$1"; then
		[ "$2" = amd64 ] || die "$1: kernels are compiled for amd64 alone"
		[ -d "$cache/linux-tree-${1%%-*}" ] || "$lab/fetch" "linux-tree-${1%%-*}" || exit
	fi
	dir=$(kernel_dir "$1" "$2")
	case $1 in
	*/*)
		[ -e "$dir/build" ] && { [ -e "$dir/vmlinux" ] || [ -e "$dir/vmlinuz" ]; } && return
		die "$1: a kernel directory holds vmlinux or vmlinuz, and build (what modules build against)"
		;;
	*) [ -d "$dir" ] || "$lab/fetch" --arch "$2" "$1" || exit ;;
	esac
}

# Lists the programs below the directories $1... that this host cannot run because a library is too
# old or missing. Skips programs that "fetch" has wrapped (PROGRAM.bin).
lacking_programs() {
	local file said
	{ find -L "$@" -type f -perm -u+x -not -name '*.bin' 2>/dev/null || :; } | while read -r file; do
		[ "$(head -c4 "$file" | tr -d '\0')" = $'\177ELF' ] || continue
		said=$(ldd "$file" 2>&1) || :
		[[ $said != *'not found'* ]] || readlink -f "$file"
	done | LC_ALL=C sort -u
}

# Where the headers in $1 have the programs that the build of a module runs.
build_tools() { printf '%s\n' "$1/scripts" "$1/tools/objtool" "$1/tools/bpf/resolve_btfids"; }

# Sets "compiler", arguments of make, for modules of the kernel with headers $1, architecture $2:
# the compiler that built the kernel if it is installed (always if that is clang), else the host's. An older compiler lacks
# -fmin-function-alignment (gcc 14; the kernel falls back to -falign-functions) and counted_by; the
# kernel's headers use both, and the compiler would warn.
kernel_compiler() {
	local want have cross
	compiler=()
	want=$(sed -n 's/^CONFIG_CLANG_VERSION=//p' "$1/include/config/auto.conf")
	if [ "${want:-0}" -gt 0 ]; then
		compiler=(LLVM="-$((want / 10000))")
		return
	fi
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

# Writes the BTF of the kernel image $1, an ELF file or arm64's plain image, to the file $2. In a plain
# image it begins with a magic number, the version, flags and the length of the header, whose last words
# are the place and the length of the strings, which come last.
extract_btf() {
	local at header
	objcopy -O binary --only-section=.BTF "$1" "$2" 2>/dev/null && [ -s "$2" ] && return
	at=$(LC_ALL=C grep -aboP -m 1 '\x9f\xeb\x01\x00\x18\x00{3}\x00{4}' "$1" | LC_ALL=C sed 's/:.*//;q')
	[ -n "$at" ] || return
	read -ra header < <(od -An -tu4 -w24 -j "$at" -N 24 "$1")
	dd if="$1" of="$2" bs=1M iflag=skip_bytes,count_bytes status=none \
		skip="$at" count=$((24 + header[4] + header[5]))
}

# Adds BTF to module $1 of architecture $5 if it has none. It refers to the BTF of the kernel in the
# directory $2 with headers $4, which is extracted to the file $3; without an image that the host can
# read, the module stays as it is.
add_btf() {
	local options=(--btf_gen_floats) image=$2/vmlinux release objcopy=objcopy
	[ -e "$image" ] || image=$2/vmlinuz
	[ -e "$image" ] || return 0
	! readelf -SW "$1" | grep -q ' \.BTF ' || return 0
	extract_btf "$image" "$3" || return 0
	# Kernels before 6.0 refuse modules with the newer encoding of enumerations.
	release=$(cat "$4/include/config/kernel.release")
	[ "${release%%.*}" -ge 6 ] || [ "$(pahole --numeric_version)" -lt 124 ] ||
		options+=(--skip_encoding_btf_enum64)
	[ "$5" = "$host_arch" ] || objcopy=aarch64-linux-gnu-objcopy
	# Without this, an old pahole uses llvm-objcopy to write the section.
	LLVM_OBJCOPY=$objcopy pahole -J "${options[@]}" --btf_base "$3" "$1"
}
