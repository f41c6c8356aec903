/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree as a flame graph: one SVG file that needs only a browser.
 */
#ifndef _TOOL_FLAME_SVG_H
#define _TOOL_FLAME_SVG_H

#include <stdio.h>

#include "flame/tree.h"

/**
 * struct flame_svg - a flame graph
 * @tree: finished; its sum is not 0
 * @title: the line at the top; any bytes
 * @subtitle: the line below it; any bytes
 * @duration: weights are nanoseconds; else events
 */
struct flame_svg {
	const struct flame_tree *tree;
	const char *title;
	const char *subtitle;
	bool duration;
};

/**
 * flame_print_svg() - write the SVG
 * @svg: the flame graph
 * @to: output
 *
 * The root is at the bottom. Frames too narrow to be visible are left out.
 */
void flame_print_svg(const struct flame_svg *svg, FILE *to);

#endif /* _TOOL_FLAME_SVG_H */
