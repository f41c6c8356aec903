// SPDX-License-Identifier: LGPL-2.1
/*
 * Values in files: "PATH", a file of one line, or "PATH:FIELD", the line of a file that
 * starts with FIELD.
 *
 * The file stays open, so a file of /proc/PID is never that of a later process with the
 * same number. A stream of messages has no value: reading it could block.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/attr_file.h"
#include "util/suggest.h"

#define FIRST_ROOM	4096
#define MAX_ROOM	(1 << 20)

/* Separators between a field and its value: "MemFree: 1", "DRIVER=e1000". */
#define BEHIND_FIELD	" \t:="

static int open_path(const char *path)
{
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* Suggests names for the first component of the path that does not exist. */
static void suggest_files(const char *text, char *near, size_t size)
{
	char path[PATH_MAX], *slash, *want;
	struct tap_suggest s;
	struct dirent *entry;
	DIR *dir = NULL;

	snprintf(path, sizeof(path), "%s", text);
	for (slash = path; !dir && slash; ) {
		slash = strrchr(path, '/');
		if (!slash)
			return;
		*slash = '\0';
		dir = opendir(slash == path ? "/" : path);
	}
	want = slash + 1;
	/* A colon may be part of the name or precede a field. */
	if (!want[strcspn(want, "/")])
		want[strcspn(want, ":")] = '\0';
	/* The number of another process is no useful suggestion. */
	tap_suggest_begin(&s, want, isdigit((unsigned char)*want) ? 0 :
						      strlen(want));
	while ((entry = readdir(dir)))
		tap_suggest_offer(&s, entry->d_name, strlen(entry->d_name));
	closedir(dir);
	tap_suggest_text(&s, "", "", near, size);
}

static int no_file(const char *text, int code, struct tap_error *err)
{
	char near[300] = "";

	if (code == -ENOENT)
		suggest_files(text, near, sizeof(near));
	return tap_error_set(err, code, "file:%s: %s%s", text,
			     code == -ENOENT ? "no such file" :
					       strerror(-code), near);
}

/*
 * Paths in /sys contain colons. So the longest prefix that is a file is the path, and
 * the text after its colon is the field.
 */
static int split_and_open(struct tap_value_file *f, const char *text,
			  struct tap_error *err)
{
	int code;
	char *colon;

	f->path = strdup(text);
	if (!f->path)
		return tap_error_set(err, -ENOMEM, "out of memory");
	f->fd = open_path(f->path);
	code = f->fd < 0 ? -errno : 0;
	while (f->fd < 0 && (code == -ENOENT || code == -ENOTDIR)) {
		/* Cuts at the last colon; the text after it becomes part of the field. */
		colon = strrchr(f->path, ':');
		if (!colon)
			return no_file(text, -ENOENT, err);
		*colon = '\0';
		f->fd = open_path(f->path);
		code = f->fd < 0 ? -errno : 0;
		if (f->fd >= 0) {
			strcpy(f->path, text);
			f->path[colon - f->path] = '\0';
			f->field = colon + 1;
		}
	}
	return code ? no_file(text, code, err) : 0;
}

static int open_file(struct tap_value_file *f, const char *text,
		     struct tap_error *err)
{
	struct stat st;
	int ret;

	ret = split_and_open(f, text, err);
	if (ret)
		return ret;
	if (fstat(f->fd, &st))
		return tap_error_set(err, -errno, "file:%s: %s", text,
				     strerror(errno));
	if (S_ISDIR(st.st_mode))
		return tap_error_set(err, -EISDIR,
				     "file:%s: is a directory; name a file in it",
				     text);
	if (!S_ISREG(st.st_mode))
		return tap_error_set(err, -EINVAL,
				     "file:%s: is not a regular file and cannot be read repeatedly",
				     text);
	if (f->field && !*f->field)
		return tap_error_set(err, -EINVAL,
				     "file:%s: the field is missing after the colon",
				     text);
	return 0;
}

int tap_value_file_open(struct tap_value_file **out, const char *text,
			struct tap_error *err)
{
	struct tap_value_file *f = malloc(sizeof(*f));
	int ret;

	if (!f)
		return tap_error_set(err, -ENOMEM, "out of memory");
	*f = (struct tap_value_file) { .fd = -1 };
	ret = open_file(f, text, err);
	if (ret)
		tap_value_file_close(f);
	else
		*out = f;
	return ret;
}

void tap_value_file_close(struct tap_value_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->data);
	free(f);
}

