// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests probe: a kernel function behind lseek(), a function and a USDT probe of
 * this program, and page faults.
 *
 * lseek() on a memfd calls the function of its file operations through a pointer, so that no
 * compiler inlines it; its argument and return value are the offset, any 63 bits, and no
 * other program uses it often.
 */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "selftest/selftest.h"

#define OFFSET_BASE	0x0102030400000000ULL
#define OFFSET_STEP	0x1000ULL

const char trigger_text[] = "selftest";

static int memfd = -1;

#define CLOEXEC		1U	/* MFD_CLOEXEC */
#define NOEXEC_SEAL	8U	/* MFD_NOEXEC_SEAL, which vm.memfd_noexec may demand */

int trigger_memfd(void)
{
	int fd = (int)syscall(SYS_memfd_create, "tap-selftest", CLOEXEC | NOEXEC_SEAL);

	/* A kernel before 6.3. */
	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_memfd_create, "tap-selftest", CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int lseek_open(void)
{
	memfd = trigger_memfd();
	return memfd < 0 ? memfd : 0;
}

static void lseek_close(void)
{
	close(memfd);
	memfd = -1;
}

static __u64 lseek_value(unsigned int i)
{
	return OFFSET_BASE + i * OFFSET_STEP;
}

static void lseek_hit(unsigned int i)
{
	/* Not lseek(): a C library may look at the arguments. */
	syscall(SYS_lseek, memfd, lseek_value(i), SEEK_SET);
}

const struct trigger trigger_lseek = {
	.open = lseek_open,
	.close = lseek_close,
	.hit = lseek_hit,
	.arg = lseek_value,
	.ret = lseek_value,
};

/* Finds the function; NULL if this kernel has none of the known ones. */
const char *trigger_lseek_function(struct selftest *st)
{
	/* The second one is used if the kernel was built without CONFIG_SHMEM. */
	static const char *const names[] = { "shmem_file_llseek", "generic_file_llseek" };
	struct tap_spec *spec, **list;
	struct tap_error err;
	bool found;
	char event[80];
	size_t i, nr;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && st->syms; i++) {
		snprintf(event, sizeof(event), "kprobe:%s", names[i]);
		if (tap_spec_parse(event, &spec, &err))
			continue;
		found = !tap_spec_expand(st->syms, NULL, spec, &list, &nr, &err);
		if (found)
			tap_spec_list_free(list, nr);
		tap_spec_free(spec);
		if (found)
			return names[i];
	}
	return NULL;
}

/* ---------------------------------------------------- functions of this program */

static __u64 return_address;
static volatile __u64 sink;
static char *page_touched;

/* The first one is traced by its offset in the file: a stripped program has no names. */
__attribute__((noinline, noclone))
static __u64 traced(__u64 n, const char *text)
{
	return_address = (__u64)(unsigned long)__builtin_return_address(0);
	if (page_touched) {
		*(volatile char *)page_touched = 1;
		page_touched = NULL;
	}
	__asm__ volatile("" : "+r" (n), "+r" (text) : : "memory");
	return 3 * n + 7;
}

static __u64 function_arg(unsigned int i)
{
	return 0x7a00000000000000ULL + i;
}

static __u64 function_ret(unsigned int i)
{
	return 3 * function_arg(i) + 7;
}

static void function_hit(unsigned int i)
{
	sink = traced(function_arg(i), trigger_text);
}

const struct trigger trigger_function = {
	.hit = function_hit,
	.arg = function_arg,
	.ret = function_ret,
};

const void *trigger_code(void)
{
	return (const void *)(unsigned long)traced;
}

__u64 trigger_return_address(void)
{
	return return_address;
}

static int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	__u64 at = (__u64)(unsigned long)trigger_code() - info->dlpi_addr;
	__u64 *offset = arg;
	unsigned int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || at < segment->p_vaddr ||
		    at - segment->p_vaddr >= segment->p_filesz)
			continue;
		*offset = at - segment->p_vaddr + segment->p_offset;
		return 1;
	}
	return 0;
}

