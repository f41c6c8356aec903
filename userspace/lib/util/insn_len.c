// SPDX-License-Identifier: LGPL-2.1
/*
 * Lengths of instructions. x86-64 needs two tables with a letter for each opcode, from
 * the opcode maps of the Intel manual (volume 2, appendix A). A disassembler would be
 * larger than the rest of the static tap.
 */
#include <errno.h>
#include <stdbool.h>

#include "util/insn_len.h"

#if defined(__x86_64__)

/*
 * Operands by letter:
 *	. none			m ModRM			x invalid, or handled before
 *	b 8 bits		B ModRM, 8 bits		w 16 bits	e 16 and 8 bits
 *	z 16 or 32 bits		Z ModRM, 16 or 32 bits	v the same or 64 bits
 *	j 32 bits		o an address
 *	g ModRM, 8 bits if it is a test		G the same with 16 or 32 bits
 */
static const char map_one[] =
	"mmmmbzxxmmmmbzxx"	/* 00 */
	"mmmmbzxxmmmmbzxx"
	"mmmmbzxxmmmmbzxx"	/* 20 */
	"mmmmbzxxmmmmbzxx"
	"xxxxxxxxxxxxxxxx"	/* 40 */
	"................"
	"xxxmxxxxzZbB...."	/* 60 */
	"bbbbbbbbbbbbbbbb"
	"BZxBmmmmmmmmmmmm"	/* 80 */
	"..........x....."
	"oooo....bz......"	/* a0 */
	"bbbbbbbbvvvvvvvv"
	"BBw.xxBZe.w..bx."	/* c0 */
	"mmmmxxx.mmmmmmmm"
	"bbbbbbbbjjxb...."	/* e0 */
	"x.xx..gG......mm";

static const char map_0f[] =
	"mmmmx.....x.xm.B"	/* 00 */
	"mmmmmmmmmmmmmmmm"
	"xxxxxxxxmmmmmmmm"	/* 20 */
	"......x.xxxxxxxx"
	"mmmmmmmmmmmmmmmm"	/* 40 */
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"	/* 60 */
	"BBBBmmm.xxxxmmmm"
	"jjjjjjjjjjjjjjjj"	/* 80 */
	"mmmmmmmmmmmmmmmm"
	"...mBmxx...mBmmm"	/* a0 */
	"mmmmmmmmmmBmmmmm"
	"mmBmBBBm........"	/* c0 */
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"	/* e0 */
	"mmmmmmmmmmmmmmmm";

/*
 * An instruction that is being decoded. @narrow: operand size prefix, numbers have 16
 * bits. @wide: REX.W, numbers may have 64 bits. @short_address: addresses have 32 bits.
 */
struct insn {
	const uint8_t *code;
	const uint8_t *end;
	bool narrow;
	bool wide;
	bool short_address;
};

/* The next byte, or -1. */
static int next(struct insn *insn)
{
	return insn->code < insn->end ? *insn->code++ : -1;
}

/* Consumes a SIB byte. Returns the displacement bytes of a ModRM byte. */
static int address_bytes(struct insn *insn, int modrm)
{
	int mod = modrm >> 6, rm = modrm & 7, sib;

	if (mod == 3)
		return 0;
	if (rm == 4) {
		sib = next(insn);
		if (sib < 0)
			return -1;
		rm = sib & 7;
	}
	if (mod == 0)
		return rm == 5 ? 4 : 0;
	return mod == 1 ? 1 : 4;
}

/*
 * Operand bytes of an opcode with this letter; -1 if bytes are missing or the opcode is
 * invalid.
 */
static int operand_bytes(struct insn *insn, char letter)
{
	int number = insn->narrow && !insn->wide ? 2 : 4;
	int modrm, address;

	switch (letter) {
	case '.':
		return 0;
	case 'b':
		return 1;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'z':
		return number;
	case 'v':
		return insn->wide ? 8 : number;
	case 'j':
		return 4;
	case 'o':
		return insn->short_address ? 4 : 8;
	case 'x':
		return -1;
	}
	modrm = next(insn);
	address = modrm < 0 ? -1 : address_bytes(insn, modrm);
	if (address < 0)
		return -1;
	switch (letter) {
	case 'B':
		return address + 1;
	case 'Z':
		return address + number;
	case 'g':
		return address + (modrm & 0x30 ? 0 : 1);
	case 'G':
		return address + (modrm & 0x30 ? 0 : number);
	}
	return address;
}

/* The letter of an opcode in the map that a VEX or EVEX prefix selects. */
static char letter_of(int map, int opcode)
{
	if (opcode < 0)
		return 'x';
	switch (map) {
	case 1:
		return map_0f[opcode] == 'j' ? 'x' : map_0f[opcode];
	case 2:
	case 5:
	case 6:
		return 'm';
	case 3:
		return 'B';
	}
	return 'x';
}

/* The letter of an instruction by its first byte after the prefixes. */
static char first_byte(struct insn *insn, int byte)
{
	int map;

	switch (byte) {
	case -1:
		return 'x';
	case 0x0f:
		byte = next(insn);
		if (byte == 0x38 || byte == 0x3a)
			return letter_of(byte == 0x38 ? 2 : 3, next(insn));
		return byte < 0 ? 'x' : map_0f[byte];
	case 0xc5:
		next(insn);
		return letter_of(1, next(insn));
	case 0xc4:
		map = next(insn) & 0x1f;
		next(insn);
		return map > 3 ? 'x' : letter_of(map, next(insn));
	case 0x62:
		map = next(insn) & 7;
		next(insn);
		next(insn);
		return letter_of(map, next(insn));
	case 0x8f:
		/* With another ModRM this is AMD's XOP. */
		if (insn->code < insn->end && (*insn->code & 0x38))
			return 'x';
	}
	return map_one[byte];
}

/* Consumes the prefixes and returns the byte after them. */
static int prefixes(struct insn *insn)
{
	int byte;

	for (;;) {
		byte = next(insn);
		switch (byte) {
		case 0x66:
			insn->narrow = true;
			break;
		case 0x67:
			insn->short_address = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
		case 0xf2:
		case 0xf3:
			break;
		default:
			/* A REX prefix is valid only directly before the opcode. */
			if ((byte & 0xf0) != 0x40)
				return byte;
			insn->wide = byte & 8;
			continue;
		}
		insn->wide = false;
	}
}

/**
 * tap_insn_length() - return the length of an instruction
 * @code: its first byte
 * @len: bytes available
 *
 * Return: its bytes, or -EINVAL if it is unknown.
 */
int tap_insn_length(const uint8_t *code, size_t len)
{
	struct insn insn = { .code = code, .end = code + (len < 15 ? len : 15) };
	int bytes = operand_bytes(&insn, first_byte(&insn, prefixes(&insn)));

	if (bytes < 0 || bytes > insn.end - insn.code)
		return -EINVAL;
	return insn.code - code + bytes;
}

#elif defined(__aarch64__)

int tap_insn_length(const uint8_t *code, size_t len)
{
	(void)code;
	return len < 4 ? -EINVAL : 4;
}

#else
#error "the instructions of this architecture are not known"
#endif
