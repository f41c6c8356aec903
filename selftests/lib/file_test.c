// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of trace files: written and read back, truncated at every byte, damaged at every
 * byte. Built with sanitizers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "selftests/lib/fake_ring.h"

#include <sys/wait.h>

#include "selftests/lib/file_bytes.h"
#include "selftests/lib/check.h"
#include "selftests/lib/fake_symbols.h"
#include "selftests/lib/file_names.h"
#include "util/layout.h"
#include "util/value_names.h"
#include "spec/field.h"
#include "spec/probe_table.h"
#include "session/reader.h"
#include "util/crc32c.h"

static char dir[] = "/tmp/tap-file-test-XXXXXX";
static char whole_path[64], part_path[64], fifo_path[64];

static void fill_info(struct tap_file_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	strcpy(info->sysname, "Linux");
	strcpy(info->release, "6.1.0");
	strcpy(info->version, "#1");
	strcpy(info->machine, "x86_64");
	strcpy(info->nodename, "box");
	strcpy(info->command, "tap record -e 'call:vfs_read n=$arg3'");
	strcpy(info->tool, "0.1.0");
	info->date = 1700000000;
	info->nr_cpus = 2;
	info->page_size = 4096;
}

static const __u8 patterns[] = "vfs_*\0ext4";

static struct tap_value_names *fill_labels(const char *name, __u64 value)
{
	struct tap_value_names *labels = tap_value_names_new();

	if (!labels || tap_value_names_add(labels, 1, "ONE", 3) ||
	    tap_value_names_add(labels, value, name, strlen(name)))
		abort();
	return labels;
}

/* A struct of 16 bytes with a number that has value names, and an array of structs. */
static struct tap_value_names *fill_layout(struct tap_value_names *names)
{
	const struct tap_layout_node nodes[] = {
		{ .name = (char[]) { "" }, .kind = TAP_LAYOUT_STRUCT, .size = 16, .end = 6 },
		{ .name = (char[]) { "state" }, .kind = TAP_LAYOUT_NUMBER, .size = 4, .end = 2,
		  .bits = 5, .is_signed = true, .format = TAP_FMT_VALUE_NAME, .value_names = names },
		{ .name = (char[]) { "\033[2J" }, .kind = TAP_LAYOUT_TEXT, .bit = 32, .size = 4, .end = 3 },
		{ .name = (char[]) { "ring" }, .kind = TAP_LAYOUT_ARRAY, .bit = 64, .size = 2,
		  .count = 4, .end = 6 },
		{ .name = (char[]) { "" }, .kind = TAP_LAYOUT_STRUCT, .size = 2, .end = 6 },
		{ .name = (char[]) { "len" }, .kind = TAP_LAYOUT_NUMBER, .size = 2, .end = 6,
		  .format = TAP_FMT_U16 },
	};
	struct tap_value_names *own = tap_value_names_new();
	size_t i;

	if (!own)
		abort();
	own->layout = calloc(1, sizeof(*own->layout));
	for (i = 0; i < ARRAY_SIZE(nodes); i++)
		if (!own->layout || tap_layout_add(own->layout, &nodes[i], strlen(nodes[i].name)) < 0)
			abort();
	return own;
}

/* What open entries of the span have. */
static void fill_span(struct tap_spec *spec, struct tap_value_names *names)
{
	const unsigned int head = sizeof(struct tap_span_event) / 8;
	const struct tap_field open[] = {
		FIELD("key", U64, head, 1),
		FIELD("value", VALUE_NAME, head + 1, 1, .value_names = names),
	};

	spec->span = calloc(1, sizeof(*spec->span));
	if (!spec->span)
		abort();
	spec->span->open = malloc(sizeof(open));
	if (!spec->span->open)
		abort();
	memcpy(spec->span->open, open, sizeof(open));
	tap_value_names_get(names);
	spec->span->refs = 1;
	spec->span->nr_open = ARRAY_SIZE(open);
	spec->span->nr_open_keys = 1;
}

static void fill_probes(struct tap_probes *probes)
{
	struct tap_value_names *shared = fill_labels("BIG", 1ULL << 63);
	struct tap_value_names *own = fill_labels("\033[2J\"", 0);
	const struct tap_field call_fields[] = {
		FIELD("n", AUTO, 2, 1),
		FIELD("sym", SYMBOL, 3, 1),
		FIELD("deep", X64, 10, 1),
		FIELD("bits", FLAGS, 4, 1, .value_names = shared, .output = 5),
		FIELD("each", DATA, 5, 3, .value_names = shared,
		      .element = TAP_FMT_VALUE_NAME),
		FIELD("array", AUTO, 8, 2, .element = TAP_FMT_U16, .count = 7),
	};
	struct tap_value_names *members = fill_layout(shared);
	const struct tap_field fields[] = {
		FIELD("a", U64, 0, 1),
		FIELD("own", VALUE_NAME, 1, 1, .value_names = own),
		FIELD("shared", VALUE_NAME, 2, 1, .value_names = shared),
		FIELD("dev", STRUCT, 2, 2, .value_names = members, .flags = TAP_FIELD_F_OLD),
		FIELD("dev", DIFF, 2, 2, .value_names = members, .count = 2),
	};
	struct tap_spec *spec;

	fake_probe(probes, 1, TAP_PROBE_CALL, "call:vfs_read", 11,
		   call_fields, ARRAY_SIZE(call_fields));
	spec = &probes->list[0].spec;
	spec->ops = calloc(1, sizeof(struct tap_op));
	spec->data = malloc(sizeof(patterns));
	if (!spec->ops || !spec->data)
		abort();
	spec->ops->code = TAP_OP_ARG;
	spec->nr_ops = 1;
	memcpy(spec->data, patterns, sizeof(patterns));
	spec->data_len = sizeof(patterns);
	spec->name = strdup("rd");
	fake_probe(probes, 2, TAP_PROBE_KPROBE, "kprobe:helper", 4, fields,
		   ARRAY_SIZE(fields));
	fake_probe(probes, 3, TAP_PROBE_SPAN, "span:one", 4, fields, 1);
	fill_span(&probes->list[2].spec, shared);
	probes->list[1].spec.side = TAP_SIDE_TO;
	tap_value_names_put(shared);
	tap_value_names_put(own);
	tap_value_names_put(members);
}

