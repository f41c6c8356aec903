#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR MIT
# Tests the driver tap_day: prints KTAP, for a CI, and ends with 0 if all is as it should be.
# usage: driver_test.sh [JUNIT-FILE], in the directory of tap_day.ko
exec tap expect -q ${1:+--junit "$1"} \
	-e open=call:tap_day:day_open \
	-e release=call:tap_day:day_release \
	-e 'command=call:tap_day:day_command command' \
	-e reset=call:tap_day:day_reset \
	-c 'insmod ./tap_day.ko && printf 12r3 >/dev/tap_day; printf x >/dev/tap_day; rmmod tap_day' \
	'open count == 2' \
	'command count == 5' \
	'reset count == 2' \
	'no open if retval < 0' \
	'no command if retval < 0 && command != 120' \
	'command min(retval) == -25 if command == 120' \
	'command max(duration) < 1s' \
	'every open if retval == 0 to release on pid within 10s' \
	'open if retval == 0 before command on pid'
