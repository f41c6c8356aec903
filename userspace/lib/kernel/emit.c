// SPDX-License-Identifier: LGPL-2.1
/*
 * The notes that <tapmod/emit.h> puts into a module: one for each event, with its name and its
 * fields. The module wrote them, so nothing in them is trusted: what does not fit is refused with
 * the reason, and no event of that module is then known.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include "kernel/emit.h"
#include "util/array.h"
#include "util/util.h"

#define OWNER		"tapmod"
/* The type of a note: the form that this file knows. */
#define FORM		1
/* Ten times the notes of a driver with a thousand events. */
#define MAX_NOTES	(1 << 20)
/* Room for a type or a name; none is longer. */
#define MAX_WORD	256

/* What is left of a note, or of all of them, while it is read. */
struct note {
	const char *at;
	size_t left;
};

/* @len bytes of the note; NULL: it has fewer. */
static const char *take(struct note *n, size_t len)
{
	const char *at = n->at;

	if (len > n->left)
		return NULL;
	n->at += len;
	n->left -= len;
	return at;
}

/* A text with its final NUL; NULL: the note ends inside it. */
static const char *take_text(struct note *n)
{
	return take(n, strnlen(n->at, n->left) + 1);
}

/* Length of the word of C at the start of a text. */
static size_t word_len(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static bool is_name(const char *text)
{
	size_t len = word_len(text);

	return len && !text[len] && len < TAP_FIELD_NAME_LEN && !isdigit((unsigned char)*text);
}

/* The type of a field by its kind and size; false: there is none. */
static bool make_type(struct tap_type *type, char kind, unsigned int size)
{
	*type = (struct tap_type) { .size = size, .is_signed = kind == 's' };
	switch (kind) {
	case 'b':
		type->cls = TAP_TYPE_BOOL;
		return size == 1;
	case 's':
	case 'u':
		type->cls = TAP_TYPE_INT;
		return size == 1 || size == 2 || size == 4 || size == 8;
	case 't':
	case 'p':
		type->cls = TAP_TYPE_POINTER;
		type->id = kind == 't' ? TAP_TYPE_CHAR : TAP_TYPE_NONE;
		return size == 8;
	}
	return false;
}

/* Takes a word of C off the text of a type. */
static bool skip_word(const char **text, const char *word)
{
	size_t len = strlen(word);

	*text += strspn(*text, " ");
	if (strncmp(*text, word, len) || word_len(*text) != len)
		return false;
	*text += len;
	return true;
}

/*
 * The struct that a pointer points to, from the text of its type. What has other words than these is
 * a pointer all the same.
 */
static void find_struct(struct tap_emit_field *field, const char *text)
{
	unsigned int stars = 0;
	const char *tag;
	size_t len;

	field->type.user = strstr(text, "__user");
	skip_word(&text, "const");
	if (!skip_word(&text, "struct"))
		return;
	text += strspn(text, " ");
	tag = text;
	len = word_len(tag);
	text += len;
	skip_word(&text, "__user");
	for (text += strspn(text, " "); *text == '*' || *text == ' '; text++)
		stars += *text == '*';
	if (*text || !stars || !len || len >= sizeof(field->tag))
		return;
	memcpy(field->tag, tag, len);
	field->stars = stars;
}

/* Takes what is in front of the next comma, without blanks at its ends; false if it is too long. */
static bool take_word(const char **text, char word[MAX_WORD])
{
	const char *from = *text + strspn(*text, " ");
	size_t len = strcspn(from, ",");

	*text = from + len + (from[len] == ',');
	while (len && from[len - 1] == ' ')
		len--;
	if (len >= MAX_WORD)
		return false;
	memcpy(word, from, len);
	word[len] = '\0';
	return true;
}

static bool has_field(const struct tap_emit_event *event, const char *name)
{
	unsigned int i;

	for (i = 0; i < event->nr; i++)
		if (!strcmp(event->fields[i].name, name))
			return true;
	return false;
}

/* "TYPE, NAME, TYPE, NAME" with the kinds and sizes at @codes. */
static const char *read_fields(struct tap_emit_event *event, unsigned int nr, const char *codes,
			       const char *text)
{
	char type[MAX_WORD], name[MAX_WORD];

	while (event->nr < nr) {
		struct tap_emit_field *field = &event->fields[event->nr];

		if (!take_word(&text, type) || !*type)
			return "a field has no type, or a type that is too long";
		if (!take_word(&text, name) || !is_name(name))
			return "the name of a field is not one of C, or is too long";
		if (has_field(event, name))
			return "two fields have the same name";
		if (!make_type(&field->type, codes[0], (unsigned char)codes[1]))
			return "the kind or the size of a field is unknown";
		strcpy(field->name, name);
		if (*codes == 'p')
			find_struct(field, type);
		codes += 2;
		event->nr++;
	}
	return *text ? "it has more names than fields" : NULL;
}

/* Reads what is behind the head and the owner of a note. Returns what is wrong with it, or NULL. */
static const char *read_event(struct note *n, struct tap_emit_event *event)
{
	const char *count = take(n, 1), *codes, *name, *fields;
	unsigned int nr = count ? (unsigned char)*count : 0;

	if (!nr || nr % 2 || nr / 2 > TAP_MAX_ARGS)
		return "an event has one to six fields";
	codes = take(n, nr);
	name = codes ? take_text(n) : NULL;
	fields = name ? take_text(n) : NULL;
	if (!fields || n->left)
		return fields ? "it is longer than its texts" : "it ends inside a text";
	if (!is_name(name))
		return "the name of the event is not one of C, or is too long";
	strcpy(event->name, name);
	return read_fields(event, nr / 2, codes, fields);
}

/* Takes a note, with the padding behind it. */
static const char *take_note(struct note *all, struct tap_emit_event *event)
{
	const size_t owner = (sizeof(OWNER) + 3) / 4 * 4;
	const char *at = take(all, sizeof(Elf64_Nhdr) + owner);
	struct note n = { 0 };
	Elf64_Nhdr head;

	if (!at)
		return "it ends inside the head of a note";
	memcpy(&head, at, sizeof(head));
	if (head.n_namesz != sizeof(OWNER) || memcmp(at + sizeof(head), OWNER, sizeof(OWNER)))
		return "a note is not of " OWNER;
	if (head.n_type != FORM)
		return "its <tapmod/emit.h> is newer than this tap; use a newer tap";
	n.at = take(all, head.n_descsz);
	n.left = head.n_descsz;
	if (!n.at)
		return "it ends inside a note";
	take(all, all->left < -n.left % 4 ? all->left : -n.left % 4);
	return read_event(&n, event);
}

static bool has_event(const struct tap_emits *emits, const char *name)
{
	size_t i;

	for (i = 0; i < emits->nr; i++)
		if (!strcmp(emits->list[i].name, name))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct tap_emit_event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/**
 * tap_emits_parse() - read the notes of a module
 * @emits: filled in on success; the caller has to call tap_emits_free()
 * @module: its name, for error messages
 * @notes: bytes of the section
 * @size: number of @notes
 * @err: an error message on failure
 *
 * Return: 0; -EBADMSG if they are not what <tapmod/emit.h> writes; -ENOMEM.
 */
int tap_emits_parse(struct tap_emits *emits, const char *module, const void *notes, size_t size,
		    struct tap_error *err)
{
	struct note all = { notes, size };
	const char *why = NULL;
	size_t at = 0;

	*emits = (struct tap_emits) { 0 };
	while (all.left && !why) {
		struct tap_emit_event event = { 0 };

		at = size - all.left;
		why = take_note(&all, &event);
		if (!why && has_event(emits, event.name))
			why = "two events have the same name";
		if (!why && !TAP_GROW(emits->list, emits->nr)) {
			tap_emits_free(emits);
			return tap_error_set(err, -ENOMEM, "out of memory");
		}
		if (!why)
			emits->list[emits->nr++] = event;
	}
	/* The compiler chose the order of the notes. */
	if (!why && emits->nr)
		qsort(emits->list, emits->nr, sizeof(*emits->list), by_name);
	if (!why)
		return 0;
	tap_emits_free(emits);
	return tap_error_set(err, -EBADMSG,
			     "the events of the module %s are refused: its section " TAP_EMIT_SECTION " is not what <tapmod/emit.h> writes, in the note at byte %zu: %s",
			     module, at, why);
}

/* Reads a whole file of sysfs into allocated memory. */
static int read_file(const char *path, char **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	ssize_t n = 1;

	*size = 0;
	*data = NULL;
	if (fd < 0)
		return -errno;
	*data = malloc(MAX_NOTES);
	if (!*data)
		ret = -ENOMEM;
	for (; !ret && n > 0 && *size < MAX_NOTES; *size += n) {
		n = read(fd, *data + *size, MAX_NOTES - *size);
		if (n < 0)
			ret = -errno;
	}
	close(fd);
	if (ret)
		free(*data);
	return ret;
}

/*
 * A module whose tracepoints the kernel ignores, since it is proprietary or was loaded by force: its
 * events would never occur.
 */
static bool is_ignored(const char *root, const char *module)
{
	char path[PATH_MAX], taint[64] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/sys/module/%s/taint", root, module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, taint, sizeof(taint) - 1) < 0)
		*taint = '\0';
	close(fd);
	return strpbrk(taint, "PF");
}

/**
 * tap_emits_read() - read the events of a loaded module
 * @emits: filled in on success; the caller has to call tap_emits_free()
 * @root: before /sys: "", or a directory of a test
 * @module: its name, as in /proc/modules
 * @err: an error message on failure
 *
 * Return: 0, also if it has none; -ENOENT without an error message if it is not loaded; -EBADMSG
 * as tap_emits_parse(); -EPERM if the kernel ignores its tracepoints; others of read(2).
 */
int tap_emits_read(struct tap_emits *emits, const char *root, const char *module,
		   struct tap_error *err)
{
	char path[PATH_MAX], *notes;
	size_t size;
	int ret;

	*emits = (struct tap_emits) { 0 };
	/* Built-in modules have a directory too, without this file. */
	snprintf(path, sizeof(path), "%s/sys/module/%s/initstate", root, module);
	if (access(path, F_OK))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/" TAP_EMIT_SECTION, root, module);
	ret = read_file(path, &notes, &size);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
	ret = tap_emits_parse(emits, module, notes, size, err);
	free(notes);
	if (ret || !is_ignored(root, module))
		return ret;
	tap_emits_free(emits);
	return tap_error_set(err, -EPERM,
			     "the kernel ignores the events of the module %s: its licence is not compatible with the GPL, or it was loaded by force",
			     module);
}

/**
 * tap_emits_free() - free the events of a module
 * @emits: may be all zero; is all zero afterwards
 */
void tap_emits_free(struct tap_emits *emits)
{
	free(emits->list);
	*emits = (struct tap_emits) { 0 };
}
