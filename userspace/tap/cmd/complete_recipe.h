/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shell completion of tap run.
 */
#ifndef _TOOL_CMD_COMPLETE_RECIPE_H
#define _TOOL_CMD_COMPLETE_RECIPE_H

#include <stdbool.h>

/**
 * complete_recipe() - complete the name of a recipe, its arguments and its options
 * @argc: number of @argv
 * @argv: the words behind "tap", the first is "run", the last up to the cursor
 *
 * Return: false if the last word belongs to the options of tap run itself.
 */
bool complete_recipe(int argc, char **argv);

#endif /* _TOOL_CMD_COMPLETE_RECIPE_H */
