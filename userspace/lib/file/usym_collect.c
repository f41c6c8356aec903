// SPDX-License-Identifier: LGPL-2.1
/*
 * Collects the addresses of DSOs and of the kernel that occur in records, so that only their
 * names are written to the trace file. A DSO is opened when it first occurs, since its file
 * may be gone at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "file/ksym_collect.h"
#include "record/record.h"
#include "spec/field.h"
#include "symbolize/maps.h"
#include "symbolize/maps_track.h"

#define CACHE	16384

/*
 * An address that was collected, with the serial of its process and the lifetime of its
 * map. Entries are not removed, only replaced.
 */
struct tap_kept {
	uint64_t serial;
	uint64_t addr;
	uint64_t from;
	uint64_t until;
};

/*
 * The start of a record that continues in the next chunk of its ring. @pos is its place
 * in the ring's stream. @join is the ring's, for all its records.
 */
struct tap_rest {
	struct tap_join join;
	uint64_t pos;
	size_t len;
	char data[TAP_MAX_SLOTS * TAP_SLOT_SIZE] __attribute__((aligned(8)));
};

/* Addresses that the records of a probe have. */
#define WANTS_USER	1
#define WANTS_KERNEL	2

/*
 * State of the collection. @maps is NULL if no addresses of programs are collected. @wanted
 * is indexed as @probes. @rests is indexed by CPU. @cache is indexed by a hash of the address.
 */
struct tap_usym_collect {
	struct tap_maps *maps;
	const struct tap_probes *probes;
	struct tap_timebase timebase;
	__u64 jump_ticks;
	__u8 *wanted;
	struct tap_rest **rests;
	unsigned int nr_rests;
	struct tap_kernel_addrs kernel;
	struct tap_kept cache[CACHE];
};

static __u8 wants_of(const struct tap_spec *spec, bool user)
{
	unsigned int i;
	__u8 wants = 0;

	for (i = 0; i < spec->nr_fields; i++) {
		if (user && tap_field_is_user(&spec->fields[i]))
			wants |= WANTS_USER;
		if (tap_field_is_kernel(&spec->fields[i]))
			wants |= WANTS_KERNEL;
	}
	return wants;
}

/**
 * tap_usym_collect_open() - start collecting addresses
 * @collect: set on success; the caller has to call tap_usym_collect_close()
 * @maps: the maps; must outlive @collect; NULL: no addresses of programs
 * @probes: the probe table; must outlive @collect
 * @timebase: of the records
 *
 * Return: 0 or -ENOMEM.
 */
int tap_usym_collect_open(struct tap_usym_collect **collect, struct tap_maps *maps,
			  const struct tap_probes *probes,
			  const struct tap_timebase *timebase)
{
	struct tap_usym_collect *k = calloc(1, sizeof(*k));
	size_t i;

	if (!k)
		return -ENOMEM;
	k->maps = maps;
	k->probes = probes;
	k->timebase = *timebase;
	k->jump_ticks = tap_timebase_ticks(timebase, TAP_JOIN_NS);
	k->wanted = calloc(probes->nr + 1, sizeof(*k->wanted));
	if (!k->wanted) {
		free(k);
		return -ENOMEM;
	}
	for (i = 0; i < probes->nr; i++)
		k->wanted[i] = wants_of(&probes->list[i].spec, maps);
	*collect = k;
	return 0;
}

int tap_usym_collect_kernel(struct tap_usym_collect *collect, const struct tap_symbols *syms)
{
	return tap_kernel_addrs_open(&collect->kernel, syms);
}

int tap_usym_collect_symbols(struct tap_usym_collect *collect,
			     struct tap_file_writer *writer)
{
	return tap_kernel_addrs_write(&collect->kernel, writer);
}

bool tap_usym_collect_unknown(const struct tap_usym_collect *collect,
			      const struct tap_symbols *now)
{
	return tap_kernel_addrs_unknown(&collect->kernel, now);
}

int tap_usym_collect_added(struct tap_usym_collect *collect, struct tap_file_writer *writer,
			   const struct tap_symbols *now)
{
	return tap_kernel_addrs_end(&collect->kernel, writer, now);
}

int tap_usym_collect_lines(struct tap_usym_collect *collect, struct tap_file_writer *writer,
			   int (*resolve)(const void *arg, __u64 addr, char *buf, size_t len),
			   const void *arg)
{
	return tap_kernel_addrs_lines(&collect->kernel, writer, resolve, arg);
}

/**
 * tap_usym_collect_close() - free a collection
 * @collect: may be NULL
 */
void tap_usym_collect_close(struct tap_usym_collect *collect)
{
	unsigned int i;

	if (!collect)
		return;
	for (i = 0; i < collect->nr_rests; i++)
		free(collect->rests[i]);
	free(collect->rests);
	free(collect->wanted);
	tap_kernel_addrs_close(&collect->kernel);
	free(collect);
}

