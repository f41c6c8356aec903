// SPDX-License-Identifier: GPL-2.0
/* A library that load.c loads and unloads. */
int plug_call(int i);

__attribute__((noinline, noclone)) int plug_call(int i)
{
	__asm__ volatile("");
	return i + 1;
}
