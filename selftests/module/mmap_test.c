// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the mapping: its parts, lengths and rights; that a read-only part cannot be made
 * writable in any way that the kernel offers; and what happens when a mapping is split, moved
 * or inherited, or outlives its file.
 */
#include "selftests/module/tap_harness.h"
#include "selftests/module/compat32.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define RING_PAGES	4

FIXTURE(map)
{
	struct test_session s;
	size_t page;
	__u64 ring;	/* offset of the ring of CPU 0 */
	__u64 stride;
	unsigned int nr_rings;
	int target;
};

FIXTURE_VARIANT(map)
{
	int open_flags;
};

FIXTURE_VARIANT_ADD(map, read_write)
{
	.open_flags = O_RDWR,
};

FIXTURE_VARIANT_ADD(map, read_only)
{
	.open_flags = O_RDONLY,
};

FIXTURE_SETUP(map)
{
	struct tap_setup setup;

	self->s.fd = -1;
	self->target = -1;
	test_need_root();
	test_need_target();
	memset(&self->s, 0, sizeof(self->s));
	self->target = test_target_open(_metadata);
	self->page = sysconf(_SC_PAGESIZE);
	self->s.fd = open(TAP_DEVICE, variant->open_flags | O_CLOEXEC);
	ASSERT_LE(0, self->s.fd);
	ASSERT_EQ(0, _test_ioctl_setup(self->s.fd, RING_PAGES * self->page, 0, 0,
				       &setup));
	self->ring = setup.out_ring_offset;
	self->stride = setup.out_ring_stride;
	self->nr_rings = setup.out_nr_rings;
}

FIXTURE_TEARDOWN(map)
{
	test_teardown();
}

/* Parts of a session's mapping. */
enum part { META, TAIL, HEAD, SLOTS, NR_PARTS };

static const char *const part_names[NR_PARTS] = { "meta", "tail", "head", "slots" };

static __u64 part_offset(const FIXTURE_DATA(map) *self, enum part part)
{
	return part == META ? 0 : self->ring + (part - TAIL) * self->page;
}

/*
 * The result that mmap() must have, computed from uapi/linux/tap_ring.h alone.
 *
 * Return: an errno, or 0.
 */
static int oracle(const FIXTURE_DATA(map) *self, int open_flags, __u64 page,
		  __u64 nr, int prot, int flags)
{
	__u64 stride = self->stride / self->page;
	__u64 first, cpu;
	bool writable = false;

	/* The kernel checks this before the driver. */
	if (open_flags == O_RDONLY && prot & PROT_WRITE &&
	    (flags & MAP_TYPE) != MAP_PRIVATE)
		return EACCES;
	/* The meta page is where the ring -1 would be. */
	if (page < self->ring / self->page) {
		if (page || nr != 1)
			return EINVAL;
	} else {
		first = (page - self->ring / self->page) % stride;
		cpu = (page - self->ring / self->page) / stride;
		if (first >= RING_PAGES + 2 || nr > RING_PAGES + 2 - first)
			return EINVAL;
		if (cpu >= self->nr_rings)
			return ENXIO;
		if (!first) {
			if (nr != 1)
				return EINVAL;
			writable = true;
		}
	}
	if (prot & PROT_EXEC || (flags & MAP_TYPE) == MAP_PRIVATE)
		return EINVAL;
	if (prot & PROT_WRITE && !writable)
		return EPERM;
	return 0;
}

/* A way to map, at an address that the kernel chooses; @page and @nr in pages. */
typedef void *(*map_fn)(const FIXTURE_DATA(map) *self, __u64 page, __u64 nr, int prot,
			int kind);

static void *map_wide(const FIXTURE_DATA(map) *self, __u64 page, __u64 nr, int prot, int kind)
{
	return mmap(NULL, nr * self->page, prot, kind, self->s.fd, page * self->page);
}

/* Tries one mapping and compares with oracle(). Returns whether it succeeded. */
static bool try_map(struct __test_metadata *_metadata,
		    const FIXTURE_DATA(map) *self, map_fn map, int open_flags,
		    __u64 page, __u64 nr, int prot, int kind)
{
	int want = oracle(self, open_flags, page, nr, prot, kind);
	void *at = map(self, page, nr, prot, kind);
	int got = at == MAP_FAILED ? errno : 0;

	if (!got)
		munmap(at, nr * self->page);
	/* The kernel itself refuses mappings that end at 2^64 or beyond. */
	if (page + nr >= 1ULL << 52) {
		EXPECT_NE(0, got);
		return false;
	}
	/* If /dev is mounted noexec, the kernel checks that first. */
	if (prot & PROT_EXEC && got == EPERM)
		return false;
	/* A private writable mapping may need memory, which the kernel reserves first. */
	if (kind == MAP_PRIVATE && got == ENOMEM)
		return false;
	ASSERT_EQ(want, got)
		TH_LOG("page %#llx, %llu pages, prot %d, %s", page, nr, prot,
		       kind == MAP_SHARED ? "shared" : "private");
	return !got;
}

