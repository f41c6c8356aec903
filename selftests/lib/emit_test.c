// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the events of drivers: a module that is compiled with <tapmod/emit.h>, in a file and
 * as sysfs shows it when it is loaded; then with damaged notes, each refused with its reason, and cut
 * at every byte. Built with sanitizers.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "dwarf/dwarf.h"
#include "kernel/emit.h"
#include "kernel/tracefs.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"
#include "spec/spec.h"
#include "types/btf.h"

#define DRIVER	"tap_drv"

static char dir[] = "/tmp/tap-emit-test-XXXXXX";

/* What the header takes from the kernel. */
static const char kernel[] =
	"#include <stdbool.h>\n#include <stdint.h>\n"
	"typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;\n"
	"typedef int8_t s8; typedef int64_t s64;\n"
	"#define __used __attribute__((used))\n#define __user\n"
	"#define __section(s) __attribute__((section(s)))\n"
	"#define __aligned(n) __attribute__((aligned(n)))\n"
	"#define PARAMS(args...) args\n#define TP_PROTO(args...) args\n#define TP_ARGS(args...) args\n"
	"#define BUILD_BUG_ON_ZERO(e) ((int)sizeof(struct { int : -!!(e); }))\n"
	"#define COUNT_ARGS(x...) COUNT_(, ##x, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)\n"
	"#define COUNT_(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, n, x...) n\n"
	"#define CONCATENATE_(a, b) a ## b\n#define CONCATENATE(a, b) CONCATENATE_(a, b)\n"
	"#define DEFINE_TRACE(name, proto, args) int name##_defined\n"
	"#define DECLARE_TRACE(name, proto, args)\\\n"
	"	void trace_##name(proto); bool trace_##name##_enabled(void)\n";

static const char driver[] =
	"#include <tapmod/emit.h>\n"
	"#include <tapmod/emit.h>\n"
	"struct drv_dev;\nstruct iovec;\n"
	"enum state { BAD = -1, GOOD };\n"
	"enum mode { SLOW, FAST };\n"
	"TAP_EMIT_DEFINE(xmit, struct drv_dev *, dev, u32, len, const char *, name);\n"
	"TAP_EMIT_DEFINE(small, s8, a, u16, b, bool, c, enum state, d, enum mode, e, char, f);\n"
	"TAP_EMIT_DECLARE(wide, long, a, unsigned long long, b, void *, c, char *, d);\n"
	"TAP_EMIT_CREATE(wide, long, a, unsigned long long, b, void *, c, char *, d);\n"
	"TAP_EMIT_DEFINE(user, const struct iovec __user *, vec, const void __user *, text);\n";

/* As expected of fields_of(). */
static const struct {
	const char *event;
	const char *fields;
} expected[] = {
	{ "small", "a s1, b u2, c b1, d s4, e u4, f " },
	{ "user", "vec p8 user iovec*, text p8 user" },
	{ "wide", "a s8, b u8, c p8, d t8" },
	{ "xmit", "dev p8 drv_dev*, len u4, name t8" },
};

