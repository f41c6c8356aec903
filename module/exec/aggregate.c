// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations: verified and given their tables here, in process context; updated by
 * events, in any context; read meanwhile.
 *
 * A table belongs to its CPU, and no other CPU writes to it. So a writer can only be
 * interrupted by another event between two of its instructions, on its own CPU, and
 * no access needs a lock prefix. An entry that was taken keeps its key as long as the
 * table lives; its words only grow (or, of a least value, fall).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "core/probe.h"
#include "core/session.h"
#include "exec/aggregate.h"

/* Places that are looked at before a key counts as one that found no room. */
#define TAP_AGG_TRIES	64
/* Words that are copied to the user at once. */
#define TAP_AGG_CHUNK	64

static __always_inline u64 *
tap_agg_count(const struct tapmod_aggregation *agg, u64 *entry)
{
	return entry + TAP_AGG_KEY + agg->nr_keys;
}

static __always_inline u64 *
tap_agg_other(const struct tapmod_aggregation *agg, u64 *table)
{
	return tap_agg_entry(agg, table, agg->mask + 1);
}

/* What a value is before its first event; nobody else sees the entry yet. */
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
 * Takes a free entry for a key. An event that interrupts us finds it busy and goes
 * on to another place: then the key has two, and the reader adds them up.
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
	/* Pairs with tap_agg_copy(): who sees the state sees the key. */
	smp_store_release(entry, state);
	return true;
}
NOKPROBE_SYMBOL(tap_agg_claim);

/* The entry of the key of an event, or that of all that find no room. */
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
	entry = tap_agg_entry(agg, table, hash & agg->mask);
	do {
		u64 found = READ_ONCE(*entry);

		/* Ready for good: its key does not change under us. */
		if (found == state && tap_agg_same_key(agg, entry, words))
			return entry;
		if (found == TAP_AGG_FREE &&
		    tap_agg_claim(agg, entry, words, state))
			return entry;
		entry += agg->words;
		if (entry == end)
			entry = table;
	} while (--left);
	return end;
}

/* Lowers (or raises) a word to a value; safe against interrupting events. */
static __always_inline void tap_agg_extreme(u64 *p, u64 value, bool less,
					    bool is_signed)
{
	/* With the sign bit turned over, signed order is unsigned order. */
	u64 turn = is_signed ? BIT_ULL(63) : 0;
	u64 old;

	do {
		old = READ_ONCE(*p);
		if (less ? (value ^ turn) >= (old ^ turn) :
			   (value ^ turn) <= (old ^ turn))
			return;
	} while (!tap_cmpxchg_local(p, old, value));
}

/* Which bucket of a histogram by powers of two a value falls into. */
static __always_inline u32 tap_agg_log2(u64 value, bool is_signed)
{
	if (is_signed && (s64)value < 0)
		return TAP_HIST_BUCKETS - 1;
	return fls64(value);
}

/* Which bucket of a linear histogram. */
static __always_inline u32 tap_agg_linear(const struct tap_agg_value *v,
					  u64 value)
{
	u64 n;

	if (v->is_signed ? (s64)value < (s64)v->base : value < v->base)
		return 0;
	/* Never below the base: right modulo 2^64, too. */
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
		case TAP_AGG_LHIST:
			at += tap_agg_linear(v, value);
			tap_add_local(at, 1);
			break;
		}
	}
}
NOKPROBE_SYMBOL(tap_agg_update);

/* Adds an event to the entry of its key. */
static __always_inline void
tap_agg_add(const struct tapmod_aggregation *agg, u64 *entry, const u64 *words,
	    u64 absent)
{
	tap_add_local(tap_agg_count(agg, entry), 1);
	if (agg->nr_values)
		tap_agg_update(agg, entry, words, absent);
}

/* An event whose key has several words, or is not at its first place. */
static noinline void
tap_agg_event_slow(const struct tapmod_aggregation *agg, u64 *table,
		   const u64 *words, u64 absent)
{
	tap_agg_add(agg, tap_agg_find(agg, table, words), words, absent);
}
NOKPROBE_SYMBOL(tap_agg_event_slow);

/**
 * tap_aggregate_event() - count an event
 * @probe: a probe that aggregates
 * @words: value words of the event, as a record would have them
 * @absent: which of its outputs are absent; bit n is the n-th
 *
 * Calls nothing where the key has one word and is at its first place.
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

/* Copies a structure that begins with its size; what it has beyond is zero. */
static int tap_aggregate_copy(struct tap_aggregate *to, void __user *user)
{
	u32 size;
	int ret;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < offsetofend(struct tap_aggregate, aggs))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(to, sizeof(*to), user, size);
	if (ret)
		return ret;
	if (to->flags || to->nr_keys > TAP_MAX_KEYS ||
	    to->nr_aggs > TAP_MAX_AGGS || !is_power_of_2(to->entries) ||
	    to->entries > (to->nr_keys ? TAP_MAX_ENTRIES : 1))
		return -EINVAL;
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
		/* Keys may overlap, but not without end. */
		if (!key->words || key->word + key->words > nr_words ||
		    agg->nr_keys + key->words > TAP_MAX_AGG_WORDS)
			return -EINVAL;
		for (k = 0; k < key->words; k++)
			agg->key[agg->nr_keys++] = key->word + k;
	}
	return 0;
}

