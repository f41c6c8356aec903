/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_MM_H
#define _TAP_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
/* Before 6.3 vm_flags was changed in place, with mmap_lock held for writing. */
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)
/*
 * Before 5.12 a page that is charged to a memory cgroup had a page type, and
 * vm_insert_pages() refuses such pages: tasks in a cgroup could map nothing. So the pages
 * are mapped by page frame number. The page table entries hold no references then, and
 * get_user_pages() refuses the mapping. That is safe: the mapping holds the file, and the
 * session of the file holds the pages.
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