/* Reads the whole file and appends a 0. */
static int read_all(struct tap_value_file *f)
{
	struct pollfd ready = { .fd = f->fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;
	char *data;

	if (poll(&ready, 1, 0) >= 0 && !(ready.revents & POLLIN))
		return -EAGAIN;
	for (;;) {
		if (len + 1 >= f->room) {
			size_t room = f->room ? f->room * 2 : FIRST_ROOM;

			if (room > MAX_ROOM)
				return -EFBIG;
			data = realloc(f->data, room);
			if (!data)
				return -ENOMEM;
			f->data = data;
			f->room = room;
		}
		n = pread(f->fd, f->data + len, f->room - len - 1, (off_t)len);
		if (n < 0)
			return errno == ESPIPE ? -EAGAIN : -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	f->data[len] = '\0';
	return 0;
}

/* The text after a field at the start of a line; NULL if the line starts otherwise. */
static const char *behind(const char *line, const char *field)
{
	size_t len = strlen(field);

	line += strspn(line, " \t");
	if (strncmp(line, field, len) ||
	    (line[len] && !strchr(BEHIND_FIELD "\n", line[len])))
		return NULL;
	return line + len + strspn(line + len, BEHIND_FIELD);
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : NULL;
}

static const char *find_field(const struct tap_value_file *f)
{
	const char *line, *found = NULL;

	for (line = f->data; line && !found; line = next_line(line))
		found = behind(line, f->field);
	return found;
}

/*
 * Copies a line with one blank between its words. The result is padded with 0, and has
 * none at the end if it is cut.
 */
static void copy_words(char *to, size_t room, const char *from)
{
	const char *end = to + room;
	bool first = true;

	memset(to, 0, room);
	while (*from && *from != '\n' && to < end) {
		size_t gap = strspn(from, " \t\r");

		from += gap;
		if (!*from || *from == '\n')
			break;
		if (gap && !first)
			*to++ = ' ';
		while (*from && !isspace((unsigned char)*from) && to < end)
			*to++ = *from++;
		first = false;
	}
}

/* The kind of a text, and its number. */
static enum tap_value_kind number_of(const char *line, __s64 *number)
{
	bool minus = *line == '-';
	const char *digits = line + minus;
	bool hex = digits[0] == '0' && (digits[1] | 0x20) == 'x';
	size_t unit;
	__s64 v;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return TAP_VALUE_TEXT;
	errno = 0;
	/* Numbers in these files that start with 0 are decimal. */
	v = strtoll(line, &end, hex ? 16 : 10);
	if (errno || (*end && !isspace((unsigned char)*end)))
		return TAP_VALUE_TEXT;
	*number = v;
	end += strspn(end, " \t\r");
	unit = strcspn(end, " \t\r\n");
	if (!unit)
		return TAP_VALUE_NUMBER;
	if (isdigit((unsigned char)*end) || strchr("+-.", *end))
		return TAP_VALUE_FIRST;
	end += unit;
	end += strspn(end, " \t\r");
	return !*end || *end == '\n' ? TAP_VALUE_NUMBER : TAP_VALUE_FIRST;
}

/**
 * tap_value_file_read() - read the value
 * @f: of tap_value_file_open()
 * @mark: filled in
 * @kind: set to the kind of the value
 *
 * Return: 0; -ENODATA if no line starts with the field; -EAGAIN if a read would block;
 * -EFBIG; or -errno of the read.
 */
int tap_value_file_read(struct tap_value_file *f, struct tap_value_mark *mark,
			enum tap_value_kind *kind)
{
	const char *at;
	int ret = read_all(f);

	if (ret)
		return ret;
	at = f->field ? find_field(f) : f->data;
	if (!at)
		return -ENODATA;
	at += strspn(at, " \t");
	mark->number = 0;
	copy_words(mark->text, sizeof(mark->text), at);
	*kind = number_of(at, &mark->number);
	return 0;
}

/**
 * tap_value_file_why() - explain an error of tap_value_file_read()
 * @code: the error
 *
 * Return: the message, without its subject.
 */
const char *tap_value_file_why(int code)
{
	switch (code) {
	case -ENODATA:
		return "no line begins with the field";
	case -EAGAIN:
		return "a read would block: this is a stream, not a value";
	case -EFBIG:
		return "is larger than 1 MiB, the limit for a value";
	case -ESRCH:
		return "the process has ended";
	case -ENODEV:
		return "the device is gone";
	}
	return strerror(-code);
}

/* Suggests fields of a file, near @want or any. */
static void suggest_fields(const struct tap_value_file *f, const char *want,
			   char *near, size_t size)
{
	const char *line;
	struct tap_suggest s;

	if (want)
		tap_suggest_begin(&s, want, strlen(want));
	else
		tap_suggest_any(&s);
	for (line = f->data; line; line = next_line(line)) {
		const char *at = line + strspn(line, " \t");
		size_t len = strcspn(at, ":=\n");

		/* "MemFree: 1", but also "ctxt 1". */
		if (at[len] == '\n' || !at[len])
			len = strcspn(at, " \t\n");
		if (len)
			tap_suggest_offer(&s, at, len);
	}
	tap_suggest_text(&s, "", "", near, size);
}

static bool has_lines(const char *data)
{
	const char *next = next_line(data);

	return next && *next;
}

/**
 * tap_value_file_check() - check that a file has exactly one value
 * @f: of tap_value_file_open()
 * @kind: set to the kind of the value
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_value_file_check(struct tap_value_file *f, enum tap_value_kind *kind,
			 struct tap_error *err)
{
	struct tap_value_mark mark;
	char near[300];
	int ret = tap_value_file_read(f, &mark, kind);

	if (ret == -ENODATA) {
		suggest_fields(f, f->field, near, sizeof(near));
		return tap_error_set(err, ret,
				     "file:%s:%s: no line of the file begins with %s%s",
				     f->path, f->field, f->field, near);
	}
	if (ret)
		return tap_error_set(err, ret, "file:%s: %s", f->path,
				     tap_value_file_why(ret));
	if (f->field || !has_lines(f->data))
		return 0;
	suggest_fields(f, NULL, near, sizeof(near));
	return tap_error_set(err, -EMSGSIZE,
			     "file:%s: has many lines; select one by its start: file:%s:FIELD%s",
			     f->path, f->path, near);
}