/* An open entry of the span: a struct tap_span_event, its key and a value. */
#define ENTRY_WORDS	(sizeof(struct tap_span_event) / 8 + 2)

static int write_span(struct tap_file_writer *w, const struct tap_probes *probes)
{
	static const __u64 words[2 * ENTRY_WORDS] = {
		[0] = 500, [ENTRY_WORDS - 2] = 70, [ENTRY_WORDS - 1] = 1,
		[2 * ENTRY_WORDS - 2] = 71, [2 * ENTRY_WORDS - 1] = 9,
	};
	struct tap_span_read read = {
		.id = 3, .words = (uintptr_t)words, .out_entries = 2, .out_entry_words = ENTRY_WORDS,
		.out_opened = 1, .out_restarted = 2, .out_full = 3, .out_busy = 4, .out_ended = 5,
		.out_unmatched = 6, .out_unmatched_busy = 7, .out_cleared = 8, .out_open = 9,
	};

	return tap_file_span(w, probes, &read);
}

static void test_span(const struct tap_file_reader *file)
{
	const struct tap_probe *probe = tap_probes_find(tap_file_probes(file), 3);
	const struct tap_span_read *read = tap_file_get_span(file, 3);
	const __u64 *words;
	char buf[64] = "";

	if (!ok(read && probe && !tap_file_get_span(file, 2), "one probe is a span"))
		return;
	ok(read->out_opened == 1 && read->out_restarted == 2 && read->out_full == 3 &&
	   read->out_busy == 4 && read->out_ended == 5 && read->out_unmatched == 6 &&
	   read->out_unmatched_busy == 7 && read->out_cleared == 8 && read->out_open == 9,
	   "its counts");
	words = (const __u64 *)(uintptr_t)read->words;
	ok(read->out_entries == 2 && read->out_entry_words == ENTRY_WORDS &&
	   read->nr_words == 2 * ENTRY_WORDS && words[0] == 500 &&
	   words[2 * ENTRY_WORDS - 2] == 71, "its open entries");
	ok(tap_spec_open_keys(&probe->spec) == 1 && tap_spec_open_field(&probe->spec, 1) &&
	   !tap_spec_open_field(&probe->spec, 2) &&
	   !strcmp(tap_spec_open_field(&probe->spec, 0)->name, "key"), "their fields");
	ok(tap_format_words(&(struct tap_formatter_opts) { .size = sizeof(struct tap_formatter_opts) },
			    tap_spec_open_field(&probe->spec, 1), words + ENTRY_WORDS - 1, buf,
			    sizeof(buf)) > 0 && !strcmp(buf, "ONE"), "the names of their values");
	ok(tap_spec_side(&tap_file_probes(file)->list[1].spec) == TAP_SIDE_TO &&
	   !tap_spec_side(&probe->spec), "a side of the span");
}

/* Moves all committed records to the file, as tap record does. */
static void drain(struct tap_reader *r, struct tap_file_writer *w,
		  unsigned int cpus)
{
	unsigned int cpu;
	const void *data;
	size_t len;
	__u64 pos;

	for (cpu = 0; cpu < cpus; cpu++)
		while (!tap_reader_chunk(r, cpu, &pos, &data, &len) && len)
			if (tap_file_data(w, cpu, pos, data, len) ||
			    tap_reader_release(r, cpu, len))
				abort();
}

/* Writes the file that all tests read; returns the number of its events. */
static unsigned int write_file(const char *path, unsigned int records,
			       bool packed)
{
	struct tap_counters counters[2] = {
		{ .hits = 10, .written = 9, .lost_full = 1 },
		{ .hits = 3, .written = 3 },
	};
	const struct tap_tasks_read tasks = {
		.out_no_room = 4, .out_backwards = 5, .out_unexpected = 6, .out_no_wait = 7,
	};
	struct tap_time time = { .out_raw = 0, .out_mono = 500 };
	struct tap_symbols *syms = load_symbols(dir, file_kallsyms);
	struct tap_symbols *later = load_symbols(dir, file_kallsyms_later);
	struct tap_file_stats stats = {
		.size = sizeof(stats),
		.id = 1, .state = TAP_STATE_DISABLED, .nmissed = 7,
		.nmissed_return = 8, .counters = counters, .nr_cpus = 2,
		.flags = TAP_STATS_F_BPF,
	};
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_file_info info;
	struct tap_error err;
	struct tap_reader *r;
	unsigned int i;
	struct fake f;

	fake_init(&f, 2, 4096, 4096 * 3 - 64);
	fill_info(&info);
	fill_probes(&probes);
	if (!syms || !later ||
	    tap_reader_open_memory(&r, &f.meta, f.heads, f.tails, f.slots, NULL,
				   NULL) ||
	    tap_file_create(&w, path, &err) ||
	    (packed && tap_file_compress(w)) ||
	    tap_file_begin(w, &info, &f.meta, &probes, syms, &err) ||
	    tap_file_time(w, &time))
		abort();
	for (i = 0; i < records; i++) {
		fake_time = 1000 + i;
		/* Records of two slots on CPU 0: some wrap around the end of the ring. */
		if (!fake_write(&f, i & 1, i & 1 ? 2 : 1, i & 1 ? 1 : 2, i))
			abort();
		if (i % 10 == 9)
			drain(r, w, 2);
	}
	drain(r, w, 2);
	time.out_raw = 2000000000;
	time.out_mono = 500 + 2000000000ULL;
	if (tap_file_time(w, &time) || tap_file_symbols(w, later, syms))
		abort();
	if (write_span(w, &probes))
		abort();
	write_programs(w);
	if (tap_file_stats(w, &stats))
		abort();
	stats.id = 2;
	if (tap_file_stats(w, &stats) || tap_file_tasks(w, &tasks) || tap_file_finish(w))
		abort();
	tap_reader_close(r);
	tap_symbols_free(syms);
	tap_symbols_free(later);
	tap_probes_clear(&probes);
	fake_free(&f);
	return records;
}

