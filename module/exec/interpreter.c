// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter: its entry points for events, and the instructions that are rare or slow
 * enough not to be inline. The rules of handler.h hold.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include <asm/word-at-a-time.h>

#include "core/session.h"
#include "exec/call.h"
#include "exec/capture.h"
#include "exec/division.h"
#include "exec/followed.h"
#include "exec/glob.h"
#include "exec/inside.h"
#include "exec/interpreter.h"
#include "exec/join.h"
#include "exec/path.h"
#include "exec/span.h"
#include "exec/stack_output.h"
#include "perf/call_counters.h"

/*
 * Checks an output before it is appended, and returns the value to append: 0 if memory for
 * it could not be read, or if it is a kernel address and the probe redacts. Called only if
 * interp->special is set; not inline, because that is rare.
 */
noinline u64 tap_interp_special(struct tap_interp *interp, unsigned int output, u64 value)
{
	if (interp->fault) {
		interp->fault = false;
		interp->special = interp->probe->redact;
		interp->absent |= BIT_ULL(output);
		interp->flags |= TAP_F_ABSENT;
		return 0;
	}
	if (interp->probe->redact && tap_is_address(value)) {
		interp->flags |= TAP_F_REDACTED;
		return 0;
	}
	return value;
}
NOKPROBE_SYMBOL(tap_interp_special);

/*
 * Reads user or kernel memory; all of it or nothing. A kernel thread has no user memory,
 * but the page tables of the previous task may still be loaded: so test current->mm.
 */
bool tap_interp_read(void *to, u64 from, size_t bytes, bool user)
{
	if (user)
		return current->mm && tap_user_okay() &&
		       !copy_from_user_nofault(to, (const void __user *)from,
					       bytes);
	return tap_kernel_read(to, from, bytes);
}
NOKPROBE_SYMBOL(tap_interp_read);

/*
 * Describes memory at an address. Of an operation on kernel memory it is user memory with
 * TAP_CREATE_F_USER, if the address is one of it. If it can be read, the caller sets the flags.
 */
struct tap_source tap_interp_source(const struct tap_interp *interp, u64 from, bool user)
{
	struct tap_source source = { from, user, 0 };

	if (!user && interp->probe->flags & TAP_CREATE_F_USER && tap_is_user_address(from)) {
		source.user = true;
		source.flags = TAP_F_USER;
	}
	return source;
}
NOKPROBE_SYMBOL(tap_interp_source);

/* A load of kernel memory that has failed. Not inline: that is rare. */
noinline u64 tap_interp_load_user(struct tap_interp *interp, const struct tap_insn *insn)
{
	struct tap_source at = tap_interp_source(interp, interp->reg[insn->src] + insn->off, false);
	u64 value = 0;

	if (!at.user || !tap_interp_read(&value, at.from, insn->size, true)) {
		tap_interp_fault(interp);
		return 0;
	}
	interp->flags |= at.flags;
	return tap_arith_extend(value, TAP_SHIFT(insn->size), insn->sign);
}
NOKPROBE_SYMBOL(tap_interp_load_user);

/* RCU frees a task's css_set and cgroups; preemption is off, so they exist here. */
static u64 tap_interp_cgroup(u64 imm)
{
	struct cgroup *cgrp = rcu_dereference_raw(current->cgroups)->dfl_cgrp;

	if (imm)
		cgrp = cgroup_ancestor(cgrp, imm - 1);
	return cgrp ? cgroup_id(cgrp) : 0;
}
NOKPROBE_SYMBOL(tap_interp_cgroup);

/* Value of a variable of the task but TAP_VAR_TGID and TAP_VAR_FOLLOWED, with operand imm. */
u64 tap_task_var(unsigned int var, u64 imm)
{
	switch (var) {
	case TAP_VAR_TID:
		return current->pid;
	case TAP_VAR_CPU:
		return raw_smp_processor_id();
	case TAP_VAR_UID:
		return __kuid_val(rcu_dereference_raw(current->cred)->uid);
	case TAP_VAR_CGROUP:
		return tap_interp_cgroup(imm);
	case TAP_VAR_TASK:
		return (unsigned long)current;
	case TAP_VAR_TIME:
		return ktime_get_mono_fast_ns();
	default: /* TAP_VAR_COMM */
		return tap_comm_word(imm);
	}
}
NOKPROBE_SYMBOL(tap_task_var);

