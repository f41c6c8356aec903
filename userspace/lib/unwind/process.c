// SPDX-License-Identifier: LGPL-2.1
/*
 * A process as libdwfl sees it: the files that its stacks have led to, and the stack that is being
 * unwound. Files are added when a frame is in them, as most processes map more files than their
 * stacks lead through.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/maps.h"
#include "symbolize/maps_track.h"
#include "unwind/process.h"
#include "util/arch.h"
#include "util/util.h"

/* Files of one process; further ones end a stack. */
#define MAX_FILES	64

/**
 * struct unwind_file - a file that libdwfl knows
 * @at: an address in it
 * @start: what was mapped there: see struct tap_map
 * @dso: see struct tap_map
 */
struct unwind_file {
	uint64_t at;
	uint64_t start;
	const struct tap_dso *dso;
};

/**
 * struct tap_unwind_process - a process
 * @tgid: its id
 * @serial: that of its maps when @files were checked
 * @dwfl: of libdwfl
 * @files: the files that @dwfl has
 * @nr_files: number of @files
 * @maps: of the process
 * @sample: what is being unwound
 * @frames: the frames that were found
 * @nr: number of @frames
 * @room: see @nr
 * @beyond: memory behind the copy was asked for
 */
struct tap_unwind_process {
	uint32_t tgid;
	uint64_t serial;
	Dwfl *dwfl;
	struct unwind_file files[MAX_FILES];
	unsigned int nr_files;
	struct tap_maps *maps;
	const struct tap_stack_sample *sample;
	uint64_t *frames;
	size_t nr;
	size_t room;
	bool beyond;
};

/*
 * On arm64 a return address may be signed, in the bits above those of an address. A value with such
 * bits that is code without them is an address: libdwfl would look for no file there.
 */
static uint64_t without_signature(const struct tap_unwind_process *p, uint64_t value)
{
	uint64_t bare = value & ~(~0ULL << 48);

	if (TAP_ARCH_MACHINE != EM_AARCH64 || bare == value || value >> 55 & 1)
		return value;
	return tap_maps_find(p->maps, p->tgid, p->sample->time, bare) ? bare : value;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct tap_unwind_process *p = arg;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = p;
	return (pid_t)p->tgid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = arg;
	return true;
}

