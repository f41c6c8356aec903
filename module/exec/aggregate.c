// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations. Process context verifies them, allocates their tables and reads them;
 * events update them in any context, also while they are read.
 *
 * Each CPU has a table, and no other CPU writes to it. So the only other writer is an
 * event that interrupts this one on the same CPU, and no access needs a lock prefix. An
 * entry that was claimed keeps its key as long as the table exists, and nothing resets
 * its words.
 *
 * A CPU gets its table when the probe is created or, if it is offline then, before it comes
 * online. If there is no memory for it, its table is one that all such CPUs share and that
 * no event writes to: the event finds no entry, and tap_agg_event_slow() counts it as lost.
 */
#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "common/program_cost.h"
#include "core/probe.h"
#include "core/session.h"
#include "core/user_struct.h"
#include "exec/aggregate.h"
#include "memory/memory.h"

/* Entries that are tried for a key before the event goes to the entry of other keys. */
#define TAP_AGG_TRIES	64
/* Words of one copy_to_user(). */
#define TAP_AGG_CHUNK	64

static __always_inline u64 *
tap_agg_count(const struct tapmod_aggregation *agg, u64 *entry)
{
	return entry + TAP_AGG_KEY + agg->nr_keys;
}

static __always_inline u64 *
tap_agg_other(const struct tapmod_aggregation *agg, u64 *table)
{
	return tap_agg_entry(agg, table, tap_agg_mask(table) + 1);
}

/* Sets minima and maxima to their initial values, before the entry is published. */
static __always_inline void
tap_agg_init(const struct tapmod_aggregation *agg, u64 *entry)
{
	const struct tap_agg_value *v = agg->value;
	const struct tap_agg_value *end = v + agg->nr_values;

	for (; v < end; v++) {
		if (v->kind == TAP_AGG_MIN)
			entry[v->at] = v->is_signed ? S64_MAX : U64_MAX;
		else if (v->kind == TAP_AGG_MAX)
			entry[v->at] = v->is_signed ? (u64)S64_MIN : 0;
	}
}

static __always_inline bool
tap_agg_same_key(const struct tapmod_aggregation *agg, const u64 *entry,
		 const u64 *words)
{
	unsigned int i;

	for (i = 0; i < agg->nr_keys; i++)
		if (entry[TAP_AGG_KEY + i] != words[agg->key[i]])
			return false;
	return true;
}

/*
 * Claims a free entry for a key. An event that interrupts us finds the entry busy and
 * claims the next one. If it has the same key, the key has two entries, and user space
 * adds them up.
 */
static noinline bool tap_agg_claim(const struct tapmod_aggregation *agg,
				   u64 *entry, const u64 *words, u64 state)
{
	unsigned int i;

	if (!tap_cmpxchg_local(entry, TAP_AGG_FREE, TAP_AGG_BUSY))
		return false;
	for (i = 0; i < agg->nr_keys; i++)
		entry[TAP_AGG_KEY + i] = words[agg->key[i]];
	tap_agg_init(agg, entry);
	/* Pairs with the load-acquire in tap_agg_counted(): orders key and initial values. */
	smp_store_release(entry, state);
	return true;
}
NOKPROBE_SYMBOL(tap_agg_claim);

/*
 * The entry of an event's key, claimed if need be; or the entry of other keys. NULL: the CPU
 * has no table.
 */
static __always_inline u64 *
tap_agg_find(const struct tapmod_aggregation *agg, u64 *table, const u64 *words)
{
	u64 *const end = tap_agg_other(agg, table);
	u32 left = agg->tries;
	u64 hash = 0, state;
	u64 *entry;
	unsigned int i;

	for (i = 0; i < agg->nr_keys; i++)
		hash = tap_agg_hash(hash, words[agg->key[i]]);
	state = hash | TAP_AGG_READY;
	entry = tap_agg_entry(agg, table, hash & tap_agg_mask(table));
	do {
		u64 found = READ_ONCE(*entry);

		/* A ready entry stays ready, and its key does not change. */
		if (found == state && tap_agg_same_key(agg, entry, words))
			return entry;
		if (found == TAP_AGG_FREE &&
		    tap_agg_claim(agg, entry, words, state))
			return entry;
		entry += agg->words;
		if (entry == end)
			entry = table;
	} while (--left);
	return likely(table != agg->shut) ? end : NULL;
}