/* Tries all starts up to @last, with all lengths, rights and kinds. */
static void try_all(struct __test_metadata *_metadata, const FIXTURE_DATA(map) *self,
		    map_fn map, int open_flags, __u64 last)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE,
		PROT_EXEC, PROT_READ | PROT_EXEC,
		PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	__u64 stride = self->stride / self->page;
	__u64 ring = self->ring / self->page;
	const __u64 pages[] = {
		0, 1, ring - 1,
		ring, ring + 1, ring + 2, ring + 3, ring + 1 + RING_PAGES,
		ring + 2 + RING_PAGES, ring + stride - 1,
		ring + (self->nr_rings - 1) * stride,
		ring + (self->nr_rings - 1) * stride + 1,
		ring + self->nr_rings * stride,
		ring + self->nr_rings * stride + 1,
		ring + 1000000 * stride, 1ULL << 20, 1ULL << 31, 1ULL << 32,
		(1ULL << 51) - 1, 1ULL << 51, (1ULL << 52) - stride,
		(1ULL << 52) - 2, (1ULL << 52) - 1,
	};
	const __u64 lengths[] = {
		1, 2, 3, RING_PAGES - 1, RING_PAGES, RING_PAGES + 1,
		RING_PAGES + 2, RING_PAGES + 3, stride, stride + 1, 1ULL << 18,
	};
	unsigned int i, mapped = 0;

	for (i = 0; i < ARRAY_SIZE(pages) * ARRAY_SIZE(lengths) *
			ARRAY_SIZE(prots) * 2; i++) {
		unsigned int rest = i / 2;
		int prot = prots[rest % ARRAY_SIZE(prots)];
		__u64 nr, page;

		rest /= ARRAY_SIZE(prots);
		nr = lengths[rest % ARRAY_SIZE(lengths)];
		page = pages[rest / ARRAY_SIZE(lengths)];
		if (page <= last)
			mapped += try_map(_metadata, self, map, open_flags, page, nr, prot,
					  i % 2 ? MAP_PRIVATE : MAP_SHARED);
	}
	EXPECT_LT(10, mapped);
}

TEST_F_TIMEOUT(map, gives_what_the_contract_says_and_nothing_else, 120)
{
	try_all(_metadata, self, map_wide, variant->open_flags, -1);
}

#ifdef __x86_64__
static void *map_compat32(const FIXTURE_DATA(map) *self, __u64 page, __u64 nr, int prot, int kind)
{
	long at = compat32_syscall(COMPAT32_MMAP2, 0, nr * self->page, prot, kind, self->s.fd, page);

	return at < 0 ? MAP_FAILED : (void *)at;
}

/* mmap2 takes a page number of 32 bits and must give the same. */
TEST_F_TIMEOUT(map, is_the_same_for_32_bit_callers, 120)
{
	const struct tap_meta *meta = map_compat32(self, 0, 1, PROT_READ, MAP_SHARED);
	enum part part;

	if (meta == MAP_FAILED && errno == ENOSYS)
		SKIP(return, "this kernel runs no 32-bit programs");
	ASSERT_NE(MAP_FAILED, (void *)meta);
	EXPECT_EQ(self->ring, meta->ring_offset);
	for (part = META; part < NR_PARTS; part++) {
		void *wide = test_map(self->s.fd, self->page, PROT_READ, part_offset(self, part));
		void *compat32 = map_compat32(self, part_offset(self, part) / self->page, 1,
					  PROT_READ, MAP_SHARED);

		ASSERT_NE(MAP_FAILED, wide);
		ASSERT_NE(MAP_FAILED, compat32);
		EXPECT_GT(1ULL << 32, (uintptr_t)compat32);
		EXPECT_EQ(0, memcmp(wide, compat32, self->page)) TH_LOG("%s", part_names[part]);
	}
	try_all(_metadata, self, map_compat32, variant->open_flags, ~0U);
}
#endif

