// SPDX-License-Identifier: GPL-2.0
/* The model of programs, second part: see program_runner.h. */
#include "selftests/module/program_arith.h"
#include "selftests/module/program_runner.h"

/**
 * struct model_run - the state of a program that runs
 * @prog: the program
 * @hit: its input
 * @out: its outcome so far
 * @reg: registers
 * @outputs: number of outputs so far
 * @absent: bit n is set if output n is absent
 * @absent_open: further outputs may be absent
 * @mark: memory could not be read since the last output
 * @lost: the outcome depends on something unknown
 */
struct model_run {
	const struct model_program *prog;
	const struct model_hit *hit;
	struct model_record *out;
	struct model_value reg[TAP_NR_REGISTERS];
	unsigned int outputs;
	__u64 absent;
	bool absent_open;
	bool mark;
	bool lost;
};

/* A byte of memory: its value; -1: it cannot be read; -2: unknown. */
static int model_byte(const struct model_hit *hit, bool user, __u64 at)
{
	__u64 user_at = (uintptr_t)hit->user;

	if (!user) {
		if (at - hit->kernel_at < hit->kernel_len)
			return hit->kernel[at - hit->kernel_at];
		if (at - hit->kernel_at - hit->kernel_len < MODEL_PAGE)
			return -1;
		/* User memory, and addresses that are not canonical on any CPU. */
		return at < 0xff00000000000000ULL ? -1 : -2;
	}
	if (at - user_at < hit->user_len)
		return hit->user[at - user_at];
	if (at - user_at - hit->user_len < MODEL_PAGE || user_at - at <= MODEL_PAGE)
		return -1;
	return at < MODEL_PAGE || at >= 0x0100000000000000ULL ? -1 : -2;
}

/*
 * Whether an operation reads user memory: because it says so, or by the address, which is in the
 * lower half on any CPU.
 */
static bool model_user(const struct model_run *run, bool user, __u64 at)
{
	return user || (run->prog->flags & TAP_CREATE_F_USER &&
			at >= TAP_USER_MIN && at < 0x0100000000000000ULL);
}

/* What was read there sets a flag, unless the operation is for user memory. */
static void model_flag_user(struct model_run *run, bool user, __u64 at)
{
	if (!user && model_user(run, user, at))
		run->out->flags |= TAP_F_USER;
}

/* Reads some bytes. Returns 1; 0: they cannot be read; -1: unknown. */
static int model_read(const struct model_hit *hit, bool user, __u64 at,
		      unsigned char *to, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++) {
		int byte = model_byte(hit, user, at + i);

		if (byte < 0)
			return byte == -1 ? 0 : -1;
		to[i] = byte;
	}
	return 1;
}

static __u64 model_resize(__u64 value, __u8 size)
{
	unsigned int unused = 64 - 8 * (size & 15);

	if (size & TAP_OP_SIGNED)
		return (__u64)((__s64)(value << unused) >> unused);
	return value << unused >> unused;
}

static struct model_value model_var(const struct model_run *run,
				    const struct tap_op *op)
{
	const struct model_hit *hit = run->hit;
	struct model_value value = { .known = true };

	switch (op->off) {
	case TAP_VAR_TGID:
	case TAP_VAR_TID:
		value.v = hit->tgid;
		break;
	case TAP_VAR_CPU:
		value.v = hit->cpu;
		break;
	case TAP_VAR_UID:
	case TAP_VAR_INSIDE: /* No probe has a frame. */
	case TAP_VAR_ENCLOSED: /* Nor is there another one. */
		break;
	case TAP_VAR_CGROUP:
		value.v = hit->cgroup;
		value.known = hit->cgroup && !op->imm;
		break;
	case TAP_VAR_COMM:
		memcpy(&value.v, hit->comm + 8 * op->imm, 8);
		break;
	case TAP_VAR_FOLLOWED:
		value.v = hit->followed;
		break;
	case TAP_VAR_ABSENT:
		value.v = run->absent;
		value.known = !run->absent_open;
		break;
	default:
		value.known = false;
	}
	return value;
}

