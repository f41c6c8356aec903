/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a frame of a stack.
 */
#ifndef _TOOL_EXPORT_FRAME_H
#define _TOOL_EXPORT_FRAME_H

#include "export/json.h"
#include "tool.h"

/**
 * struct frame - the parts of a frame, in its text of JSON
 * @name: the function, or what the text begins with
 * @object: without its brackets; may be empty
 * @source: file, may be empty
 * @line: of the source
 * @offset: in the function, or of an unknown one in the object
 */
struct frame {
	struct json name;
	struct json object;
	struct json source;
	__u32 line;
	__u64 offset;
};

/**
 * frame_split() - find the parts of "func+0x10 [object] file.c:12"
 * @f: filled in
 * @text: the frame, without its quotes
 */
void frame_split(struct frame *f, const struct json *text);

#endif /* _TOOL_EXPORT_FRAME_H */
