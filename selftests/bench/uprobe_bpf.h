/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs at this program's function. They write the content of one of our records into a ring
 * buffer, and do not wake its reader.
 */
#ifndef _TEST_BENCH_UPROBE_BPF_H
#define _TEST_BENCH_UPROBE_BPF_H

#include <asm/ptrace.h>
#include <linux/bpf.h>
#include <stddef.h>

#include "selftests/bench/uprobe_perf.h"

#define BPF_RING_BYTES	(1 << 20)
/* Words of a record: time, ids, and four values. */
#define BPF_WORDS	6

#define INSN(_code, _dst, _src, _off, _imm)				\
	((struct bpf_insn){ .code = (_code), .dst_reg = (_dst),		\
			    .src_reg = (_src), .off = (_off), .imm = (_imm) })
#define MOVE(dst, src)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, imm)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD(dst, imm)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define SUBTRACT(dst, src)	INSN(BPF_ALU64 | BPF_SUB | BPF_X, dst, src, 0, 0)
#define GET(dst, src, off)	INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define PUT(dst, off, src)	INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
/* Two instructions: the verifier replaces the descriptor by the map's address. */
#define MAP(dst, fd)							\
	INSN(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd),	\
	INSN(0, 0, 0, 0, 0)
#define HELPER(func)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, func)
#define IF_SET(reg, skip)	INSN(BPF_JMP | BPF_JNE | BPF_K, reg, 0, skip, 0)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#define REGISTER(name)	((int)offsetof(struct pt_regs, name))
#define WORD(n)		((n) * 8)

/* Reserves a record in R8, with time and ids. */
#define RESERVE(ring)							\
	MAP(BPF_REG_1, ring), SET(BPF_REG_2, WORD(BPF_WORDS)),		\
	SET(BPF_REG_3, 0), HELPER(BPF_FUNC_ringbuf_reserve),		\
	IF_SET(BPF_REG_0, 1), EXIT(), MOVE(BPF_REG_8, BPF_REG_0),	\
	HELPER(BPF_FUNC_ktime_get_ns), PUT(BPF_REG_8, WORD(0), BPF_REG_0), \
	HELPER(BPF_FUNC_get_current_pid_tgid),				\
	PUT(BPF_REG_8, WORD(1), BPF_REG_0)
#define SUBMIT()							\
	MOVE(BPF_REG_1, BPF_REG_8), SET(BPF_REG_2, BPF_RB_NO_WAKEUP),	\
	HELPER(BPF_FUNC_ringbuf_submit)
/* Stores the key of a call below the frame pointer. */
#define KEY()								\
	HELPER(BPF_FUNC_get_current_pid_tgid),				\
	PUT(BPF_REG_10, -WORD(1), BPF_REG_0),				\
	MOVE(BPF_REG_2, BPF_REG_10), ADD(BPF_REG_2, -WORD(1))

static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int bpf_map(enum bpf_map_type type, unsigned int key, unsigned int value,
		   unsigned int entries)
{
	union bpf_attr attr = { .map_type = type, .key_size = key,
				.value_size = value, .max_entries = entries };
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		err(1, "BPF: a map");
	return fd;
}

/* Expects that all records were written: otherwise their cost is not what was measured. */
static void bpf_check(int ring, unsigned int nr)
{
	long page = getpagesize();
	/* Nothing was consumed: the position of the producer counts all records. */
	__u64 *produced = mmap(NULL, page, PROT_READ, MAP_SHARED, ring, page);
	__u64 bytes = nr * (BPF_RINGBUF_HDR_SZ + WORD(BPF_WORDS));

	if (produced == MAP_FAILED)
		err(1, "BPF: mmap of a ring buffer");
	if (*produced != bytes)
		errx(1, "BPF: %llu bytes of records, not %llu", *produced, bytes);
	munmap(produced, page);
}

