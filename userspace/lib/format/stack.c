// SPDX-License-Identifier: LGPL-2.1
/*
 * Stacks. As text they follow the line of their event:
 *	...
 *	        vfs_read+0x10
 *	        ksys_read+0x6f
 *	        copy (inlined) copy.h:8
 *	        main+0x2c [cat] cat.c:120
 *	        ...
 * As JSON they are an array of strings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/buffer.h"
#include "format/stack.h"
#include "kernel/ksyms.h"
#include "util/util.h"

/* Longer names, as in C++, are cut. */
#define NAME_MAX_BYTES	1024
#define INDENT		"\n        "
/* The indentation, or quotes and a comma: of a frame, and of each function inlined there. */
#define EXTRA		12
#define MAX_INLINED	8

/* Upper bound of the bytes that tap_put_frame() writes. */
size_t tap_frame_max(const struct tap_formatter_opts *opts)
{
	return NAME_MAX_BYTES * (opts->json ? TAP_PUT_CHAR_MAX : 1) + EXTRA * (1 + MAX_INLINED);
}

static int resolve(const struct tap_formatter_opts *opts, bool user,
		   __u64 addr, char *name, size_t len)
{
	if (!user)
		return opts->resolve ? opts->resolve(opts->resolve_arg, addr,
						     name, len) : -ENOENT;
	return opts->resolve_user ?
	       opts->resolve_user(opts->resolve_user_arg, opts->tgid,
				  opts->time, addr, name, len) : -ENOENT;
}

/* Adds one to the offset in "func+0xf [dso]" or "0xf [dso]". */
static void count_up(char *name, size_t size)
{
	char *at = name, *end, *rest;
	unsigned long long off;

	if (strncmp(at, "0x", 2))
		at = strstr(at, "+0x");
	for (; at; at = strstr(at + 1, "+0x")) {
		off = strtoull(at + (*at == '+'), &end, 16);
		if (!*end || *end == ' ')
			break;
	}
	rest = at ? strdup(end) : NULL;
	if (rest)
		snprintf(at, size - (size_t)(at - name), "%s0x%llx%s",
			 *at == '+' ? "+" : "", off + 1, rest);
	free(rest);
}

static char *put_name(char *p, const struct tap_formatter_opts *opts, const char *name, size_t len)
{
	if (!opts->json)
		return tap_put_text(p, name, len, false);
	*p++ = '"';
	p = tap_put_json(p, name, len);
	*p++ = '"';
	return p;
}

/*
 * The name of an address in code; returns where the names of inlined functions begin. With @call,
 * @addr is a return address. It is named by the byte before it, as the call may be the last
 * instruction of its function.
 */
static char *name_frame(const struct tap_formatter_opts *opts, bool user, bool call, __u64 addr,
			char name[NAME_MAX_BYTES])
{
	char *inlined;

	if (resolve(opts, user, addr - call, name, NAME_MAX_BYTES))
		snprintf(name, NAME_MAX_BYTES, "0x%llx", (unsigned long long)addr);
	else if (call)
		count_up(name, NAME_MAX_BYTES);
	name[NAME_MAX_BYTES - 1] = '\0';
	inlined = strchrnul(name, '\n');
	if (*inlined)
		*inlined++ = '\0';
	return inlined;
}

/*
 * Writes the name of an address in code, without inlined functions. @user: in a program, not in
 * the kernel. @p has room for tap_frame_max() bytes.
 */
char *tap_put_frame(char *p, const struct tap_formatter_opts *opts, bool user, __u64 addr)
{
	char name[NAME_MAX_BYTES];

	name_frame(opts, user, false, addr, name);
	return put_name(p, opts, name, sizeof(name));
}

/*
 * Writes a frame of a stack: the functions that were inlined there, and the function. Sets @trap to
 * whether it is that of an interrupt or exception. @leaf: it is where the program is, and the stack
 * was found by frame pointers: then the caller may be missing.
 */
static char *put_frames(char *p, const struct tap_formatter_opts *opts, bool user, bool call,
			bool leaf, __u64 addr, bool *trap)
{
	char name[NAME_MAX_BYTES], *inlined = name_frame(opts, user, call, addr, name);
	unsigned int nr = 0;
	bool hidden = false;
	size_t len;

	for (; *inlined && nr < MAX_INLINED; inlined += len + (inlined[len] == '\n'), nr++) {
		len = strcspn(inlined, "\n");
		if (*inlined == '(') {
			hidden = leaf;
			continue;
		}
		p = put_name(p, opts, inlined, len);
		p = tap_put_str(p, opts->json ? "," : INDENT);
	}
	*trap = !user && tap_symbol_is_trap(name);
	p = put_name(p, opts, name, sizeof(name));
	if (!hidden)
		return p;
	p = tap_put_str(p, opts->json ? "," : INDENT);
	return put_name(p, opts, TAP_HIDDEN_CALLER, sizeof(TAP_HIDDEN_CALLER));
}

/* Upper bound of the bytes that tap_put_stack() and tap_put_no_stack() write. */
size_t tap_stack_max(const struct tap_formatter_opts *opts, size_t frames)
{
	/* Two more for the brackets, and for the lines that say what is missing. */
	return (frames + 2) * tap_frame_max(opts);
}

/*
 * Writes a stack of @nr addresses, the innermost first. @user: of a program, not of the
 * kernel. @head: its word of TAP_TEXT_*. @p has room for tap_stack_max() bytes.
 */
char *tap_put_stack(char *p, const struct tap_formatter_opts *opts, bool user,
		    const __u64 *frames, size_t nr, __u64 head)
{
	bool call = false, trap;
	size_t i;

	if (opts->json)
		*p++ = '[';
	for (i = 0; i < nr; i++) {
		if (!opts->json)
			p = tap_put_str(p, INDENT);
		else if (i)
			*p++ = ',';
		p = put_frames(p, opts, user, call, user && !i && !(head & TAP_TEXT_UNWOUND),
			       frames[i], &trap);
		call = !trap;
	}
	/* In JSON the flags of the record report it. */
	if (opts->json)
		*p++ = ']';
	else if (head & (TAP_TEXT_TRUNCATED | TAP_TEXT_ABSENT))
		p = tap_put_str(p, INDENT "...");
	return p;
}

/*
 * Writes why there are no frames of a stack that is known by its id. @p has room for
 * tap_stack_max() bytes.
 */
char *tap_put_lost_stack(char *p, const struct tap_formatter_opts *opts, __u64 id)
{
	const char *why = id == TAP_STACK_NO_ROOM ? "no room in the table of stacks" :
						    "unknown stack";

	if (opts->json) {
		*p++ = '"';
		p = tap_put_str(p, why);
		*p++ = '"';
		return p;
	}
	p = tap_put_str(p, INDENT "(");
	p = tap_put_str(p, why);
	*p++ = ')';
	return p;
}

/*
 * Writes that there is no stack. @hidden: the reader may not see it. @p has room for
 * tap_stack_max() bytes.
 */
char *tap_put_no_stack(char *p, const struct tap_formatter_opts *opts,
		       bool user, bool hidden)
{
	if (opts->json)
		return tap_put_str(p, "null");
	p = tap_put_str(p, INDENT);
	if (hidden)
		return tap_put_str(p, "(kernel stack hidden)");
	return tap_put_str(p, user ? "(no user stack)" : "(no kernel stack)");
}