/* Where the traced function is in the file of this program. */
bool trigger_place(__u64 *offset)
{
	return dl_iterate_phdr(find_offset, offset) == 1;
}

/*
 * The note that <sys/sdt.h> would write, of tap:selftest with two arguments and a semaphore:
 * that header is in a package of its own. Without a base, tracers take the addresses as they are.
 */
extern volatile unsigned short tap_selftest_semaphore;
volatile unsigned short tap_selftest_semaphore __attribute__((section(".probes"), used));

#define USDT_NOTE(operand1, operand2)							\
	"990:	nop\n"									\
	"	.pushsection .note.stapsdt,\"\",\"note\"\n"				\
	"	.balign 4\n"								\
	"	.4byte 992f-991f, 994f-993f, 3\n"					\
	"991:	.asciz \"stapsdt\"\n"							\
	"992:	.balign 4\n"								\
	"993:	.8byte 990b\n"								\
	"	.8byte 0\n"								\
	"	.8byte tap_selftest_semaphore\n"					\
	"	.asciz \"tap\"\n"							\
	"	.asciz \"selftest\"\n"							\
	"	.asciz \"8@" operand1 " -4@" operand2 "\"\n"				\
	"994:	.balign 4\n"								\
	"	.popsection\n"

__attribute__((noinline, noclone))
static void fire(__u64 whole, int half)
{
	__asm__ volatile(
#if defined(__x86_64__)
		USDT_NOTE("%[whole]", "%k[half]")
#else
		USDT_NOTE("%x[whole]", "%w[half]")
#endif
		: : [whole] "r" (whole), [half] "r" (half) : "memory");
}

unsigned int trigger_semaphore(void)
{
	return tap_selftest_semaphore;
}

static __u64 usdt_arg(unsigned int i)
{
	return 0x5500000000000000ULL + i;
}

/* A negative int, as the value word has it. */
static __u64 usdt_second(unsigned int i)
{
	return (__u64)-(__s64)i - 1;
}

static void usdt_hit(unsigned int i)
{
	fire(usdt_arg(i), -(int)i - 1);
}

const struct trigger trigger_usdt = {
	.hit = usdt_hit,
	.arg = usdt_arg,
	.ret = usdt_second,
};

/* -------------------------------------------------------------- page faults */

static char *pages;
static size_t page_size;

/*
 * A new page is touched in each call of the traced function. The addresses stay the same: a
 * condition of an event has them before its test opens the trigger.
 */
static int pages_open(void)
{
	if (pages)
		return 0;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, SELFTEST_HITS * page_size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED) {
		pages = NULL;
		return -errno;
	}
	/* A huge page would be one fault for many; without them this is EINVAL. */
	madvise(pages, SELFTEST_HITS * page_size, MADV_NOHUGEPAGE);
	return 0;
}

static void pages_close(void)
{
	madvise(pages, SELFTEST_HITS * page_size, MADV_DONTNEED);
}

__u64 trigger_page(unsigned int i)
{
	return (__u64)(unsigned long)(pages + i * page_size);
}

static void pages_hit(unsigned int i)
{
	page_touched = pages + i * page_size;
	function_hit(i);
}

const struct trigger trigger_pages = {
	.open = pages_open,
	.close = pages_close,
	.hit = pages_hit,
	.arg = trigger_page,
	.ret = function_ret,
};

/* Two instructions each time round, and no memory. */
void trigger_instructions(__u64 loops)
{
#if defined(__x86_64__)
	__asm__ volatile("1:	dec %0\n	jnz 1b\n" : "+r" (loops) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:	subs %0, %0, #1\n	b.ne 1b\n" : "+r" (loops) : : "cc");
#else
	for (; loops; loops--)
		__asm__ volatile("" : "+r" (loops));
#endif
}
