// SPDX-License-Identifier: GPL-2.0
/*
 * Valid arguments for ioctl_fuzz.c and the memory that they are in. Addresses that the kernel is
 * asked to write are in that memory, or are not writable.
 */
#include "selftests/module/tap_session.h"

#include <linux/perf_event.h>

#include "selftests/module/fuzz/ioctl_generate.h"
#include "selftests/module/fuzz/random.h"

_Thread_local struct world world[1];

struct place place = { .target = -1, .code_file = -1, .cpus = 2 };

__u64 arena_address(unsigned int page, __u64 offset)
{
	return (uintptr_t)world->arena + page * PAGE + offset;
}

static void *arena_make(unsigned int n)
{
	char *at = (char *)(ARENA_AT * (n + 1));
	static const struct { unsigned int page, nr; int prot; } part[] = {
		{ ARENA_ARG, 1, PROT_READ | PROT_WRITE },
		{ ARENA_NEST, 8, PROT_READ | PROT_WRITE },
		{ ARENA_ROOM, 8, PROT_READ | PROT_WRITE },
		{ ARENA_READ, 1, PROT_READ },
		{ ARENA_GOES, 1, PROT_READ | PROT_WRITE },
	};
	unsigned int i;

	if (mmap(at, ARENA_PAGES * PAGE, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(part); i++)
		if (mprotect(at + part[i].page * PAGE, part[i].nr * PAGE, part[i].prot))
			return NULL;
	return at;
}

bool world_make(unsigned int n, bool alone)
{
	unsigned int i;

	memset(world, 0, sizeof(*world));
	world->alone = alone;
	world->arena = arena_make(n);
	world->arg = world->arena;
	for (i = 0; i < NR_SESSIONS; i++)
		world->session[i] = (struct session){ .fd = -1, .next = 1 };
	return world->arena;
}

__u64 wild_pointer(void)
{
	static const __u64 wild[] = {
		0, 1, 8, 4095, 4096, 0x7fffffffeff8, 0x7ffffffff000, 0x7fffffffffff,
		0x800000000000, 0x00ffffffffffffff, 0x8000000000000000,
		0xffff800000000000, 0xffff888000000000, 0xffffc90000000000,
		0xffffffff81000000, 0xffffffffa0000000, 0xfffffffffffff000, -8ULL, -1ULL,
	};

	switch (below(10)) {
	case 0:
		world->aimed = true;
		return (uintptr_t)world->arg + below(64);
	case 1:
		return arena_address(ARENA_ROOM, ROOM_BYTES - below(200));
	case 2:
		return arena_address(ARENA_NEST, NEST_BYTES - below(200));
	case 3:
		return arena_address(ARENA_ROOM - 1, below(PAGE));
	case 4:
		return arena_address(ARENA_READ, below(PAGE));
	case 5:
		return arena_address(ARENA_GOES, below(PAGE));
	case 6:
		return arena_address(ARENA_ROOM, below(64));
	default:
		return pick(wild);
	}
}

/* Allocates memory that the argument points to; sometimes the previous allocation again. */
static void *nest(unsigned int bytes)
{
	unsigned int at = world->nested;

	if (!below(8) || at + bytes > NEST_BYTES)
		at = NEST_BYTES - bytes;
	else
		world->nested = (at + bytes + 7) & ~7U;
	return (void *)(uintptr_t)arena_address(ARENA_NEST, at);
}

static __u64 nest_text(const char *text, unsigned int len)
{
	char *at = nest(len);

	memcpy(at, text, len);
	return (uintptr_t)at;
}

/* Memory for an answer of that many bytes; sometimes a wild address. */
static __u64 room(__u64 bytes)
{
	if (!below(16))
		return wild_pointer();
	return below(4) || bytes > ROOM_BYTES ? arena_address(ARENA_ROOM, 0) :
	       arena_address(ARENA_ROOM, ROOM_BYTES - bytes);
}

/* The id of a probe of the session, mostly one that exists and has the right type. */
static __u32 some_id(const struct session *s, enum command cmd)
{
	__u32 tries, id = 0;

	for (tries = 0; tries < 8; tries++) {
		id = 1 + below(s->next > 1 ? s->next - 1 : 1);
		if (id >= NR_IDS || !s->type[id])
			continue;
		if (cmd == CMD_READ ? s->aggregates[id] :
		    cmd == CMD_COUNT ? s->type[id] == TAP_PROBE_COUNT :
		    cmd == CMD_SPAN ? s->type[id] == TAP_PROBE_SPAN :
		    cmd == CMD_MARK ? s->type[id] == TAP_PROBE_MARK : true)
			break;
	}
	return chance(95) ? id : below(s->next + 3);
}

/* Ops that are simple and valid for most probe types; program_fuzz makes others. */
static struct tap_op make_op(unsigned int n)
{
	/* The first ops are valid at any place of a program. */
	static const struct tap_op some[] = {
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_TGID, 0),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_CPU, 0),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_CGROUP, 0),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FOLLOWED, 0),
		OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 12345),
		OP_COMM,
		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 0, 0),
		OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, 8, 0),
		OP(TAP_OP_FIELD_BYTES, TAP_OP_OUT, 0, 0, 0, 16),
		OP(TAP_OP_FIELD_STRING, TAP_OP_OUT, 0, 0, 0, 16),
		OP(TAP_OP_PMU, TAP_OP_OUT, 0, 8, 0, 0),
		OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 64),
		OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 0, 0, 64),
		OP(TAP_OP_USTACK_COPY, TAP_OP_OUT, 0, 0, 0, 512),
		OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 8, 0, 8 * 127),
		OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 8, 0, 64),
		OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
		OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, 0, 0),
		OP(TAP_OP_WAIT_STACK, TAP_OP_OUT, 0, 0, 1, 64),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_DIVISION, TAP_DIVIDED_WAIT),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_INSIDE, 1 | TAP_INSIDE_ANY),
		OP_ARG(0), OP_ARG(1), OP_REG(0), OP_RETVAL,
	};

	return some[below(!n || chance(60) ? 5 : ARRAY_SIZE(some))];
}