/* Whether the record has one of the flags: those of the context are computed here. */
static bool tap_interp_has_flags(const struct tap_interp *interp, u32 flags)
{
	u32 context = interp->trap >= TAP_TRAP_AGAIN ? 0 : tap_context(interp->trap);

	return (interp->flags | context) & flags;
}
NOKPROBE_SYMBOL(tap_interp_has_flags);

static u64 tap_interp_var(const struct tap_interp *interp, const struct tap_insn *insn)
{
	switch (insn->off) {
	case TAP_VAR_DURATION:
		return mul_u64_u32_shr(interp->lasted, interp->probe->ns_mult,
				       interp->probe->ns_shift);
	case TAP_VAR_SYSCALL:
		return *(const u64 *)interp->base;
	case TAP_VAR_ABSENT:
		return interp->absent;
	case TAP_VAR_FOLLOWED:
		return tap_followed(interp->probe->followed);
	case TAP_VAR_FLAGS:
		return tap_interp_has_flags(interp, insn->imm);
	case TAP_VAR_INSIDE:
		return tap_inside(interp->probe->tasks, insn->imm, interp->trap);
	case TAP_VAR_ENCLOSED:
		return tap_call_enclosed(interp->probe, interp->words);
	case TAP_VAR_TRIGGER:
		return interp->trap != TAP_TRAP_AGAIN &&
		       tap_rings_trigger(&interp->probe->session->rings, interp->probe->id);
	case TAP_VAR_GATE:
		/* It came through when the program ran for the first time. */
		if (interp->trap == TAP_TRAP_AGAIN)
			return true;
		/* The event will be given up: it has not come through. */
		return !interp->fault &&
		       tap_rings_gate(&interp->probe->session->rings, insn->imm);
	default:
		return tap_task_var(insn->off, insn->imm);
	}
}
NOKPROBE_SYMBOL(tap_interp_var);

static u64 tap_interp_divide(const struct tap_insn *insn, u64 a, u64 b)
{
	return tap_arith_divide(insn->sub == TAP_OP_MOD, insn->sign, a, b);
}
NOKPROBE_SYMBOL(tap_interp_divide);

static u64 tap_interp_arithmetic(const struct tap_interp *interp,
				 const struct tap_insn *insn)
{
	u64 b = insn->src == TAP_OP_IMM_SRC ? insn->imm : interp->reg[insn->src];
	u64 a = interp->reg[insn->dst];

	if (insn->sub == TAP_OP_DIV || insn->sub == TAP_OP_MOD)
		return tap_interp_divide(insn, a, b);
	return tap_arith_compute(insn->sub, insn->sign, a, b);
}
NOKPROBE_SYMBOL(tap_interp_arithmetic);

/* Text, or an array, in the event's own data or in a buffer. */
struct tap_text {
	const u8 *at;
	u32 len;
};

/* Decodes a field of TAP_OP_*_DATA_LOC; false if it points outside the event's data. */
static bool tap_interp_data_loc(const struct tap_interp *interp, s32 off,
				struct tap_text *text)
{
	u32 loc = *(const u32 *)(interp->base + off);

	text->at = interp->base + (loc & 0xffff);
	text->len = loc >> 16;
	return (loc & 0xffff) + text->len <= interp->size;
}
NOKPROBE_SYMBOL(tap_interp_data_loc);

/* Bytes from an address to the end of its page, at most max. */
static __always_inline size_t tap_page_rest(u64 at, size_t max)
{
	return min_t(size_t, max, PAGE_SIZE - (at & ~PAGE_MASK));
}

