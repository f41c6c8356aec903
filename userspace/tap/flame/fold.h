/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folds the stacks of events into a tree.
 */
#ifndef _TOOL_FLAME_FOLD_H
#define _TOOL_FLAME_FOLD_H

#include <stdio.h>

#include "flame/tree.h"
#include "tool.h"

/**
 * struct flame_fold - events being folded
 * @tree: the tree
 * @names: its resolvers, its clock and its probes are used to name addresses
 * @lines: names of frames have the line of the source
 * @duration: the weight of a stack is the duration of the call, ns; else 1
 * @events: events seen
 * @stackless: of @events, events without a stack
 * @timeless: events with a stack but without the duration that @duration needs
 */
struct flame_fold {
	struct flame_tree tree;
	struct tap_formatter_opts names;
	bool lines;
	bool duration;
	__u64 events;
	__u64 stackless;
	__u64 timeless;
};

/**
 * flame_fold_event() - add the stack of an event
 * @fold: the tree is initialized, @names, @lines and @duration are set
 * @ev: a decoded event
 *
 * Its frames are the name of the task, then those of the program, then those of
 * the kernel, the outermost first. A function that is inlined in another one is a frame
 * of its own, "copy (inlined)". "[...]" stands for frames that were truncated.
 *
 * Return: 0 or -errno from flame_tree_add().
 */
int flame_fold_event(struct flame_fold *fold, const struct tap_event *ev);

/**
 * flame_fold_stack() - add a stack of the kernel that is not in an event
 * @fold: the tree is initialized, @names and @lines are set
 * @root: the frame below it, in place of the name of a task
 * @words: a word of TAP_TEXT_*, then addresses, the innermost first
 * @room: number of addresses at @words, at most %TAP_MAX_STACK
 * @weight: of the stack
 *
 * Return: 0 or -errno from flame_tree_add().
 */
int flame_fold_stack(struct flame_fold *fold, const char *root, const __u64 *words,
		     unsigned int room, __u64 weight);

/**
 * flame_frame_name() - the function of a frame
 * @text: "func+0x10 [object] file.c:12"
 * @len: set to the bytes of the name
 *
 * Return: the name in @text; without a function the object, as in "0x12345 [object]".
 */
const char *flame_frame_name(const char *text, size_t *len);

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
 * @to: output
 */
void flame_print_folded(const struct flame_tree *tree, FILE *to);

#endif /* _TOOL_FLAME_FOLD_H */
