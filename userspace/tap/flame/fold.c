// SPDX-License-Identifier: GPL-2.0
/*
 * Turns events into stacks of names.
 */
#include <errno.h>
#include <string.h>

#include "flame/fold.h"
#include "kernel/ksyms.h"

/* Functions that are inlined in a frame; more are left out. */
#define INLINED_MAX	8
/* The task, and two stacks, each with "[...]" for truncated frames. */
#define FRAMES_MAX	(1 + 2 * (TAP_MAX_STACK * (1 + INLINED_MAX) + 1))
/* Bytes of a name; a longer one is truncated. */
#define NAME_ROOM	1024

/**
 * struct stack - the frames of an event
 * @fold: whose tree holds their names
 * @ev: the event; NULL for a stack of the kernel alone
 * @frames: the outermost first
 * @nr: number of @frames
 */
struct stack {
	struct flame_fold *fold;
	const struct tap_event *ev;
	struct flame_frame frames[FRAMES_MAX];
	unsigned int nr;
};

static int push(struct stack *s, enum flame_kind kind, const char *name, size_t len)
{
	struct flame_frame *frame = &s->frames[s->nr++];

	frame->kind = kind;
	return flame_tree_name(&s->fold->tree, name, len, &frame->name);
}

const char *flame_frame_name(const char *text, size_t *len)
{
	const char *p, *end;

	if (!strncmp(text, "0x", 2)) {
		p = strchr(text, '[');
		end = p ? strrchr(p, ']') : NULL;
		*len = end ? (size_t)(end + 1 - p) : strlen(text);
		return end ? p : text;
	}
	/* The name of a function may contain a +, as "operator+" does. */
	for (p = text; (p = strstr(p, "+0x")); p++) {
		end = p + 3 + strspn(p + 3, "0123456789abcdef");
		if (end > p + 3 && (*end == '\0' || *end == ' '))
			break;
	}
	*len = p ? (size_t)(p - text) : strlen(text);
	return text;
}

static void name_address(const struct stack *s, bool user, __u64 addr, char *text)
{
	const struct tap_formatter_opts *names = &s->fold->names;
	int ret = -ENOENT;

	if (user && names->resolve_user)
		ret = names->resolve_user(names->resolve_user_arg,
					  s->ev->rec->tgid,
					  tap_timebase_mono(names->timebase,
							    s->ev->time),
					  addr, text, NAME_ROOM);
	else if (!user && names->resolve)
		ret = names->resolve(names->resolve_arg, addr, text, NAME_ROOM);
	if (ret)
		snprintf(text, NAME_ROOM, "0x%llx", (unsigned long long)addr);
}

/* "func+0x10 [object] file.c:12" becomes "func file.c:12" with --lines, else "func". */
static int push_function(struct stack *s, enum flame_kind kind, const char *text)
{
	size_t len;
	const char *name = flame_frame_name(text, &len);
	const char *line = name == text ? strstr(text + len, "] ") : NULL;
	char with_line[NAME_ROOM];
	int n;

	if (!s->fold->lines || !line)
		return push(s, kind, name, len);
	n = snprintf(with_line, sizeof(with_line), "%.*s %s", (int)len, name, line + 2);
	return push(s, kind, with_line, n < NAME_ROOM ? (size_t)n : NAME_ROOM - 1);
}

/* "copy (inlined) copy.h:8", the line only with --lines. */
static int push_inlined(struct stack *s, enum flame_kind kind, const char *text, size_t len)
{
	static const char mark[] = "(inlined)";
	const char *end = memmem(text, len, mark, sizeof(mark) - 1);

	if (!s->fold->lines && end)
		len = (size_t)(end - text) + sizeof(mark) - 1;
	return push(s, kind, text, len);
}

/*
 * Pushes a frame: the functions that are inlined there, the innermost first, and the function.
 * @call: the address is the return address of a call. The function is then that of
 * the byte before: the call may be its last instruction. Set for the next frame. @leaf: it is where
 * the program is, and the stack was found by frame pointers.
 */
static int push_address(struct stack *s, bool user, __u64 addr, bool leaf, bool *call)
{
	static const char hidden_caller[] = "[missing caller]";
	enum flame_kind kind = user ? FLAME_USER : FLAME_KERNEL;
	char text[NAME_ROOM], *rest = text, *inlined;
	unsigned int nr = 0;
	bool hidden = false;
	int ret = 0;

	name_address(s, user, addr - *call, text);
	strsep(&rest, "\n");
	*call = user || !tap_symbol_is_trap(text);
	while (!ret && nr++ < INLINED_MAX && (inlined = strsep(&rest, "\n"))) {
		if (*inlined == '(')
			hidden = leaf;
		else
			ret = push_inlined(s, kind, inlined, strlen(inlined));
	}
	if (!ret)
		ret = push_function(s, kind, text);
	return ret || !hidden ? ret : push(s, kind, hidden_caller, sizeof(hidden_caller) - 1);
}

static void reverse(struct flame_frame *first, struct flame_frame *end)
{
	while (first < --end) {
		struct flame_frame frame = *first;

		*first++ = *end;
		*end = frame;
	}
}