/* As strnlen(), which takes several instructions a byte; this takes one. */
static size_t tap_text_len(const u8 *text, size_t max)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, bits;
	size_t len = 0;

	for (; len + sizeof(word) <= max; len += sizeof(word)) {
		/* Compiled to one load: the text need not be aligned. */
		__builtin_memcpy(&word, text + len, sizeof(word));
		if (has_zero(word, &bits, &constants))
			break;
	}
	while (len < max && text[len])
		len++;
	return len;
}
NOKPROBE_SYMBOL(tap_text_len);

/*
 * Copies text up to its final 0, at most room bytes, and returns its length. It reads page
 * by page, so a page that is not present does not affect the pages before it. *ended: the
 * final 0 was found; *fault: the text goes on in memory that cannot be read.
 */
size_t tap_interp_copy_text(u8 *to, u64 from, size_t room, bool user,
			    bool *ended, bool *fault)
{
	size_t done = 0;

	*ended = false;
	*fault = false;
	while (done < room) {
		size_t chunk = tap_page_rest(from + done, room - done), len;

		if (!tap_interp_read(to + done, from + done, chunk, user)) {
			*fault = true;
			return done;
		}
		len = tap_text_len(to + done, chunk);
		done += len;
		if (len < chunk) {
			*ended = true;
			return done;
		}
	}
	return done;
}
NOKPROBE_SYMBOL(tap_interp_copy_text);

/*
 * Finds the text of a match; reads it into the buffer unless it is in the event's data.
 * False if it cannot be read.
 */
static bool tap_interp_match_text(struct tap_interp *interp, const struct tap_insn *insn,
				  u8 *buffer, struct tap_text *text)
{
	struct tap_source from;
	bool ended, fault;

	switch (insn->sub) {
	case TAP_OP_MATCH_COMM:
		/* Copy it, because another task may rename this one meanwhile. */
		((u64 *)buffer)[0] = tap_comm_word(0);
		((u64 *)buffer)[1] = tap_comm_word(1);
		text->at = buffer;
		text->len = TAP_COMM_LEN;
		break;
	case TAP_OP_MATCH_FIELD:
		text->at = interp->base + insn->off;
		text->len = insn->imm >> 32;
		break;
	case TAP_OP_MATCH_DATA_LOC:
		if (!tap_interp_data_loc(interp, insn->off, text))
			return false;
		break;
	default:
		from = tap_interp_source(interp, interp->reg[insn->src] + insn->off,
					 insn->sub == TAP_OP_MATCH_USER);
		text->at = buffer;
		text->len = tap_interp_copy_text(buffer, from.from, TAP_MAX_PATTERN + 1,
						 from.user, &ended, &fault);
		interp->flags |= fault ? 0 : from.flags;
		return !fault;
	}
	/* One byte more than a pattern can have, so that a longer text does not match. */
	text->len = tap_text_len(text->at, min_t(size_t, text->len, TAP_MAX_PATTERN + 1));
	return true;
}
NOKPROBE_SYMBOL(tap_interp_match_text);

static noinline u64 tap_interp_match(struct tap_interp *interp, const struct tap_insn *insn)
{
	const u8 *pattern = interp->probe->prog.data + (u16)insn->imm;
	size_t len = (u16)(insn->imm >> 16);
	u8 buffer[TAP_MAX_PATTERN + 1] __aligned(8) __uninitialized;
	struct tap_text text;

	if (!tap_interp_match_text(interp, insn, buffer, &text)) {
		tap_interp_fault(interp);
		return 0;
	}
	if (insn->size)
		return tap_glob(pattern, len, text.at,
				min_t(size_t, text.len, TAP_MAX_PATTERN));
	return len == text.len && !memcmp(pattern, text.at, len);
}
NOKPROBE_SYMBOL(tap_interp_match);

