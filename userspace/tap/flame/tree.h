/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many stacks as one tree: what they have in common from the root on is there
 * once. Nodes go by their number, the root being 0.
 */
#ifndef _TOOL_FLAME_TREE_H
#define _TOOL_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/**
 * enum flame_kind - what a frame is of
 * @FLAME_TASK: the task that all frames above are of
 * @FLAME_USER: its program
 * @FLAME_KERNEL: the kernel
 */
enum flame_kind {
	FLAME_TASK,
	FLAME_USER,
	FLAME_KERNEL,
};

/**
 * struct flame_frame - a frame of a stack
 * @name: number of its name, of flame_tree_name()
 * @kind: enum flame_kind
 */
struct flame_frame {
	__u32 name;
	__u32 kind;
};

/**
 * struct flame_node - a frame of the tree
 * @frame: the frame
 * @parent: the frame that called it
 * @child: the first of those it called; 0: there is none
 * @sibling: the next one of the same parent; 0: there is none
 * @depth: how many lie below it
 * @self: weight of the stacks that end here
 * @total: weight of all stacks that pass here
 * @begin: weight of all that stands before it
 */
struct flame_node {
	struct flame_frame frame;
	__u32 parent;
	__u32 child;
	__u32 sibling;
	__u32 depth;
	__u64 self;
	__u64 total;
	__u64 begin;
};

/**
 * struct flame_slot - a place of a hash table
 * @hash: of what is there
 * @value: its number and 1; 0: nothing is there
 */
struct flame_slot {
	__u32 hash;
	__u32 value;
};

/**
 * struct flame_table - a hash table of numbers
 * @slots: a power of two of them
 * @mask: their number less 1
 * @nr: how many are taken
 */
struct flame_table {
	struct flame_slot *slots;
	size_t mask;
	size_t nr;
};

/**
 * struct flame_tree - the tree
 * @nodes: each behind its parent
 * @nr: number of @nodes
 * @room: how many there is room for
 * @sum: of all weights
 * @text: the names, one behind the other, each with a final 0
 * @text_len: bytes of @text
 * @text_room: bytes allocated
 * @by_frame: finds a node by its parent and its frame
 * @by_name: finds a name
 */
struct flame_tree {
	struct flame_node *nodes;
	size_t nr;
	size_t room;
	__u64 sum;
	char *text;
	size_t text_len;
	size_t text_room;
	struct flame_table by_frame;
	struct flame_table by_name;
};

/**
 * flame_tree_init() - begin with the root alone
 * @tree: filled in; end it with flame_tree_free()
 *
 * Return: 0 or -ENOMEM.
 */
int flame_tree_init(struct flame_tree *tree);

/**
 * flame_tree_free() - free what it holds
 * @tree: may be all zero
 */
void flame_tree_free(struct flame_tree *tree);

/**
 * flame_tree_name() - the number of a name
 * @tree: the tree
 * @name: the name, from anywhere: control characters and what is not UTF-8
 *	become '?', as it does where there is none, and ';', which stands
 *	between frames, becomes ':'
 * @len: bytes of @name
 * @number: set
 *
 * Return: 0 or -ENOMEM.
 */
int flame_tree_name(struct flame_tree *tree, const char *name, size_t len,
		    __u32 *number);

/**
 * flame_tree_add() - add a stack
 * @tree: the tree
 * @frames: its frames, the outermost first
 * @nr: how many
 * @weight: of the stack
 *
 * Return: 0; -ENOMEM; or -EOVERFLOW if the weights do not add up any more.
 */
int flame_tree_add(struct flame_tree *tree, const struct flame_frame *frames,
		   unsigned int nr, __u64 weight);

/**
 * flame_tree_finish() - put siblings in order and add all up
 * @tree: the tree, to which nothing is added any more
 *
 * Return: 0 or -ENOMEM.
 */
int flame_tree_finish(struct flame_tree *tree);

/**
 * flame_tree_next() - go over a finished tree, each node behind its parent
 * @tree: the tree
 * @node: where to go on
 * @down: to what it called first; else that is left out
 *
 * Return: the next one, or 0 at the end.
 */
__u32 flame_tree_next(const struct flame_tree *tree, __u32 node, bool down);

/**
 * flame_tree_text() - the name of a node
 * @tree: the tree
 * @node: the node
 *
 * Return: valid until something is added.
 */
const char *flame_tree_text(const struct flame_tree *tree, __u32 node);

/**
 * flame_hash() - spread bytes over 32 bits; of text it is the same everywhere
 * @hash: of what stands before; 0 at the begin
 * @data: the bytes
 * @len: how many
 *
 * Return: the hash.
 */
__u32 flame_hash(__u32 hash, const void *data, size_t len);

#endif /* _TOOL_FLAME_TREE_H */