static int lookup(const void *file, __u64 addr, char *buf, size_t len)
{
	return tap_file_lookup(file, addr, buf, len);
}

/**
 * struct seen - results of reading a file to its end
 * @events: number of decoded events
 * @ordered: they were ordered by time
 * @right: their values were those written
 */
struct seen {
	unsigned int events;
	bool ordered;
	bool right;
};

/* Reads all open entries. */
static __u64 sum_of_span(const struct tap_span_read *read)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; read && i < read->nr_words; i++)
		sum += ((const __u64 *)(uintptr_t)read->words)[i];
	return sum;
}

/* Reads and formats all events, and reads all tables. */
static void read_all(struct tap_file_reader *file, struct seen *seen, int fd)
{
	const struct tap_probes *probes = tap_file_probes(file);
	struct tap_formatter_opts opts = {
		.size = sizeof(opts),
		.fd = fd,
		.timebase = tap_file_timebase(file),
		.probes = probes,
		.resolve = lookup,
		.resolve_arg = file,
	};
	struct tap_formatter *text, *json;
	struct tap_file_program program = { .size = sizeof(program) };
	struct tap_file_stats stats = { .size = sizeof(stats) };
	struct tap_event ev;
	__u64 last = 0, sum = 0;
	size_t i;

	*seen = (struct seen){ .ordered = true, .right = true };
	if (tap_formatter_open(&text, &opts))
		abort();
	opts.json = true;
	if (tap_formatter_open(&json, &opts))
		abort();
	while (tap_file_next(file, &ev)) {
		__u64 n = ev.time - 1000;

		if (tap_decode(probes, &ev))
			continue;
		seen->ordered &= ev.time >= last;
		last = ev.time;
		seen->right &= tap_event_word(&ev, 0) ==
			       fake_value(ev.cpu, (unsigned int)n, 0);
		if (ev.slots == 2)
			seen->right &= tap_event_word(&ev, 10) ==
				fake_value(ev.cpu, (unsigned int)n, 10);
		seen->events++;
		if (tap_formatter_event(text, &ev) ||
		    tap_formatter_event(json, &ev))
			abort();
	}
	if (tap_formatter_flush(text) || tap_formatter_flush(json))
		abort();
	for (i = 0; i < 200; i++) {
		sum += 2 * !look_up_program(file, i % 3 * 1000, PROGRAM_AT +
				    known_place - 64 + 16 * i) +
		       2 * !look_up_program(file, i % 3 * 1000, JIT_AT + i);
		if (!tap_file_program(file, (__u32)i, &program))
			sum += 2 * strlen(program.path);
	}
	for (i = 0; i < probes->nr; i++) {
		unsigned int k;

		if (tap_file_get_stats(file, probes->list[i].id, &stats))
			continue;
		for (k = 0; k < stats.nr_cpus; k++)
			sum += stats.counters[k].hits;
		sum += sum_of_span(tap_file_get_span(file, probes->list[i].id));
	}
	if (sum == 1)
		puts("#");
	tap_formatter_close(text);
	tap_formatter_close(json);
}

static void test_whole(unsigned int records, int null)
{
	const struct tap_tasks_read *tasks;
	struct tap_file_reader *file;
	struct tap_file_stats stats = { .size = sizeof(stats) };
	struct tap_error err = { 0 };
	struct seen seen;
	struct stat st;
	char buf[64];

	if (!ok(!tap_file_open(&file, whole_path, &err), "a file opens")) {
		printf("# %s\n", err.text);
		return;
	}
	ok(!tap_file_cut(file), "the file is complete");
	ok(!strcmp(tap_file_info(file)->command,
		   "tap record -e 'call:vfs_read n=$arg3'") &&
	   !strcmp(tap_file_info(file)->tool, "0.1.0") &&
	   tap_file_info(file)->date == 1700000000, "the system is recorded");
	ok(tap_file_probes(file)->nr == 3 &&
	   !strcmp(tap_file_probes(file)->list[0].spec.fields[2].name, "deep") &&
	   tap_file_probes(file)->list[0].spec.type == TAP_PROBE_CALL,
	   "the probe table is recorded");
	ok(!strcmp(tap_probe_event(&tap_file_probes(file)->list[0]), "rd") &&
	   !strcmp(tap_spec_text(&tap_file_probes(file)->list[0].spec), "call:vfs_read") &&
	   !tap_spec_name(&tap_file_probes(file)->list[1].spec), "and the name of an event");
	ok(tap_timebase_mono(tap_file_timebase(file), 1000) == 1500,
	   "the clock is calibrated");
	read_all(file, &seen, null);
	ok(seen.events == records && seen.ordered && seen.right,
	   "all records, in order, with their values");
	ok(!tap_file_get_stats(file, 1, &stats) && stats.nmissed == 7 &&
	   stats.nr_cpus == 2 && stats.counters[0].lost_full == 1 &&
	   stats.flags == TAP_STATS_F_BPF &&
	   tap_file_get_stats(file, 9, &stats) == -ENOENT, "the counters");
	tasks = tap_file_get_tasks(file);
	ok(tasks && tasks->out_no_room == 4 && tasks->out_backwards == 5 &&
	   tasks->out_unexpected == 6 && tasks->out_no_wait == 7, "the counts of the table of tasks");
	ok(!tap_file_lookup(file, 0xffffffff81000110, buf, sizeof(buf)) &&
	   !strcmp(buf, "vfs_read+0x10"), "a symbol of vmlinux");
	ok(!tap_file_lookup(file, 0xffffffffc0100000, buf, sizeof(buf)) &&
	   !strcmp(buf, "usb_open+0x0 [usb_core]"), "a symbol of a module");
	ok(!tap_file_lookup(file, 0xffffffffc0200004, buf, sizeof(buf)) &&
	   !strcmp(buf, "net_open+0x4 [net]"),
	   "a symbol of a module that was loaded meanwhile");
	test_span(file);
	ok(tap_file_lookup(file, 0x1000, buf, sizeof(buf)) == -ENOENT,
	   "an address before all symbols");
	ok(!stat(whole_path, &st) && (st.st_mode & 0777) == 0600,
	   "only the owner can read the file");
	tap_file_close(file);
}

