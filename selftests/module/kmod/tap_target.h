/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tap_target: functions and tracepoints for the tests to probe, with known arguments,
 * results and counts. Closing a file ends its storms, and releases all blocked calls.
 */
#ifndef _TEST_MODULE_KMOD_TAP_TARGET_H
#define _TEST_MODULE_KMOD_TAP_TARGET_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TAP_TARGET_DEVICE	"/dev/tap_target"

/* Second argument of tap_target_add(). */
#define TAP_TARGET_ADDEND	1000
/* Argument n, from 0, of tap_target_six() and of the tracepoint tap_target_event. */
#define TAP_TARGET_ARG(n)	(0x0101010101010101ULL * ((n) + 1))
/* Return value of tap_target_fail(). */
#define TAP_TARGET_ERROR	(-22)
/* Bytes of the area that TAP_TARGET_FILL fills; the page behind it is not mapped. */
#define TAP_TARGET_AREA		(4 * 4096)
/* Most frames that TAP_TARGET_STACK returns. */
#define TAP_TARGET_FRAMES	64
/* Largest argument of tap_target_recurse(). */
#define TAP_TARGET_MAX_DEPTH	100

/**
 * enum tap_target_function - what TAP_TARGET_CALL does @count times, and its result
 * @TAP_TARGET_ADD: tap_target_add(i, %TAP_TARGET_ADDEND), i from 0; their sum
 * @TAP_TARGET_SIX: tap_target_six(%TAP_TARGET_ARG(0) to (5)); their sum
 * @TAP_TARGET_FAIL: tap_target_fail(i); %TAP_TARGET_ERROR
 * @TAP_TARGET_POINTER: tap_target_pointer(a kernel address); the same address
 * @TAP_TARGET_RECURSE: once, tap_target_recurse(@count), which calls itself with one less
 *	until 0; @count
 * @TAP_TARGET_SLEEP: once, tap_target_sleep(@count), which sleeps @count ms
 * @TAP_TARGET_MIGRATE: once, tap_target_migrate(@cpu), entered on another CPU than @cpu if
 *	there is one; it returns on @cpu
 * @TAP_TARGET_BLOCK: once, tap_target_block(), which returns 0 after TAP_TARGET_RELEASE,
 *	or an error after a fatal signal
 * @TAP_TARGET_HARDIRQ: tap_target_irq(i) in hard interrupts of this CPU
 * @TAP_TARGET_SOFTIRQ: tap_target_irq(i) in softirqs
 * @TAP_TARGET_EVENT: fires tap_target_event(i, %TAP_TARGET_ARG(1) to (5))
 * @TAP_TARGET_VALUES: tap_target_values(@arg); @arg[5]
 * @TAP_TARGET_PASS: fires tap_target_event(@arg)
 * @TAP_TARGET_TYPED: tap_target_typed(object, object->text, %TAP_TARGET_BLUE, true, -2,
 *	@arg[0] as a user pointer), with the one struct tap_target_object; its @color
 * @TAP_TARGET_FIELDS: fires tap_target_fields; the fields have the values of the object's
 *	members of the same name
 * @TAP_TARGET_CHAIN: tap_target_outer() calls tap_target_middle() calls
 *	tap_target_inner(), which saves its stack for TAP_TARGET_STACK and fires
 *	tap_target_event(0, 0, 0, 0, 0, 0). The first @arg[1] of the three are left out.
 *	@arg[0]: context of the first call, enum tap_target_context
 * @TAP_TARGET_PUSH: tap_target_push(1); 1. On x86 it is "push %rbx; mov %rdi, %rbx; mov
 *	%rbx, %rax; pop %rbx; ret", with instructions at 0, 1, 4, 7 and 8
 * @TAP_TARGET_WRITE: adds 1 to each member of tap_target_watched, under a spinlock, each
 *	with one store; the new value of its @u64
 * @TAP_TARGET_READ: reads @u64 of tap_target_watched once; its value
 * @TAP_TARGET_LOOP: once, tap_target_loop(@count), a loop of @count turns of the same
 *	instructions; @count
 * @TAP_TARGET_WIDE: fires tap_target_wide(i, %TAP_TARGET_ARG(1) to (11)), each time 16 bytes
 *	deeper in the stack, up to a page
 * @TAP_TARGET_STORE: tap_target_store(inner, texts), where @inner is of zeros and @texts "one", "",
 *	"three", NULL. It makes @inner the element i + 1 of the list; i
 */
