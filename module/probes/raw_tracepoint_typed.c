// SPDX-License-Identifier: GPL-2.0
/*
 * rawtracepoint, in a kernel with CONFIG_CFI, which calls a handler only by its exact
 * prototype: handlers for the tracepoints in the kernel's public headers. Those headers are
 * included twice: first as usual, then with other definitions of their macros, as the
 * kernel's own trace/define_trace.h does it.
 */
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probes/probes.h"
#include "probes/raw_tracepoint_typed.h"

#if TAP_CFI
#include "probes/raw_tracepoint_headers.h"

/* From now on the headers define what TAP_TYPED_CLASS() and TAP_TYPED_EVENT() say. */
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef TRACE_EVENT
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_SYSCALL
#undef TRACE_EVENT_NOP
#undef DEFINE_EVENT_NOP
#undef DECLARE_EVENT_NOP
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#undef DECLARE_TRACE_EVENT
#undef DECLARE_TRACE_EVENT_CONDITION
#undef DECLARE_TRACE_SYSCALL
#undef DECLARE_TRACE_WRITABLE

#define DECLARE_EVENT_CLASS(name, proto, args, ...)			\
	TAP_TYPED_CLASS(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT(class, name, ...)			TAP_TYPED_EVENT(class, name)
#define DEFINE_EVENT_FN(class, name, ...)		TAP_TYPED_EVENT(class, name)
#define DEFINE_EVENT_PRINT(class, name, ...)		TAP_TYPED_EVENT(class, name)
#define DEFINE_EVENT_CONDITION(class, name, ...)	TAP_TYPED_EVENT(class, name)
#define TRACE_EVENT(name, proto, args, ...)				\
	TAP_TYPED_BOTH(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN(name, proto, args, ...)				\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN_COND(name, proto, args, ...)			\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, ...)			\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_SYSCALL(name, proto, args, ...)			\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args))
/* Tracepoints that no kernel has, or that have no event: their names may have a suffix. */
#define TRACE_EVENT_NOP(...)
#define DEFINE_EVENT_NOP(...)
#define DECLARE_EVENT_NOP(...)
#define DECLARE_TRACE(...)
#define DECLARE_TRACE_CONDITION(...)
#define DECLARE_TRACE_EVENT(...)
#define DECLARE_TRACE_EVENT_CONDITION(...)
#define DECLARE_TRACE_SYSCALL(...)
#define DECLARE_TRACE_WRITABLE(...)

/* What perf takes as the task and as the count of an event: arguments like all others. */
#undef __perf_task
#undef __perf_count
#define __perf_task(task)	(task)
#define __perf_count(count)	(count)

#define TRACE_HEADER_MULTI_READ

/*
 * First a handler for each class of events. The arguments, integers and pointers, become words
 * by the rules for initializers. At least TAP_NR_ARGS words: a program may read so many.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wint-conversion"

#define TAP_TYPED_CLASS(class, proto, args)				\
static void tap_typed_##class(void *data_of_probe, proto)		\
{									\
	const u64 words[] = { args, 0, 0, 0, 0, 0 };			\
									\
	BUILD_BUG_ON(ARRAY_SIZE(words) < TAP_NR_ARGS);			\
	tap_rawtp_typed(data_of_probe, words);				\
}									\
NOKPROBE_SYMBOL(tap_typed_##class)
#define TAP_TYPED_BOTH(name, proto, args)				\
	TAP_TYPED_CLASS(name, PARAMS(proto), PARAMS(args))
#define TAP_TYPED_EVENT(class, name)

#include "probes/raw_tracepoint_headers.h"

#pragma GCC diagnostic pop
#undef TAP_TYPED_CLASS
#undef TAP_TYPED_BOTH
#undef TAP_TYPED_EVENT

/**
 * tap_rawtp_typed_handler() - find the handler of a tracepoint's exact prototype
 * @name: name of a tracepoint of the kernel itself
 *
 * The body is the headers once more, a comparison for each event. It does not compile if the
 * handler does not have the prototype of the tracepoint.
 *
 * Context: any.
 * Return: the handler, which calls tap_rawtp_typed(); NULL: the kernel's public headers do
 * not have the tracepoint.
 */
void *tap_rawtp_typed_handler(const char *name)
{
#define TAP_TYPED_CLASS(...)
#define TAP_TYPED_BOTH(name, ...)	TAP_TYPED_EVENT(name, name)
#define TAP_TYPED_EVENT(class, event)					\
	if (!strcmp(name, #event)) {					\
		check_trace_callback_type_##event(tap_typed_##class);	\
		return tap_typed_##class;				\
	}

#include "probes/raw_tracepoint_headers.h"

	return NULL;
}
#endif /* TAP_CFI */
