// SPDX-License-Identifier: GPL-2.0
/*
 * Frames as tap report prints them: "func+0x10 [object] file.c:12", "func+0x10", "0x10 [object]",
 * "0xffffffff81000010", and of what is inlined "func (inlined) file.c:12".
 */
#include <stdlib.h>
#include <string.h>

#include "export/frame.h"

static const char *find(const char *from, const char *end, const char *what)
{
	return from ? memmem(from, (size_t)(end - from), what, strlen(what)) : NULL;
}

void frame_split(struct frame *f, const struct json *text)
{
	static const char inlined_mark[] = " (inlined)";
	const char *end = text->at + text->len, *offset, *object, *close, *rest, *colon, *inlined;

	*f = (struct frame) { .name = *text };
	/* A name of C++ may have either, but not behind the offset. */
	for (offset = text->at; (offset = find(offset, end, "+0x")); offset = rest) {
		f->offset = strtoull(offset + 1, (char **)&rest, 16);
		if (rest == end || *rest == ' ')
			break;
	}
	if (!offset && text->len > 2 && !memcmp(text->at, "0x", 2))
		f->offset = strtoull(text->at, NULL, 16);
	object = find(offset ? offset : text->at, end, " [");
	close = object ? memrchr(object, ']', (size_t)(end - object)) : NULL;
	rest = close ? close + 1 : offset ? offset + strcspn(offset, " \"") : text->at;
	if (close)
		f->object = (struct json) { object + 2, (size_t)(close - object - 2) };
	if (offset || close)
		f->name.len = (size_t)((offset ? offset : object) - text->at);
	inlined = offset || close ? NULL : find(text->at, end, inlined_mark);
	if (inlined) {
		rest = inlined + strlen(inlined_mark);
		f->name.len = (size_t)(rest - text->at);
	}
	/* " file.c:12" */
	if (rest < end && *rest == ' ') {
		colon = memrchr(rest, ':', (size_t)(end - rest));
		f->source = (struct json) { rest + 1, (size_t)((colon ? colon : end) - rest - 1) };
		f->line = colon ? (__u32)strtoul(colon + 1, NULL, 10) : 0;
	}
}