static void make_ops(struct tap_create *c, unsigned int nr)
{
	struct tap_op *op;
	unsigned int i;

	if (!nr)
		return;
	op = nest(nr * sizeof(*op));
	for (i = 0; i < nr; i++) {
		op[i] = make_op(i);
		if (!below(40))
			layout_spoil(&op_layout, &op[i], wild_pointer);
	}
	c->ops = (uintptr_t)op;
	c->nr_ops = nr;
	if (!below(8)) {
		c->data = nest_text("abc*?[a-z]", 10);
		c->data_len = 10;
	}
}

static void fill_aggregate(struct tap_aggregate *a)
{
	unsigned int i, nr = below(3);
	struct tap_agg *agg = nest((nr ?: 1) * sizeof(*agg));

	*a = (struct tap_aggregate){ .size = sizeof(*a), .nr_aggs = nr, .entries = 1 };
	if (chance(50)) {
		a->nr_keys = 1;
		a->keys[0].words = 1;
		a->entries = 1 << below(6);
	}
	for (i = 0; i < nr; i++) {
		agg[i] = (struct tap_agg){ .kind = 1 + below(5) };
		if (agg[i].kind == TAP_AGG_LHIST) {
			agg[i].buckets = 1 + below(20);
			agg[i].step = 1 + below(100);
		}
		if (!below(12))
			layout_spoil(&agg_layout, &agg[i], wild_pointer);
	}
	a->aggs = (uintptr_t)agg;
	a->agg_size = sizeof(*agg);
	if (!below(8))
		layout_spoil(&aggregate_layout, a, wild_pointer);
}

