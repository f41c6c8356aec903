// SPDX-License-Identifier: GPL-2.0
/*
 * Joined texts: TAP_OP_JOIN and TAP_OP_JOIN_USER. The rules of handler.h hold.
 */
#include <linux/kprobes.h>
#include <linux/string.h>

#include "exec/join.h"

/* Texts are joined in pieces of this size: most texts have one. */
#define TAP_PIECE	64

/* A text in the making: @fill bytes of @buffer are not appended yet, @done bytes are its length. */
struct tap_joined {
	u64 buffer[TAP_CHUNK_WORDS + TAP_PIECE / sizeof(u64)];
	size_t fill;
	size_t done;
	size_t words;
	u32 flags;
};

/* Takes bytes that are in the buffer; appends those of a whole chunk. */
static void tap_interp_joined(struct tap_interp *interp, struct tap_joined *text, size_t bytes)
{
	text->fill += bytes;
	text->done += bytes;
	if (text->fill < TAP_CHUNK)
		return;
	text->words -= tap_interp_append_bytes(interp, text->buffer, TAP_CHUNK);
	text->fill -= TAP_CHUNK;
	memcpy(text->buffer, text->buffer + TAP_CHUNK_WORDS, text->fill);
}
NOKPROBE_SYMBOL(tap_interp_joined);

/* Adds the text at an address; returns TAP_TEXT_* if it is not all of it. */
static u64 tap_interp_join_text(struct tap_interp *interp, struct tap_joined *text,
				struct tap_source at, size_t room)
{
	bool ended = false, fault = false;
	size_t n;
	u64 rest;

	while (text->done < room && !ended && !fault) {
		n = tap_interp_copy_text((u8 *)text->buffer + text->fill, at.from,
					 min_t(size_t, room - text->done, TAP_PIECE), at.user,
					 &ended, &fault);
		tap_interp_joined(interp, text, n);
		at.from += n;
	}
	rest = tap_interp_text_rest(at.from, at.user, ended, fault);
	if (rest != TAP_TEXT_ABSENT)
		text->flags |= at.flags;
	return rest;
}
NOKPROBE_SYMBOL(tap_interp_join_text);

/* Appends the texts of an array with blanks between them; returns their TAP_TEXT_* word. */
u64 tap_interp_join(struct tap_interp *interp, const struct tap_insn *insn)
{
	u64 at = interp->reg[insn->src] + insn->off, from, flags = 0;
	bool user = insn->sub == TAP_OP_JOIN_USER;
	struct tap_source array = tap_interp_source(interp, at, user);
	size_t room = (u16)insn->imm, i;
	struct tap_joined text __uninitialized;

	text.fill = 0;
	text.done = 0;
	text.words = DIV_ROUND_UP(room, sizeof(u64));
	text.flags = array.flags;
	for (i = 0; !flags; i++, at += sizeof(from)) {
		if (!tap_interp_read(&from, at, sizeof(from), array.user)) {
			flags = TAP_TEXT_ABSENT;
			break;
		}
		if (!from)
			break;
		if (i == insn->imm >> 16 || (i && text.done == room)) {
			flags = TAP_TEXT_TRUNCATED;
			break;
		}
		if (i) {
			((u8 *)text.buffer)[text.fill] = ' ';
			tap_interp_joined(interp, &text, 1);
		}
		flags = tap_interp_join_text(interp, &text, tap_interp_source(interp, from, user),
					     room);
	}
	if (flags != TAP_TEXT_ABSENT)
		interp->flags |= text.flags;
	if (text.fill)
		text.words -= tap_interp_append_bytes(interp, text.buffer, text.fill);
	tap_interp_append_zeros(interp, text.words);
	return text.done | flags;
}
NOKPROBE_SYMBOL(tap_interp_join);
