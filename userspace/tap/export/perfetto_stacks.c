// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks as call stacks: interned frames, the outermost first. A frame "func+0x10 [object]
 * file.c:12" has the name func, the mapping object and, as the file does not know where the object
 * lay, the offset in the function in place of that in the mapping.
 */
#include <stdlib.h>

#include "export/frame.h"
#include "export/perfetto.h"

/* Frame, Mapping, Callstack. */
enum { FRAME_NAME = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5, FRAME_LINE = 6 };
enum { MAPPING_PATH = 7 };
enum { CALLSTACK_FRAME = 2 };

/* Frames of an event: two stacks with what is inlined in each frame. More are left out. */
#define FRAMES_MAX	(2 * TAP_MAX_STACK * 9)

/* Of a mapping the path is all that is known. */
static __u64 mapping(struct perfetto *pf, const struct json *object)
{
	bool added;
	__u64 id = perfetto_id(pf, INTERNED_MAPPING, object->at, object->len, &added), path;
	size_t entry;

	if (!added)
		return id;
	path = perfetto_name(pf, INTERNED_PATH, object);
	entry = proto_begin(&pf->interned, INTERNED_MAPPING);
	proto_number(&pf->interned, 1, id);
	proto_number(&pf->interned, MAPPING_PATH, path);
	proto_end(&pf->interned, entry);
	return id;
}

static __u64 frame_id(struct perfetto *pf, const struct json *text, bool user)
{
	static const struct json kernel = { "kernel", 6 }, unknown = { "unknown", 7 };
	bool added;
	__u64 id = perfetto_id(pf, INTERNED_FRAME, text->at, text->len, &added), name, object,
	      source = 0;
	struct frame f;
	size_t entry;

	if (!added)
		return id;
	frame_split(&f, text);
	name = perfetto_name(pf, INTERNED_FUNCTION, &f.name);
	object = mapping(pf, f.object.len ? &f.object : user ? &unknown : &kernel);
	if (f.source.len)
		source = perfetto_name(pf, INTERNED_SOURCE, &f.source);
	entry = proto_begin(&pf->interned, INTERNED_FRAME);
	proto_number(&pf->interned, 1, id);
	proto_number(&pf->interned, FRAME_NAME, name);
	proto_number(&pf->interned, FRAME_MAPPING, object);
	proto_number(&pf->interned, FRAME_PC, f.offset);
	if (source) {
		proto_number(&pf->interned, FRAME_SOURCE, source);
		proto_number(&pf->interned, FRAME_LINE, f.line);
	}
	proto_end(&pf->interned, entry);
	return id;
}

/* Adds the frames of a stack, whose innermost is the first. */
static unsigned int add_frames(struct perfetto *pf, const struct json *stack, bool user, __u64 *ids)
{
	const char *at = stack->at ? json_members(stack) : "]";
	struct json frame;
	unsigned int nr = 0;

	while (json_element(&at, &frame) && nr < FRAMES_MAX / 2) {
		frame = json_inside(&frame);
		ids[nr++] = frame_id(pf, &frame, user);
	}
	return nr;
}

void perfetto_stacks(struct perfetto *pf, const struct json *kernel, const struct json *user)
{
	__u64 ids[FRAMES_MAX], id;
	unsigned int nr = add_frames(pf, kernel, false, ids);
	bool added;
	size_t entry;

	nr += add_frames(pf, user, true, ids + nr);
	if (!nr)
		return;
	id = perfetto_id(pf, INTERNED_CALLSTACK, ids, nr * sizeof(*ids), &added);
	if (added) {
		entry = proto_begin(&pf->interned, INTERNED_CALLSTACK);
		proto_number(&pf->interned, 1, id);
		while (nr--)
			proto_number(&pf->interned, CALLSTACK_FRAME, ids[nr]);
		proto_end(&pf->interned, entry);
	}
	proto_number(&pf->packets, EVENT_CALLSTACK_ID, id);
}
