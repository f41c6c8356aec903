/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The JavaScript of a flame graph, which makes it zoom and search.
 */
#ifndef _TOOL_FLAME_SVG_SCRIPT_H
#define _TOOL_FLAME_SVG_SCRIPT_H

extern const char flame_script[];

#endif /* _TOOL_FLAME_SVG_SCRIPT_H */
