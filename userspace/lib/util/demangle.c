// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of C++ and Rust as in their source, by libiberty.
 *
 * A few bytes can say a name of gigabytes, since parts are said again by
 * reference. So the output is taken piece by piece, and left with longjmp() once
 * it is too long. libiberty holds no memory then, but for a word of Rust in
 * punycode: a few bytes for each of it are lost with so strange a name.
 */
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "util/demangle.h"

/**
 * struct output - a name that is put together
 * @buf: of TAP_DEMANGLED_MAX bytes
 * @len: bytes in it
 * @full: where to go when nothing else fits
 */
struct output {
	char *buf;
	size_t len;
	jmp_buf full;
};

static void append(const char *text, size_t len, void *arg)
{
	struct output *out = arg;

	if (len >= TAP_DEMANGLED_MAX - out->len)
		longjmp(out->full, 1);
	memcpy(out->buf + out->len, text, len);
	out->len += len;
}

/**
 * tap_demangle() - a name as in its source
 * @name: as in the symbol table
 * @bare: without parameters
 * @buf: where to
 *
 * Return: false if it is none of C++ or Rust, or far too long.
 */
bool tap_demangle(const char *name, bool bare, char buf[TAP_DEMANGLED_MAX])
{
	int options = bare ? 0 : DMGL_PARAMS | DMGL_ANSI;
	struct output out = { .buf = buf };

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return false;
	if (setjmp(out.full))
		return false;
	if (!rust_demangle_callback(name, options, append, &out)) {
		out.len = 0;
		if (!cplus_demangle_v3_callback(name, options, append, &out))
			return false;
	}
	buf[out.len] = '\0';
	return out.len > 0;
}
