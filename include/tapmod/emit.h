/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Events of a driver's own, for its source. One line defines an event, one call emits it:
 *
 *	TAP_EMIT_DEFINE(xmit, struct net_device *, dev, u32, len, const char *, queue);
 *
 *	tap_emit_xmit(dev, skb->len, txq->name);
 *
 * tap then has the event emit:MODULE:xmit with the fields dev, len and queue.
 *
 * An event is a tracepoint of the driver. While nobody traces it, it costs a nop. Nothing is
 * imported from tapmod: the driver loads with it, before it and without it. The kernel ignores the
 * tracepoints of modules whose licence is not compatible with the GPL.
 *
 * An event has one to six fields, each a type and a name: an integer, an enum, a bool or a pointer.
 * A char pointer is text, which is read when the event occurs. For text in user memory take another
 * pointer, const void __user *.
 *
 * A file that creates trace events (CREATE_TRACE_POINTS) includes this behind all other headers.
 */

/* Outside the guard: <trace/define_trace.h> removes macros, which this defines again. */
#include <linux/tracepoint.h>

#ifndef _TAPMOD_EMIT_H
#define _TAPMOD_EMIT_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

/*
 * Calls macro m with each TYPE, NAME, and separates the results by commas. An odd number, or more
 * than 12, has no macro.
 */
#define __TAP_EMIT_2(m, t, n)		m(t, n)
#define __TAP_EMIT_4(m, t, n, ...)	PARAMS(m(t, n), __TAP_EMIT_2(m, __VA_ARGS__))
#define __TAP_EMIT_6(m, t, n, ...)	PARAMS(m(t, n), __TAP_EMIT_4(m, __VA_ARGS__))
#define __TAP_EMIT_8(m, t, n, ...)	PARAMS(m(t, n), __TAP_EMIT_6(m, __VA_ARGS__))
#define __TAP_EMIT_10(m, t, n, ...)	PARAMS(m(t, n), __TAP_EMIT_8(m, __VA_ARGS__))
#define __TAP_EMIT_12(m, t, n, ...)	PARAMS(m(t, n), __TAP_EMIT_10(m, __VA_ARGS__))
#define __TAP_EMIT_EACH(m, ...)						\
	CONCATENATE(__TAP_EMIT_, COUNT_ARGS(__VA_ARGS__))(m, __VA_ARGS__)

#define __TAP_EMIT_PARAM(t, n)	PARAMS(t n)
#define __TAP_EMIT_ARG(t, n)	((t)(n))
#define __TAP_EMIT_PROTO(...)	TP_PROTO(__TAP_EMIT_EACH(__TAP_EMIT_PARAM, __VA_ARGS__))
#define __TAP_EMIT_ARGS(...)	TP_ARGS(__TAP_EMIT_EACH(__TAP_EMIT_ARG, __VA_ARGS__))

/* The tracepoint of a DECLARE_TRACE() has another name in newer kernels. */
#ifdef DECLARE_TRACE_EVENT
#define __TAP_EMIT_DECLARE	DECLARE_TRACE_EVENT
#else
#define __TAP_EMIT_DECLARE	DECLARE_TRACE
#endif

/* What a field is: t text, b bool, s signed, u unsigned, p another pointer. */
#define __TAP_EMIT_IS_TEXT(t)						\
	(__builtin_types_compatible_p(t, char *) || __builtin_types_compatible_p(t, const char *))
#define __TAP_EMIT_KIND(t)						\
	(__TAP_EMIT_IS_TEXT(t) ? 't' : _Generic((t)0, bool : 'b',	\
		char : (char)-1 < 0 ? 's' : 'u', signed char : 's',	\
		short : 's', int : 's', long : 's', long long : 's',	\
		unsigned char : 'u', unsigned short : 'u', unsigned int : 'u', \
		unsigned long : 'u', unsigned long long : 'u', default : 'p'))
