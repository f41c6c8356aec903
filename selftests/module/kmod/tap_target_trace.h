/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tap_target

#if !defined(_TAP_TARGET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TAP_TARGET_TRACE_H

#include <linux/tracepoint.h>

#include "tap_target.h"

TRACE_EVENT(tap_target_event,
	TP_PROTO(unsigned long a, unsigned long b, unsigned long c,
		 unsigned long d, unsigned long e, unsigned long f),
	TP_ARGS(a, b, c, d, e, f),
	TP_STRUCT__entry(
		__field(unsigned long, a)
		__field(unsigned long, f)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->f = f;
	),
	TP_printk("%lu %lu", __entry->a, __entry->f)
);

/* As many arguments as a trace event can have. */
TRACE_EVENT(tap_target_wide,
	TP_PROTO(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i,
		 u64 j, u64 k, u64 l),
	TP_ARGS(a, b, c, d, e, f, g, h, i, j, k, l),
	TP_STRUCT__entry(
		__field(u64, a)
		__field(u64, f)
		__field(u64, g)
		__field(u64, l)
		__field(u64, sum)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->f = f;
		__entry->g = g;
		__entry->l = l;
		__entry->sum = b + c + d + e + h + i + j + k;
	),
	TP_printk("%llu %llx %llx %llx %llx", __entry->a, __entry->f, __entry->g,
		  __entry->l, __entry->sum)
);

/* One field of each kind. @string is a dynamic array, as a path would be. */
TRACE_EVENT(tap_target_fields,
	TP_PROTO(const struct tap_target_object *object),
	TP_ARGS(object),
	TP_STRUCT__entry(
		__field(u8, u8)
		__field(s8, s8)
		__field(s16, s16)
		__field(s32, s32)
		__field(u64, u64)
		__field(s64, s64)
		__field(bool, yes)
		__field(unsigned int, color)
		__field(unsigned int, low)
		__field(const void *, pointer)
		__array(u32, array, 4)
		__array(char, text, 16)
		__dynamic_array(char, string, sizeof(TAP_TARGET_STRING))
		__dynamic_array(u32, numbers, 3)
	),
	TP_fast_assign(
		__entry->u8 = object->u8;
		__entry->s8 = object->s8;
		__entry->s16 = object->s16;
		__entry->s32 = object->s32;
		__entry->u64 = object->u64;
		__entry->s64 = object->s64;
		__entry->yes = object->yes;
		__entry->color = object->color;
		__entry->low = object->low;
		__entry->pointer = object->wild;
		memcpy(__entry->array, object->array, sizeof(__entry->array));
		memcpy(__entry->text, object->text, sizeof(__entry->text));
		memcpy(__get_dynamic_array(string), object->string,
		       sizeof(TAP_TARGET_STRING));
		memcpy(__get_dynamic_array(numbers), object->array,
		       3 * sizeof(u32));
	),
	TP_printk("%u %d %d %d %llu %lld %d %s %s %p %s %s %s",
		  __entry->u8, __entry->s8, __entry->s16, __entry->s32,
		  __entry->u64, __entry->s64, __entry->yes,
		  __print_symbolic(__entry->color, { 1, "red" }, { 7, "blue" }),
		  __print_flags(__entry->low, "|", { 1, "A" }, { 4, "C" }),
		  __entry->pointer,
		  __print_array(__entry->array, 4, 4), __entry->text,
		  __print_array(__get_dynamic_array(numbers), 3, 4))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tap_target_trace
#include <trace/define_trace.h>
