// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that libelf and libdw of elfutils 0.191 and later call and that
 * Debian 13's archives of them lack: search(3)'s trees with a lock. The lock,
 * behind the root, is left alone: tap reads a file in one thread only.
 */
#include <search.h>
#include <stddef.h>

typedef int (*compare_t)(const void *a, const void *b);
typedef void (*free_t)(void *node);

void eu_search_tree_init(void **root);
void eu_search_tree_fini(void **root, free_t free_node);
void *eu_tsearch(const void *key, void **root, compare_t compare);
void *eu_tfind(const void *key, void **root, compare_t compare);
void *eu_tdelete(const void *key, void **root, compare_t compare);
void eu_tdestroy(void **root, free_t free_node);

void eu_search_tree_init(void **root)
{
	*root = NULL;
}

void eu_tdestroy(void **root, free_t free_node)
{
	tdestroy(*root, free_node);
	*root = NULL;
}

void eu_search_tree_fini(void **root, free_t free_node)
{
	eu_tdestroy(root, free_node);
}

void *eu_tsearch(const void *key, void **root, compare_t compare)
{
	return tsearch(key, root, compare);
}

void *eu_tfind(const void *key, void **root, compare_t compare)
{
	return tfind(key, root, compare);
}

void *eu_tdelete(const void *key, void **root, compare_t compare)
{
	return tdelete(key, root, compare);
}
