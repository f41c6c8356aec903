// SPDX-License-Identifier: GPL-2.0
/*
 * Trace files are mapped, and libdw maps programs and their debug files. The owner
 * of such a file can truncate it while tap reads it, and access behind the new end
 * raises SIGBUS: a long-running root process could be killed by truncating a file
 * it has mapped. So the handler maps a page of zeros there, and whatever parses the
 * file treats the zeros as damage.
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
	/* mmap() is safe in this handler. Any other cause of SIGBUS ends tap. */
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
