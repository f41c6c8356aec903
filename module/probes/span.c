// SPDX-License-Identifier: GPL-2.0
/*
 * span: the table of a span, the probes that are its sides, and reading what is open. The
 * events are in exec/span.c.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "core/session.h"
#include "core/user_struct.h"
#include "exec/call.h"
#include "exec/fastpath.h"
#include "exec/nofault.h"
#include "exec/span.h"
#include "memory/memory.h"
#include "probes/probes.h"

/* A side collects its words on the stack, as an event that is aggregated does. */
static_assert(TAP_MAX_SPAN_WORDS <= TAP_MAX_AGG_WORDS);
static_assert(sizeof(struct tap_span_event) % sizeof(u64) == 0);

/* Instructions of a table's look-up at most: all lines, with an entry to choose and to clear. */
#define TAP_SPAN_COST		2500

/**
 * tap_span_load() - copy the table of a span from the user and check it
 * @probe: new; of any type
 * @create: @span is the user's address; 0 if the probe is of another type
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL; -E2BIG; -EFAULT.
 */
int tap_span_load(struct tapmod_probe *probe, const struct tap_create *create)
{
	void __user *user = u64_to_user_ptr(create->span);
	struct tapmod_span *span = to_tap_span(probe);
	struct tap_span_table table;
	u32 size;
	int ret;

	if (!create->span)
		return 0;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	ret = tap_struct_copy(&table, sizeof(table),
			      offsetofend(struct tap_span_table, __reserved), user, size);
	if (ret)
		return ret;
	if (table.flags || table.__reserved || table.mode > TAP_SPAN_CAPTURE || !table.nr_keys ||
	    table.nr_keys + table.from_words > TAP_MAX_SPAN_WORDS ||
	    table.nr_keys + table.to_words > TAP_MAX_SPAN_WORDS ||
	    !table.entries || table.entries > TAP_MAX_SPAN_ENTRIES)
		return -EINVAL;
	if (table.mode == TAP_SPAN_CAPTURE &&
	    (table.nr_keys != 2 || !table.from_words || table.to_words))
		return -EINVAL;
	span->nr_keys = table.nr_keys;
	span->from_words = table.from_words;
	span->to_words = table.to_words;
	span->mode = table.mode;
	span->entries = table.entries;
	return 0;
}

static int tap_span_parse(struct tapmod_probe *probe, char *target, struct tap_program_env *env)
{
	env->event_size = tap_span_event_size(to_tap_span(probe));
	env->lasts = true;
	return 0;
}

static u64 tap_span_bytes(const struct tapmod_span *span)
{
	return tap_frame_entries(&span->table) * (span->table.words + 1) * sizeof(u64) +
	       tap_frame_entries(&span->table) / TAP_FRAME_TAGS * sizeof(atomic_t) +
	       (u64)num_possible_cpus() * sizeof(*span->counts);
}

/**
 * tap_span_alloc() - allocate the table of a span
 * @probe: tap_span_load() has succeeded. If it is no span, the function does nothing
 *
 * The table is charged to the bound for all sessions.
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0 or -ENOMEM; ->free() of the probe frees what was allocated.
 */