/* Sets a word to a value that is less (or greater). Atomic against interrupting events. */
static __always_inline void tap_agg_extreme(u64 *p, u64 value, bool less,
					    bool is_signed)
{
	/* With the sign bits inverted, unsigned order is the signed order of before. */
	u64 turn = is_signed ? BIT_ULL(63) : 0;
	u64 old;

	do {
		old = READ_ONCE(*p);
		if (less ? (value ^ turn) >= (old ^ turn) :
			   (value ^ turn) <= (old ^ turn))
			return;
	} while (!tap_cmpxchg_local(p, old, value));
}

static __always_inline u32 tap_agg_log2(u64 value, bool is_signed)
{
	if (is_signed && (s64)value < 0)
		return TAP_HIST_BUCKETS - 1;
	return fls64(value);
}

/* The bucket of %TAP_AGG_F_DECIMAL. The last one has all values above. */
static __always_inline u32 tap_agg_decimal(u64 value, bool is_signed)
{
	u32 n = 0;

	if (is_signed && (s64)value < 0)
		return TAP_HIST_BUCKETS - 1;
	for (; n < 30 && value >= 1000; n += 10)
		value /= 1000;
	return min_t(u32, n + fls64(value), TAP_HIST_BUCKETS - 2);
}

static __always_inline u32 tap_agg_linear(const struct tap_agg_value *v,
					  u64 value)
{
	u64 n;

	if (v->is_signed ? (s64)value < (s64)v->base : value < v->base)
		return 0;
	/* value >= base, so the unsigned difference is right for signed values as well. */
	n = (value - v->base) / v->step;
	return n < v->buckets ? 1 + n : 1 + v->buckets;
}

static noinline void
tap_agg_update(const struct tapmod_aggregation *agg, u64 *entry, const u64 *words,
	       u64 absent)
{
	const struct tap_agg_value *v = agg->value;
	const struct tap_agg_value *end = v + agg->nr_values;

	for (; v < end; v++) {
		u64 *at = entry + v->at;
		u64 value = words[v->word];

		if (unlikely(absent & v->mask)) {
			tap_add_local(entry + v->absent, 1);
			continue;
		}
		switch (v->kind) {
		case TAP_AGG_SUM:
			tap_add_local(at, value);
			break;
		case TAP_AGG_MIN:
			tap_agg_extreme(at, value, true, v->is_signed);
			break;
		case TAP_AGG_MAX:
			tap_agg_extreme(at, value, false, v->is_signed);
			break;
		case TAP_AGG_HIST:
			at += tap_agg_log2(value, v->is_signed);
			tap_add_local(at, 1);
			break;
		case TAPMOD_AGG_DECIMAL:
			at += tap_agg_decimal(value, v->is_signed);
			tap_add_local(at, 1);
			break;
		case TAP_AGG_LHIST:
			at += tap_agg_linear(v, value);
			tap_add_local(at, 1);
			break;
		}
	}
}
NOKPROBE_SYMBOL(tap_agg_update);

static __always_inline void
tap_agg_add(const struct tapmod_aggregation *agg, u64 *entry, const u64 *words,
	    u64 absent)
{
	tap_add_local(tap_agg_count(agg, entry), 1);
	if (agg->nr_values)
		tap_agg_update(agg, entry, words, absent);
}

/*
 * Adds an event to all aggregations of its probe, or to none: a CPU that came online without
 * memory for one of the tables adds to none of them, so that all have the same events. A CPU that
 * runs gets no table, so the first loop holds for the second one.
 */
