// SPDX-License-Identifier: LGPL-2.1
/*
 * How long instructions are. On x86-64 that takes two tables with a letter for
 * each opcode, by the maps of opcodes of the Intel manual (volume 2, appendix A);
 * a disassembler would be larger than all else of the static tap.
 */
#include <errno.h>
#include <stdbool.h>

#include "util/insn_len.h"

#if defined(__x86_64__)

/*
 * . nothing follows	m ModRM			x invalid, or handled before
 * b 8 bits		B ModRM, 8 bits		w 16 bits	e 16 and 8 bits
 * z 16 or 32 bits	Z ModRM, 16 or 32 bits	v the same or 64 bits
 * j 32 bits		o an address
 * g ModRM, 8 bits if it is a test		G the same of 16 or 32 bits
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

/**
 * struct insn - an instruction that is being read
 * @code: the next byte
 * @end: behind the last one that is there
 * @narrow: numbers are of 16 bits
 * @wide: numbers may be of 64 bits
 * @short_address: addresses are of 32 bits
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

/* Bytes behind a ModRM byte that say an address; takes a SIB byte. */
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

/* Bytes behind an opcode of this letter; -1 if there are too few or it is none. */
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

/* What follows an opcode of the map that a VEX or EVEX prefix names. */
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

/* The letter of an instruction whose first byte behind prefixes was taken. */
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
		/* With another ModRM it would be AMD's XOP. */
		if (insn->code < insn->end && (*insn->code & 0x38))
			return 'x';
	}
	return map_one[byte];
}

/* Takes the prefixes and the byte behind them, which it returns. */
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
			/* A REX prefix counts in front of the opcode alone. */
			if ((byte & 0xf0) != 0x40)
				return byte;
			insn->wide = byte & 8;
			continue;
		}
		insn->wide = false;
	}
}

/**
 * tap_insn_length() - how long an instruction is
 * @code: its first byte
 * @len: bytes that are there
 *
 * Return: its bytes, or -EINVAL if it is none that is known.
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
