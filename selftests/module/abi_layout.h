/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compile-time checks of the layout of every UAPI structure, for 64-bit and 32-bit callers.
 * Needs no C library.
 *
 * Sizes are written as numbers. Each structure is as long as the sum of its members, so it has
 * no hole.
 */
#ifndef _TEST_MODULE_ABI_LAYOUT_H
#define _TEST_MODULE_ABI_LAYOUT_H

#include <linux/tap.h>

#define MEMBER(type, member)	sizeof(((struct type *)0)->member)

#define CHECK_LAYOUT(type, size, ...)					\
	_Static_assert(sizeof(struct type) == (size), #type ": size");	\
	_Static_assert((__VA_ARGS__) == (size), #type ": has a hole")

#define M(member)	MEMBER(CHECKED, member)

#define CHECKED tap_info
CHECK_LAYOUT(tap_info, 88, M(size) + M(flags) + M(out_features) + M(out_api) +
	     M(out_nr_rings) + M(out_page_size) + M(out_clock) +
	     M(out_max_probes) + M(out_max_ops) + M(out_max_call_mem) +
	     M(out_call_mem) + M(out_call_mem_wanted) + M(out_memory_max) +
	     M(out_memory_used) + M(out_memory_refused));
#undef CHECKED

#define CHECKED tap_setup
CHECK_LAYOUT(tap_setup, 56, M(size) + M(flags) + M(ring_bytes) + M(watermark) +
	     M(wake_ms) + M(out_nr_rings) + M(out_ring_offset) +
	     M(out_ring_stride) + M(panic) + M(__reserved));
#undef CHECKED

#define CHECKED tap_op
CHECK_LAYOUT(tap_op, 16, M(code) + M(dst) + M(src) + M(size) + M(off) +
	     M(imm));
#undef CHECKED

#define CHECKED tap_create
CHECK_LAYOUT(tap_create, 144, M(size) + M(flags) + M(type) + M(maxactive) +
	     M(target) + M(target_len) + M(nr_ops) + M(ops) + M(data) +
	     M(aggregate) + M(data_len) + M(out_id) + M(file) + M(pid) +
	     M(offset) + M(semaphore) + M(perf) + M(addrs) + M(nr_addrs) +
	     M(limit) + M(span) + M(span_id) + M(side) + M(nr_aggregates) + M(capture_id) +
	     M(frame) + M(__reserved));
#undef CHECKED

#define CHECKED tap_span_table
CHECK_LAYOUT(tap_span_table, 24, M(size) + M(flags) + M(mode) + M(nr_keys) + M(from_words) +
	     M(to_words) + M(entries) + M(__reserved));
#undef CHECKED

#define CHECKED tap_span_event
CHECK_LAYOUT(tap_span_event, 48, M(duration) + M(from_time) + M(from_tid) + M(from_tgid) +
	     M(from_cpu) + M(from_flags) + M(from_comm));
#undef CHECKED

#define CHECKED tap_span_read
CHECK_LAYOUT(tap_span_read, 112, M(size) + M(id) + M(words) + M(nr_words) + M(from) +
	     M(out_next) + M(out_entries) + M(out_entry_words) + M(__reserved) +
	     M(out_opened) + M(out_restarted) + M(out_full) + M(out_busy) + M(out_ended) +
	     M(out_unmatched) + M(out_unmatched_busy) + M(out_cleared) + M(out_open));
#undef CHECKED

#define CHECKED tap_stack_table
CHECK_LAYOUT(tap_stack_table, 16, M(size) + M(flags) + M(entries) + M(words));
#undef CHECKED

#define CHECKED tap_stack_read
CHECK_LAYOUT(tap_stack_read, 56, M(size) + M(flags) + M(id) + M(words) + M(nr_words) +
	     M(out_nr_words) + M(out_stored) + M(out_words) + M(out_no_room));
#undef CHECKED

#define CHECKED tap_tasks
CHECK_LAYOUT(tap_tasks, 16, M(size) + M(flags) + M(tasks) + M(out_sources));
#undef CHECKED

#define CHECKED tap_tasks_read
CHECK_LAYOUT(tap_tasks_read, 40, M(size) + M(flags) + M(out_no_room) + M(out_backwards) +
	     M(out_unexpected) + M(out_no_wait));
#undef CHECKED

#define CHECKED tap_window
CHECK_LAYOUT(tap_window, 72, M(size) + M(flags) + M(after) + M(out_time) + M(out_since) +
	     M(out_merged) + M(out_missed) + M(out_offset) + M(out_probe) + M(out_set) +
	     M(out_cpu) + M(__reserved));
#undef CHECKED

#define CHECKED tap_gate
CHECK_LAYOUT(tap_gate, 32, M(size) + M(flags) + M(limit) + M(out_left) + M(out_closed) +
	     M(__reserved));
#undef CHECKED

#define CHECKED tap_describe
CHECK_LAYOUT(tap_describe, 24, M(size) + M(flags) + M(data) + M(len));
#undef CHECKED

#define CHECKED tap_anchor
CHECK_LAYOUT(tap_anchor, 96, M(magic) + M(pfn) + M(version) + M(length) + M(page_size) + M(pid) +
	     M(id) + M(opened) + M(comm) + M(meta) + M(sum) + M(rings) + M(description));
#undef CHECKED

#define CHECKED tap_anchor_list
CHECK_LAYOUT(tap_anchor_list, 56, M(magic) + M(pfn) + M(next) + M(kind) + M(cpu) + M(first) +
	     M(nr) + M(bytes) + M(sum));
#undef CHECKED

#define CHECKED tap_division
CHECK_LAYOUT(tap_division, 120, M(part) + M(wait) + M(lock_wait) + M(wait_part) +
	     M(lock_kind) + M(waker_tid) + M(waker_tgid) + M(holder_tid) + M(waker_comm) + M(holder_comm));
#undef CHECKED

#define CHECKED tap_cost
CHECK_LAYOUT(tap_cost, 16, M(id) + M(hit) + M(passed) + M(__reserved));
#undef CHECKED

#define CHECKED tap_budget
CHECK_LAYOUT(tap_budget, 72, M(size) + M(flags) + M(permille) + M(nr_costs) + M(costs) +
	     M(out_spent) + M(out_time) + M(out_dropping) + M(out_paused) + M(out_pauses) +
	     M(out_permille) + M(out_unseen));
#undef CHECKED

#define CHECKED tap_agg
CHECK_LAYOUT(tap_agg, 24, M(kind) + M(flags) + M(word) + M(buckets) + M(base) +
	     M(step));
#undef CHECKED

#define CHECKED tap_key
CHECK_LAYOUT(tap_key, 4, M(word) + M(words));
#undef CHECKED

#define CHECKED tap_aggregate
CHECK_LAYOUT(tap_aggregate, 48, M(size) + M(flags) + M(nr_keys) + M(nr_aggs) +
	     M(keys) + M(entries) + M(aggs) + M(agg_size) + M(__reserved));
#undef CHECKED

#define CHECKED tap_read
CHECK_LAYOUT(tap_read, 48, M(size) + M(id) + M(cpu) + M(from) + M(words) +
	     M(nr_words) + M(out_next) + M(out_entries) + M(out_entry_words) +
	     M(index) + M(__reserved));
#undef CHECKED

#define CHECKED tap_perf
CHECK_LAYOUT(tap_perf, 48, M(size) + M(flags) + M(type) + M(__reserved) +
	     M(config) + M(config1) + M(config2) + M(period));
#undef CHECKED

#define CHECKED tap_pmu
CHECK_LAYOUT(tap_pmu, 24, M(size) + M(flags) + M(events) + M(nr_events) +
	     M(__reserved));
#undef CHECKED

#define CHECKED tap_count
CHECK_LAYOUT(tap_count, 32, M(value) + M(enabled) + M(running) + M(state) +
	     M(__reserved));
#undef CHECKED

#define CHECKED tap_count_read
CHECK_LAYOUT(tap_count_read, 24, M(size) + M(id) + M(counts) + M(nr_counts) +
	     M(__reserved));
#undef CHECKED

#define CHECKED tap_mark
CHECK_LAYOUT(tap_mark, 24, M(size) + M(id) + M(data) + M(len) + M(out_heard));
#undef CHECKED

#define CHECKED tap_follow
CHECK_LAYOUT(tap_follow, 16, M(size) + M(flags) + M(pid) + M(__reserved));
#undef CHECKED

#define CHECKED tap_sample
CHECK_LAYOUT(tap_sample, 24, M(ip) + M(period) + M(addr));
#undef CHECKED

#define CHECKED tap_watch
CHECK_LAYOUT(tap_watch, 24, M(ip) + M(old_value) + M(new_value));
#undef CHECKED

#define CHECKED tap_probe_ref
CHECK_LAYOUT(tap_probe_ref, 16, M(size) + M(id) + M(address));
#undef CHECKED

#define CHECKED tap_probe_info
CHECK_LAYOUT(tap_probe_info, 312, M(size) + M(id) + M(ops) + M(nr_ops) +
	     M(out_nr_ops) + M(out_type) + M(out_state) + M(out_maxactive) +
	     M(out_slots) + M(out_words) + M(__reserved) + M(out_address) +
	     M(out_target));
#undef CHECKED

#define CHECKED tap_counters
CHECK_LAYOUT(tap_counters, 128, M(hits) + M(written) + M(filtered) +
	     M(aggregated) + M(lost_full) + M(lost_nested) + M(lost_fault) +
	     M(throttled) + M(entered) + M(__reserved));
#undef CHECKED

#define CHECKED tap_stats
CHECK_LAYOUT(tap_stats, 40, M(size) + M(id) + M(counters) + M(nr_cpus) +
	     M(out_flags) + M(out_nmissed) + M(out_nmissed_return));
#undef CHECKED

#define CHECKED tap_flush
CHECK_LAYOUT(tap_flush, 16, M(size) + M(flags) + M(out_pending));
#undef CHECKED

#define CHECKED tap_time
CHECK_LAYOUT(tap_time, 32, M(size) + M(flags) + M(out_raw) + M(out_mono) +
	     M(out_real));
#undef CHECKED

#define CHECKED tap_record
CHECK_LAYOUT(tap_record, 64, M(seq) + M(time) + M(probe) + M(slots) + M(kind) +
	     M(flags) + M(tid) + M(tgid) + M(value));
#undef CHECKED

#define CHECKED tap_slot
CHECK_LAYOUT(tap_slot, 64, M(seq) + M(value));
#undef CHECKED

#define CHECKED tap_meta
CHECK_LAYOUT(tap_meta, 120, M(magic) + M(version) + M(length) + M(page_size) +
	     M(nr_rings) + M(ring_bytes) + M(ring_offset) + M(ring_stride) +
	     M(watermark) + M(wake_ms) + M(clock) + M(clock_shift) +
	     M(clock_mult) + M(clock_raw) + M(clock_mono) + M(clock_real) +
	     M(features) + M(head_offset) + M(tail_offset) +
	     M(nr_made) + M(__reserved));
#undef CHECKED

#define CHECKED tap_ring_head
CHECK_LAYOUT(tap_ring_head, 40, M(head) + M(lost) + M(bad_tail) +
	     M(overwritten) + M(clock));
#undef CHECKED

#define CHECKED tap_ring_tail
CHECK_LAYOUT(tap_ring_tail, 8, M(tail));
#undef CHECKED

#undef M
#undef CHECK_LAYOUT
#undef MEMBER

#endif /* _TEST_MODULE_ABI_LAYOUT_H */