enum tap_target_function {
	TAP_TARGET_ADD		= 0,
	TAP_TARGET_SIX		= 1,
	TAP_TARGET_FAIL		= 2,
	TAP_TARGET_POINTER	= 3,
	TAP_TARGET_RECURSE	= 4,
	TAP_TARGET_SLEEP	= 5,
	TAP_TARGET_MIGRATE	= 6,
	TAP_TARGET_BLOCK	= 7,
	TAP_TARGET_HARDIRQ	= 8,
	TAP_TARGET_SOFTIRQ	= 9,
	TAP_TARGET_EVENT	= 10,
	TAP_TARGET_VALUES	= 11,
	TAP_TARGET_PASS		= 12,
	TAP_TARGET_TYPED	= 13,
	TAP_TARGET_FIELDS	= 14,
	TAP_TARGET_CHAIN	= 15,
	TAP_TARGET_PUSH		= 16,
	TAP_TARGET_LOOP		= 17,
	TAP_TARGET_WRITE	= 18,
	TAP_TARGET_READ		= 19,
	TAP_TARGET_WIDE		= 20,
	TAP_TARGET_STORE	= 21,
};

/**
 * enum tap_target_context - context of the first call of %TAP_TARGET_CHAIN
 * @TAP_TARGET_IN_TASK: the caller's system call
 * @TAP_TARGET_IN_HARDIRQ: a hard interrupt
 * @TAP_TARGET_IN_SOFTIRQ: a softirq
 */
enum tap_target_context {
	TAP_TARGET_IN_TASK	= 0,
	TAP_TARGET_IN_HARDIRQ	= 1,
	TAP_TARGET_IN_SOFTIRQ	= 2,
};

/* Values of members of the object. */
#define TAP_TARGET_U8		0xf8
#define TAP_TARGET_U16		0xf616
#define TAP_TARGET_U32		0xf4323232U
#define TAP_TARGET_U64		0xf264646464646464ULL
#define TAP_TARGET_S8		(-8)
#define TAP_TARGET_S16		(-1616)
#define TAP_TARGET_S32		(-323232)
#define TAP_TARGET_S64		(-6464646464646464LL)
#define TAP_TARGET_LOW		5
#define TAP_TARGET_MID		0x2a5
#define TAP_TARGET_NEGATIVE	(-7)
#define TAP_TARGET_ELEMENT(n)	(1000 * ((n) + 1))
#define TAP_TARGET_NUMBER(n)	(77000 + (n))		/* of the n-th inner one */
#define TAP_TARGET_TEXT		"a text"
#define TAP_TARGET_STRING	"a string elsewhere"
#define TAP_TARGET_WILD		0x8000123456789abcULL	/* not canonical */

enum tap_target_color {
	TAP_TARGET_RED		= 1,
	TAP_TARGET_GREEN	= 2,
	TAP_TARGET_BLUE		= 7,
};

/**
 * struct tap_target_inner - element of a list of three
 * @next: next element; NULL in the last one, number 2
 * @number: %TAP_TARGET_NUMBER(n) for the element n
 * @name: "inner0", "inner1", "inner2"
 */
struct tap_target_inner {
	struct tap_target_inner *next;
	__u64 number;
	char name[8];
};