static struct model_value model_fetch(struct model_run *run,
				      const struct tap_op *op)
{
	struct model_value value = { .known = true };
	bool user = op->code == TAP_OP_LOAD_USER;
	unsigned char bytes[8] = {};
	int ret;

	switch (op->code) {
	case TAP_OP_ARG:
		value.v = run->hit->arg[op->off];
		break;
	case TAP_OP_RETVAL:
		value.v = run->hit->retval;
		break;
	case TAP_OP_VAR:
		value = model_var(run, op);
		break;
	case TAP_OP_IMM:
		value.v = op->imm;
		break;
	case TAP_OP_MOVE:
		value = run->reg[op->src];
		break;
	case TAP_OP_SWAP:
		value = run->reg[op->src];
		memcpy(bytes, &value.v, 8);
		value.v = 0;
		for (ret = 0; ret < (op->size & 15); ret++)
			value.v = value.v << 8 | bytes[ret];
		break;
	case TAP_OP_LOG2:
		value = run->reg[op->src];
		for (ret = 0; value.v > 1; ret++)
			value.v >>= 1;
		value.v = ret;
		break;
	case TAP_OP_WORD:
		value = run->out->word[op->off];
		break;
	case TAP_OP_LOAD:
	case TAP_OP_LOAD_USER:
		value = run->reg[op->src];
		value.v += (__s64)op->off;
		ret = value.known ? model_read(run->hit, model_user(run, user, value.v), value.v,
					       bytes, op->size & 15) : -1;
		run->lost |= ret < 0;
		if (ret > 0)
			model_flag_user(run, user, value.v);
		run->mark |= !ret;
		if (ret <= 0)
			memset(bytes, 0, sizeof(bytes));
		memcpy(&value.v, bytes, 8);
		break;
	default:
		value.known = false;
	}
	value.v = model_resize(value.v, op->size);
	return value;
}

/* The way in which a string ends. */
enum model_end { END_ZERO, END_LIMIT, END_UNREADABLE, END_UNKNOWN };

/* Reads a string up to its final 0, or up to a limit. */
static enum model_end model_text(const struct model_hit *hit, bool user,
				 __u64 at, unsigned int limit,
				 unsigned char *text, unsigned int *len)
{
	for (*len = 0; *len < limit; ++*len) {
		int byte = model_byte(hit, user, at + *len);

		if (byte < 0)
			return byte == -1 ? END_UNREADABLE : END_UNKNOWN;
		if (!byte)
			return END_ZERO;
		text[*len] = byte;
	}
	return END_LIMIT;
}

static void model_match(struct model_run *run, const struct tap_op *op)
{
	const unsigned char *data = run->prog->data + (op->imm & 0xffff);
	unsigned int wanted = op->imm >> 16 & 0xffff, len;
	struct model_value *to = &run->reg[op->dst];
	unsigned char text[TAP_MAX_PATTERN + 1] = {};
	__u64 at = run->reg[op->src].v + (__s64)op->off;
	char pattern[TAP_MAX_PATTERN + 1] = {};
	bool user = op->code == TAP_OP_MATCH_USER;
	enum model_end end = END_ZERO;

	if (op->code == TAP_OP_MATCH_COMM) {
		memcpy(text, run->hit->comm, TAP_COMM_LEN);
		len = strlen((char *)text);
	} else if (run->reg[op->src].known) {
		end = model_text(run->hit, model_user(run, user, at), at, TAP_MAX_PATTERN, text,
				 &len);
		if (end == END_ZERO || end == END_LIMIT)
			model_flag_user(run, user, at);
	} else {
		end = END_UNKNOWN;
		len = 0;
	}
	*to = (struct model_value){ .known = true };
	memcpy(pattern, data, wanted);
	/* Unknown: a mismatch may have been seen before the unreadable end. */
	if (end == END_UNKNOWN || (end == END_UNREADABLE && len)) {
		run->lost = true;
	} else if (end == END_UNREADABLE) {
		run->mark = true;
	} else if (op->size & TAP_OP_GLOB) {
		text[len] = 0;
		to->v = !fnmatch(pattern, (char *)text, 0);
	} else {
		to->v = len == wanted && !memcmp(text, data, len);
		to->known = end == END_ZERO || len != wanted;
	}
}

