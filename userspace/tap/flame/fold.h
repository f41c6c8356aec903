/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stacks of events, folded into a tree.
 */
#ifndef _TOOL_FLAME_FOLD_H
#define _TOOL_FLAME_FOLD_H

#include <stdio.h>

#include "flame/tree.h"
#include "tool.h"

/**
 * struct flame_fold - events being folded
 * @tree: the tree
 * @names: how addresses are named; its resolvers, its clock and its probes are
 *	used
 * @duration: stacks weigh as long as the call took, ns; else 1
 * @events: how many were seen
 * @stackless: of these, how many had no stack
 * @timeless: of those that had one, how many had no duration
 */
struct flame_fold {
	struct flame_tree tree;
	struct tap_formatter_opts names;
	bool duration;
	__u64 events;
	__u64 stackless;
	__u64 timeless;
};

/**
 * flame_fold_event() - add the stack of an event
 * @fold: the tree is initialized, @names and @duration are set
 * @ev: an event that was decoded
 *
 * Its frames are the task's name, then those of the program, then those of the
 * kernel, the outermost first. One that stands for what was cut is "[...]".
 *
 * Return: 0 or -errno of flame_tree_add().
 */
int flame_fold_event(struct flame_fold *fold, const struct tap_event *ev);

/**
 * flame_has_stack() - whether the events of a probe can have a stack
 * @spec: of the probe
 *
 * Return: true if one of its fields is a stack.
 */
bool flame_has_stack(const struct tap_spec *spec);

/**
 * flame_has_duration() - whether the events of a probe have a duration
 * @spec: of the probe
 *
 * Return: true if they are calls.
 */
bool flame_has_duration(const struct tap_spec *spec);

/**
 * flame_print_folded() - print a line for each stack, its frames and its weight
 * @tree: a finished tree
 * @to: where to
 */
void flame_print_folded(const struct flame_tree *tree, FILE *to);

#endif /* _TOOL_FLAME_FOLD_H */
