/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Programs: operations that test an event, and fetch the values of its record.
 */
#ifndef _UAPI_LINUX_TAP_PROGRAM_H
#define _UAPI_LINUX_TAP_PROGRAM_H

#include <linux/types.h>

#define TAP_MAX_OPS		256		/* operations of a program */
#define TAP_MAX_OUTPUTS		64		/* operations with TAP_OP_OUT */
#define TAP_NR_REGISTERS	8		/* of a program */
#define TAP_MAX_STRING		4096		/* bytes of a string or an array */
#define TAP_MAX_DATA		4096		/* bytes of a program's patterns */
#define TAP_MAX_PATTERN		255		/* bytes of one pattern */
#define TAP_COMM_LEN		16		/* bytes of a command name, with the final 0 */
#define TAP_MAX_STACK		127		/* frames of a stack */
#define TAP_MAX_STACK_COPY	12288		/* bytes of registers and a part of a stack */
#define TAP_MAX_JOIN		32		/* texts of an array that are joined */
#define TAP_MAX_PATH		512		/* bytes of a path */
#define TAP_MAX_NAMES		32		/* names and mounts of a path */
#define TAP_MAX_COST		20000		/* instructions of a program, at one event */

/**
 * DOC: programs
 *
 * A probe has a program: operations that test an event and fetch values from it.
 * It has %TAP_NR_REGISTERS registers of 64 bits, all 0 at the start. Operations run
 * one after the other; a jump leads forward, never past a %TAP_OP_RETURN. There are
 * no loops, so a program of n operations executes at most n.
 *
 * A program takes at most %TAP_MAX_COST instructions of the CPU at an event, the record or
 * the aggregation included; TAP_IOC_CREATE refuses another one with EFBIG. The kernel adds up
 * what each operation takes with the worst input: a glob that almost matches at every place,
 * text without an end, memory that cannot be read. It does not count:
 *
 *  - the kernel's own way to the probe;
 *  - of each part (before and behind %TAP_OP_RETURN) the longest stack of the kernel and the
 *    longest of the program, or its copy. A frame takes about 500 instructions, 32 frames
 *    nearly all of %TAP_MAX_COST, and the kernel's stack has an end;
 *  - the second reading of memory at the return of a ucall (below), which takes as many
 *    instructions as the entry once more.
 *
 * The numbers are those of x86-64 and may change with the version: a program that is far below
 * the limit stays below it.
 *
 * An operation with the destination %TAP_OP_OUT appends to the record: it is an
 * *output*. A *test* is a jump to %TAP_OP_REJECT. All outputs come behind the last test,
 * and no jump may skip an output: the layout of the record is fixed.
 *
 * Memory is read without faults. A value that cannot be read is 0, and sets a mark. The
 * next output takes the mark: that output is *absent* (its value is 0, whatever was
 * computed), the record has %TAP_F_ABSENT, and %TAP_VAR_ABSENT has the output's bit.
 * If the mark is set before the last jump among the tests, the event is given up and
 * counted as lost_fault: a test of such a value has no result. %TAP_OP_RETURN clears the
 * mark.
 *
 * Calls (call, funcgraph, syscall, ucall) run the operations before %TAP_OP_RETURN at the
 * entry, and those behind it at the return. At the return all registers are 0 again, and
 * %TAP_OP_WORD reads the words that were appended at the entry; arguments and registers of
 * the CPU are no longer available. The outputs of the entry of call, funcgraph and ucall
 * are at most 4000 bytes long.
 *
 * If a ucall's entry cannot read user memory because its page is not present yet, the
 * kernel reads it once more at the return, with the registers of the entry, if the tests of
 * the entry pass again. A value that can be read then is not absent but *deferred*,
 * and the record has %TAP_F_DEFERRED.
 */

