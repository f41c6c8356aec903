/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Dumps of the memory of a machine, and the sessions in them.
 */
#ifndef _LIBTAP_DUMP_H
#define _LIBTAP_DUMP_H

#include <stddef.h>

#include <libtap/error.h>
#include <libtap/file.h>
#include <libtap/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tap_dump;

/**
 * struct tap_dump_opts - how to look through a dump
 * @size: sizeof(struct tap_dump_opts)
 * @progress: called now and then with the bytes that were looked at and those that there are; NULL: not
 *	called. If it returns other than 0, tap_dump_open() fails with -ECANCELED
 * @arg: handed to @progress
 */
struct tap_dump_opts {
	size_t size;
	int (*progress)(void *arg, __u64 done, __u64 all);
	void *arg;
};

/**
 * struct tap_dump_session - a session that was open when the dump was taken
 * @size: sizeof(struct tap_dump_session)
 * @id: of the session, as "tap list --sessions" had it
 * @opened: CLOCK_BOOTTIME of its open, ns
 * @pid: process that opened it
 * @nr_rings: rings that were found
 * @comm: name of the process; no control characters
 * @rings_damaged: rings that cannot be read: pages are missing in the dump, or are damaged
 * @described: the opener described its probes to the kernel, see tap_session_describe()
 * @records: records in its rings
 * @unwritten: bytes of the rings that were reserved by events which did not end, or are damaged
 */
struct tap_dump_session {
	size_t size;
	__u64 id;
	__u64 opened;
	__u32 pid;
	__u32 nr_rings;
	char comm[20];
	__u32 rings_damaged;
	__u32 described;
	__u64 records;
	__u64 unwritten;
};

/**
 * tap_dump_open() - look for sessions in the memory of a machine
 * @dump: set to the dump on success
 * @path: ELF (/proc/vmcore, dump-guest-memory of QEMU, virsh dump --memory-only), or what libkdumpfile
 *	reads, if that is installed (makedumpfile, dump-guest-memory -z)
 * @opts: how, or NULL
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT: the dump has no session; -EBADMSG: it is no dump; -ECANCELED; or another -errno.
 */
LIBTAP_API int tap_dump_open(struct tap_dump **dump, const char *path,
			     const struct tap_dump_opts *opts, struct tap_error *err);

/**
 * tap_dump_close() - free a dump
 * @dump: a dump, or NULL
 */
LIBTAP_API void tap_dump_close(struct tap_dump *dump);

/**
 * tap_dump_session() - about a session of a dump
 * @dump: a dump
 * @index: from 0, by id
 * @session: filled in; @session->size is set
 *
 * The first call for a session reads its rings.
 *
 * Return: 0; -ENOENT: there are not that many; -E2BIG; -ENOMEM.
 */
LIBTAP_API int tap_dump_session(struct tap_dump *dump, size_t index,
				struct tap_dump_session *session);

/**
 * tap_dump_write() - write a session of a dump as a trace file
 * @dump: a dump
 * @index: see tap_dump_session()
 * @path: of the trace file
 * @err: an error message on failure
 *
 * The file has all records that are whole, those that a reader had taken before among them. It has no
 * counters, and names of addresses only where the description has them.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_dump_write(struct tap_dump *dump, size_t index, const char *path,
			      struct tap_error *err);

/**
 * tap_session_describe() - TAP_IOC_DESCRIBE: tell the kernel what a reader of a dump needs to know
 * @session: a session that is set up
 * @data: of tap_file_description()
 * @len: bytes
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_describe(struct tap_session *session, const void *data, size_t len);

/**
 * tap_file_description() - the beginning of a trace file, for tap_session_describe()
 * @info: about the recording
 * @meta: of tap_reader_meta()
 * @probes: the table
 * @data: set to the bytes, for free()
 * @len: set to their number
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_file_description(const struct tap_file_info *info, const struct tap_meta *meta,
				    const struct tap_probes *probes, void **data, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_DUMP_H */
