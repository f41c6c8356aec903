// SPDX-License-Identifier: GPL-2.0
/*
 * Maps the pages of a session, and decides which of them may be written.
 *
 * A mapping has no state of its own. Every page table entry holds a reference to its page,
 * and the mapping holds the file, so no callback is needed if a mapping is split, moved or
 * partly unmapped. VM_DONTEXPAND forbids growing a mapping, VM_DONTCOPY inheriting it.
 * (On 5.10 the entries hold no references, see compat/linux/mm.h.)
 */
#include <linux/mm.h>
#include <linux/nospec.h>

#include "ring/ring.h"

/* Index of the head page in a ring's mapping; page 0 is the tail. */
#define TAP_RING_HEAD_INDEX	1

/* Pages after which the insertion lets other tasks run: a mapping may have 2^18. */
#define TAP_MMAP_YIELD_PAGES	1024UL

/* Inserts pages into a mapping that has checked bounds; sets the flags of the mapping. */
static int tap_vma_insert(struct vm_area_struct *vma, struct page **pages,
			  bool may_write)
{
	unsigned long done, nr, total = vma_pages(vma);
	int ret;

	if (vma->vm_flags & VM_EXEC || !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE && !may_write)
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | (may_write ? 0 : VM_MAYWRITE));
	/* After an error the caller unmaps what was inserted. */
	for (done = 0; done < total; done += nr) {
		unsigned long left = min(total - done, TAP_MMAP_YIELD_PAGES);

		nr = left;
		ret = vm_insert_pages(vma, vma->vm_start + (done << PAGE_SHIFT),
				      pages + done, &left);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/**
 * tap_rings_end() - size of the layout of uapi/linux/tap_ring.h
 * @rings: rings for which tap_rings_ready() is true
 *
 * Context: any.
 * Return: the first offset behind the last ring, in pages.
 */
u64 tap_rings_end(const struct tap_rings *rings)
{
	return (rings->stride >> PAGE_SHIFT) * (nr_cpu_ids + 1);
}

/**
 * tap_rings_mmap() - map the meta page, a tail page, or head and slots
 * @rings: rings for which tap_rings_ready() is true
 * @vma: as for file_operations.mmap
 * @first: offset in the layout of uapi/linux/tap_ring.h, in pages
 *
 * Context: process, mmap_lock held for writing; without the session's lock.
 * Return: 0; -EINVAL: the area is not one of uapi/linux/tap_ring.h, or it is executable or
 *	private; -EPERM: a writable mapping of pages that may only be read; -ENXIO: a CPU
 *	that is not possible on this machine; -ENODATA: a CPU that has no ring yet; -ENOMEM.
 */
int tap_rings_mmap(struct tap_rings *rings, struct vm_area_struct *vma, u64 first)
{
	u64 stride = rings->stride >> PAGE_SHIFT;
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
	cpu = (first >> ilog2(stride)) - 1;
	first &= stride - 1;
	if (first >= total || nr > total - first)
		return -EINVAL;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENXIO;
	ring = per_cpu_ptr(rings->ring, array_index_nospec(cpu, nr_cpu_ids));
	if (!tap_ring_exists(ring))
		return -ENODATA;
	if (first < TAP_RING_HEAD_INDEX)
		return nr == 1 ? tap_vma_insert(vma, ring->pages, true) : -EINVAL;
	return tap_vma_insert(vma, ring->pages + first, false);
}
