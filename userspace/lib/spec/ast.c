// SPDX-License-Identifier: LGPL-2.1
/*
 * The ast: what an event asks for, as it was written.
 */
#include <stdlib.h>
#include <string.h>

#include "spec/ast.h"

/**
 * tap_ast_new() - make an empty one
 * @text: of the event; copied, so that tokens may point into it
 *
 * Return: the ast, or NULL out of memory.
 */
struct tap_ast *tap_ast_new(const char *text)
{
	struct tap_ast *ast = calloc(1, sizeof(*ast));

	if (!ast)
		return NULL;
	ast->text = strdup(text);
	if (!ast->text) {
		free(ast);
		return NULL;
	}
	return ast;
}

/**
 * tap_ast_free() - free it with all its nodes
 * @ast: may be NULL
 */
void tap_ast_free(struct tap_ast *ast)
{
	struct tap_node *node;
	unsigned int i;

	if (!ast)
		return;
	while ((node = ast->nodes)) {
		ast->nodes = node->next;
		free(node->cast);
		free(node);
	}
	for (i = 0; i < ast->nr_texts; i++)
		free(ast->texts[i]);
	free(ast->values);
	free(ast->text);
	free(ast);
}

/**
 * tap_ast_node() - make a node
 * @ast: it belongs to this one, which frees it
 * @kind: of the node
 * @t: its token
 *
 * Return: the node, or NULL out of memory.
 */
struct tap_node *tap_ast_node(struct tap_ast *ast, enum tap_node_kind kind,
			      struct tap_token t)
{
	struct tap_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->t = t;
	node->all = t;
	node->depth = 1;
	node->next = ast->nodes;
	ast->nodes = node;
	return node;
}
