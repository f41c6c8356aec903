/* SPDX-License-Identifier: LGPL-2.1 */
#ifndef _TAP_SESSION_DEVICE_H
#define _TAP_SESSION_DEVICE_H

#include <libtap.h>

int tap_device_open(struct tap_error *err);

#endif /* _TAP_SESSION_DEVICE_H */
