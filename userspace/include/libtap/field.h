/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Fields: the named values of a record, and how each is printed. Included by libtap.h, which
 * has the conventions.
 */
#ifndef _LIBTAP_FIELD_H
#define _LIBTAP_FIELD_H

#include <libtap/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a field's name with its final 0. */
#define TAP_FIELD_NAME_LEN	64

/**
 * enum tap_format - how the value words of a field are printed
 * @TAP_FMT_AUTO: decimal if -4095 <= (s64)v <= 2^31 - 1, else 0x and hex
 * @TAP_FMT_U8: low 8 bits, unsigned decimal
 * @TAP_FMT_U16: low 16 bits, unsigned decimal
 * @TAP_FMT_U32: low 32 bits, unsigned decimal
 * @TAP_FMT_U64: unsigned decimal
 * @TAP_FMT_S8: low 8 bits, signed decimal
 * @TAP_FMT_S16: low 16 bits, signed decimal
 * @TAP_FMT_S32: low 32 bits, signed decimal
 * @TAP_FMT_S64: signed decimal
 * @TAP_FMT_X8: low 8 bits, 0x and hex
 * @TAP_FMT_X16: low 16 bits, 0x and hex
 * @TAP_FMT_X32: low 32 bits, 0x and hex
 * @TAP_FMT_X64: 0x and hex
 * @TAP_FMT_CHAR: low 8 bits as a character in single quotes
 * @TAP_FMT_COMM: 2 words, a string of at most 16 bytes, in double quotes
 * @TAP_FMT_DURATION: raw clock ticks, printed in a unit for people
 * @TAP_FMT_RETVAL: a return value whose type is not known: as AUTO, but a value
 *	whose low 32 bits are a negative errno is printed negative (an int function
 *	leaves the upper half of the register undefined)
 * @TAP_FMT_SYMBOL: a kernel address, printed as FUNC+0xOFF [MODULE]
 * @TAP_FMT_BOOL: true or false
 * @TAP_FMT_VALUE_NAME: a name from the field's value names, or as AUTO where none fits
 * @TAP_FMT_FLAGS: the names of the bits that are set, from the value names, with |
 *	between them; the remaining bits in hex
 * @TAP_FMT_ERRNO: as AUTO, but a negative errno by its name: -ENOENT (in JSON
 *	its number)
 * @TAP_FMT_STRING: a word of TAP_TEXT_* and text behind it, in double quotes
 * @TAP_FMT_CHARS: text without that word, up to a final 0 (a char array)
 * @TAP_FMT_DATA: a word of TAP_TEXT_* and the elements of an array behind it,
 *	as many as its length says
 * @TAP_FMT_NS: nanoseconds, printed in a unit for people
 * @TAP_FMT_KSTACK: a word of TAP_TEXT_* and kernel addresses, the innermost first
 * @TAP_FMT_USTACK: the same with addresses of the task's program
 * @TAP_FMT_FUNC: an address in a kernel function, printed as FUNC
 * @TAP_FMT_USYMBOL: an address in the task's program, printed as FUNC+0xOFF [OBJECT];
 *	or one of the kernel, printed as %TAP_FMT_SYMBOL
 * @TAP_FMT_IP: low 32 bits, the first byte lowest, as an IPv4 address; a string in JSON, as
 *	those below
 * @TAP_FMT_IP6: 16 bytes as an IPv6 address
 * @TAP_FMT_MAC: 6 bytes as the address of a network card
 * @TAP_FMT_UUID: 16 bytes as a UUID, in their order
 * @TAP_FMT_CONSTANT: as %TAP_FMT_VALUE_NAME, but in JSON the number
 * @TAP_FMT_DEV: a dev_t of the kernel (12 bits and 20 bits), as MAJOR:MINOR
 * @TAP_FMT_KSTACK_ID: the id of a stack of the kernel in the session's table of stacks, printed as
 *	%TAP_FMT_KSTACK; see @stack of struct tap_formatter_opts
 * @TAP_FMT_USTACK_ID: the same of the task's program
 * @TAP_FMT_STRUCT: the bytes of a struct, a union or an array, printed by their members: a tree below
 *	the line, an object or an array in JSON
 * @TAP_FMT_DIFF: the same bytes at the return of a call, printed as what differs from those at the
 *	entry, which are in a field of %TAP_FMT_STRUCT with %TAP_FIELD_F_OLD
 * @TAP_FMT_DIVISION: a struct tap_division: how the duration divides; lines below the event, with
 *	the fields that have %TAP_FIELD_F_WAIT
 * @__TAP_FMT_MAX: number of formats; new ones are only ever appended, since
 *	trace files hold these numbers
 */
