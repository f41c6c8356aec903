/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree as a flame graph: one SVG file that needs nothing but a browser.
 */
#ifndef _TOOL_FLAME_SVG_H
#define _TOOL_FLAME_SVG_H

#include <stdio.h>

#include "flame/tree.h"

/**
 * struct flame_svg - what is drawn
 * @tree: finished; its sum is not 0
 * @title: the line at the top, from anywhere
 * @subtitle: the line below it
 * @duration: weights are nanoseconds; else events
 */
struct flame_svg {
	const struct flame_tree *tree;
	const char *title;
	const char *subtitle;
	bool duration;
};

/**
 * flame_print_svg() - draw it
 * @svg: what
 * @to: where to
 *
 * The root is at the bottom. Frames too narrow to be seen are left out.
 */
void flame_print_svg(const struct flame_svg *svg, FILE *to);

#endif /* _TOOL_FLAME_SVG_H */
