/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the ring of module/common/ring_core.h for Spin: writers that interrupt one another on
 * one CPU, and a reader on another. Spin checks all orders of their steps; a step is one access to
 * shared memory. Memory ordering is not modelled: see litmus/.
 *
 * A slot is 2 units of position, so that a limit just below a watermark and TAP_LIMIT_FULL are odd,
 * as in the ring. Positions do not wrap; the ring's use of them has no bounds.
 *
 * BREAK removes one thing, to show that the check detects it:
 *  1  the exchange of the head succeeds blindly
 *  2  a record is committed before it is written
 *  3  the clock is read before the reserve window
 *  4  the count of losses is not atomic against interrupts
 *  5  the reader gives a slot back before it has read it
 *  6  the count that gap records reported is stored blindly
 *  7  a limit is set without a check for losses
 *  8  a limit is set without a check of the watermark
 *  9  with OVER: the tail passes a record that is not committed
 *
 * OVER is overwrite mode: no reader runs beside the writers. These move the tail themselves, over
 * records that are committed, and a reader gets the ring when all of them have ended.
 */
#ifndef OVER
#define OVER	0
#endif
#ifndef BREAK
#define BREAK	0
#endif
#ifndef DEPTH
#define DEPTH	3		/* writers, each interrupting those before it */
#endif
#ifndef RECORDS
#define RECORDS	2		/* of each writer */
#endif
#ifndef SLOTS
#define SLOTS	2
#endif
#define SLOT	2
#define SIZE	(SLOTS * SLOT)
#define WATERMARK	SIZE
#define AT(pos)	(((pos) / SLOT) % SLOTS)
#define SEQ(pos) ((pos) + SLOT)	/* as tap_slot_seq(): differs from that of the previous lap */
#define FULL	1

/* What writers and reader share, as in struct tap_ring_writer and the head and tail pages. */
byte head, tail, lost, reported, limit, mark = WATERMARK, begin;
byte seq[SLOTS];
/*
 * Contents of a slot; for a gap record the number of losses, its time, and an id to detect torn
 * reads.
 */
bool is_gap[SLOTS];
byte tells[SLOTS], time_of[SLOTS], which[SLOTS];

/* State of the check only. */
byte now;			/* the clock */
byte running;			/* the writer that has the CPU; 0: none */
byte hits, written, woken;
byte events_read, reported_read, ended;

/* One access of the writer that has the CPU. */
#define STEP	atomic { running == me ->
#define END	}

