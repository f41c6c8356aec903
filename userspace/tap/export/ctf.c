// SPDX-License-Identifier: GPL-2.0
/*
 * The Common Trace Format 1.8 (babeltrace2, Trace Compass): a directory, written by sink.ctf.fs of
 * libbabeltrace2.
 *
 * Each CPU is a stream of packets, each line of tap report --json an event. A loss ends the packet:
 * the number of lost events is in the packet behind it, and in an event "lost". Times are
 * CLOCK_MONOTONIC, with the offset to the date.
 *
 * The library pulls: sink.ctf.fs asks a source component for messages. Here rows are pushed, so the
 * source hands out messages that wait, and tells the sink to ask again later if there are none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/ctf.h"

/* The sink has a packet in memory. */
#define PACKET_EVENTS	1024

/* What sink.ctf.fs may write to "metadata" for an event class. */
#define CLASS_BYTES	(16U << 10)

#define NSEC_PER_SEC	1000000000

/* The writer whose graph runs: the library has no room for it in what it calls. */
static struct ctf *writer;

static int no_memory(const void *p)
{
	return p ? 0 : -ENOMEM;
}

/* ------------------------------------------------------ the source of messages */

static int next_messages(struct bt_iterator *it, const struct bt_message **messages,
			 uint64_t capacity, uint64_t *nr)
{
	struct ctf *ctf = writer;

	(void)it;
	for (*nr = 0; *nr < capacity && ctf->first < ctf->nr; ++*nr)
		messages[*nr] = ctf->messages[ctf->first++];
	if (*nr)
		return 0;
	return ctf->ended ? BT_STATUS_END : BT_STATUS_AGAIN;
}

static int init_iterator(struct bt_iterator *it, void *config, void *port)
{
	(void)config;
	(void)port;
	writer->it = it;
	return 0;
}

static int make_clock(struct ctf *ctf, struct bt_component *self)
{
	const struct babeltrace *bt = &ctf->bt;
	struct bt_clock_class *clock = bt->clock_class_create(self);
	__s64 offset = (__s64)(ctf->timebase->real - ctf->timebase->mono);
	__s64 seconds = offset / NSEC_PER_SEC - (offset % NSEC_PER_SEC < 0);
	int ret;

	if (!clock)
		return -ENOMEM;
	bt->clock_class_set_offset(clock, seconds, (uint64_t)(offset - seconds * NSEC_PER_SEC));
	ret = bt->clock_class_set_name(clock, "monotonic");
	if (!ret)
		ret = bt->stream_class_set_default_clock_class(ctf->stream_class, clock);
	bt->clock_class_put_ref(clock);
	return ret;
}

/* The CPU is in the context of each packet. */
static int make_packet_context(struct ctf *ctf)
{
	const struct babeltrace *bt = &ctf->bt;
	struct bt_field_class *context = bt->field_class_structure_create(ctf->trace_class);
	struct bt_field_class *cpu = bt->field_class_integer_unsigned_create(ctf->trace_class);
	int ret = -ENOMEM;

	if (context && cpu && !bt->field_class_structure_append_member(context, "cpu_id", cpu))
		ret = bt->stream_class_set_packet_context_field_class(ctf->stream_class, context);
	bt->field_class_put_ref(cpu);
	bt->field_class_put_ref(context);
	return ret;
}

static int set_environment(struct ctf *ctf)
{
	const struct {
		const char *name;
		const char *value;
	} entries[] = {
		{ "hostname", ctf->info->nodename },
		{ "sysname", ctf->info->sysname },
		{ "kernel_release", ctf->info->release },
		{ "tracer_name", "tapmod" },
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(entries) / sizeof(entries[0]); i++)
		ret = ctf->bt.trace_set_environment_entry_string(ctf->trace, entries[i].name,
								 entries[i].value);
	return ret;
}

