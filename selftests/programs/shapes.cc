// SPDX-License-Identifier: GPL-2.0
// C++: names with scopes, parameters and templates; exceptions, which libstdc++ reports by USDT.
#include <cstdlib>
#include <stdexcept>

#define NOINLINE __attribute__((noinline, noclone))

namespace shapes {
struct square {
	int side;
	NOINLINE int area() const;
	NOINLINE int scale(int by);
	NOINLINE int scale(long by, int plus);
};

int square::area() const { asm volatile(""); return side * side; }
int square::scale(int by) { asm volatile(""); return side *= by; }
int square::scale(long by, int plus) { asm volatile(""); return side = side * by + plus; }

template <typename T> NOINLINE T twice(T value) { asm volatile(""); return value + value; }
}

NOINLINE static void fails(int i) { throw std::runtime_error(i % 2 ? "odd" : "even"); }

int main(int argc, char **argv)
{
	int caught = 0;
	shapes::square square = { 3 };

	for (int i = 0; i < 4; i++)
		square.area();
	for (int i = 0; i < 3; i++)
		square.scale(2);
	for (int i = 0; i < 2; i++)
		square.scale(2L, 1);
	shapes::twice(argc);
	shapes::twice(2.5);
	for (int i = 0; i < (argc > 1 ? std::atoi(argv[1]) : 0); i++) {
		try {
			fails(i);
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught == (argc > 1 ? std::atoi(argv[1]) : 0) ? 0 : 1;
}
