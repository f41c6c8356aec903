/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Creating a probe from a spec that stays the caller's structure. Private to libtap.
 */
#ifndef _TAP_SESSION_PROBE_CREATE_H
#define _TAP_SESSION_PROBE_CREATE_H

#include <libtap.h>

int tap_probe_create_from(struct tap_probes *probes,
			  struct tap_session *session, struct tap_spec *spec,
			  struct tap_error *err);

#endif /* _TAP_SESSION_PROBE_CREATE_H */
