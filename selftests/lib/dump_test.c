// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of dumps: an ELF file with the memory of a machine that ran two sessions, whose pages lie
 * scattered; the same with much damage. Built with sanitizers.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/fake_ring.h"

#include "file/file_internal.h"
#include "module/common/anchor_sum.h"

#define PAGE		4096ULL
/* The machine: memory from 1 MiB on, in two parts with a hole. */
#define FIRST_PFN	0x100ULL
#define HOLE_PFN	0x1c0ULL
#define AFTER_PFN	0x10000ULL
#define PAGES		0x180ULL
#define RING_BYTES	(16 * PAGE)

static char path[] = "/tmp/tap-dump-test-XXXXXX";
static char out[64];
static char *memory;

/* Pages are given out in an order that is not that of their numbers. */
static __u64 taken;

static char *page_at(__u64 pfn)
{
	return memory + PAGE * (pfn < HOLE_PFN ? pfn - FIRST_PFN :
						 pfn - AFTER_PFN + (HOLE_PFN - FIRST_PFN));
}

static __u64 new_page(void)
{
	__u64 index = taken++ * 7 % PAGES;

	if (taken > PAGES)
		abort();
	return index < HOLE_PFN - FIRST_PFN ? FIRST_PFN + index :
					      AFTER_PFN + index - (HOLE_PFN - FIRST_PFN);
}

/* Copies bytes to new pages. */
static __u64 *copy_to_pages(const char *data, size_t len, size_t *nr)
{
	__u64 *pfns = calloc(len / PAGE + 1, sizeof(*pfns));

	for (*nr = 0; *nr * PAGE < len; ++*nr) {
		size_t left = len - *nr * PAGE;

		pfns[*nr] = new_page();
		memcpy(page_at(pfns[*nr]), data + *nr * PAGE, left < PAGE ? left : PAGE);
	}
	return pfns;
}

/* Lists with 5 pages each, so that a ring has several. */
static __u64 make_lists(const struct tap_anchor_list *head, const __u64 *pfns, size_t nr)
{
	__u64 next = head->next, pfn;
	size_t first = (nr - 1) / 5 * 5;

	for (;; first -= 5) {
		struct tap_anchor_list *list;

		pfn = new_page();
		list = (void *)page_at(pfn);
		*list = *head;
		list->magic = TAP_ANCHOR_LIST_MAGIC;
		list->pfn = pfn;
		list->next = next;
		list->first = (__u32)first;
		list->nr = nr - first < 5 ? (__u32)(nr - first) : 5;
		memcpy(tap_anchor_list_pages(list), pfns + first, list->nr * sizeof(*pfns));
		list->sum = tap_anchor_list_sum(list);
		next = pfn;
		if (!first)
			return pfn;
	}
}

static __u64 make_ring(const struct fake *f, unsigned int cpu, __u64 next)
{
	const struct tap_anchor_list head = {
		.next = next, .kind = TAP_ANCHOR_RING, .cpu = cpu, .bytes = RING_BYTES,
	};
	char *bytes = calloc(1, 2 * PAGE + RING_BYTES);
	__u64 *pfns, pfn;
	size_t nr;

	memcpy(bytes, &f->tail[cpu], sizeof(f->tail[cpu]));
	memcpy(bytes + PAGE, f->head[cpu], PAGE + RING_BYTES);
	pfns = copy_to_pages(bytes, 2 * PAGE + RING_BYTES, &nr);
	pfn = make_lists(&head, pfns, nr);
	free(pfns);
	free(bytes);
	return pfn;
}

