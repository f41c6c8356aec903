// SPDX-License-Identifier: GPL-2.0
// C++: a system call from a lambda, in a template, in a virtual function, in a namespace; 10 times.
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define STAY() asm volatile("" : : : "memory")

namespace forms {
struct form {
	virtual ~form() = default;
	virtual void draw(int times) const = 0;
};

template <typename F> NOINLINE void each(int times, const F &f)
{
	for (int i = 0; i < times; i++)
		f(i);
	STAY();
}

struct circle : form {
	NOINLINE void draw(int times) const override
	{
		each(times, [](int i) NOINLINE { syscall(SYS_getpriority, 0, i & 0); STAY(); });
		STAY();
	}
};

NOINLINE void show(const form &it, int times) { it.draw(times); STAY(); }
}

int main()
{
	forms::circle circle;

	forms::show(circle, 10);
}
