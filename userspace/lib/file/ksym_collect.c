// SPDX-License-Identifier: LGPL-2.1
/*
 * The functions of the kernel that a trace file needs: those of the addresses that occur in
 * its records.
 *
 * A reader names an address by the last function at or before it. So the file has this
 * function for each address, also where it is too far away to be the right one: then the
 * reader finds the same as in all symbols, which is none. Of a module the file also has the
 * last function, which tells the reader where the module ends.
 */
#include <errno.h>
#include <stdlib.h>

#include "file/file_internal.h"
#include "file/ksym_collect.h"
#include "kernel/ksyms.h"
#include "util/array.h"

/* Makes room for one more address. At most half of the places are used. */
static int addrs_room(struct tap_kernel_addrs *k)
{
	size_t room = k->room ? k->room * 2 : 1024, i, at;
	__u64 *seen;

	if (k->nr < k->room / 2)
		return 0;
	seen = calloc(room, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	for (i = 0; i < k->room; i++) {
		if (!k->seen[i])
			continue;
		at = tap_kernel_addr_hash(k->seen[i]) & (room - 1);
		while (seen[at])
			at = (at + 1) & (room - 1);
		seen[at] = k->seen[i];
	}
	free(k->seen);
	k->seen = seen;
	k->room = room;
	return 0;
}

/* Adds a function of @syms once. @taken has a bit for each. */
static int add_function(struct tap_kernel_addrs *k, const struct tap_symbols *syms,
			__u8 *taken, const struct tap_symbol *sym)
{
	size_t i = (size_t)(sym - syms->list);

	if (taken[i / 8] >> i % 8 & 1)
		return 0;
	if (!TAP_GROW(k->new, k->nr_new))
		return -ENOMEM;
	taken[i / 8] |= (__u8)(1 << i % 8);
	k->new[k->nr_new++] = sym;
	return 0;
}

static int add_address(struct tap_kernel_addrs *k, const struct tap_symbols *syms,
		       __u8 *taken, __u64 addr)
{
	const struct tap_symbol *sym = tap_symbols_before(syms, addr), *same;
	int ret = 0;

	if (!sym)
		return 0;
	/* Others at its address as well: they may not have been there at the start. */
	for (same = sym; !ret && same && same->addr == sym->addr;
	     same = same > syms->list ? same - 1 : NULL)
		if (tap_symbol_is_named(same))
			ret = add_function(k, syms, taken, same);
	if (!ret && *sym->module)
		ret = add_function(k, syms, taken, tap_symbols_module_end(syms, sym));
	return ret;
}

/* Of a call in a stack, the byte before the address is named. */
static int add_both(struct tap_kernel_addrs *k, const struct tap_symbols *syms,
		    __u8 *taken, __u64 addr)
{
	int ret = add_address(k, syms, taken, addr);

	return ret ? ret : add_address(k, syms, taken, addr - 1);
}

/**
 * tap_kernel_addrs_open() - start to collect
 * @k: is all zero
 * @syms: of the start of the recording; must stay
 *
 * Return: 0 or -ENOMEM.
 */
int tap_kernel_addrs_open(struct tap_kernel_addrs *k, const struct tap_symbols *syms)
{
	k->taken = calloc(1, syms->nr / 8 + 1);
	if (!k->taken)
		return -ENOMEM;
	k->syms = syms;
	return addrs_room(k);
}

void tap_kernel_addrs_close(struct tap_kernel_addrs *k)
{
	free(k->seen);
	free(k->taken);
	free(k->new);
}

/**
 * tap_kernel_addrs_new() - add an address that was not there
 * @k: an open collection, without @addr at @at
 * @at: the place where it would be
 * @addr: not 0
 *
 * Return: 0 or -ENOMEM.
 */
int tap_kernel_addrs_new(struct tap_kernel_addrs *k, size_t at, __u64 addr)
{
	k->seen[at] = addr;
	k->nr++;
	return add_both(k, k->syms, k->taken, addr) ?: addrs_room(k);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct tap_symbol *x = *(const struct tap_symbol *const *)a;
	const struct tap_symbol *y = *(const struct tap_symbol *const *)b;

	/* Both are of one list, which is by address. */
	return x < y ? -1 : x > y;
}

static int write_new(struct tap_kernel_addrs *k, struct tap_file_writer *w,
		     const struct tap_symbols *before)
{
	int ret;

	if (!k->nr_new)
		return 0;
	qsort(k->new, k->nr_new, sizeof(*k->new), compare_symbols);
	ret = tap_file_symbols_of(w, k->new, k->nr_new, before);
	k->nr_new = 0;
	return ret;
}

/**
 * tap_kernel_addrs_write() - write the functions that were found since the last call
 * @k: an open collection
 * @w: the file
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
int tap_kernel_addrs_write(struct tap_kernel_addrs *k, struct tap_file_writer *w)
{
	return write_new(k, w, NULL);
}

/**
 * tap_kernel_addrs_unknown() - whether an address has no function
 * @k: an open collection
 * @now: symbols beside those of the start; may be NULL
 */
bool tap_kernel_addrs_unknown(const struct tap_kernel_addrs *k, const struct tap_symbols *now)
{
	char name[8];
	size_t i;

	for (i = 0; i < k->room; i++)
		if (k->seen[i] && tap_symbols_lookup(k->syms, k->seen[i], name, sizeof(name)) &&
		    (!now || tap_symbols_lookup(now, k->seen[i], name, sizeof(name))))
			return true;
	return false;
}

/**
 * tap_kernel_addrs_end() - write the functions that were added since the start
 * @k: an open collection, after the last tap_kernel_addrs_write()
 * @w: the file
 * @now: symbols of the end of the recording
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
int tap_kernel_addrs_end(struct tap_kernel_addrs *k, struct tap_file_writer *w,
			 const struct tap_symbols *now)
{
	__u8 *taken = calloc(1, now->nr / 8 + 1);
	int ret = taken ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < k->room && !ret; i++)
		if (k->seen[i])
			ret = add_both(k, now, taken, k->seen[i]);
	if (!ret)
		ret = write_new(k, w, k->syms);
	free(taken);
	return ret;
}