/* Pushes a stack: a word of TAP_TEXT_*, and up to @room addresses, the innermost first. */
static int push_stack(struct stack *s, bool user, const __u64 *words, unsigned int room)
{
	__u64 nr = (words[0] & TAP_TEXT_LEN) / 8;
	bool call = false, cut = words[0] & (TAP_TEXT_TRUNCATED | TAP_TEXT_ABSENT);
	unsigned int i, first;
	int ret = 0;

	if (nr > room)
		nr = room;
	if (nr && cut)
		ret = push(s, user ? FLAME_USER : FLAME_KERNEL, "[...]", 5);
	first = s->nr;
	for (i = 0; !ret && i < nr; i++)
		ret = push_address(s, user, words[1 + i],
				   user && !i && !(words[0] & TAP_TEXT_UNWOUND), &call);
	/* The record has the innermost first, frames have the outermost first. */
	reverse(s->frames + first, s->frames + s->nr);
	return ret;
}

static int push_field(struct stack *s, const struct tap_field *f)
{
	__u64 words[1 + TAP_MAX_STACK];
	unsigned int i, nr = f->words;

	if (nr > 1 + TAP_MAX_STACK)
		nr = 1 + TAP_MAX_STACK;
	for (i = 0; i < nr; i++)
		words[i] = tap_event_word(s->ev, f->word + i);
	return push_stack(s, f->format == TAP_FMT_USTACK, words, nr - 1);
}

static const struct tap_field *find_field(const struct tap_spec *spec,
					  enum tap_format format)
{
	unsigned int i;

	for (i = 0; i < tap_spec_nr_fields(spec); i++)
		if (tap_spec_field(spec, i)->format == format)
			return tap_spec_field(spec, i);
	return NULL;
}

static int push_task(struct stack *s)
{
	char comm[TAP_COMM_LEN + 1], text[32];

	if (!tap_event_comm(s->ev, comm)) {
		snprintf(text, sizeof(text), "pid %u", s->ev->rec->tgid);
		return push(s, FLAME_TASK, text, strlen(text));
	}
	return push(s, FLAME_TASK, comm, strlen(comm));
}

bool flame_has_stack(const struct tap_spec *spec)
{
	return find_field(spec, TAP_FMT_KSTACK) ||
	       find_field(spec, TAP_FMT_USTACK);
}

bool flame_has_duration(const struct tap_spec *spec)
{
	return tap_probe_is_call(tap_spec_type(spec));
}

/* The duration of a call; false if the event is no call, or did not return. */
static bool call_duration(const struct flame_fold *fold,
			  const struct tap_event *ev, __u64 *ns)
{
	if (!flame_has_duration(tap_probe_spec(ev->probe)) ||
	    ev->rec->flags & TAP_F_NO_RETURN)
		return false;
	*ns = tap_timebase_ns(fold->names.timebase,
			      tap_event_word(ev, TAP_CALL_DURATION));
	return true;
}

int flame_fold_event(struct flame_fold *fold, const struct tap_event *ev)
{
	static const enum tap_format formats[] = {
		TAP_FMT_USTACK, TAP_FMT_KSTACK,
	};
	struct stack s = { .fold = fold, .ev = ev };
	const struct tap_field *f;
	__u64 weight = 1;
	size_t i;
	int ret;

	/* The call has a second record at its return. */
	if (ev->rec->flags & TAP_F_ENTRY)
		return 0;
	ret = push_task(&s);
	fold->events++;
	for (i = 0; !ret && i < sizeof(formats) / sizeof(formats[0]); i++) {
		f = find_field(tap_probe_spec(ev->probe), formats[i]);
		if (f)
			ret = push_field(&s, f);
	}
	if (ret)
		return ret;
	if (s.nr == 1)
		fold->stackless++;
	else if (fold->duration && !call_duration(fold, ev, &weight))
		fold->timeless++;
	else
		ret = flame_tree_add(&fold->tree, s.frames, s.nr, weight);
	return ret;
}

int flame_fold_stack(struct flame_fold *fold, const char *root, const __u64 *words,
		     unsigned int room, __u64 weight)
{
	struct stack s = { .fold = fold };
	int ret = push(&s, FLAME_TASK, root, strlen(root));

	fold->events++;
	if (!ret)
		ret = push_stack(&s, false, words, room);
	return ret ? ret : flame_tree_add(&fold->tree, s.frames, s.nr, weight);
}

static void print_frames(const struct flame_tree *tree, __u32 node, FILE *to)
{
	/* No stack of flame_fold_event() is deeper. */
	__u32 path[FRAMES_MAX];
	unsigned int nr = 0;

	for (; node; node = tree->nodes[node].parent)
		path[nr++] = node;
	while (nr--) {
		node = path[nr];
		fputs(flame_tree_text(tree, node), to);
		/* flamegraph.pl recognizes kernel frames by this suffix. */
		if (tree->nodes[node].frame.kind == FLAME_KERNEL)
			fputs("_[k]", to);
		if (nr)
			putc(';', to);
	}
}

void flame_print_folded(const struct flame_tree *tree, FILE *to)
{
	__u32 node = 0;

	while ((node = flame_tree_next(tree, node, true))) {
		if (!tree->nodes[node].self)
			continue;
		print_frames(tree, node, to);
		fprintf(to, " %llu\n",
			(unsigned long long)tree->nodes[node].self);
	}
}
