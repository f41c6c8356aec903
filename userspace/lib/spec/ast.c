// SPDX-License-Identifier: LGPL-2.1
/*
 * The ast: memory for the parsed text of an event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/ast.h"
#include "spec/spec.h"

/**
 * tap_ast_new() - make an empty ast
 * @text: of the event; copied, so that tokens may point into it
 *
 * Return: the ast; NULL if there is no memory.
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
 * tap_ast_free() - free an ast with its nodes and texts
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
	free(ast->texts);
	if (ast->span) {
		tap_spec_free(ast->span->side[0]);
		tap_spec_free(ast->span->side[1]);
	}
	free(ast->span);
	free(ast->tables);
	free(ast->insides);
	free(ast->values);
	free(ast->text);
	free(ast);
}

/**
 * tap_ast_keep() - give the ast a text that tokens point into
 * @ast: frees it with the nodes
 * @text: allocated, or NULL; freed on failure
 *
 * Return: 0, or -ENOMEM.
 */
int tap_ast_keep(struct tap_ast *ast, char *text)
{
	char **texts = text ? realloc(ast->texts, (ast->nr_texts + 1) * sizeof(*texts)) : NULL;

	if (!texts) {
		free(text);
		return -ENOMEM;
	}
	ast->texts = texts;
	texts[ast->nr_texts++] = text;
	return 0;
}

/**
 * tap_ast_node() - make a node
 * @ast: owns the node
 * @kind: enum tap_node_kind
 * @t: its token
 *
 * Return: the node; NULL if there is no memory.
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