static int init_source(struct bt_component *self, void *config, const struct bt_value *params,
		       void *data)
{
	struct ctf *ctf = writer;
	const struct babeltrace *bt = &ctf->bt;
	int ret;

	(void)config;
	(void)params;
	(void)data;
	ctf->trace_class = bt->trace_class_create(self);
	ctf->trace = ctf->trace_class ? bt->trace_create(ctf->trace_class) : NULL;
	ctf->stream_class = ctf->trace ? bt->stream_class_create(ctf->trace_class) : NULL;
	ret = no_memory(ctf->stream_class);
	if (!ret)
		ret = set_environment(ctf);
	if (!ret)
		ret = make_clock(ctf, self);
	if (ret)
		return BT_STATUS_NO_MEMORY;
	bt->stream_class_set_supports_packets(ctf->stream_class, true, true, true);
	/* The sink takes no other times of losses than those of packets. */
	bt->stream_class_set_supports_discarded_events(ctf->stream_class, true, false);
	ret = make_packet_context(ctf);
	if (!ret)
		ret = bt->self_component_source_add_output_port(self, "out", NULL, NULL);
	return ret ? BT_STATUS_NO_MEMORY : 0;
}

/* ------------------------------------------------------------------- the graph */

static struct bt_source_class *make_source_class(const struct babeltrace *bt)
{
	struct bt_iterator_class *iterator = bt->message_iterator_class_create(next_messages);
	struct bt_source_class *source = NULL;

	if (iterator && !bt->message_iterator_class_set_initialize_method(iterator, init_iterator))
		source = bt->component_class_source_create("tap", iterator);
	if (source && bt->component_class_source_set_initialize_method(source, init_source)) {
		bt->component_class_source_put_ref(source);
		source = NULL;
	}
	bt->message_iterator_class_put_ref(iterator);
	return source;
}

static int add_source(struct ctf *ctf, const struct bt_source **source)
{
	struct bt_source_class *class = make_source_class(&ctf->bt);
	int ret = -ENOMEM;

	if (class)
		ret = ctf->bt.graph_add_source_component(ctf->graph, class, "tap", NULL, BT_LOG_NONE,
							 source);
	ctf->bt.component_class_source_put_ref(class);
	return ret;
}

/* From 2.1 on CTF 2 is what the sink writes, which older readers do not know. */
static int set_params(const struct babeltrace *bt, struct bt_value *params, const char *dir)
{
	int ret = bt->value_map_insert_string_entry(params, "path", dir);

	if (!ret)
		ret = bt->value_map_insert_bool_entry(params, "assume-single-trace", true);
	if (!ret)
		ret = bt->value_map_insert_bool_entry(params, "quiet", true);
	if (!ret && bt->version_get_minor() >= 1)
		ret = bt->value_map_insert_string_entry(params, "ctf-version", "1.8");
	return ret;
}

static int add_sink(struct ctf *ctf, const char *dir, const struct bt_sink **sink)
{
	const struct babeltrace *bt = &ctf->bt;
	const struct bt_plugin *plugin = NULL;
	struct bt_value *params;
	int ret;

	if (bt->plugin_find("ctf", true, false, true, false, true, &plugin)) {
		tool_error("--to ctf: libbabeltrace2 finds no plugin 'ctf'; in Debian: apt install libbabeltrace2-0");
		return -ENOENT;
	}
	params = bt->value_map_create();
	ret = params ? set_params(bt, params, dir) : -ENOMEM;
	if (!ret)
		ret = bt->graph_add_sink_component(
			ctf->graph, bt->plugin_borrow_sink_component_class_by_name_const(plugin, "fs"),
			"ctf", params, BT_LOG_NONE, sink);
	bt->value_put_ref(params);
	bt->plugin_put_ref(plugin);
	return ret;
}

/* Runs the graph until no message waits. */
static int run(struct ctf *ctf)
{
	int ret;

	do {
		ret = ctf->bt.graph_run_once(ctf->graph);
	} while (!ret);
	ctf->nr = 0;
	ctf->first = 0;
	return ret == BT_STATUS_AGAIN || (ctf->ended && ret == BT_STATUS_END) ? 0 : -EIO;
}

