# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by tests that need a module with errors: plant, which builds a copy of the module for 6.1 in
# build/planted/tree, once for all of them. Without parameters the copy behaves as the module does:
#   fault=N      error N, which a test of tap doctor --selftest must report
#   restart=1    the counter restarts in a suspend, as that of many machines does
#   back=TICKS   the counter is behind by so much

# The texts are replaced in this directory.
planted=build/planted/new
missing=0
list_check=''

# replace FILE OLD NEW: OLD must occur once.
replace() {
	local file=$1 old=$2 new=$3 dir=$planted text
	[ -z "$list_check" ] || dir=.
	text=$(cat "$dir/$file" && echo .)
	if [[ $text != *"$old"* || ${text#*"$old"} == *"$old"* ]]; then
		echo "not ok - what is to be replaced is not in $file, or not once: $old"
		missing=$((missing + 1))
	elif [ -z "$list_check" ]; then
		text=${text/"$old"/"$new"}
		printf %s "${text%.}" >"$dir/$file"
	fi
}

replace_all() {
	replace module/ring/clock.h 'static __always_inline u64 tap_clock_counter(void)' 'extern int tap_fault;
extern unsigned int tap_fault_events;
extern unsigned long tap_back;
static __always_inline u64 tap_clock_counter(void)'
	replace module/session/main.c 'static int __init tap_init(void)' '#include <linux/moduleparam.h>
int tap_fault;
unsigned int tap_fault_events;
module_param_named(fault, tap_fault, int, 0644);
static int __init tap_init(void)'
	replace module/exec/record_write.h '	this_cpu_inc(counters->lost_full);' '	if (tap_fault != 1)
		this_cpu_inc(counters->lost_full);'
	replace module/exec/verifier.c 'static int tap_verify_arg(' 'extern int tap_fault;
static int tap_verify_arg('
	replace module/exec/verifier.c 'tap_verify_base(insn, v->env->arg_offset[insn->off])' \
		'tap_verify_base(insn, v->env->arg_offset[tap_fault == 2 && insn->off == 1 ? 0 : insn->off])'
	replace module/ring/clock.h 'return rdtsc();' \
		'return rdtsc() - READ_ONCE(tap_back) - (tap_fault == 3 && raw_smp_processor_id() == 1 ? 100000 : 0);'
	replace module/ring/clock.c 'static __always_inline u64 tap_clock_ordered(void)' 'extern int tap_fault;
static __always_inline u64 tap_clock_ordered(void)'
	replace module/ring/clock.c 'return rdtsc_ordered();' \
		'return rdtsc_ordered() - (tap_fault == 9 && raw_smp_processor_id() == 1 ? 100000 : 0);'
	replace module/session/device.c '	tap_sessions_remove(session);
' '	if (tap_fault == 4)
		return 0;
	tap_sessions_remove(session);
'
	replace module/exec/aggregate.c '			tap_add_local(at, value);
			break;
		case TAP_AGG_MIN:' '			tap_add_local(at, value + (tap_fault == 5));
			break;
		case TAP_AGG_MIN:'
	replace module/exec/fastpath_compile.c '		op->span = U64_MAX - imm;
' '		op->span = U64_MAX - imm;
		if (tap_fault == 6) {
			op->low = 0;
			op->span = imm - 1;
		}
'
	replace module/exec/call_run.h 'likely(tap_fastpath_leave(probe, fp, call, retval, flags))' \
		'likely(tap_fastpath_leave(probe, fp, call, retval + (tap_fault == 7), flags))'
	replace module/exec/fastpath_run.h '	const struct tap_fastpath_op *op = fp->ops;
	unsigned int left;

	for (left = fp->filters; left' '	const struct tap_fastpath_op *op = fp->ops;
	unsigned int left;

	if (tap_fault == 8 && tap_fault_events++ % 100 == 99)
		return false;
	for (left = fp->filters; left'
	replace module/ring/clock_jump.c 'static int tap_jump_suspend TAP_SYSCORE_PARAMS
{' '#include <linux/moduleparam.h>
unsigned long tap_back;
static int tap_restart;
module_param_named(back, tap_back, ulong, 0644);
module_param_named(restart, tap_restart, int, 0644);
static int tap_jump_suspend TAP_SYSCORE_PARAMS
{'
	replace module/ring/clock_jump.c '	raw_spin_unlock(&tap_jump_lock);
	return 0;' '	raw_spin_unlock(&tap_jump_lock);
	if (tap_restart)
		tap_back = rdtsc() - 1000000;
	return 0;'
}

# Only checks that each text to replace is in its file exactly once.
plant_list_check() {
	list_check=1
	replace_all
	[ $missing -eq 0 ]
}

# Files that are as they were keep their time: what need not be compiled again is not.
plant() {
	local tree=$PWD/build/planted/tree file
	mkdir -p "$tree"
	exec 8>"$tree/../lock"
	flock 8
	rm -rf "$planted"
	find Kbuild VERSION module uapi -type f -exec install -D -m 644 {} "$planted/{}" ';'
	replace_all
	[ $missing -eq 0 ] || return 1
	# The tests use the released tap.
	install -D build/tap "$planted/build/tap" || return
	(cd "$planted" && find . -type f) | while read -r file; do
		cmp -s "$planted/$file" "$tree/$file" || install -D "$planted/$file" "$tree/$file" || exit
	done || return
	(cd "$tree" && find Kbuild VERSION module uapi -type f) | while read -r file; do
		[ -e "$planted/$file" ] || rm "$tree/$file" || exit
	done || return
	export TAPMOD_SRC=$tree
	selftests/lab/kbuild 6.1 8>&- || return
	exec 8>&-
}
