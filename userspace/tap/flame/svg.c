// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a flame graph. Each frame is an svg element of its own, so that the browser
 * clips its text.
 */
#include <string.h>

#include "util/buffer.h"
#include "flame/svg.h"
#include "flame/svg_script.h"

#define WIDTH		1200
#define MARGIN		10
#define HEADER		76
#define ROW		17
#define BOX		16
/* Frames narrower than this, in pixels, are left out. */
#define NARROWEST	0.1
/* Width of a character in a monospaced font of 12 pixels, and the padding. */
#define CHAR		7.25
#define PADDING		6
/* Bytes of the title, which has the larger font. */
#define LINE_CHARS	128

static const char style[] =
	"text { font: 12px \"DejaVu Sans Mono\", Menlo, Consolas, monospace; fill: #111 }\n"
	".title { font-size: 15px; font-weight: bold; text-anchor: middle }\n"
	".subtitle { fill: #555; text-anchor: middle }\n"
	".search, .reset { fill: #0645ad; cursor: pointer }\n"
	".frame { cursor: pointer }\n"
	".frame text { pointer-events: none }\n"
	/* A gap between frames, unless a frame is narrower than the gap. */
	".frame rect { width: max(60%, 100% - 0.7px) }\n"
	".frame:hover rect { stroke: #111; stroke-width: 2 }\n"
	".below { opacity: 0.6 }\n"
	".hit rect { fill: #e14fe8 }\n";

/* The colour of a frame lies between two; the hash of its name selects it. */
static const struct {
	unsigned char from[3];
	unsigned char to[3];
} colors[] = {
	[FLAME_TASK] = { { 205, 205, 205 }, { 225, 225, 225 } },
	[FLAME_USER] = { { 112, 178, 226 }, { 172, 220, 246 } },
	[FLAME_KERNEL] = { { 240, 138, 52 }, { 255, 196, 104 } },
};

/*
 * Escapes the characters that have a meaning in XML. libtap lets two characters
 * pass that XML forbids: U+FFFE and U+FFFF.
 */
static void put_text(FILE *to, const char *text, size_t len)
{
	static const struct {
		const char *from;
		const char *to;
	} escapes[] = {
		{ "<", "&lt;" },
		{ ">", "&gt;" },
		{ "&", "&amp;" },
		{ "\"", "&quot;" },
		{ "\xef\xbf\xbe", "?" },
		{ "\xef\xbf\xbf", "?" },
	};
	const char *end = text + len;
	size_t n, i;

	for (; text < end; text += n) {
		for (i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
			n = strlen(escapes[i].from);
			if (!strncmp(text, escapes[i].from, n))
				break;
		}
		if (i < sizeof(escapes) / sizeof(escapes[0])) {
			fputs(escapes[i].to, to);
		} else {
			putc(*text, to);
			n = 1;
		}
	}
}