static void make_aggregate(struct tap_create *c)
{
	unsigned int i, nr = chance(50) ? 0 : 1 + below(3);
	struct tap_aggregate *a = nest((nr ?: 1) * sizeof(*a));

	for (i = 0; i < (nr ?: 1); i++)
		fill_aggregate(&a[i]);
	c->aggregate = (uintptr_t)a;
	c->nr_aggregates = nr;
}

/* A counter. Frequent events are left out: they would stall the guest. */
static void make_perf(struct tap_perf *p, __u32 type)
{
	*p = (struct tap_perf){ .size = sizeof(*p), .type = PERF_TYPE_SOFTWARE };
	if (type == TAP_PROBE_WATCHPOINT || type == TAP_PROBE_USER_WATCH) {
		p->type = PERF_TYPE_BREAKPOINT;
		p->config = chance(70) ? TAP_WATCH_WRITE : 1 + below(7);
		p->config2 = 1 << below(4);
		if (type == TAP_PROBE_USER_WATCH)
			p->config1 = arena_address(ARENA_ROOM, 8 * below(8));
		if (!below(8))
			p->config1 = wild_pointer();
		else if (type == TAP_PROBE_WATCHPOINT && chance(20))
			p->flags = TAP_PERF_F_LATER;
	} else {
		static const __u32 config[] = {
			PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
			PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_DUMMY,
			PERF_COUNT_SW_TASK_CLOCK,
		};

		p->config = pick(config);
		if (!below(10))
			p->type = below(12);
	}
	if (type == TAP_PROBE_EVENT)
		p->period = 10000000 + below(10000000);
	if (!below(10))
		layout_spoil(&perf_layout, p, wild_pointer);
}

/**
 * struct aim - a target of probes
 * @type: enum tap_probe_type
 * @name: its target
 * @costly: it modifies the code of the kernel or of a program, or waits for that
 */
struct aim {
	__u32 type;
	const char *name;
	bool costly;
};

static const struct aim aims[] = {
	{ TAP_PROBE_MARK, "mark", false },
	{ TAP_PROBE_MARK, "mine", false },
	{ TAP_PROBE_MARK, "mine", false },
	{ TAP_PROBE_MARK, "mine", false },
	{ TAP_PROBE_MARK, "mine", false },
	{ TAP_PROBE_COUNT, "count", false },
	{ TAP_PROBE_SPAN, "span", false },
	{ TAP_PROBE_KPROBE, "tap_target_nowhere", false },
	{ TAP_PROBE_KPROBE, "nowhere:at_all", false },
	{ TAP_PROBE_KRETPROBE, "tap_target_nowhere", false },
	{ TAP_PROBE_CALL, "tap_target_nowhere", false },
	{ TAP_PROBE_FUNCGRAPH, "nowhere:at_all", false },
	{ TAP_PROBE_RAWTP, "nowhere", false },
	{ TAP_PROBE_RAWTP, "nowhere:at_all", false },
	{ TAP_PROBE_TRACEPOINT, "nowhere:at_all", false },
	{ TAP_PROBE_SYSCALL, "1024", false },
	{ TAP_PROBE_SYSCALL, "7-3,", false },
	{ TAP_PROBE_FUNC, "tap_target_nowhere", false },
	{ TAP_PROBE_WATCHPOINT, "tap_target_nowhere", false },
	{ TAP_PROBE_KPROBE, "tap_target_add", true },
	{ TAP_PROBE_KPROBE, "tap_target:tap_target_six", true },
	{ TAP_PROBE_KPROBE, "tap_target_values+1", true },
	{ TAP_PROBE_KPROBE, "tap_target_push+4", true },
	{ TAP_PROBE_KPROBE, "__x64_sys_getppid", true },
	{ TAP_PROBE_KPROBE, "jiffies", true },
	{ TAP_PROBE_KPROBE, "exc_int3", true },
	{ TAP_PROBE_KRETPROBE, "tap_target_add", true },
	{ TAP_PROBE_CALL, "tap_target_add", true },
	{ TAP_PROBE_CALL, "tap_target:tap_target_recurse", true },
	{ TAP_PROBE_FUNCGRAPH, "tap_target_add", true },
	{ TAP_PROBE_RAWTP, "tap_target_event", true },
	{ TAP_PROBE_RAWTP, "sched_process_exit", true },
	{ TAP_PROBE_TRACEPOINT, "tap_target:tap_target_event", true },
	{ TAP_PROBE_TRACEPOINT, "sched:sched_switch", true },
	{ TAP_PROBE_SYSCALL, "110", true },
	{ TAP_PROBE_SYSCALL, "0-10,110", true },
	{ TAP_PROBE_UPROBE, "code", true },
	{ TAP_PROBE_URETPROBE, "code", true },
	{ TAP_PROBE_UCALL, "code", true },
	{ TAP_PROBE_USDT, "code", true },
	{ TAP_PROBE_EVENT, "event", true },
	{ TAP_PROBE_WATCHPOINT, "tap_target_watched", true },
	{ TAP_PROBE_USER_WATCH, "watched", true },
	{ TAP_PROBE_FUNC, "tap_target_add", true },
	{ TAP_PROBE_FUNC, "tap_target:tap_target_six", true },
	{ TAP_PROBE_FUNC, "functions", true },
};

