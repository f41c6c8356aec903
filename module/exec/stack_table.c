// SPDX-License-Identifier: GPL-2.0
/*
 * Stores stacks, in events of any context, and reads them. The rules of handler.h hold, and those
 * of stack_table.h.
 */
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "common/program_cost.h"
#include "core/session.h"
#include "exec/frame_table.h"
#include "exec/nofault.h"
#include "exec/stack_table.h"

/* The first word of the arena that may have a stack. */
#define TAP_STACK_FIRST		(TAP_STACK_NO_ROOM + 1U)

static_assert(TAP_MAX_STACK_WORDS + TAP_STACK_FIRST <= 1ULL << 30);

static __always_inline u64 tap_stack_hash(const struct tapmod_stack_table *table,
					  const u64 *words, unsigned int nr)
{
	u64 hash = table->seed;
	unsigned int i;

	for (i = 0; i < nr; i++)
		hash = tap_frame_hash(hash, words[i]);
	return hash;
}

/* The stack to which a place leads. */
static __always_inline u64 tap_stack_at(u64 place)
{
	return (u32)place >> 2;
}

/* Frames in a stack, by its TAP_TEXT_* word. */
static __always_inline unsigned int tap_stack_frames(u64 head)
{
	return (head & TAP_TEXT_LEN) / sizeof(u64);
}

static __always_inline bool
tap_stack_same(const struct tapmod_stack_table *table, u64 place, const u64 *words,
	       unsigned int nr)
{
	const u64 *stack = table->arena + tap_stack_at(place);
	unsigned int i;

	/* The first word has the length. */
	for (i = 0; i < nr; i++)
		if (stack[i] != words[i])
			return false;
	return true;
}

/*
 * Stores a stack at a free place. Returns its id; 0: another event has taken the place;
 * TAP_STACK_NO_ROOM.
 */
static __always_inline u64
tap_stack_add(struct tapmod_stack_table *table, u64 *place, u64 tag, const u64 *words,
	      unsigned int nr)
{
	unsigned int i;
	u64 at;

	/* In a full table no place is taken. */
	if (atomic64_read(&table->used) + nr > table->words)
		return TAP_STACK_NO_ROOM;
	if (cmpxchg(place, TAP_PLACE_FREE, tag | TAP_PLACE_WRITING) != TAP_PLACE_FREE)
		return 0;
	at = atomic64_fetch_add(nr, &table->used);
	if (at + nr > table->words) {
		/* Nothing was written. An event that stopped at this place stores a stack twice. */
		WRITE_ONCE(*place, TAP_PLACE_FREE);
		return TAP_STACK_NO_ROOM;
	}
	for (i = 0; i < nr; i++)
		WRITE_ONCE(table->arena[at + i], words[i]);
	/* Pairs with the load-acquire in tap_stack_store() and tap_stacks_find(). */
	smp_store_release(place, tag | at << 2 | TAP_PLACE_READY);
	this_cpu_inc(table->counts->stored);
	return at;
}

/**
 * tap_stack_store() - the id of a stack, which is stored if it is new
 * @table: the session's table
 * @words: its TAP_TEXT_* word, then its frames
 * @nr: number of @words
 *
 * Context: any, NMI included; preemption off.
 * Return: its id, or %TAP_STACK_NO_ROOM, which is counted.
 */
noinline u64
tap_stack_store(struct tapmod_stack_table *table, const u64 *words, unsigned int nr)
{
	u64 hash = tap_stack_hash(table, words, nr), tag = hash << 32, at = hash >> table->shift;
	u64 mask = U64_MAX >> table->shift;
	unsigned int tries, others = 0;

	for (tries = 0; tries < TAP_STACK_TRIES; tries++, at = (at + 1) & mask) {
		u64 *place = &table->places[at];
		/* Pairs with the store-release in tap_stack_add(): the stack is there. */
		u64 found = smp_load_acquire(place);

		if (found == TAP_PLACE_FREE) {
			u64 id = tap_stack_add(table, place, tag, words, nr);

			if (id == TAP_STACK_NO_ROOM)
				break;
			if (id)
				return id;
			/* As above: the other event may have stored its stack already. */
			found = smp_load_acquire(place);
		}
		if ((found ^ tag) >> 32 || (found & TAP_PLACE_STATE) != TAP_PLACE_READY)
			continue;
		if (likely(tap_stack_same(table, found, words, nr)))
			return tap_stack_at(found);
		/* Different stacks of one hash: to compare them takes as long as they are. */
		if (++others == TAP_STACK_OTHERS)
			break;
	}
	this_cpu_inc(table->counts->no_room);
	return TAP_STACK_NO_ROOM;
}
NOKPROBE_SYMBOL(tap_stack_store);

static void tap_stack_table_free(struct tapmod_stack_table *table)
{
	kvfree(table->places);
	kvfree(table->arena);
	free_percpu(table->counts);
	kfree(table);
}

static struct tapmod_stack_table *tap_stack_table_alloc(u32 entries, u64 words, u64 *bytes)
{
	struct tapmod_stack_table *table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	u64 nr = roundup_pow_of_two(max_t(u64, 2ULL * entries, TAP_STACK_TRIES));

	if (!table)
		return NULL;
	table->shift = 64 - ilog2(nr);
	table->words = words + TAP_STACK_FIRST;
	table->seed = get_random_u64();
	atomic64_set(&table->used, TAP_STACK_FIRST);
	*bytes = sizeof(*table) + (nr + table->words) * sizeof(u64) +
		 (u64)num_possible_cpus() * sizeof(struct tap_stack_counts);
	return table;
}