TEST_F(map, at_an_offset_within_a_page_is_refused)
{
	EXPECT_EQ(MAP_FAILED, (void *)syscall(SYS_mmap, NULL, self->page, PROT_READ,
					      MAP_SHARED, self->s.fd, 8));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(map, of_half_a_page_is_of_a_whole_one)
{
	void *at = test_map(self->s.fd, 1, PROT_READ, 0);

	ASSERT_NE(MAP_FAILED, at);
	EXPECT_EQ(0, munmap(at, self->page));
}

/* Maps a part for reading; also for writing if may_write. */
static unsigned char *map_part(struct __test_metadata *_metadata,
			       const FIXTURE_DATA(map) *self, enum part part,
			       int prot)
{
	void *at = test_map(self->s.fd, self->page, prot, part_offset(self, part));

	EXPECT_NE(MAP_FAILED, at) TH_LOG("%s: %s", part_names[part], strerror(errno));
	return at;
}

TEST_F(map, for_reading_cannot_be_made_writable_or_executable)
{
	enum part part;

	for (part = META; part < NR_PARTS; part++) {
		unsigned char *at = map_part(_metadata, self, part, PROT_READ);

		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_READ | PROT_EXEC));
		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_EXEC));
		if (part == TAIL && variant->open_flags == O_RDWR) {
			EXPECT_EQ(0, mprotect(at, self->page, PROT_READ | PROT_WRITE));
			continue;
		}
		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_WRITE));
		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_READ | PROT_WRITE));
		/* Nor after the rights were removed in between. */
		EXPECT_EQ(0, mprotect(at, self->page, PROT_NONE));
		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_WRITE));
		EXPECT_EQ(0, mprotect(at, self->page, PROT_READ));
	}
}

TEST_F(map, for_nothing_cannot_be_made_writable)
{
	enum part part;

	for (part = META; part < NR_PARTS; part++) {
		unsigned char *at = map_part(_metadata, self, part, PROT_NONE);

		if (part == TAIL && variant->open_flags == O_RDWR)
			continue;
		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_READ | PROT_WRITE));
		EXPECT_EQ(0, mprotect(at, self->page, PROT_READ));
	}
}

TEST_F(map, for_reading_cannot_be_written_by_the_kernel_for_us)
{
	__u64 value = 0x4711;
	struct iovec from = { &value, sizeof(value) };
	int mem = open("/proc/self/mem", O_RDWR);
	int zero[2];
	enum part part;

	ASSERT_LE(0, mem);
	ASSERT_EQ(0, pipe(zero));
	for (part = META; part < NR_PARTS; part++) {
		unsigned char *at = map_part(_metadata, self, part, PROT_READ);
		struct iovec to = { at, sizeof(value) };
		__u64 before = *(volatile __u64 *)at;

		EXPECT_ERRNO(EFAULT, process_vm_writev(getpid(), &from, 1, &to, 1, 0));
		/* Through /proc/self/mem, as debuggers write. */
		EXPECT_EQ(-1, pwrite(mem, &value, sizeof(value), (uintptr_t)at));
		/* As the buffer of a system call. */
		ASSERT_EQ(8, write(zero[1], &value, 8));
		EXPECT_ERRNO(EFAULT, read(zero[0], at, 8));
		EXPECT_EQ(before, *(volatile __u64 *)at);
	}
	close(mem);
}

