// SPDX-License-Identifier: GPL-2.0
/*
 * tap monitor: prints all sessions of the machine, and notices about them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "metrics/http.h"
#include "metrics/metrics.h"
#include "monitor/monitor.h"
#include "monitor/monitor_metrics.h"
#include "run/output.h"

#define SYNOPSIS "monitor [--once] [--interval SEC] [--duration SEC] [--json | --openmetrics FILE|ADDRESS:PORT]"

/* Between two files of --openmetrics; Prometheus scrapes as often by default. */
#define METRICS_NS	(15 * 1000000000ULL)

/**
 * struct monitor - a run of tap monitor
 * @opts: the command line
 * @run: signals and time
 * @out: standard output
 * @ask: socket of the dumps
 * @listen: socket of the notices; NULL with --once or --openmetrics
 * @server: answers the readers of --openmetrics ADDRESS:PORT; NULL if there is none
 * @table: the table read last
 * @next: time of the next table, CLOCK_MONOTONIC ns; 0 for never
 */
struct monitor {
	const struct options *opts;
	struct run run;
	struct output out;
	struct tap_netlink *ask;
	struct tap_netlink *listen;
	struct http *server;
	struct monitor_table table;
	__u64 next;
};

static int write_text(struct monitor *m, FILE *to, char **text, size_t *len,
		      struct tap_error *err)
{
	int ret = fclose(to) ? -ENOMEM : 0;

	if (!ret)
		ret = output_write(&m->out, *text, *len);
	free(*text);
	return ret ? tap_error_set(err, ret, "cannot write: %s", strerror(-ret)) : 0;
}

static int read_table(struct monitor *m, struct tap_error *err)
{
	struct monitor_table table;
	int ret = monitor_read(&table, &m->table, m->ask, err);

	monitor_free(&m->table);
	m->table = table;
	return ret;
}

static int show_table(struct monitor *m, struct tap_error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to;
	int ret = read_table(m, err);

	if (ret)
		return ret;
	to = open_memstream(&text, &len);
	if (!to)
		return tap_error_set(err, -ENOMEM, "out of memory");
	monitor_print(to, &m->table, m->opts->json);
	return write_text(m, to, &text, &len, err);
}

/* Where hear() prints notices. */
struct heard {
	FILE *to;
	bool json;
};

static int hear(void *arg, const struct tap_netlink_message *msg)
{
	const struct heard *h = arg;

	if (msg->command == TAP_NETLINK_NOTICE)
		monitor_notice(h->to, msg, h->json);
	return 0;
}

static int show_notices(struct monitor *m, struct tap_error *err)
{
	struct heard h = { .json = m->opts->json };
	struct tap_error unwritten;
	char *text = NULL;
	size_t len = 0;
	int ret, written;

	h.to = open_memstream(&text, &len);
	if (!h.to)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ret = tap_netlink_read(m->listen, hear, &h, err);
	if (ret == -ENOBUFS) {
		monitor_lost(h.to, h.json);
		ret = 0;
	}
	written = write_text(m, h.to, &text, &len, &unwritten);
	if (!ret && written)
		*err = unwritten;
	return ret ? ret : written;
}

static int monitor_open(struct monitor *m, struct tap_error *err)
{
	const char *metrics = m->opts->metrics;
	/* First: http_close() follows in any case. */
	int ret = m->server ? http_open(m->server, metrics, err) : 0;

	if (!ret)
		ret = tap_netlink_open(&m->ask, err);
	if (!ret && !m->opts->once && !metrics) {
		ret = tap_netlink_open(&m->listen, err);
		if (!ret)
			ret = tap_netlink_join(m->listen, err);
	}
	if (!ret)
		ret = run_listen(&m->run, m->opts,
				 m->listen ? tap_netlink_fd(m->listen) :
				 m->server ? m->server->poll : -1, err);
	if (!ret)
		output_open(&m->out, &m->run);
	return ret;
}

/* Rates need an interval, so the table is printed at its end. */
static int monitor_once(struct monitor *m, struct tap_error *err)
{
	__u64 until = run_now() + m->opts->interval_ns;
	int ret = 0;

	if (m->opts->interval_ns)
		ret = read_table(m, err);
	while (!ret && !m->run.stopping && run_now() < until)
		ret = run_wait(&m->run, until);
	return ret ? ret : show_table(m, err);
}

/* What a reader of the port gets, read for it. */
struct page {
	struct monitor *m;
	struct tap_error *err;
};

static int make_page(void *arg, char **text, size_t *len)
{
	struct page *page = arg;
	int ret = read_table(page->m, page->err);

	if (ret)
		return ret;
	ret = monitor_metrics(&page->m->table, text, len);
	return ret ? tap_error_set(page->err, ret, "out of memory") : 0;
}

static int write_file(struct page *page)
{
	char *text = NULL;
	size_t len;
	int ret = make_page(page, &text, &len);

	if (!ret)
		ret = metrics_write(page->m->opts->metrics, text, len, page->err);
	free(text);
	return ret;
}

/* Nothing is printed: a file at the start and after each interval, or an answer to each reader. */
static int monitor_export(struct monitor *m, struct tap_error *err)
{
	__u64 interval = m->opts->interval_ns ? m->opts->interval_ns : METRICS_NS, next = 0;
	struct page page = { m, err };
	int ret = 0;

	while (!ret && !m->run.stopping) {
		if (m->server) {
			ret = http_serve(m->server, make_page, &page);
		} else if (run_now() >= next) {
			ret = write_file(&page);
			next = run_now() + interval;
		}
		if (m->opts->once && !m->server)
			break;
		if (ret)
			return ret;
		ret = run_wait(&m->run, m->server ? 0 : next);
		if (ret)
			tap_error_set(err, ret, "cannot wait: %s", strerror(-ret));
	}
	return ret;
}

static int monitor_loop(struct monitor *m, struct tap_error *err)
{
	__u64 interval = m->opts->interval_ns;
	int ret = show_table(m, err);

	m->next = interval ? run_now() + interval : 0;
	while (!ret && !m->run.stopping) {
		ret = run_wait(&m->run, m->next);
		if (ret)
			return tap_error_set(err, ret, "cannot wait: %s",
					     strerror(-ret));
		ret = show_notices(m, err);
		if (ret || !m->next || run_now() < m->next || m->run.stopping)
			continue;
		ret = show_table(m, err);
		/* Intervals that passed while tap slept are skipped. */
		while (m->next <= run_now())
			m->next += interval;
	}
	return ret;
}

int cmd_monitor(int argc, char **argv)
{
	struct monitor m = { 0 };
	struct options opts;
	struct http http;
	struct tap_error err;
	int ret, status;

	status = options_parse(&opts, argc, argv,
			       OPT_ONCE | OPT_INTERVAL | OPT_DURATION | OPT_JSON | OPT_EXPORTER,
			       SYNOPSIS);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	m.opts = &opts;
	if (opts.metrics && http_is_address(opts.metrics))
		m.server = &http;
	ret = monitor_open(&m, &err);
	if (!ret)
		ret = opts.metrics ? monitor_export(&m, &err) :
		      opts.once ? monitor_once(&m, &err) :
				  monitor_loop(&m, &err);
	status = ret && ret != -EPIPE ? tool_fail(&err) : 0;
	if (!output_close(&m.out))
		status = TOOL_FAILED;
	if (m.out.run)
		run_close(&m.run);
	monitor_free(&m.table);
	if (m.server)
		http_close(m.server);
	tap_netlink_close(m.listen);
	tap_netlink_close(m.ask);
	options_free(&opts);
	return status;
}