static int take_addr(struct tap_usym_collect *collect, uint32_t tgid, uint64_t time,
		     uint64_t addr)
{
	struct tap_process *process = tap_maps_process(collect->maps, tgid);
	struct tap_kept *kept = &collect->cache[(addr ^ addr >> 14 ^
						 tgid * 0x9e3779b1U) % CACHE];
	struct tap_dso *dso;
	struct tap_map *map;

	if (process && kept->serial == process->serial && kept->addr == addr &&
	    kept->from <= time && time < kept->until)
		return 0;
	map = tap_maps_find(collect->maps, tgid, time, addr);
	dso = map ? tap_maps_dso_at(collect->maps, tgid, map) : NULL;
	if (!dso)
		return 0;
	process = tap_maps_process(collect->maps, tgid);
	if (process)
		*kept = (struct tap_kept){
			process->serial, addr, map->from, map->until,
		};
	map->used = true;
	return tap_dso_want(dso, addr - map->start + map->offset);
}

/*
 * The values in which addresses are looked for: those of a record, or, if @ev is NULL, the words of
 * an open entry of a span. @tgid and @time are those of the event.
 */
struct tap_values {
	const struct tap_event *ev;
	const __u64 *words;
	uint32_t tgid;
	uint64_t time;
};

static inline __u64 word_of(const struct tap_values *values, unsigned int i)
{
	return values->ev ? tap_event_word(values->ev, i) : values->words[i];
}

static int take_field(struct tap_usym_collect *collect, const struct tap_values *values,
		      const struct tap_field *field)
{
	unsigned int nr = 1, i;
	uint64_t addr;
	int ret = 0;

	if (field->format == TAP_FMT_USTACK) {
		nr = (unsigned int)((word_of(values, field->word) & TAP_TEXT_LEN) / 8);
		if (nr > field->words - 1U)
			nr = field->words - 1U;
	}
	/* Other words than those of pointers do no harm. */
	if (tap_format_is_struct(field->format))
		nr = field->words;
	for (i = 0; i < nr && !ret; i++) {
		addr = word_of(values, field->word + i + (field->format == TAP_FMT_USTACK));
		if (tap_address_is_kernel(addr))
			continue;
		/* A return address is named by the byte before it, which is in the call. */
		ret = take_addr(collect, values->tgid, values->time,
				addr - (i > 0 && field->format == TAP_FMT_USTACK));
	}
	return ret;
}

/* The words of other fields than stacks may be something else, which does no harm. */
static int take_kernel(struct tap_usym_collect *collect, const struct tap_values *values,
		       const struct tap_field *field)
{
	unsigned int first = field->word, nr = field->words, i;
	uint64_t addr;
	int ret = 0;

	if (field->format == TAP_FMT_KSTACK) {
		nr = (unsigned int)((word_of(values, first++) & TAP_TEXT_LEN) / 8);
		if (nr > field->words - 1U)
			nr = field->words - 1U;
	}
	for (i = 0; i < nr && !ret; i++) {
		addr = word_of(values, first + i);
		if (tap_address_is_kernel(addr))
			ret = tap_kernel_addrs_add(&collect->kernel, addr);
	}
	return ret;
}

static int take_values(struct tap_usym_collect *collect, const struct tap_values *values,
		       const struct tap_field *field, __u8 wants)
{
	int ret = 0;

	if (wants & WANTS_USER && tap_field_is_user(field))
		ret = take_field(collect, values, field);
	if (!ret && wants & WANTS_KERNEL && collect->kernel.syms && tap_field_is_kernel(field))
		ret = take_kernel(collect, values, field);
	return ret;
}

int tap_usym_collect_event(struct tap_usym_collect *collect, const struct tap_event *ev)
{
	struct tap_values values = { .ev = ev };
	const struct tap_spec *spec;
	unsigned int i;
	int ret = 0;
	__u8 wants;

	if (!ev->probe)
		return 0;
	wants = collect->wanted[ev->probe - collect->probes->list];
	if (!wants)
		return 0;
	spec = &ev->probe->spec;
	values.tgid = ev->rec->tgid;
	values.time = tap_timebase_mono(&collect->timebase, ev->time);
	for (i = 0; i < spec->nr_fields && !ret; i++)
		ret = take_values(collect, &values, &spec->fields[i], wants);
	return ret;
}

