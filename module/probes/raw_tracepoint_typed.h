/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_RAW_TRACEPOINT_TYPED_H
#define _TAPMOD_PROBES_RAW_TRACEPOINT_TYPED_H

#include <linux/types.h>

#include "compat/hooks.h"

#if TAP_CFI
void *tap_rawtp_typed_handler(const char *name);
#else
/* Not called: handlers of any prototype may be registered. */
static inline void *tap_rawtp_typed_handler(const char *name)
{
	return NULL;
}
#endif

#endif /* _TAPMOD_PROBES_RAW_TRACEPOINT_TYPED_H */