/* The probe table has the content that fill_probes() wrote. */
static void test_probes(void)
{
	struct tap_file_reader *file;
	struct tap_probes probes = { 0 };
	bool fields = true, labels = true, layouts = true;
	const struct tap_spec *a, *b;
	unsigned int i, k;

	fill_probes(&probes);
	if (tap_file_open(&file, whole_path, NULL))
		abort();
	for (k = 0; k < probes.nr; k++) {
		a = &tap_file_probes(file)->list[k].spec;
		b = &probes.list[k].spec;
		fields &= a->nr_fields == b->nr_fields;
		for (i = 0; fields && i < b->nr_fields; i++) {
			const struct tap_field *f = &a->fields[i];
			const struct tap_field *g = &b->fields[i];

			fields &= !strcmp(f->name, g->name) &&
				  f->format == g->format &&
				  f->word == g->word && f->words == g->words &&
				  f->flags == g->flags &&
				  f->element == g->element &&
				  f->count == g->count &&
				  f->output == g->output;
			labels &= !f->value_names == !g->value_names;
		}
	}
	ok(fields, "fields are read as written");
	if (!fields)
		abort();
	a = &tap_file_probes(file)->list[0].spec;
	b = &tap_file_probes(file)->list[1].spec;
	ok(labels && a->fields[3].value_names->nr == 2 &&
	   !strcmp(a->fields[3].value_names->list[0].name, "ONE") &&
	   a->fields[3].value_names->list[1].value == 1ULL << 63 &&
	   !strcmp(a->fields[3].value_names->list[1].name, "BIG"),
	   "value names are read as written");
	ok(a->fields[3].value_names == a->fields[4].value_names &&
	   a->fields[3].value_names == b->fields[2].value_names,
	   "shared value names are stored once");
	ok(b->fields[3].value_names == b->fields[4].value_names &&
	   tap_field_layout(&b->fields[3])->nr == 6, "a layout is stored once");
	for (i = 0; i < 6; i++) {
		const struct tap_layout_node *x = &tap_field_layout(&b->fields[3])->list[i];
		const struct tap_layout_node *y = &tap_field_layout(&probes.list[1].spec.fields[3])->list[i];

		layouts &= x->kind == y->kind && x->bits == y->bits && x->is_signed == y->is_signed &&
			   x->format == y->format && x->size == y->size && x->count == y->count &&
			   x->bit == y->bit && x->end == y->end &&
			   !strcmp(x->name, i == 2 ? "?[2J" : y->name) &&
			   x->value_names == (i == 1 ? b->fields[2].value_names : NULL);
	}
	ok(layouts, "layouts are read as written, without control characters");
	ok(!strcmp(b->fields[1].value_names->list[1].name, "?[2J\""),
	   "value names have no control characters");
	ok(a->data_len == sizeof(patterns) &&
	   !memcmp(a->data, patterns, sizeof(patterns)) && !b->data_len,
	   "patterns are read as written");
	tap_file_close(file);
	tap_probes_clear(&probes);
}

static void test_cut(const char *data, size_t len, unsigned int records,
		     int null)
{
	unsigned int refused = 0, opened = 0, most = 0, last = 0;
	bool said = true, right = true, grows = true;
	size_t n;

	for (n = 0; n < len; n++) {
		struct tap_file_reader *file;
		struct tap_error err = { 0 };
		struct seen seen;

		store(data, n);
		if (tap_file_open(&file, part_path, &err)) {
			refused++;
			said &= err.code == -EBADMSG && *err.text;
			/* A longer part of the file has at least as much to read. */
			grows &= !opened;
			continue;
		}
		opened++;
		said &= tap_file_cut(file) != NULL;
		read_all(file, &seen, null);
		right &= seen.ordered && seen.right;
		grows &= seen.events >= last;
		last = seen.events;
		if (seen.events > most)
			most = seen.events;
		tap_file_close(file);
	}
	printf("# %zu bytes: %u cuts refused, %u read\n", len, refused, opened);
	ok(said, "truncated at every byte: truncation is reported");
	ok(right, "truncated at every byte: events have the right values");
	ok(grows && most == records, "truncated at every byte: all complete chunks are read");
}

/* Of the damaged files one in this many is read. */
static unsigned int one_in;

static void test_damage(char *data, size_t len, int null)
{
	static const unsigned char flips[] = { 0x01, 0x80, 0xff };
	unsigned int opened = 0, refused = 0;
	bool said = true;
	size_t n, k;

	for (n = 0; n < len; n += one_in) {
		for (k = 0; k < ARRAY_SIZE(flips); k++) {
			struct tap_file_reader *file;
			struct tap_error err = { 0 };
			struct seen seen;

			data[n] ^= (char)flips[k];
			store(data, len);
			data[n] ^= (char)flips[k];
			if (tap_file_open(&file, part_path, &err)) {
				said &= *err.text != 0;
				refused++;
				continue;
			}
			opened++;
			read_all(file, &seen, null);
			tap_file_close(file);
		}
	}
	printf("# %u damaged files read, %u refused\n", opened, refused);
	ok(said && opened && refused, "damaged at every byte: no crash");
}

/* Damages many bytes at once, which gets further than one byte. */
static void test_noise(char *data, size_t len, int null)
{
	unsigned int round, i;
	char *copy = malloc(len);

	srand(3);
	for (round = 0; copy && round < 3000 / one_in; round++) {
		struct tap_file_reader *file;
		struct seen seen;

		memcpy(copy, data, len);
		for (i = 0; i < 1 + round % 30; i++)
			copy[(size_t)rand() % len] = (char)rand();
		store(copy, len);
		if (tap_file_open(&file, part_path, NULL))
			continue;
		read_all(file, &seen, null);
		tap_file_close(file);
	}
	free(copy);
	ok(round, "files with random bytes: no crash");
	printf("# %u of them\n", round);
}

