/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ops of a program as short text, for tables of expected programs.
 *
 * A value that is appended to the record stands alone; a value in a register follows its name:
 * "a0" is argument 0, "r0=a0:4s" its lowest 4 bytes, signed, in register 0. R8 machine register
 * at offset 8, v return value, f8 field at offset 8, V1 variable 1, w2 word 2, #1 constant,
 * [r0+8] memory, u[r0+8] user memory; c the command name. Jumps end in ?X if they reject, else in
 * ?+N. str64, ustr64, bytes8, fbytes8, fstr8, loc64 are text and arrays, kstack9 and ustack9
 * "swap r1:2" reverses bytes; len512[r0+8] and ulen512 are lengths of text. kstack9, ustack9 are
 * stacks, with +1 at the start of a function; P1 is a counter, | the return.
 */
#ifndef _TEST_LIB_OP_TEXT_H
#define _TEST_LIB_OP_TEXT_H

#include <stdio.h>
#include <string.h>

#include <libtap.h>

static inline char *put_size(char *at, __u8 size)
{
	if ((size & 15) != 8)
		at += sprintf(at, ":%d", size & 15);
	if (size & TAP_OP_SIGNED)
		at += sprintf(at, "s");
	return at;
}

static inline char *put_operand(char *at, const struct tap_op *op)
{
	if (op->src == TAP_OP_IMM_SRC)
		return at + sprintf(at, "%lld", (long long)op->imm);
	return at + sprintf(at, "r%d", op->src);
}

static inline char *put_step(char *at, const struct tap_op *op,
			     const struct tap_spec *spec)
{
	static const char *const arithmetic[] = {
		"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
	};
	static const char *const jumps[] = {
		"", "==", "!=", "<", "<=", ">", ">=", "&",
	};
	const char *user = op->code == TAP_OP_LOAD_USER ||
			   op->code == TAP_OP_MATCH_USER ||
			   op->code == TAP_OP_STRING_USER ||
			   op->code == TAP_OP_JOIN_USER ||
			   op->code == TAP_OP_BYTES_USER ? "u" : "";
	bool is_signed = op->size & TAP_OP_SIGNED;

	if (op->code >= TAP_OP_ADD && op->code <= TAP_OP_SHR) {
		at += sprintf(at, "r%d%s%s", op->dst,
			      arithmetic[op->code - TAP_OP_ADD],
			      is_signed ? "s" : "");
		return put_operand(at, op);
	}
	if (op->code >= TAP_OP_JUMP && op->code <= TAP_OP_JSET) {
		if (op->code != TAP_OP_JUMP) {
			at += sprintf(at, "r%d%s%s", op->dst,
				      jumps[op->code - TAP_OP_JUMP],
				      is_signed ? "s" : "");
			at = put_operand(at, op);
		}
		return at + (op->off == TAP_OP_REJECT ? sprintf(at, "?X") :
			     sprintf(at, "?+%d", op->off));
	}
	if (op->dst != TAP_OP_OUT && op->code != TAP_OP_RETURN)
		at += sprintf(at, "r%d=", op->dst);
	switch (op->code) {
	case TAP_OP_ARG:
		return put_size(at + sprintf(at, "a%d", op->off), op->size);
	case TAP_OP_REG:
		return put_size(at + sprintf(at, "R%d", op->off), op->size);
	case TAP_OP_RETVAL:
		return put_size(at + sprintf(at, "v"), op->size);
	case TAP_OP_FIELD:
		return put_size(at + sprintf(at, "f%d", op->off), op->size);
	case TAP_OP_VAR:
		at += sprintf(at, "V%d", op->off);
		return op->imm ? at + sprintf(at, ".%llu",
					      (unsigned long long)op->imm) : at;
	case TAP_OP_IMM:
		return at + sprintf(at, "#%lld", (long long)op->imm);
	case TAP_OP_MOVE:
		return put_size(at + sprintf(at, "r%d", op->src), op->size);
	case TAP_OP_SWAP:
		return put_size(at + sprintf(at, "swap r%d", op->src), op->size);
	case TAP_OP_CAPTURED:
		return put_size(at + sprintf(at, "entry%d[r%d]", op->off, op->src), op->size);
	case TAP_OP_LOG2:
		return at + sprintf(at, "log2 r%d", op->src);
	case TAP_OP_LENGTH:
	case TAP_OP_LENGTH_USER:
		return at + sprintf(at, "%slen%d[r%d%+d]",
				    op->code == TAP_OP_LENGTH_USER ? "u" : "", (int)op->imm,
				    op->src, op->off);
	case TAP_OP_WORD:
		return put_size(at + sprintf(at, "w%d", op->off), op->size);
	case TAP_OP_LOAD:
	case TAP_OP_LOAD_USER:
		at += sprintf(at, "%s[r%d%+d]", user, op->src, op->off);
		return put_size(at, op->size);
	case TAP_OP_MATCH:
	case TAP_OP_MATCH_USER:
	case TAP_OP_MATCH_COMM:
	case TAP_OP_MATCH_FIELD:
	case TAP_OP_MATCH_DATA_LOC:
		at += sprintf(at, "%s\"%.*s\"", op->size ? "glob" : "is",
			      (int)(op->imm >> 16 & 0xffff),
			      (const char *)spec->data + (op->imm & 0xffff));
		if (op->code == TAP_OP_MATCH_COMM)
			return at + sprintf(at, "comm");
		if (op->code == TAP_OP_MATCH_FIELD)
			return at + sprintf(at, "f%d/%d", op->off,
					    (int)(op->imm >> 32));
		if (op->code == TAP_OP_MATCH_DATA_LOC)
			return at + sprintf(at, "loc%d", op->off);
		return at + sprintf(at, "%s[r%d%+d]", user, op->src, op->off);
	case TAP_OP_COMM:
		return at + sprintf(at, "c");
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
		return at + sprintf(at, "%s%s%d[r%d%+d]", user,
				    op->code <= TAP_OP_STRING_USER ? "str" :
				    "bytes", (int)op->imm, op->src, op->off);
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
		return at + sprintf(at, "%sjoin%d*%d[r%d%+d]", user, (int)(op->imm & 0xffff),
				    (int)(op->imm >> 16), op->src, op->off);
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		return at + sprintf(at, "%s%d*%d[r%d%+d]",
				    op->code == TAP_OP_PATH ? "path" : "dentry",
				    (int)(op->imm & 0xffff), (int)(op->imm >> 16), op->src, op->off);
	case TAP_OP_FIELD_BYTES:
		return at + sprintf(at, "fbytes%d@%d", (int)op->imm, op->off);
	case TAP_OP_FIELD_STRING:
		return at + sprintf(at, "fstr%d@%d", (int)op->imm, op->off);
	case TAP_OP_KSTACK:
		return at + sprintf(at, "kstack%d", (int)op->imm / 8);
	case TAP_OP_USTACK:
		at += sprintf(at, "ustack%d", (int)op->imm / 8);
		return op->off ? at + sprintf(at, "%+d", op->off) : at;
	case TAP_OP_USTACK_COPY:
		return at + sprintf(at, "ucopy%d", (int)op->imm);
	case TAP_OP_DATA_LOC:
		return at + sprintf(at, "loc%s%d@%d", op->size ? "str" : "",
				    (int)op->imm, op->off);
	case TAP_OP_PMU:
		return at + sprintf(at, "P%d", op->off);
	case TAP_OP_RETURN:
		return at + sprintf(at, "|");
	}
	return at + sprintf(at, "?");
}

