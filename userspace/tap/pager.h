/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pager between the tool and a terminal.
 */
#ifndef _TOOL_PAGER_H
#define _TOOL_PAGER_H

#include <stdbool.h>

/**
 * pager_open() - show what is printed from now on page by page
 *
 * Does nothing unless standard output is a terminal. The command is that of PAGER, by default
 * less; none if PAGER is empty or cat. Messages on a terminal go the same way, as the pager has
 * the screen. ^C is left to the pager.
 */
void pager_open(void);

/* Whether what is printed goes to a pager, and so to a terminal. */
bool pager_is_open(void);

/* Prints to the terminal again when the user has left the pager. */
void pager_close(void);

#endif /* _TOOL_PAGER_H */
