/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Addresses of the kernel that occur in records. Private to libtap.
 */
#ifndef _TAP_FILE_KSYM_COLLECT_H
#define _TAP_FILE_KSYM_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include <libtap.h>

struct tap_symbol;

/**
 * struct tap_kernel_addrs - the addresses, and the functions that a file needs for them
 * @syms: of the start of the recording; NULL: nothing is collected
 * @seen: a hash table of the addresses; 0 is a free place
 * @nr: number of addresses
 * @room: places of @seen, a power of two
 * @taken: a bit for each of @syms that was in @new
 * @new: functions that are not in the file yet
 * @nr_new: number of @new
 */
struct tap_kernel_addrs {
	const struct tap_symbols *syms;
	__u64 *seen;
	size_t nr;
	size_t room;
	__u8 *taken;
	const struct tap_symbol **new;
	size_t nr_new;
};

int tap_kernel_addrs_open(struct tap_kernel_addrs *k, const struct tap_symbols *syms);
void tap_kernel_addrs_close(struct tap_kernel_addrs *k);
int tap_kernel_addrs_new(struct tap_kernel_addrs *k, size_t at, __u64 addr);
int tap_kernel_addrs_write(struct tap_kernel_addrs *k, struct tap_file_writer *w);
bool tap_kernel_addrs_unknown(const struct tap_kernel_addrs *k, const struct tap_symbols *now);
int tap_kernel_addrs_end(struct tap_kernel_addrs *k, struct tap_file_writer *w,
			 const struct tap_symbols *now);

static inline size_t tap_kernel_addr_hash(__u64 addr)
{
	return (size_t)(addr * 0x9e3779b97f4a7c15ULL >> 20);
}

/* Adds an address. Most of them are there already. Returns 0 or -ENOMEM. */
static inline int tap_kernel_addrs_add(struct tap_kernel_addrs *k, __u64 addr)
{
	size_t at = tap_kernel_addr_hash(addr) & (k->room - 1);

	while (k->seen[at]) {
		if (k->seen[at] == addr)
			return 0;
		at = (at + 1) & (k->room - 1);
	}
	return tap_kernel_addrs_new(k, at, addr);
}

#endif /* _TAP_FILE_KSYM_COLLECT_H */