static void write_at(const char *path, const void *data, size_t size)
{
	char whole[256], parents[512];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", dir, path);
	snprintf(parents, sizeof(parents), "mkdir -p \"$(dirname %s)\"", whole);
	f = system(parents) ? NULL : fopen(whole, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static void write_text(const char *path, const char *text)
{
	write_at(path, text, strlen(text));
}

__attribute__((format(printf, 1, 2)))
static int run(const char *fmt, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return system(command);
}

/* Compiles a driver for the running kernel, where modprobe would find it. Returns whether it compiles. */
static bool compile(const char *cc, const char *source)
{
	static const char *const headers[] = { "build_bug", "compiler", "kernel", "types" };
	char path[64];
	struct utsname uts;
	size_t i;

	for (i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		snprintf(path, sizeof(path), "include/linux/%s.h", headers[i]);
		write_text(path, "");
	}
	write_text("include/linux/tracepoint.h", kernel);
	write_text("driver.c", source);
	uname(&uts);
	return !run("mkdir -p %s/lib/modules/%s/extra && %s -std=gnu11 -Wall -Wextra -Werror -Wno-unused-function -I %s/include -I include -c %s/driver.c -o %s/driver.o 2>%s/errors && ld -r --build-id=sha1 %s/driver.o -o %s/lib/modules/%s/extra/" DRIVER ".ko",
		    dir, uts.release, cc, dir, dir, dir, dir, dir, dir, uts.release);
}

/* The notes of the compiled driver. */
static void *read_notes(size_t *size)
{
	struct utsname uts;
	char path[256];
	void *data = malloc(1 << 16);
	FILE *f;

	uname(&uts);
	if (run("objcopy -O binary --only-section=" TAP_EMIT_SECTION " %s/lib/modules/%s/extra/" DRIVER ".ko %s/notes",
		dir, uts.release, dir))
		abort();
	snprintf(path, sizeof(path), "%s/notes", dir);
	f = fopen(path, "r");
	if (!f || !data)
		abort();
	*size = fread(data, 1, 1 << 16, f);
	fclose(f);
	return data;
}

static void fields_of(const struct tap_emit_event *event, char *text, size_t size)
{
	size_t len = 0, i;

	*text = '\0';
	for (i = 0; i < event->nr; i++) {
		const struct tap_emit_field *f = &event->fields[i];
		const struct tap_type *t = &f->type;

		len += snprintf(text + len, size - len, "%s%s %c%u%s%s%s%.*s", i ? ", " : "", f->name,
				t->cls == TAP_TYPE_BOOL ? 'b' : t->cls == TAP_TYPE_INT ?
				(t->is_signed ? 's' : 'u') : t->id == TAP_TYPE_CHAR ? 't' : 'p', t->size,
				t->user ? " user" : "", *f->tag ? " " : "", f->tag,
				(int)f->stars, "***");
	}
}

/* The header writes what the parser reads. */
static void test_compiled(const char *cc)
{
	struct tap_emits emits;
	struct tap_error err = { 0 };
	char text[256];
	size_t size, i;
	void *notes;

	if (run("command -v %s >/dev/null", cc)) {
		printf("# no %s here: the header is not compiled with it\n", cc);
		return;
	}
	check(compile(cc, driver), "%s compiles the header without a warning", cc);
	notes = read_notes(&size);
	check(!tap_emits_parse(&emits, DRIVER, notes, size, &err), "%s: the notes are read: %s", cc,
	      err.text);
	check(emits.nr == sizeof(expected) / sizeof(*expected), "%s: all events, %zu", cc, emits.nr);
	for (i = 0; i < emits.nr; i++) {
		fields_of(&emits.list[i], text, sizeof(text));
		check(!strcmp(emits.list[i].name, expected[i].event) &&
		      !strncmp(text, expected[i].fields, strlen(expected[i].fields)),
		      "%s: %s has %s", cc, emits.list[i].name, text);
	}
	tap_emits_free(&emits);
	free(notes);
}

/* What the compiler refuses. */
static void test_wrong_source(void)
{
	static const struct {
		const char *what;
		const char *line;
	} rows[] = {
		{ "no field", "TAP_EMIT_DEFINE(a);\n" },
		{ "a type without a name", "TAP_EMIT_DEFINE(a, u8, b, u8);\n" },
		{ "seven fields",
		  "TAP_EMIT_DEFINE(a, u8, a, u8, b, u8, c, u8, d, u8, e, u8, f, u8, g);\n" },
		{ "a field of 16 bytes", "TAP_EMIT_DEFINE(a, __int128, b);\n" },
		{ "a struct", "struct s { int a; };\nTAP_EMIT_DEFINE(a, struct s, b);\n" },
		{ "two fields of one name", "TAP_EMIT_DEFINE(a, u8, b, u8, b);\n" },
		{ "two events of one name", "TAP_EMIT_DEFINE(a, u8, b);\nTAP_EMIT_DEFINE(a, u8, b);\n" },
		{ "a declaration with another type",
		  "TAP_EMIT_DECLARE(a, u8, b);\nTAP_EMIT_DECLARE(a, u16, b);\n" },
	};
	char source[512];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(source, sizeof(source), "#include <tapmod/emit.h>\n%s", rows[i].line);
		check(!compile("gcc", source), "does not compile: %s", rows[i].what);
	}
}

/* Notes by hand: the head with the owner, then the event. */
struct made {
	unsigned char bytes[512];
	size_t size;
};

static void put(struct made *m, const void *data, size_t size)
{
	memcpy(m->bytes + m->size, data, size);
	m->size += size;
}

static void put_note(struct made *m, const char *desc, size_t size)
{
	const __u32 head[] = { 7, (__u32)size, 1 };

	put(m, head, sizeof(head));
	put(m, "tapmod\0", 8);
	put(m, desc, size);
	m->size += -m->size % 4;
}

/* An event: its codes, and texts with a 0 at the end of each. */
#define EVENT(codes, texts)	codes texts, sizeof(codes texts)

/* Each row is one note that must be refused, behind a good one. */
static const struct {
	const char *what;
	const char *desc;
	size_t size;
	const char *why;
} wrong[] = {
	{ "no field", EVENT("\0", "a\0"), "one to six fields" },
	{ "an odd number of types and names", EVENT("\3u\1u", "a\0u8, b"), "one to six fields" },
	{ "seven fields", EVENT("\16u\1u\1u\1u\1u\1u\1u\1", "a\0u8, b"), "one to six fields" },
	{ "fewer codes than fields", "\14u\1", 3, "ends inside a text" },
	{ "no text", "\2u\1", 3, "ends inside a text" },
	{ "a name without an end", "\2u\1abc", 6, "ends inside a text" },
	{ "fields without an end", "\2u\1a\0u8, b", 10, "ends inside a text" },
	{ "bytes behind the texts", EVENT("\2u\1", "a\0u8, b\0c"), "longer than its texts" },
	{ "an event without a name", EVENT("\2u\1", "\0u8, b"), "name of the event" },
	{ "a name with a colon", EVENT("\2u\1", "a:b\0u8, b"), "name of the event" },
	{ "a name with a digit first", EVENT("\2u\1", "1a\0u8, b"), "name of the event" },
	{ "a name with an escape", EVENT("\2u\1", "a\x1b[2J\0u8, b"), "name of the event" },
	{ "a long name of an event",
	  EVENT("\2u\1", "a23456789012345678901234567890123456789012345678901234567890123\0u8, b"),
	  NULL },
	{ "a longer name of an event",
	  EVENT("\2u\1", "a234567890123456789012345678901234567890123456789012345678901234\0u8, b"),
	  "name of the event" },
	{ "a field without a name", EVENT("\2u\1", "a\0u8"), "name of a field" },
	{ "a field with an empty name", EVENT("\2u\1", "a\0u8, "), "name of a field" },
	{ "a field without a type", EVENT("\2u\1", "a\0, b"), "no type" },
	{ "a field of two words", EVENT("\2u\1", "a\0u8, b c"), "name of a field" },
	{ "a field with a quote", EVENT("\2u\1", "a\0u8, b\""), "name of a field" },
	{ "fewer texts than fields", EVENT("\4u\1u\1", "a\0u8, b"), "no type" },
	{ "more texts than fields", EVENT("\2u\1", "a\0u8, b, u8, c"), "more names than fields" },
	{ "two fields of one name", EVENT("\4u\1u\1", "a\0u8, b, u8, b"), "two fields" },
	{ "an unknown kind", EVENT("\2f\4", "a\0float, b"), "kind or the size" },
	{ "an integer of three bytes", EVENT("\2u\3", "a\0u24, b"), "kind or the size" },
	{ "an integer of 16 bytes", EVENT("\2s\20", "a\0s128, b"), "kind or the size" },
	{ "an integer of no bytes", EVENT("\2s\0", "a\0s0, b"), "kind or the size" },
	{ "a bool of two bytes", EVENT("\2b\2", "a\0bool, b"), "kind or the size" },
	{ "a pointer of four bytes", EVENT("\2p\4", "a\0void *, b"), "kind or the size" },
	{ "a text of four bytes", EVENT("\2t\4", "a\0char *, b"), "kind or the size" },
	{ "the event once more", EVENT("\2u\1", "good\0u8, b"), "two events" },
};

/* Damage to the head of the second note: a number at a place of it. */
static const struct {
	const char *what;
	size_t at;
	__u32 number;
	const char *why;
} heads[] = {
	{ "a long owner", 0, 8, "not of tapmod" },
	{ "no owner", 0, 0, "not of tapmod" },
	{ "another owner", 12, 0x554e47, "not of tapmod" },
	{ "a newer form", 8, 2, "newer than this tap" },
	{ "no form", 8, 0, "newer than this tap" },
	{ "a length that is too large", 4, 1000, "ends inside a note" },
	{ "the largest length", 4, UINT32_MAX, "ends inside a note" },
	{ "no length", 4, 0, "one to six fields" },
};

#define GOOD	EVENT("\2u\1", "good\0u8, b")

static void refused(const struct made *m, size_t size, const char *what, const char *why)
{
	struct tap_error err = { 0 };
	struct tap_emits emits;
	/* In memory of its own, so that the sanitizer sees a byte too many. */
	void *data = malloc(size ? size : 1);
	int ret;

	if (!data)
		abort();
	memcpy(data, m->bytes, size);
	ret = tap_emits_parse(&emits, DRIVER, data, size, &err);
	free(data);
	if (why)
		check(ret == -EBADMSG && !emits.nr && strstr(err.text, why) && strstr(err.text, DRIVER),
		      "refused: %s: %s", what, err.text);
	else
		check(!ret && emits.nr == 2, "taken: %s: %s", what, err.text);
	tap_emits_free(&emits);
}

static void test_wrong_notes(void)
{
	struct made m = { 0 };
	size_t i, first;

	put_note(&m, GOOD);
	first = m.size;
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		m.size = first;
		put_note(&m, wrong[i].desc, wrong[i].size);
		refused(&m, m.size, wrong[i].what, wrong[i].why);
	}
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		m.size = first;
		put_note(&m, EVENT("\2u\1", "next\0u8, b"));
		refused(&m, m.size, "the whole", NULL);
		memcpy(m.bytes + first + heads[i].at, &heads[i].number, 4);
		refused(&m, m.size, heads[i].what, heads[i].why);
	}
}