/* Returns the PFN of the anchor. */
static __u64 make_session(const struct fake *f, unsigned int nr_cpus, __u64 id,
			  const void *description, size_t len)
{
	struct tap_anchor anchor = {
		.magic = TAP_ANCHOR_MAGIC, .pfn = new_page(), .version = TAP_ANCHOR_VERSION,
		.length = sizeof(anchor), .page_size = PAGE, .pid = 1234, .id = id,
		.opened = 5000000000, .comm = "tap\033[2J", .meta = new_page(),
	};
	struct tap_meta meta = f->meta;
	unsigned int cpu;

	meta.magic = TAP_META_MAGIC;
	meta.version = TAP_META_VERSION;
	meta.length = sizeof(meta);
	meta.page_size = PAGE;
	meta.ring_bytes = RING_BYTES;
	memcpy(page_at(anchor.meta), &meta, sizeof(meta));
	for (cpu = 0; cpu < nr_cpus; cpu++)
		anchor.rings = make_ring(f, cpu, anchor.rings);
	if (len) {
		const struct tap_anchor_list head = {
			.kind = TAP_ANCHOR_DESCRIPTION, .bytes = len,
		};
		size_t nr;
		__u64 *pfns = copy_to_pages(description, len, &nr);

		anchor.description = make_lists(&head, pfns, nr);
		free(pfns);
	}
	anchor.sum = tap_anchor_sum(&anchor);
	memcpy(page_at(anchor.pfn), &anchor, sizeof(anchor));
	return anchor.pfn;
}

static void save(const char *name, size_t len)
{
	const struct {
		Elf64_Ehdr head;
		Elf64_Phdr part[3];
	} elf = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
			.e_type = ET_CORE, .e_phoff = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3,
		},
		.part = {
			{ .p_type = PT_NOTE },
			{ .p_type = PT_LOAD, .p_offset = PAGE, .p_paddr = FIRST_PFN * PAGE,
			  .p_filesz = (HOLE_PFN - FIRST_PFN) * PAGE },
			{ .p_type = PT_LOAD, .p_offset = PAGE * (1 + HOLE_PFN - FIRST_PFN),
			  .p_paddr = AFTER_PFN * PAGE,
			  .p_filesz = (PAGES - (HOLE_PFN - FIRST_PFN)) * PAGE },
		},
	};
	FILE *f = fopen(name, "w");

	if (!f || fwrite(&elf, sizeof(elf), 1, f) != 1 || fseek(f, PAGE, SEEK_SET) ||
	    fwrite(memory, len, 1, f) != 1 || fclose(f))
		abort();
}

/* Events of two CPUs, more than the rings hold. */
static void fill(struct fake *f, __u64 events)
{
	__u64 i;

	for (i = 0; i < events; i++) {
		fake_time = 1000 + 10 * i;
		/* The reader takes all at once: what it has taken is in the dump. */
		f->tail[i % 2].tail = ((struct tap_ring_head *)f->head[i % 2])->head;
		if (!fake_write(f, i % 2, 1, i % 3 ? 1 : 3, i))
			abort();
	}
}

/**
 * struct content - what a trace file has
 * @nr: records
 * @slots: slots of all of them
 * @named: all of them match a probe
 * @gaps: records that do not follow the one before on their CPU
 * @last: number of the last event of each CPU
 */
struct content {
	__u64 nr;
	__u64 slots;
	bool named;
	__u64 gaps;
	__u64 last[2];
};

/* Each CPU has each @step-th event. */
static struct content read_file(const char *name, __u64 step)
{
	struct content c = { .named = true };
	struct tap_file_reader *file;
	__u64 seen[2] = { 0 };
	struct tap_error err;
	struct tap_event ev;

	if (tap_file_open(&file, name, &err)) {
		check(false, "%s", err.text);
		return c;
	}
	while (tap_file_next(file, &ev)) {
		__u64 number = ev.rec->value[0] >> 16 & UINT32_MAX;

		c.nr++;
		c.slots += ev.slots;
		c.gaps += ev.cpu > 1 || (seen[ev.cpu % 2]++ && number != c.last[ev.cpu % 2] + step);
		c.last[ev.cpu % 2] = number;
		c.named &= !tap_decode(tap_file_probes(file), &ev);
	}
	check(!tap_file_cut(file), "the trace file is whole");
	tap_file_close(file);
	return c;
}

static struct tap_probes probes;
static const struct tap_field fields[] = { FIELD("a", U64, 0, 1) };