static void make_target(struct tap_create *c, const char *name)
{
	char text[TAP_MAX_TARGET + 40];
	unsigned int i, len = strlen(name);

	memcpy(text, name, len);
	switch (below(24)) {
	case 0: /* As long as allowed, or longer. */
		while (len < TAP_MAX_TARGET - 2 + below(3))
			text[len++] = 'a' + below(26);
		break;
	case 1:
		text[below(len)] = below(256);
		break;
	case 2:
		len = below(len + 1);
		break;
	case 3:
		for (i = 0; i < len; i++)
			text[i] = next();
		break;
	case 4:
		len += snprintf(text + len, 40, "+%lld", (__s64)field_edge(16));
		break;
	}
	c->target = nest_text(text, len);
	c->target_len = len;
}

static void make_addrs(struct tap_create *c)
{
	unsigned int i, nr = 1 + below(6);
	__u64 *to = nest(nr * sizeof(*to));

	for (i = 0; i < nr; i++)
		to[i] = chance(90) ? pick(place.functions) : wild_pointer();
	c->addrs = (uintptr_t)to;
	c->nr_addrs = nr;
}

/* Which events are recorded or aggregated. */
static void make_hits(struct tap_create *c)
{
	if (!below(4)) {
		make_ops(c, 1 + below(3));
		make_aggregate(c);
	} else if (chance(50)) {
		make_ops(c, chance(95) ? below(5) : below(TAP_MAX_OPS));
	}
	if (!c->aggregate && !below(8))
		c->flags = TAP_CREATE_F_COUNT;
	if (!below(6))
		c->limit = chance(50) ? 1 + below(1000) : TAP_NO_LIMIT;
}

/* A table that sides with a key and two words fit, or another one. */
static void make_span(struct tap_create *c)
{
	struct tap_span_table *table = nest(sizeof(*table));

	*table = (struct tap_span_table) {
		.size = sizeof(*table), .mode = below(3), .nr_keys = 1,
		.from_words = chance(80) ? 1 : below(70), .to_words = chance(80) ? 1 : below(70),
		.entries = 1 + below(100),
	};
	c->span = (uintptr_t)table;
}

/* Makes the probe a side of a span, if the session has one. */
static void make_side(const struct session *s, struct tap_create *c)
{
	unsigned int id;

	for (id = 1; id < NR_IDS; id++)
		if (s->type[id] == TAP_PROBE_SPAN && chance(60))
			break;
	if (id == NR_IDS)
		return;
	c->aggregate = 0;
	c->nr_aggregates = 0;
	c->flags = chance(30) ? TAP_CREATE_F_RECORD : 0;
	make_ops(c, c->flags ? 4 : 2);
	c->span_id = id;
	c->side = 1 + below(2);
}

