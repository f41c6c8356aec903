// SPDX-License-Identifier: GPL-2.0
/*
 * Captures: spans that nothing ends. The side stores values of each frame, and other probes look
 * them up while the frame is there. The rules of handler.h and of frame_table.h hold.
 *
 * The key is the task and what tells its frames, e.g. where a function has its return address. A
 * frame's entry stays behind when the frame is gone, until a frame with the same key begins. So
 * the entry of a key is that of the frame that is there now, provided no entry of a frame was
 * missed: then it may be the one of an earlier frame. Each entry has a stamp, which is another one
 * after an event of the side was missed. That makes entries of other frames invalid as well, whose
 * values are absent then: a value may be missing, but is never wrong.
 *
 * What stays behind fills the table: a new entry replaces the one that began first among those
 * where it may be.
 */
#include <linux/kprobes.h>

#include "exec/capture.h"

/*
 * Changes when an event of the side was missed, before the frame of that event goes on. A kprobe
 * is missed and counted by the task, or the interrupt, that enters the frame.
 */
static __always_inline u64 tap_capture_stamp(const struct tapmod_span *span)
{
	return atomic64_read(&span->epoch) + (span->missed ? READ_ONCE(*span->missed) : 0);
}

/* The open entry that began first among those where a key may be, and its tag; -1: none. */
static tap_frame tap_capture_oldest(const struct tap_frame_table *table, tap_frame place, u64 *tag)
{
	tap_frame best = -1, at;
	u64 best_time = 0, now, time;
	unsigned int i;

	for (i = 0; i < TAP_FRAME_REACH && i < tap_frame_entries(table); i++) {
		const struct tap_span_event *event;

		at = tap_frame_reach(table, place, i);
		/* Pairs with tap_frame_give(): the time is not that of an earlier entry here. */
		now = smp_load_acquire(tap_frame_tag(table, at));
		if ((now & TAP_FRAME_STATE) != TAP_FRAME_OPEN)
			continue;
		event = tap_frame_memory(table, at);
		time = READ_ONCE(event->from_time);
		if (best < 0 || time < best_time) {
			best = at;
			best_time = time;
			*tag = now;
		}
	}
	return best;
}
NOKPROBE_SYMBOL(tap_capture_oldest);

/*
 * Takes an entry whose tag was seen as from, and stores an event there. from is FREE, or that of an
 * open entry: of this key, or of another one, which is dropped. False: the tag has changed.
 */
static bool tap_capture_store(const struct tapmod_span *span, tap_frame at, u64 from, u64 hash,
			      struct tap_span_words words, u32 flags)
{
	const struct tap_frame_table *table = &span->table;
	struct tap_span_event *event = tap_frame_memory(table, at);
	bool again = from == tap_frame_open_tag(hash);
	tap_frame place = tap_frame_place(table, hash);
	u64 *tag = tap_frame_tag(table, at);

	/* Before its tag, see frame_table.h; cmpxchg() of the tag orders the two. */
	if (!again && at != place)
		atomic_inc(tap_frame_displaced(table, place));
	if (!tap_frame_take(tag, from, hash | TAP_FRAME_WRITING)) {
		if (!again && at != place)
			atomic_dec(tap_frame_displaced(table, place));
		return false;
	}
	tap_span_store(span, event, words, flags, 0, false);
	*tap_span_event_stamp(span, event) = tap_capture_stamp(span);
	tap_frame_give(tag, tap_frame_open_tag(hash));
	if (again) {
		this_cpu_inc(span->counts->restarted);
		return true;
	}
	this_cpu_inc(span->counts->opened);
	if (from == TAP_FRAME_FREE)
		return true;
	this_cpu_inc(span->counts->cleared);
	/* The upper bits of a tag are those of its hash. */
	if (at != tap_frame_place(table, from))
		atomic_dec(tap_frame_displaced(table, tap_frame_place(table, from)));
	return true;
}
NOKPROBE_SYMBOL(tap_capture_store);

/**
 * tap_capture_begins() - let a capture find no entry that is there now
 * @probe: any probe; if it is the side of a capture, its events begin, after some of them may
 *	have been missed without being counted
 *
 * Context: any, NMI included.
 */
noinline void tap_capture_begins(const struct tapmod_probe *probe)
{
	if (tap_span_captures(probe))
		atomic64_add(TAP_SPAN_EPOCH, &((struct tapmod_span *)probe->span)->epoch);
}
NOKPROBE_SYMBOL(tap_capture_begins);

