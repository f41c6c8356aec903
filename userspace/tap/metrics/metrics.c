// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics/metrics.h"

int metrics_open(struct metrics *m, const struct metric_family *list, size_t nr)
{
	size_t i;

	*m = (struct metrics) {
		.list = list, .nr = nr, .texts = calloc(nr, sizeof(*m->texts)),
		.lens = calloc(nr, sizeof(*m->lens)), .to = calloc(nr, sizeof(*m->to)),
	};
	if (!m->texts || !m->lens || !m->to)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		m->to[i] = open_memstream(&m->texts[i], &m->lens[i]);
		if (!m->to[i])
			return -ENOMEM;
	}
	return 0;
}

void metrics_number(char *buf, double value)
{
	snprintf(buf, METRICS_NUMBER_MAX, "%.15g", value);
	if (strtod(buf, NULL) != value)
		snprintf(buf, METRICS_NUMBER_MAX, "%.17g", value);
}

void metrics_sample(struct metrics *m, size_t family, const char *suffix, const char *labels,
		    double value)
{
	char number[METRICS_NUMBER_MAX];

	metrics_number(number, value);
	fprintf(m->to[family], *labels ? "%s%s{%s} %s\n" : "%s%s%s %s\n", m->list[family].name, suffix,
		labels, number);
}

void metrics_label(FILE *to, const char *name, const char *value)
{
	if (ftell(to))
		fputc(',', to);
	for (; *name; name++)
		fputc(isascii(*name) && isalnum(*name) ? *name : '_', to);
	fputs("=\"", to);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', to);
		if (*value == '\n')
			fputs("\\n", to);
		else
			fputc(*value, to);
	}
	fputc('"', to);
}

int metrics_text(struct metrics *m, char **text, size_t *len)
{
	FILE *to = open_memstream(text, len);
	size_t i;
	int ret = 0;

	if (!to)
		return -ENOMEM;
	for (i = 0; i < m->nr; i++) {
		if (fclose(m->to[i]))
			ret = -ENOMEM;
		m->to[i] = NULL;
		if (ret || !m->lens[i])
			continue;
		fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", m->list[i].name, m->list[i].help,
			m->list[i].name, m->list[i].type);
		fwrite(m->texts[i], 1, m->lens[i], to);
	}
	fputs("# EOF\n", to);
	if (fclose(to))
		ret = -ENOMEM;
	if (ret) {
		free(*text);
		*text = NULL;
	}
	return ret;
}

void metrics_close(struct metrics *m)
{
	size_t i;

	for (i = 0; i < m->nr && m->to; i++)
		if (m->to[i])
			fclose(m->to[i]);
	for (i = 0; i < m->nr && m->texts; i++)
		free(m->texts[i]);
	free(m->to);
	free(m->texts);
	free(m->lens);
	memset(m, 0, sizeof(*m));
}

/* A device, a pipe or a terminal stays what it is. */
static int write_special(const char *path, const char *text, size_t len)
{
	/* Opening a FIFO without a reader fails: waiting for one could not be ended by a signal. */
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), ret = 0;
	FILE *f = fd < 0 || fcntl(fd, F_SETFL, 0) ? NULL : fdopen(fd, "w");

	if (!f || fwrite(text, 1, len, f) != len || fflush(f))
		ret = -errno;
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return ret;
}

static int replace(const char *path, const char *text, size_t len)
{
	/* A link stays one. */
	char *real = realpath(path, NULL);
	mode_t mask = umask(0);
	int ret;

	umask(mask);
	if (!real && errno != ENOENT)
		return -errno;
	/* The collector is another user. */
	ret = tool_replace(real ? real : path, 0644 & ~mask, text, len);
	free(real);
	return ret;
}

int metrics_write(const char *path, const char *text, size_t len, struct tap_error *err)
{
	struct stat st;
	int ret = !stat(path, &st) && !S_ISREG(st.st_mode) ? write_special(path, text, len) :
							     replace(path, text, len);

	return ret ? tap_error_set(err, ret, "cannot write %s: %s", path, strerror(-ret)) : 0;
}
