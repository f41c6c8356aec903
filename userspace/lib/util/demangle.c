// SPDX-License-Identifier: LGPL-2.1
/*
 * Demangles names of C++ and Rust with libiberty.
 *
 * Through back references a short symbol can expand to gigabytes. So the output is
 * received in pieces, and longjmp() leaves libiberty once it is too long. libiberty has
 * nothing allocated then, except for Rust names in punycode: each such name leaks a few
 * bytes.
 */
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "util/demangle.h"

/*
 * A name under construction. @buf has TAP_DEMANGLED_MAX bytes. append() jumps to @full
 * when it is full.
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
 * tap_demangle() - demangle a name
 * @name: as in the symbol table
 * @bare: without parameters
 * @buf: set to the demangled name
 *
 * Return: false if it is not a C++ or Rust name, or too long.
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