static bool refused_with(const char *path, int code, const char *part)
{
	struct tap_file_reader *file = NULL;
	struct tap_error err = { 0 };

	if (tap_file_open(&file, path, &err) != code) {
		tap_file_close(file);
		printf("# got %d '%s'\n", err.code, err.text);
		return false;
	}
	if (strstr(err.text, part))
		return true;
	printf("# got '%s'\n", err.text);
	return false;
}

static void test_refused(char *data, size_t len)
{
	struct tap_file_reader *file;

	store("hello, world: this is a text file\n", 34);
	ok(refused_with(part_path, -EBADMSG, "is not a trace file"),
	   "a file of another type is refused");
	store("", 0);
	ok(refused_with(part_path, -EBADMSG, "is empty"), "an empty file is refused");
	ok(refused_with("/nonexistent/x.tap", -ENOENT, "No such file"),
	   "a missing file is refused");
	ok(refused_with(dir, -EINVAL, "neither a regular file nor a pipe"), "a directory");
	data[8] = TAP_FILE_VERSION - 1;
	store(data, len);
	data[8] = TAP_FILE_VERSION;
	ok(refused_with(part_path, -EPROTO, "format version 3"),
	   "the previous format version is refused");
	data[8] = TAP_FILE_VERSION + 1;
	store(data, len);
	data[8] = TAP_FILE_VERSION;
	ok(refused_with(part_path, -EPROTO, "format version 5"),
	   "a later format version is refused");
	data[len] = 'x';
	store(data, len + 1);
	ok(!tap_file_open(&file, part_path, NULL) && tap_file_cut(file) &&
	   strstr(tap_file_cut(file), "after its end mark"),
	   "bytes after the end are reported");
	tap_file_close(file);
}

/* The offset of a member in the content of a chunk. */
#define PROBE(member)	\
	TAP_CHUNK_PROBES, offsetof(struct tap_file_probe, member), \
	sizeof(((struct tap_file_probe *)0)->member)
/* The n-th field of the first probe, which has one op. */
#define FIELD_OF(n, member)	\
	TAP_CHUNK_PROBES, sizeof(struct tap_file_probe) + \
	sizeof(struct tap_op) + (n) * sizeof(struct tap_file_field) + \
	offsetof(struct tap_file_field, member), \
	sizeof(((struct tap_file_field *)0)->member)
#define LABELS(member)	\
	TAP_CHUNK_VALUE_NAMES, offsetof(struct tap_file_value_names, member), \
	sizeof(((struct tap_file_value_names *)0)->member)
/* The length of the n-th of two value names; the first is "ONE". */
#define LABEL_NAME(n)	\
	TAP_CHUNK_VALUE_NAMES, sizeof(struct tap_file_value_names) + 16 + 4 * (n), 1
/* A member of the n-th node of fill_layout(). */
#define NODE(n, member)	\
	TAP_CHUNK_LAYOUTS, sizeof(struct tap_file_layout) +	\
	(n) * sizeof(struct tap_file_layout_node) + offsetof(struct tap_file_layout_node, member), \
	sizeof(((struct tap_file_layout_node *)0)->member)

#define SPAN(member)	\
	offsetof(struct tap_file_span, member), sizeof(((struct tap_file_span *)0)->member)
#define SPAN_FIELD(member)	\
	sizeof(struct tap_file_span) + sizeof(struct tap_file_field) +	\
	offsetof(struct tap_file_field, member), sizeof(((struct tap_file_field *)0)->member)

/* The file is read up to a span that is malformed. */
static void test_malformed_span(char *data, size_t len)
{
	static const struct {
		const char *what;
		size_t offset;
		size_t width;
		__u64 value;
	} table[] = {
		{ "a span that is no probe", SPAN(id), 4 },
		{ "a span whose probe is none", SPAN(id), 2 },
		{ "a span with too many fields", SPAN(nr_fields), UINT32_MAX },
		{ "a span with fields beyond the part", SPAN(nr_fields), 10 },
		{ "a span with more keys than fields", SPAN(nr_keys), 3 },
		{ "short entries", SPAN(entry_words), 5 },
		{ "entries that do not hold the fields", SPAN(entry_words), ENTRY_WORDS - 1 },
		{ "long entries", SPAN(entry_words), UINT32_MAX },
		{ "an entry too many", SPAN(nr_entries), 3 },
		{ "many entries", SPAN(nr_entries), UINT64_MAX },
		{ "a field beyond the entry", SPAN_FIELD(word), ENTRY_WORDS },
		{ "a field without words", SPAN_FIELD(words), 0 },
		{ "names that are not there", SPAN_FIELD(value_names), 4 },
	};
	size_t at = find_part(data, len, TAP_CHUNK_SPAN), i;
	struct tap_file_reader *file;
	struct tap_error err;
	char copy[1 << 17];

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		memcpy(copy, data, len);
		memcpy(copy + at + table[i].offset, &table[i].value, table[i].width);
		store(copy, len);
		if (!ok(!tap_file_open(&file, part_path, &err), "the part before is read"))
			continue;
		ok(tap_file_cut(file) && strstr(tap_file_cut(file), "is damaged: a span at byte") &&
		   !tap_file_get_span(file, 3), table[i].what);
		tap_file_close(file);
	}
}

