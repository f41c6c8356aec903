/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Functions that must not be probed although the kernel allows it. The module refuses
 * them; libtap checks names in advance, with this same list.
 */
#ifndef _TAPMOD_COMMON_KPROBE_DENYLIST_H
#define _TAPMOD_COMMON_KPROBE_DENYLIST_H

/*
 * Substrings of the names of code in which a breakpoint breaks the kernel:
 *
 *  - code that the kernel rewrites and expects unchanged (static calls), and code that
 *    it copies with the breakpoint and runs elsewhere (ftrace's entry, call thunks);
 *  - code that the breakpoint handler itself executes (return and indirect-call thunks
 *    of the processors' mitigations);
 *  - on debug kernels, functions that a checker calls everywhere (KASAN, KMSAN, KCSAN,
 *    KCOV), and those that check the use of RCU. The handler of a return probe calls
 *    them; with a return probe on them it would recurse until the stack overflows.
 */
#define TAP_DENIED_NAMES						\
	"__SCT__", "ftrace_call", "ftrace_regs_call", "ftrace_stub",	\
	"ftrace_epilogue", "ftrace_graph_call", "__fentry__",		\
	"return_to_handler", "thunk_template",		\
	"return_thunk", "x86_indirect_", "untrain_ret", "srso_",	\
	"__x86_return_skl", "call_depth",				\
	"__asan_", "__hwasan_", "__msan_", "__tsan_", "kasan_check_",	\
	"__sanitizer_cov_", "rcu_is_watching", "rcu_read_lock_any_held",	\
	"rcu_read_lock_held", "debug_lockdep_rcu_enabled",		\
	"rcu_lockdep_current_cpu_online"

/*
 * A function that must not have a return probe. It changes the current task before it returns, so
 * that the kernel looks for the return in another task's calls. On x86 the kernel has it on its
 * own list, but since 6.2 compares an address of that list with one behind endbr64.
 */
#define TAP_DENIED_RETURN	"__switch_to"

#endif /* _TAPMOD_COMMON_KPROBE_DENYLIST_H */