static int tap_stack_table_fill(struct tapmod_stack_table *table)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;

	/* Zero: all places are free. */
	table->places = kvmalloc_array(1ULL << (64 - table->shift), sizeof(u64), gfp);
	table->arena = kvmalloc_array(table->words, sizeof(u64), gfp);
	table->counts = alloc_percpu_gfp(struct tap_stack_counts, GFP_KERNEL_ACCOUNT);
	return table->places && table->arena && table->counts ? 0 : -ENOMEM;
}

/**
 * tap_stacks_create() - TAP_IOC_STACKS: make the session's table of stacks
 * @session: locked; gets the table
 * @arg: the request
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY: it has one; -EINVAL: a member is out of range; -ENOMEM.
 */
int tap_stacks_create(struct tapmod_session *session, const struct tap_stack_table *arg)
{
	u64 words = arg->words ?: 32ULL * arg->entries, bytes;
	struct tapmod_stack_table *table;
	int ret;

	if (arg->flags || !arg->entries || arg->entries > TAP_MAX_STACKS ||
	    words > TAP_MAX_STACK_WORDS)
		return -EINVAL;
	if (session->stacks)
		return -EBUSY;
	table = tap_stack_table_alloc(arg->entries, words, &bytes);
	if (!table)
		return -ENOMEM;
	ret = tap_memory_charge(&session->memory, bytes);
	if (ret)
		goto err_free;
	table->bytes = bytes;
	ret = tap_stack_table_fill(table);
	if (ret)
		goto err_uncharge;
	session->stacks = table;
	return 0;

err_uncharge:
	tap_memory_uncharge(&session->memory, bytes);
err_free:
	tap_stack_table_free(table);
	return ret;
}

/**
 * tap_stacks_free() - free the session's table of stacks
 * @session: has no probes; it may have no table
 *
 * Context: process.
 */
void tap_stacks_free(struct tapmod_session *session)
{
	struct tapmod_stack_table *table = session->stacks;

	if (!table)
		return;
	session->stacks = NULL;
	tap_memory_uncharge(&session->memory, table->bytes);
	tap_stack_table_free(table);
}

/* Copies the words of what may be a stack; returns their number, or 0 if it is none. */
static unsigned int
tap_stacks_copy(const struct tapmod_stack_table *table, u64 id, u64 *words)
{
	unsigned int nr, i;

	words[0] = READ_ONCE(table->arena[id]);
	nr = 1 + tap_stack_frames(words[0]);
	if (nr > 1 + TAP_MAX_STACK || id + nr > table->words)
		return 0;
	for (i = 1; i < nr; i++)
		words[i] = READ_ONCE(table->arena[id + i]);
	return nr;
}

/*
 * Copies the stack that was stored at this place of the arena; returns the number of its words, or
 * 0 if there is none. The caller may ask for any word, also for one that an event is writing: no
 * place leads to that.
 */
static unsigned int
tap_stacks_find(const struct tapmod_stack_table *table, u64 id, u64 *words)
{
	unsigned int nr, tries;
	u64 hash, at, mask = U64_MAX >> table->shift;

	if (id < TAP_STACK_FIRST || id >= table->words)
		return 0;
	nr = tap_stacks_copy(table, id, words);
	hash = tap_stack_hash(table, words, nr);
	at = hash >> table->shift;
	for (tries = 0; nr && tries < TAP_STACK_TRIES; tries++, at = (at + 1) & mask)
		/* Pairs with the store-release in tap_stack_add(): from here on it is whole. */
		if (smp_load_acquire(&table->places[at]) ==
		    (hash << 32 | id << 2 | TAP_PLACE_READY))
			return tap_stacks_copy(table, id, words);
	return 0;
}

static void tap_stacks_sum(const struct tapmod_stack_table *table, struct tap_stack_read *read)
{
	int cpu;

	read->out_nr_words = 0;
	read->out_stored = 0;
	read->out_no_room = 0;
	for_each_possible_cpu(cpu) {
		const struct tap_stack_counts *counts = per_cpu_ptr(table->counts, cpu);

		read->out_stored += READ_ONCE(counts->stored);
		read->out_no_room += READ_ONCE(counts->no_room);
	}
	read->out_words = min_t(u64, atomic64_read(&table->used), table->words) - TAP_STACK_FIRST;
}

/**
 * tap_stacks_read() - TAP_IOC_STACK: copy a stack and the counts of the table
 * @session: locked
 * @read: the request; its out_* members are set on success
 *
 * Events may store stacks at the same time.
 *
 * Context: process, may sleep.
 * Return: 0; -ENODATA: there is no table; -ENOENT: no such stack; -EINVAL; -EFAULT.
 */
int tap_stacks_read(struct tapmod_session *session, struct tap_stack_read *read)
{
	const struct tapmod_stack_table *table = session->stacks;
	u64 words[1 + TAP_MAX_STACK];
	unsigned int nr, i;

	if (read->flags || !read->words != !read->nr_words)
		return -EINVAL;
	if (!table)
		return -ENODATA;
	tap_stacks_sum(table, read);
	if (!read->id)
		return 0;
	nr = tap_stacks_find(table, read->id, words);
	if (!nr)
		return -ENOENT;
	for (i = 0; !session->addresses && i < nr; i++)
		if (tap_is_address(words[i]))
			words[i] = 0;
	read->out_nr_words = nr;
	nr = min(nr, read->nr_words);
	return copy_to_user(u64_to_user_ptr(read->words), words, nr * sizeof(*words)) ?
	       -EFAULT : 0;
}