int tap_span_alloc(struct tapmod_probe *probe)
{
	struct tapmod_span *span = to_tap_span(probe);
	u64 bytes;

	if (probe->ops != &tap_span_ops)
		return 0;
	tap_frame_size(&span->table, span->entries);
	span->table.words = tap_span_entry_words(span);
	bytes = tap_span_bytes(span);
	if (tap_memory_charge(&probe->session->memory, bytes))
		return -ENOMEM;
	probe->charged += bytes;
	span->counts = alloc_percpu_gfp(struct tap_span_counts, GFP_KERNEL_ACCOUNT);
	/*
	 * Tags are zero: all entries are free. The allocator aligns a power of two to itself, so
	 * that lines are cache lines.
	 */
	span->table.tags = kvmalloc_array(tap_frame_entries(&span->table), sizeof(u64),
					  GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	span->table.displaced = kvmalloc_array(tap_frame_entries(&span->table) / TAP_FRAME_TAGS,
					       sizeof(atomic_t),
					       GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	/* One word more: a fast path reads whole words at any offset of an entry. */
	span->table.memory = kvmalloc_array(tap_frame_entries(&span->table) * span->table.words + 1,
					    sizeof(u64),
					    GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return span->counts && span->table.tags && span->table.displaced && span->table.memory ?
	       0 : -ENOMEM;
}

static void tap_span_free(struct tapmod_probe *probe)
{
	struct tapmod_span *span = to_tap_span(probe);

	kvfree(span->table.memory);
	kvfree(span->table.displaced);
	kvfree(span->table.tags);
	free_percpu(span->counts);
}

/* A span has no place: events come from its sides. */
static int tap_span_attach(struct tapmod_probe *probe, const struct tap_create *create)
{
	const struct tap_fastpath *fp = probe->fp;
	struct tapmod_span *span = to_tap_span(probe);

	span->plain = fp && !probe->counts && !fp->tests && fp->nr_loads == fp->nr &&
		      fp->bytes == TAP_SLOT_SIZE;
	span->counted = probe->counts && !probe->agg && !probe->prog.tested;
	return 0;
}

static int tap_span_enable(struct tapmod_probe *probe)
{
	return 0;
}

static void tap_span_disable(struct tapmod_probe *probe)
{
}

static void tap_span_detach(struct tapmod_probe **probes, unsigned int nr)
{
}

const struct tap_probe_ops tap_span_ops = {
	.size		= sizeof(struct tapmod_span),
	.feature	= TAP_FEATURE_SPAN,
	.span		= true,
	.parse		= tap_span_parse,
	.attach		= tap_span_attach,
	.enable		= tap_span_enable,
	.disable	= tap_span_disable,
	.detach		= tap_span_detach,
	.free		= tap_span_free,
};

/**
 * tap_span_has_sides() - whether another probe needs this one
 * @probe: a probe of a locked session; a span with a side or a capture that is looked into, or the
 *	side of such a capture
 *
 * Context: process, under the session's lock.
 * Return: true if it must not be deleted.
 */
bool tap_span_has_sides(const struct tapmod_probe *probe)
{
	return (probe->ops == &tap_span_ops && to_tap_span(probe)->nr_sides) ||
	       (probe->span && probe->span->nr_readers);
}

/*
 * Outputs that have a part of the key, or are in front of it: the key may be computed from those,
 * at the return of a call.
 */
static u64 tap_span_key_outputs(const struct tapmod_probe *probe, unsigned int nr_keys)
{
	u64 outputs = 0;
	unsigned int i;

	for (i = 0; i < probe->span_first + nr_keys; i++) {
		u8 output = probe->prog.output_of[i];

		if (output < TAP_MAX_OUTPUTS)
			outputs |= BIT_ULL(output);
	}
	return outputs;
}

/* The span of an id; -ENOENT: no such probe; -ENODATA: it is no span. */
static struct tapmod_span *tap_span_find(struct tapmod_session *session, u32 id)
{
	struct tapmod_probe *owner = xa_load(&session->probes, id);

	if (!owner)
		return ERR_PTR(-ENOENT);
	return owner->ops == &tap_span_ops ? to_tap_span(owner) : ERR_PTR(-ENODATA);
}

/* The types whose events run with preemption off, and are missed only if they are counted. */
static bool tap_span_may_capture(const struct tap_create *create)
{
	return create->side == TAP_SIDE_FROM && !(create->flags & TAP_CREATE_F_RECORD) &&
	       (create->type == TAP_PROBE_KPROBE || create->type == TAP_PROBE_UPROBE ||
		create->type == TAP_PROBE_MARK);
}

/**
 * tap_span_look_into() - let the program of a new probe look into a capture
 * @session: its session, locked
 * @probe: its program is not loaded yet
 * @create: @capture_id is the capture; 0: the function does nothing
 * @env: gets the number of the values
 *
 * tap_span_leave() undoes it.
 *
 * Context: process.
 * Return: 0; -ENOENT: no such probe; -ENODATA: it is no capture.
 */
int tap_span_look_into(struct tapmod_session *session, struct tapmod_probe *probe,
		       const struct tap_create *create, struct tap_program_env *env)
{
	struct tapmod_span *span;

	if (!create->capture_id)
		return 0;
	span = tap_span_find(session, create->capture_id);
	if (IS_ERR(span))
		return PTR_ERR(span);
	if (span->mode != TAP_SPAN_CAPTURE)
		return -ENODATA;
	env->captured = span->from_words;
	probe->captured = span;
	span->nr_sides++;
	span->nr_readers++;
	return 0;
}

/**
 * tap_span_join() - make a new probe a side of a span, until tap_span_joined()
 * @session: its session, locked
 * @probe: its program is loaded
 * @create: @span_id is the span; 0: the function does nothing
 *
 * tap_span_leave() undoes it.
 *
 * Context: process.
 * Return: 0; -EINVAL: a member is out of range, or the words do not fit the table; -ENOENT: no
 *	such probe; -ENODATA: it is no span; -EOPNOTSUPP: the type of @probe cannot be a side;
 *	-EFBIG: the programs may take more than %TAP_MAX_COST instructions together; -EEXIST: a
 *	capture has a side.
 */
int tap_span_join(struct tapmod_session *session, struct tapmod_probe *probe,
		  const struct tap_create *create)
{
	struct tapmod_span *span;
	unsigned int words, behind = 0;

	if (!create->span_id)
		return create->side || create->flags & TAP_CREATE_F_RECORD ? -EINVAL : 0;
	if (create->side != TAP_SIDE_FROM && create->side != TAP_SIDE_TO)
		return -EINVAL;
	if (create->aggregate || create->flags & TAP_CREATE_F_COUNT)
		return -EINVAL;
	if (create->type == TAP_PROBE_SPAN || create->type == TAP_PROBE_COUNT ||
	    create->type == TAP_PROBE_FUNCGRAPH)
		return -EOPNOTSUPP;
	span = tap_span_find(session, create->span_id);
	if (IS_ERR(span))
		return PTR_ERR(span);
	if (span->mode == TAP_SPAN_CAPTURE && !tap_span_may_capture(create))
		return -EOPNOTSUPP;
	if (span->captor)
		return -EEXIST;
	words = span->nr_keys +
		(create->side == TAP_SIDE_FROM ? span->from_words : span->to_words);
	if (create->flags & TAP_CREATE_F_RECORD)
		behind = TAP_SIDE_NAME_WORDS;
	if (probe->prog.words < words + behind || probe->prog.words > TAP_MAX_AGG_WORDS)
		return -EINVAL;
	if (probe->prog.cost + span->probe.prog.cost + TAP_SPAN_COST > TAP_MAX_COST)
		return -EFBIG;
	probe->side = create->side;
	probe->span_first = probe->prog.words - words - behind;
	probe->span_extra = behind || span->probe.prog.nr_pmu || span->probe.prog.divides ||
			    span->mode == TAP_SPAN_CAPTURE;
	probe->span_keys = tap_span_key_outputs(probe, span->nr_keys);
	/*
	 * The span's program redacts what goes into its records, and tap_span_side_record() what
	 * goes into those of the side; a redacted key would be any key.
	 */
	probe->redact = false;
	probe->span = span;
	span->nr_sides++;
	return 0;
}

/**
 * tap_span_joined() - the probe is complete: it stays a side
 * @probe: it is attached, and has had no event yet
 *
 * Context: process, under the session's lock.
 */
void tap_span_joined(struct tapmod_probe *probe)
{
	struct tapmod_span *span = (struct tapmod_span *)probe->span;

	if (!tap_span_captures(probe))
		return;
	/*
	 * Pairs with tap_capture_find(): events of those that look into the capture may run. Until
	 * here they did not see the probe, which may be freed if attaching it fails.
	 */
	smp_store_release(&span->captor, probe);
}

/**
 * tap_span_leave() - undo tap_span_join() and tap_span_look_into()
 * @probe: no event of it runs; it may be neither a side nor look into a capture
 *
 * Context: process; under the session's lock, or at the end of the session.
 */
void tap_span_leave(struct tapmod_probe *probe)
{
	struct tapmod_span *span = (struct tapmod_span *)probe->span;

	if (span) {
		span->nr_sides--;
		/*
		 * Its only side: either nobody looks into the capture, see tap_span_has_sides(), or
		 * those who do have not seen the probe, and so do not read @missed.
		 */
		if (tap_span_captures(probe)) {
			span->captor = NULL;
			span->missed = NULL;
		}
	}
	probe->span = NULL;
	span = (struct tapmod_span *)probe->captured;
	if (span) {
		span->nr_sides--;
		span->nr_readers--;
	}
	probe->captured = NULL;
}

static void tap_span_sum(const struct tapmod_span *span, struct tap_span_read *read)
{
	u64 sums[sizeof(struct tap_span_counts) / sizeof(u64)] = {};
	const struct tap_span_counts *sum = (const struct tap_span_counts *)sums;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *from = (const u64 *)per_cpu_ptr(span->counts, cpu);

		for (i = 0; i < ARRAY_SIZE(sums); i++)
			sums[i] += READ_ONCE(from[i]);
	}
	read->out_opened = sum->opened;
	read->out_restarted = sum->restarted;
	read->out_full = sum->full;
	read->out_busy = sum->busy;
	read->out_ended = sum->ended;
	read->out_unmatched = sum->unmatched;
	read->out_unmatched_busy = sum->unmatched_busy;
	read->out_cleared = sum->cleared;
}

/*
 * Copies an open entry, without the words of the "to" event; false if it has ended or begun again
 * meanwhile: its tag or its time changed. It may have done so several times between any two loads
 * here, and have the same tag again: then only the time tells, if the values are read between two
 * loads of it, and the second one behind the load of the tag.
 */
static bool tap_span_copy(const struct tapmod_span *span, tap_frame at, u64 tag, bool redact,
			  u64 *to, unsigned int nr)
{
	const struct tap_span_event *event = tap_frame_memory(&span->table, at);
	/* Pairs with the store-release in tap_span_store(): no value is older than the time. */
	u64 time = smp_load_acquire(&event->from_time);
	unsigned int i;

	for (i = 0; i < nr; i++)
		to[i] = READ_ONCE(((const u64 *)event)[i]);
	/*
	 * The copy is read before the tag: who has a value of a new "from" event sees at least
	 * WRITING, as it was stored behind the cmpxchg() of tap_frame_take().
	 */
	smp_rmb();
	/* The tag is read before the time: pairs with tap_frame_give(). */
	if (smp_load_acquire(tap_frame_tag(&span->table, at)) != tag ||
	    READ_ONCE(event->from_time) != time)
		return false;
	to[0] = mul_u64_u32_shr(tap_call_lasted(tap_clock_read(span->probe.clock), time),
				span->probe.ns_mult, span->probe.ns_shift);
	for (i = sizeof(*event) / sizeof(u64); redact && i < nr; i++)
		if (tap_is_address(to[i]))
			to[i] = 0;
	return true;
}

/* Counts the open entries, and copies those from read->from on for which there is room. */
static int tap_span_read_open(const struct tapmod_span *span, bool redact,
			      struct tap_span_read *read)
{
	u64 entry[(sizeof(struct tap_span_event) / sizeof(u64)) + TAP_MAX_SPAN_WORDS];
	const unsigned int nr = read->out_entry_words;
	u64 __user *to = u64_to_user_ptr(read->words);
	u64 end = tap_frame_entries(&span->table), i;
	u32 room = read->nr_words / nr;

	for (i = 0; i < end; i++) {
		/* Pairs with the store-release in tap_frame_give(). */
		u64 tag = smp_load_acquire(tap_frame_tag(&span->table, i));

		if (!(i % 1024))
			cond_resched();
		if ((tag & TAP_FRAME_STATE) != TAP_FRAME_OPEN)
			continue;
		read->out_open++;
		if (i < read->from || read->out_next)
			continue;
		if (read->out_entries == room) {
			/* With no room at all the caller asks for the counts alone. */
			read->out_next = room ? i : 0;
			continue;
		}
		if (!tap_span_copy(span, i, tag, redact, entry, nr))
			continue;
		if (copy_to_user(to + (size_t)read->out_entries * nr, entry,
				 nr * sizeof(*entry)))
			return -EFAULT;
		read->out_entries++;
	}
	return 0;
}

/**
 * tap_span_read() - TAP_IOC_SPAN: copy the counts of a span and what is open
 * @session: locked, so that the probe is not deleted
 * @read: the request; its out_* members are set on success
 *
 * Events may change the table at the same time.
 *
 * Context: process, may sleep.
 * Return: 0; -ENOENT: no such probe; -ENODATA: it is no span; -EINVAL: a member is out of
 *	range, or there is no room for one entry; -EFAULT.
 */
int tap_span_read(struct tapmod_session *session, struct tap_span_read *read)
{
	const struct tapmod_probe *probe = xa_load(&session->probes, read->id);
	const struct tapmod_span *span;
	u32 words;

	if (!probe)
		return -ENOENT;
	if (probe->ops != &tap_span_ops)
		return -ENODATA;
	span = to_tap_span(probe);
	words = sizeof(struct tap_span_event) / sizeof(u64) + span->nr_keys + span->from_words;
	if (read->__reserved || read->from >= tap_frame_entries(&span->table) ||
	    !read->words != !read->nr_words || (read->nr_words && read->nr_words < words))
		return -EINVAL;
	tap_span_sum(span, read);
	read->out_next = 0;
	read->out_entries = 0;
	read->out_entry_words = words;
	read->out_open = 0;
	return tap_span_read_open(span, probe->redact, read);
}