TEST_F(map, for_reading_cannot_be_written_by_a_debugger)
{
	unsigned char *at[NR_PARTS];
	enum part part;
	int status;
	pid_t child;

	/* A child must map it itself: mappings are not inherited. */
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (part = META; part < NR_PARTS; part++)
			at[part] = mmap((void *)(0x700000000000 + part * 0x10000ULL),
					self->page, PROT_READ,
					MAP_SHARED | MAP_FIXED, self->s.fd,
					part_offset(self, part));
		raise(SIGSTOP);
		_exit(at[META] == MAP_FAILED);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	for (part = META; part < NR_PARTS; part++) {
		void *there = (void *)(0x700000000000 + part * 0x10000ULL);

		errno = 0;
		EXPECT_EQ(-1, ptrace(PTRACE_POKEDATA, child, there, (void *)0x4711UL));
		EXPECT_EQ(EIO, errno);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

TEST_F(map, cannot_be_grown)
{
	enum part part;

	for (part = META; part < NR_PARTS; part++) {
		unsigned char *at = map_part(_metadata, self, part, PROT_READ);

		EXPECT_EQ(MAP_FAILED, mremap(at, self->page, 2 * self->page,
					     MREMAP_MAYMOVE));
		/* An old length of 0 asks for a second mapping, of any length. */
		EXPECT_EQ(MAP_FAILED, mremap(at, 0, self->page, MREMAP_MAYMOVE));
		EXPECT_EQ(MAP_FAILED, mremap(at, 0, 4 * self->page, MREMAP_MAYMOVE));
		EXPECT_EQ(0, munmap(at, self->page));
	}
}

TEST_F(map, can_be_moved)
{
	unsigned char *at = map_part(_metadata, self, META, PROT_READ);
	void *to = mmap(NULL, self->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	void *moved = mremap(at, self->page, self->page,
			     MREMAP_MAYMOVE | MREMAP_FIXED, to);

	ASSERT_EQ(to, moved);
	EXPECT_EQ(TAP_META_MAGIC, ((struct tap_meta *)moved)->magic);
	EXPECT_ERRNO(EACCES, mprotect(moved, self->page, PROT_READ | PROT_WRITE));
}

TEST_F(map, can_be_split_and_unmapped_in_part)
{
	size_t length = (RING_PAGES + 1) * self->page;
	unsigned char *at = test_map(self->s.fd, length, PROT_READ,
				     self->ring + self->page);
	struct tap_ring_head *head = (struct tap_ring_head *)at;
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)at);
	/* A hole in the middle, other rights on one page, then the end. */
	ASSERT_EQ(0, munmap(at + 2 * self->page, self->page));
	ASSERT_EQ(0, mprotect(at + 3 * self->page, self->page, PROT_NONE));
	ASSERT_EQ(0, munmap(at + 4 * self->page, self->page));
	/* Something else is mapped in the hole. */
	ASSERT_EQ(at + 2 * self->page,
		  mmap(at + 2 * self->page, self->page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	at[2 * self->page] = 1;

	ASSERT_EQ(0, test_pin(0));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, RING_PAGES * self->page / 64);
	EXPECT_EQ(RING_PAGES * self->page, *(volatile __u64 *)&head->head);
	/* The remaining slots still have their records. */
	EXPECT_EQ(64, ((struct tap_record *)(at + self->page))->seq);
	EXPECT_EQ(1, at[2 * self->page]);
	EXPECT_ERRNO(EACCES, mprotect(at + 3 * self->page, self->page, PROT_WRITE));
	EXPECT_EQ(0, munmap(at, length));
}

TEST_F(map, is_not_inherited)
{
	unsigned char *at = map_part(_metadata, self, META, PROT_READ);
	unsigned char *tail = map_part(_metadata, self, TAIL, PROT_READ);
	unsigned char resident;
	int status;
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child) {
		EXPECT_ERRNO(ENOMEM, mincore(at, self->page, &resident));
		EXPECT_ERRNO(ENOMEM, mincore(tail, self->page, &resident));
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(0, mincore(at, self->page, &resident));
}

/* madvise(MADV_DOFORK) allows inheritance; then it must be safe. */
TEST_F(map, that_is_inherited_on_request_outlives_the_parents)
{
	unsigned char *at = map_part(_metadata, self, META, PROT_READ);
	int go[2], status, fd = self->s.fd;
	pid_t child;
	char byte;

	if (madvise(at, self->page, MADV_DOFORK))
		return;
	ASSERT_EQ(0, pipe(go));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		close(fd);
		close(go[1]);
		read(go[0], &byte, 1);
		EXPECT_EQ(TAP_META_MAGIC, ((volatile struct tap_meta *)at)->magic);
		EXPECT_ERRNO(EACCES, mprotect(at, self->page, PROT_READ | PROT_WRITE));
		_exit(0);
	}
	ASSERT_EQ(0, munmap(at, self->page));
	close(fd);
	self->s.fd = -1;
	close(go[1]);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

static sigjmp_buf fault_return;

static void fault_handler(int signal)
{
	siglongjmp(fault_return, signal);
}

TEST_F(map, that_is_thrown_away_and_looked_at_gives_a_signal_at_most)
{
	unsigned char *at = map_part(_metadata, self, SLOTS, PROT_READ);
	unsigned char seen;

	if (madvise(at, self->page, MADV_DONTNEED))
		return;
	signal(SIGBUS, fault_handler);
	signal(SIGSEGV, fault_handler);
	if (sigsetjmp(fault_return, 1))
		return;
	seen = *(volatile unsigned char *)at;
	/* If it was mapped again, it has the same content. */
	EXPECT_EQ(0, seen);
}

TEST_F(map, that_is_written_where_it_may_not_be_gives_a_signal)
{
	volatile enum part part;
	int got;

	signal(SIGBUS, fault_handler);
	signal(SIGSEGV, fault_handler);
	for (part = META; part < NR_PARTS; part++) {
		unsigned char *at = map_part(_metadata, self, part, PROT_READ);

		got = sigsetjmp(fault_return, 1);
		if (!got)
			*(volatile unsigned char *)at = 1;
		EXPECT_EQ(SIGSEGV, got) TH_LOG("%s", part_names[part]);
	}
}

TEST_F(map, may_be_locked_and_unlocked)
{
	unsigned char *at = map_part(_metadata, self, SLOTS, PROT_READ);

	EXPECT_EQ(0, mlock(at, self->page));
	EXPECT_EQ(0, munlock(at, self->page));
}

TEST_F(map, twice_shows_the_same)
{
	volatile struct tap_ring_tail *tail, *again;

	if (variant->open_flags == O_RDONLY)
		return;
	tail = (void *)map_part(_metadata, self, TAIL, PROT_READ | PROT_WRITE);
	again = (void *)map_part(_metadata, self, TAIL, PROT_READ);
	tail->tail = 4711;
	EXPECT_EQ(4711, again->tail);
}

TEST_F(map, holds_the_session_when_its_file_is_closed)
{
	size_t length = (RING_PAGES + 1) * self->page;
	volatile struct tap_ring_head *head;
	__u32 id;

	ASSERT_EQ(0, test_pin(0));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(id);
	head = test_map(self->s.fd, length, PROT_READ, self->ring + self->page);
	ASSERT_NE(MAP_FAILED, (void *)head);
	close(self->s.fd);
	self->s.fd = -1;
	test_target_call(TAP_TARGET_ADD, 5);
	EXPECT_EQ(5 * 64, head->head);
	EXPECT_EQ(1, test_module_refs("tapmod"));
	EXPECT_ERRNO(EWOULDBLOCK, test_module_unload("tapmod"));
	ASSERT_EQ(0, munmap((void *)head, length));
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

/* New pages must not show data of their former users. */
TEST_F(map, shows_zeros_where_nothing_was_written)
{
	size_t length = (RING_PAGES + 1) * self->page, i, cpu;

	for (cpu = 0; cpu < self->nr_rings; cpu++) {
		const __u64 *word = test_map(self->s.fd, length, PROT_READ,
					     self->ring + cpu * self->stride +
					     self->page);

		if ((void *)word == MAP_FAILED && errno == ENXIO)
			continue;
		ASSERT_NE(MAP_FAILED, (void *)word);
		for (i = 0; i < length / 8; i++)
			ASSERT_EQ(0, word[i]);
	}
}

TEST_F(map, of_the_meta_page_says_what_set_up_did)
{
	const struct tap_meta *meta = (void *)map_part(_metadata, self, META,
						       PROT_READ);
	struct tap_info info;
	struct tap_time now;
	__u64 elapsed;
	size_t i;

	test_ioctl_info(&info);
	EXPECT_EQ(TAP_META_MAGIC, meta->magic);
	EXPECT_EQ(TAP_META_VERSION, meta->version);
	EXPECT_EQ(sizeof(*meta), meta->length);
	EXPECT_EQ(self->page, meta->page_size);
	EXPECT_EQ(self->nr_rings, meta->nr_rings);
	EXPECT_EQ(RING_PAGES * self->page, meta->ring_bytes);
	EXPECT_EQ(self->ring, meta->ring_offset);
	EXPECT_EQ(self->stride, meta->ring_stride);
	EXPECT_EQ(RING_PAGES * self->page / 4, meta->watermark);
	EXPECT_EQ(TAP_DEFAULT_WAKE_MS, meta->wake_ms);
	EXPECT_EQ(info.out_clock, meta->clock);
	EXPECT_EQ(info.out_features, meta->features);
	EXPECT_EQ(0, meta->head_offset);
	EXPECT_EQ(0, meta->tail_offset);
	/* The rest of the page is reserved, and zero. */
	for (i = sizeof(*meta); i < self->page; i++)
		ASSERT_EQ(0, ((const unsigned char *)meta)[i]);

	/* Its clock, converted as the meta page says, is the system's clock. */
	usleep(300000);
	test_ioctl_time(&now);
	self->s.meta = meta;
	elapsed = test_ticks_to_ns(&self->s, now.out_raw - meta->clock_raw);
	self->s.meta = NULL;
	EXPECT_LE(300000000, elapsed);
	EXPECT_LE((now.out_mono - meta->clock_mono) / 100 * 97, elapsed);
	EXPECT_GE((now.out_mono - meta->clock_mono) / 100 * 103, elapsed);
	EXPECT_LE((now.out_real - meta->clock_real) / 100 * 97, elapsed);
}

TEST_HARNESS_MAIN
