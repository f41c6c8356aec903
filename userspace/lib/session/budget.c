// SPDX-License-Identifier: LGPL-2.1
/*
 * From the programs of a session's probes to what an event of each takes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libtap.h>

#include "session/session.h"
#include "spec/probe_table.h"
#include "util/util.h"

_Static_assert(TAP_PROBE_USER_WATCH < TAP_COST_KINDS, "each type has a cost");
_Static_assert(sizeof(struct tap_costs) == 4 * (TAP_COST_KINDS + 5),
	       "struct tap_costs is part of the ABI of libtap");

/* An event that goes into an aggregation, and a key or value of it: instructions. */
#define AGGREGATED	60
#define KEY_OR_VALUE	15

void tap_costs_default(struct tap_costs *costs)
{
	*costs = (struct tap_costs) {
		.hit = {
			[TAP_PROBE_KPROBE] = 120, [TAP_PROBE_KRETPROBE] = 250,
			[TAP_PROBE_CALL] = 270, [TAP_PROBE_RAWTP] = 25,
			[TAP_PROBE_TRACEPOINT] = 110, [TAP_PROBE_SYSCALL] = 120,
			[TAP_PROBE_UPROBE] = 1000, [TAP_PROBE_URETPROBE] = 1800,
			[TAP_PROBE_UCALL] = 2000, [TAP_PROBE_USDT] = 1000,
			[TAP_PROBE_EVENT] = 1500, [TAP_PROBE_WATCHPOINT] = 1500,
			[TAP_PROBE_FUNC] = 30, [TAP_PROBE_FUNCGRAPH] = 300,
			[TAP_PROBE_USER_WATCH] = 1500,
		},
		.batch = 140,
		.record = 20,
		.kstack = 1000,
		.ustack = 700,
		.thousand = 300,
	};
}

/* Instructions of an operation in the usual case: what it reads is there, texts are short. */
static __u32 op_instructions(const struct tap_op *op)
{
	switch (op->code) {
	case TAP_OP_LOAD:
		return 25;
	case TAP_OP_LOAD_USER:
	case TAP_OP_CAPTURED:
	case TAP_OP_PMU:
		return 100;
	case TAP_OP_LENGTH:
	case TAP_OP_LENGTH_USER:
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
	case TAP_OP_MATCH:
	case TAP_OP_MATCH_USER:
	case TAP_OP_DIVISION:
		return 150;
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
	case TAP_OP_FIELD_BYTES:
	case TAP_OP_FIELD_STRING:
	case TAP_OP_DATA_LOC:
	case TAP_OP_MATCH_COMM:
	case TAP_OP_MATCH_FIELD:
	case TAP_OP_MATCH_DATA_LOC:
		return 80;
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
	case TAP_OP_USTACK_COPY:
	case TAP_OP_WAIT_STACK:
		return 600;
	default:
		return 4;
	}
}

static __u64 op_cost(const struct tap_costs *costs, const struct tap_op *op)
{
	if (op->code == TAP_OP_KSTACK)
		return costs->kstack;
	if (op->code == TAP_OP_USTACK)
		return costs->ustack;
	return (__u64)op_instructions(op) * costs->thousand / 1000;
}

/* Operations up to the last test: those that an event takes that a test rejects. */
static unsigned int tests(const struct tap_spec *spec)
{
	unsigned int i, nr = 0;

	for (i = 0; i < spec->nr_ops && spec->ops[i].code != TAP_OP_RETURN; i++)
		if (spec->ops[i].code >= TAP_OP_JUMP && spec->ops[i].code <= TAP_OP_JSET &&
		    spec->ops[i].off == TAP_OP_REJECT)
			nr = i + 1;
	return nr;
}

static __u32 at_most_u32(__u64 n)
{
	return n > UINT32_MAX ? UINT32_MAX : (__u32)n;
}

/* Whether the module arms the probe together with others: at the entry of a function. */
static bool is_batched(const struct tap_spec *spec)
{
	return (spec->type == TAP_PROBE_KPROBE && !strchr(spec->target, '+')) ||
	       spec->type == TAP_PROBE_KRETPROBE || spec->type == TAP_PROBE_CALL ||
	       spec->type == TAP_PROBE_FUNCGRAPH;
}

/* The costs as they are in this session. */
static struct tap_costs session_costs(const struct tap_costs *costs,
				      const struct tap_probes *probes)
{
	static const enum tap_probe_type types[] = {
		TAP_PROBE_KPROBE, TAP_PROBE_KRETPROBE, TAP_PROBE_CALL, TAP_PROBE_FUNCGRAPH,
	};
	struct tap_costs here = *costs;
	__s64 more = (__s64)costs->batch - costs->hit[TAP_PROBE_KPROBE], cost;
	size_t i, nr = 0;

	for (i = 0; i < probes->nr; i++)
		nr += is_batched(&probes->list[i].spec);
	for (i = 0; i < ARRAY_SIZE(types) && nr >= TAP_COST_BATCH; i++) {
		cost = here.hit[types[i]] + more;
		here.hit[types[i]] = cost < 1 ? 1 : at_most_u32((__u64)cost);
	}
	return here;
}

static void probe_cost(const struct tap_costs *costs, const struct tap_probe *probe,
		       struct tap_cost *cost)
{
	const struct tap_spec *spec = &probe->spec;
	unsigned int i, nr_tests = tests(spec);
	__u64 hit = costs->hit[spec->type], passed = 0;

	for (i = 0; i < spec->nr_ops; i++)
		*(i < nr_tests ? &hit : &passed) += op_cost(costs, &spec->ops[i]);
	for (i = 0; i < spec->nr_aggs; i++)
		passed += (__u64)costs->thousand * (AGGREGATED + KEY_OR_VALUE *
			  (spec->agg[i].aggregate.nr_keys + spec->agg[i].aggregate.nr_aggs)) / 1000;
	if (spec->side)
		passed += (__u64)costs->thousand * AGGREGATED / 1000;
	else if (!spec->nr_aggs && !(spec->flags & TAP_CREATE_F_COUNT))
		passed += costs->record;
	*cost = (struct tap_cost) {
		.id = probe->id, .hit = at_most_u32(hit), .passed = at_most_u32(passed),
	};
}

int tap_session_budget(struct tap_session *session, const struct tap_probes *probes,
		       const struct tap_costs *costs, __u32 permille)
{
	struct tap_budget budget = { .size = sizeof(budget), .permille = permille };
	struct tap_cost *list = calloc(probes->nr ? probes->nr : 1, sizeof(*list));
	struct tap_costs here = session_costs(costs, probes);
	size_t i;
	int ret;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < probes->nr; i++)
		if (here.hit[probes->list[i].spec.type])
			probe_cost(&here, &probes->list[i], &list[budget.nr_costs++]);
	budget.costs = (__u64)(uintptr_t)list;
	ret = tap_session_budget_ioctl(session, &budget);
	free(list);
	return ret;
}

int tap_session_budget_read(struct tap_session *session, struct tap_budget *budget)
{
	memset(budget, 0, sizeof(*budget));
	budget->size = sizeof(*budget);
	return tap_session_budget_ioctl(session, budget);
}
