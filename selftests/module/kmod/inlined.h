/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the compiler inlines, for the tests of inline: and uinline: with gcov: in several
 * callers, in loops, in each other, in a recursion, under conditions, with constants, twice in one
 * expression. A module and a program have them.
 */
#ifndef INLINED_H
#define INLINED_H

static unsigned int sum;

static inline unsigned int mix(unsigned int x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

/* With an early return: a part of it may be split off. */
static inline unsigned int limited(unsigned int x, unsigned int most)
{
	if (x < most)
		return x;
	sum += mix(x);
	return most;
}

static inline unsigned int bits(unsigned int x)
{
	unsigned int n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

static inline void note(unsigned int x)
{
	sum += bits(x) + limited(x, 100);
}

static __always_inline unsigned int scaled(unsigned int x, int shift)
{
	return shift < 0 ? x >> -shift : x << shift;
}

static inline unsigned int digit(unsigned int x)
{
	switch (x % 4) {
	case 0:
		return bits(x);
	case 1:
		return scaled(x, 2);
	default:
		return x + 1;
	}
}

/* Its only call is in visit(). */
static unsigned int pair(unsigned int x, unsigned int y)
{
	return digit(x) * 31 + digit(y);
}

static noinline unsigned int deep(unsigned int x)
{
	if (x < 3)
		return mix(x);
	return deep(x / 3) + bits(x);
}

static noinline void visit(unsigned int x)
{
	unsigned int i;

	for (i = 0; i < x % 5; i++)
		sum += limited(x + i, 1 << 20) + scaled(x, -(int)i);
	if (x & 1)
		note(x);
	else
		sum += deep(x);
	sum += pair(x, sum);
}

static noinline unsigned int inlined_run(unsigned int runs)
{
	unsigned int x = 1;

	while (runs--) {
		x = mix(x);
		visit(x);
		if (x % 7 == 3)
			note(x >> 3);
	}
	return sum;
}

#endif /* INLINED_H */