static void model_length(struct model_run *run, const struct tap_op *op)
{
	struct model_value *to = &run->reg[op->dst], at = run->reg[op->src];
	bool user = op->code == TAP_OP_LENGTH_USER;
	unsigned char text[TAP_MAX_STRING];
	enum model_end end = END_UNKNOWN;
	unsigned int len = 0;

	at.v += (__s64)op->off;
	if (at.known)
		end = model_text(run->hit, model_user(run, user, at.v), at.v, op->imm, text, &len);
	if (end == END_ZERO || end == END_LIMIT)
		model_flag_user(run, user, at.v);
	run->lost |= end == END_UNKNOWN;
	run->mark |= end == END_UNREADABLE;
	*to = (struct model_value){ .v = end == END_UNREADABLE ? 0 : len, .known = true };
}

static void model_append(struct model_run *run, __u64 v, bool known)
{
	run->out->word[run->out->nr_words++] = (struct model_value){ v, known };
}

static void model_append_bytes(struct model_run *run,
			       const unsigned char *bytes,
			       unsigned int len, bool known)
{
	unsigned int i;

	for (i = 0; i < len; i += 8) {
		__u64 word = 0;

		memcpy(&word, bytes + i, len - i < 8 ? len - i : 8);
		model_append(run, word, known);
	}
}

static void model_string(struct model_run *run, const struct tap_op *op)
{
	bool user = op->code == TAP_OP_STRING_USER, known = !run->mark;
	struct model_value at = run->reg[op->src];
	unsigned char text[TAP_MAX_STRING + 1];
	enum model_end end = END_UNKNOWN;
	unsigned int len = 0;
	__u64 flags = 0;

	at.v += (__s64)op->off;
	if (at.known)
		end = model_text(run->hit, model_user(run, user, at.v), at.v, op->imm + 1, text,
				 &len);
	if (end == END_ZERO || end == END_LIMIT)
		model_flag_user(run, user, at.v);
	run->lost |= end == END_UNKNOWN;
	if (end == END_UNREADABLE) {
		/* The text does not define how much of it is output. */
		known &= !len;
		flags = TAP_TEXT_ABSENT;
		run->mark = true;
		/* The whole string fits, but without its final 0. */
		if (len == op->imm)
			run->lost = true;
	} else if (end == END_LIMIT) {
		len = op->imm;
		flags = TAP_TEXT_TRUNCATED;
		/* The text does not define whether an absent string is truncated as well. */
		run->lost |= run->mark;
		run->out->flags |= TAP_F_TRUNCATED;
	}
	memset(text + len, 0, sizeof(text) - len);
	model_append(run, len | flags, known);
	model_append_bytes(run, text, op->imm, known);
}

/* Joined texts: byte by byte, up to the first that does not fit. */
static void model_join(struct model_run *run, const struct tap_op *op)
{
	unsigned int limit = op->imm & 0xffff, most = op->imm >> 16, len = 0, n, i;
	bool user = op->code == TAP_OP_JOIN_USER, known = !run->mark;
	struct model_value at = run->reg[op->src];
	unsigned char text[2 * TAP_MAX_STRING + 2];
	__u64 flags = 0, pointer;
	__u32 before = run->out->flags;
	int ret;

	at.v += (__s64)op->off;
	run->lost |= !at.known;
	for (i = 0; at.known && !flags; i++) {
		enum model_end end;

		ret = model_read(run->hit, model_user(run, user, at.v), at.v + 8 * i,
				 (unsigned char *)&pointer, 8);
		run->lost |= ret < 0;
		if (ret <= 0)
			flags = TAP_TEXT_ABSENT;
		else if (pointer && (i == most || (i && len == limit)))
			flags = TAP_TEXT_TRUNCATED;
		if (flags || !pointer)
			break;
		if (i)
			text[len++] = ' ';
		end = model_text(run->hit, model_user(run, user, pointer), pointer,
				 limit - len + 1, text + len, &n);
		model_flag_user(run, user, pointer);
		run->lost |= end == END_UNKNOWN;
		len += n;
		if (end == END_UNREADABLE || end == END_UNKNOWN)
			flags = TAP_TEXT_ABSENT;
		else if (len > limit)
			flags = TAP_TEXT_TRUNCATED;
		if (len > limit)
			len = limit;
	}
	model_flag_user(run, user, at.v);
	if (flags == TAP_TEXT_ABSENT) {
		/* What precedes is output as far as whole pages could be read. */
		known &= !len;
		run->lost |= len == limit;
		run->mark = true;
		run->out->flags = before;
	} else if (flags) {
		run->lost |= run->mark;
		run->out->flags |= TAP_F_TRUNCATED;
	}
	memset(text + len, 0, sizeof(text) - len);
	model_append(run, len | flags, known);
	model_append_bytes(run, text, limit, known);
}