static void test_whole(__u64 events)
{
	struct tap_dump_session s = { .size = sizeof(s) };
	struct tap_dump *dump;
	struct tap_error err;
	struct content c;

	if (tap_dump_open(&dump, path, NULL, &err)) {
		check(false, "%s", err.text);
		return;
	}
	ok(!tap_dump_session(dump, 0, &s) && s.id == 3 && s.pid == 1234 && s.nr_rings == 2,
	   "the first session");
	ok(same(s.comm, "tap?[2J"), "its process, without what a terminal would obey");
	ok(s.described && !s.rings_damaged, "its rings and its description are there");
	ok(s.unwritten == TAP_SLOT_SIZE, "one slot was being written");
	ok(!tap_dump_write(dump, 0, out, &err), "it is written");
	c = read_file(out, 2);
	ok(c.nr == s.records && c.nr < events && c.named, "its records have names");
	ok(!c.gaps && c.last[0] == events - 2 && c.last[1] == events - 1,
	   "they are the last ones of each CPU, those that were read among them");
	/* The oldest record of a ring may lack its first two slots; one slot is being written. */
	ok(c.slots >= 2 * (RING_BYTES / TAP_SLOT_SIZE - 2) - 1, "they are all that the rings hold");
	ok(!tap_dump_session(dump, 1, &s) && s.id == 7 && s.nr_rings == 1 && !s.described,
	   "the second session has no description");
	ok(!tap_dump_write(dump, 1, out, &err), "it is written");
	c = read_file(out, 1);
	ok(c.nr == 3 && !c.gaps && c.last[0] == 3 && !c.named, "its records have no names");
	ok(tap_dump_session(dump, 2, &s) == -ENOENT &&
	   tap_dump_write(dump, 2, out, &err) == -ENOENT, "there is no third one");
	tap_dump_close(dump);
}

static void refused(const char *what, int want)
{
	struct tap_dump *dump;
	struct tap_error err;
	int ret = tap_dump_open(&dump, path, NULL, &err);

	check(ret == want, "%s: %s", what, ret ? err.text : "opened");
	if (!ret)
		tap_dump_close(dump);
}

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

/* What is no dump, and what a copy of an anchor elsewhere is. */
static void test_refused(__u64 anchor, __u64 other)
{
	char kept[PAGE];

	put("");
	refused("an empty file", -EBADMSG);
	put("\177ELF, and then a text of more than sixty-four bytes, so that it is as long as a head");
	refused("an ELF file that is no dump", -EBADMSG);
	memcpy(kept, page_at(other), PAGE);
	memcpy(page_at(other), page_at(anchor), PAGE);
	memset(page_at(anchor), 0, PAGE);
	save(path, PAGES * PAGE);
	refused("an anchor at another place than its own", -ENOENT);
	memcpy(page_at(anchor), page_at(other), PAGE);
	((struct tap_anchor *)page_at(anchor))->version++;
	memset(page_at(other), 0, PAGE);
	save(path, PAGES * PAGE);
	refused("an anchor of a later version", -ENOENT);
	((struct tap_anchor *)page_at(anchor))->version--;
	memcpy(page_at(other), kept, PAGE);
	save(path, PAGES * PAGE);
}

/* Pages whose damage matters: all that begin with a magic word, and the heads of rings. */
static __u64 some_page(__u64 (*magic)[2])
{
	__u64 i = (__u64)rand() % PAGES;

	/* Half of the damage is where numbers of pages are. */
	if (rand() % 2)
		for (; i < PAGES; i++) {
			memcpy(magic, memory + i * PAGE, sizeof(*magic));
			if ((*magic)[0] == TAP_ANCHOR_MAGIC || (*magic)[0] == TAP_ANCHOR_LIST_MAGIC ||
			    (*magic)[0] == TAP_META_MAGIC)
				break;
		}
	return i < PAGES ? i : (__u64)rand() % PAGES;
}

/*
 * Each damaged dump gives an error or what is whole: never a record that was not there. The numbers of
 * lists and anchors are mended afterwards in every second one, as if their sums were right.
 */