static void test_malformed(char *data, size_t len)
{
	static const struct {
		const char *what;
		__u32 type;
		size_t offset;
		size_t width;
		__u64 value;
	} table[] = {
		{ "a probe of no length", PROBE(length), 0 },
		{ "an odd length", PROBE(length), 901 },
		{ "a length beyond the part", PROBE(length), 1U << 20 },
		{ "an id of 0", PROBE(id), 0 },
		{ "no slots", PROBE(slots), 0 },
		{ "too many slots", PROBE(slots), 256 },
		{ "more words than slots hold", PROBE(words), 12 },
		{ "words that do not hold the fields", PROBE(words), 10 },
		{ "too many steps", PROBE(nr_ops), TAP_MAX_OPS + 1 },
		{ "steps beyond the probe", PROBE(nr_ops), 200 },
		{ "too many fields", PROBE(nr_fields), UINT32_MAX },
		{ "fields beyond the probe", PROBE(nr_fields), 100 },
		{ "a name beyond the probe", PROBE(event_len), 65535 },
		{ "a target beyond the probe", PROBE(target_len), 65535 },
		{ "too many patterns", PROBE(data_len), UINT32_MAX },
		{ "patterns beyond the probe", PROBE(data_len), TAP_MAX_DATA },
		{ "a field without words", FIELD_OF(0, words), 0 },
		{ "a field beyond the words", FIELD_OF(0, word), 11 },
		{ "a field that goes beyond", FIELD_OF(5, words), 4 },
		{ "an output too high", FIELD_OF(3, output), TAP_MAX_OUTPUTS },
		{ "labels that are not there", FIELD_OF(3, value_names), 4 },
		{ "labels far off", FIELD_OF(3, value_names), UINT32_MAX },
		{ "an array beyond its words", FIELD_OF(5, count), 9 },
		{ "an array of texts", FIELD_OF(5, element), TAP_FMT_STRING },
		{ "data of texts", FIELD_OF(4, element), TAP_FMT_COMM },
		{ "a comm of three words", FIELD_OF(4, format), TAP_FMT_COMM },
		{ "labels of no length", LABELS(length), 0 },
		{ "labels of an odd length", LABELS(length), 33 },
		{ "labels beyond the part", LABELS(length), 1U << 20 },
		{ "labels that leave a rest", LABELS(length), 24 },
		{ "too many labels", LABELS(nr), UINT32_MAX },
		{ "more labels than names", LABELS(nr), 3 },
		{ "a label beyond its list", LABEL_NAME(0), 255 },
		{ "another one", LABEL_NAME(1), 13 },
		{ "a struct that is a bitfield", NODE(4, bits), 1 },
		{ "an array that is a bitfield", NODE(3, bits), 1 },
		{ "a text that is a bitfield", NODE(2, bits), 1 },
		{ "an element that is no part of the array", NODE(4, size), 3 },
		{ "a member that ends behind its struct", NODE(5, size), 4 },
		{ "names of values that are not there", NODE(1, value_names), 4 },
	};
	struct tap_file_reader *file;
	char copy[1 << 17];
	size_t i;

	if (len > sizeof(copy))
		abort();
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		size_t at = find_part(data, len, table[i].type);

		memcpy(copy, data, len);
		memcpy(copy + at + table[i].offset, &table[i].value,
		       table[i].width);
		store(copy, len);
		ok(refused_with(part_path, -EBADMSG,
				table[i].type == TAP_CHUNK_VALUE_NAMES ? "the names of values at" :
				table[i].type == TAP_CHUNK_LAYOUTS ? "the members of structs at" :
				"the probe table at"),
		   table[i].what);
	}
	/* A format that this version does not know is printed in hex. */
	memcpy(copy, data, len);
	i = find_part(data, len, TAP_CHUNK_PROBES) + sizeof(struct tap_op) +
	    sizeof(struct tap_file_probe);
	copy[i] = 99;
	store(copy, len);
	ok(!tap_file_open(&file, part_path, NULL) &&
	   tap_file_probes(file)->list[0].spec.fields[0].format ==
	   TAP_FMT_X64, "a value of an unknown format is a number in hex");
	tap_file_close(file);
}

/* A node has names of values that get a layout afterwards: such lists could be a chain. */
static void test_layout_chain(char *data, size_t len)
{
	size_t names = find_part(data, len, TAP_CHUNK_VALUE_NAMES);
	size_t at = find_part(data, len, TAP_CHUNK_LAYOUTS);
	struct tap_file_layout_node node;
	struct tap_file_layout layout;
	struct tap_file_chunk chunk;
	__u32 i, length, none = 0;
	char copy[1 << 17];

	memcpy(&layout, data + at, sizeof(layout));
	memcpy(&node, data + at + sizeof(layout) + sizeof(node), sizeof(node));
	/* The same layout once more, for the list of node 1, which has no names now. */
	memcpy(copy, data, at + layout.length);
	memcpy(copy + at + layout.length, data + at, len - at);
	memcpy(&chunk, copy + at - sizeof(chunk), sizeof(chunk));
	chunk.length += layout.length;
	memcpy(copy + at - sizeof(chunk), &chunk, sizeof(chunk));
	memcpy(copy + at + layout.length + offsetof(struct tap_file_layout, value_names),
	       &node.value_names, sizeof(node.value_names));
	for (i = 1; i < node.value_names; i++, names += length)
		memcpy(&length, copy + names, sizeof(length));
	memcpy(copy + names + offsetof(struct tap_file_value_names, nr), &none, sizeof(none));
	/* The node of the second layout has none. */
	memcpy(copy + at + layout.length + sizeof(layout) + sizeof(node) +
	       offsetof(struct tap_file_layout_node, value_names), &none, sizeof(none));
	store(copy, len + layout.length);
	ok(refused_with(part_path, -EBADMSG, "the members of structs at"),
	   "a layout for names of values that a node has");
}

/* Counts the names in the directory of the files. */
static unsigned int count_names(void)
{
	DIR *d = opendir(dir);
	unsigned int nr = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		nr += e->d_name[0] != '.';
	closedir(d);
	return nr;
}

static int stalled(void *arg, int fd)
{
	(void)fd;
	return ++*(int *)arg < 3 ? 0 : -ECANCELED;
}

static void test_fifo(const struct tap_file_info *info,
		      const struct tap_meta *meta,
		      const struct tap_probes *probes)
{
	static const char data[1 << 20];
	struct tap_file_writer *w = NULL;
	struct tap_error err = { 0 };
	int reader, calls = 0;

	if (mkfifo(fifo_path, 0600))
		abort();
	reader = open(fifo_path, O_RDONLY | O_NONBLOCK);
	ok(!tap_file_create(&w, fifo_path, &err) &&
	   !tap_file_begin(w, info, meta, probes, NULL, &err) &&
	   !tap_file_publish(w, &err), "a FIFO is written to directly");
	tap_file_stall(w, stalled, &calls);
	ok(tap_file_data(w, 0, 0, data, sizeof(data)) == -ECANCELED &&
	   calls == 3, "without a reader of the FIFO the writer does not block forever");
	tap_file_abort(w);
	ok(!access(fifo_path, F_OK), "and stays");
	close(reader);
	unlink(fifo_path);
}