static void put_color(FILE *to, const char *name, unsigned int kind)
{
	__u32 hash = flame_hash(0, name, strlen(name));
	int rgb[3], i;

	for (i = 0; i < 3; i++)
		rgb[i] = colors[kind].from[i] +
			 (colors[kind].to[i] - colors[kind].from[i]) *
			 (int)(hash >> 8 * i & 255) / 255;
	fprintf(to, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

/* Bytes of the first characters of a text. */
static size_t cut(const char *text, size_t chars)
{
	const char *p = text;

	while (*p && (chars || (*p & 0xc0) == 0x80)) {
		chars -= (*p & 0xc0) != 0x80;
		p++;
	}
	return (size_t)(p - text);
}

/* The text of a frame, truncated to its width. */
static void put_label(FILE *to, const char *name, double width)
{
	size_t chars = width < PADDING ? 0 : (size_t)((width - PADDING) / CHAR);
	bool whole = !name[cut(name, chars)];

	if (!whole && chars < 4)
		return;
	fprintf(to, "<text x=\"3\" y=\"12\">");
	put_text(to, name, cut(name, whole ? chars : chars - 2));
	fprintf(to, "%s</text>", whole ? "" : "..");
}

static void put_frame(FILE *to, const struct flame_svg *svg, __u32 node,
		      unsigned int bottom)
{
	const struct flame_node *nodes = svg->tree->nodes;
	const struct flame_node *n = &nodes[node];
	const char *name = flame_tree_text(svg->tree, node);
	double all = (double)nodes[0].total;
	double scale = (WIDTH - 2 * MARGIN) / all;
	const char *unit = svg->duration ? "ns" :
			   n->total == 1 ? "event" : "events";

	/* Zooming multiplies rounding errors: so five digits. */
	fprintf(to, "<svg class=\"frame\" x=\"%.5f\" y=\"%u\" width=\"%.5f\" height=\"%u\"><title>",
		MARGIN + (double)n->begin * scale, bottom - n->depth * ROW,
		(double)n->total * scale, BOX);
	put_text(to, name, strlen(name));
	fprintf(to, " (%llu %s, %.2f%%)</title><rect width=\"100%%\" height=\"%u\" fill=\"",
		(unsigned long long)n->total, unit,
		100 * (double)n->total / all, BOX);
	put_color(to, name, n->frame.kind);
	fputs("\"/>", to);
	put_label(to, name, (double)n->total * scale);
	fputs("</svg>\n", to);
}

/* A line of text of any bytes, truncated to LINE_CHARS. */
static void put_line(FILE *to, const char *class, int x, int y,
		     const char *text)
{
	char raw[LINE_CHARS + 1], clean[2 * sizeof(raw)];

	snprintf(raw, sizeof(raw), "%s", text);
	*tap_put_text(clean, raw, sizeof(raw), false) = '\0';
	fprintf(to, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	put_text(to, clean, strlen(clean));
	fprintf(to, "%s</text>\n", text[strlen(raw)] ? ".." : "");
}

static void put_legend(FILE *to)
{
	static const struct {
		enum flame_kind kind;
		int x;
		const char *text;
	} entries[] = {
		{ FLAME_TASK, MARGIN + 130, "task" },
		{ FLAME_USER, MARGIN + 190, "program" },
		{ FLAME_KERNEL, MARGIN + 270, "kernel" },
	};
	size_t i;

	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		fprintf(to, "<rect x=\"%d\" y=\"43\" width=\"10\" height=\"10\" fill=\"",
			entries[i].x);
		put_color(to, entries[i].text, entries[i].kind);
		fputs("\"/>\n", to);
		put_line(to, "legend", entries[i].x + 14, 52, entries[i].text);
	}
}

static void put_header(FILE *to, const struct flame_svg *svg,
		       unsigned int height)
{
	fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n"
		"<style>\n%s</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, height, WIDTH, height, style);
	put_line(to, "title", WIDTH / 2, 20, svg->title);
	put_line(to, "subtitle", WIDTH / 2, 37, svg->subtitle);
	put_legend(to);
	put_line(to, "search", MARGIN, 52, "Search");
	put_line(to, "reset", MARGIN + 60, 52, "Reset");
	put_line(to, "status", MARGIN, 69, "");
}

/* Walks the frames that are wide enough, and draws them unless to is NULL. */
static unsigned int for_each_frame(const struct flame_svg *svg, FILE *to,
				   unsigned int bottom)
{
	const struct flame_node *nodes = svg->tree->nodes;
	double least = (double)nodes[0].total * NARROWEST /
		       (WIDTH - 2 * MARGIN);
	unsigned int depth = 0;
	__u32 node = 0;

	do {
		bool wide = (double)nodes[node].total >= least;

		if (wide && to)
			put_frame(to, svg, node, bottom);
		if (wide && nodes[node].depth > depth)
			depth = nodes[node].depth;
		node = flame_tree_next(svg->tree, node, wide);
	} while (node);
	return depth;
}

void flame_print_svg(const struct flame_svg *svg, FILE *to)
{
	unsigned int depth = for_each_frame(svg, NULL, 0);
	unsigned int bottom = HEADER + depth * ROW;

	put_header(to, svg, bottom + ROW + MARGIN);
	for_each_frame(svg, to, bottom);
	/* The script does not contain the end of CDATA. */
	fprintf(to, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_script);
}
