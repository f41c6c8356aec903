/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The cost model of programs: how many instructions a program takes at an event at most. The
 * module refuses a program over TAP_MAX_COST; libtap, which has this same copy, tells the user
 * the number.
 *
 * The model adds up all operations of a part, those that a jump skips included, each with its
 * worst input: text without an end, globs that almost match everywhere, addresses that cannot
 * be read. selftests/bench/program-cost compares it with counted instructions, of amd64.
 */
#ifndef _TAPMOD_COMMON_PROGRAM_COST_H
#define _TAPMOD_COMMON_PROGRAM_COST_H

#include <linux/tap.h>

/* A record with its head and counters, the program's start and end. */
#define TAP_COST_EVENT		300
/* A fault, and the kernel's search for the place where to go on. */
#define TAP_COST_FAULT		620
#define TAP_COST_FAULT_USER	1050
/* Finding out that an address of the kernel's is one of user memory. */
#define TAP_COST_RECOGNIZE	50
/* A frame of a stack, and a word of its room. */
#define TAP_COST_FRAME		640
#define TAP_COST_FRAME_USER	260
#define TAP_COST_ZERO		8
/*
 * A stack that is stored in the table of stacks: places that are tried, different stacks of the
 * same hash that are compared with it, and instructions.
 */
#define TAP_STACK_TRIES		64
#define TAP_STACK_OTHERS	2
#define TAP_COST_STORE		(150 + 12 * TAP_STACK_TRIES)
#define TAP_COST_STORE_WORD	(7 + 5 * TAP_STACK_OTHERS)
/* A word that is copied to the record of a call's return. */
#define TAP_COST_COPY		12

/**
 * tap_cost_element() - cost of comparing a character with an element of a glob
 * @p: the element; moves behind it
 * @end: end of the glob
 *
 * Return: instructions.
 */
static inline __u32 tap_cost_element(const __u8 **p, const __u8 *end)
{
	const __u8 *at = *p + 1, *set;
	__u32 cost = 48;

	if (**p == '\\' && at < end) {
		*p = at + 1;
		return 40;
	}
	*p = at;
	if (at[-1] != '[')
		return 32;
	if (at < end && (*at == '!' || *at == '^'))
		at++;
	for (set = at; at < end && (*at != ']' || at == set); at++) {
		cost += 15;
		if (at + 2 < end && at[1] == '-' && at[2] != ']')
			at += 2;
	}
	if (at < end)
		*p = at + 1;
	return cost;
}

/*
 * How many characters of a word are compared with each character of a text at most, beside
 * those that differ. At a character of the text all those starts of the word are under
 * comparison that end there: the longest, and its borders (starts of it that are ends of it).
 * border[i] is the longest border of the first i characters, depth[i] their number plus one.
 */
static inline __u32 tap_cost_overlap(const __u8 *word, __u32 len)
{
	__u8 border[TAP_MAX_PATTERN + 1], depth[TAP_MAX_PATTERN + 1];
	__u32 i, k = 0, most = 1;

	depth[0] = 0;
	depth[1] = 1;
	border[1] = 0;
	for (i = 2; i <= len; i++) {
		while (k && word[k] != word[i - 1])
			k = border[k];
		if (word[k] == word[i - 1])
			k++;
		border[i] = k;
		depth[i] = depth[k] + 1;
		if (depth[i] > most)
			most = depth[i];
	}
	return most;
}

/**
 * tap_cost_glob() - cost of tap_glob()
 * @p: the glob
 * @len: bytes of the glob, at most %TAP_MAX_PATTERN
 * @text: bytes of the longest text
 *
 * Characters before the first star, and behind the last, are compared once. Those between two
 * stars are looked for, at each place of the text in the worst case; but all of them
 * together go through the text once.
 *
 * Return: instructions.
 */
