/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of libbabeltrace2 that write CTF. The library is loaded when a trace in CTF is asked
 * for: neither the build nor any other command needs it.
 */
#ifndef _TOOL_EXPORT_BABELTRACE_H
#define _TOOL_EXPORT_BABELTRACE_H

#include <stdbool.h>
#include <stdint.h>

struct bt_graph;
struct bt_plugin;
struct bt_value;
struct bt_source_class;
struct bt_sink_class;
struct bt_source;
struct bt_sink;
struct bt_output_port;
struct bt_input_port;
struct bt_component;
struct bt_iterator_class;
struct bt_iterator;
struct bt_trace_class;
struct bt_trace;
struct bt_clock_class;
struct bt_stream_class;
struct bt_stream;
struct bt_packet;
struct bt_event_class;
struct bt_event;
struct bt_field_class;
struct bt_field;
struct bt_message;
struct bt_error;
struct bt_error_cause;

/* What functions of the library, and those that it calls, return: 0 is success. */
enum { BT_STATUS_END = 1, BT_STATUS_AGAIN = 11, BT_STATUS_NO_MEMORY = -12 };

/* The components write no log. */
#define BT_LOG_NONE	0xff

typedef int bt_next_method(struct bt_iterator *it, const struct bt_message **messages,
			   uint64_t capacity, uint64_t *nr);
typedef int bt_iterator_init_method(struct bt_iterator *it, void *config, void *port);
typedef int bt_source_init_method(struct bt_component *self, void *config,
				  const struct bt_value *params, void *data);

/*
 * F(TYPE, NAME, PARAMETERS): the prototype of bt_NAME(). They are the same in 2.0 and 2.1. The types
 * of the library's views of one component are the same here.
 */
