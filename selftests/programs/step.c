// SPDX-License-Identifier: GPL-2.0
/* A library with one function, of the name it is built with, that calls back. */
void STEP(void (*back)(void));

__attribute__((noinline, noclone)) void STEP(void (*back)(void))
{
	back();
	__asm__ volatile("" : : : "memory");
}
