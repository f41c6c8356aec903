/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names of addresses in code, and stacks. Private to format/.
 */
#ifndef _TAP_FORMAT_STACK_H
#define _TAP_FORMAT_STACK_H

#include <libtap.h>

size_t tap_frame_max(const struct tap_formatter_opts *opts);
char *tap_put_frame(char *p, const struct tap_formatter_opts *opts, bool user, __u64 addr);
size_t tap_stack_max(const struct tap_formatter_opts *opts, size_t frames);
char *tap_put_stack(char *p, const struct tap_formatter_opts *opts, bool user,
		    const __u64 *frames, size_t nr, __u64 head);
char *tap_put_lost_stack(char *p, const struct tap_formatter_opts *opts, __u64 id);
char *tap_put_no_stack(char *p, const struct tap_formatter_opts *opts,
		       bool user, bool hidden);

#endif /* _TAP_FORMAT_STACK_H */
