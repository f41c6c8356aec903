// SPDX-License-Identifier: GPL-2.0
/*
 * The bound for the memory of all sessions together: the module parameter memory_max.
 *
 * Rings, tables of aggregations, pools of return probes, counters and shut rings are
 * charged before they are allocated, and uncharged when they are freed. The bound holds
 * for every user, root included: the memory cannot be swapped out, and most of it is in
 * no process that the OOM killer could end.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "memory/memory.h"

/* Without a parameter all sessions together may take one in so many bytes of RAM. */
#define TAP_MEMORY_SHARE	8

/* Read and written with READ_ONCE() and WRITE_ONCE(). */
static u64 tap_memory_limit;

/* Bytes that all sessions have charged. */
static atomic64_t tap_memory_sum = ATOMIC64_INIT(0);

static u64 tap_memory_default(void)
{
	return ((u64)totalram_pages() << PAGE_SHIFT) / TAP_MEMORY_SHARE;
}

/* Takes bytes, or a number with a suffix as in "512M"; 0: the default. */
static int tap_memory_param_set(const char *text, const struct kernel_param *kp)
{
	char *end;
	u64 bytes;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	bytes = memparse(text, &end);
	if (*end == '\n')
		end++;
	if (*end)
		return -EINVAL;
	WRITE_ONCE(tap_memory_limit, bytes ?: tap_memory_default());
	return 0;
}

static int tap_memory_param_get(char *text, const struct kernel_param *kp)
{
	return sprintf(text, "%llu\n", tap_memory_max());
}

static const struct kernel_param_ops tap_memory_param = {
	.set = tap_memory_param_set,
	.get = tap_memory_param_get,
};

module_param_cb(memory_max, &tap_memory_param, NULL, 0644);
MODULE_PARM_DESC(memory_max,
		 "bytes that all sessions together may take, as 512M or 4G (default: 1/8 of RAM)");

/**
 * tap_memory_charge() - charge memory before it is allocated
 * @memory: of the session that gets it
 * @bytes: what is going to be allocated, on all CPUs together
 *
 * The caller calls tap_memory_uncharge() with as many bytes when the memory is freed, or
 * was not allocated after all. A bound that was made smaller than what is in use refuses
 * every charge until enough is freed.
 *
 * Context: any; takes no lock.
 * Return: 0; -ENOMEM: it would exceed the bound. Then nothing is charged, and @refused of
 *	@memory says how much was asked for.
 */
int tap_memory_charge(struct tap_memory *memory, u64 bytes)
{
	u64 max = tap_memory_max();
	s64 sum = atomic64_read(&tap_memory_sum);

	do {
		if ((u64)sum > max || bytes > max - sum) {
			WRITE_ONCE(memory->refused, bytes);
			return -ENOMEM;
		}
	} while (!atomic64_try_cmpxchg(&tap_memory_sum, &sum, sum + bytes));
	atomic64_add(bytes, &memory->used);
	return 0;
}

/**
 * tap_memory_charge_done() - charge memory that is allocated already
 * @memory: of the session that has it
 * @bytes: at most what tap_memory_left() has returned
 *
 * For an allocation whose size is not known before. Two of them at the same moment may
 * exceed the bound.
 *
 * Context: any; takes no lock.
 */
void tap_memory_charge_done(struct tap_memory *memory, u64 bytes)
{
	atomic64_add(bytes, &tap_memory_sum);
	atomic64_add(bytes, &memory->used);
}

/**
 * tap_memory_uncharge() - give back what was charged
 * @memory: of the session that had it
 * @bytes: as charged; 0 is allowed
 *
 * Context: any; takes no lock.
 */
void tap_memory_uncharge(struct tap_memory *memory, u64 bytes)
{
	atomic64_sub(bytes, &tap_memory_sum);
	atomic64_sub(bytes, &memory->used);
}

/**
 * tap_memory_left() - how much can still be charged
 *
 * Context: any.
 * Return: bytes; other sessions may charge them at any moment.
 */
u64 tap_memory_left(void)
{
	u64 max = tap_memory_max();

	return max - min(max, tap_memory_used());
}

/**
 * tap_memory_max() - the bound for all sessions together
 *
 * Context: any.
 * Return: bytes.
 */
u64 tap_memory_max(void)
{
	return READ_ONCE(tap_memory_limit);
}

/**
 * tap_memory_used() - what all sessions together have charged
 *
 * Context: any.
 * Return: bytes.
 */
u64 tap_memory_used(void)
{
	return atomic64_read(&tap_memory_sum);
}

/**
 * tap_memory_init() - set the bound, if the user gave none
 *
 * Context: process, module load.
 */
void tap_memory_init(void)
{
	if (!tap_memory_limit)
		WRITE_ONCE(tap_memory_limit, tap_memory_default());
}
