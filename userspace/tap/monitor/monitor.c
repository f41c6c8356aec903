// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the sessions and probes for tap monitor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/buffer.h"
#include "monitor/monitor.h"

static __u64 clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (__u64)ts.tv_sec * 1000000000ULL + (__u64)ts.tv_nsec;
}

static __u32 number(const struct tap_netlink_message *msg,
		    enum tap_netlink_attr attr)
{
	return (__u32)tap_netlink_number(msg, attr);
}

bool monitor_has_bare_name(enum tap_probe_type type, const char *target)
{
	return type == TAP_PROBE_MARK && !strcmp(target, tap_spec_type_name(type));
}

/* Names of tasks and files may contain any byte. */
static void take_name(struct monitor_row *row,
		      const struct tap_netlink_message *msg)
{
	const char *text = tap_netlink_text(msg, row->probe ? TAP_ATTR_TARGET :
							      TAP_ATTR_COMM);
	const char *type = tap_spec_type_name(row->type);
	char clean[2 * TAP_MAX_TARGET + 1];

	*tap_put_text(clean, text, TAP_MAX_TARGET, false) = '\0';
	if (!row->probe)
		snprintf(row->name, sizeof(row->name), "%.*s", TAP_MAX_TARGET,
			 clean);
	else if (monitor_has_bare_name((enum tap_probe_type)row->type, clean))
		snprintf(row->name, sizeof(row->name), "%s", type);
	else
		snprintf(row->name, sizeof(row->name), "%s:%.*s", type,
			 TAP_MAX_TARGET, *clean ? clean : "an address");
}

void monitor_row_take(struct monitor_row *row,
		      const struct tap_netlink_message *msg)
{
	__u64 *counter = (__u64 *)&row->total;
	int attr;

	memset(row, 0, sizeof(*row));
	row->session = tap_netlink_number(msg, TAP_ATTR_SESSION);
	row->probe = number(msg, TAP_ATTR_PROBE);
	row->type = number(msg, TAP_ATTR_TYPE);
	row->state = number(msg, TAP_ATTR_STATE);
	row->maxactive = number(msg, TAP_ATTR_MAXACTIVE);
	row->pid = number(msg, TAP_ATTR_PID);
	row->uid = number(msg, TAP_ATTR_UID);
	row->probes = number(msg, TAP_ATTR_PROBES);
	row->busy = msg->attrs[TAP_ATTR_BUSY];
	row->age = tap_netlink_number(msg, TAP_ATTR_UPTIME);
	row->ring_bytes = tap_netlink_number(msg, TAP_ATTR_RING_BYTES);
	/* The attributes are in the order of struct tap_counters. */
	for (attr = TAP_ATTR_HITS; attr <= TAP_ATTR_THROTTLED; attr++)
		*counter++ = tap_netlink_number(msg, attr);
	row->missed = tap_netlink_number(msg, TAP_ATTR_MISSED) +
		      tap_netlink_number(msg, TAP_ATTR_MISSED_RETURN);
	take_name(row, msg);
}

static int add_row(void *arg, const struct tap_netlink_message *msg)
{
	struct monitor_table *table = arg;

	if (table->nr == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		struct monitor_row *rows = realloc(table->rows,
						   room * sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		table->rows = rows;
		table->room = room;
	}
	monitor_row_take(&table->rows[table->nr++], msg);
	return 0;
}

/* If the session became busy since it was dumped, marks it and has no probe rows. */
static int add_probe(void *arg, const struct tap_netlink_message *msg)
{
	struct monitor_table *table = arg;
	size_t i;

	if (!msg->attrs[TAP_ATTR_BUSY])
		return add_row(table, msg);
	for (i = 0; i < table->nr && !table->rows[i].probe; i++)
		if (table->rows[i].session ==
		    tap_netlink_number(msg, TAP_ATTR_SESSION))
			table->rows[i].busy = true;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct monitor_row *x = a, *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

/* Drops probes of sessions that were opened after the dump of sessions. */
static void drop_orphans(struct monitor_table *table)
{
	__u64 session = 0;
	size_t i, kept = 0;

	for (i = 0; i < table->nr; i++) {
		struct monitor_row *row = &table->rows[i];

		if (!row->probe)
			session = row->session;
		if (row->session == session)
			table->rows[kept++] = *row;
	}
	table->nr = kept;
}

static void make_rates(struct monitor_table *table,
		       const struct monitor_table *last)
{
	double seconds = (double)(table->mono - last->mono) / 1e9;
	size_t i;

	for (i = 0; i < table->nr && last->nr; i++) {
		struct monitor_row *row = &table->rows[i];
		const struct monitor_row *was;

		was = bsearch(row, last->rows, last->nr, sizeof(*row), compare);
		/* The counters of a session fall when one of its probes is deleted. */
		if (!was || was->busy || row->busy || seconds <= 0 ||
		    row->total.hits < was->total.hits)
			continue;
		row->rated = true;
		row->rate = (double)(row->total.hits - was->total.hits) / seconds;
	}
}

int monitor_read(struct monitor_table *table, const struct monitor_table *last,
		 struct tap_netlink *nl, struct tap_error *err)
{
	int ret;

	memset(table, 0, sizeof(*table));
	ret = tap_netlink_dump(nl, TAP_NETLINK_SESSIONS, add_row, table, err);
	table->mono = clock_now(CLOCK_MONOTONIC);
	table->real = clock_now(CLOCK_REALTIME);
	if (!ret)
		ret = tap_netlink_dump(nl, TAP_NETLINK_PROBES, add_probe, table,
				       err);
	if (ret)
		return ret;
	if (table->nr)
		qsort(table->rows, table->nr, sizeof(*table->rows), compare);
	drop_orphans(table);
	make_rates(table, last);
	return 0;
}

void monitor_free(struct monitor_table *table)
{
	free(table->rows);
	memset(table, 0, sizeof(*table));
}