static int make_graph(struct ctf *ctf, const char *dir)
{
	const struct babeltrace *bt = &ctf->bt;
	const struct bt_source *source;
	const struct bt_sink *sink;
	const void *connection;
	int ret;

	ctf->graph = bt->graph_create(0);
	if (!ctf->graph)
		return -ENOMEM;
	ret = add_source(ctf, &source);
	if (!ret)
		ret = add_sink(ctf, dir, &sink);
	if (!ret)
		ret = bt->graph_connect_ports(
			ctf->graph, bt->component_source_borrow_output_port_by_index_const(source, 0),
			bt->component_sink_borrow_input_port_by_index_const(sink, 0), &connection);
	/* The first run makes the iterator, which messages need. */
	return ret ? -EIO : run(ctf);
}

/* sink.ctf.fs ends the process if the disk is full when it writes "metadata", at its end. */
static int reserve(const struct ctf *ctf, const struct export *x)
{
	int fd = open(x->out.temp, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), ret;

	/* Not each file system can. */
	if (fd < 0)
		return 0;
	ret = -posix_fallocate(fd, 0, (off_t)(ctf->nr_classes + 1) * CLASS_BYTES);
	close(fd);
	return ret == -EOPNOTSUPP ? 0 : ret;
}

/* Prints why; a full disk is what the caller prints. The sink says nothing of it. */
static int failed(const struct ctf *ctf, const struct export *x, int ret)
{
	int full = reserve(ctf, x);

	if (full)
		return full;
	babeltrace_error(&ctf->bt);
	return ret;
}

static int begin(struct export *x)
{
	struct ctf *ctf = calloc(1, sizeof(*ctf));
	int ret;

	x->state = ctf;
	if (!ctf)
		return -ENOMEM;
	if (!babeltrace_load(&ctf->bt))
		return -ENOPKG;
	writer = ctf;
	ctf->info = tap_file_info(x->file);
	ctf->timebase = tap_file_timebase(x->file);
	ret = make_graph(ctf, x->out.inside);
	return ret ? failed(ctf, x, ret) : 0;
}

/* -------------------------------------------------------------------- messages */

/* Consumes @message, which may be NULL. */
static int push(struct ctf *ctf, struct bt_message *message)
{
	if (!message)
		return -ENOMEM;
	ctf->messages[ctf->nr++] = message;
	return ctf->nr == CTF_MESSAGES ? run(ctf) : 0;
}

static int end_packet(struct ctf *ctf, struct ctf_stream *s)
{
	int ret;

	if (!s->packet)
		return 0;
	ret = push(ctf, ctf->bt.message_packet_end_create_with_default_clock_snapshot(
				ctf->it, s->packet, s->latest));
	ctf->bt.packet_put_ref(s->packet);
	s->packet = NULL;
	s->events = 0;
	return ret;
}

static int begin_packet(struct ctf *ctf, struct ctf_stream *s, __u32 cpu, __u64 ns)
{
	const struct babeltrace *bt = &ctf->bt;

	s->packet = bt->packet_create(s->stream);
	if (!s->packet)
		return -ENOMEM;
	bt->field_integer_unsigned_set_value(
		bt->field_structure_borrow_member_field_by_index(
			bt->packet_borrow_context_field(s->packet), 0), cpu);
	return push(ctf, bt->message_packet_beginning_create_with_default_clock_snapshot(
				 ctf->it, s->packet, ns));
}

static int begin_stream(struct ctf *ctf, struct ctf_stream *s, __u32 cpu, __u64 ns)
{
	int ret;

	s->latest = ns;
	s->stream = ctf->bt.stream_create(ctf->stream_class, ctf->trace);
	ret = no_memory(s->stream);
	if (!ret)
		ret = push(ctf, ctf->bt.message_stream_beginning_create(ctf->it, s->stream));
	return ret ? ret : begin_packet(ctf, s, cpu, ns);
}

/* Readers count losses between two packets. */
static int put_loss(struct ctf *ctf, struct ctf_stream *s, __u64 lost)
{
	struct bt_message *message;
	int ret = end_packet(ctf, s);

	if (ret)
		return ret;
	message = ctf->bt.message_discarded_events_create(ctf->it, s->stream);
	if (message)
		ctf->bt.message_discarded_events_set_count(message, lost);
	return push(ctf, message);
}