/**
 * tap_capture_event() - an event of a capture's side
 * @span: its mode is %TAP_SPAN_CAPTURE
 * @hash: of the key
 * @words: the key and the values
 * @flags: TAP_F_* that a record of the event would have
 *
 * Context: any, NMI included; preemption off.
 */
void tap_capture_event(const struct tapmod_span *span, u64 hash, struct tap_span_words words,
		       u32 flags)
{
	const struct tap_frame_table *table = &span->table;
	u64 want = tap_frame_open_tag(hash), from;
	tap_frame place = tap_frame_place(table, hash), at;
	struct tap_span_scan scan;
	unsigned int tries;

	for (tries = 0; tries < TAP_SPAN_TRIES; tries++) {
		tap_span_scan(table, place, want, &scan);
		if (scan.busy)
			break;
		from = TAP_FRAME_FREE;
		at = scan.free;
		if (scan.open >= 0) {
			from = want;
			at = scan.open;
		} else if (at < 0) {
			at = tap_capture_oldest(table, place, &from);
		}
		if (at >= 0 && tap_capture_store(span, at, from, hash, words, flags))
			return;
	}
	/* The frame has no entry, and that of an earlier one is not its own. */
	tap_capture_begins(span->captor);
	this_cpu_inc(span->counts->busy);
}
NOKPROBE_SYMBOL(tap_capture_event);

/* Copies a value of an open entry; false if the entry is not that of this frame. */
static bool tap_capture_read(const struct tapmod_span *span, tap_frame at, u64 want,
			     struct tap_span_words key, unsigned int word, u64 *value)
{
	const struct tap_frame_table *table = &span->table;
	struct tap_span_event *event = tap_frame_memory(table, at);
	bool same;

	/* Pairs with tap_frame_give(): the words are not those of an earlier entry here. */
	if (smp_load_acquire(tap_frame_tag(table, at)) != want)
		return false;
	same = tap_span_same_key(span, event, key, false) &&
	       READ_ONCE(*tap_span_event_stamp(span, event)) == tap_capture_stamp(span);
	*value = READ_ONCE(tap_span_event_words(event)[span->nr_keys + word]);
	/*
	 * The words were read before the tag is read again. No other task opens an entry of this
	 * key, so the tag is not the same again after another entry was here.
	 */
	smp_rmb();
	return READ_ONCE(*tap_frame_tag(table, at)) == want && same;
}
NOKPROBE_SYMBOL(tap_capture_read);

/* Looks up value @word of the frame @frame of the current task. */
static bool tap_capture_find(const struct tapmod_span *span, u64 frame, unsigned int word,
			     u64 *value)
{
	const u64 key[] = { frame, (unsigned long)current };
	struct tap_span_words words = { key, tap_span_in_order };
	const struct tap_frame_table *table = &span->table;
	u64 hash = tap_span_hash(span, words, false), want = tap_frame_open_tag(hash);
	tap_frame at = tap_frame_place(table, hash);
	/* Pairs with tap_span_joined(): @missed of the capture is that of this side. */
	const struct tapmod_probe *captor = smp_load_acquire(&span->captor);
	struct tap_span_scan scan = {};

	/* While the side is disabled, entries are missed and not counted. */
	if (unlikely(!captor || !READ_ONCE(captor->enabled)))
		goto none;
	if (unlikely(!tap_span_undisplaced(table, at))) {
		tap_span_scan(table, at, want, &scan);
		at = scan.open;
	}
	if (likely(at >= 0) && likely(tap_capture_read(span, at, want, words, word, value)))
		return true;
none:
	this_cpu_inc(span->counts->unmatched);
	if (scan.busy)
		this_cpu_inc(span->counts->unmatched_busy);
	return false;
}
NOKPROBE_SYMBOL(tap_capture_find);

/**
 * tap_interp_captured() - run a %TAP_OP_CAPTURED
 * @interp: the running program
 * @insn: the instruction
 *
 * Context: any, NMI included; preemption off.
 * Return: the value; 0, with @fault of @interp set, if there is none: that is counted.
 */
u64 tap_interp_captured(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 value;

	if (tap_capture_find(interp->probe->captured, interp->reg[insn->src], insn->off, &value))
		return tap_arith_extend(value, TAP_SHIFT(insn->size), insn->sign);
	tap_interp_fault(interp);
	return 0;
}
NOKPROBE_SYMBOL(tap_interp_captured);
