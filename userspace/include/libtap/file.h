/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Trace files. Included by libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_FILE_H
#define _LIBTAP_FILE_H

#include <libtap/error.h>
#include <libtap/event.h>
#include <libtap/keep.h>
#include <libtap/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_file_writer - a trace file that is being written
 */
struct tap_file_writer;

/**
 * struct tap_file_reader - a trace file that is being read
 */
struct tap_file_reader;

/**
 * struct tap_file_info - the machine and the command of a trace file
 * @size: sizeof(struct tap_file_info); of tap_file_info(): bytes that are set
 * @sysname: "Linux"; this and the next four are members of uname(2), cut to fit
 * @release: of the kernel, e.g. "6.1.0"
 * @version: of the kernel's build
 * @machine: e.g. "x86_64"
 * @nodename: name of the machine
 * @command: the command line that recorded
 * @tool: version of the tool that recorded
 * @date: CLOCK_REALTIME of the start of the recording, seconds
 * @nr_cpus: CPUs that were online
 * @page_size: bytes of a page on the recorded machine
 * @flags: enum tap_file_info_flag
 * @__reserved: zero
 */
struct tap_file_info {
	size_t size;
	char sysname[65];
	char release[65];
	char version[65];
	char machine[65];
	char nodename[65];
	char command[1024];
	char tool[32];
	__u64 date;
	__u32 nr_cpus;
	__u32 page_size;
	__u32 flags;
	__u32 __reserved;
};

/**
 * enum tap_file_info_flag - what a trace file is
 * @TAP_FILE_INFO_F_PART: one of the files that a recording wrote one after the other: it has no
 *	counters of the probes
 */
enum tap_file_info_flag {
	TAP_FILE_INFO_F_PART	= 1U << 0,
};

/**
 * struct tap_file_stats - what became of one probe's events
 * @size: sizeof(struct tap_file_stats), set by the caller
 * @id: id of the probe, as in records
 * @state: enum tap_probe_state at the end
 * @nmissed: see struct tap_stats
 * @nmissed_return: see struct tap_stats
 * @counters: by CPU number
 * @nr_cpus: number of @counters
 * @flags: enum tap_stats_flag
 */
struct tap_file_stats {
	size_t size;
	__u32 id;
	__u32 state;
	__u64 nmissed;
	__u64 nmissed_return;
	const struct tap_counters *counters;
	__u32 nr_cpus;
	__u32 flags;
};

/**
 * tap_file_create() - open a trace file to be written
 * @writer: set on success; end it with tap_file_finish() or tap_file_abort()
 * @path: of the file
 * @err: an error message on failure
 *
 * An existing file of this name stays unchanged until tap_file_publish(): until then
 * the new file has a temporary name in the same directory. If @path exists and is not
 * a regular file, it is written directly; opening a FIFO waits for its reader.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_file_create(struct tap_file_writer **writer,
			       const char *path, struct tap_error *err);

/**
 * tap_file_stall() - set what to do while a FIFO is full
 * @writer: a file
 * @wait: returns 0 to try again, or -errno, with which the write then fails;
 *	without it the writer waits until the reader reads
 * @arg: handed to @wait, with the descriptor
 */
LIBTAP_API void tap_file_stall(struct tap_file_writer *writer,
			       int (*wait)(void *arg, int fd), void *arg);

/**
 * tap_file_compress() - compress the records
 * @writer: a file, before its first data
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_file_compress(struct tap_file_writer *writer);

/**
 * tap_file_begin() - write the header, the probes and the symbols
 * @writer: a file
 * @info: about the recording
 * @meta: of tap_reader_meta()
 * @probes: the table
 * @syms: symbols to put in, or NULL
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_file_begin(struct tap_file_writer *writer,
			      const struct tap_file_info *info,
			      const struct tap_meta *meta,
			      const struct tap_probes *probes,
			      const struct tap_symbols *syms,
			      struct tap_error *err);

/**
 * tap_file_symbols() - append symbols of the kernel
 * @writer: a file, after all data
 * @syms: symbols, e.g. those at the end of the recording
 * @before: those that tap_file_begin() was given: only others are written
 *
 * Addresses are named by the symbols of both, so also those of a module that was
 * unloaded during the recording.
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
LIBTAP_API int tap_file_symbols(struct tap_file_writer *writer,
				const struct tap_symbols *syms,
				const struct tap_symbols *before);

/**
 * tap_file_module() - append that a module of the kernel was loaded or unloaded
 * @writer: a file
 * @module: its name, with underscores
 * @syms: symbols that were read since it was loaded; NULL: it was unloaded
 * @time: raw time of the session at which that was seen
 *
 * Addresses in the module are named by its functions up to the time of its unloading.
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
LIBTAP_API int tap_file_module(struct tap_file_writer *writer,
			       const char *module,
			       const struct tap_symbols *syms, __u64 time);

/**
 * tap_file_publish() - give a file its name, and replace the one that has it
 * @writer: a file
 * @err: an error message on failure
 *
 * tap_file_finish() calls it if that was not done before.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_file_publish(struct tap_file_writer *writer,
				struct tap_error *err);

/**
 * tap_file_data() - append raw ring data
 * @writer: a file
 * @cpu: number of the ring
 * @pos: position of the first byte in the ring's stream
 * @data: whole slots
 * @len: bytes
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_data(struct tap_file_writer *writer, __u32 cpu,
			     __u64 pos, const void *data, size_t len);

/**
 * tap_file_event() - append one event
 * @writer: a file whose ring data is written by this function only
 * @ev: by time within its ring
 *
 * It is written together with others of its ring, at the latest by tap_file_keep().
 *
 * Return: 0; -EINVAL if there is no such ring; -ENOMEM; or -errno of a write.
 */