/* Attaches the program to a uprobe event of its own, for all tasks, and closes the program. */
static int bpf_attach(const struct bpf_insn *insns, unsigned int nr,
		      __u64 offset, char kind)
{
	struct perf_event_attr event = perf_uprobe(offset, kind);
	static char log[1 << 16];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (unsigned long)insns,
		.insn_cnt = nr,
		.license = (unsigned long)"GPL",
		.log_buf = (unsigned long)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int program = bpf(BPF_PROG_LOAD, &attr), fd;

	if (program < 0)
		err(1, "BPF: a program: %s", log);
	fd = perf_open(&event, -1, 0);
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err(1, "BPF: an event");
	close(program);
	return fd;
}

#define BPF_ATTACH(insns, offset, kind)					\
	bpf_attach(insns, sizeof(insns) / sizeof((insns)[0]), offset, kind)

/* Records the four arguments. */
static int bpf_entry(int ring, __u64 offset)
{
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		RESERVE(ring),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rdi)),
		PUT(BPF_REG_8, WORD(2), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rsi)),
		PUT(BPF_REG_8, WORD(3), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rdx)),
		PUT(BPF_REG_8, WORD(4), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rcx)),
		PUT(BPF_REG_8, WORD(5), BPF_REG_1),
		SUBMIT(),
		SET(BPF_REG_0, 0),
		EXIT(),
	};

	return BPF_ATTACH(insns, offset, 'p');
}

/* Records the return value. */
static int bpf_return(int ring, __u64 offset)
{
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		RESERVE(ring),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rax)),
		PUT(BPF_REG_8, WORD(2), BPF_REG_1),
		SUBMIT(),
		SET(BPF_REG_0, 0),
		EXIT(),
	};

	return BPF_ATTACH(insns, offset, 'r');
}

/* At the entry of a call: stores its time and two arguments in the map. */
static int bpf_call_entry(int table, __u64 offset)
{
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rdi)),
		PUT(BPF_REG_10, -WORD(3), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rsi)),
		PUT(BPF_REG_10, -WORD(2), BPF_REG_1),
		HELPER(BPF_FUNC_ktime_get_ns),
		PUT(BPF_REG_10, -WORD(4), BPF_REG_0),
		KEY(),
		MAP(BPF_REG_1, table),
		MOVE(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -WORD(4)),
		SET(BPF_REG_4, BPF_ANY),
		HELPER(BPF_FUNC_map_update_elem),
		SET(BPF_REG_0, 0),
		EXIT(),
	};

	return BPF_ATTACH(insns, offset, 'p');
}

/* At the return: records both, the return value and the duration. */
static int bpf_call_return(int table, int ring, __u64 offset)
{
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		KEY(),
		MAP(BPF_REG_1, table),
		HELPER(BPF_FUNC_map_lookup_elem),
		IF_SET(BPF_REG_0, 1),
		EXIT(),
		MOVE(BPF_REG_7, BPF_REG_0),
		RESERVE(ring),
		GET(BPF_REG_1, BPF_REG_7, WORD(1)),
		PUT(BPF_REG_8, WORD(4), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_7, WORD(2)),
		PUT(BPF_REG_8, WORD(5), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_6, REGISTER(rax)),
		PUT(BPF_REG_8, WORD(3), BPF_REG_1),
		GET(BPF_REG_1, BPF_REG_8, WORD(0)),
		GET(BPF_REG_2, BPF_REG_7, WORD(0)),
		SUBTRACT(BPF_REG_1, BPF_REG_2),
		PUT(BPF_REG_8, WORD(2), BPF_REG_1),
		SUBMIT(),
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -WORD(1)),
		MAP(BPF_REG_1, table),
		HELPER(BPF_FUNC_map_delete_elem),
		SET(BPF_REG_0, 0),
		EXIT(),
	};

	return BPF_ATTACH(insns, offset, 'r');
}

#endif /* _TEST_BENCH_UPROBE_BPF_H */