static void test_damaged(unsigned int runs, __u64 events)
{
	char *good = malloc(PAGES * PAGE);
	unsigned int run, opened = 0, wrote = 0, wrong = 0;

	memcpy(good, memory, PAGES * PAGE);
	for (run = 0; run < runs; run++) {
		struct tap_dump_session s = { .size = sizeof(s) };
		__u64 magic[2], page = some_page(&magic), at = page * PAGE;
		struct tap_dump *dump;
		struct tap_error err;
		unsigned int i;
		int fd;

		for (i = 1 + (unsigned int)rand() % 4; i--;)
			damage_at(memory + at, PAGE, (size_t)rand() % (rand() % 2 ? 128 : PAGE));
		if (run % 2) {
			struct tap_anchor *a = (void *)(memory + at);
			struct tap_anchor_list *l = (void *)(memory + at);

			if (a->magic == TAP_ANCHOR_MAGIC)
				a->sum = tap_anchor_sum(a);
			if (l->magic == TAP_ANCHOR_LIST_MAGIC && l->nr <= tap_anchor_list_room(PAGE))
				l->sum = tap_anchor_list_sum(l);
		}
		fd = open(path, O_WRONLY);
		if (pwrite(fd, memory + at, PAGE, (off_t)(PAGE + at)) != (ssize_t)PAGE)
			abort();
		if (!tap_dump_open(&dump, path, NULL, &err)) {
			opened++;
			for (i = 0; !tap_dump_session(dump, i, &s); i++)
				wrong += s.records > 2 * events + 3;
			for (i = 0; i < 2; i++)
				wrote += !tap_dump_write(dump, i, out, &err);
			tap_dump_close(dump);
		}
		memcpy(memory + at, good + at, PAGE);
		if (pwrite(fd, memory + at, PAGE, (off_t)(PAGE + at)) != (ssize_t)PAGE)
			abort();
		close(fd);
	}
	check(!wrong && opened && wrote, "%u damaged dumps: %u opened, %u sessions written", runs, opened,
	      wrote);
	free(good);
}

/* Of a dump that was cut the first part is read. */
static void test_cut(void)
{
	struct tap_dump_session s;
	struct tap_dump *dump;
	struct tap_error err;
	unsigned int i, damaged = 0, refusals = 0;
	__u64 pages;

	for (pages = 1; pages < PAGES; pages += 5) {
		save(path, pages * PAGE);
		if (tap_dump_open(&dump, path, NULL, &err)) {
			refusals++;
			continue;
		}
		for (i = 0; s.size = sizeof(s), !tap_dump_session(dump, i, &s); i++)
			damaged += s.rings_damaged || s.unwritten > TAP_SLOT_SIZE || s.nr_rings < 2;
		for (i = 0; i < 2; i++)
			tap_dump_write(dump, i, out, &err);
		tap_dump_close(dump);
	}
	check(refusals && damaged, "of cut dumps %u have no session, %u sessions lack something", refusals,
	      damaged);
}

int main(int argc, char **argv)
{
	const unsigned int runs = argc > 1 ? (unsigned int)atoi(argv[1]) : 2000;
	const __u64 events = 4001;
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 2, .page_size = PAGE };
	__u64 anchor, other;
	struct fake f, g;
	void *description;
	size_t len;
	int fd = mkstemp(path);

	close(fd);
	snprintf(out, sizeof(out), "%s.tap", path);
	memory = calloc(PAGES, PAGE);
	fake_init(&f, 2, RING_BYTES, 0);
	fake_init(&g, 1, RING_BYTES, 0);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:vfs_read", 1, fields, 1);
	fill(&f, events - 1);
	fake_time = 1000 + 10 * (events - 1);
	tap_ring_reserve(&f.w[1], TAP_SLOT_SIZE);
	fake_write(&g, 0, 1, 1, 1);
	fake_write(&g, 0, 1, 1, 2);
	fake_write(&g, 0, 1, 1, 3);
	f.meta.nr_rings = 2;
	g.meta.nr_rings = 1;
	if (tap_file_description(&info, &f.meta, &probes, &description, &len))
		abort();
	anchor = make_session(&f, 2, 3, description, len);
	other = make_session(&g, 1, 7, NULL, 0);
	save(path, PAGES * PAGE);
	test_whole(events - 1);
	/* The only session is then the one whose anchor moves. */
	{
		char kept[PAGE];

		memcpy(kept, page_at(other), PAGE);
		memset(page_at(other), 0, PAGE);
		test_refused(anchor, new_page());
		memcpy(page_at(other), kept, PAGE);
	}
	save(path, PAGES * PAGE);
	srand(1);
	test_damaged(runs, events);
	test_cut();
	free(description);
	free(memory);
	tap_probes_clear(&probes);
	fake_free(&f);
	fake_free(&g);
	unlink(path);
	unlink(out);
	return check_end();
}
