/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_MODULE_H
#define _TAP_COMPAT_LINUX_MODULE_H

#include_next <linux/module.h>
#include <linux/version.h>

/*
 * Since 6.4 the code of a module is an allocation of its own, with nothing mapped behind it.
 * Before, its data follow.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define TAP_MODULE_TEXT_ALONE	1

/**
 * tap_module_text_end() - the end of the code of a module around an address
 * @mod: the module
 * @addr: an address
 *
 * Return: the first address behind that code; 0 if @addr is not in code of the module.
 */
static inline unsigned long tap_module_text_end(const struct module *mod, unsigned long addr)
{
	if (within_module_mem_type(addr, mod, MOD_TEXT))
		return (unsigned long)mod->mem[MOD_TEXT].base + mod->mem[MOD_TEXT].size;
	if (within_module_mem_type(addr, mod, MOD_INIT_TEXT))
		return (unsigned long)mod->mem[MOD_INIT_TEXT].base + mod->mem[MOD_INIT_TEXT].size;
	return 0;
}

/**
 * tap_module_ftrace_call() - the call of ftrace at the entry of a function of a module
 * @mod: the module
 * @addr: start of the function
 *
 * On x86 it is the first instruction, or the second one behind endbr64 (4 bytes).
 *
 * Context: any; the module is not freed meanwhile.
 * Return: the address of the call, or of the nop in its place; 0: there is none.
 */
static inline unsigned long tap_module_ftrace_call(const struct module *mod, unsigned long addr)
{
#ifdef CONFIG_DYNAMIC_FTRACE
	unsigned int i;

	for (i = 0; i < mod->num_ftrace_callsites; i++)
		if (mod->ftrace_callsites[i] - addr <= 4)
			return mod->ftrace_callsites[i];
#endif
	return 0;
}
#else
#define TAP_MODULE_TEXT_ALONE	0

static inline unsigned long tap_module_text_end(const struct module *mod, unsigned long addr)
{
	return 0;
}
#endif

#endif /* _TAP_COMPAT_LINUX_MODULE_H */