static inline __u32 tap_cost_glob(const __u8 *p, __u32 len, __u32 text)
{
	const __u8 *end = p + len, *start = p;
	__u32 cost = 60, search = 0;

	for (; p < end && *p != '*' && *p != '?' && *p != '[' && *p != '\\'; p++)
		cost += 15;
	while (p < end && *p != '*')
		cost += tap_cost_element(&p, end);
	while (p < end) {
		__u32 place = 0, rest = 0, all = 0;

		/* Behind the star: ordinary characters, then other elements. */
		for (start = ++p; p < end && *p != '*' && *p != '?' && *p != '[' && *p != '\\'; p++)
			all += 45;
		if (p > start)
			place = 12 + 7 * tap_cost_overlap(start, p - start);
		while (p < end && *p != '*')
			rest += tap_cost_element(&p, end);
		cost += 60 + all + 2 * rest;
		if (rest)
			place += 40 + rest;
		if (p < end && place > search)
			search = place;
	}
	return cost + search * text;
}

/* Cost of matching a text of at most @text bytes, which is already there. */
static inline __u32 tap_cost_pattern(const struct tap_op *op, const __u8 *data, __u32 text)
{
	__u32 len = op->imm >> 16 & 0xffff;

	if (text > TAP_MAX_PATTERN)
		text = TAP_MAX_PATTERN;
	if (op->size & TAP_OP_GLOB)
		return tap_cost_glob(data + (op->imm & 0xffff), len, text);
	return 30 + len;
}

/* Words of an output of op->imm bytes; joined texts have more than their length there. */
static inline __u32 tap_cost_words(const struct tap_op *op)
{
	__u64 bytes = op->code >= TAP_OP_JOIN ? op->imm & 0xffff : op->imm;

	if (op->code == TAP_OP_DIVISION)
		bytes = op->off ? TAP_COMM_LEN : sizeof(struct tap_division);
	return (bytes + 7) / 8;
}

/* Cost of joining texts, where one of them takes @text instructions and 64 bytes that are read. */
static inline __u32 tap_cost_join(const struct tap_op *op, __u32 text)
{
	return 400 + 34 * tap_cost_words(op) + text * ((op->imm >> 16 & 0xffff) + 1);
}

/* Cost of storing a stack in the table of stacks, without the walk. */
static inline __u32 tap_cost_store(const struct tap_op *op)
{
	return op->size ? TAP_COST_STORE + TAP_COST_STORE_WORD * (1 + tap_cost_words(op)) : 0;
}

/**
 * tap_kernel_op_cost() - cost of an operation on kernel memory
 * @op: a valid operation
 * @next: the operation that follows it; NULL if there is none
 * @data: the program's patterns
 *
 * Return: instructions, without %TAP_CREATE_F_USER.
 */
