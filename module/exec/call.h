/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A call: what its entry leaves for its return, wherever that is kept.
 */
#ifndef _TAPMOD_EXEC_CALL_H
#define _TAPMOD_EXEC_CALL_H

#include <linux/sched.h>

#include "core/probe.h"

/* What an entry may leave: 4000 bytes of outputs. */
#define TAP_CALL_WORDS	(TAP_CALL_FETCHES + 4000 / sizeof(u64))

/**
 * struct tap_call - what a call's entry leaves for its return
 * @entry: raw time
 * @absent: which outputs are absent
 * @switches: context switches of the task until then
 * @cpu: where it was
 * @flags: for the record
 * @words: the words of its record: the outputs of the entry and, if they are
 *	aggregated, room for the others. Behind them what the counters were that
 *	its return asks for
 */
struct tap_call {
	u64 entry;
	u64 absent;
	unsigned long switches;
	unsigned int cpu;
	u32 flags;
	u64 words[];
};

/* How many words of its record a call has room for. */
static inline u16 tap_call_words(const struct tapmod_probe *probe)
{
	return probe->agg ? probe->prog.words : probe->prog.entry_words;
}

/**
 * tap_call_size() - room that a call needs
 * @probe: its probe
 *
 * Return: bytes.
 */
static inline size_t tap_call_size(const struct tapmod_probe *probe)
{
	return sizeof(struct tap_call) +
	       (tap_call_words(probe) + probe->prog.nr_pmu) * sizeof(u64);
}

/* The task's context switches so far. */
static __always_inline unsigned long tap_switches(void)
{
	return current->nvcsw + current->nivcsw;
}

bool tap_call_begin(struct tapmod_probe *probe, struct tap_call *call,
		    const void *base);
void tap_call_emit_entry(struct tapmod_probe *probe, struct tap_call *call);
void tap_call_end(struct tapmod_probe *probe, struct tap_call *call,
		  const void *base, u64 retval, u32 flags);
void tap_call_read_deferred(const struct tapmod_probe *probe, struct tap_call *call,
			    const void *base, u64 *words);

#endif /* _TAPMOD_EXEC_CALL_H */