/* Cut at every byte, and with every byte changed: refused, or read without harm. */
static void test_damage(void)
{
	struct tap_error err;
	struct tap_emits emits;
	unsigned char *notes;
	size_t size, i, refusals = 0, bits;

	if (!compile("gcc", driver))
		abort();
	notes = read_notes(&size);
	for (i = 0; i < size; i++) {
		unsigned char *cut = malloc(i ? i : 1);

		if (!cut)
			abort();
		memcpy(cut, notes, i);
		refusals += tap_emits_parse(&emits, DRIVER, cut, i, &err) == -EBADMSG;
		tap_emits_free(&emits);
		free(cut);
	}
	/* Between two notes, or in the padding of one, nothing is missing. */
	check(refusals >= size - 4 * 4 && refusals < size, "%zu of %zu cuts are refused", refusals,
	      size);
	for (i = 0; i < size; i++) {
		for (bits = 1; bits < 256; bits++) {
			notes[i] ^= bits;
			if (!tap_emits_parse(&emits, DRIVER, notes, size, &err))
				tap_emits_free(&emits);
			notes[i] ^= bits;
		}
	}
	check(true, "every byte had every value");
	free(notes);
}

/* What an event expands to, as "EVENT > TARGET [waits]; ...", or the error. */
static void expand(const char *event, char *buf, size_t size)
{
	struct tap_types *types = tap_types_new();
	struct tap_spec *spec, **list;
	struct tap_error err = { 0 };
	size_t nr = 0, i, len = 0;

	*buf = '\0';
	if (!types || tap_spec_parse(event, &spec, &err))
		abort();
	tap_types_debug(types)->root = dir;
	if (tap_spec_expand(NULL, types, spec, &list, &nr, &err)) {
		snprintf(buf, size, "%s", err.text);
	} else {
		for (i = 0; i < nr; i++)
			len += snprintf(buf + len, size - len, "%s%s > %s%s%s", i ? "; " : "",
					tap_spec_text(list[i]), list[i]->target,
					list[i]->flags & TAP_CREATE_F_WAIT ? " waits" : "",
					*err.text ? ": " : "");
		if (*err.text)
			snprintf(buf + len, size - len, "%s", err.text);
		tap_spec_list_free(list, nr);
	}
	tap_spec_free(spec);
	tap_types_free(types);
}