/* Length of text up to its final 0, at most insn->imm; 0 if it cannot be read so far. */
static noinline u64 tap_interp_length(struct tap_interp *interp, const struct tap_insn *insn)
{
	struct tap_source at = tap_interp_source(interp, interp->reg[insn->src] + insn->off,
						 insn->sub == TAP_OP_LENGTH_USER);
	bool ended = false, fault = false;
	u8 buffer[TAP_CHUNK] __aligned(8) __uninitialized;
	size_t len = 0;

	while (len < insn->imm && !ended && !fault)
		len += tap_interp_copy_text(buffer, at.from + len,
					    min_t(size_t, insn->imm - len, TAP_CHUNK), at.user,
					    &ended, &fault);
	if (!fault) {
		interp->flags |= at.flags;
		return len;
	}
	tap_interp_fault(interp);
	return 0;
}
NOKPROBE_SYMBOL(tap_interp_length);

/* Value of a counter; at a call's return (insn->src) its growth since the entry. */
static u64 tap_interp_pmu(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 value;

	if (insn->src)
		value = interp->pmu[insn->off];
	else
		value = tap_pmu_read(interp->probe->pmu, insn->off);
	if (likely(value != TAP_PMU_NONE))
		return value;
	if (!insn->src)
		interp->flags |= TAP_F_MULTIPLEXED;
	tap_interp_fault(interp);
	return 0;
}
NOKPROBE_SYMBOL(tap_interp_pmu);

/* Value of TAP_VAR_DIVISION. */
static u64 tap_interp_divided(struct tap_interp *interp, const struct tap_insn *insn)
{
	if (likely(interp->divided))
		return tap_divided_value(interp->divided, interp->lasted, interp->probe,
					 insn->imm);
	tap_interp_fault(interp);
	return 0;
}
NOKPROBE_SYMBOL(tap_interp_divided);

/* Computes the value of a TAP_INSN_VALUE; 0 with interp->fault set if it cannot be read. */
u64 tap_interp_value(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 value = 0;

	if (insn->sub >= TAP_OP_LENGTH)
		return tap_interp_length(interp, insn);
	if (insn->sub >= TAP_OP_MATCH)
		return tap_interp_match(interp, insn);
	if (insn->sub >= TAP_OP_ADD)
		return tap_interp_arithmetic(interp, insn);
	switch (insn->sub) {
	case TAP_OP_VAR:
		if (insn->off == TAP_VAR_DIVISION)
			return tap_interp_divided(interp, insn);
		return tap_interp_var(interp, insn);
	case TAP_OP_IMM:
		return insn->imm;
	case TAP_OP_MOVE:
		value = interp->reg[insn->src];
		break;
	case TAP_OP_SWAP:
		value = tap_arith_swap(interp->reg[insn->src], insn->size);
		break;
	case TAP_OP_LOG2:
		return tap_arith_log2(interp->reg[insn->src]);
	case TAP_OP_PMU:
		return tap_interp_pmu(interp, insn);
	case TAP_OP_CAPTURED:
		return tap_interp_captured(interp, insn);
	case TAP_OP_WORD:
		value = interp->words[insn->off];
		break;
	default:
		if (!tap_interp_read(&value, interp->reg[insn->src] + insn->off,
				     insn->size, true)) {
			tap_interp_fault(interp);
			return 0;
		}
	}
	/* Drop the upper bytes, as a load of insn->size bytes would. */
	return tap_arith_extend(value, TAP_SHIFT(insn->size), insn->sign);
}
NOKPROBE_SYMBOL(tap_interp_value);

/* Zeroes words that look like kernel addresses, if the opener may not see addresses. */
static void tap_interp_redact(struct tap_interp *interp, u64 *words, size_t nr)
{
	if (!interp->probe->redact)
		return;
	while (nr--)
		if (tap_is_address(words[nr])) {
			words[nr] = 0;
			interp->flags |= TAP_F_REDACTED;
		}
}
NOKPROBE_SYMBOL(tap_interp_redact);

/* The place of the next words, at most *words, which are contiguous. Sets *words. */
static __always_inline u64 *tap_interp_room(struct tap_interp *interp, size_t *words)
{
	struct tap_cursor *c = &interp->c;
	u64 *to;

	if (c->next == c->end)
		tap_cursor_turn(c);
	to = c->next;
	*words = min_t(size_t, *words, c->end - to);
	c->next = to + *words;
	return to;
}

