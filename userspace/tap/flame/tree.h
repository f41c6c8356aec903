/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Many stacks merged into one tree: frames that stacks share from the root on are
 * one node. Nodes are numbered; the root is 0.
 */
#ifndef _TOOL_FLAME_TREE_H
#define _TOOL_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/**
 * enum flame_kind - what a frame stands for
 * @FLAME_TASK: the task; its frames are above
 * @FLAME_USER: a function of the program
 * @FLAME_KERNEL: a function of the kernel
 */
enum flame_kind {
	FLAME_TASK,
	FLAME_USER,
	FLAME_KERNEL,
};

/**
 * struct flame_frame - a frame of a stack
 * @name: number of its name, from flame_tree_name()
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
 * @child: the first frame that it called; 0 for none
 * @sibling: the next frame with the same parent; 0 for none
 * @depth: number of frames between it and the root
 * @self: weight of the stacks that end here
 * @total: weight of the stacks that contain it
 * @begin: weight of everything to the left of it
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
 * struct flame_slot - a slot of a hash table
 * @hash: of the entry
 * @value: number of the entry plus 1; 0 if the slot is empty
 */
struct flame_slot {
	__u32 hash;
	__u32 value;
};

/**
 * struct flame_table - a hash table of numbers
 * @slots: their number is a power of two
 * @mask: number of @slots minus 1
 * @nr: number of slots in use
 */
struct flame_table {
	struct flame_slot *slots;
	size_t mask;
	size_t nr;
};

/**
 * struct flame_tree - the tree
 * @nodes: a parent comes before its children
 * @nr: number of @nodes
 * @room: allocated nodes
 * @sum: sum of all weights
 * @text: all names, each with a final 0
 * @text_len: bytes of @text in use
 * @text_room: bytes allocated
 * @by_frame: hash table of nodes, by parent and frame
 * @by_name: hash table of names
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
 * flame_tree_init() - create a tree of the root alone
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
 * @name: any bytes: control characters and invalid UTF-8 become '?', and so does
 *	an empty name; ';', which separates frames, becomes ':'
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
 * @nr: number of @frames
 * @weight: of the stack
 *
 * Return: 0; -ENOMEM; or -EOVERFLOW if the sum of all weights overflows.
 */
int flame_tree_add(struct flame_tree *tree, const struct flame_frame *frames,
		   unsigned int nr, __u64 weight);

/**
 * flame_tree_finish() - sort siblings and add up weights
 * @tree: the tree; no stack may be added after this
 *
 * Return: 0 or -ENOMEM.
 */
int flame_tree_finish(struct flame_tree *tree);

/**
 * flame_tree_next() - walk a finished tree, parents before children
 * @tree: the tree
 * @node: the current node
 * @down: visit the children of @node; else skip them
 *
 * Return: the next node, or 0 at the end.
 */
__u32 flame_tree_next(const struct flame_tree *tree, __u32 node, bool down);

/**
 * flame_tree_text() - the name of a node
 * @tree: the tree
 * @node: the node
 *
 * Return: the name, valid until a name is added.
 */
const char *flame_tree_text(const struct flame_tree *tree, __u32 node);

/**
 * flame_hash() - hash bytes; the same on all machines for text
 * @hash: hash of the bytes before; 0 for the first
 * @data: the bytes
 * @len: bytes of @data
 *
 * Return: the hash.
 */
__u32 flame_hash(__u32 hash, const void *data, size_t len);

#endif /* _TOOL_FLAME_TREE_H */
