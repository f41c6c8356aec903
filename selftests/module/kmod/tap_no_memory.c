// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a call of a function return NULL, as if there were no memory: distributions' kernels have no
 * fault injection. The function is one that allocates; its callers are found by their names.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/string.h>

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the function");

static char *caller = "";
module_param(caller, charp, 0444);
MODULE_PARM_DESC(caller, "only calls from a place whose name has this text, as FUNCTION+ or [MODULE]");

static unsigned int nth = 1;
module_param(nth, uint, 0444);
MODULE_PARM_DESC(nth, "of these calls each one that has this number or a multiple of it");

static atomic_t calls;

static noinline void *no_memory(void)
{
	return NULL;
}

static unsigned long caller_of(struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return procedure_link_pointer(regs);
#else
	return *(unsigned long *)kernel_stack_pointer(regs);
#endif
}

static int enter(struct kprobe *p, struct pt_regs *regs)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, caller_of(regs));
	if (!strstr(name, caller) || atomic_inc_return(&calls) % nth)
		return 0;
	/* It returns to the caller, as nothing was pushed yet. */
	instruction_pointer_set(regs, (unsigned long)no_memory);
	return 1;
}
NOKPROBE_SYMBOL(enter);

static struct kprobe probe = { .pre_handler = enter };

static int __init no_memory_init(void)
{
	if (!nth)
		return -EINVAL;
	probe.symbol_name = function;
	return register_kprobe(&probe);
}

static void __exit no_memory_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(no_memory_init);
module_exit(no_memory_exit);
MODULE_DESCRIPTION("Allocations that fail");
MODULE_LICENSE("GPL");