LIBTAP_API int tap_file_event(struct tap_file_writer *writer, const struct tap_event *ev);

/**
 * tap_file_keep() - append the events that are not written yet, and the counts of tap_keep_counts()
 * @writer: a file, after the last tap_file_event()
 * @counts: of tap_keep_counts(); NULL: no event was left out
 *
 * Return: 0; -E2BIG if @counts is of a later version of the library; or -errno of a write.
 */
LIBTAP_API int tap_file_keep(struct tap_file_writer *writer,
			     const struct tap_keep_counts *counts);

/**
 * tap_file_time() - append a clock sample
 * @writer: a file
 * @time: of tap_session_time()
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_time(struct tap_file_writer *writer,
			     const struct tap_time *time);

/**
 * tap_file_sync() - append how true CLOCK_REALTIME was
 * @writer: a file
 * @error: its greatest error, ns: maxerror of adjtimex(2). Not called if the clock was not
 *	synchronised
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_sync(struct tap_file_writer *writer, __u64 error);

/**
 * tap_file_stats() - append the counters of a probe
 * @writer: a file
 * @stats: the counters
 *
 * Return: 0; -E2BIG if @stats is of a later version of the library; or -errno of a write.
 */
LIBTAP_API int tap_file_stats(struct tap_file_writer *writer,
			      const struct tap_file_stats *stats);

/**
 * tap_file_span() - append what became of a span
 * @writer: a file, before its counters
 * @probes: the table of tap_file_begin()
 * @read: of tap_session_span(), with all open entries, or without @words
 *
 * Return: 0; -EINVAL if @probes has no such span; -ENOMEM; or -errno of a write.
 */
LIBTAP_API int tap_file_span(struct tap_file_writer *writer, const struct tap_probes *probes,
			     const struct tap_span_read *read);

/**
 * tap_file_tasks() - append what the table of tasks could not take
 * @writer: a file, after its counters
 * @read: of tap_session_tasks_read()
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_tasks(struct tap_file_writer *writer, const struct tap_tasks_read *read);

/**
 * struct tap_window_info - a window of a flight recorder
 * @size: sizeof(struct tap_window_info)
 * @time: of the trigger; this and the next two are raw times of the session's clock
 * @from: it has all records from here on
 * @to: up to here
 * @events: in it
 * @merged: later triggers up to its end
 * @missed: triggers that got no window, since the window before
 * @probe: whose event triggered; 0: it was taken by hand, or at the end
 * @cpu: of that event
 * @flags: TAP_WINDOW_INFO_F_*
 */
struct tap_window_info {
	size_t size;
	__u64 time;
	__u64 from;
	__u64 to;
	__u64 events;
	__u64 merged;
	__u64 missed;
	__u32 probe;
	__u32 cpu;
	__u32 flags;
};

/* It lacks records of the time that was asked for. */
#define TAP_WINDOW_INFO_F_SHORT	(1U << 0)

/**
 * struct tap_flight_counts - what became of the triggers of a recording
 * @size: sizeof(struct tap_flight_counts)
 * @windows: that were written
 * @merged: triggers that came during the window of another one
 * @missed: triggers that came before the set of rings was given back
 * @skipped: triggers that came when all windows that were asked for had been written
 */
struct tap_flight_counts {
	size_t size;
	__u64 windows;
	__u64 merged;
	__u64 missed;
	__u64 skipped;
};

/**
 * tap_file_window() - begin a window
 * @writer: a file
 * @info: the window whose records are written next, by tap_file_data()
 *
 * Return: 0; -E2BIG if @info is of a later version of the library; or -errno of a write.
 */
