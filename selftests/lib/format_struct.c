// SPDX-License-Identifier: GPL-2.0
/*
 * Part of format_value_test: whole structs by their layout, and what a call has changed in one.
 */
#include <stdlib.h>

#include "format/struct.h"
#include "format/value.h"
#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "selftests/lib/format_struct.h"
#include "selftests/lib/format_value_test.h"
#include "util/layout.h"
#include "util/value_names.h"

/* The bytes that the layout of make_device() describes. */
struct device {
	__u8 id;
	__s8 level;
	__u16 port;
	__u32 state;
	__u32 low : 3;
	__s32 five : 5;
	__u64 wide : 40;
	char name[8];
	union {
		__u32 whole;
		__u16 half;
	};
	__u32 regs[20];
	struct {
		__u64 addr;
		__u32 len;
		__u32 pad;
	} ring[18];
	__u64 handler;
	__u8 mode;
	__u8 grid[2][2];
	double ratio;
	char letter;
};

#define NODE(node_name, node_kind, node_bit, node_size, node_end, ...) \
	{ .name = (char *)(uintptr_t)(node_name), .kind = TAP_LAYOUT_##node_kind, .bit = (node_bit), \
	  .size = (node_size), .end = (node_end), ##__VA_ARGS__ }
#define AT(member)	(8 * offsetof(struct device, member))
#define BITS_AT		(8 * (offsetof(struct device, state) + 4))
#define FORMAT(format_name)	.format = TAP_FMT_##format_name

static struct tap_value_names *states(void)
{
	struct tap_value_names *names = tap_value_names_new();

	if (!names || tap_value_names_add(names, 0, "IDLE", 4) ||
	    tap_value_names_add(names, 1, "READY", 5))
		abort();
	return names;
}

static struct tap_value_names *make(const struct tap_layout_node *nodes, unsigned int nr)
{
	struct tap_value_names *names = tap_value_names_new();
	unsigned int i;

	if (!names)
		abort();
	names->layout = calloc(1, sizeof(*names->layout));
	for (i = 0; i < nr; i++)
		if (!names->layout || tap_layout_add(names->layout, &nodes[i], strlen(nodes[i].name)) < 0)
			abort();
	return names;
}

static struct tap_value_names *make_device(void)
{
	struct tap_value_names *state = states(), *names;
	const struct tap_layout_node nodes[] = {
		NODE("", STRUCT, 0, sizeof(struct device), 23),
		NODE("id", NUMBER, AT(id), 1, 2, FORMAT(U8)),
		NODE("level", NUMBER, AT(level), 1, 3, FORMAT(S8), .is_signed = true),
		NODE("port", NUMBER, AT(port), 2, 4, FORMAT(U16)),
		NODE("state", NUMBER, AT(state), 4, 5, FORMAT(VALUE_NAME), .value_names = state),
		NODE("low", NUMBER, BITS_AT, 4, 6, FORMAT(U32), .bits = 3),
		NODE("five", NUMBER, BITS_AT + 3, 4, 7, FORMAT(S32), .bits = 5, .is_signed = true),
		NODE("wide", NUMBER, BITS_AT + 8, 8, 8, FORMAT(U64), .bits = 40),
		NODE("name", TEXT, AT(name), 8, 9),
		NODE("whole", NUMBER, AT(whole), 4, 10, FORMAT(U32)),
		NODE("half", NUMBER, AT(half), 2, 11, FORMAT(U16)),
		NODE("regs", ARRAY, AT(regs), 4, 13, .count = 20),
		NODE("", NUMBER, 0, 4, 13, FORMAT(X32)),
		NODE("ring", ARRAY, AT(ring), 16, 17, .count = 18),
		NODE("", STRUCT, 0, 16, 17),
		NODE("addr", NUMBER, 0, 8, 16, FORMAT(X64)),
		NODE("len", NUMBER, 64, 4, 17, FORMAT(U32)),
		NODE("handler", NUMBER, AT(handler), 8, 18, FORMAT(SYMBOL)),
		NODE("mode", NUMBER, AT(mode), 1, 19, FORMAT(BOOL)),
		NODE("grid", ARRAY, AT(grid), 2, 22, .count = 2),
		NODE("", ARRAY, 0, 1, 22, .count = 2),
		NODE("", NUMBER, 0, 1, 22, FORMAT(U8)),
		NODE("ratio", RAW, AT(ratio), 8, 23),
	};

	names = make(nodes, ARRAY_SIZE(nodes));
	tap_value_names_put(state);
	return names;
}

#define WORDS	((sizeof(struct device) + 7) / 8)

/* Bytes of a device as words of a record. */
union words {
	struct device device;
	__u64 words[WORDS];
};

static void fill(union words *w)
{
	memset(w, 0, sizeof(*w));
	w->device = (struct device) {
		.id = 7, .level = -3, .port = 8080, .state = 1, .low = 5, .five = -4,
		.wide = 0x123456789aULL, .name = "eth\"0", .whole = 0x20001, .regs = { 1, 0, 0xff },
		.ring = { { 4096, 64, 0 }, { 8192, 65, 0 } }, .handler = 0xffffffff81000010ULL,
		.mode = 1, .grid = { { 1, 2 }, { 3, 4 } }, .ratio = 1.0,
	};
}

void test_structs(void)
{
	struct tap_value_names *names = make_device();
	const struct tap_field field = FIELD("dev", STRUCT, 0, WORDS, .value_names = names);
	const char *line, *json;
	union words w;
	struct hit hit = { TAP_PROBE_KPROBE, 0, w.words, WORDS };

	fill(&w);
	line = hit_line(&hit, &field, 1, false);
	ok(strstr(line, "\n        dev\n          id=7\n          level=-3\n          port=8080\n"
			"          state=READY\n          low=5\n          five=-4\n"
			"          wide=78187493530\n          name=\"eth\\\"0\"\n"
			"          whole=131073\n          half=1\n"
			"          regs={0x1,0x0,0xff,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,...4 more}\n"
			"          ring[0]\n            addr=0x1000\n            len=64\n"
			"          ring[1]\n            addr=0x2000\n            len=65\n"),
	   "a struct is a tree below the line");
	ok(strstr(line, "          ring[15]\n            addr=0x0\n            len=0\n"
			"          ring[16] and on: 2 more\n          handler=f+0x10 [m]\n"
			"          mode=true\n          grid[0]={1,2}\n          grid[1]={3,4}\n"
			"          ratio=0x3ff0000000000000"), "arrays of structs have the first 16 and a count");
	json = hit_line(&hit, &field, 1, true);
	ok(strstr(json, "\"dev\":{\"id\":7,\"level\":-3,\"port\":8080,\"state\":\"READY\",\"low\":5,\"five\":-4,"
			"\"wide\":78187493530,\"name\":\"eth\\\"0\",\"whole\":131073,\"half\":1,\"regs\":[\"0x1\",\"0x0\",") &&
	   strstr(json, "\"0x0\",\"4 more\"],\"ring\":[{\"addr\":\"0x1000\",\"len\":64},") &&
	   strstr(json, "{\"addr\":\"0x0\",\"len\":0},\"2 more\"],\"handler\":\"f+0x10 [m]\",\"mode\":true,"
			"\"grid\":[[1,2],[3,4]],\"ratio\":\"0x3ff0000000000000\"}"), "in JSON it is an object");
	hit.flags = TAP_F_ABSENT;
	{
		const struct tap_field fields[] = {
			field, FIELD("a", X64, WORDS, 1, .flags = TAP_FIELD_F_ABSENT),
		};
		__u64 absent[WORDS + 1] = { 0 };

		absent[WORDS] = 1;
		hit.words = absent;
		hit.nr = WORDS + 1;
		ok(strstr(hit_line(&hit, fields, 2, false), "\n        dev=(absent)") &&
		   strstr(hit_line(&hit, fields, 2, true), "\"dev\":null"), "nothing of it is shown if it is absent");
	}
	tap_value_names_put(names);
}

/* Records with the first words only: no member of the others is shown. */
void test_struct_cut(void)
{
	struct tap_value_names *names = make_device();
	struct tap_field field = FIELD("dev", STRUCT, 0, WORDS, .value_names = names);
	struct hit hit = { TAP_PROBE_KPROBE, 0, NULL, WORDS };
	char expect[100];
	const char *line;
	bool good = true;
	union words w;
	unsigned int n;

	fill(&w);
	for (n = 1; n <= WORDS; n++) {
		__u64 *words = malloc(n * sizeof(*words));

		/* The sanitizer sees a read behind them. */
		memcpy(words, w.words, n * sizeof(*words));
		hit.words = words;
		hit.nr = n;
		field.words = (__u16)n;
		line = hit_line(&hit, &field, 1, false);
		sprintf(expect, "\n          ... only the first %u of %zu bytes", n * 8, sizeof(struct device));
		good &= !strstr(line, expect) == (n == WORDS);
		good &= !strstr(line, "handler=") == (n * 8 < offsetof(struct device, handler) + 8);
		line = hit_line(&hit, &field, 1, true);
		sprintf(expect, "\"...\":\"only the first %u of %zu bytes\"}", n * 8, sizeof(struct device));
		good &= !strstr(line, expect) == (n == WORDS);
		good &= !strstr(line, "\"port\"") == (n * 8 < offsetof(struct device, port) + 2);
		free(words);
	}
	ok(good, "a struct that is cut says so, and has the members that are there");
	tap_value_names_put(names);
}

/* Many members at the same place: their text has no room. */
void test_struct_room(void)
{
	struct tap_layout_node nodes[3] = {
		NODE("", STRUCT, 0, 4096, 0),
		NODE("text", TEXT, 0, 4096, 0),
	};
	struct tap_value_names *names = make(nodes, 1);
	struct tap_field field = FIELD("dev", STRUCT, 0, 512, .value_names = names);
	struct tap_field diff = FIELD("dev", DIFF, 0, 512, .value_names = names);
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	char *text = malloc(TAP_STRUCT_TEXT_MAX + 1), *end;
	static __u64 words[512], other[512];
	unsigned int i, json;

	memset(words, '\1', sizeof(words));
	memset(other, '\2', sizeof(other));
	for (i = 1; i < 300; i++) {
		nodes[1].end = i + 1;
		if (tap_layout_add(names->layout, &nodes[1], 4) < 0)
			abort();
	}
	names->layout->list[0].end = 300;
	for (json = 0; json < 2; json++) {
		opts.json = json;
		end = tap_put_struct(text, &opts, &field, words, 0);
		*end = '\0';
		ok(end < text + TAP_STRUCT_TEXT_MAX && strstr(text, "the rest has no room") &&
		   (!json || !strcmp(end - 2, "\"}")), "a text that is too long is cut, and says so");
		end = tap_put_diff(text, &opts, &diff, words, other, 0);
		*end = '\0';
		ok(end < text + TAP_STRUCT_TEXT_MAX && strstr(text, json ? ",\"more\":" : " more changed"),
		   "a difference likewise has the number of the others");
	}
	free(text);
	tap_value_names_put(names);
}

/* ------------------------------------------------------------------- random */

static unsigned int seed = 1;

static unsigned int dice(unsigned int sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

/* Appends a node of at most @size bytes with parts. Returns its bytes. */
static __u32 random_node(struct tap_layout *layout, __u32 bit, __u32 size, unsigned int depth)
{
	struct tap_layout_node node = { .name = (char *)(uintptr_t)"m", .bit = bit };
	unsigned int parts = dice(4), i;
	int at;

	node.kind = depth && size > 8 ? dice(5) : TAP_LAYOUT_TEXT;
	node.size = 1 + dice(size);
	if (node.kind == TAP_LAYOUT_NUMBER) {
		node.size = 1 << dice(4);
		node.bits = dice(2) ? 1 + dice(8 * node.size) : 0;
		node.is_signed = dice(2);
		node.format = (enum tap_format[]) { TAP_FMT_U8, TAP_FMT_S64, TAP_FMT_X32, TAP_FMT_CHAR,
						    TAP_FMT_BOOL, TAP_FMT_SYMBOL, TAP_FMT_AUTO }[dice(7)];
	}
	/* Only a bitfield begins within a byte. */
	if (!node.bits)
		node.bit &= ~7U;
	at = tap_layout_add(layout, &node, dice(2));
	if (at < 0)
		abort();
	if (node.kind == TAP_LAYOUT_STRUCT)
		for (i = 0; i < parts; i++)
			random_node(layout, dice(8 * node.size), node.size, depth - 1);
	if (node.kind == TAP_LAYOUT_ARRAY) {
		node.size = random_node(layout, 0, 8 + size / 8, depth - 1);
		if (layout->list[at + 1].kind == TAP_LAYOUT_ARRAY)
			node.size *= layout->list[at + 1].count;
		node.count = 1 + size / node.size / 2;
		layout->list[at].size = node.size;
		layout->list[at].count = node.count;
		/* An element has no place of its own. */
		layout->list[at + 1].bits = 0;
	}
	layout->list[at].end = layout->nr;
	return node.size;
}

/* Brackets and quotes match. */
static bool balanced(const char *text, const char *end)
{
	char stack[2 * TAP_LAYOUT_DEPTH];
	unsigned int depth = 0;

	for (; text < end; text++) {
		if (*text == '"') {
			for (text++; text < end && *text != '"'; text++)
				text += *text == '\\';
		} else if (*text == '{' || *text == '[') {
			stack[depth++] = *text == '{' ? '}' : ']';
		} else if ((*text == '}' || *text == ']') && (!depth || stack[--depth] != *text)) {
			return false;
		}
	}
	return !depth && text == end;
}

void test_struct_random(void)
{
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	struct tap_field field = FIELD("dev", STRUCT, 0, 1);
	char *text = malloc(TAP_STRUCT_TEXT_MAX), *end;
	unsigned int round, i, n, bad = 0;

	for (round = 0; round < 2000; round++) {
		struct tap_value_names *names = make(NULL, 0);
		__u64 *old, *new;

		random_node(names->layout, 0, 600, 5);
		n = 1 + dice(80);
		old = malloc(n * sizeof(*old));
		new = malloc(n * sizeof(*new));
		for (i = 0; i < n; i++) {
			old[i] = dice(3) ? (__u64)dice(65536) << dice(48) : 0;
			new[i] = dice(4) ? old[i] : dice(65536);
		}
		field.value_names = names;
		field.words = (__u16)n;
		for (i = 0; i < 4; i++) {
			opts.json = i & 1;
			end = tap_put_struct(text, &opts, &field, new, i & 2 ? TAP_F_REDACTED : 0);
			bad += end > text + tap_struct_max(&field) || (opts.json && !balanced(text, end));
			end = tap_put_diff(text, &opts, &field, old, new, i & 2 ? TAP_F_REDACTED : 0);
			bad += end > text + tap_struct_max(&field) || (opts.json && !balanced(text, end));
			end = tap_put_diff(text, &opts, &field, old, old, 0);
			*end = '\0';
			bad += strncmp(text, opts.json ? "{\"changed\":{}" : "no change", 9);
		}
		free(old);
		free(new);
		tap_value_names_put(names);
	}
	free(text);
	ok(!bad, "random layouts and random bytes");
}

/* -------------------------------------------------------------- differences */

#define OLD_WORD	2
#define NEW_WORD	(OLD_WORD + WORDS)
#define ABSENT_WORD	(NEW_WORD + WORDS)

struct pair {
	__u64 words[ABSENT_WORD + 1];
};

static const char *diff_line(struct pair *pair, const union words *old, const union words *new,
			     __u32 flags, bool json)
{
	struct tap_value_names *names = make_device();
	const struct tap_field fields[] = {
		FIELD("dev", STRUCT, OLD_WORD, WORDS, .value_names = names, .output = 0,
		      .flags = TAP_FIELD_F_OLD),
		FIELD("dev", DIFF, NEW_WORD, WORDS, .value_names = names, .output = 1,
		      .count = OLD_WORD),
		FIELD("a", X64, ABSENT_WORD, 1, .flags = TAP_FIELD_F_ABSENT),
	};
	struct hit hit = { TAP_PROBE_CALL, flags, pair->words, ABSENT_WORD + 1 };
	const char *line;

	memcpy(pair->words + OLD_WORD, old, sizeof(*old));
	memcpy(pair->words + NEW_WORD, new, sizeof(*new));
	line = hit_line(&hit, fields, 3, json);
	tap_value_names_put(names);
	return line;
}

/* 9 numbers, a text, an array of numbers, 18 * 2 of structs, 2 numbers, 2 arrays, raw bytes. */
#define MEMBERS	52

void test_diffs(void)
{
	struct pair pair = { { 0 } };
	union words old, new;
	char expect[100];
	const char *line;

	fill(&old);
	new = old;
	ok(strstr(diff_line(&pair, &old, &new, 0, false), " ret=0 dev: no change"), "nothing has changed");
	sprintf(expect, "\"args\":{\"dev\":{\"changed\":{},\"same\":%d}}", MEMBERS);
	ok(strstr(diff_line(&pair, &old, &new, 0, true), expect), "nothing has changed in JSON");
	new.device.state = 0;
	new.device.five = 3;
	new.device.regs[2] = 0x80000001;
	new.device.ring[17].len = 9;
	strcpy(new.device.name, "lo");
	line = diff_line(&pair, &old, &new, 0, false);
	sprintf(expect, ", regs[2] 0xff->0x80000001, ring[17].len 0->9, +%d same", MEMBERS - 5);
	ok(strstr(line, " dev: state READY->IDLE, five -4->3, name \"eth\\\"0\"->\"lo\", regs[2]") &&
	   strstr(line, expect), "what has changed, by its place");
	line = diff_line(&pair, &old, &new, 0, true);
	sprintf(expect, "\"ring[17].len\":{\"old\":0,\"new\":9}},\"same\":%d}", MEMBERS - 5);
	ok(strstr(line, "\"dev\":{\"changed\":{\"state\":{\"old\":\"READY\",\"new\":\"IDLE\"},") &&
	   strstr(line, expect), "and in JSON");
	new = old;
	new.device.name[7] = 'x';
	ok(strstr(diff_line(&pair, &old, &new, 0, false), " name \"eth\\\"0\"->\"eth\\\"0\" (behind its end), +51 same"),
	   "bytes behind the end of a text count");
	new = old;
	new.device.ring[0].pad = 1;
	ok(strstr(diff_line(&pair, &old, &new, 0, false), "no change"), "padding is no member");
}

void test_diff_unknown(void)
{
	struct pair pair = { { 0 } };
	union words old, new;
	unsigned int n;

	fill(&old);
	new = old;
	new.device.handler = 0;
	old.device.handler = 0;
	ok(strstr(diff_line(&pair, &old, &new, TAP_F_REDACTED, false), "no change, +") &&
	   strstr(diff_line(&pair, &old, &new, TAP_F_REDACTED, true), ",\"hidden\":"),
	   "where the module may have hidden an address, nothing is said to be the same");
	ok(strstr(diff_line(&pair, &old, &new, TAP_F_NO_RETURN, false), " dev: ? (no return)") &&
	   strstr(diff_line(&pair, &old, &new, TAP_F_NO_RETURN, true), "\"dev\":null"), "without a return");
	ok(strstr(diff_line(&pair, &old, &new, TAP_F_DEFERRED, false), " dev: (absent at the entry)"),
	   "memory of the entry that was read at the return is no memory of the entry");
	for (n = 1; n < 4; n++) {
		pair.words[ABSENT_WORD] = n;
		ok(strstr(diff_line(&pair, &old, &new, TAP_F_ABSENT, false),
			  n & 1 ? " dev: (absent at the entry)" : " dev: (absent at the return)") &&
		   strstr(diff_line(&pair, &old, &new, TAP_F_ABSENT, true), "\"dev\":null"),
		   "absent at one end");
	}
}
