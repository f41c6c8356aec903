// SPDX-License-Identifier: GPL-2.0
/*
 * Records of /dev/kmsg: "LEVEL+8*FACILITY,NUMBER,MICROSECONDS,FLAGS[,...];TEXT\n", then lines of
 * " NAME=VALUE". Bytes that are not printable, and the backslash, are \xNN.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/kmsg.h"

/* Messages that wait for their event; those of events that a condition rejected are dropped. */
#define WAITING	256

#define DEVICE	" DEVICE="

/**
 * struct kmsg - reader of /dev/kmsg
 * @fd: does not block
 * @json: as given
 * @next: of @waiting: where the next message goes
 * @waiting: a ring
 */
struct kmsg {
	int fd;
	bool json;
	unsigned int next;
	struct kmsg_message waiting[WAITING];
};

static const char *const levels[] = {
	"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug",
};

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, tolower(c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool kmsg_parse(struct kmsg_message *m, const char *record)
{
	const char *text = strchr(record, ';'), *device = strstr(record, "\n" DEVICE);
	char *end;
	unsigned long priority = strtoul(record, &end, 10);
	size_t len = 0;

	*m = (struct kmsg_message) { .level = priority & 7 };
	if (end == record || *end != ',' || !text)
		return false;
	for (text++; *text && *text != '\n' && len < sizeof(m->text); text++, len++) {
		if (text[0] == '\\' && text[1] == 'x' && digit(text[2]) >= 0 && digit(text[3]) >= 0) {
			m->text[len] = (char)(digit(text[2]) << 4 | digit(text[3]));
			text += 3;
		} else {
			m->text[len] = *text;
		}
	}
	m->len = len;
	if (device) {
		device += strlen("\n" DEVICE);
		snprintf(m->device, sizeof(m->device), "%.*s", (int)strcspn(device, "\n"), device);
	}
	return len;
}

bool kmsg_matches(const struct kmsg_message *m, const char *text, size_t len, bool cut)
{
	const char *end = len && *text == '[' ? memchr(text, ']', len) : NULL;
	bool same = m->len && len && (cut ? len <= m->len : len == m->len) &&
		    !memcmp(text, m->text, len);

	if (same || !end || text + len - end < 2 || end[1] != ' ')
		return same;
	len -= (size_t)(end + 2 - text);
	return kmsg_matches(m, end + 2, len, cut);
}

static bool is_printk(const struct tap_probe *probe)
{
	return !strcmp(tap_spec_text(tap_probe_spec(probe)), "printk");
}

struct kmsg *kmsg_open(const struct tap_probes *probes, bool json)
{
	const struct tap_probe *probe;
	struct kmsg *kmsg;
	size_t i;

	for (i = 0; (probe = tap_probes_get(probes, i)) && !is_printk(probe); i++)
		;
	if (!probe)
		return NULL;
	kmsg = calloc(1, sizeof(*kmsg));
	if (!kmsg)
		return NULL;
	kmsg->json = json;
	kmsg->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg->fd < 0 || lseek(kmsg->fd, 0, SEEK_END) < 0) {
		tool_error("/dev/kmsg cannot be read: %s: messages have no level and no device",
			   strerror(errno));
		kmsg_close(kmsg);
		return NULL;
	}
	return kmsg;
}

void kmsg_close(struct kmsg *kmsg)
{
	if (kmsg && kmsg->fd >= 0)
		close(kmsg->fd);
	free(kmsg);
}

/* Reads what there is. EPIPE: the kernel has overwritten messages; the next ones follow. */
static void read_messages(struct kmsg *kmsg)
{
	char record[8192];
	ssize_t len;

	for (;;) {
		len = read(kmsg->fd, record, sizeof(record) - 1);
		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (len <= 0)
			return;
		record[len] = '\0';
		if (kmsg_parse(&kmsg->waiting[kmsg->next], record))
			kmsg->next = (kmsg->next + 1) % WAITING;
	}
}

/* The text of an event; returns its length, 0 if it has none. */
static size_t text_of(const struct tap_event *ev, char *text, size_t size, bool *cut)
{
	const struct tap_field *f;
	size_t len, i;
	__u64 word;
	unsigned int k;

	for (k = 0; (f = tap_probe_field(ev->probe, k)); k++)
		if (f->format == TAP_FMT_STRING)
			break;
	if (!f)
		return 0;
	word = tap_event_word(ev, f->word);
	len = word & TAP_TEXT_LEN;
	if (word & TAP_TEXT_ABSENT || len > size)
		return 0;
	*cut = word & TAP_TEXT_TRUNCATED;
	for (i = 0; i < len; i += sizeof(word)) {
		word = tap_event_word(ev, f->word + 1 + i / sizeof(word));
		memcpy(text + i, &word, len - i < sizeof(word) ? len - i : sizeof(word));
	}
	return len;
}

size_t kmsg_put(void *arg, const struct tap_event *ev, char *buf, size_t size)
{
	struct kmsg *kmsg = arg;
	struct kmsg_message *m;
	char text[1024], *c;
	unsigned int i;
	bool cut = false;
	size_t len;
	int n;

	len = is_printk(ev->probe) ? text_of(ev, text, sizeof(text), &cut) : 0;
	if (!len)
		return 0;
	read_messages(kmsg);
	for (i = 0; i < WAITING; i++) {
		m = &kmsg->waiting[(kmsg->next + i) % WAITING];
		if (kmsg_matches(m, text, len, cut))
			break;
	}
	if (i == WAITING)
		return 0;
	m->len = 0;
	for (c = m->device; *c; c++)
		if (!isgraph((unsigned char)*c) || *c == '"' || *c == '\\')
			*c = '?';
	n = snprintf(buf, size, kmsg->json ? ",\"level\":\"%s\"" : " level=%s", levels[m->level]);
	if (n > 0 && (size_t)n < size && *m->device)
		n += snprintf(buf + n, size - n, kmsg->json ? ",\"device\":\"%s\"" : " device=%s",
			      m->device);
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