static inline __u32 tap_kernel_op_cost(const struct tap_op *op, const struct tap_op *next,
				       const __u8 *data)
{
	__u32 words = tap_cost_words(op);

	if (op->code >= TAP_OP_ADD && op->code <= TAP_OP_SHR)
		return 102;
	if (op->code >= TAP_OP_JUMP && op->code <= TAP_OP_JSET)
		return 42;
	switch (op->code) {
	case TAP_OP_ARG:
	case TAP_OP_REG:
	case TAP_OP_RETVAL:
	case TAP_OP_FIELD:
		return 40;
	case TAP_OP_VAR:
		return op->off == TAP_VAR_CGROUP ? 125 :
		       op->off == TAP_VAR_TIME ? 220 :
		       op->off == TAP_VAR_INSIDE ? 180 :
		       op->off == TAP_VAR_DIVISION ? 180 :
		       op->off == TAP_VAR_TRIGGER || op->off == TAP_VAR_GATE ||
		       op->off == TAP_VAR_ENCLOSED ? 600 :
		       op->off == TAP_VAR_TGID ? 40 : 112;
	case TAP_OP_IMM:
	case TAP_OP_MOVE:
	case TAP_OP_WORD:
	case TAP_OP_SWAP:
	case TAP_OP_LOG2:
		return 86;
	case TAP_OP_PMU:
		return 230;
	case TAP_OP_CAPTURED:
		return 900;
	case TAP_OP_LOAD:
		/*
		 * If it faults, its value is 0; then a load from there fails at once, without a
		 * fault: in a chain of loads only one faults.
		 */
		if (next && next->code == TAP_OP_LOAD && next->src == op->dst && next->off >= 0)
			return 125;
		return 125 + TAP_COST_FAULT;
	case TAP_OP_LOAD_USER:
		return 210 + TAP_COST_FAULT_USER;
	case TAP_OP_MATCH:
		return 900 + TAP_COST_FAULT + tap_cost_pattern(op, data, TAP_MAX_PATTERN);
	case TAP_OP_MATCH_USER:
		return 980 + TAP_COST_FAULT_USER + tap_cost_pattern(op, data, TAP_MAX_PATTERN);
	case TAP_OP_MATCH_COMM:
		return 220 + tap_cost_pattern(op, data, TAP_COMM_LEN);
	case TAP_OP_MATCH_FIELD:
		return 500 + tap_cost_pattern(op, data, op->imm >> 32);
	case TAP_OP_MATCH_DATA_LOC:
		return 500 + tap_cost_pattern(op, data, TAP_MAX_PATTERN);
	case TAP_OP_LENGTH:
		return 420 + 34 * words + TAP_COST_FAULT;
	case TAP_OP_LENGTH_USER:
		return 510 + 34 * words + TAP_COST_FAULT_USER;
	case TAP_OP_COMM:
		return 60;
	case TAP_OP_STRING:
		return 420 + 34 * words + TAP_COST_FAULT;
	case TAP_OP_STRING_USER:
		return 510 + 34 * words + TAP_COST_FAULT_USER;
	case TAP_OP_BYTES:
		return 230 + 23 * words + TAP_COST_FAULT;
	case TAP_OP_BYTES_USER:
		return 280 + 25 * words + TAP_COST_FAULT_USER;
	case TAP_OP_JOIN:
		return tap_cost_join(op, 350) + TAP_COST_FAULT;
	case TAP_OP_JOIN_USER:
		return tap_cost_join(op, 500) + TAP_COST_FAULT_USER;
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		return 700 + 34 * words + 240 * (op->imm >> 16 & 0xffff) + TAP_COST_FAULT;
	case TAP_OP_FIELD_BYTES:
		return 230 + 18 * words;
	case TAP_OP_FIELD_STRING:
	case TAP_OP_DATA_LOC:
		return 240 + 30 * words;
	case TAP_OP_KSTACK:
		return 300 + (TAP_COST_ZERO + TAP_COST_FRAME) * words + tap_cost_store(op);
	case TAP_OP_USTACK:
		return 300 + (TAP_COST_ZERO + TAP_COST_FRAME_USER) * words + tap_cost_store(op);
	case TAP_OP_USTACK_COPY:
		return 700 + 34 * words + TAP_COST_FAULT_USER;
	case TAP_OP_DIVISION:
		return 600;
	case TAP_OP_WAIT_STACK:
		return 200 + 30 * words + tap_cost_store(op);
	default:
		return 0;
	}
}

/* The operation that reads the same of user memory; 0 if @code reads no kernel memory. */
static inline __u8 tap_op_of_user(__u8 code)
{
	switch (code) {
	case TAP_OP_LOAD:
		return TAP_OP_LOAD_USER;
	case TAP_OP_MATCH:
		return TAP_OP_MATCH_USER;
	case TAP_OP_LENGTH:
		return TAP_OP_LENGTH_USER;
	case TAP_OP_STRING:
		return TAP_OP_STRING_USER;
	case TAP_OP_BYTES:
		return TAP_OP_BYTES_USER;
	case TAP_OP_JOIN:
		return TAP_OP_JOIN_USER;
	default:
		return 0;
	}
}

/**
 * tap_op_cost() - cost of an operation
 * @op: a valid operation
 * @next: the operation that follows it; NULL if there is none
 * @data: the program's patterns
 * @flags: TAP_CREATE_F_* of its probe
 *
 * Return: instructions.
 */