LIBTAP_API int tap_file_window(struct tap_file_writer *writer, const struct tap_window_info *info);

/**
 * tap_file_flight() - append what became of the triggers
 * @writer: a file, after its last window
 * @counts: the counts; @windows is the number of tap_file_window()
 *
 * Return: 0; -E2BIG if @counts is of a later version of the library; or -errno of a write.
 */
LIBTAP_API int tap_file_flight(struct tap_file_writer *writer,
			       const struct tap_flight_counts *counts);

/**
 * tap_file_bytes() - how much was written so far
 * @writer: a file
 *
 * Return: bytes.
 */
LIBTAP_API __u64 tap_file_bytes(const struct tap_file_writer *writer);

/**
 * tap_file_finish() - append the end mark and close
 * @writer: a file; gone afterwards, whatever is returned
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_finish(struct tap_file_writer *writer);

/**
 * tap_file_abort() - close without an end mark, as if the recording was cut
 * @writer: a file, gone afterwards; may be NULL
 *
 * A file that was not published is removed.
 */
LIBTAP_API void tap_file_abort(struct tap_file_writer *writer);

/**
 * tap_file_open() - open a trace file
 * @file: set on success; end it with tap_file_close()
 * @path: of the file
 * @err: an error message on failure
 *
 * A truncated file is opened up to its last complete part; see tap_file_cut(). The parts of the CPUs
 * take turns, so the events of one CPU may end before those of another.
 *
 * Return: 0; -EBADMSG if it is no trace file or is damaged; -EPROTO if its
 * version is not known; or another -errno.
 */
LIBTAP_API int tap_file_open(struct tap_file_reader **file, const char *path,
			     struct tap_error *err);

/**
 * tap_file_close() - free a reader
 * @file: may be NULL
 */
LIBTAP_API void tap_file_close(struct tap_file_reader *file);

/**
 * tap_file_cut() - whether the file ends before the recording did
 * @file: an open file
 *
 * Return: NULL if it is whole, else a message that says where it ends.
 */
LIBTAP_API const char *tap_file_cut(const struct tap_file_reader *file);

/**
 * tap_file_info() - about the recording
 * @file: an open file
 *
 * Return: valid as long as the file is open.
 */
LIBTAP_API const struct tap_file_info *
tap_file_info(const struct tap_file_reader *file);

/**
 * tap_file_timebase() - its clock, calibrated if the file has two samples
 * @file: an open file
 *
 * Return: valid as long as the file is open.
 */
LIBTAP_API const struct tap_timebase *
tap_file_timebase(const struct tap_file_reader *file);

/**
 * tap_file_end() - when the recording ended
 * @file: an open file
 *
 * Return: raw time of its last clock sample, which was taken while all probes were enabled; 0 if
 * the file was cut in front of that.
 */
LIBTAP_API __u64 tap_file_end(const struct tap_file_reader *file);

/**
 * tap_file_get_time() - a clock sample
 * @file: an open file
 * @index: from 0
 *
 * Return: valid as long as the file is open; NULL if it has not so many.
 */
LIBTAP_API const struct tap_time *
tap_file_get_time(const struct tap_file_reader *file, size_t index);

/**
 * tap_file_get_sync() - how true CLOCK_REALTIME was
 * @file: an open file
 *
 * Return: its greatest error, ns; UINT64_MAX if it was not synchronised.
 */
LIBTAP_API __u64 tap_file_get_sync(const struct tap_file_reader *file);

/**
 * tap_file_probes() - its probe table
 * @file: an open file
 *
 * Return: valid as long as the file is open.
 */
LIBTAP_API const struct tap_probes *
tap_file_probes(const struct tap_file_reader *file);

/**
 * tap_file_names() - let a formatter use the names that the file has
 * @file: an open file; must stay open as long as the formatter
 * @opts: a caller's structure; @timebase, @probes, @resolve and @resolve_user with their
 *	arguments are set
 *
 * Return: 0, or -EINVAL if @opts is too small to have these members.
 */
LIBTAP_API int tap_file_names(const struct tap_file_reader *file,
			      struct tap_formatter_opts *opts);

/**
 * tap_file_get_stats() - its counters of a probe
 * @file: an open file
 * @id: of the probe
 * @stats: filled in up to its @size; @counters is valid as long as the file is open
 *
 * Return: 0; -ENOENT if the file has none; -EINVAL if @size is not set.
 */
LIBTAP_API int tap_file_get_stats(const struct tap_file_reader *file, __u32 id,
				  struct tap_file_stats *stats);

