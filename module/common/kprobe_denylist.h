/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What must not be probed though the kernel lets it be: the one list, for the
 * module, which refuses it, and for libtap, which knows it beforehand.
 */
#ifndef _TAPMOD_COMMON_KPROBE_DENYLIST_H
#define _TAPMOD_COMMON_KPROBE_DENYLIST_H

/*
 * Parts of the names of code that the kernel cannot live with a breakpoint in:
 *
 *  - what it rewrites and does not expect to find changed (static calls), and what it
 *    copies, breakpoint and all, and runs elsewhere (ftrace's entry, call thunks);
 *  - what its breakpoint handler itself goes through (returns and indirect calls, in
 *    all that the mitigations of one or the other processor make of them);
 *  - of debug kernels, what a checker has put everywhere (KASAN, KMSAN, KCSAN, KCOV),
 *    and what checks the use of RCU. A return that was waited for calls these while
 *    nothing keeps it from waiting for theirs, and so on until the stack ends.
 */
#define TAP_DENIED_NAMES						\
	"__SCT__", "ftrace_call", "ftrace_regs_call", "ftrace_stub",	\
	"__fentry__", "return_to_handler", "thunk_template",		\
	"return_thunk", "x86_indirect_", "untrain_ret", "srso_",	\
	"__x86_return_skl", "call_depth",				\
	"__asan_", "__hwasan_", "__msan_", "__tsan_", "kasan_check_",	\
	"__sanitizer_cov_", "rcu_is_watching", "rcu_read_lock_any_held",	\
	"rcu_read_lock_held", "debug_lockdep_rcu_enabled",		\
	"rcu_lockdep_current_cpu_online"

#endif /* _TAPMOD_COMMON_KPROBE_DENYLIST_H */