static noinline void
tap_agg_event_parts(const struct tapmod_aggregation *head, const u64 *words, u64 absent)
{
	const struct tapmod_aggregation *end = head->parts + head->nr_parts;
	const struct tapmod_aggregation *agg;
	u64 *entry;

	for (agg = head->parts; agg < end; agg++) {
		if (unlikely(raw_cpu_read(*agg->tables) == agg->shut)) {
			this_cpu_inc(*head->lost);
			return;
		}
	}
	for (agg = head->parts; agg < end; agg++) {
		entry = tap_agg_find(agg, raw_cpu_read(*agg->tables), words);
		if (likely(entry))
			tap_agg_add(agg, entry, words, absent);
	}
}
NOKPROBE_SYMBOL(tap_agg_event_parts);

/* Counts an event for which tap_aggregate_at_first() found no entry. */
static noinline void
tap_agg_event_slow(const struct tapmod_aggregation *agg, u64 *table,
		   const u64 *words, u64 absent)
{
	u64 *entry = tap_agg_find(agg, table, words);

	if (likely(entry))
		tap_agg_add(agg, entry, words, absent);
	else if (agg->parts)
		tap_agg_event_parts(agg, words, absent);
	else
		this_cpu_inc(*agg->lost);
}
NOKPROBE_SYMBOL(tap_agg_event_slow);

/**
 * tap_aggregate_event() - add an event to the aggregations of its probe
 * @probe: a probe whose @agg is not NULL
 * @words: value words of the event, in the order of a record
 * @absent: bit n is set if output n is absent
 *
 * If there is one aggregation, and it has no values (@nr_values 0), an event whose key has one
 * word and is in its first entry is counted without a function call.
 *
 * Context: any, NMI included; preemption off.
 */
void tap_aggregate_event(const struct tapmod_probe *probe, const u64 *words,
			 u64 absent)
{
	const struct tapmod_aggregation *agg = probe->agg;
	u64 *entry = NULL;

	if (likely(agg->nr_keys == 1))
		entry = tap_aggregate_at_first(agg, words[agg->key[0]]);
	if (likely(entry))
		tap_agg_add(agg, entry, words, absent);
	else
		tap_agg_event_slow(agg, raw_cpu_read(*agg->tables), words, absent);
}
NOKPROBE_SYMBOL(tap_aggregate_event);

/* Copies struct tap_aggregate by the convention of uapi/linux/tap.h, and checks numbers. */
static int tap_aggregate_copy(struct tap_aggregate *to, void __user *user)
{
	u32 size;
	int ret;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	ret = tap_struct_copy(to, sizeof(*to),
			      offsetofend(struct tap_aggregate, __reserved), user, size);
	if (ret)
		return ret;
	if (to->flags || to->__reserved || to->nr_keys > TAP_MAX_KEYS ||
	    to->nr_aggs > TAP_MAX_AGGS || !is_power_of_2(to->entries) ||
	    to->entries > (to->nr_keys ? TAP_MAX_ENTRIES : 1))
		return -EINVAL;
	return 0;
}

/* Copies the array of values, whose elements have the size that the caller says. */
static int tap_aggs_copy(struct tap_agg *to, const struct tap_aggregate *from)
{
	unsigned int i;
	int ret;

	if (!from->nr_aggs && !from->agg_size)
		return 0;
	if (from->agg_size < offsetofend(struct tap_agg, step))
		return -EINVAL;
	for (i = 0; i < from->nr_aggs; i++) {
		ret = tap_struct_copy(&to[i], sizeof(*to),
				      offsetofend(struct tap_agg, step),
				      u64_to_user_ptr(from->aggs + (u64)i * from->agg_size),
				      from->agg_size);
		if (ret)
			return ret;
	}
	return 0;
}

