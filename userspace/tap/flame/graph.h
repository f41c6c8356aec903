/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree as a file: a flame graph, or folded stacks.
 */
#ifndef _TOOL_FLAME_GRAPH_H
#define _TOOL_FLAME_GRAPH_H

#include "flame/svg.h"

/**
 * flame_write() - write a tree to a file
 * @svg: the flame graph
 * @folded: write a line for each stack instead of the SVG
 * @path: the file, which is replaced; NULL or "-": standard output, whose errors main() reports
 *
 * Return: false after printing an error message.
 */
bool flame_write(const struct flame_svg *svg, bool folded, const char *path);

#endif /* _TOOL_FLAME_GRAPH_H */
