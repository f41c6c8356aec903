// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping a session: which offset is which page, and who may write it.
 *
 * There is no state per mapping. Every page table entry holds a reference to
 * its page and the mapping holds the file, so splitting, moving and partly
 * unmapping a mapping need no callbacks. VM_DONTEXPAND and VM_DONTCOPY forbid
 * growing and inheriting it.
 */
#include <linux/mm.h>

#include "ring/ring.h"

/* Index of the head page in a ring's mapping; page 0 is the tail. */
#define TAP_RING_HEAD_INDEX	1

/* The mapping cannot be executable, grow, be inherited or be in a core dump. */
static int tap_vma_insert(struct vm_area_struct *vma, struct page **pages,
			  bool may_write)
{
	unsigned long nr = vma_pages(vma);

	if (vma->vm_flags & VM_EXEC || !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE && !may_write)
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | (may_write ? 0 : VM_MAYWRITE));
	return vm_insert_pages(vma, vma->vm_start, pages, &nr);
}

/**
 * tap_rings_mmap() - map the meta page, a tail page, or head and slots
 * @rings: rings that are ready
 * @vma: as for mmap
 *
 * Context: process, mmap_lock held for writing.
 * Return: 0; -EINVAL: not one of the areas of uapi/linux/tap_ring.h, or
 *	executable, or private; -EPERM: writable where only reading is allowed;
 *	-ENXIO: a CPU that this machine cannot have.
 */
int tap_rings_mmap(struct tap_rings *rings, struct vm_area_struct *vma)
{
	u64 stride = rings->stride >> PAGE_SHIFT;
	u64 first = vma->vm_pgoff;
	u64 nr = vma_pages(vma);
	u64 total = (rings->bytes >> PAGE_SHIFT) + 2;
	struct tap_ring *ring;
	u64 cpu;

	if (!first)
		return nr == 1 ? tap_vma_insert(vma, &rings->meta, false) :
				 -EINVAL;
	/* The meta page is alone in the first stride; ring 0 begins at one stride. */
	if (first < stride)
		return -EINVAL;
	/* The stride is a power of two. */
	cpu = (first >> ilog2(stride)) - 1;
	first &= stride - 1;
	if (first >= total || nr > total - first)
		return -EINVAL;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENXIO;
	ring = per_cpu_ptr(rings->ring, cpu);
	if (first < TAP_RING_HEAD_INDEX)
		return nr == 1 ? tap_vma_insert(vma, ring->pages, true) : -EINVAL;
	return tap_vma_insert(vma, ring->pages + first, false);
}