static int tap_agg_load_keys(struct tapmod_aggregation *agg,
			     const struct tap_aggregate *from,
			     unsigned int nr_words)
{
	unsigned int i, k;

	for (i = 0; i < TAP_MAX_KEYS; i++) {
		const struct tap_key *key = &from->keys[i];

		if (i >= from->nr_keys) {
			if (key->word || key->words)
				return -EINVAL;
			continue;
		}
		/* Keys may overlap, but have at most TAP_MAX_AGG_WORDS words together. */
		if (!key->words || key->word + key->words > nr_words ||
		    agg->nr_keys + key->words > TAP_MAX_AGG_WORDS)
			return -EINVAL;
		for (k = 0; k < key->words; k++)
			agg->key[agg->nr_keys++] = key->word + k;
	}
	return 0;
}

/* Verifies a value, and assigns its words behind those that agg->words counts so far. */
static int tap_agg_load_value(struct tapmod_aggregation *agg,
			      const struct tap_agg *from,
			      const struct tapmod_probe *probe)
{
	struct tap_agg_value *v = &agg->value[agg->nr_values];
	bool linear = from->kind == TAP_AGG_LHIST, decimal = from->flags & TAP_AGG_F_DECIMAL;
	u32 words = tap_agg_words(from);
	u8 output;

	if (!words || from->flags & ~(TAP_AGG_F_SIGNED | TAP_AGG_F_DECIMAL) ||
	    from->word >= probe->prog.words)
		return -EINVAL;
	if (linear ? !from->step : from->buckets || from->base || from->step)
		return -EINVAL;

	if (decimal && from->kind != TAP_AGG_HIST)
		return -EINVAL;

	v->kind = decimal ? TAPMOD_AGG_DECIMAL : from->kind;
	v->is_signed = from->flags & TAP_AGG_F_SIGNED;
	v->word = from->word;
	v->buckets = from->buckets;
	v->base = from->base;
	v->step = from->step;
	v->at = agg->words;
	v->absent = v->at + words;
	output = probe->prog.output_of[from->word];
	v->mask = output < TAP_MAX_OUTPUTS ? BIT_ULL(output) : 0;
	agg->words += words + TAP_AGG_ABSENT_WORDS;
	agg->nr_values++;
	return 0;
}

/* Verifies an aggregation at @user and sets @size to its bytes there; @agg is all zero. */
static int tap_agg_load(struct tapmod_aggregation *agg, const struct tapmod_probe *probe,
			void __user *user, u32 *size)
{
	struct tap_agg aggs[TAP_MAX_AGGS];
	struct tap_aggregate from;
	unsigned int i;
	int ret;

	ret = tap_aggregate_copy(&from, user);
	if (ret)
		return ret;
	ret = tap_aggs_copy(aggs, &from);
	if (ret)
		return ret;

	ret = tap_agg_load_keys(agg, &from, probe->prog.words);
	if (ret)
		return ret;
	agg->mask = from.entries - 1;
	agg->tries = min_t(u32, from.entries, TAP_AGG_TRIES);
	agg->words = TAP_AGG_KEY + agg->nr_keys + 1;
	for (i = 0; i < from.nr_aggs; i++) {
		ret = tap_agg_load_value(agg, &aggs[i], probe);
		if (ret)
			return ret;
	}
	*size = from.size;
	return 0;
}

/* The aggregations of a probe: an array of tap_agg_nr() elements. */
static struct tapmod_aggregation *tap_agg_first(struct tapmod_aggregation *head)
{
	return head->parts ?: head;
}

static u32 tap_agg_nr(const struct tapmod_aggregation *head)
{
	return head->parts ? head->nr_parts : 1;
}

/**
 * tap_aggregate_load() - copy the aggregations from the user and verify them
 * @probe: tap_program_load() has succeeded. @agg is set here, also before some errors: the
 *	caller frees it with tap_aggregate_free()
 * @create: @aggregate is the user's address; 0: the function does nothing
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL: one is malformed, or @create has %TAP_CREATE_F_COUNT; -E2BIG: a
 *	structure is too large; -EFBIG: with the program they may take more than
 *	%TAP_MAX_COST instructions; -EFAULT; -ENOMEM.
 */