/* Appends a value to the entries. */
static int tap_agg_load_value(struct tapmod_aggregation *agg,
			      const struct tap_agg *from,
			      const struct tapmod_probe *probe)
{
	struct tap_agg_value *v = &agg->value[agg->nr_values];
	bool linear = from->kind == TAP_AGG_LHIST;
	u32 words = tap_agg_words(from);
	u8 output;

	if (!words || from->flags & ~TAP_AGG_F_SIGNED ||
	    from->word >= probe->prog.words)
		return -EINVAL;
	if (linear ? !from->step : from->buckets || from->base || from->step)
		return -EINVAL;

	v->kind = from->kind;
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

/**
 * tap_aggregate_load() - copy an aggregation from the user and verify it
 * @probe: its program is loaded; to be freed with tap_aggregate_free() also
 *	after an error
 * @create: says where the user has it; if it has none, nothing is done
 *
 * Context: process.
 * Return: 0; -EINVAL: it is malformed, or events are to be counted without it;
 *	-E2BIG; -EFAULT; -ENOMEM.
 */
int tap_aggregate_load(struct tapmod_probe *probe, const struct tap_create *create)
{
	struct tap_agg aggs[TAP_MAX_AGGS];
	struct tapmod_aggregation *agg;
	struct tap_aggregate from;
	unsigned int i;
	int ret;

	if (!create->aggregate)
		return 0;
	if (create->flags & TAP_CREATE_F_COUNT ||
	    probe->prog.words > TAP_MAX_AGG_WORDS)
		return -EINVAL;
	ret = tap_aggregate_copy(&from, u64_to_user_ptr(create->aggregate));
	if (ret)
		return ret;
	if (copy_from_user(aggs, u64_to_user_ptr(from.aggs),
			   from.nr_aggs * sizeof(*aggs)))
		return -EFAULT;

	agg = kzalloc(sizeof(*agg), GFP_KERNEL_ACCOUNT);
	if (!agg)
		return -ENOMEM;
	probe->agg = agg;
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
	return 0;
}

/* Bytes of one CPU's table: whole cache lines, so that it shares none. */
static u64 tap_agg_table_bytes(const struct tapmod_aggregation *agg)
{
	return ALIGN((agg->mask + 2) * agg->words * sizeof(u64),
		     SMP_CACHE_BYTES);
}

/**
 * tap_aggregate_bytes() - what the tables of a probe take
 * @probe: of tap_aggregate_load()
 *
 * Return: bytes, all CPUs together; 0 if it does not aggregate.
 */
u64 tap_aggregate_bytes(const struct tapmod_probe *probe)
{
	return probe->agg ?
	       tap_agg_table_bytes(probe->agg) * num_possible_cpus() : 0;
}

/**
 * tap_aggregate_alloc() - give an aggregation its tables
 * @probe: of tap_aggregate_load(); if it does not aggregate, nothing is done.
 *	tap_aggregate_bytes() of it were found to be not too many.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int tap_aggregate_alloc(struct tapmod_probe *probe)
{
	struct tapmod_aggregation *agg = probe->agg;
	int cpu;

	if (!agg)
		return 0;
	agg->tables = alloc_percpu_gfp(u64 *, GFP_KERNEL_ACCOUNT);
	if (!agg->tables)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		u64 *table = kvmalloc_node(tap_agg_table_bytes(agg),
					   GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					   __GFP_NOWARN, cpu_to_node(cpu));

		if (!table)
			return -ENOMEM;
		*per_cpu_ptr(agg->tables, cpu) = table;
		/* The entry of all other keys is ready from the start, */
		tap_agg_init(agg, tap_agg_other(agg, table));
		*tap_agg_other(agg, table) = TAP_AGG_READY;
		/* and so is the only one, if there are no keys. */
		if (!agg->nr_keys) {
			tap_agg_init(agg, table);
			*table = TAP_AGG_READY;
		}
		cond_resched();
	}
	return 0;
}

/**
 * tap_aggregate_free() - free an aggregation
 * @probe: no event of it runs any more; it may be one that does not aggregate
 */
void tap_aggregate_free(struct tapmod_probe *probe)
{
	struct tapmod_aggregation *agg = probe->agg;
	int cpu;

	if (!agg)
		return;
	if (agg->tables)
		for_each_possible_cpu(cpu)
			kvfree(*per_cpu_ptr(agg->tables, cpu));
	free_percpu(agg->tables);
	kfree(agg);
	probe->agg = NULL;
}

/*
 * Copies an entry to the user, its state replaced by flags. Each word is read
 * once and whole; its CPU may be adding to it.
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

/* Whether an entry has anything to tell. */
static bool tap_agg_counted(const struct tapmod_aggregation *agg, u64 *entry)
{
	/* Pairs with tap_agg_claim(). */
	u64 state = smp_load_acquire(entry);

	return state & ~TAP_AGG_BUSY && READ_ONCE(*tap_agg_count(agg, entry));
}

/* Copies as many entries as there is room for. */
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
 * tap_aggregate_read() - copy a part of a CPU's table to the user
 * @session: locked
 * @read: says which, gets the rest
 *
 * Events go on meanwhile.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT, -ENODATA, -EINVAL, -EFAULT.
 */
int tap_aggregate_read(struct tapmod_session *session, struct tap_read *read)
{
	const struct tapmod_probe *probe = xa_load(&session->probes, read->id);
	const struct tapmod_aggregation *agg;

	if (!probe)
		return -ENOENT;
	agg = probe->agg;
	if (!agg)
		return -ENODATA;
	if (read->cpu >= nr_cpu_ids || read->from > agg->mask + 1 ||
	    read->nr_words < agg->words)
		return -EINVAL;
	read->out_next = 0;
	read->out_entries = 0;
	read->out_entry_words = agg->words;
	/* One that can never be has counted nothing. */
	if (!cpu_possible(read->cpu))
		return 0;
	return tap_agg_read(agg, *per_cpu_ptr(agg->tables, read->cpu), read);
}
