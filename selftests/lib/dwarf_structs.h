/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of a driver that dwarf_test compiles by several compilers, and itself.
 */
#ifndef _TEST_LIB_DWARF_STRUCTS_H
#define _TEST_LIB_DWARF_STRUCTS_H

enum state { STATE_OFF, STATE_ON = 5, STATE_BAD = -3 };
enum big { BIG_ONE = 1, BIG_HUGE = 0x123456789abcdefLL };
enum late { LATE_ON = 0xff };

typedef unsigned long long u64_t;
struct opaque;
struct dev;

enum elsewhere;

struct ops {
	int (*open)(struct dev *dev, int flags);
	enum elsewhere (*kind)(struct dev *dev);
	void (*put)(const char *name, ...);
};

struct flags {
	unsigned int a : 3;
	int b : 5;
	unsigned int : 2;
	unsigned int c : 17;
	u64_t wide : 40;
	unsigned char last : 7;
};

struct packed {
	char x;
	long y;
	unsigned int p : 4, q : 9;
} __attribute__((packed));

struct dev {
	int id;
	const char *name;
	struct flags flags;
	union {
		unsigned long word;
		struct {
			short low, high;
		};
	};
	enum state state;
	enum big big;
	struct { int inner; } named;
	struct ops *ops;
	struct dev *next;
	struct opaque *opaque;
	_Bool on;
	double level;
	char text[16];
	int grid[2][3];
	struct packed packed;
	void *private;
	volatile unsigned char *regs;
	char tail[];
};

/* Structs that are converted when a pointer to them is followed, with many names of their own. */
#define FAR(n)								\
	struct far_##n {						\
		int far_##n##_first, far_##n##_second, far_##n##_third;	\
		void (*far_##n##_call)(struct far_##n *far);		\
		struct { long far_##n##_low, far_##n##_high; };		\
		char far_##n##_text[n];					\
	}
FAR(1); FAR(2); FAR(3); FAR(4); FAR(5);

struct near {
	struct far_1 *one;
	struct far_2 *two;
	struct {
		struct far_3 *three;
		struct far_4 *four;
	};
	struct far_5 *five;
	int last[3];
	unsigned int flags : 3;
};

#endif /* _TEST_LIB_DWARF_STRUCTS_H */
