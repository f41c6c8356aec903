/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What must not be probed though the kernel lets it be: the one list, for the
 * module, which refuses it, and for libtap, which knows it beforehand.
 */
#ifndef _TAP_DENIED_H
#define _TAP_DENIED_H

/*
 * Parts of the names of code that the kernel cannot live with a breakpoint in:
 * trampolines that it rewrites and does not expect to find changed (static
 * calls), and those that its breakpoint handler itself goes through (returns and
 * indirect calls, in all that the mitigations of one or the other processor make
 * of them).
 */
#define TAP_DENIED_NAMES						\
	"__SCT__", "return_thunk", "x86_indirect_", "untrain_ret",	\
	"srso_", "__x86_return_skl", "call_depth"

#endif /* _TAP_DENIED_H */
