# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# A browser without a screen. For scripts that have sourced lab/common.bash and have a directory $work.

browser=$(command -v chromium-headless-shell || command -v chromium || :)
browser_libs=''
if [ -z "$browser" ]; then
	selftests/lab/fetch browser || exit
	browser=$cache/chromium-$host_arch/usr/lib/chromium/chromium-headless-shell
	browser_libs=$(printf '%s:' "$cache/chromium-$host_arch"/usr/lib/*-linux-gnu{,/pulseaudio})
fi

# browse ADDRESS OPTION...: sets $status, writes the browser's output to out and its log to err. Its
# sandbox does not work for root; the pages are our own.
browse() {
	status=0
	LD_LIBRARY_PATH=$browser_libs timeout -k 5 120 "$browser" --headless --no-sandbox --window-size=1200,800 \
		--user-data-dir="$work/browser" --enable-logging=stderr "${@:2}" "file://$1" \
		>"$work/out" 2>"$work/err" </dev/null || status=$?
}