/* Appends words. WRITE_ONCE(), here and below, as in tap_cursor_fill(). */
static void tap_interp_append(struct tap_interp *interp, u64 *words, size_t nr)
{
	size_t n;
	u64 *to;

	tap_interp_redact(interp, words, nr);
	for (; nr; nr -= n) {
		const u64 *end;

		n = nr;
		to = tap_interp_room(interp, &n);
		end = to + n;
		do {
			WRITE_ONCE(*to, *words);
			words++;
		} while (++to < end);
	}
}
NOKPROBE_SYMBOL(tap_interp_append);

void tap_interp_append_zeros(struct tap_interp *interp, size_t nr)
{
	size_t n;
	u64 *to;

	for (; nr; nr -= n) {
		const u64 *end;

		n = nr;
		to = tap_interp_room(interp, &n);
		end = to + n;
		do {
			WRITE_ONCE(*to, 0);
		} while (++to < end);
	}
}
NOKPROBE_SYMBOL(tap_interp_append_zeros);

/* Appends bytes in a buffer of whole words; returns the number of words. */
size_t tap_interp_append_bytes(struct tap_interp *interp, u64 *buffer, size_t bytes)
{
	size_t words = DIV_ROUND_UP(bytes, sizeof(u64)), rest = bytes % sizeof(u64);

	/* Both architectures are little-endian: the bytes behind the last are the upper ones. */
	if (rest)
		buffer[words - 1] = tap_arith_extend(buffer[words - 1], TAP_SHIFT(rest), false);
	tap_interp_append(interp, buffer, words);
	return words;
}
NOKPROBE_SYMBOL(tap_interp_append_bytes);

static void tap_interp_absent(struct tap_interp *interp, const struct tap_insn *insn)
{
	interp->absent |= BIT_ULL(insn->dst - TAP_DST_OUT);
	interp->flags |= TAP_F_ABSENT;
}
NOKPROBE_SYMBOL(tap_interp_absent);

/* Appends exactly insn->imm bytes; all are 0 if one of them cannot be read. */
static void tap_interp_plain_bytes(struct tap_interp *interp, const struct tap_insn *insn,
				   bool absent)
{
	bool field = insn->sub == TAP_OP_FIELD_BYTES;
	struct tap_source at = tap_interp_source(interp, interp->reg[insn->src] + insn->off,
						 insn->sub == TAP_OP_BYTES_USER);
	u64 from = field ? (u64)interp->base + insn->off : at.from;
	struct tap_cursor begin = interp->c;
	u64 buffer[TAP_CHUNK_WORDS] __uninitialized;
	size_t left = absent ? 0 : insn->imm, bytes;

	for (; left; left -= bytes, from += bytes) {
		bytes = min_t(size_t, left, TAP_CHUNK);
		if (field) {
			memcpy(buffer, (const void *)from, bytes);
		} else if (!tap_interp_read(buffer, from, bytes, at.user)) {
			absent = true;
			break;
		}
		tap_interp_append_bytes(interp, buffer, bytes);
	}
	if (!absent && !field)
		interp->flags |= at.flags;
	if (absent) {
		interp->c = begin;
		tap_interp_append_zeros(interp, DIV_ROUND_UP(insn->imm, sizeof(u64)));
		tap_interp_absent(interp, insn);
	}
}
NOKPROBE_SYMBOL(tap_interp_plain_bytes);