int tap_aggregate_load(struct tapmod_probe *probe, const struct tap_create *create)
{
	u64 cost = probe->prog.cost, user = create->aggregate;
	u32 nr = create->nr_aggregates ?: 1, i, size;
	struct tapmod_aggregation *head, *agg;
	int ret;

	if (!create->aggregate)
		return create->nr_aggregates ? -EINVAL : 0;
	if (create->flags & TAP_CREATE_F_COUNT || nr > TAP_MAX_AGGREGATES ||
	    probe->prog.words > TAP_MAX_AGG_WORDS)
		return -EINVAL;
	head = kzalloc(sizeof(*head), GFP_KERNEL_ACCOUNT);
	if (!head)
		return -ENOMEM;
	probe->agg = head;
	if (nr > 1) {
		head->parts = kcalloc(nr, sizeof(*head), GFP_KERNEL_ACCOUNT);
		if (!head->parts)
			return -ENOMEM;
		head->nr_parts = nr;
		head->tries = 1;
		head->words = TAP_AGG_KEY + 1;
	}
	for (i = 0; i < nr; i++, user += size) {
		agg = tap_agg_first(head) + i;
		ret = tap_agg_load(agg, probe, u64_to_user_ptr(user), &size);
		if (ret)
			return ret;
		cost += tap_aggregate_cost(agg->nr_keys, agg->tries, agg->nr_values);
	}
	if (cost > TAP_MAX_COST)
		return -EFBIG;
	/* Those of a span run behind the program of its side: tap_span_join() adds the two. */
	probe->prog.cost = cost;
	return 0;
}

/* In front of a table: the word with its mask, in a cache line that is else unused. */
#define TAP_AGG_FRONT	(SMP_CACHE_BYTES / sizeof(u64))

/* Bytes of a table with its front, rounded up so that it shares no cache line. */
static u64 tap_agg_table_bytes(const struct tapmod_aggregation *agg, u64 mask)
{
	return ALIGN((TAP_AGG_FRONT + (mask + 2) * agg->words) * sizeof(u64),
		     SMP_CACHE_BYTES);
}

static u64 *tap_agg_table_alloc(const struct tapmod_aggregation *agg, u64 mask, int node,
				gfp_t gfp)
{
	u64 *front = kvmalloc_node(tap_agg_table_bytes(agg, mask),
				   gfp | __GFP_ZERO | __GFP_NOWARN, node);

	if (!front)
		return NULL;
	front += TAP_AGG_FRONT;
	front[-1] = mask;
	return front;
}

static void tap_agg_table_free(u64 *table)
{
	if (table)
		kvfree(table - TAP_AGG_FRONT);
}

/*
 * ->prepare(): allocates the table of a CPU, unless it has one. No event on the CPU uses the
 * probe: it is not attached yet, or the CPU is offline.
 */
static int tap_agg_prepare(struct tap_cpu_user *user, unsigned int cpu, gfp_t gfp)
{
	struct tapmod_aggregation *agg = container_of(user, struct tapmod_aggregation, cpus);
	struct tap_memory *memory = &agg->probe->session->memory;
	u64 bytes = tap_agg_table_bytes(agg, agg->mask);
	u64 **at = per_cpu_ptr(agg->tables, cpu);
	u64 *table;
	int ret;

	if (*at != agg->shut)
		return 0;
	ret = tap_memory_charge(memory, bytes);
	if (ret)
		return ret;
	table = tap_agg_table_alloc(agg, agg->mask, cpu_to_node(cpu), gfp);
	if (!table) {
		tap_memory_uncharge(memory, bytes);
		return -ENOMEM;
	}
	/* Nothing claims the entry of other keys: it is ready from the start. */
	tap_agg_init(agg, tap_agg_other(agg, table));
	*tap_agg_other(agg, table) = TAP_AGG_READY;
	/* Without keys the same holds for the only entry. */
	if (!agg->nr_keys) {
		tap_agg_init(agg, table);
		*table = TAP_AGG_READY;
	}
	/* Pairs with the load-acquire in tap_aggregate_read(). */
	smp_store_release(at, table);
	return 1;
}