static inline __u32 tap_op_cost(const struct tap_op *op, const struct tap_op *next,
				const __u8 *data, __u32 flags)
{
	struct tap_op user = *op;

	user.code = flags & TAP_CREATE_F_USER ? tap_op_of_user(op->code) : 0;
	if (!user.code)
		return tap_kernel_op_cost(op, next, data);
	/* In a chain only one load faults: 0 and a small number are no user memory. */
	if (op->code == TAP_OP_LOAD && next && next->code == TAP_OP_LOAD &&
	    next->src == op->dst && next->off >= 0 && next->off < TAP_USER_MIN)
		return TAP_COST_RECOGNIZE + 210;
	return TAP_COST_RECOGNIZE + tap_kernel_op_cost(&user, NULL, data);
}

/**
 * tap_ops_cost() - cost of a part of a program
 * @ops: the operations, without %TAP_OP_RETURN
 * @nr: number of operations
 * @data: the program's patterns
 * @flags: TAP_CREATE_F_* of its probe
 *
 * The longest stack of the kernel and that of the program, or its copy, do not count: a frame takes
 * hundreds of instructions of the kernel's unwinder, and the stack that is unwound bounds them.
 * Storing them in the table of stacks does.
 *
 * Return: instructions.
 */
static inline __u64 tap_ops_cost(const struct tap_op *ops, __u32 nr, const __u8 *data,
				 __u32 flags)
{
	__u32 i, cost, kstack = 0, ustack = 0;
	__u64 sum = TAP_COST_EVENT;

	for (i = 0; i < nr; i++) {
		cost = tap_op_cost(&ops[i], i + 1 < nr ? &ops[i + 1] : NULL, data, flags);
		sum += cost;
		if (ops[i].code == TAP_OP_KSTACK && cost - tap_cost_store(&ops[i]) > kstack)
			kstack = cost - tap_cost_store(&ops[i]);
		if ((ops[i].code == TAP_OP_USTACK || ops[i].code == TAP_OP_USTACK_COPY) &&
		    cost - tap_cost_store(&ops[i]) > ustack)
			ustack = cost - tap_cost_store(&ops[i]);
	}
	return sum - kstack - ustack;
}

/* Number of the operations before TAP_OP_RETURN. */
static inline __u32 tap_ops_before_return(const struct tap_op *ops, __u32 nr)
{
	__u32 i;

	for (i = 0; i < nr && ops[i].code != TAP_OP_RETURN; i++)
		;
	return i;
}

/* Words that the operations append to the record. */
static inline __u32 tap_ops_words(const struct tap_op *ops, __u32 nr)
{
	__u32 i, words = 0;

	for (i = 0; i < nr; i++)
		if (ops[i].dst == TAP_OP_OUT)
			words += ops[i].code > TAP_OP_COMM && ops[i].size != 8 ?
				 1 + tap_cost_words(&ops[i]) : 2;
	return words;
}

/**
 * tap_program_cost() - cost of a program
 * @ops: its operations
 * @nr: number of operations
 * @data: its patterns
 * @flags: TAP_CREATE_F_* of its probe
 *
 * Return: instructions of the event, or of the dearer part of a call.
 */
static inline __u64 tap_program_cost(const struct tap_op *ops, __u32 nr, const __u8 *data,
				     __u32 flags)
{
	__u32 at = tap_ops_before_return(ops, nr);
	__u64 entry = tap_ops_cost(ops, at, data, flags), leave;

	if (at == nr)
		return entry;
	/* The return copies what the entry has stored. */
	leave = tap_ops_cost(ops + at + 1, nr - at - 1, data, flags) +
		TAP_COST_COPY * tap_ops_words(ops, at);
	return entry > leave ? entry : leave;
}

/**
 * tap_aggregate_cost() - cost of adding an event to an aggregation
 * @words: words of its keys
 * @tries: entries of the table that may be compared
 * @values: number of values
 *
 * Return: instructions.
 */
static inline __u32 tap_aggregate_cost(__u32 words, __u32 tries, __u32 values)
{
	return 150 + 26 * words + 14 * tries + 50 * values;
}

#endif /* _TAPMOD_COMMON_PROGRAM_COST_H */