static void make_create(const struct session *s, struct tap_create *c)
{
	const struct aim *aim = &pick(aims);
	struct tap_perf *perf;

	while (aim->costly && !world->costly)
		aim = &pick(aims);
	c->type = aim->type;
	make_target(c, aim->name);
	if (aim->type != TAP_PROBE_COUNT)
		make_hits(c);
	if (!below(12))
		c->flags |= TAP_CREATE_F_WAIT;
	if (aim->type != TAP_PROBE_SPAN && !below(3))
		make_side(s, c);
	if (!below(4))
		c->frame = 1 + below(3);
	switch (aim->type) {
	case TAP_PROBE_SPAN:
		make_span(c);
		break;
	case TAP_PROBE_EVENT:
	case TAP_PROBE_WATCHPOINT:
	case TAP_PROBE_COUNT:
	case TAP_PROBE_USER_WATCH:
		perf = nest(sizeof(*perf));
		make_perf(perf, aim->type);
		c->perf = (uintptr_t)perf;
		if (aim->type == TAP_PROBE_COUNT)
			c->pid = chance(70) ? 0 : chance(50) ? (__u64)getpid() : below(100);
		if (aim->type != TAP_PROBE_USER_WATCH)
			break;
		/* Of this process, or of those that come to an instruction. */
		c->file = place.code_file;
		c->pid = chance(70) ? (__u64)getpid() : below(4) ? 0 : below(100);
		c->offset = c->pid && below(10) ? 0 : 16 * below(16);
		break;
	case TAP_PROBE_UPROBE:
	case TAP_PROBE_URETPROBE:
	case TAP_PROBE_UCALL:
	case TAP_PROBE_USDT:
		c->file = place.code_file;
		c->offset = 16 * below(16) + (below(4) ? 0 : below(16));
		c->pid = chance(70) ? 0 : chance(80) ? (__u64)getpid() : below(100);
		if (aim->type == TAP_PROBE_USDT && chance(50))
			c->semaphore = PAGE + 2 * below(8);
		break;
	case TAP_PROBE_KRETPROBE:
	case TAP_PROBE_CALL:
	case TAP_PROBE_FUNCGRAPH:
	case TAP_PROBE_SYSCALL:
		if (!below(4))
			c->maxactive = 1 + below(40);
		break;
	case TAP_PROBE_FUNC:
		if (!strcmp(aim->name, "functions"))
			make_addrs(c);
		break;
	}
}

static void make_pmu(struct tap_pmu *p)
{
	unsigned int i, nr = 1 + below(3);
	struct tap_perf *perf = nest(nr * sizeof(*perf));

	for (i = 0; i < nr; i++)
		make_perf(&perf[i], TAP_PROBE_COUNT);
	p->events = (uintptr_t)perf;
	p->nr_events = nr;
}

static void fill_costs(const struct session *s, struct tap_budget *budget)
{
	struct tap_cost *costs = nest(budget->nr_costs * sizeof(*costs));
	unsigned int i;

	for (i = 0; i < budget->nr_costs; i++)
		costs[i] = (struct tap_cost) {
			.id = some_id(s, CMD_STATS), .hit = below(100000), .passed = below(100),
		};
	budget->costs = (uintptr_t)costs;
}