/* Gives an aggregation its shut table, to which all CPUs lead. Returns 0 or -ENOMEM. */
static int tap_agg_shut(struct tapmod_aggregation *agg, struct tapmod_probe *probe)
{
	int cpu;

	agg->probe = probe;
	agg->shut = tap_agg_table_alloc(agg, 0, NUMA_NO_NODE, GFP_KERNEL_ACCOUNT);
	if (!agg->shut)
		return -ENOMEM;
	/* An event finds its entry neither ready nor free. */
	*agg->shut = TAP_AGG_BUSY;
	agg->tables = alloc_percpu_gfp(u64 *, GFP_KERNEL_ACCOUNT);
	if (!agg->tables)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		u64 **at = per_cpu_ptr(agg->tables, cpu);

		*at = agg->shut;
	}
	return 0;
}

/**
 * tap_aggregate_alloc() - allocate the tables of the aggregations
 * @probe: tap_aggregate_load() has succeeded. If the probe does not aggregate, the function
 *	does nothing
 *
 * The tables are charged to the bound for all sessions.
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0 or -ENOMEM; tap_aggregate_free() frees what was allocated.
 */
int tap_aggregate_alloc(struct tapmod_probe *probe)
{
	struct tapmod_aggregation *head = probe->agg, *agg;
	int ret;
	u32 i;

	if (!head)
		return 0;
	head->lost = alloc_percpu_gfp(u64, GFP_KERNEL_ACCOUNT);
	if (!head->lost)
		return -ENOMEM;
	ret = head->parts ? tap_agg_shut(head, probe) : 0;
	for (i = 0; i < tap_agg_nr(head) && !ret; i++) {
		agg = tap_agg_first(head) + i;
		ret = tap_agg_shut(agg, probe);
		if (ret)
			break;
		agg->cpus.prepare = tap_agg_prepare;
		ret = tap_cpu_user_add(probe->session, &agg->cpus);
	}
	return ret;
}

static void tap_agg_tables_free(struct tapmod_aggregation *agg)
{
	struct tap_memory *memory = &agg->probe->session->memory;
	u64 bytes = tap_agg_table_bytes(agg, agg->mask);
	int cpu;

	for_each_possible_cpu(cpu) {
		u64 *table = *per_cpu_ptr(agg->tables, cpu);

		if (table == agg->shut)
			continue;
		tap_agg_table_free(table);
		tap_memory_uncharge(memory, bytes);
		cond_resched();
	}
	free_percpu(agg->tables);
}

/* Frees what an aggregation holds, not the structure itself. */
static void tap_agg_clear(struct tapmod_aggregation *agg)
{
	tap_cpu_user_remove(&agg->cpus);
	if (agg->tables)
		tap_agg_tables_free(agg);
	tap_agg_table_free(agg->shut);
	free_percpu(agg->lost);
}

/**
 * tap_aggregate_free() - free the aggregations of a probe and their tables
 * @probe: no event of it runs; @agg may be NULL or incomplete
 *
 * Context: process, may sleep.
 */
void tap_aggregate_free(struct tapmod_probe *probe)
{
	struct tapmod_aggregation *head = probe->agg;
	u32 i;

	if (!head)
		return;
	for (i = 0; i < head->nr_parts; i++)
		tap_agg_clear(&head->parts[i]);
	tap_agg_clear(head);
	kfree(head->parts);
	kfree(head);
	probe->agg = NULL;
}

/**
 * tap_aggregate_lost() - events that a CPU without a table has dropped
 * @probe: aggregates or not
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: their number; they are counted as aggregated as well.
 */
