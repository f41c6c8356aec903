/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_MM_H
#define _TAP_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
/* Until 6.3 the flags of a mapping were changed in place. */
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)
/*
 * Until 5.12 pages that are charged to a memory cgroup had a type of their own,
 * of which none could be inserted into a mapping: tasks in a cgroup could
 * map nothing. So they are mapped by their numbers. No entry holds a reference
 * then, and nobody can take one through the mapping: it holds the file, and that
 * its pages.
 */
#define vm_insert_pages	tap_vm_insert_pages
static inline int tap_vm_insert_pages(struct vm_area_struct *vma, unsigned long addr,
				      struct page **pages, unsigned long *nr)
{
	unsigned long i;
	int ret = 0;

	for (i = 0; i < *nr && !ret; i++)
		ret = remap_pfn_range(vma, addr + i * PAGE_SIZE,
				      page_to_pfn(pages[i]), PAGE_SIZE,
				      vma->vm_page_prot);
	return ret;
}
#endif

#endif /* _TAP_COMPAT_LINUX_MM_H */
