// SPDX-License-Identifier: LGPL-2.1
/*
 * tap_spec_pmu(): values of counters that every record of a probe gets.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lang/lang.h"
#include "spec/ast.h"

void tap_pmu_name(const char *counter, char *name)
{
	size_t len = 0;

	for (; *counter && len < TAP_FIELD_NAME_LEN - 1; counter++) {
		if (isalnum((unsigned char)*counter))
			name[len++] = *counter;
		else if (len && name[len - 1] != '_')
			name[len++] = '_';
	}
	while (len && name[len - 1] == '_')
		len--;
	name[len] = '\0';
}

static int add_counter(struct tap_spec *spec, const char *counter,
		       struct tap_error *err)
{
	struct tap_ast *ast = spec->ast;
	struct tap_item *item = &ast->pmu[ast->nr_pmu];
	char *text = strdup(counter);
	unsigned int i;

	if (tap_ast_keep(ast, text))
		return tap_error_set(err, -ENOMEM, "out of memory");
	*item = (struct tap_item) {
		.text = text, .t = { text, strlen(text) },
	};
	tap_pmu_name(text, item->name);
	for (i = 0; i < ast->nr_pmu; i++)
		if (!strcmp(ast->pmu[i].name, item->name))
			return tap_error_set(err, -EINVAL,
					     "%s: another counter already has the name %s",
					     counter, item->name);
	item->node = tap_ast_node(ast, TAP_NODE_BUILTIN, item->t);
	if (!item->node)
		return tap_error_set(err, -ENOMEM, "out of memory");
	item->node->builtin = TAP_BUILTIN_PMU;
	item->node->value = ast->nr_pmu++;
	return 0;
}

int tap_spec_pmu(struct tap_spec *spec, const char *const *names,
		 unsigned int nr, struct tap_error *err)
{
	unsigned int i;
	int ret = 0;

	if (err)
		memset(err, 0, sizeof(*err));
	if (!spec->ast || spec->ast->nr_pmu)
		return tap_error_set(err, -EINVAL,
				     "tap_spec_pmu() can be called once, before tap_spec_expand()");
	if (nr > TAP_MAX_PMU)
		return tap_error_set(err, -E2BIG,
				     "a record has at most %d counters",
				     TAP_MAX_PMU);
	for (i = 0; i < nr && !ret; i++)
		ret = add_counter(spec, names[i], err);
	return ret;
}
