/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_DEVICE_H
#define _TAPMOD_SESSION_DEVICE_H

int tap_device_init(void);
void tap_device_exit(void);
int tap_may_probe(void);

#endif /* _TAPMOD_SESSION_DEVICE_H */