/* All ops of a spec, separated by blanks. */
static inline void put_steps(char *at, const struct tap_spec *spec)
{
	unsigned int i;

	*at = '\0';
	for (i = 0; i < spec->nr_ops; i++) {
		if (i)
			*at++ = ' ';
		at = put_step(at, &spec->ops[i], spec);
	}
}

/*
 * All fields: NAME/FORMAT/WORD, then *COUNT, :FORMAT if another one says how much of the word is the
 * value, ! for the field of absent flags, - for a hidden field, < for the bytes at the entry of a
 * difference.
 */
static inline void put_fields(char *at, const struct tap_spec *spec)
{
	const struct tap_field *f;
	unsigned int i;

	*at = '\0';
	for (i = 0; i < spec->nr_fields; i++) {
		f = &spec->fields[i];
		at += sprintf(at, "%s%s/%d/%u", i ? " " : "", f->name,
			      (int)f->format, f->word);
		if (f->count)
			at += sprintf(at, "*%u", f->count);
		else if (f->element && f->format != TAP_FMT_DATA)
			at += sprintf(at, ":%d", (int)f->element);
		if (f->flags & TAP_FIELD_F_ABSENT)
			at += sprintf(at, "!");
		if (f->flags & TAP_FIELD_F_HIDDEN)
			at += sprintf(at, "-");
		if (f->flags & TAP_FIELD_F_OLD)
			at += sprintf(at, "<");
	}
}

#endif /* _TEST_LIB_OP_TEXT_H */