/**
 * tap_file_get_keep() - the counts of tap_file_keep()
 * @file: an open file
 * @counts: filled in up to its @size
 *
 * Return: 0; -ENOENT if all events were recorded; -EINVAL if @size is not set.
 */
LIBTAP_API int tap_file_get_keep(const struct tap_file_reader *file,
				 struct tap_keep_counts *counts);

/**
 * tap_file_get_span() - what became of a span
 * @file: an open file
 * @id: of the span's probe
 *
 * tap_spec_open_field() of the spec of its probe says what the words of an open entry are.
 *
 * Return: the counts, and @out_entries open entries at @words, valid as long as the file is open;
 * NULL if the file has none.
 */
LIBTAP_API const struct tap_span_read *tap_file_get_span(const struct tap_file_reader *file,
							 __u32 id);

/**
 * tap_file_get_tasks() - what the table of tasks could not take
 * @file: an open file
 *
 * Return: the counts, valid as long as the file is open; NULL if the session had no such table, or
 * the file is truncated.
 */
LIBTAP_API const struct tap_tasks_read *tap_file_get_tasks(const struct tap_file_reader *file);

/**
 * tap_file_get_window() - a window
 * @file: an open file
 * @number: from 1
 *
 * Return: valid as long as the file is open; NULL if it has not so many.
 */
LIBTAP_API const struct tap_window_info *
tap_file_get_window(const struct tap_file_reader *file, size_t number);

/**
 * tap_file_event_window() - the window of the event that tap_file_next() gave last
 * @file: an open file
 *
 * Return: its number; 0 if the file has no windows, or all events were given.
 */
LIBTAP_API size_t tap_file_event_window(const struct tap_file_reader *file);

/**
 * tap_file_get_flight() - what became of the triggers
 * @file: an open file
 *
 * Return: the counts, valid as long as the file is open; NULL if it has no windows, or is
 * truncated.
 */
LIBTAP_API const struct tap_flight_counts *tap_file_get_flight(const struct tap_file_reader *file);

/**
 * tap_file_lookup() - name an address by the symbols in the file, as they were at
 *	the time of the event that tap_file_next() gave last
 * @file: an open file
 * @addr: kernel address
 * @buf: given "func+0x10 [mod]"; cut if it does not fit
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT.
 */
LIBTAP_API int tap_file_lookup(const struct tap_file_reader *file, __u64 addr,
			       char *buf, size_t len);

/**
 * tap_file_names_at() - let tap_file_lookup() name addresses as they were at a time
 * @file: an open file
 * @time: that of an event; the next tap_file_next() sets its own
 */
LIBTAP_API void tap_file_names_at(struct tap_file_reader *file, __u64 time);

/**
 * tap_file_lookup_user() - name an address of a program by what is in the file
 * @file: an open file
 * @tgid: the process
 * @time: when, CLOCK_MONOTONIC ns
 * @addr: the address
 * @buf: given "func+0x10 [object] file.c:12", or "0x1234 [object]", the offset in
 *	the object, where it has no name; cut if it does not fit
 * @len: bytes at @buf
 *
 * The file has names only for the addresses in its records, and, for a return
 * address, for the byte before it.
 *
 * Return: 0, or -ENOENT.
 */
LIBTAP_API int tap_file_lookup_user(const struct tap_file_reader *file,
				    __u32 tgid, __u64 time, __u64 addr,
				    char *buf, size_t len);

/**
 * struct tap_file_program - a program or library in which records have addresses
 * @size: sizeof(struct tap_file_program), set by the caller
 * @path: as its process saw it; "[vdso]"
 * @build_id: of the file
 * @build_id_len: bytes of it, 0 if not known
 * @replaced: another file had its path by the end, and its names are not known
 * @functions: names that the file has of it
 * @lines: lines of source that the file has of it
 * @__reserved: 0
 */
struct tap_file_program {
	size_t size;
	char path[4096];
	__u8 build_id[32];
	__u8 build_id_len;
	bool replaced;
	__u32 functions;
	__u32 lines;
	__u32 __reserved;
};

/**
 * tap_file_program() - the programs and libraries of a recording
 * @file: an open file
 * @i: which of them, from 0
 * @program: filled in up to its @size
 *
 * Return: 0; -ENOENT if @i is beyond the last one; -EINVAL if @size is not set.
 */
LIBTAP_API int tap_file_program(const struct tap_file_reader *file, __u32 i,
				struct tap_file_program *program);

/**
 * tap_file_next() - the next event over all CPUs, by time
 * @file: an open file
 * @ev: filled in; the memory it refers to is valid until the next call
 *
 * Return: 1 with an event; 0 at the end.
 */
