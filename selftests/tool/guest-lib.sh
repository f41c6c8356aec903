# SPDX-License-Identifier: GPL-2.0
# Functions that scripts with tests of tap in a guest share; they source this file. Each script has
# parts, functions part_NAME, and prints a line for each test.
# shellcheck shell=sh
# shellcheck disable=SC2034 # the scripts use these variables
export LC_ALL=C
programs=/root/programs
PATH=$PATH:/root/refs-amd64/bin:/root/refs-arm64/bin
passed=0 failed=0 status=0
cd /tmp || exit

# ok NAME CONDITION...: a test; prints the output of the condition and of tap if it fails.
ok() {
	name=$1
	shift
	if "$@" >said 2>&1; then
		echo "ok - $name"
		passed=$((passed + 1))
	else
		echo "not ok - $name; status $status"
		head -n 30 said err out 2>/dev/null | sed 's/^/#   /'
		failed=$((failed + 1))
	fi
}

# Runs tap with a timeout; sets $status.
run() {
	status=0
	timeout 300 tap "$@" >out 2>err </dev/null || status=$?
}

# No events were lost, and the summary says OK.
complete() { [ "$status" = 0 ] && grep -q ' OK$' err && ! grep -q 'COUNTERS MISMATCH' err; }
in_err() { grep -qF -e "$1" err; }
in_out() { grep -qE -e "$1" out; }
# lines NUMBER PATTERN: so many lines of what tap printed match.
lines() { [ "$(grep -cE -e "$2" out)" = "$1" ]; }

# bad TEXT ARGUMENT...: tap refuses the arguments with this text.
bad() {
	text=$1
	shift
	run "$@"
	ok "refused: tap $*" refused
}

refused() { [ "$status" = 1 ] && in_err "$text"; }

# await FILE TEXT: waits until the file has the text; 200 s at most.
await() {
	for _ in $(seq 2000); do
		! grep -qs -e "$2" "$1" || return 0
		usleep 100000
	done
	return 1
}

# copy_symbols: from now on /proc/kallsyms is a copy of itself, until "umount /proc/kallsyms". Printing
# it takes the kernel 0.3 to 0.8 billion instructions, and perf reads it twice in each run. The
# modules must stay the same meanwhile, and what the kernel makes later is missing.
copy_symbols() { cat /proc/kallsyms >/tmp/kallsyms && mount -o bind /tmp/kallsyms /proc/kallsyms; }

# parts NAME...: runs the parts, and prints the number of passed tests.
parts() {
	for part; do
		rm -f out err said
		echo "# $part: $(cut -d ' ' -f 1 /proc/uptime) s"
		part_$part
	done
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
