/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts a trace file of raw_syscalls:sys_enter into the Common Trace Format, so that babeltrace2
 * prints the same events.
 */
#ifndef _TEST_BENCH_CTF_H
#define _TEST_BENCH_CTF_H

#include "selftests/lib/fake_ring.h"

static const char ctf_metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"trace { major = 1; minor = 8; byte_order = le; };\n"
	"clock { name = mono; freq = 1000000000; };\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := time;\n"
	"stream {\n"
	"	packet.context := struct { u64 content_size; u64 packet_size; time timestamp_begin; time timestamp_end; };\n"
	"	event.header := struct { time timestamp; };\n"
	"	event.context := struct {\n"
	"		integer { size = 8; align = 8; signed = false; encoding = UTF8; } comm[16];\n"
	"		u32 tid;\n"
	"	};\n"
	"};\n"
	"event {\n"
	"	name = \"raw_syscalls:sys_enter\";\n"
	"	fields := struct { u64 id; x64 args[6]; };\n"
	"};\n";

/**
 * struct ctf_event - an event as the metadata describe it
 * @time: CLOCK_MONOTONIC, ns
 * @comm: name of the task
 * @tid: thread id
 * @values: the number of the system call, and its arguments
 */
struct ctf_event {
	__u64 time;
	char comm[TAP_COMM_LEN];
	__u32 tid;
	__u64 values[7];
} __attribute__((packed));

/**
 * struct ctf_packet - head of a packet; a stream is one packet
 * @content: size of the content in bits
 * @size: size of the packet in bits
 * @begin: time of the first event
 * @end: time of the last event
 */
struct ctf_packet {
	__u64 content;
	__u64 size;
	__u64 begin;
	__u64 end;
};

static FILE *ctf_open(const char *dir, const char *name, unsigned int cpu)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%.0u", dir, name, cpu);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

/*
 * Writes one stream for each CPU. The values of the probe: the id, the arguments, and the hidden
 * name.
 */
static int ctf_write(const char *dir, const char *path)
{
	struct ctf_packet packets[FAKE_MAX_CPUS] = { 0 };
	FILE *streams[FAKE_MAX_CPUS] = { 0 }, *file;
	struct tap_file_reader *tap;
	struct tap_event ev;
	struct tap_error err;
	unsigned int i;

	if (tap_file_open(&tap, path, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	file = ctf_open(dir, "metadata", 0);
	fputs(ctf_metadata, file);
	fclose(file);
	while (tap_file_next(tap, &ev)) {
		struct ctf_event out;

		if (tap_decode(tap_file_probes(tap), &ev) || !ev.probe ||
		    ev.cpu >= FAKE_MAX_CPUS)
			continue;
		out.time = tap_timebase_mono(tap_file_timebase(tap), ev.time);
		if (!streams[ev.cpu]) {
			streams[ev.cpu] = ctf_open(dir, "cpu", ev.cpu + 1);
			packets[ev.cpu].begin = out.time;
			/* A placeholder: it is written again at the end. */
			fwrite(&packets[ev.cpu], sizeof(*packets), 1,
			       streams[ev.cpu]);
		}
		packets[ev.cpu].end = out.time;
		out.tid = ev.rec->tid;
		for (i = 0; i < 2; i++) {
			__u64 word = tap_event_word(&ev,
				(unsigned int)ev.probe->comm_word + i);

			memcpy(out.comm + 8 * i, &word, 8);
		}
		for (i = 0; i < ARRAY_SIZE(out.values); i++)
			out.values[i] = tap_event_word(&ev, i);
		fwrite(&out, sizeof(out), 1, streams[ev.cpu]);
	}
	for (i = 0; i < FAKE_MAX_CPUS; i++) {
		if (!streams[i])
			continue;
		packets[i].size = 8 * (__u64)ftell(streams[i]);
		packets[i].content = packets[i].size;
		rewind(streams[i]);
		fwrite(&packets[i], sizeof(*packets), 1, streams[i]);
		fclose(streams[i]);
	}
	tap_file_close(tap);
	return 0;
}

#endif /* _TEST_BENCH_CTF_H */