static void expands(const char *event, const char *expect)
{
	char text[1024];

	expand(event, text, sizeof(text));
	check(strstr(text, expect), "%s: %s", event, text);
}

#define XMIT	"emit:" DRIVER ":xmit > " DRIVER ":tap_emit_xmit"

static void test_targets(void)
{
	struct tap_events events;
	struct tap_error err;
	size_t size;
	void *notes;

	if (!compile("gcc", driver))
		abort();
	notes = read_notes(&size);
	/* Not loaded: out of its file. */
	expands("emit:" DRIVER ":xmit len dev->mtu", "not a pointer with a known target");
	expands("emit:" DRIVER ":xmit len", XMIT " waits");
	expands("emit:tap-drv:xmit", XMIT " waits");
	expands("emit:" DRIVER ":*", "emit:" DRIVER ":wide > " DRIVER ":tap_emit_wide waits; " XMIT " waits");
	expands("emit:" DRIVER ":{xmit,user}", "emit:" DRIVER ":user > " DRIVER ":tap_emit_user waits; " XMIT);
	expands("emit:" DRIVER ":xmti", "did you mean xmit?");
	expands("emit:" DRIVER ":xmit nonesuch", "nonesuch");
	expands("emit:nonesuch:xmit", "no module nonesuch is loaded, and no file of a module nonesuch was found");
	expands("emit:*:xmit", "no event of a loaded driver matches");
	/* Loaded: as sysfs shows it, which wins over the file. */
	write_text("sys/module/" DRIVER "/initstate", "live\n");
	write_text("sys/module/" DRIVER "/taint", "OE\n");
	expands("emit:" DRIVER ":xmit", "no events of its own");
	write_at("sys/module/" DRIVER "/notes/" TAP_EMIT_SECTION, notes, size);
	expands("emit:" DRIVER ":xmit if name == \"eth0\" && len > 60", XMIT " waits");
	expands("emit:tap_*:xmit", XMIT);
	expands("emit:tap_*:{x*,none}", XMIT);
	write_text("sys/module/tap_bad/initstate", "live\n");
	write_at("sys/module/tap_bad/notes/" TAP_EMIT_SECTION, notes, size - 8);
	expands("emit:tap_bad:xmit", "the events of the module tap_bad are refused");
	expands("emit:tap_*:xmit", XMIT ": the events of the module tap_bad are refused");
	check(!tap_events_emitted(&events, dir, &err) && events.nr == 4 && err.code == -EBADMSG &&
	      !strcmp(events.names[0], DRIVER ":small"), "the list has the events of the good module");
	tap_events_free(&events);
	write_text("sys/module/" DRIVER "/taint", "PO\n");
	expands("emit:" DRIVER ":xmit", "the kernel ignores the events of the module " DRIVER);
	write_text("sys/module/builtin/parameters/x", "1\n");
	expands("emit:builtin:xmit", "no module builtin is loaded");
	free(notes);
}