proctype writer(byte me)
{
	byte before, left = RECORDS;
	byte h, t, lim, time, total, old, gap, m, pos, losses, first, bytes, p;
	bool ok;

	do
	:: left == 0 -> break
	:: else ->
		/* The interrupt: the interrupted code waits until the interrupt ends. */
		atomic {
			running < me ->
			before = running;
			running = me;
			left--;
			first = (before == 0 -> lost : 0);
			if
			:: bytes = SLOT; hits++
			:: bytes = 0
			fi
		}
		if
		:: bytes == 0 -> goto slow	/* a flush */
		:: else
		fi;
		/* tap_ring_reserve_fast() */
#if BREAK == 3
		STEP time = now; now++; END
#endif
		STEP h = head; END
		STEP lim = limit; END
		if
		:: h + SLOT > lim -> goto still_full
		:: else
		fi;
#if BREAK != 3
		STEP time = now; now++; END
#endif
		STEP
			ok = (head == h || BREAK == 1);
			if
			:: ok -> head = h + SLOT; pos = h; assert(reported >= first)
			:: else
			fi
		END
		if
		:: ok -> goto write
		:: else
		fi;
still_full:	/* tap_ring_still_full() */
		STEP t = tail; END
		STEP ok = (limit == t + FULL); END
		if
		:: ok ->
			STEP lost++; END
			STEP limit = t + FULL; END
			goto done
		:: else
		fi;
slow:		/* tap_ring_reserve_slow() */
		STEP h = head; END
#if OVER
		/* tap_ring_pass(): all records have one slot, so none is looked at twice. */
		STEP old = tail; END
		p = old;
		do
		:: p < h ->
			STEP ok = (seq[AT(p)] == SEQ(p) || BREAK == 9); END
			if
			:: ok -> p = p + SLOT
			:: else -> break
			fi
		:: else -> break
		od;
		if
		:: p != old ->
			STEP
				if
				:: tail == old -> tail = p
				:: else
				fi
			END
		:: else
		fi;
#endif
		STEP t = tail; END
		STEP total = lost; END
		STEP gap = (total != reported -> SLOT : 0); END
		if
		:: bytes + gap == 0 -> goto done
		:: bytes + gap > SIZE - (h - t) ->
			STEP ok = (head == h); END
			if
			:: !ok -> goto slow
			:: else
			fi;
			/* tap_ring_refuse() */
			if
			:: bytes == 0 -> goto done
			:: else
			fi;
			STEP old = reported; END
			STEP ok = (lost == old); END
			if
			:: ok -> STEP begin = now; now++; END
			:: else
			fi;
#if BREAK == 4
			STEP old = lost; END
			STEP lost = old + 1; END
#else
			STEP lost++; END
#endif
			STEP limit = (!OVER && SIZE - (h - t) <= SLOT -> t + FULL : 0); END
			goto done
		:: else
		fi;
		STEP time = now; now++; END
		STEP
			ok = (head == h || BREAK == 1);
			if
			:: ok -> head = h + gap + bytes
			:: else
			fi
		END
		if
		:: !ok -> goto slow
		:: else
		fi;
		pos = h + gap;
		if
		:: gap != 0 ->
			/* tap_ring_write_gap() */
			STEP m = begin; END
			do
			:: STEP old = reported; END
				if
				:: old >= total -> break
				:: else
				fi;
				STEP
					ok = (reported == old || BREAK == 6);
					if
					:: ok -> reported = total
					:: else
					fi
				END
				if
				:: ok -> break
				:: else
				fi
			od;
			STEP begin = time; END
			STEP
				assert(OVER || h + SLOT <= tail + SIZE);	/* the slot was read */
				is_gap[AT(h)] = true;
				tells[AT(h)] = (old < total -> total - old : 0);
				time_of[AT(h)] = time;
				which[AT(h)] = h
			END
			STEP seq[AT(h)] = SEQ(h); END
		:: else
		fi;
		/* tap_ring_set_limit() */
		h = pos + bytes;
		STEP m = mark; END
		if
		:: h >= m ->
			m = (h / WATERMARK) * WATERMARK + WATERMARK;
			STEP mark = m; END
			STEP woken = (head > woken -> head : woken); END
		:: else
		fi;
		STEP limit = (t + SIZE < m || BREAK == 8 -> t + SIZE : m - 1); END
#if BREAK != 7
		STEP losses = reported; END
		STEP ok = (lost == losses); END
		if
		:: !ok -> STEP limit = 0; END
		:: else
		fi;
#endif
		if
		:: bytes == 0 -> goto done
		:: else
		fi;
write:		/* The record, and tap_ring_commit() */
#if BREAK == 2
		STEP seq[AT(pos)] = SEQ(pos); END
#endif
		STEP
			assert(OVER || pos + SLOT <= tail + SIZE);
			is_gap[AT(pos)] = false;
			time_of[AT(pos)] = time;
			which[AT(pos)] = pos
		END
#if BREAK != 2
		STEP
			/* No writer that interrupted has gone over this record. */
			assert(head - pos <= SIZE);
			seq[AT(pos)] = SEQ(pos)
		END
#endif
		written++;
done:		/* End of the interrupt. */
		STEP
			assert(before != 0 || head < mark || woken >= head / WATERMARK * WATERMARK);
			running = before
		END
	od;
	ended++
}

/* Reads any number of records; each must be intact, in order, and reported once. */
active proctype reader()
{
	byte pos, time, last;
	bool done;

#if OVER
	/* The rings were exchanged, and the writers have ended. */
	atomic {
		ended == DEPTH;
		pos = (head > SIZE -> head - SIZE : 0);
		do
		:: pos < head ->
			/* All slots of the last lap are there, none is torn. */
			assert(seq[AT(pos)] == SEQ(pos) && which[AT(pos)] == pos);
			assert(time_of[AT(pos)] >= last);
			last = time_of[AT(pos)];
			pos = pos + SLOT
		:: else -> break
		od;
		assert(tail <= head && hits == written + lost && reported <= lost)
	}
	goto end;
#endif
	do
	:: atomic { seq[AT(pos)] == SEQ(pos) ->
#if BREAK == 5
			tail = pos + SLOT
#endif
		}
		atomic {
			assert(which[AT(pos)] == pos);
			time = time_of[AT(pos)];
			assert(time >= last);
			last = time;
			if
			:: is_gap[AT(pos)] -> reported_read = reported_read + tells[AT(pos)]
			:: else -> events_read++
			fi
		}
		pos = pos + SLOT;
#if BREAK != 5
		atomic { tail = pos }
#endif
	:: atomic { ended == DEPTH && seq[AT(pos)] != SEQ(pos) -> break }
	od;
	assert(pos == head);
	assert(events_read == written);
	assert(hits == written + lost);
	/* The sum of LOST equals the reported losses; a flush reports the rest. */
	assert(reported_read == reported && reported <= lost);
end:
	skip
}

init {
	atomic {
		limit = (SIZE < mark -> SIZE : mark - 1);
		byte i = 1;
		do
		:: i > DEPTH -> break
		:: else -> run writer(i); i++
		od;
		i = 0;
		which[0] = 255
	}
}
