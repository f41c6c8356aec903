/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are cut while they are read.
 */
#ifndef _TOOL_SIGBUS_H
#define _TOOL_SIGBUS_H

#include <stdbool.h>

/**
 * sigbus_catch() - live on when a mapped file is cut
 *
 * What is behind its new end reads as zeros from then on.
 */
void sigbus_catch(void);

/**
 * sigbus_seen() - whether that was needed
 *
 * Return: true if something was read that was not there any more.
 */
bool sigbus_seen(void);

#endif /* _TOOL_SIGBUS_H */
