// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of the emulator: records which cache lines each CPU writes from kernel modules, and by
 * which instructions. Writes lines "CPU INSTRUCTION LINE" to the file out=FILE, each once. Needs a
 * thread for each CPU; otherwise the emulator reports the CPU for which it translated the code.
 *
 * The plugin declares the part of the emulator's interface that it uses: the header is only in the
 * emulator's sources.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_MEM_W = 2 };

typedef void (*tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*mem_cb)(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t addr, void *data);
typedef void (*exit_cb)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_cb cb);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, mem_cb cb, int flags, int rw,
				      void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, exit_cb cb, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

int qemu_plugin_version = 4;

/* Start of the address range of modules on x86. */
#define MODULES		0xffffffffc0000000ULL
#define LINE_SHIFT	6
#define PLACES		(1U << 22)

static struct store {
	uint64_t insn;
	uint64_t line;
	unsigned int cpu;
} stores[PLACES];
static unsigned int nr_stores;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

static void note(const struct store *store)
{
	uint64_t at = (store->line * 31 + store->insn + store->cpu) * 0x9e3779b97f4a7c15ULL >> 42;

	for (; stores[at].insn; at = (at + 1) % PLACES)
		if (stores[at].insn == store->insn && stores[at].line == store->line &&
		    stores[at].cpu == store->cpu)
			return;
	if (++nr_stores == PLACES)
		abort();
	stores[at] = *store;
	fprintf(out, "%u %llx %llx\n", store->cpu, (unsigned long long)store->insn,
		(unsigned long long)store->line);
}

static void stored(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t addr, void *insn)
{
	const struct store store = { (uintptr_t)insn, addr >> LINE_SHIFT, cpu };

	(void)info;
	pthread_mutex_lock(&lock);
	note(&store);
	pthread_mutex_unlock(&lock);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(insn);

		if (at >= MODULES)
			qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_W, (void *)(uintptr_t)at);
	}
}

static void ended(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = fopen(argv[0] + 4, "w");
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