static void test_create(void)
{
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w = NULL;
	struct tap_file_info info;
	struct tap_error err = { 0 };
	char path[80], link[80], *data;
	unsigned int names;
	struct stat st;
	struct fake f;
	size_t len;
	int fd;

	fake_init(&f, 1, 4096, 0);
	fill_info(&info);
	fill_probes(&probes);
	ok(!tap_file_create(&w, "/dev/full", &err) &&
	   tap_file_begin(w, &info, &f.meta, &probes, NULL, &err) == -ENOSPC &&
	   strstr(err.text, "No space"), "a full disk is an error");
	tap_file_abort(w);
	ok(tap_file_create(&w, "/nonexistent/x", &err) == -ENOENT &&
	   strstr(err.text, "-o FILE"), "a missing directory");

	snprintf(path, sizeof(path), "%s/old.tap", dir);
	snprintf(link, sizeof(link), "%s/link.tap", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || fchmod(fd, 0644) || write(fd, "old", 3) != 3 ||
	    symlink("old.tap", link))
		abort();
	close(fd);
	names = count_names();
	if (tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, NULL, &err))
		abort();
	ok(!stat(path, &st) && st.st_size == 3, "the old file exists until the new one is complete");
	tap_file_abort(w);
	ok(!stat(path, &st) && st.st_size == 3 && count_names() == names,
	   "also after an abort, and no temporary file remains");
	if (tap_file_create(&w, link, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, NULL, &err) ||
	    tap_file_publish(w, &err))
		abort();
	data = load(path, &len);
	ok(len > 3 && count_names() == names, "a published file replaces the old one");
	free(data);
	ok(!stat(path, &st) && (st.st_mode & 07777) == 0600,
	   "the new file has its own mode: only the owner can read it");
	ok(!lstat(link, &st) && S_ISLNK(st.st_mode), "a symbolic link remains");
	ok(!tap_file_finish(w) && count_names() == names, "and ends");
	unlink(path);
	ok(tap_file_create(&w, link, &err) == -ENOENT,
	   "a dangling symbolic link is not replaced");
	unlink(link);
	test_fifo(&info, &f.meta, &probes);
	tap_probes_clear(&probes);
	fake_free(&f);
}

/* Text from a file is printed to a terminal without control characters. */
static void test_names(void)
{
	struct tap_file_reader *file = NULL;
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_file_info info;
	struct tap_error err;
	char path[80];
	struct fake f;

	snprintf(path, sizeof(path), "%s/names.tap", dir);
	fake_init(&f, 1, 4096, 0);
	fill_info(&info);
	strcpy(info.nodename, "a\033[2Jb\n");
	strcpy(info.release, "6\302\2331");
	strcpy(info.command, "tap -e '\303\244\r'");
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:\033]0;x\a", 4, NULL, 0);
	if (tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, NULL, &err) ||
	    tap_file_finish(w) || tap_file_open(&file, path, &err))
		abort();
	ok(!strcmp(tap_file_info(file)->nodename, "a?[2Jb?") &&
	   !strcmp(tap_file_info(file)->release, "6??1") &&
	   !strcmp(tap_file_info(file)->command, "tap -e '\303\244?'") &&
	   !strcmp(tap_file_probes(file)->list[0].spec.event, "kprobe:?]0;x?"),
	   "no string of a file has control characters");
	tap_file_close(file);
	unlink(path);
	tap_probes_clear(&probes);
	fake_free(&f);
}

/* The file is read up to data with an invalid head. */
static bool data_refused(const char *data, size_t len)
{
	struct tap_file_reader *file;
	bool refused;

	store(data, len);
	if (tap_file_open(&file, part_path, NULL))
		abort();
	refused = tap_file_cut(file) && strstr(tap_file_cut(file), "is damaged: recorded data at");
	tap_file_close(file);
	return refused;
}

/* What a file may make the reader allocate. */
static void test_memory(char *data, size_t len, __u32 type)
{
	char *head = data + find_part(data, len, type);
	const __u32 rings = 2, most = TAP_FILE_PACKED_MAX;
	struct tap_file_reader *file;
	struct tap_file_packed was;
	struct tap_event ev;
	unsigned int i, kept = 0;

	memcpy(&was, head, sizeof(was));
	memcpy(head + offsetof(struct tap_file_packed, cpu), &rings, sizeof(rings));
	ok(data_refused(data, len), "data of a CPU that has no ring");
	memcpy(head, &was, sizeof(was));
	if (type != TAP_CHUNK_PACKED)
		return;
	memcpy(head + offsetof(struct tap_file_packed, len), &most, sizeof(most));
	ok(data_refused(data, len), "a frame that would get too long");
	memcpy(head, &was, sizeof(was));
	store(data, len);
	if (tap_file_open(&file, part_path, NULL))
		abort();
	while (tap_file_next(file, &ev))
		continue;
	for (i = 0; i < file->nr_streams; i++)
		kept += file->streams[i].unpacked != NULL;
	ok(file->nr_streams == 2 && !kept, "at the end of a CPU's records its memory is freed");
	tap_file_close(file);
}

/* The same tests with compressed records. A damaged frame is skipped, and that is reported. */
static void test_packed(int null)
{
	unsigned int records = write_file(whole_path, 60, true), n = 0;
	struct tap_file_reader *file;
	struct tap_file_chunk chunk;
	struct tap_event ev;
	size_t len, at;
	char *data;

	test_whole(records, null);
	data = load(whole_path, &len);
	test_noise(data, len, null);
	test_memory(data, len, TAP_CHUNK_PACKED);
	at = find_part(data, len, TAP_CHUNK_PACKED);
	memcpy(&chunk, data + at - sizeof(chunk), sizeof(chunk));
	/* The last byte of the checksum. */
	data[at + chunk.length - 1] ^= 1;
	store(data, len);
	if (tap_file_open(&file, part_path, NULL))
		abort();
	while (tap_file_next(file, &ev))
		n++;
	ok(n && n < records && tap_file_cut(file) &&
	   strstr(tap_file_cut(file), "do not match their checksum"),
	   "a damaged frame is skipped, and that is reported");
	tap_file_close(file);
	store(data, at + chunk.length - 1);
	if (tap_file_open(&file, part_path, NULL))
		abort();
	while (tap_file_next(file, &ev))
		abort();
	ok(tap_file_cut(file) && strstr(tap_file_cut(file), "the recording was cut"),
	   "a truncated frame is not read");
	tap_file_close(file);
	free(data);
}

