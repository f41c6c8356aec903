// SPDX-License-Identifier: GPL-2.0
/*
 * The anchor of a session: how a reader of the machine's memory finds the rings after a crash. See
 * uapi/linux/tap_dump.h.
 *
 * Nothing here is on the way of an event. A dump may be taken at any instruction, and shows memory
 * as this CPU wrote it or not yet: so a list is complete before a number leads to it, and magic
 * words are cleared before pages are freed.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "common/anchor_sum.h"
#include "ring/anchor.h"
#include "ring/ring.h"

static struct tap_anchor_list *tap_anchor_list_at(u64 pfn)
{
	return page_address(pfn_to_page(pfn));
}

/* Frees the lists from @pfn on, and with @own the pages in them, up to the list @until. */
static void tap_anchor_lists_free(u64 pfn, u64 until, bool own)
{
	while (pfn != until) {
		struct tap_anchor_list *list = tap_anchor_list_at(pfn);
		u64 next = list->next;
		unsigned int i;

		WRITE_ONCE(list->magic, 0);
		for (i = 0; own && i < list->nr; i++)
			__free_page(pfn_to_page(tap_anchor_list_pages(list)[i]));
		__free_page(virt_to_page(list));
		cond_resched();
		pfn = next;
	}
}

/**
 * tap_anchor_list_bytes() - the memory of lists
 * @nr_pages: pages that are in them
 *
 * Return: bytes.
 */
u64 tap_anchor_list_bytes(u64 nr_pages)
{
	return DIV_ROUND_UP_ULL(nr_pages, tap_anchor_list_room(PAGE_SIZE)) << PAGE_SHIFT;
}

/*
 * Makes lists of @pages; the first one is like @head, and the last one leads to the list
 * @head->next. Returns the PFN of the first one, or 0: no memory.
 */
static u64 tap_anchor_lists_make(const struct tap_anchor_list *head, struct page **pages,
				 unsigned int nr_pages, gfp_t gfp)
{
	const unsigned int room = tap_anchor_list_room(PAGE_SIZE);
	u64 next = head->next;
	unsigned int first, i;

	/* The last one first: each contains the number of the next. */
	for (first = rounddown(nr_pages - 1, room);; first -= room) {
		struct page *page = alloc_page(gfp | __GFP_ZERO | __GFP_NOWARN);
		struct tap_anchor_list *list;

		if (!page) {
			tap_anchor_lists_free(next, head->next, false);
			return 0;
		}
		list = page_address(page);
		*list = *head;
		list->magic = TAP_ANCHOR_LIST_MAGIC;
		list->pfn = page_to_pfn(page);
		list->next = next;
		list->first = first;
		list->nr = min(nr_pages - first, room);
		for (i = 0; i < list->nr; i++)
			tap_anchor_list_pages(list)[i] = page_to_pfn(pages[first + i]);
		list->sum = tap_anchor_list_sum(list);
		next = list->pfn;
		if (!first)
			return next;
	}
}

/**
 * tap_anchor_add_ring() - list the pages of the ring of a CPU
 * @anchor: page of the anchor
 * @cpu: number of the CPU
 * @pages: all pages of the ring, in the order of its mapping
 * @nr_pages: number of @pages, more than 2
 * @gfp: how to allocate
 *
 * Context: process, may sleep; the caller allows one call for @anchor at a time.
 * Return: 0 or -ENOMEM.
 */
int tap_anchor_add_ring(struct page *anchor, unsigned int cpu, struct page **pages,
			unsigned int nr_pages, gfp_t gfp)
{
	struct tap_anchor *a = page_address(anchor);
	const struct tap_anchor_list head = {
		.next = a->rings, .kind = TAP_ANCHOR_RING, .cpu = cpu,
		.bytes = (u64)(nr_pages - 2) << PAGE_SHIFT,
	};
	u64 pfn = tap_anchor_lists_make(&head, pages, nr_pages, gfp);

	if (!pfn)
		return -ENOMEM;
	/* The lists first: a dump of this moment has them, or does not lead to them. */
	smp_store_release(&a->rings, pfn);
	return 0;
}

