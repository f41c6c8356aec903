// SPDX-License-Identifier: GPL-2.0
/* A library with one function, which calls back; the build sets its name. */
void STEP(void (*back)(void));

__attribute__((noinline, noclone)) void STEP(void (*back)(void))
{
	back();
	__asm__ volatile("" : : : "memory");
}