/**
 * struct tap_target_object - first argument of tap_target_typed(); one object, constant
 * @u8: %TAP_TARGET_U8
 * @s8: %TAP_TARGET_S8
 * @u16: %TAP_TARGET_U16
 * @s16: %TAP_TARGET_S16
 * @u32: %TAP_TARGET_U32
 * @s32: %TAP_TARGET_S32
 * @u64: %TAP_TARGET_U64
 * @s64: %TAP_TARGET_S64
 * @yes: true
 * @low: %TAP_TARGET_LOW
 * @mid: %TAP_TARGET_MID
 * @negative: %TAP_TARGET_NEGATIVE
 * @color: %TAP_TARGET_BLUE
 * @whole: %TAP_TARGET_U64
 * @low_half: bits 0 to 31 of @whole
 * @high_half: bits 32 to 63 of @whole
 * @array: element n is %TAP_TARGET_ELEMENT(n)
 * @text: %TAP_TARGET_TEXT
 * @string: points to %TAP_TARGET_STRING
 * @inner: points to the first of three list elements
 * @embedded: its @next points to the same; its @number is %TAP_TARGET_NUMBER(9)
 * @nothing: NULL
 * @wild: %TAP_TARGET_WILD
 * @function: tap_target_fail()
 * @objects: @next of the first is NULL, that of the second points to list element 1
 */
struct tap_target_object {
	__u8 u8;
	__s8 s8;
	__u16 u16;
	__s16 s16;
	__u32 u32;
	__s32 s32;
	__u64 u64;
	__s64 s64;
	_Bool yes;
	unsigned int low : 3;
	unsigned int mid : 10;
	int negative : 5;
	enum tap_target_color color;
	union {
		__u64 whole;
		struct {
			__u32 low_half;
			__u32 high_half;
		};
	};
	__u32 array[4];
	char text[16];
	const char *string;
	struct tap_target_inner *inner;
	struct tap_target_inner embedded;
	struct tap_target_inner *nothing;
	struct tap_target_inner *wild;
	long (*function)(unsigned long i);
	struct tap_target_inner objects[2];
};

/**
 * struct tap_target_watched - type of the module's variable tap_target_watched
 * @u64: offset 0
 * @u32: offset 8
 * @u16: offset 12
 * @u8: offset 14
 */
struct tap_target_watched {
	__u64 u64;
	__u32 u32;
	__u16 u16;
	__u8 u8;
};

/**
 * struct tap_target_run - argument of every command
 * @function: enum tap_target_function
 * @cpu: see the function or command
 * @count: number of calls, or see the function
 * @out_result: result of the last call, or see the command
 * @arg: see the function or command
 */
struct tap_target_run {
	__u32 function;
	__u32 cpu;
	__u64 count;
	__u64 out_result;
	__u64 arg[6];
};

/* Calls @function. */
#define TAP_TARGET_CALL		_IO(0xDD, 0)
/*
 * Starts a kernel thread on @cpu, which calls tap_target_add(i, @cpu) in a loop, or with
 * @function %TAP_TARGET_EVENT fires tap_target_event(i, @cpu, 0, 0, 0, 0).
 */
#define TAP_TARGET_STORM	_IO(0xDD, 1)
/* Ends all storms of this file; @out_result: number of calls that they made. */
#define TAP_TARGET_CALM		_IO(0xDD, 2)
/* Releases all calls that are blocked in tap_target_block(). */
#define TAP_TARGET_RELEASE	_IO(0xDD, 3)
/* @out_result: number of calls that are blocked in tap_target_block(). */
#define TAP_TARGET_BLOCKED	_IO(0xDD, 4)
/*
 * Copies TAP_TARGET_AREA bytes from user address @arg[0] to the area in kernel memory;
 * @arg[0] 0: copies nothing. @out_result: address of the area.
 */
#define TAP_TARGET_FILL		_IO(0xDD, 5)
/*
 * Copies the stack that the last tap_target_inner() saved to user address @arg[0], which
 * has room for TAP_TARGET_FRAMES addresses; the function itself comes first. @out_result:
 * number of addresses.
 */
#define TAP_TARGET_STACK	_IO(0xDD, 6)

#endif /* _TEST_MODULE_KMOD_TAP_TARGET_H */