int tap_usym_collect_span(struct tap_usym_collect *collect, const struct tap_span_read *read)
{
	const struct tap_probe *probe = tap_probes_find(collect->probes, read->id);
	const struct tap_spec_span *span = probe ? probe->spec.span : NULL;
	const __u8 wants = WANTS_KERNEL | (collect->maps ? WANTS_USER : 0);
	const __u64 *words = (const __u64 *)(uintptr_t)read->words;
	const struct tap_span_event *entry;
	__u32 i, k;
	int ret = 0;

	for (i = 0; span && words && i < read->out_entries; i++, words += read->out_entry_words) {
		struct tap_values values = { .words = words };

		entry = (const void *)words;
		values.tgid = entry->from_tgid;
		values.time = tap_timebase_mono(&collect->timebase, entry->from_time);
		for (k = 0; k < span->nr_open && !ret; k++)
			ret = take_values(collect, &values, &span->open[k], wants);
	}
	return ret;
}

static struct tap_rest *rest_of(struct tap_usym_collect *collect, unsigned int cpu)
{
	if (cpu >= collect->nr_rests) {
		struct tap_rest **rests = realloc(collect->rests, (cpu + 1) *
						  sizeof(struct tap_rest *));

		if (!rests)
			return NULL;
		while (collect->nr_rests <= cpu)
			rests[collect->nr_rests++] = NULL;
		collect->rests = rests;
	}
	if (!collect->rests[cpu])
		collect->rests[cpu] = calloc(1, sizeof(struct tap_rest));
	return collect->rests[cpu];
}

/*
 * Collects the record at @ev->pos if it is complete and valid; otherwise sets
 * @ev->slots to 0.
 */
static int take_at(struct tap_usym_collect *collect, struct tap_rest *rest,
		   struct tap_event *ev, uint64_t delta, size_t left)
{
	ev->rec = (const void *)((const char *)ev->data + ev->pos);
	ev->mask = ~0ULL;
	ev->slots = 0;
	if (ev->rec->seq != tap_slot_seq(ev->pos + delta, 0))
		return 0;
	ev->slots = tap_record_slots(ev->data, ~0ULL, ev->pos, left, delta);
	if (!ev->slots)
		return 0;
	ev->time = tap_join_time(&rest->join, ev->rec, collect->jump_ticks);
	return tap_decode(collect->probes, ev) ? 0 : tap_usym_collect_event(collect, ev);
}

/*
 * Completes a record that started in the previous chunk. @bytes is set to the part of
 * it in this chunk.
 */
static int take_rest(struct tap_usym_collect *collect, struct tap_rest *rest,
		     uint64_t pos, const char *data, size_t len, size_t *bytes)
{
	struct tap_event ev = { .data = rest->data };
	size_t need = (size_t)((const struct tap_record *)rest->data)->slots *
		      TAP_SLOT_SIZE;

	*bytes = 0;
	if (!rest->len || rest->pos + rest->len != pos || need <= rest->len ||
	    need - rest->len > len) {
		rest->len = 0;
		return 0;
	}
	*bytes = need - rest->len;
	memcpy(rest->data + rest->len, data, *bytes);
	rest->len = 0;
	return take_at(collect, rest, &ev, rest->pos, need);
}

/**
 * tap_usym_collect_data() - collect the addresses in ring data
 * @collect: of tap_usym_collect_open()
 * @cpu: number of the ring
 * @pos: position of the first byte in the ring's stream
 * @data: whole slots, as returned by tap_reader_chunk()
 * @len: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int tap_usym_collect_data(struct tap_usym_collect *collect, unsigned int cpu,
			  __u64 pos, const void *data, size_t len)
{
	struct tap_rest *rest = rest_of(collect, cpu);
	struct tap_event ev = { .data = data, .cpu = cpu };
	size_t at;
	int ret;

	if (!rest)
		return -ENOMEM;
	ret = take_rest(collect, rest, pos, data, len, &at);
	for (; at < len && !ret; at += (ev.slots ? ev.slots : 1) *
				       (size_t)TAP_SLOT_SIZE) {
		ev.pos = at;
		ret = take_at(collect, rest, &ev, pos, len - at);
		if (ev.slots || ev.rec->seq != tap_slot_seq(pos + at, 0) ||
		    (size_t)ev.rec->slots * TAP_SLOT_SIZE <= len - at)
			continue;
		rest->pos = pos + at;
		rest->len = len - at;
		memcpy(rest->data, (const char *)data + at, rest->len);
		break;
	}
	return ret;
}

/**
 * tap_usym_collect_write() - append the names of the collected addresses to a trace
 *	file
 * @collect: of tap_usym_collect_open(); has seen all data
 * @writer: a file, after all data
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
int tap_usym_collect_write(struct tap_usym_collect *collect,
			   struct tap_file_writer *writer)
{
	if (!collect->maps)
		return 0;
	tap_maps_update(collect->maps);
	return tap_file_dsos(writer, collect->maps);
}