/* Only the copy is read: the process may have gone on, or be gone. */
static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct tap_unwind_process *p = arg;
	uint64_t at = addr - p->sample->regs[TAP_ARCH_DWARF_SP], bytes = p->sample->nr * 8;
	uint64_t value;

	(void)dwfl;
	/* Below the stack pointer there is nothing that a frame has saved. */
	if (addr < p->sample->regs[TAP_ARCH_DWARF_SP])
		return false;
	if (at >= bytes || bytes - at < sizeof(value)) {
		p->beyond = true;
		return false;
	}
	memcpy(&value, (const char *)p->sample->stack + at, sizeof(value));
	*result = without_signature(p, value);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct tap_unwind_process *p = arg;
	Dwarf_Word regs[TAP_ARCH_DWARF_REGS];
	unsigned int i, nr = TAP_ARCH_DWARF_REGS;

	for (i = 0; i < nr; i++)
		regs[i] = p->sample->regs[i];
	if (TAP_ARCH_MACHINE != EM_AARCH64)
		return dwfl_thread_state_registers(thread, 0, nr, regs);
	/* The program counter is no register of DWARF there; 30 is the link register. */
	regs[30] = without_signature(p, regs[30]);
	dwfl_thread_state_register_pc(thread, regs[nr - 1]);
	return dwfl_thread_state_registers(thread, 0, nr - 1, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

static const Dwfl_Callbacks file_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* Makes sure that libdwfl has the file that is mapped at an address; false if there is none. */
static bool know_file(struct tap_unwind_process *p, uint64_t at)
{
	struct tap_map *map;
	struct tap_dso *dso;
	bool added;

	if (dwfl_addrmodule(p->dwfl, at))
		return true;
	map = tap_maps_find(p->maps, p->tgid, p->sample->time, at);
	dso = map ? tap_maps_dso_at(p->maps, p->tgid, map) : NULL;
	if (!dso || !dso->elf || p->nr_files == MAX_FILES)
		return false;
	dwfl_report_begin_add(p->dwfl);
	added = tap_elf_report(dso->elf, p->dwfl, map->offset, map->start, map->end - map->start);
	dwfl_report_end(p->dwfl, NULL, NULL);
	if (!added)
		return false;
	p->files[p->nr_files++] = (struct unwind_file){ at, map->start, dso };
	return true;
}

/* Called for each frame before libdwfl looks for its caller. */
static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct tap_unwind_process *p = arg;
	bool call = p->nr;
	Dwarf_Addr pc;

	/* To say whether it is a return address, libdwfl would look for the caller now. */
	if (!dwfl_frame_pc(state, &pc, NULL))
		return DWARF_CB_ABORT;
	pc = without_signature(p, pc);
	if (p->nr == p->room) {
		p->beyond = true;
		return DWARF_CB_ABORT;
	}
	p->frames[p->nr++] = pc;
	/* A call may be the last instruction of its function, and of the file's code. */
	return know_file(p, pc - call) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

void tap_unwind_process_free(struct tap_unwind_process *process)
{
	if (!process)
		return;
	dwfl_end(process->dwfl);
	free(process);
}

/* Whether the files of a process are still mapped where they were. */
static bool still_mapped(struct tap_unwind_process *p)
{
	const struct tap_process *now = tap_maps_process(p->maps, p->tgid);
	unsigned int i;

	if (!now)
		return false;
	if (now->serial == p->serial)
		return true;
	for (i = 0; i < p->nr_files; i++) {
		const struct tap_map *map = tap_maps_find(p->maps, p->tgid, p->sample->time,
							  p->files[i].at);

		if (!map || map->dso != p->files[i].dso || map->start != p->files[i].start)
			return false;
	}
	/* tap_maps_find() may have read /proc. */
	now = tap_maps_process(p->maps, p->tgid);
	if (now)
		p->serial = now->serial;
	return now;
}

/* A process of libdwfl that has the file of the innermost frame; NULL if that has none. */
static struct tap_unwind_process *
process_new(struct tap_maps *maps, const struct tap_stack_sample *sample)
{
	struct tap_unwind_process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->tgid = sample->tgid;
	p->maps = maps;
	p->sample = sample;
	p->dwfl = dwfl_begin(&file_callbacks);
	if (!p->dwfl || !know_file(p, sample->regs[TAP_ARCH_DWARF_REGS - 1]) ||
	    !dwfl_attach_state(p->dwfl, NULL, (pid_t)p->tgid, &thread_callbacks, p)) {
		tap_unwind_process_free(p);
		return NULL;
	}
	return p;
}

/**
 * tap_unwind_sample() - unwind a copy of a stack
 * @process: NULL, or that of an earlier sample, which may be another process; set to that of this
 *	sample, or to NULL; end it with tap_unwind_process_free()
 * @maps: the maps; must stay open as long as @process
 * @sample: the copy
 * @frames: gets the addresses, the innermost first; each but the first is a return address
 * @room: of @frames, at least 1
 * @nr: set to the number of @frames, at least 1
 *
 * Return: where it ended.
 */
enum tap_unwound tap_unwind_sample(struct tap_unwind_process **process, struct tap_maps *maps,
				   const struct tap_stack_sample *sample, uint64_t *frames,
				   size_t room, size_t *nr)
{
	struct tap_unwind_process *p = *process;
	int ret;

	if (p)
		p->sample = sample;
	if (p && (p->tgid != sample->tgid || p->maps != maps || !still_mapped(p))) {
		tap_unwind_process_free(p);
		p = NULL;
	}
	if (!p)
		p = process_new(maps, sample);
	*process = p;
	frames[0] = sample->regs[TAP_ARCH_DWARF_REGS - 1];
	*nr = 1;
	if (!p)
		return TAP_UNWOUND_LOST;
	p->frames = frames;
	p->room = room;
	p->nr = 0;
	p->beyond = false;
	ret = dwfl_getthread_frames(p->dwfl, (pid_t)p->tgid, take_frame, p);
	if (p->nr)
		*nr = p->nr;
	if (p->beyond)
		return TAP_UNWOUND_CUT;
	return ret ? TAP_UNWOUND_LOST : TAP_UNWOUND_ALL;
}