#define __TAP_EMIT_SIZE(t, n)						\
	(sizeof(struct { t n; }) + BUILD_BUG_ON_ZERO(sizeof(t) > sizeof(u64)))
#define __TAP_EMIT_CODE(t, n)	PARAMS(__TAP_EMIT_KIND(t), __TAP_EMIT_SIZE(t, n))

/*
 * The note that tells tap the fields. The kernel shows it in /sys/module/MODULE/notes while the
 * module is loaded. Behind the head of a note: the number of types and names, a kind and a size for
 * each field, the event's name, all types and names as they were written. A change needs another
 * type.
 */
#define __TAP_EMIT_NOTE(name, nr, codes, text)				\
	static const struct {						\
		u32 namesz;						\
		u32 descsz;						\
		u32 type;						\
		char owner[8];						\
		u8 nr_words;						\
		u8 code[nr];						\
		char event[sizeof(#name)];				\
		char fields[sizeof(text)];				\
	} __tap_emit_note_##name __used __aligned(4) __section(".note.tapmod") = { \
		.namesz		= sizeof("tapmod"),			\
		.descsz		= 1 + (nr) + sizeof(#name) + sizeof(text), \
		.type		= 1,					\
		.owner		= "tapmod",				\
		.nr_words	= nr,					\
		.code		= { codes },				\
		.event		= #name,				\
		.fields		= text,					\
	}

/* The text is made before the macros in it are expanded: __user is empty. */
#define __TAP_EMIT_CREATE(name, text, ...)				\
	DEFINE_TRACE(tap_emit_##name, __TAP_EMIT_PROTO(__VA_ARGS__),	\
		     __TAP_EMIT_ARGS(__VA_ARGS__));			\
	__TAP_EMIT_NOTE(name, COUNT_ARGS(__VA_ARGS__),			\
			PARAMS(__TAP_EMIT_EACH(__TAP_EMIT_CODE, __VA_ARGS__)), text)

/**
 * TAP_EMIT_DECLARE() - declare an event that another file of the driver creates
 * @name: of the event; with the module's name it is unique
 * @...: one to six pairs of TYPE, NAME: the fields
 *
 * Declares tap_emit_NAME(), which emits the event, and tap_emit_NAME_enabled(), which says whether
 * it is traced: for values that cost something to compute.
 *
 * Context: any in which RCU watches, NMI included: not the innermost part of the idle loop.
 */
#define TAP_EMIT_DECLARE(name, ...)					\
	__TAP_EMIT_DECLARE(tap_emit_##name, __TAP_EMIT_PROTO(__VA_ARGS__), \
			   __TAP_EMIT_ARGS(__VA_ARGS__));		\
	static inline void tap_emit_##name(__TAP_EMIT_PROTO(__VA_ARGS__)) \
	{								\
		trace_tap_emit_##name(__TAP_EMIT_ARGS(__VA_ARGS__));	\
	}								\
	static inline bool tap_emit_##name##_enabled(void)		\
	{								\
		return trace_tap_emit_##name##_enabled();		\
	}

/**
 * TAP_EMIT_CREATE() - create an event that a header declares; in one file of the driver
 * @name: as for TAP_EMIT_DECLARE()
 * @...: as for TAP_EMIT_DECLARE()
 */
#define TAP_EMIT_CREATE(name, ...)					\
	__TAP_EMIT_CREATE(name, #__VA_ARGS__, __VA_ARGS__)

/**
 * TAP_EMIT_DEFINE() - declare and create an event that one file alone emits
 * @name: as for TAP_EMIT_DECLARE()
 * @...: as for TAP_EMIT_DECLARE()
 */
#define TAP_EMIT_DEFINE(name, ...)					\
	TAP_EMIT_DECLARE(name, __VA_ARGS__);				\
	__TAP_EMIT_CREATE(name, #__VA_ARGS__, __VA_ARGS__)

#endif /* _TAPMOD_EMIT_H */
