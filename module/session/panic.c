// SPDX-License-Identifier: GPL-2.0
/*
 * The last records of a session as lines of the kernel's log, when the kernel panics.
 *
 * At that moment the other CPUs are stopped, anywhere. So nothing here takes a lock but those of
 * printk(), or allocates: each ring has a cursor. The cursors go back through all rings, always to
 * the latest record, until there are enough; then forward, always from the earliest. A slot that
 * is not committed is stepped over. printk() itself may have events, and a CPU that could not be
 * stopped goes on: a record is looked at again when its line is made, and one that was overwritten
 * meanwhile is counted instead.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "core/probe.h"
#include "core/session.h"
#include "session/session_ops.h"

#define TAP_PANIC_NONE	(~0ULL)

/* Bytes of a line: less than what printk() takes, with the head that it adds. */
#define TAP_PANIC_LINE	800

/* Characters of a name. Each may become four: names are what the user gave. */
#define TAP_PANIC_NAME	64

/* Protects changes of tap_panic_sessions. The notifier reads it by RCU. */
static DEFINE_MUTEX(tap_panic_lock);
static LIST_HEAD(tap_panic_sessions);

/* One CPU panics, and no other comes here. */
static char tap_panic_text[TAP_PANIC_LINE];

static const char *const tap_panic_types[] = {
	[TAP_PROBE_KPROBE] = "kprobe",
	[TAP_PROBE_KRETPROBE] = "kretprobe",
	[TAP_PROBE_CALL] = "call",
	[TAP_PROBE_RAWTP] = "rawtracepoint",
	[TAP_PROBE_TRACEPOINT] = "tracepoint",
	[TAP_PROBE_SYSCALL] = "syscall",
	[TAP_PROBE_UPROBE] = "uprobe",
	[TAP_PROBE_URETPROBE] = "uretprobe",
	[TAP_PROBE_UCALL] = "ucall",
	[TAP_PROBE_USDT] = "usdt",
	[TAP_PROBE_EVENT] = "event",
	[TAP_PROBE_WATCHPOINT] = "watchpoint",
	[TAP_PROBE_COUNT] = "count",
	[TAP_PROBE_MARK] = "mark",
	[TAP_PROBE_FUNC] = "func",
	[TAP_PROBE_FUNCGRAPH] = "funcgraph",
	[TAP_PROBE_SPAN] = "span",
	[TAP_PROBE_USER_WATCH] = "user_watch",
};

/* The record that is committed at @pos, or NULL. */
static const struct tap_record *tap_panic_record(const struct tap_ring *ring, u64 pos)
{
	return tap_ring_peek((char *)ring->w.head + PAGE_SIZE, ring->w.mask, pos);
}

/* Position of the last record before the cursor. Moves the cursor to the start if there is none. */
static u64 tap_panic_before(struct tap_ring *ring)
{
	struct tap_ring_cursor *c = &ring->cursor;
	u64 first = c->end > ring->w.mask + 1 ? c->end - (ring->w.mask + 1) : 0, pos;

	for (pos = c->at; pos > first; ) {
		pos -= TAP_SLOT_SIZE;
		if (tap_panic_record(ring, pos))
			return pos;
	}
	c->at = first;
	return TAP_PANIC_NONE;
}

/* Position of the first record from the cursor on. */
static u64 tap_panic_after(struct tap_ring *ring)
{
	struct tap_ring_cursor *c = &ring->cursor;

	for (; c->at < c->end; c->at += TAP_SLOT_SIZE)
		if (tap_panic_record(ring, c->at))
			return c->at;
	return TAP_PANIC_NONE;
}

/**
 * struct tap_panic_choice - a record among those at the cursors of all rings
 * @ring: where it is; NULL: there is none
 * @cpu: of @ring
 * @pos: of the record
 * @time: of the record
 */
struct tap_panic_choice {
	struct tap_ring *ring;
	unsigned int cpu;
	u64 pos;
	u64 time;
};

/* Replaces @choice if the record of the ring is later, or with @forward earlier. */
static void tap_panic_compare(struct tap_panic_choice *choice, struct tap_ring *ring,
			      unsigned int cpu, bool forward)
{
	u64 pos = forward ? tap_panic_after(ring) : tap_panic_before(ring), time;

	if (pos == TAP_PANIC_NONE)
		return;
	time = READ_ONCE(((const struct tap_record *)tap_ring_slot(&ring->w, pos))->time);
	if (choice->ring && (forward ? time >= choice->time : time <= choice->time))
		return;
	*choice = (struct tap_panic_choice) {
		.ring = ring, .cpu = cpu, .pos = pos, .time = time,
	};
}

static struct tap_panic_choice tap_panic_choose(struct tapmod_session *session, bool forward)
{
	struct tap_rings *const sets[] = { &session->rings, &session->spare };
	struct tap_panic_choice choice = {};
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		if (!tap_rings_ready(sets[i]))
			continue;
		for_each_possible_cpu(cpu) {
			struct tap_ring *ring = per_cpu_ptr(sets[i]->ring, cpu);

			if (tap_ring_exists(ring))
				tap_panic_compare(&choice, ring, cpu, forward);
		}
	}
	return choice;
}

/* Puts the cursors behind what was reserved until now. */
static void tap_panic_begin(const struct tap_rings *rings)
{
	unsigned int cpu;

	if (!tap_rings_ready(rings))
		return;
	for_each_possible_cpu(cpu) {
		struct tap_ring *ring = per_cpu_ptr(rings->ring, cpu);

		if (!tap_ring_exists(ring))
			continue;
		ring->cursor.end = READ_ONCE(ring->w.head->head);
		ring->cursor.at = ring->cursor.end;
	}
}

