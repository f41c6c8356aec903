/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_DEVICE_H
#define _TAP_DEVICE_H

int tap_device_init(void);
void tap_device_exit(void);

#endif /* _TAP_DEVICE_H */
