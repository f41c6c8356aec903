// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of uapi/linux/tap.h as tables, for ioctl_fuzz.c: the offset of each field, its valid
 * values, and wrong values that a faulty or malicious caller may pass.
 */
#include <stddef.h>
#include <string.h>

#include "selftests/module/tap_session.h"

#include "selftests/module/fuzz/ioctl_fields.h"
#include "selftests/module/fuzz/random.h"

#define FIELD(_type, _member, _kind, ...)				\
	{ offsetof(struct _type, _member), sizeof(((struct _type *)0)->_member), \
	  FIELD_##_kind, __VA_ARGS__ + 0 }

#define LAYOUT(_name, _cmd, _type, ...)					\
	{ .name = _name, .cmd = _cmd, .bytes = sizeof(struct _type),	\
	  .nr = sizeof((struct field[]){ __VA_ARGS__ }) / sizeof(struct field), \
	  .field = { __VA_ARGS__ } }

#define REF(_name, _cmd)						\
	LAYOUT(_name, _cmd, tap_probe_ref,				\
	       FIELD(tap_probe_ref, size, SIZE), FIELD(tap_probe_ref, id, ID), \
	       FIELD(tap_probe_ref, address, RESERVED))

const struct layout commands[NR_CMDS] = {
	[CMD_INFO] = LAYOUT("info", TAP_IOC_INFO, tap_info,
		FIELD(tap_info, size, SIZE), FIELD(tap_info, flags, RESERVED),
		FIELD(tap_info, out_features, OUT), FIELD(tap_info, out_api, OUT),
		FIELD(tap_info, out_nr_rings, OUT),
		FIELD(tap_info, out_page_size, OUT), FIELD(tap_info, out_clock, OUT),
		FIELD(tap_info, out_max_probes, OUT),
		FIELD(tap_info, out_max_ops, OUT),
		FIELD(tap_info, out_max_call_mem, OUT),
		FIELD(tap_info, out_call_mem, OUT),
		FIELD(tap_info, out_call_mem_wanted, OUT),
		FIELD(tap_info, out_memory_max, OUT),
		FIELD(tap_info, out_memory_used, OUT),
		FIELD(tap_info, out_memory_refused, OUT)),
	[CMD_SETUP] = LAYOUT("setup", TAP_IOC_SETUP, tap_setup,
		FIELD(tap_setup, size, SIZE),
		FIELD(tap_setup, flags, FLAGS,
		      (TAP_SETUP_F_ORDERED | TAP_SETUP_F_MONO | TAP_SETUP_F_OVERWRITE)),
		FIELD(tap_setup, ring_bytes, BYTES, TAP_MIN_RING_BYTES),
		FIELD(tap_setup, watermark, BYTES, TAP_SLOT_SIZE),
		FIELD(tap_setup, wake_ms, RANGE, TAP_MAX_WAKE_MS),
		FIELD(tap_setup, out_nr_rings, OUT),
		FIELD(tap_setup, out_ring_offset, OUT),
		FIELD(tap_setup, out_ring_stride, OUT),
		FIELD(tap_setup, panic, RANGE, TAP_MAX_PANIC),
		FIELD(tap_setup, __reserved, RESERVED)),
	[CMD_CREATE] = LAYOUT("create", TAP_IOC_CREATE, tap_create,
		FIELD(tap_create, size, SIZE),
		FIELD(tap_create, flags, FLAGS, TAP_CREATE_F_ALL),
		FIELD(tap_create, type, RANGE, TAP_PROBE_USER_WATCH),
		FIELD(tap_create, maxactive, RANGE, TAP_MAX_TASKS),
		FIELD(tap_create, target, POINTER),
		FIELD(tap_create, target_len, RANGE, TAP_MAX_TARGET - 1),
		FIELD(tap_create, nr_ops, RANGE, TAP_MAX_OPS),
		FIELD(tap_create, ops, POINTER), FIELD(tap_create, data, POINTER),
		FIELD(tap_create, aggregate, POINTER),
		FIELD(tap_create, data_len, RANGE, TAP_MAX_DATA),
		FIELD(tap_create, out_id, OUT), FIELD(tap_create, file, FILE),
		FIELD(tap_create, pid, NUMBER), FIELD(tap_create, offset, NUMBER),
		FIELD(tap_create, semaphore, NUMBER),
		FIELD(tap_create, perf, POINTER), FIELD(tap_create, addrs, POINTER),
		FIELD(tap_create, nr_addrs, RANGE, TAP_MAX_ADDRS),
		FIELD(tap_create, limit, NUMBER), FIELD(tap_create, span, POINTER),
		FIELD(tap_create, span_id, NUMBER, 64),
		FIELD(tap_create, side, RANGE, TAP_SIDE_TO),
		FIELD(tap_create, nr_aggregates, RANGE, TAP_MAX_AGGREGATES),
		FIELD(tap_create, capture_id, RANGE, 4),
		FIELD(tap_create, frame, RANGE, TAP_MAX_FRAME),
		FIELD(tap_create, __reserved, RESERVED)),
	[CMD_ENABLE] = REF("enable", TAP_IOC_ENABLE),
	[CMD_DISABLE] = REF("disable", TAP_IOC_DISABLE),
	[CMD_DELETE] = REF("delete", TAP_IOC_DELETE),
	[CMD_PROBE_INFO] = LAYOUT("probe_info", TAP_IOC_PROBE_INFO, tap_probe_info,
		FIELD(tap_probe_info, size, SIZE), FIELD(tap_probe_info, id, ID),
		FIELD(tap_probe_info, ops, POINTER),
		FIELD(tap_probe_info, nr_ops, NUMBER, TAP_MAX_OPS),
		FIELD(tap_probe_info, out_nr_ops, OUT),
		FIELD(tap_probe_info, out_type, OUT),
		FIELD(tap_probe_info, out_state, OUT),
		FIELD(tap_probe_info, out_maxactive, OUT),
		FIELD(tap_probe_info, out_slots, OUT),
		FIELD(tap_probe_info, out_words, OUT),
		FIELD(tap_probe_info, __reserved, RESERVED),
		FIELD(tap_probe_info, out_address, OUT),
		FIELD(tap_probe_info, out_target, OUT)),
	[CMD_STATS] = LAYOUT("stats", TAP_IOC_STATS, tap_stats,
		FIELD(tap_stats, size, SIZE), FIELD(tap_stats, id, ID),
		FIELD(tap_stats, counters, POINTER),
		FIELD(tap_stats, nr_cpus, CPUS),
		FIELD(tap_stats, out_flags, OUT),
		FIELD(tap_stats, out_nmissed, OUT),
		FIELD(tap_stats, out_nmissed_return, OUT)),
	[CMD_FLUSH] = LAYOUT("flush", TAP_IOC_FLUSH, tap_flush,
		FIELD(tap_flush, size, SIZE), FIELD(tap_flush, flags, RESERVED),
		FIELD(tap_flush, out_pending, OUT)),
	[CMD_TIME] = LAYOUT("time", TAP_IOC_TIME, tap_time,
		FIELD(tap_time, size, SIZE), FIELD(tap_time, flags, RESERVED),
		FIELD(tap_time, out_raw, OUT), FIELD(tap_time, out_mono, OUT),
		FIELD(tap_time, out_real, OUT)),
	[CMD_READ] = LAYOUT("read", TAP_IOC_READ, tap_read,
		FIELD(tap_read, size, SIZE), FIELD(tap_read, id, ID),
		FIELD(tap_read, cpu, CPUS), FIELD(tap_read, from, NUMBER, 64),
		FIELD(tap_read, words, POINTER),
		FIELD(tap_read, nr_words, NUMBER, 512),
		FIELD(tap_read, out_next, OUT), FIELD(tap_read, out_entries, OUT),
		FIELD(tap_read, out_entry_words, OUT),
		FIELD(tap_read, index, RANGE, TAP_MAX_AGGREGATES),
		FIELD(tap_read, __reserved, RESERVED)),
	[CMD_PMU] = LAYOUT("pmu", TAP_IOC_PMU, tap_pmu,
		FIELD(tap_pmu, size, SIZE), FIELD(tap_pmu, flags, RESERVED),
		FIELD(tap_pmu, events, POINTER),
		FIELD(tap_pmu, nr_events, RANGE, TAP_MAX_PMU),
		FIELD(tap_pmu, __reserved, RESERVED)),
	[CMD_COUNT] = LAYOUT("count", TAP_IOC_COUNT, tap_count_read,
		FIELD(tap_count_read, size, SIZE), FIELD(tap_count_read, id, ID),
		FIELD(tap_count_read, counts, POINTER),
		FIELD(tap_count_read, nr_counts, CPUS),
		FIELD(tap_count_read, __reserved, RESERVED)),
	[CMD_MARK] = LAYOUT("mark", TAP_IOC_MARK, tap_mark,
		FIELD(tap_mark, size, SIZE), FIELD(tap_mark, id, ID),
		FIELD(tap_mark, data, POINTER),
		FIELD(tap_mark, len, RANGE, TAP_MARK_BYTES),
		FIELD(tap_mark, out_heard, OUT)),
	[CMD_FOLLOW] = LAYOUT("follow", TAP_IOC_FOLLOW, tap_follow,
		FIELD(tap_follow, size, SIZE), FIELD(tap_follow, flags, RESERVED),
		FIELD(tap_follow, pid, NUMBER, 300),
		FIELD(tap_follow, __reserved, RESERVED)),
	[CMD_SPAN] = LAYOUT("span", TAP_IOC_SPAN, tap_span_read,
		FIELD(tap_span_read, size, SIZE), FIELD(tap_span_read, id, ID),
		FIELD(tap_span_read, words, POINTER),
		FIELD(tap_span_read, nr_words, NUMBER, 512),
		FIELD(tap_span_read, from, NUMBER, 64),
		FIELD(tap_span_read, out_next, OUT),
		FIELD(tap_span_read, out_entries, OUT),
		FIELD(tap_span_read, out_entry_words, OUT),
		FIELD(tap_span_read, __reserved, RESERVED),
		FIELD(tap_span_read, out_opened, OUT),
		FIELD(tap_span_read, out_restarted, OUT),
		FIELD(tap_span_read, out_full, OUT), FIELD(tap_span_read, out_busy, OUT),
		FIELD(tap_span_read, out_ended, OUT),
		FIELD(tap_span_read, out_unmatched, OUT),
		FIELD(tap_span_read, out_unmatched_busy, OUT),
		FIELD(tap_span_read, out_cleared, OUT), FIELD(tap_span_read, out_open, OUT)),
	[CMD_STACKS] = LAYOUT("stacks", TAP_IOC_STACKS, tap_stack_table,
		FIELD(tap_stack_table, size, SIZE), FIELD(tap_stack_table, flags, RESERVED),
		FIELD(tap_stack_table, entries, NUMBER, 256),
		FIELD(tap_stack_table, words, NUMBER, 1024)),
	[CMD_STACK] = LAYOUT("stack", TAP_IOC_STACK, tap_stack_read,
		FIELD(tap_stack_read, size, SIZE), FIELD(tap_stack_read, flags, RESERVED),
		FIELD(tap_stack_read, id, NUMBER, 256),
		FIELD(tap_stack_read, words, POINTER),
		FIELD(tap_stack_read, nr_words, NUMBER, 128),
		FIELD(tap_stack_read, out_nr_words, OUT), FIELD(tap_stack_read, out_stored, OUT),
		FIELD(tap_stack_read, out_words, OUT), FIELD(tap_stack_read, out_no_room, OUT)),
	[CMD_TASKS] = LAYOUT("tasks", TAP_IOC_TASKS, tap_tasks,
		FIELD(tap_tasks, size, SIZE), FIELD(tap_tasks, flags, FLAGS, 3),
		FIELD(tap_tasks, tasks, RANGE, TAP_MAX_SESSION_TASKS),
		FIELD(tap_tasks, out_sources, OUT)),
	[CMD_TASKS_READ] = LAYOUT("tasks_read", TAP_IOC_TASKS_READ, tap_tasks_read,
		FIELD(tap_tasks_read, size, SIZE), FIELD(tap_tasks_read, flags, RESERVED),
		FIELD(tap_tasks_read, out_no_room, OUT),
		FIELD(tap_tasks_read, out_backwards, OUT),
		FIELD(tap_tasks_read, out_unexpected, OUT),
		FIELD(tap_tasks_read, out_no_wait, OUT)),
	[CMD_WINDOW] = LAYOUT("window", TAP_IOC_WINDOW, tap_window,
		FIELD(tap_window, size, SIZE), FIELD(tap_window, flags, FLAGS, 3),
		FIELD(tap_window, after, NUMBER),
		FIELD(tap_window, out_time, OUT), FIELD(tap_window, out_since, OUT),
		FIELD(tap_window, out_merged, OUT), FIELD(tap_window, out_missed, OUT),
		FIELD(tap_window, out_offset, OUT), FIELD(tap_window, out_probe, OUT),
		FIELD(tap_window, out_set, OUT)),
	[CMD_DESCRIBE] = LAYOUT("describe", TAP_IOC_DESCRIBE, tap_describe,
		FIELD(tap_describe, size, SIZE), FIELD(tap_describe, flags, RESERVED),
		FIELD(tap_describe, data, POINTER), FIELD(tap_describe, len, NUMBER, 512)),
	[CMD_BUDGET] = LAYOUT("budget", TAP_IOC_BUDGET, tap_budget,
		FIELD(tap_budget, size, SIZE), FIELD(tap_budget, flags, RESERVED),
		FIELD(tap_budget, permille, RANGE, 1000),
		FIELD(tap_budget, nr_costs, RANGE, TAP_MAX_PROBES),
		FIELD(tap_budget, costs, POINTER), FIELD(tap_budget, out_spent, OUT),
		FIELD(tap_budget, out_time, OUT), FIELD(tap_budget, out_dropping, OUT),
		FIELD(tap_budget, out_paused, OUT), FIELD(tap_budget, out_pauses, OUT),
		FIELD(tap_budget, out_permille, OUT), FIELD(tap_budget, out_unseen, OUT)),
	[CMD_GATE] = LAYOUT("gate", TAP_IOC_GATE, tap_gate,
		FIELD(tap_gate, size, SIZE), FIELD(tap_gate, flags, FLAGS, 3),
		FIELD(tap_gate, limit, NUMBER), FIELD(tap_gate, out_left, OUT),
		FIELD(tap_gate, out_closed, OUT), FIELD(tap_gate, __reserved, RESERVED)),
};

const struct layout op_layout = LAYOUT("op", 0, tap_op,
	FIELD(tap_op, code, RANGE, TAP_OP_WAIT_STACK), FIELD(tap_op, dst, RANGE, 7),
	FIELD(tap_op, src, RANGE, 7), FIELD(tap_op, size, FLAGS, 0xff),
	FIELD(tap_op, off, RANGE, TAP_MAX_OPS), FIELD(tap_op, imm, NUMBER));

const struct layout aggregate_layout = LAYOUT("aggregate", 0, tap_aggregate,
	FIELD(tap_aggregate, size, SIZE), FIELD(tap_aggregate, flags, RESERVED),
	FIELD(tap_aggregate, nr_keys, RANGE, TAP_MAX_KEYS),
	FIELD(tap_aggregate, nr_aggs, RANGE, TAP_MAX_AGGS),
	FIELD(tap_aggregate, keys[0].word, RANGE, TAP_MAX_AGG_WORDS),
	FIELD(tap_aggregate, keys[0].words, RANGE, TAP_MAX_AGG_WORDS),
	FIELD(tap_aggregate, keys[3].words, RANGE, TAP_MAX_AGG_WORDS),
	FIELD(tap_aggregate, entries, RANGE, 1024),
	FIELD(tap_aggregate, aggs, POINTER),
	FIELD(tap_aggregate, agg_size, RANGE, 64),
	FIELD(tap_aggregate, __reserved, RESERVED));

const struct layout agg_layout = LAYOUT("agg", 0, tap_agg,
	FIELD(tap_agg, kind, RANGE, TAP_AGG_LHIST),
	FIELD(tap_agg, flags, FLAGS, (TAP_AGG_F_SIGNED | TAP_AGG_F_DECIMAL)),
	FIELD(tap_agg, word, RANGE, TAP_MAX_AGG_WORDS),
	FIELD(tap_agg, buckets, RANGE, TAP_MAX_BUCKETS),
	FIELD(tap_agg, base, NUMBER), FIELD(tap_agg, step, NUMBER));

const struct layout perf_layout = LAYOUT("perf", 0, tap_perf,
	FIELD(tap_perf, size, SIZE), FIELD(tap_perf, flags, FLAGS, TAP_PERF_F_ALL),
	FIELD(tap_perf, type, RANGE, 5), FIELD(tap_perf, __reserved, RESERVED),
	FIELD(tap_perf, config, RANGE, 12), FIELD(tap_perf, config1, NUMBER),
	FIELD(tap_perf, config2, NUMBER), FIELD(tap_perf, period, NUMBER));

static __u64 field_get(const void *at, const struct field *f)
{
	__u64 v = 0;

	memcpy(&v, (const char *)at + f->offset, f->bytes > 8 ? 8 : f->bytes);
	return v;
}

static void field_put(void *at, const struct field *f, __u64 v)
{
	memcpy((char *)at + f->offset, &v, f->bytes > 8 ? 8 : f->bytes);
}

__u64 field_edge(__u64 max)
{
	const __u64 edges[] = {
		0, 1, max - 1, max, max + 1, 2 * max, 63, 64, 255, 256, 4095, 4096,
		4097, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, (1ULL << 32) / sizeof(struct tap_op),
		(1ULL << 32) / sizeof(struct tap_counters) + 1, 1ULL << 52,
		0x7fffffffffffffff, 0x8000000000000000, -8ULL, -1ULL,
	};

	return pick(edges);
}

/*
 * Returns a wrong value. Valid sizes of a gigabyte are left out: they would take all memory of the
 * guest.
 */
static __u64 field_wrong(const struct field *f, __u64 now, unsigned int bytes,
			 __u64 (*pointer)(void))
{
	switch (f->kind) {
	case FIELD_SIZE:
		return chance(50) ? bytes + below(33) - 16 :
		       chance(50) ? bytes + 8 * below(600) : field_edge(bytes);
	case FIELD_FLAGS:
		return chance(70) ? now ^ 1ULL << below(8 * f->bytes) : field_edge(f->max);
	case FIELD_BYTES:
		return chance(50) ? f->max << below(9) : chance(50) ? now + below(9) - 4 :
		       chance(50) ? (1ULL << 31) << below(33) : below(1000);
	case FIELD_POINTER:
		return pointer();
	case FIELD_FILE:
		return chance(50) ? below(16) : field_edge(16);
	case FIELD_RESERVED:
	case FIELD_OUT:
		return chance(50) ? 1ULL << below(8 * f->bytes) : next();
	case FIELD_ID:
		return chance(50) ? below(12) : field_edge(TAP_MAX_PROBES);
	default:
		return chance(20) ? now + below(3) - 1 : field_edge(f->max);
	}
}

void layout_spoil(const struct layout *l, void *at, __u64 (*pointer)(void))
{
	const struct field *f = &l->field[below(l->nr)];

	field_put(at, f, field_wrong(f, field_get(at, f), l->bytes, pointer));
}

bool field_is_right(const struct field *f, const void *at, unsigned int cpus)
{
	__u64 v = field_get(at, f);

	switch (f->kind) {
	case FIELD_FLAGS:
		return !(v & ~f->max);
	case FIELD_RANGE:
		return v <= f->max;
	case FIELD_CPUS:
		return v <= cpus;
	case FIELD_RESERVED:
		return !v;
	default:
		return true;
	}
}

bool layout_is_out(const struct layout *l, unsigned int byte)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		if (byte - l->field[i].offset < l->field[i].bytes)
			return l->field[i].kind == FIELD_OUT;
	return false;
}
