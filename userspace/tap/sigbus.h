/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are cut while they are read.
 */
#ifndef _TOOL_CUT_FILE_H
#define _TOOL_CUT_FILE_H

#include <stdbool.h>

/**
 * cut_file_catch() - live on when a mapped file is cut
 *
 * What is behind its new end reads as zeros from then on.
 */
void cut_file_catch(void);

/**
 * cut_file_seen() - whether that was needed
 *
 * Return: true if something was read that was not there any more.
 */
bool cut_file_seen(void);

#endif /* _TOOL_CUT_FILE_H */
