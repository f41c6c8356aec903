// SPDX-License-Identifier: GPL-2.0
/*
 * Trace files are mapped, and so are programs and their debug files by libdw. Who
 * owns such a file can cut it while it is read, and the reader gets SIGBUS: tap,
 * which runs as root for long, would end by the file of anybody. So the page that
 * is missing is put there, of zeros, and all that reads files takes what makes no
 * sense for damage.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sigbus.h"

static uintptr_t page_size;
static volatile sig_atomic_t seen;

static void put_zeros(int sig, siginfo_t *info, void *context)
{
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

	(void)context;
	/* A system call, which does no harm here. What is no cut file ends tap. */
	if (info->si_code != BUS_ADRERR ||
	    mmap(page, page_size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(sig, SIG_DFL);
	else
		seen = 1;
}

void sigbus_catch(void)
{
	struct sigaction action = {
		.sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO,
	};

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
}

bool sigbus_seen(void)
{
	return seen;
}