enum tap_format {
	TAP_FMT_AUTO		= 0,
	TAP_FMT_U8		= 1,
	TAP_FMT_U16		= 2,
	TAP_FMT_U32		= 3,
	TAP_FMT_U64		= 4,
	TAP_FMT_S8		= 5,
	TAP_FMT_S16		= 6,
	TAP_FMT_S32		= 7,
	TAP_FMT_S64		= 8,
	TAP_FMT_X8		= 9,
	TAP_FMT_X16		= 10,
	TAP_FMT_X32		= 11,
	TAP_FMT_X64		= 12,
	TAP_FMT_CHAR		= 13,
	TAP_FMT_COMM		= 14,
	TAP_FMT_DURATION	= 15,
	TAP_FMT_RETVAL		= 16,
	TAP_FMT_SYMBOL		= 17,
	TAP_FMT_BOOL		= 18,
	TAP_FMT_VALUE_NAME	= 19,
	TAP_FMT_FLAGS		= 20,
	TAP_FMT_ERRNO		= 21,
	TAP_FMT_STRING		= 22,
	TAP_FMT_CHARS		= 23,
	TAP_FMT_DATA		= 24,
	TAP_FMT_NS		= 25,
	TAP_FMT_KSTACK		= 26,
	TAP_FMT_USTACK		= 27,
	TAP_FMT_USYMBOL		= 28,
	TAP_FMT_FUNC		= 29,
	TAP_FMT_IP		= 30,
	TAP_FMT_IP6		= 31,
	TAP_FMT_MAC		= 32,
	TAP_FMT_UUID		= 33,
	TAP_FMT_DEV		= 34,
	TAP_FMT_CONSTANT	= 35,
	TAP_FMT_KSTACK_ID	= 36,
	TAP_FMT_USTACK_ID	= 37,
	TAP_FMT_STRUCT		= 38,
	TAP_FMT_DIFF		= 39,
	TAP_FMT_DIVISION	= 40,
	__TAP_FMT_MAX,
};

struct tap_value_names;

/**
 * struct tap_field - a named value of a probe's record
 * @name: as printed, e.g. "dfd"; ends with 0
 * @format: how it is printed
 * @word: its first value word in the record, as tap_record.h counts them (the
 *	fetches of a call probe begin at %TAP_CALL_FETCHES). Of a key of an aggregation: the
 *	word of the row
 * @words: value words that it occupies from @word on
 * @flags: TAP_FIELD_F_*
 * @element: of an array: the format of each element. The elements are packed as in
 *	memory: as many bytes as the format says, 1 for CHAR and BOOL, 4 for VALUE_NAME and
 *	FLAGS, else 8. Of a single number: the format, U8 to U64 or S8 to S64, whose bits of the
 *	word are its value; %TAP_FMT_AUTO: those that @format prints
 * @count: of an array: elements, whatever @format says; of %TAP_FMT_CHARS, %TAP_FMT_IP6,
 *	%TAP_FMT_MAC and %TAP_FMT_UUID: bytes; of %TAP_FMT_STRING: bytes of the array that the text
 *	may fill, or 0; 0 for
 *	%TAP_FMT_DATA, whose word of TAP_TEXT_* has the length; of %TAP_FMT_DIFF: the first word of
 *	the bytes at the entry
 * @output: number of the program's output that makes the value: its bit in the word of
 *	%TAP_FIELD_F_ABSENT
 * @value_names: for the formatter: names of the values or of the elements, or the members of a
 *	struct; or NULL
 *
 * The library makes fields and returns const pointers to them. They stay valid as long as
 * the probe, the spec or the aggregation that returned them. Later versions may append
 * members: do not copy a field, do not make one.
 *
 * The duration and the return value of a call need no field: the formatter prints them for
 * every call, unless a field covers their word. A hidden field says how the return value is
 * printed.
 */
struct tap_field {
	char name[TAP_FIELD_NAME_LEN];
	enum tap_format format;
	__u16 word;
	__u16 words;
	__u32 flags;
	enum tap_format element;
	__u16 count;
	__u16 output;
	struct tap_value_names *value_names;
};

/* Not printed as name=value: for the COMM column, or a call's return value. */
#define TAP_FIELD_F_HIDDEN	(1U << 0)
/* Bit n of the word: output n is absent. Not printed either. */
#define TAP_FIELD_F_ABSENT	(1U << 1)
/*
 * Of a funcgraph: entry records do not have this field. Of a span: it is of the "to" side.
 */
#define TAP_FIELD_F_RETURN	(1U << 2)
/* Of a funcgraph: the stack pointer at the entry; 0 if it is not known. Not printed either. */
#define TAP_FIELD_F_FRAME	(1U << 3)
/* The return value of a function that returns void or a floating-point number. Not printed either. */
#define TAP_FIELD_F_VOID	(1U << 4)
/* A key that says which probe of a glob it is: func. */
#define TAP_FIELD_F_PLACE	(1U << 5)
/* Of a span: it is of the "from" side. */
#define TAP_FIELD_F_FROM	(1U << 6)
/* The bytes at the entry for a field of %TAP_FMT_DIFF. Not printed itself. */
#define TAP_FIELD_F_OLD		(1U << 7)
/* A stack of the longest wait: as text it is in the lines of %TAP_FMT_DIVISION. */
#define TAP_FIELD_F_WAIT	(1U << 8)

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_FIELD_H */