/* Appends text from memory; returns its TAP_TEXT_* word, which the caller stores. */
static u64 tap_interp_memory_text(struct tap_interp *interp, const struct tap_insn *insn)
{
	struct tap_source at = tap_interp_source(interp, interp->reg[insn->src] + insn->off,
						 insn->sub == TAP_OP_STRING_USER);
	bool ended = false, fault = false;
	size_t words = DIV_ROUND_UP(insn->imm, sizeof(u64)), len = 0, n;
	u64 buffer[TAP_CHUNK_WORDS] __uninitialized;
	u64 rest;

	while (len < insn->imm && !ended && !fault) {
		n = tap_interp_copy_text((u8 *)buffer, at.from + len,
					 min_t(size_t, insn->imm - len, TAP_CHUNK), at.user,
					 &ended, &fault);
		words -= tap_interp_append_bytes(interp, buffer, n);
		len += n;
	}
	tap_interp_append_zeros(interp, words);
	rest = tap_interp_text_rest(at.from + len, at.user, ended, fault);
	if (rest != TAP_TEXT_ABSENT)
		interp->flags |= at.flags;
	return len | rest;
}
NOKPROBE_SYMBOL(tap_interp_memory_text);

/* Appends text or an array from the event's own data; returns its TAP_TEXT_* word. */
static u64 tap_interp_field_text(struct tap_interp *interp, const struct tap_insn *insn)
{
	struct tap_text text = { interp->base + insn->off, insn->imm };
	bool dynamic = insn->sub == TAP_OP_DATA_LOC, absent = false;
	size_t words = DIV_ROUND_UP(insn->imm, sizeof(u64)), left, n;
	u64 buffer[TAP_CHUNK_WORDS] __uninitialized, head;

	if (dynamic && !tap_interp_data_loc(interp, insn->off, &text)) {
		text.len = 0;
		absent = true;
	}
	if (!dynamic || insn->size)
		text.len = tap_text_len(text.at, text.len);
	left = min_t(size_t, text.len, insn->imm);
	head = left;
	if (text.len > insn->imm)
		head |= TAP_TEXT_TRUNCATED;
	for (; left; left -= n, text.at += n) {
		n = min_t(size_t, left, TAP_CHUNK);
		memcpy(buffer, text.at, n);
		words -= tap_interp_append_bytes(interp, buffer, n);
	}
	tap_interp_append_zeros(interp, words);
	return absent ? head | TAP_TEXT_ABSENT : head;
}
NOKPROBE_SYMBOL(tap_interp_field_text);

/* Takes note of what the TAP_TEXT_* word of an output says. */
static __always_inline void
tap_interp_noted(struct tap_interp *interp, const struct tap_insn *insn, u64 head)
{
	if (head & TAP_TEXT_ABSENT)
		tap_interp_absent(interp, insn);
	if (head & TAP_TEXT_TRUNCATED)
		interp->flags |= TAP_F_TRUNCATED;
}

/* Runs a TAP_INSN_BYTES: appends an output of several words. */
void tap_interp_bytes(struct tap_interp *interp, const struct tap_insn *insn)
{
	bool absent = interp->fault;
	u64 *head;

	/* With fault set the address could not be computed: the output is absent. */
	interp->fault = false;
	interp->special = interp->probe->redact;
	if (insn->sub >= TAP_OP_BYTES && insn->sub <= TAP_OP_FIELD_BYTES) {
		tap_interp_plain_bytes(interp, insn, absent);
		return;
	}
	if (insn->sub >= TAP_OP_DIVISION) {
		tap_interp_noted(interp, insn, insn->sub == TAP_OP_DIVISION ?
				 tap_interp_division(interp, insn) :
				 tap_interp_wait_stack(interp, insn));
		return;
	}
	if (insn->sub >= TAP_OP_KSTACK && insn->sub <= TAP_OP_USTACK && insn->src) {
		tap_interp_noted(interp, insn, tap_interp_stack_id(interp, insn, absent));
		return;
	}
	head = tap_cursor_next(&interp->c);
	if (insn->sub == TAP_OP_USTACK_COPY)
		*head = tap_interp_stack(interp, insn);
	else if (insn->sub >= TAP_OP_PATH)
		*head = tap_interp_path(interp, insn);
	else if (insn->sub >= TAP_OP_JOIN)
		*head = tap_interp_join(interp, insn);
	else if (insn->sub >= TAP_OP_KSTACK)
		*head = tap_interp_stack(interp, insn);
	else if (insn->sub >= TAP_OP_FIELD_STRING)
		*head = tap_interp_field_text(interp, insn);
	else
		*head = tap_interp_memory_text(interp, insn);
	if (absent)
		*head |= TAP_TEXT_ABSENT;
	tap_interp_noted(interp, insn, *head);
}
NOKPROBE_SYMBOL(tap_interp_bytes);

