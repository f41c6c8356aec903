/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped files that are truncated while tap reads them.
 */
#ifndef _TOOL_SIGBUS_H
#define _TOOL_SIGBUS_H

#include <stdbool.h>

/**
 * sigbus_catch() - survive the truncation of a mapped file
 *
 * From then on pages behind its new end read as zeros.
 */
void sigbus_catch(void);

/**
 * sigbus_seen() - whether a mapped file was truncated
 *
 * Return: true if tap read behind the end of a mapped file.
 */
bool sigbus_seen(void);

#endif /* _TOOL_SIGBUS_H */
