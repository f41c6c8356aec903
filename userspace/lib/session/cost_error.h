/* SPDX-License-Identifier: LGPL-2.1 */
#ifndef _TAP_SESSION_COST_ERROR_H
#define _TAP_SESSION_COST_ERROR_H

struct tap_error;
struct tap_spec;

int tap_explain_cost(struct tap_error *err, int code, const char *what,
		     const struct tap_spec *spec);

#endif /* _TAP_SESSION_COST_ERROR_H */