u64 tap_aggregate_lost(const struct tapmod_probe *probe, int cpu)
{
	return probe->agg ? READ_ONCE(*per_cpu_ptr(probe->agg->lost, cpu)) : 0;
}

/*
 * Copies an entry to the user, with flags in place of the state. Each word is read once
 * and whole, because an event on the table's CPU may write it at the same time.
 */
static int tap_agg_copy(const struct tapmod_aggregation *agg, const u64 *entry,
			u64 flags, u64 __user *to)
{
	u64 chunk[TAP_AGG_CHUNK];
	u32 i, n, done;

	for (done = 0; done < agg->words; done += n) {
		n = min_t(u32, agg->words - done, TAP_AGG_CHUNK);
		for (i = 0; i < n; i++)
			chunk[i] = READ_ONCE(entry[done + i]);
		if (!done)
			chunk[0] = flags;
		if (copy_to_user(to + done, chunk, n * sizeof(*chunk)))
			return -EFAULT;
	}
	return 0;
}

/* Whether an entry is ready and has counted an event. */
static bool tap_agg_counted(const struct tapmod_aggregation *agg, u64 *entry)
{
	/* Pairs with the store-release in tap_agg_claim(): the copy sees the key. */
	u64 state = smp_load_acquire(entry);

	return state & ~TAP_AGG_BUSY && READ_ONCE(*tap_agg_count(agg, entry));
}

static int tap_agg_read(const struct tapmod_aggregation *agg, u64 *table,
			struct tap_read *read)
{
	u64 __user *to = u64_to_user_ptr(read->words);
	u32 room = read->nr_words / agg->words;
	u64 i;
	int ret;

	for (i = read->from; i <= agg->mask + 1; i++) {
		u64 *entry = tap_agg_entry(agg, table, i);

		if (!(i % 1024))
			cond_resched();
		if (!tap_agg_counted(agg, entry))
			continue;
		if (read->out_entries == room) {
			read->out_next = i;
			return 0;
		}
		ret = tap_agg_copy(agg, entry, i > agg->mask ? TAP_ENTRY_OTHER : 0,
				   to + (size_t)read->out_entries * agg->words);
		if (ret)
			return ret;
		read->out_entries++;
	}
	return 0;
}

/**
 * tap_aggregate_read() - TAP_IOC_READ: copy a part of a CPU's table to the user
 * @session: locked, so that the probe is not deleted
 * @read: the request; its out_* members are set on success
 *
 * Events may update the table at the same time.
 *
 * Context: process, may sleep.
 * Return: 0; -ENOENT: no such probe; -ENODATA: it does not aggregate; -EINVAL: a member is
 *	out of range, or there is no room for one entry; -EFAULT.
 */
int tap_aggregate_read(struct tapmod_session *session, struct tap_read *read)
{
	const struct tapmod_probe *probe = xa_load(&session->probes, read->id);
	const struct tapmod_aggregation *agg;
	u64 *table;

	if (!probe)
		return -ENOENT;
	if (!probe->agg)
		return -ENODATA;
	if (read->__reserved || read->index >= tap_agg_nr(probe->agg))
		return -EINVAL;
	agg = tap_agg_first(probe->agg) + array_index_nospec(read->index, tap_agg_nr(probe->agg));
	if (read->cpu >= nr_cpu_ids || read->from > agg->mask + 1 ||
	    read->nr_words < agg->words)
		return -EINVAL;
	read->out_next = 0;
	read->out_entries = 0;
	read->out_entry_words = agg->words;
	/* A CPU that is not possible has no table. */
	if (!cpu_possible(read->cpu))
		return 0;
	/* Pairs with the store-release in tap_agg_prepare(). */
	table = smp_load_acquire(per_cpu_ptr(agg->tables,
					     array_index_nospec(read->cpu, nr_cpu_ids)));
	/* Nor has one that was not online since the probe was created. */
	return table == agg->shut ? 0 : tap_agg_read(agg, table, read);
}