/* The fields were read from a file, and then another build is loaded. */
static void test_builds(void)
{
	struct tap_types *types = tap_types_new();
	struct tap_dwarf_build *builds = NULL;
	struct tap_spec *spec, **list;
	struct tap_error err = { 0 };
	size_t nr = 0;
	int n;
	/* Of the owner GNU, type 3, 4 bytes. */
	static const __u32 id[] = { 4, 4, 3, 0x554e47, 0x12345678 };

	if (run("rm -r %s/sys", dir) || !types ||
	    tap_spec_parse("emit:" DRIVER ":xmit", &spec, &err))
		abort();
	tap_types_debug(types)->root = dir;
	check(!tap_spec_expand(NULL, types, spec, &list, &nr, &err), "a file: %s", err.text);
	n = tap_dwarf_builds(types, &builds);
	check(n == 1 && builds[0].len == 20 && !strcmp(builds[0].module, DRIVER),
	      "its build is known");
	check(n == 1 && !tap_dwarf_check_build(builds, &err), "not loaded: nothing is wrong");
	write_text("sys/module/" DRIVER "/initstate", "live\n");
	write_at("sys/module/" DRIVER "/notes/.note.gnu.build-id", id, sizeof(id));
	check(n == 1 && tap_dwarf_check_build(builds, &err) == -ESTALE &&
	      strstr(err.text, "another build of the module " DRIVER), "another build: %s", err.text);
	free(builds);
	tap_spec_list_free(list, nr);
	tap_spec_free(spec);
	tap_types_free(types);
}

int main(void)
{
	native_dir(dir);
	test_compiled("gcc");
	test_compiled("clang");
	test_wrong_source();
	test_wrong_notes();
	test_damage();
	test_targets();
	test_builds();
	if (run("rm -r %s", dir))
		return 1;
	return check_end();
}
