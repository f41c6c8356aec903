/* SPDX-License-Identifier: GPL-2.0 */
/* A BPF program at a trace event, as tools that are built on BPF attach one. */
#ifndef _TEST_PROGRAMS_BPF_PROGRAM_H
#define _TEST_PROGRAMS_BPF_PROGRAM_H

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Loads a program of a type that returns @value. Returns its descriptor or -errno. */
static inline int bpf_program_load(enum bpf_prog_type type, int value)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = value },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = 2;
	attr.license = (uintptr_t)"GPL";
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}

/* Loads a program, and attaches it to a perf event. Returns 0 or -errno. */
static inline int bpf_program_set(int event, enum bpf_prog_type type, int value)
{
	int prog = bpf_program_load(type, value), ret;

	if (prog < 0)
		return prog;
	ret = ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) ? -errno : 0;
	close(prog);
	return ret;
}

/*
 * Attaches a program that returns @value to the event of a directory of tracefs. Returns a
 * descriptor, whose close() detaches it, or -errno.
 */
static inline int bpf_program_attach(const char *directory, int value)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1,
	};
	int fd, ret = 0;
	char path[256];
	long long id;
	FILE *file;

	snprintf(path, sizeof(path), "%s/id", directory);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (fscanf(file, "%lld", &id) != 1)
		ret = -EINVAL;
	fclose(file);
	if (ret)
		return ret;
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = bpf_program_set(fd, BPF_PROG_TYPE_TRACEPOINT, value);
	/* Events that were made of a kprobe take programs of kprobes alone. */
	if (ret == -EINVAL)
		ret = bpf_program_set(fd, BPF_PROG_TYPE_KPROBE, value);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

#endif /* _TEST_PROGRAMS_BPF_PROGRAM_H */
