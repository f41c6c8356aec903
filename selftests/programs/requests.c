// SPDX-License-Identifier: GPL-2.0
/* A program with debug information: handles three requests, each in the other state. */
#define NOINLINE __attribute__((noinline, noclone))

enum state { REQ_IDLE, REQ_READY = 4 };

struct request {
	const char *name;
	unsigned int kind : 3, urgent : 1;
	enum state state;
	union {
		struct { int low, high; };
		long both;
	};
	struct request *next;
};

NOINLINE int request_run(struct request *req, double weight, short n);
NOINLINE int request_run(struct request *req, double weight, short n)
{
	/* All members are read, for all that the compiler knows. */
	__asm__ volatile("" : : "r" (req), "m" (weight) : "memory");
	req->state = req->state == REQ_IDLE ? REQ_READY : REQ_IDLE;
	return -n;
}

int main(void)
{
	struct request second = { .name = "second", .kind = 5, .both = 7L << 32 | 6 };
	struct request first = { .name = "first", .urgent = 1, .next = &second };

	return request_run(&first, 1.5, 1) + request_run(&first, 2.5, 2) + request_run(&second, 3, 3) != -6;
}