/**
 * enum tap_op_code - one operation of a probe's program
 *
 * Values. They go to register @dst, or, with %TAP_OP_OUT, append one word. @size is the
 * number of bytes of the value, 1, 2, 4 or 8; of a longer value those are its lowest
 * bytes. With %TAP_OP_SIGNED the value is sign-extended, else zero-extended.
 *
 * @TAP_OP_ARG: argument @off of the function, tracepoint or system call, 0 to 5
 * @TAP_OP_REG: the value at byte @off, a multiple of 8, of the user-visible
 *	struct pt_regs (arm64: user_pt_regs)
 * @TAP_OP_RETVAL: the return register (kretprobe, uretprobe; calls: behind
 *	%TAP_OP_RETURN)
 * @TAP_OP_FIELD: the value at byte @off of the event's own data (tracepoint, event,
 *	watchpoint, mark)
 * @TAP_OP_VAR: enum tap_var @off; @size is 8
 * @TAP_OP_IMM: @imm; @size is 8
 * @TAP_OP_MOVE: register @src
 * @TAP_OP_WORD: value word @off of the record, appended at the entry (behind
 *	%TAP_OP_RETURN)
 * @TAP_OP_LOAD: kernel memory at register @src + @off
 * @TAP_OP_LOAD_USER: user memory at register @src + @off
 * @TAP_OP_PMU: counter @off of TAP_IOC_PMU; @size is 8. Behind %TAP_OP_RETURN: by how
 *	much it grew since the entry; absent if the task moved to another CPU
 *	(%TAP_F_MIGRATED) or was switched out (%TAP_F_DESCHEDULED) since the entry, or
 *	if the return was not seen. Of a span: by how much it grew since the "from" event;
 *	absent, with the same flags, if another task or another CPU had that event, or if the
 *	task was switched out since. Absent, with %TAP_F_MULTIPLEXED, if the counter was
 *	not counting
 * @TAP_OP_SWAP: the lowest bytes of register @src, as many as @size says, in the reverse order
 * @TAP_OP_LOG2: the number of the highest bit that is set in register @src, 0 to 63; 0 if
 *	none is. @size is 8
 * @TAP_OP_CAPTURED: value @off that the table of tap_create.capture_id has for the key of
 *	register @src and the current task (%TAP_SPAN_CAPTURE). Cannot be read, with the mark,
 *	if the table has no such entry, or if it may be that of an earlier frame
 *
 * Arithmetic on register @dst with register @src or, if @src is %TAP_OP_IMM_SRC,
 * with @imm. @size is 8, with %TAP_OP_SIGNED for signed division and remainder. Results
 * are modulo 2^64. Division by zero gives 0 (division by an @imm of 0 is refused); a shift
 * uses the lowest 6 bits of its count.
 *
 * @TAP_OP_ADD: add
 * @TAP_OP_SUB: subtract
 * @TAP_OP_MUL: multiply
 * @TAP_OP_DIV: divide
 * @TAP_OP_MOD: remainder
 * @TAP_OP_AND: bitwise and
 * @TAP_OP_OR: bitwise or
 * @TAP_OP_XOR: bitwise exclusive or
 * @TAP_OP_SHL: shift left
 * @TAP_OP_SHR: shift right, fill with zeros; with %TAP_OP_SIGNED fill with the sign bit
 *
 * Jumps. They skip the next @off operations, at least 1; with the @off %TAP_OP_REJECT the
 * event is filtered. All but %TAP_OP_JUMP compare register @dst with @src as above. The
 * comparison is unsigned unless @size, which is 8, has %TAP_OP_SIGNED.
 *
 * @TAP_OP_JUMP: always
 * @TAP_OP_JEQ: if equal
 * @TAP_OP_JNE: if not equal
 * @TAP_OP_JLT: if less
 * @TAP_OP_JLE: if less or equal
 * @TAP_OP_JGT: if greater
 * @TAP_OP_JGE: if greater or equal
 * @TAP_OP_JSET: if they have a set bit in common
 *
 * Comparison of text with a pattern. Register @dst becomes 1 if it matches, else 0. @imm
 * gives the place of the pattern in the program's patterns: start in bits 0 to 15, length in
 * bits 16 to 31. With @size 0 text and pattern must be equal; with %TAP_OP_GLOB the
 * pattern has * ? [a-z] [!a] and \\ as in glob(7), and only the first
 * %TAP_MAX_PATTERN bytes of the text count.
 *
 * @TAP_OP_MATCH: kernel text at register @src + @off
 * @TAP_OP_MATCH_USER: user text at register @src + @off
 * @TAP_OP_MATCH_COMM: the task's command name
 * @TAP_OP_MATCH_FIELD: text at byte @off of the event's own data, in an array whose length
 *	in bytes is in bits 32 to 47 of @imm
 * @TAP_OP_MATCH_DATA_LOC: text in the event's own data: the 4 bytes at byte @off are its
 *	offset | length << 16
 *
 * Length of text. Register @dst becomes the number of bytes before the final 0, at most
 * @imm, which is 1 to %TAP_MAX_STRING. @size is 0. If memory before the final 0 cannot be read,
 * the length is 0, with the mark.
 *
 * @TAP_OP_LENGTH: of kernel text at register @src + @off
 * @TAP_OP_LENGTH_USER: of user text at register @src + @off
 *
 * Outputs of several words; @dst is %TAP_OP_OUT, @size 0. @imm is the maximum length of
 * text and arrays in bytes, 1 to %TAP_MAX_STRING. They take one word with TAP_TEXT_* and
 * as many words as hold @imm bytes; the bytes behind the length are 0.
 *
 * @TAP_OP_COMM: the task's command name, two words
 * @TAP_OP_STRING: kernel text at register @src + @off, up to its final 0
 * @TAP_OP_STRING_USER: user text at register @src + @off
 * @TAP_OP_BYTES: exactly @imm bytes of kernel memory at register @src + @off,
 *	without the TAP_TEXT_* word
 * @TAP_OP_BYTES_USER: exactly @imm bytes of user memory
 * @TAP_OP_FIELD_BYTES: exactly @imm bytes at byte @off of the event's own data
 * @TAP_OP_FIELD_STRING: text of at most @imm bytes at byte @off of the event's
 *	own data
 * @TAP_OP_DATA_LOC: data to which the field at byte @off points, as for
 *	%TAP_OP_MATCH_DATA_LOC; with @size %TAP_OP_TEXT text without its final 0, else
 *	all bytes
 *
 * Joined texts; @dst is %TAP_OP_OUT, @size 0. The array at register @src + @off has pointers of
 * 8 bytes to texts, and ends with NULL. The output is one text: those texts with blanks between
 * them. Bits 0 to 15 of @imm are its maximum length in bytes, 1 to %TAP_MAX_STRING, bits 16 to 31
 * the maximum number of texts, 1 to %TAP_MAX_JOIN; the others are 0. The layout is that of a text
 * of so many bytes: truncated if there is more of either. If a pointer or a text cannot be read,
 * the output is absent, with what precedes.
 *
 * @TAP_OP_JOIN: array and texts in kernel memory
 * @TAP_OP_JOIN_USER: array and texts in user memory
 *
 * Paths; @dst is %TAP_OP_OUT, @size 0. The output is the path of a file as text, from the root of
 * the mounts. It is read without locks: if names or mounts have changed meanwhile, the record has
 * %TAP_F_RACED. Bits 0 to 15 of @imm are its maximum length in bytes, 1 to %TAP_MAX_PATH, bits 16
 * to 31 the maximum number of names and mounts, 1 to %TAP_MAX_NAMES; the others are 0. The layout
 * is that of a text of so many bytes: truncated if there is more of either, and then its start is
 * missing. A file in no directory, such as a pipe, has its name, or that of its file system.
 *
 * @TAP_OP_PATH: of the struct path at register @src + @off
 * @TAP_OP_DENTRY: of the struct dentry at register @src + @off, from the root of its file system
 *
 * Stacks; @dst is %TAP_OP_OUT. @imm is the room for frames in bytes: a multiple of
 * 8, for at most %TAP_MAX_STACK frames. With @size 0 the layout is that of an array of @imm
 * bytes: a word with TAP_TEXT_*, truncated if there are more frames, then addresses, the
 * innermost first. Each but the first is a return address. With @size 8 it is one word: the
 * stack is stored in the session's table of stacks (TAP_IOC_STACKS), and the word is its id
 * there; 0 if there is no frame that could be read; %TAP_STACK_NO_ROOM.
 *
 * @TAP_OP_KSTACK: stack of the kernel. Absent if the opener may not see addresses, and at a
 *	probe of a program
 * @TAP_OP_USTACK: stack of the task's program, by frame pointers; absent for tasks that
 *	have no program. @off is 1 if the event is at the start of a function (uprobe,
 *	ucall): then the caller is found by the stack pointer; else 0
 *
 * Copies of stacks; @dst is %TAP_OP_OUT, @size 0. The layout is that of an array of @imm bytes, a
 * multiple of 8, more than the registers take and at most %TAP_MAX_STACK_COPY.
 *
 * @TAP_OP_USTACK_COPY: the registers of the task's program and its stack, for a reader that has the
 *	unwind data of the program. With %TAP_TEXT_COPIED there are first the registers in
 *	DWARF's order (x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15 rip; arm64: x0 to x30
 *	sp pc), then the bytes from the stack pointer upwards, up to the first page that cannot
 *	be read. On x86-64 a return address that a uretprobe has replaced is the original
 *	one. Without %TAP_TEXT_COPIED it is a stack by frame pointers, as of
 *	%TAP_OP_USTACK: a 32-bit program's. Absent as %TAP_OP_USTACK is
 *
 * How the duration of a call or a span divides (TAP_IOC_TASKS with %TAP_TASKS_F_DIVISION); behind
 * %TAP_OP_RETURN, or of a span. @dst is %TAP_OP_OUT. Absent if the duration was not divided: an NMI
 * made the entry or the return, there was no room for the task, the return was not seen, or
 * another task had the "from" event of the span. funcgraph does not have them.
 *
 * @TAP_OP_DIVISION: with @off 0 a struct tap_division; with %TAP_DIVIDED_WAKER_COMM or
 *	%TAP_DIVIDED_HOLDER_COMM two words, that name alone. @size is 0
 * @TAP_OP_WAIT_STACK: a stack of the kernel, as %TAP_OP_KSTACK with @imm and @size, of at most
 *	%TAP_WAIT_FRAMES frames: with @off 0 that of the task in its longest wait, with @off 1
 *	that of the code that ended it. Without frames if there was no wait, or its end is not
 *	known; absent also if the opener may not see addresses. The record of a call that did not
 *	wait may end in front of it, see @slots of struct tap_record
 *
 * @TAP_OP_RETURN: the operations behind it run at the return (call, funcgraph, syscall,
 *	ucall); all other members are 0
 *
 * New codes are only ever appended.
 */
