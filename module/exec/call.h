/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct tap_call: the data that the entry of a call stores for its return. It lies in a
 * kretprobe instance, or in the task's memory of a syscall or ucall probe.
 */
#ifndef _TAPMOD_EXEC_CALL_H
#define _TAPMOD_EXEC_CALL_H

#include <linux/sched.h>

#include "core/probe.h"

struct tap_divided_time;

/* Limit of tap_program.entry_words: the call's own words and 4000 bytes of outputs. */
#define TAP_CALL_WORDS	(TAP_CALL_FETCHES + 4000 / sizeof(u64))

/**
 * struct tap_call - the data that a call's entry stores for its return
 * @entry: raw time of the entry
 * @absent: bit n is set if output n is absent
 * @switches: tap_switches() at the entry
 * @cpu: CPU of the entry
 * @flags: TAP_F_* for the record
 * @words: the first tap_call_words() words of the record: those of the call itself and the
 *	outputs of the entry; if it is aggregated, room for all others. Then the counters
 *	at the entry, tap_program.nr_pmu words, and a struct tap_call_task, @task_words of the
 *	probe
 */
struct tap_call {
	u64 entry;
	u64 absent;
	unsigned long switches;
	unsigned int cpu;
	u32 flags;
	u64 words[];
};

/* Words of the record for which struct tap_call has room. */
static inline u16 tap_call_words(const struct tapmod_probe *probe)
{
	return probe->collects ? probe->prog.words : probe->prog.entry_words;
}

/**
 * tap_call_size() - size of a struct tap_call
 * @probe: a probe whose program is loaded
 *
 * Return: bytes, @words included.
 */
static inline size_t tap_call_size(const struct tapmod_probe *probe)
{
	return sizeof(struct tap_call) +
	       (tap_call_words(probe) + probe->prog.nr_pmu + probe->task_words) * sizeof(u64);
}

/* Number of context switches of the current task; grows if it was switched out. */
static __always_inline unsigned long tap_switches(void)
{
	return current->nvcsw + current->nivcsw;
}

/**
 * tap_call_lasted() - raw ticks from a call's entry to now
 * @now: raw time
 * @entry: raw time of the entry
 *
 * The clock may go back: the TSC over a suspend or a migration of the virtual machine, and
 * ktime_get_mono_fast_ns() while another CPU updates the timekeeper.
 *
 * Return: the difference; 0 if @now is before @entry.
 */
static __always_inline u64 tap_call_lasted(u64 now, u64 entry)
{
	u64 ticks;

	/* With barrier() a branch, one instruction; else the compiler takes two. */
	if (unlikely(__builtin_sub_overflow(now, entry, &ticks))) {
		barrier();
		return 0;
	}
	return ticks;
}

bool tap_call_enclosed(const struct tapmod_probe *probe, const u64 *words);
bool tap_call_begin(struct tapmod_probe *probe, struct tap_call *call,
		    const void *base);
void tap_call_emit_entry(struct tapmod_probe *probe, struct tap_call *call);
void tap_call_end(struct tapmod_probe *probe, struct tap_call *call,
		  const void *base, u64 retval, u32 flags);
bool tap_call_interpret(struct tapmod_probe *probe, struct tap_call *call, const void *base);
void tap_call_finish_counted(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			     u64 retval, u32 flags, struct tap_divided_time *divided);
void tap_call_finish_recorded(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			      u64 retval, u32 flags, struct tap_divided_time *divided);
void tap_call_read_deferred(const struct tapmod_probe *probe, struct tap_call *call,
			    const void *base, u64 *words);

/*
 * As tap_call_end(). @divided: how the duration divides; NULL: it does not, or the program does not
 * ask. Two functions, so that neither pays for the registers of the other.
 */
static __always_inline void
tap_call_finish(struct tapmod_probe *probe, struct tap_call *call, const void *base,
		u64 retval, u32 flags, struct tap_divided_time *divided)
{
	if (likely(!probe->counts)) {
		tap_call_finish_recorded(probe, call, base, retval, flags, divided);
	} else if (!probe->only_counts) {
		tap_call_finish_counted(probe, call, base, retval, flags, divided);
	} else {
		this_cpu_inc(probe->counters->hits);
		this_cpu_inc(probe->counters->aggregated);
	}
}

#endif /* _TAPMOD_EXEC_CALL_H */