/* The output of a reader for a file: each event, then the truncation. */
static char *printed(bool *cut)
{
	struct tap_formatter_opts opts = { .size = sizeof(opts), .json = true };
	struct tap_file_reader *file;
	struct tap_formatter *fmt;
	struct tap_event ev;
	char *text = NULL;
	size_t len = 0;
	FILE *to;

	*cut = true;
	if (tap_file_open(&file, part_path, NULL))
		return strdup("");
	to = tmpfile();
	if (!to)
		abort();
	opts.fd = fileno(to);
	opts.timebase = tap_file_timebase(file);
	opts.probes = tap_file_probes(file);
	if (tap_formatter_open(&fmt, &opts))
		abort();
	while (tap_file_next(file, &ev))
		if (!tap_decode(tap_file_probes(file), &ev))
			tap_formatter_event(fmt, &ev);
	tap_formatter_flush(fmt);
	tap_formatter_close(fmt);
	*cut = tap_file_cut(file);
	tap_file_close(file);
	len = lseek(fileno(to), 0, SEEK_END);
	text = calloc(len + 1, 1);
	if (!text || pread(fileno(to), text, len, 0) != (ssize_t)len)
		abort();
	fclose(to);
	return text;
}

/* Any flipped bit is detected: all printed events are those of the original. */
static void test_flips(bool compress)
{
	unsigned int i, silent = 0, foreign = 0, found = 0;
	char *data, *whole, *text, *line, *end;
	size_t len, at;
	char byte;
	bool cut;

	write_file(whole_path, 60, compress);
	data = load(whole_path, &len);
	store_raw(data, len);
	whole = printed(&cut);
	ok(strstr(whole, "\"event\":\"rd\",\"text\":\"call:vfs_read\",\"duration_ns\"") &&
	   strstr(whole, "\"event\":\"kprobe:helper\",\"args\""),
	   "JSON has the name and the text of an event");
	srand(3);
	for (i = 0; i < 500; i++) {
		at = (size_t)rand() % len;
		byte = data[at];
		data[at] ^= 1 << rand() % 8;
		store_raw(data, len);
		text = printed(&cut);
		found += cut;
		silent += !cut && strcmp(text, whole);
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			/* Its time depends on later clock samples. */
			line = strstr(line, "\"cpu\"");
			if (!line || !strstr(whole, line))
				foreign++;
		}
		free(text);
		data[at] = byte;
	}
	ok(!silent && !foreign && found > 400,
	   compress ? "packed: 500 flipped bits: no other value is printed" :
		      "500 flipped bits: no other value is printed");
	if (silent || foreign || found <= 400)
		printf("# %u found, %u silent, %u foreign lines\n", found, silent, foreign);
	free(whole);
	free(data);
}

static void test_crc(void)
{
	unsigned char bytes[1000];
	unsigned int i, bad = 0;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i + i / 7);
	/* The check value from the catalogue of CRC algorithms. */
	ok(tap_crc32c(0, "123456789", 9) == 0xe3069283 &&
	   tap_crc32c_table(0, "123456789", 9) == 0xe3069283, "the checksum is CRC-32C");
	for (i = 0; i < 300; i++)
		bad += tap_crc32c(i, bytes + i % 9, i * 3) !=
		       tap_crc32c_table(i, bytes + i % 9, i * 3);
	ok(!bad, "checksums by the CPU's instruction and by the table are equal");
	ok(tap_crc32c(tap_crc32c(0, bytes, 333), bytes + 333, 667) ==
	   tap_crc32c(0, bytes, 1000), "checksums in parts and in one are equal");
}

/* A FIFO is copied to a file first. */
static void test_pipe(void)
{
	unsigned int records = write_file(whole_path, 60, false), n = 0;
	struct tap_file_reader *file;
	struct tap_event ev;
	size_t len;
	char *data;
	pid_t pid;
	int fd;

	data = load(whole_path, &len);
	if (mkfifo(fifo_path, 0600))
		abort();
	pid = fork();
	if (!pid) {
		fd = open(fifo_path, O_WRONLY);
		_exit(fd < 0 || write(fd, data, len) != (ssize_t)len);
	}
	ok(!tap_file_open(&file, fifo_path, NULL) && !tap_file_cut(file), "a FIFO is read");
	while (tap_file_next(file, &ev))
		n++;
	ok(n == records, "whole");
	tap_file_close(file);
	waitpid(pid, NULL, 0);
	unlink(fifo_path);
	free(data);
}

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY);
	unsigned int records;
	char *data;
	size_t len;

	one_in = check_one_in(argc, argv);
	if (null < 0 || !mkdtemp(dir))
		abort();
	snprintf(whole_path, sizeof(whole_path), "%s/whole.tap", dir);
	snprintf(fifo_path, sizeof(fifo_path), "%s/fifo", dir);
	part_fd = memfd_create("part.tap", MFD_CLOEXEC);
	if (part_fd < 0)
		abort();
	snprintf(part_path, sizeof(part_path), "/proc/self/fd/%d", part_fd);
	records = write_file(whole_path, 60, false);
	test_whole(records, null);
	test_probes();
	test_programs(whole_path);
	data = load(whole_path, &len);
	test_cut(data, len, records, null);
	test_damage(data, len, null);
	test_noise(data, len, null);
	test_refused(data, len);
	test_malformed(data, len);
	test_malformed_span(data, len);
	test_layout_chain(data, len);
	test_memory(data, len, TAP_CHUNK_DATA);
	free(data);
	test_packed(null);
	test_flips(false);
	test_flips(true);
	test_pipe();
	test_crc();
	test_create();
	test_names();
	unlink(whole_path);
	close(part_fd);
	rmdir(dir);
	close(null);
	return check_end();
}
