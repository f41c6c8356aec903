// SPDX-License-Identifier: GPL-2.0
/*
 * Places whose kprobe would make the kernel read beyond the code of a module.
 *
 * On x86 register_kprobe() decodes the whole function, to see whether a jump may replace the
 * breakpoint (can_optimize()). The last function of a module ends, for the kernel, where the pages
 * of the module's code end. The decoder looks at further bytes of an instruction that begins there:
 * since 6.4 nothing need be mapped behind, and the kernel faults. Functions of .exit.text are
 * last, so that "call:MODULE:*" meets one in each module. A kprobe on ftrace is not decoded.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "probes/kprobe_overrun.h"

#if TAP_MODULE_TEXT_ALONE && defined(CONFIG_OPTPROBES) && defined(CONFIG_X86)

/* Bytes of the call of ftrace, or of the nop in its place. */
#define TAP_FTRACE_CALL_BYTES	5

/*
 * Whether an offset is in front of the first instruction behind the call of ftrace. A kprobe at the
 * call itself is on ftrace; others there are inside an instruction, and the kernel refuses them
 * before it decodes the rest of the function.
 */
static bool tap_in_fentry(const struct module *mod, unsigned long addr, unsigned int offset)
{
	unsigned long call = tap_module_ftrace_call(mod, addr);

	return call && addr + offset < call + TAP_FTRACE_CALL_BYTES;
}

/* Whether a symbol of the module begins behind @addr and before @end. */
static bool tap_symbol_follows(const struct mod_kallsyms *syms, unsigned long addr,
			       unsigned long end)
{
	unsigned int i;

	for (i = 1; i < syms->num_symtab; i++)
		if (syms->strtab[syms->symtab[i].st_name] &&
		    syms->symtab[i].st_value > addr && syms->symtab[i].st_value < end)
			return true;
	return false;
}

/* Whether @name of this module, with @offset, is in a last function that ends before a hole. */
static bool tap_module_overrun(const struct module *mod, const char *name, unsigned int offset)
{
	const struct mod_kallsyms *syms;
	unsigned long addr, end;
	unsigned int i;
	u8 byte;

	syms = rcu_dereference_check(mod->kallsyms, rcu_read_lock_held());
	if (!syms)
		return false;
	for (i = 1; i < syms->num_symtab; i++) {
		if (strcmp(syms->strtab + syms->symtab[i].st_name, name))
			continue;
		addr = syms->symtab[i].st_value;
		if (tap_in_fentry(mod, addr, offset))
			continue;
		end = tap_module_text_end(mod, addr + offset);
		if (end && !tap_symbol_follows(syms, addr + offset, end) &&
		    copy_from_kernel_nofault(&byte, (void *)PAGE_ALIGN(end), 1))
			return true;
	}
	return false;
}

/* Whether a kprobe that is not yet registered may be in such a place of one module. */
static bool tap_kprobe_overruns_in(const struct module *mod, const struct kprobe *kp)
{
	const char *colon = strchr(kp->symbol_name, ':');
	const char *name = colon ? colon + 1 : kp->symbol_name;

	if (mod->state == MODULE_STATE_UNFORMED)
		return false;
	if (colon && (strlen(mod->name) != colon - kp->symbol_name ||
		      memcmp(mod->name, kp->symbol_name, colon - kp->symbol_name)))
		return false;
	return tap_module_overrun(mod, name, kp->offset);
}

/*
 * The same for all modules. They are found by the list that this one is in. Its head is skipped: it
 * is in the kernel's image, not where modules are. A module is freed after synchronize_rcu(), which
 * waits for this function.
 */
bool tap_kprobe_overruns(const struct kprobe *kp)
{
	const struct module *mod;
	bool found;

	rcu_read_lock();
	found = tap_kprobe_overruns_in(THIS_MODULE, kp);
	list_for_each_entry_rcu(mod, &THIS_MODULE->list, list) {
		if (found)
			break;
		if ((unsigned long)mod >= MODULES_VADDR && (unsigned long)mod < MODULES_END)
			found = tap_kprobe_overruns_in(mod, kp);
	}
	rcu_read_unlock();
	return found;
}

#else

bool tap_kprobe_overruns(const struct kprobe *kp)
{
	return false;
}

#endif