/* The stream of a CPU: it has begun. */
static int stream_of(struct ctf *ctf, __u32 cpu, __u64 ns, struct ctf_stream **s)
{
	struct ctf_stream *streams;

	if (cpu >= ctf->nr_streams) {
		streams = realloc(ctf->streams, (cpu + 1) * sizeof(*streams));
		if (!streams)
			return -ENOMEM;
		memset(streams + ctf->nr_streams, 0, (cpu + 1 - ctf->nr_streams) * sizeof(*streams));
		ctf->streams = streams;
		ctf->nr_streams = cpu + 1;
	}
	*s = &ctf->streams[cpu];
	return (*s)->stream ? 0 : begin_stream(ctf, *s, cpu, ns);
}

static int put_event(struct ctf *ctf, struct ctf_stream *s, const struct row *row, __u64 ns)
{
	struct bt_event_class *class;
	struct bt_message *message;
	int ret = ctf_event_class(ctf, row, &class);

	if (ret)
		return ret;
	message = ctf->bt.message_event_create_with_packet_and_default_clock_snapshot(ctf->it, class,
										      s->packet, ns);
	if (!message)
		return -ENOMEM;
	ret = ctf_event_fill(ctf, row, ctf->bt.event_borrow_payload_field(
						ctf->bt.message_event_borrow_event(message)));
	s->events++;
	s->latest = ns;
	if (!ret)
		return push(ctf, message);
	ctf->bt.message_put_ref(message);
	return ret;
}

static int put_row(struct ctf *ctf, const struct row *row)
{
	__u64 ns = row_number(row, ROW_TIME_NS);
	struct ctf_stream *s;
	int ret = stream_of(ctf, row->ev->cpu, ns, &s);

	/* A stream does not go back. */
	if (!ret && ns < s->latest) {
		ctf->back++;
		ns = s->latest;
	}
	if (!ret && row->member[ROW_LOST].at)
		ret = put_loss(ctf, s, row_number(row, ROW_LOST));
	if (!ret && s->events == PACKET_EVENTS)
		ret = end_packet(ctf, s);
	if (!ret && !s->packet)
		ret = begin_packet(ctf, s, row->ev->cpu, ns);
	return ret ? ret : put_event(ctf, s, row, ns);
}

static int write_row(struct export *x, const struct row *row)
{
	struct ctf *ctf = x->state;
	int ret = put_row(ctf, row);

	return ret ? failed(ctf, x, ret) : 0;
}

/* ------------------------------------------------------------------------- end */

/* The sink writes "metadata" when the graph goes. */
static void drop_graph(struct ctf *ctf)
{
	const struct babeltrace *bt = &ctf->bt;
	__u32 i;

	for (i = 0; i < ctf->nr_streams; i++)
		bt->stream_put_ref(ctf->streams[i].stream);
	ctf_events_free(ctf);
	bt->stream_class_put_ref(ctf->stream_class);
	bt->trace_put_ref(ctf->trace);
	bt->trace_class_put_ref(ctf->trace_class);
	bt->graph_put_ref(ctf->graph);
}

static int end(struct export *x)
{
	struct ctf *ctf = x->state;
	__u32 i;
	int ret = 0;

	for (i = 0; !ret && i < ctf->nr_streams; i++) {
		if (!ctf->streams[i].stream)
			continue;
		ret = end_packet(ctf, &ctf->streams[i]);
		if (!ret)
			ret = push(ctf, ctf->bt.message_stream_end_create(ctf->it,
									  ctf->streams[i].stream));
	}
	ctf->ended = true;
	if (!ret)
		ret = run(ctf);
	if (!ret)
		ret = reserve(ctf, x);
	if (ret)
		return failed(ctf, x, ret);
	drop_graph(ctf);
	if (ctf->back)
		tool_error("%s: %llu events have the time of the event before them, which is later",
			   x->path, (unsigned long long)ctf->back);
	return 0;
}

/*
 * A graph that did not come to its end stays in memory until the process ends: sink.ctf.fs of 2.0.4
 * frees memory twice after a failure.
 */
static void free_state(struct export *x)
{
	struct ctf *ctf = x->state;

	if (ctf)
		free(ctf->streams);
	writer = NULL;
	free(ctf);
}

const struct export_format export_ctf = {
	.name = "ctf", .directory = true, .begin = begin, .row = write_row, .end = end,
	.free = free_state,
};