LIBTAP_API int tap_file_next(struct tap_file_reader *file,
			     struct tap_event *ev);

/**
 * tap_file_counts() - what tap_file_next() saw so far
 * @file: an open file
 * @counts: filled in up to its @size
 *
 * Return: 0, or -EINVAL if @size is not set.
 */
LIBTAP_API int tap_file_counts(const struct tap_file_reader *file,
			       struct tap_reader_counts *counts);

/**
 * struct tap_usym_collect - finds the addresses of code in records that go to a trace file
 *
 * tap_file_lookup_user() and tap_file_lookup() name the addresses that were found while the
 * file was written.
 */
struct tap_usym_collect;

/**
 * tap_usym_collect_open() - start to look at records
 * @collect: set on success; end it with tap_usym_collect_close()
 * @maps: the maps; must stay open until then; NULL: no addresses of programs
 * @probes: the probe table; must stay until then
 * @timebase: of the records; copied
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_usym_collect_open(struct tap_usym_collect **collect,
				     struct tap_maps *maps,
				     const struct tap_probes *probes,
				     const struct tap_timebase *timebase);

/**
 * tap_usym_collect_span() - find the addresses in the open entries of a span
 * @collect: has seen all data
 * @read: of tap_session_span(), with the entries
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_usym_collect_span(struct tap_usym_collect *collect,
				     const struct tap_span_read *read);

/**
 * tap_usym_collect_kernel() - also find the addresses of the kernel
 * @collect: has seen no data; once
 * @syms: symbols of the start of the recording; must stay until @collect is closed
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_usym_collect_kernel(struct tap_usym_collect *collect,
				       const struct tap_symbols *syms);

/**
 * tap_usym_collect_lines() - append source lines of the kernel's modules to a trace file
 * @collect: of tap_usym_collect_open()
 * @writer: a file, after all data
 * @resolve: names an address of the kernel with its line, as tap_types_line() does
 * @arg: handed to @resolve
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
LIBTAP_API int tap_usym_collect_lines(struct tap_usym_collect *collect,
				      struct tap_file_writer *writer,
				      int (*resolve)(const void *arg, __u64 addr, char *buf,
						     size_t len),
				      const void *arg);

/**
 * tap_usym_collect_symbols() - append the functions of the kernel to a trace file
 * @collect: of tap_usym_collect_open()
 * @writer: a file, after the data that @collect has seen
 *
 * Only those that are not in the file yet. After each round of data, a file that is cut has
 * names as well.
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
LIBTAP_API int tap_usym_collect_symbols(struct tap_usym_collect *collect,
					struct tap_file_writer *writer);

/**
 * tap_usym_collect_unknown() - whether an address is in none of the kernel's functions
 * @collect: of tap_usym_collect_open()
 * @now: symbols beside those of the start; may be NULL
 *
 * Return: true if other symbols may have more functions.
 */
LIBTAP_API bool tap_usym_collect_unknown(const struct tap_usym_collect *collect,
					 const struct tap_symbols *now);

/**
 * tap_usym_collect_added() - append functions that the kernel got since the start
 * @collect: has seen all data; after the last tap_usym_collect_symbols(); once
 * @writer: a file, after all data
 * @now: symbols of the end of the recording
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
LIBTAP_API int tap_usym_collect_added(struct tap_usym_collect *collect,
				      struct tap_file_writer *writer,
				      const struct tap_symbols *now);

/**
 * tap_usym_collect_close() - free it
 * @collect: may be NULL
 */
LIBTAP_API void tap_usym_collect_close(struct tap_usym_collect *collect);

/**
 * tap_usym_collect_data() - look at ring data
 * @collect: of tap_usym_collect_open()
 * @cpu: number of the ring
 * @pos: position of the first byte in the ring's stream
 * @data: whole slots, as tap_reader_chunk() gives them
 * @len: bytes at @data
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_usym_collect_data(struct tap_usym_collect *collect,
				     unsigned int cpu, __u64 pos,
				     const void *data, size_t len);

/**
 * tap_usym_collect_event() - look at an event
 * @collect: of tap_usym_collect_open()
 * @ev: an event that tap_decode() accepted
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_usym_collect_event(struct tap_usym_collect *collect,
				      const struct tap_event *ev);

/**
 * tap_usym_collect_write() - append the names of the addresses to a trace file
 * @collect: of tap_usym_collect_open(); it has seen all data
 * @writer: a file, after all data
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
LIBTAP_API int tap_usym_collect_write(struct tap_usym_collect *collect,
				      struct tap_file_writer *writer);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_FILE_H */
