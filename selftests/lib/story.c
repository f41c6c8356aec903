// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the events into a ring, and from there to the file.
 */
#include "selftests/lib/fake_ring.h"

#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftests/lib/story.h"
#include "session/reader.h"

#define RING	(1 << 20)
/* Steps that have room in the ring. */
#define AT_ONCE	4096

static void put_step(struct fake *f, const struct step *step, __u64 *total)
{
	unsigned int slots = step->caller && !step->lost ? tap_words_slots(STORY_WORDS) : 1;
	struct tap_resv resv;
	struct tap_record *rec;

	fake_time = step->time;
	resv = tap_ring_reserve(&f->w[0], slots * TAP_SLOT_SIZE);
	if (resv.pos & TAP_RESV_FAILED)
		abort();
	fake_fill(f, 0, resv.pos, resv.time, step->lost ? 0 : step->probe, slots, 0);
	rec = tap_ring_slot(&f->w[0], resv.pos);
	memset(rec->value, 0, sizeof(rec->value));
	rec->tgid = step->pid;
	rec->tid = step->pid;
	rec->value[TAP_CALL_DURATION] = step->duration;
	rec->value[TAP_CALL_RETVAL] = step->retval;
	rec->value[STORY_VALUE] = step->value;
	/* The stack is the last word of the first slot and two of the second. */
	if (slots > 1) {
		struct tap_slot *slot = tap_ring_slot(&f->w[0], resv.pos + TAP_SLOT_SIZE);

		rec->value[STORY_STACK] = 2 * sizeof(step->caller);
		slot->value[0] = step->ip;
		slot->value[1] = step->caller;
	}
	if (step->lost) {
		rec->kind = TAP_KIND_GAP;
		rec->tid = 0;
		rec->tgid = 0;
		rec->value[TAP_GAP_LOST] = 1;
		rec->value[TAP_GAP_TOTAL] = ++*total;
		rec->value[TAP_GAP_BEGIN] = step->time - 1;
	}
	tap_ring_commit(rec, resv.pos);
}

static void write_ring(struct tap_file_writer *w, struct tap_reader *r)
{
	const void *data;
	__u64 pos;
	size_t len;

	while (!tap_reader_chunk(r, 0, &pos, &data, &len) && len)
		if (tap_file_data(w, 0, pos, data, len) || tap_reader_release(r, 0, len))
			abort();
}

static void write_stats(struct tap_file_writer *w, const struct story_file *s)
{
	struct tap_counters c[STORY_PROBES] = { 0 };
	size_t i;

	for (i = 0; i < s->nr; i++) {
		c[s->step[i].probe].hits++;
		c[s->step[i].probe].written += !s->step[i].lost;
		c[s->step[i].probe].lost_full += s->step[i].lost;
	}
	for (i = 1; i < s->ids; i++) {
		const struct tap_file_stats stats = {
			.size = sizeof(stats), .id = (__u32)i, .counters = &c[i], .nr_cpus = 1,
			.nmissed = s->missed ? s->missed[i] : 0, .flags = s->flags ? s->flags[i] : 0,
		};

		if (tap_file_stats(w, &stats))
			abort();
	}
}

static void write_times(struct tap_file_writer *w, __u64 end)
{
	struct tap_time times[2] = {
		{ .out_raw = 1, .out_mono = 1, .out_real = 1 },
		{ .out_raw = end, .out_mono = end, .out_real = end },
	};

	if (end && (tap_file_time(w, &times[0]) || tap_file_time(w, &times[1])))
		abort();
}

void story_write(const struct story_file *s)
{
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_reader *r;
	struct tap_error err;
	struct stat st;
	__u64 total = 0;
	struct fake f;
	size_t i;

	fake_init(&f, 1, RING, 0);
	s->make_probes(&probes);
	if (tap_reader_open_memory(&r, &f.meta, f.heads, f.tails, f.slots, NULL, NULL) ||
	    tap_file_create(&w, s->path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, s->syms, &err))
		abort();
	for (i = 0; i < s->nr; i++) {
		put_step(&f, &s->step[i], &total);
		if (i % AT_ONCE == AT_ONCE - 1)
			write_ring(w, r);
	}
	write_ring(w, r);
	write_times(w, s->end);
	write_stats(w, s);
	if (tap_file_finish(w) || stat(s->path, &st) || truncate(s->path, st.st_size - s->cut))
		abort();
	tap_reader_close(r);
	tap_probes_clear(&probes);
	fake_free(&f);
}

int story_run(const char *out, const char *fmt, ...)
{
	char command[1024], whole[1200];
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(whole, sizeof(whole), "%s >%s 2>&1", command, out);
	status = system(whole);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool story_has(const char *file, const char *text)
{
	char all[16384];
	FILE *f = fopen(file, "r");
	size_t len = f ? fread(all, 1, sizeof(all) - 1, f) : 0;

	if (f)
		fclose(f);
	all[len] = '\0';
	return strstr(all, text);
}