static void model_bytes(struct model_run *run, const struct tap_op *op)
{
	unsigned char bytes[TAP_MAX_STRING] = {};
	struct model_value at = run->reg[op->src];
	bool user = op->code == TAP_OP_BYTES_USER, known = !run->mark;
	int ret = -1;

	at.v += (__s64)op->off;
	if (at.known)
		ret = model_read(run->hit, model_user(run, user, at.v), at.v, bytes, op->imm);
	/* Nothing is read for an output that is absent in any case. */
	if (ret > 0 && known)
		model_flag_user(run, user, at.v);
	run->lost |= ret < 0;
	run->mark |= !ret;
	/* If only a part can be read, the text does not define the output. */
	model_append_bytes(run, bytes, op->imm, known && ret > 0);
}

static void model_stack(struct model_run *run, const struct tap_op *op)
{
	struct model_stack *stack = &run->out->stack[run->out->nr_stacks++];
	unsigned int i;

	*stack = (struct model_stack){
		.word = run->out->nr_words,
		.frames = op->imm / 8,
		.user = op->code == TAP_OP_USTACK,
		.marked = run->mark,
		.stored = op->size,
	};
	for (i = model_words(op); i; i--)
		model_append(run, 0, false);
	/* The end of a user stack may be unreadable. */
	run->absent_open |= stack->user;
}

const char *model_stack_fits(const struct model_stack *stack, const __u64 *words)
{
	const __u64 *at = words + 1;
	unsigned int i, nr = (at[-1] & TAP_TEXT_LEN) / 8;
	bool cut = at[-1] & TAP_TEXT_TRUNCATED, absent = at[-1] & TAP_TEXT_ABSENT;

	if (at[-1] & ~(TAP_TEXT_TRUNCATED | TAP_TEXT_ABSENT | 0x3f8ULL))
		return "a word that no stack begins with";
	if (!nr || nr > stack->frames || (cut && nr < stack->frames))
		return "a stack of another length";
	if (stack->marked && !absent)
		return "a stack that is there, must be absent";
	if (!stack->user && (cut ? stack->frames > 30 : stack->frames < 4))
		return "a stack that is cut, or is not";
	if (!stack->user && absent != stack->marked)
		return "a stack that is absent";
	for (i = 0; i < nr; i++)
		if (!at[i] || (stack->user ? at[i] >> 47 : at[i] >> 47 != 0x1ffff))
			return "a stack with another address";
	for (; i < stack->frames; i++)
		if (at[i])
			return "a stack with more than its length";
	return NULL;
}

/* Appends an output, which takes the mark. */
static void model_output(struct model_run *run, const struct tap_op *op)
{
	bool before = run->mark;
	struct model_value value;
	unsigned int i;
	__u64 comm[2];

	switch (op->code) {
	case TAP_OP_COMM:
		memcpy(comm, run->hit->comm, sizeof(comm));
		model_append(run, comm[0], !before);
		model_append(run, comm[1], !before);
		break;
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
		model_string(run, op);
		break;
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
		model_bytes(run, op);
		break;
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
		model_join(run, op);
		break;
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		/* What looks like a file in random memory depends on the kernel's structures. */
		run->lost = true;
		for (i = model_words(op); i; i--)
			model_append(run, 0, false);
		break;
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
		model_stack(run, op);
		break;
	case TAP_OP_USTACK_COPY:
		for (i = model_words(op); i; i--)
			model_append(run, 0, false);
		run->absent_open = true;
		break;
	default:
		value = model_fetch(run, op);
		model_append(run, before ? 0 : value.v, before || value.known);
	}
	if (run->mark) {
		run->absent |= 1ULL << run->outputs;
		run->out->flags |= TAP_F_ABSENT;
	}
	run->mark = false;
	run->outputs++;
}