#define BABELTRACE_FUNCTIONS(F)									\
	F(unsigned int, version_get_minor, (void))						\
	F(struct bt_graph *, graph_create, (uint64_t mip))					\
	F(void, graph_put_ref, (struct bt_graph *))						\
	F(int, graph_add_source_component,							\
	  (struct bt_graph *, struct bt_source_class *, const char *name,			\
	   const struct bt_value *params, int log, const struct bt_source **))			\
	F(int, graph_add_sink_component,							\
	  (struct bt_graph *, const struct bt_sink_class *, const char *name,			\
	   const struct bt_value *params, int log, const struct bt_sink **))			\
	F(int, graph_connect_ports,								\
	  (struct bt_graph *, const struct bt_output_port *, const struct bt_input_port *,	\
	   const void **connection))								\
	F(int, graph_run_once, (struct bt_graph *))						\
	F(int, plugin_find,									\
	  (const char *name, int in_environment, int in_user_dir, int in_sys_dir,		\
	   int in_static, int fail_on_load_error, const struct bt_plugin **))			\
	F(void, plugin_put_ref, (const struct bt_plugin *))					\
	F(const struct bt_sink_class *, plugin_borrow_sink_component_class_by_name_const,	\
	  (const struct bt_plugin *, const char *name))						\
	F(struct bt_source_class *, component_class_source_create,				\
	  (const char *name, struct bt_iterator_class *))					\
	F(void, component_class_source_put_ref, (struct bt_source_class *))			\
	F(int, component_class_source_set_initialize_method,					\
	  (struct bt_source_class *, bt_source_init_method *))					\
	F(struct bt_iterator_class *, message_iterator_class_create, (bt_next_method *))	\
	F(void, message_iterator_class_put_ref, (struct bt_iterator_class *))			\
	F(int, message_iterator_class_set_initialize_method,					\
	  (struct bt_iterator_class *, bt_iterator_init_method *))				\
	F(int, self_component_source_add_output_port,						\
	  (struct bt_component *, const char *name, void *data, void **port))			\
	F(const struct bt_output_port *, component_source_borrow_output_port_by_index_const,	\
	  (const struct bt_source *, uint64_t index))						\
	F(const struct bt_input_port *, component_sink_borrow_input_port_by_index_const,	\
	  (const struct bt_sink *, uint64_t index))						\
	F(struct bt_value *, value_map_create, (void))						\
	F(int, value_map_insert_string_entry,							\
	  (struct bt_value *, const char *key, const char *value))				\
	F(int, value_map_insert_bool_entry, (struct bt_value *, const char *key, int value))	\
	F(void, value_put_ref, (const struct bt_value *))					\
	F(struct bt_trace_class *, trace_class_create, (struct bt_component *))			\
	F(void, trace_class_put_ref, (struct bt_trace_class *))					\
	F(struct bt_trace *, trace_create, (struct bt_trace_class *))				\
	F(void, trace_put_ref, (struct bt_trace *))						\
	F(int, trace_set_environment_entry_string,						\
	  (struct bt_trace *, const char *name, const char *value))				\
	F(struct bt_clock_class *, clock_class_create, (struct bt_component *))			\
	F(void, clock_class_put_ref, (struct bt_clock_class *))					\
	F(int, clock_class_set_name, (struct bt_clock_class *, const char *name))		\
	F(void, clock_class_set_offset,								\
	  (struct bt_clock_class *, int64_t seconds, uint64_t cycles))				\
	F(struct bt_stream_class *, stream_class_create, (struct bt_trace_class *))		\
	F(void, stream_class_put_ref, (struct bt_stream_class *))				\
	F(int, stream_class_set_default_clock_class,						\
	  (struct bt_stream_class *, struct bt_clock_class *))					\
	F(void, stream_class_set_supports_packets,						\
	  (struct bt_stream_class *, int yes, int begin_has_time, int end_has_time))		\
	F(void, stream_class_set_supports_discarded_events,					\
	  (struct bt_stream_class *, int yes, int with_times))					\
	F(int, stream_class_set_packet_context_field_class,					\
	  (struct bt_stream_class *, struct bt_field_class *))					\
	F(struct bt_stream *, stream_create, (struct bt_stream_class *, struct bt_trace *))	\
	F(void, stream_put_ref, (struct bt_stream *))						\
	F(struct bt_packet *, packet_create, (struct bt_stream *))				\
	F(void, packet_put_ref, (struct bt_packet *))						\
	F(struct bt_field *, packet_borrow_context_field, (struct bt_packet *))			\
	F(struct bt_event_class *, event_class_create, (struct bt_stream_class *))		\
	F(void, event_class_put_ref, (struct bt_event_class *))					\
	F(int, event_class_set_name, (struct bt_event_class *, const char *name))		\
	F(int, event_class_set_payload_field_class,						\
	  (struct bt_event_class *, struct bt_field_class *))					\
	F(struct bt_field_class *, field_class_integer_unsigned_create, (struct bt_trace_class *)) \
	F(struct bt_field_class *, field_class_integer_signed_create, (struct bt_trace_class *)) \
	F(void, field_class_integer_set_preferred_display_base, (struct bt_field_class *, int base)) \
	F(struct bt_field_class *, field_class_string_create, (struct bt_trace_class *))	\
	F(struct bt_field_class *, field_class_array_dynamic_create,				\
	  (struct bt_trace_class *, struct bt_field_class *element, struct bt_field_class *length)) \
	F(struct bt_field_class *, field_class_structure_create, (struct bt_trace_class *))	\
	F(int, field_class_structure_append_member,						\
	  (struct bt_field_class *, const char *name, struct bt_field_class *member))		\
	F(void, field_class_put_ref, (struct bt_field_class *))					\
	F(struct bt_field *, field_structure_borrow_member_field_by_index,			\
	  (struct bt_field *, uint64_t index))							\
	F(void, field_integer_unsigned_set_value, (struct bt_field *, uint64_t value))		\
	F(void, field_integer_signed_set_value, (struct bt_field *, int64_t value))		\
	F(int, field_string_set_value, (struct bt_field *, const char *value))			\
	F(int, field_array_dynamic_set_length, (struct bt_field *, uint64_t length))		\
	F(struct bt_field *, field_array_borrow_element_field_by_index,				\
	  (struct bt_field *, uint64_t index))							\
	F(struct bt_message *, message_stream_beginning_create,					\
	  (struct bt_iterator *, struct bt_stream *))						\
	F(struct bt_message *, message_stream_end_create,					\
	  (struct bt_iterator *, struct bt_stream *))						\
	F(struct bt_message *, message_packet_beginning_create_with_default_clock_snapshot,	\
	  (struct bt_iterator *, struct bt_packet *, uint64_t time))				\
	F(struct bt_message *, message_packet_end_create_with_default_clock_snapshot,		\
	  (struct bt_iterator *, struct bt_packet *, uint64_t time))				\
	F(struct bt_message *, message_event_create_with_packet_and_default_clock_snapshot,	\
	  (struct bt_iterator *, struct bt_event_class *, struct bt_packet *, uint64_t time))	\
	F(struct bt_event *, message_event_borrow_event, (struct bt_message *))			\
	F(struct bt_message *, message_discarded_events_create,					\
	  (struct bt_iterator *, struct bt_stream *))						\
	F(void, message_discarded_events_set_count, (struct bt_message *, uint64_t count))	\
	F(void, message_put_ref, (const struct bt_message *))					\
	F(struct bt_field *, event_borrow_payload_field, (struct bt_event *))			\
	F(const struct bt_error *, current_thread_take_error, (void))				\
	F(const struct bt_error_cause *, error_borrow_cause_by_index,				\
	  (const struct bt_error *, uint64_t index))						\
	F(const char *, error_cause_get_message, (const struct bt_error_cause *))		\
	F(void, error_release, (const struct bt_error *))

/* The library: what dlopen(3) returned, and the functions by their names without bt_. */
struct babeltrace {
	void *handle;
#define BABELTRACE_MEMBER(type, name, parameters) type (*name) parameters;
	BABELTRACE_FUNCTIONS(BABELTRACE_MEMBER)
#undef BABELTRACE_MEMBER
};

/**
 * babeltrace_load() - load the library
 * @bt: filled in
 *
 * Return: false after an error message that names the package.
 */
bool babeltrace_load(struct babeltrace *bt);

/**
 * babeltrace_error() - print why a function failed
 * @bt: the library
 */
void babeltrace_error(const struct babeltrace *bt);

#endif /* _TOOL_EXPORT_BABELTRACE_H */
