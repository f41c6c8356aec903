/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_FASTPATH_COMPILE_H
#define _TAPMOD_EXEC_FASTPATH_COMPILE_H

struct tapmod_probe;

int tap_fastpath_make(struct tapmod_probe *probe);

#endif /* _TAPMOD_EXEC_FASTPATH_COMPILE_H */