void make_arg(enum command cmd, const struct session *s)
{
	union {
		struct tap_setup setup;
		struct tap_create create;
		struct tap_probe_ref ref;
		struct tap_probe_info info;
		struct tap_stats stats;
		struct tap_read read;
		struct tap_pmu pmu;
		struct tap_count_read count;
		struct tap_mark mark;
		struct tap_follow follow;
		struct tap_span_read span;
		struct tap_stack_table stacks;
		struct tap_tasks tasks;
		struct tap_budget budget;
		struct tap_gate gate;
		struct tap_stack_read stack;
		__u32 size;
	} *arg = world->arg;

	memset(arg, 0, commands[cmd].bytes);
	arg->size = commands[cmd].bytes;
	switch (cmd) {
	case CMD_SETUP:
		arg->setup.ring_bytes = PAGE << below(4);
		arg->setup.watermark = chance(50) ? 0 : 64 << below(7);
		arg->setup.wake_ms = chance(50) ? 0 : below(50);
		break;
	case CMD_CREATE:
		make_create(s, &arg->create);
		break;
	case CMD_ENABLE:
	case CMD_DISABLE:
	case CMD_DELETE:
		arg->ref.id = some_id(s, cmd);
		/* Disabling all probes waits for events of all types, which is slow. */
		if (!below(cmd == CMD_DISABLE ? 100 : 10))
			arg->ref.id = 0;
		break;
	case CMD_PROBE_INFO:
		arg->info.id = some_id(s, cmd);
		arg->info.nr_ops = chance(50) ? 0 : below(TAP_MAX_OPS + 2);
		arg->info.ops = room(arg->info.nr_ops * sizeof(struct tap_op));
		break;
	case CMD_STATS:
		arg->stats.id = some_id(s, cmd);
		arg->stats.nr_cpus = chance(80) ? place.cpus : below(place.cpus + 2);
		arg->stats.counters = room(arg->stats.nr_cpus *
					   sizeof(struct tap_counters));
		break;
	case CMD_READ:
		arg->read.id = some_id(s, cmd);
		arg->read.cpu = below(place.cpus + !below(8));
		arg->read.from = chance(70) ? 0 : below(100);
		arg->read.nr_words = chance(50) ? 512 : below(600);
		arg->read.words = room(arg->read.nr_words * sizeof(__u64));
		break;
	case CMD_PMU:
		make_pmu(&arg->pmu);
		break;
	case CMD_COUNT:
		arg->count.id = some_id(s, cmd);
		arg->count.nr_counts = chance(50) ? 1 : place.cpus;
		arg->count.counts = room(arg->count.nr_counts *
					 sizeof(struct tap_count));
		break;
	case CMD_MARK:
		arg->mark.id = chance(80) ? some_id(s, cmd) : 0;
		arg->mark.len = 1 + below(chance(50) ? 8 : TAP_MARK_BYTES);
		arg->mark.data = nest_text("something that is said", 22);
		if (arg->mark.len > 22)
			arg->mark.data = arena_address(ARENA_NEST, 0);
		break;
	case CMD_SPAN:
		arg->span.id = some_id(s, cmd);
		arg->span.from = chance(70) ? 0 : below(100);
		arg->span.nr_words = chance(30) ? 0 : below(600);
		if (arg->span.nr_words)
			arg->span.words = room(arg->span.nr_words * sizeof(__u64));
		break;
	case CMD_STACKS:
		arg->stacks.entries = 1 + below(300);
		arg->stacks.words = chance(60) ? 0 : below(3000);
		break;
	case CMD_STACK:
		arg->stack.id = chance(30) ? 0 : below(3000);
		arg->stack.nr_words = arg->stack.id && chance(80) ? 1 + below(200) : 0;
		if (arg->stack.nr_words)
			arg->stack.words = room(arg->stack.nr_words * sizeof(__u64));
		break;
	case CMD_TASKS:
		arg->tasks.flags = 1 + below(3);
		arg->tasks.tasks = below(100);
		break;
	case CMD_BUDGET:
		arg->budget.permille = chance(30) ? 0 : 1 + below(1000);
		arg->budget.nr_costs = arg->budget.permille ? below(4) : 0;
		if (arg->budget.nr_costs)
			fill_costs(s, &arg->budget);
		break;
	case CMD_GATE:
		arg->gate.flags = below(4);
		arg->gate.limit = arg->gate.flags & TAP_GATE_F_SET ? below(1000) : 0;
		break;
	case CMD_FOLLOW:
		arg->follow.pid = chance(80) ? (__u32)getpid() : below(300);
		break;
	default:
		break;
	}
}