/* Returns 1: in the part with the tests; 0: behind an output; -1: the text does not define it. */
static int model_in_tests(const struct model_program *prog, unsigned int at)
{
	unsigned int i;

	for (i = at; i < prog->nr_ops && prog->ops[i].code != TAP_OP_RETURN; i++)
		if (model_is_jump(&prog->ops[i]) &&
		    prog->ops[i].off == TAP_OP_REJECT)
			return 1;
	for (i = at; i-- && prog->ops[i].code != TAP_OP_RETURN;)
		if (model_is_output(&prog->ops[i]))
			return 0;
	return -1;
}

/* A jump: returns the number of ops to skip; -1: it decides the fate of the event. */
static int model_jump(struct model_run *run, unsigned int at)
{
	const struct tap_op *op = &run->prog->ops[at];
	struct model_value a = run->reg[op->dst], b = { .v = op->imm, .known = true };

	if (run->mark) {
		int in_tests = model_in_tests(run->prog, at);

		if (in_tests > 0) {
			run->out->fate = MODEL_LOST;
			return -1;
		}
		run->lost |= in_tests < 0;
	}
	if (op->code == TAP_OP_JUMP)
		a.known = true;
	else if (op->src != TAP_OP_IMM_SRC)
		b = run->reg[op->src];
	run->lost |= !a.known || !b.known;
	if (!op_jumps(op, a.v, b.v))
		return 0;
	if (op->off != TAP_OP_REJECT)
		return op->off;
	run->out->fate = MODEL_FILTERED;
	return -1;
}

static void model_step(struct model_run *run, const struct tap_op *op)
{
	struct model_value a, b = { .v = op->imm, .known = true };

	if (model_is_output(op)) {
		model_output(run, op);
	} else if (op->code == TAP_OP_RETURN) {
		memset(run->reg, 0, sizeof(run->reg));
		for (b.v = 0; b.v < TAP_NR_REGISTERS; b.v++)
			run->reg[b.v].known = true;
		/* The text does not define whether the mark stays. */
		run->lost |= run->mark;
	} else if (op->code >= TAP_OP_MATCH && op->code <= TAP_OP_MATCH_COMM) {
		model_match(run, op);
	} else if (op->code == TAP_OP_LENGTH || op->code == TAP_OP_LENGTH_USER) {
		model_length(run, op);
	} else if (op->code >= TAP_OP_ADD && op->code <= TAP_OP_SHR) {
		a = run->reg[op->dst];
		if (op->src != TAP_OP_IMM_SRC)
			b = run->reg[op->src];
		a.known &= b.known;
		a.v = op_calculate(op, a.v, b.v);
		run->reg[op->dst] = a;
	} else {
		run->reg[op->dst] = model_fetch(run, op);
	}
}

void model_execute(const struct model_program *prog, const struct model_hit *hit,
		   struct model_record *out)
{
	struct model_run run = { .prog = prog, .hit = hit, .out = out };
	unsigned int i;
	int skip;

	out->fate = MODEL_WRITTEN;
	out->nr_words = 0;
	out->flags = 0;
	out->nr_stacks = 0;
	for (i = 0; i < TAP_NR_REGISTERS; i++)
		run.reg[i].known = true;
	if (prog->type == TAP_PROBE_CALL) {
		model_append(&run, 0, false);
		model_append(&run, hit->retval, true);
	}
	for (i = 0; i < prog->nr_ops && !run.lost; i++) {
		if (!model_is_jump(&prog->ops[i])) {
			model_step(&run, &prog->ops[i]);
			continue;
		}
		skip = model_jump(&run, i);
		if (run.lost || skip < 0)
			break;
		i += skip;
	}
	if (run.lost)
		out->fate = MODEL_UNKNOWN;
}