enum tap_op_code {
	TAP_OP_ARG		= 1,
	TAP_OP_REG		= 2,
	TAP_OP_RETVAL		= 3,
	TAP_OP_FIELD		= 4,
	TAP_OP_VAR		= 5,
	TAP_OP_IMM		= 6,
	TAP_OP_MOVE		= 7,
	TAP_OP_WORD		= 8,
	TAP_OP_LOAD		= 9,
	TAP_OP_LOAD_USER	= 10,
	TAP_OP_PMU		= 11,
	TAP_OP_SWAP		= 12,
	TAP_OP_LOG2		= 13,
	TAP_OP_CAPTURED		= 14,

	TAP_OP_ADD		= 16,
	TAP_OP_SUB		= 17,
	TAP_OP_MUL		= 18,
	TAP_OP_DIV		= 19,
	TAP_OP_MOD		= 20,
	TAP_OP_AND		= 21,
	TAP_OP_OR		= 22,
	TAP_OP_XOR		= 23,
	TAP_OP_SHL		= 24,
	TAP_OP_SHR		= 25,

	TAP_OP_JUMP		= 32,
	TAP_OP_JEQ		= 33,
	TAP_OP_JNE		= 34,
	TAP_OP_JLT		= 35,
	TAP_OP_JLE		= 36,
	TAP_OP_JGT		= 37,
	TAP_OP_JGE		= 38,
	TAP_OP_JSET		= 39,