/* Collects the value words on the stack, for the aggregation or the span. */
static noinline void
tap_event_aggregated(struct tap_interp *interp, const struct tap_part *part,
		     unsigned int trap)
{
	const struct tapmod_probe *probe = interp->probe;
	u64 words[TAP_MAX_AGG_WORDS] __uninitialized;

	interp->c.next = words;
	interp->c.end = words + probe->prog.words;
	tap_interp_run(interp, part, part->tests, part->end, false);
	tap_event_collected(probe, words, interp->absent, tap_context(trap) | interp->flags);
}
NOKPROBE_SYMBOL(tap_event_aggregated);

/* Counts or aggregates an event; false if its probe makes records. */
static __always_inline bool
tap_event_counted(struct tap_interp *interp, const struct tap_part *part,
		  unsigned int trap)
{
	const struct tapmod_probe *probe = interp->probe;

	if (likely(!probe->counts))
		return false;
	this_cpu_inc(probe->counters->aggregated);
	if (probe->collects)
		tap_event_aggregated(interp, part, trap);
	return true;
}

/* Records an event that has passed its tests. */
static __always_inline void tap_event_record(struct tap_interp *interp, unsigned int trap)
{
	const struct tapmod_probe *probe = interp->probe;
	const struct tap_part *part = &probe->prog.entry;
	struct tap_resv resv;

	this_cpu_inc(probe->counters->hits);
	if (tap_event_counted(interp, part, trap) ||
	    !tap_event_reserve(probe, &interp->c, &resv))
		return;
	tap_interp_run(interp, part, part->tests, part->end, false);
	tap_event_commit(interp, &resv, trap);
}

/**
 * tap_event_tested() - record an event whose tests tap_event_wanted() has run
 * @probe: a probe whose program is separable
 * @base: registers or arguments
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 */
void tap_event_tested(struct tapmod_probe *probe, const void *base,
		      unsigned int trap)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, base, trap);
	tap_event_record(&interp, trap);
}
NOKPROBE_SYMBOL(tap_event_tested);

/**
 * tap_event_program() - test and record an event with the interpreter
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 * Return: 0, the result of a handler.
 */
int tap_event_program(struct tapmod_probe *probe, const void *base,
		      unsigned int trap)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, base, trap);
	if (tap_event_passes(&interp, &probe->prog.entry))
		tap_event_record(&interp, trap);
	return 0;
}
NOKPROBE_SYMBOL(tap_event_program);

/**
 * tap_event_sample() - test and record an event that has data of its own
 * @probe: a probe whose environment has an event_size
 * @event: the event's data, the base of the program
 * @size: bytes at @event, at least event_size
 * @regs: registers of the event, for stacks; NULL: stacks begin at the caller of the handler
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 */
void tap_event_sample(struct tapmod_probe *probe, const void *event, u32 size,
		      struct pt_regs *regs, unsigned int trap)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, event, trap);
	interp.size = size;
	interp.regs = regs;
	if (tap_event_passes(&interp, &probe->prog.entry))
		tap_event_record(&interp, trap);
}
NOKPROBE_SYMBOL(tap_event_sample);

/**
 * tap_event_wanted() - run only the tests of an event
 * @probe: a probe whose program is separable
 * @base: registers or arguments
 *
 * Context: any, preemption off.
 * Return: true if the caller must call tap_event_tested() later; false if a test rejected
 *	the event, which is counted.
 */
bool tap_event_wanted(struct tapmod_probe *probe, const void *base)
{
	struct tap_interp interp __uninitialized;

	tap_interp_begin(&interp, probe, &probe->prog.entry, base, 0);
	return tap_event_passes(&interp, &probe->prog.entry);
}
NOKPROBE_SYMBOL(tap_event_wanted);