static void tap_anchor_pages_free(struct page **pages, unsigned int nr)
{
	while (nr--)
		__free_page(pages[nr]);
}

/* Copies @len bytes of user space to new pages. Returns 0, -ENOMEM, -EINTR or -EFAULT. */
static int tap_anchor_pages_copy(struct page **pages, const void __user *data, u64 len)
{
	unsigned int nr = 0;
	int ret = 0;
	u64 done;

	for (done = 0; done < len && !ret; done += PAGE_SIZE) {
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		pages[nr] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
		if (!pages[nr]) {
			ret = -ENOMEM;
			break;
		}
		if (copy_from_user(page_address(pages[nr++]), data + done,
				   min_t(u64, PAGE_SIZE, len - done)))
			ret = -EFAULT;
		cond_resched();
	}
	if (ret)
		tap_anchor_pages_free(pages, nr);
	return ret;
}

/**
 * tap_anchor_describe() - keep the description of a session
 * @anchor: page of the anchor
 * @data: see struct tap_describe
 * @len: as there; 0: none from now on
 *
 * The caller has charged the memory.
 *
 * Context: process, may sleep; the caller allows one call for @anchor at a time.
 * Return: 0; -ENOMEM; -EINTR: the task was killed; -EFAULT. On error the description is as before.
 */
int tap_anchor_describe(struct page *anchor, const void __user *data, u64 len)
{
	const struct tap_anchor_list head = { .kind = TAP_ANCHOR_DESCRIPTION, .bytes = len };
	unsigned int nr = DIV_ROUND_UP_ULL(len, PAGE_SIZE);
	struct tap_anchor *a = page_address(anchor);
	struct page **pages = NULL;
	u64 old, pfn = 0;
	int ret;

	if (nr) {
		pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL_ACCOUNT);
		if (!pages)
			return -ENOMEM;
		ret = tap_anchor_pages_copy(pages, data, len);
		if (ret)
			goto out;
		pfn = tap_anchor_lists_make(&head, pages, nr, GFP_KERNEL_ACCOUNT);
		if (!pfn) {
			tap_anchor_pages_free(pages, nr);
			ret = -ENOMEM;
			goto out;
		}
	}
	old = a->description;
	/* As in tap_anchor_add_ring(). */
	smp_store_release(&a->description, pfn);
	tap_anchor_lists_free(old, 0, true);
	ret = 0;
out:
	kvfree(pages);
	return ret;
}

/**
 * tap_anchor_publish() - let readers of a dump find the anchor
 * @anchor: its page, zeroed but for the lists
 * @owner: whose session it belongs to
 * @meta: page of struct tap_meta, filled in
 *
 * Context: any.
 */
void tap_anchor_publish(struct page *anchor, const struct tap_anchor_owner *owner,
			const struct page *meta)
{
	struct tap_anchor *a = page_address(anchor);

	a->magic = TAP_ANCHOR_MAGIC;
	a->pfn = page_to_pfn(anchor);
	a->version = TAP_ANCHOR_VERSION;
	a->length = sizeof(*a);
	a->page_size = PAGE_SIZE;
	a->pid = owner->pid;
	a->id = owner->id;
	a->opened = owner->opened;
	strscpy(a->comm, owner->comm, sizeof(a->comm));
	a->meta = page_to_pfn(meta);
	/* Until the checksum is there, this is no anchor. */
	smp_store_release(&a->sum, tap_anchor_sum(a));
}

/**
 * tap_anchor_free() - free an anchor, its lists and the description; not the pages of the rings
 * @anchor: its page
 *
 * Context: process, may sleep; nothing else uses @anchor.
 */
void tap_anchor_free(struct page *anchor)
{
	struct tap_anchor *a = page_address(anchor);

	WRITE_ONCE(a->magic, 0);
	tap_anchor_lists_free(a->rings, 0, false);
	tap_anchor_lists_free(a->description, 0, true);
	__free_page(anchor);
}