/* CLOCK_MONOTONIC, nanoseconds, as that clock went when the session was set up. */
static u64 tap_panic_time(const struct tapmod_session *session, u64 raw)
{
	const struct tap_meta *meta = page_address(session->rings.meta);
	u64 ticks = raw - meta->clock_raw;

	return meta->clock_mono + mul_u64_u32_shr(ticks, meta->clock_mult, meta->clock_shift);
}

__printf(2, 3)
static int tap_panic_add(int len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	len += vscnprintf(tap_panic_text + len, sizeof(tap_panic_text) - len, format, args);
	va_end(args);
	return len;
}

/* Adds the words of a record. Room for their number is left in the line. */
static void tap_panic_words(int len, const struct tap_ring *ring, u64 pos, unsigned int words)
{
	const u64 *value = ((const struct tap_record *)tap_ring_slot(&ring->w, pos))->value;
	unsigned int left = TAP_FIRST_VALUES;

	for (; words && len < TAP_PANIC_LINE - 40; words--, left--) {
		if (!left) {
			pos += TAP_SLOT_SIZE;
			value = ((const struct tap_slot *)tap_ring_slot(&ring->w, pos))->value;
			left = TAP_SLOT_VALUES;
		}
		len = tap_panic_add(len, " %#llx", *value++);
	}
	if (words)
		tap_panic_add(len, " and %u words", words);
}

static unsigned int tap_panic_room(const struct tap_record *rec)
{
	return TAP_FIRST_VALUES + (rec->slots - 1) * TAP_SLOT_VALUES;
}

static void tap_panic_format(struct tapmod_session *session, const struct tap_panic_choice *at)
{
	const struct tap_record *rec = tap_ring_slot(&at->ring->w, at->pos);
	const struct tapmod_probe *probe = xa_load(&session->probes, rec->probe);
	u64 ns = tap_panic_time(session, rec->time), sec = ns;
	u32 rest = do_div(sec, NSEC_PER_SEC);
	int len = tap_panic_add(0, "%llu.%09u cpu %u", sec, rest, at->cpu);

	if (rec->kind == TAP_KIND_GAP) {
		tap_panic_add(len, " lost %llu events", rec->value[TAP_GAP_LOST]);
		return;
	}
	len = tap_panic_add(len, " task %u/%u", rec->tgid, rec->tid);
	if (rec->kind == TAP_KIND_NOTICE)
		len = tap_panic_add(len, " notice");
	if (probe)
		len = tap_panic_add(len, " %s:%*pE", tap_panic_types[probe->type],
				    (int)strnlen(probe->name, TAP_PANIC_NAME), probe->name);
	else if (rec->probe)
		len = tap_panic_add(len, " probe %u", rec->probe);
	if (rec->flags)
		len = tap_panic_add(len, " flags %#x", rec->flags);
	tap_panic_words(len, at->ring, at->pos, probe && rec->kind == TAP_KIND_EVENT ?
			min_t(unsigned int, probe->prog.words, tap_panic_room(rec)) :
			tap_panic_room(rec));
}

static void tap_panic_session(struct tapmod_session *session)
{
	unsigned int nr, i, printed = 0;
	struct tap_panic_choice at;

	tap_panic_begin(&session->rings);
	tap_panic_begin(&session->spare);
	for (nr = 0; nr < session->panic; nr++) {
		at = tap_panic_choose(session, false);
		if (!at.ring)
			break;
		at.ring->cursor.at = at.pos;
	}
	pr_emerg("session %llu of %*pE (process %u), the last %u records:\n", session->id,
		 (int)strnlen(session->comm, TASK_COMM_LEN), session->comm, session->pid, nr);
	for (i = 0; i < nr; i++) {
		at = tap_panic_choose(session, true);
		if (!at.ring)
			break;
		at.ring->cursor.at = at.pos + TAP_SLOT_SIZE;
		tap_panic_format(session, &at);
		/* After the line is made of it: it was whole, if it still is. */
		smp_rmb();
		if (!tap_panic_record(at.ring, at.pos))
			continue;
		pr_emerg("%s\n", tap_panic_text);
		printed++;
	}
	if (printed < nr)
		pr_emerg("%u of them were overwritten meanwhile\n", nr - printed);
}

static int tap_panic_notify(struct notifier_block *block, unsigned long event, void *message)
{
	struct tapmod_session *session;

	/* The chain is called under rcu_read_lock(): see tap_panic_leave(). */
	list_for_each_entry_rcu(session, &tap_panic_sessions, panic_node)
		tap_panic_session(session);
	return NOTIFY_DONE;
}

static struct notifier_block tap_panic_block = { .notifier_call = tap_panic_notify };

/* Lets a panic print what the session has, if it was set up so. The session is locked. */
void tap_panic_join(struct tapmod_session *session)
{
	if (!session->panic)
		return;
	mutex_lock(&tap_panic_lock);
	list_add_tail_rcu(&session->panic_node, &tap_panic_sessions);
	mutex_unlock(&tap_panic_lock);
}

/* After it no panic looks at the session, which nobody else has. */
void tap_panic_leave(struct tapmod_session *session)
{
	if (!session->panic)
		return;
	mutex_lock(&tap_panic_lock);
	list_del_rcu(&session->panic_node);
	mutex_unlock(&tap_panic_lock);
	synchronize_rcu();
}

void tap_panic_init(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &tap_panic_block);
}

/* No session is open. */
void tap_panic_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &tap_panic_block);
}