	TAP_OP_MATCH		= 48,
	TAP_OP_MATCH_USER	= 49,
	TAP_OP_MATCH_COMM	= 50,
	TAP_OP_MATCH_FIELD	= 51,
	TAP_OP_MATCH_DATA_LOC	= 52,
	TAP_OP_LENGTH		= 53,
	TAP_OP_LENGTH_USER	= 54,

	TAP_OP_COMM		= 64,
	TAP_OP_STRING		= 65,
	TAP_OP_STRING_USER	= 66,
	TAP_OP_BYTES		= 67,
	TAP_OP_BYTES_USER	= 68,
	TAP_OP_FIELD_BYTES	= 69,
	TAP_OP_FIELD_STRING	= 70,
	TAP_OP_DATA_LOC		= 71,
	TAP_OP_KSTACK		= 72,
	TAP_OP_USTACK		= 73,
	TAP_OP_JOIN		= 74,
	TAP_OP_JOIN_USER	= 75,
	TAP_OP_PATH		= 76,
	TAP_OP_DENTRY		= 77,
	TAP_OP_USTACK_COPY	= 78,

	TAP_OP_RETURN		= 80,

	TAP_OP_DIVISION		= 81,
	TAP_OP_WAIT_STACK	= 82,
};

/* tap_op.dst: append to the record. */
#define TAP_OP_OUT		0xff
/* tap_op.src: the operand is @imm. */
#define TAP_OP_IMM_SRC		0xff
/* tap_op.off of a jump: filter the event. */
#define TAP_OP_REJECT		(-1)
/* tap_op.size: flags, added to the number of bytes. */
#define TAP_OP_SIGNED		0x80
#define TAP_OP_GLOB		0x40
#define TAP_OP_TEXT		0x20

/**
 * enum tap_var - the variables of TAP_OP_VAR
 * @TAP_VAR_TGID: process id, @tgid of the record
 * @TAP_VAR_TID: thread id, @tid of the record
 * @TAP_VAR_CPU: number of the CPU
 * @TAP_VAR_UID: real user id in the initial user namespace
 * @TAP_VAR_CGROUP: id of the task's cgroup (version 2), which is the inode
 *	number of its directory; if @imm is not 0, of its ancestor at depth
 *	@imm - 1, the root being at depth 0; 0 if there is none
 * @TAP_VAR_COMM: word @imm, 0 or 1, of the task's command name
 * @TAP_VAR_FOLLOWED: 1 in a task that the session follows (%TAP_IOC_FOLLOW); else 0
 * @TAP_VAR_DURATION: nanoseconds since the entry (behind %TAP_OP_RETURN); 0 if
 *	the return is not seen
 * @TAP_VAR_SYSCALL: number of the system call (syscall)
 * @TAP_VAR_ABSENT: bit n is set if output n, counted from 0, is absent; outputs so far
 * @TAP_VAR_FUNC: the function (func), as an address in it: always the same address
 *	for one function; the symbol that covers the address is the function's name
 * @TAP_VAR_TASK: address of the task's task_struct, which is current of the kernel
 * @TAP_VAR_TIME: nanoseconds of CLOCK_MONOTONIC, the clock of ktime_get_ns(), whatever the
 *	clock of the session is
 * @TAP_VAR_FLAGS: 1 if the record has one of the flags @imm; else 0. @imm is a set of
 *	%TAP_F_HARDIRQ, %TAP_F_SOFTIRQ and %TAP_F_NMI; behind %TAP_OP_RETURN also of
 *	%TAP_F_MIGRATED, %TAP_F_DESCHEDULED and %TAP_F_NESTED
 * @TAP_VAR_INSIDE: 1 if a frame (tap_create.frame) is under way in the context of the event: in
 *	the task, or in the same softirq, interrupt or NMI. @imm is TAP_INSIDE_*; the frames in
 *	between are those that began after the frame and have not ended. The call whose entry is
 *	the event is not under way yet, at its return not any longer. Else 0
 * @TAP_VAR_DIVISION: enum tap_divided @imm of the duration (as %TAP_OP_DIVISION)
 * @TAP_VAR_TRIGGER: triggers a window (tap_window.h), at each event that comes so far in the
 *	program; only in a session of %TAP_SETUP_F_OVERWRITE. 1 if it did; 0 if a trigger was
 *	there already
 * @TAP_VAR_GATE: enum tap_gate_step @imm at the gate of the session (tap_gate.h), at each event
 *	that comes so far in the program
 * @TAP_VAR_ENCLOSED: 1 if another call of a return probe of the session is under way around the
 *	call that returns, on the same stack; only behind %TAP_OP_RETURN of a call of the kernel.
 *	At most 32 calls are looked at, of all users of kretprobes. Else 0
 *
 * If a variable does not use @imm, @imm must be 0.
 */
enum tap_var {
	TAP_VAR_TGID		= 1,
	TAP_VAR_TID		= 2,
	TAP_VAR_CPU		= 3,
	TAP_VAR_UID		= 4,
	TAP_VAR_CGROUP		= 5,
	TAP_VAR_COMM		= 6,
	TAP_VAR_FOLLOWED	= 7,
	TAP_VAR_DURATION	= 8,
	TAP_VAR_SYSCALL		= 9,
	TAP_VAR_ABSENT		= 10,
	TAP_VAR_FUNC		= 11,
	TAP_VAR_TASK		= 12,
	TAP_VAR_TIME		= 13,
	TAP_VAR_FLAGS		= 14,
	TAP_VAR_INSIDE		= 15,
	TAP_VAR_DIVISION	= 16,
	TAP_VAR_TRIGGER		= 17,
	TAP_VAR_GATE		= 18,
	TAP_VAR_ENCLOSED	= 19,
};

/**
 * struct tap_op - one operation of a probe's program
 * @code: enum tap_op_code
 * @dst: register 0 to 7, or %TAP_OP_OUT
 * @src: register 0 to 7, or %TAP_OP_IMM_SRC
 * @size: bytes of the value, and flags (%TAP_OP_SIGNED, %TAP_OP_GLOB, %TAP_OP_TEXT)
 * @off: see the operation in enum tap_op_code
 * @imm: see the operation in enum tap_op_code
 *
 * Unused members must be zero.
 */
struct tap_op {
	__u8 code;
	__u8 dst;
	__u8 src;
	__u8 size;
	__s32 off;
	__u64 imm;
};

#endif /* _UAPI_LINUX_TAP_PROGRAM_H */
