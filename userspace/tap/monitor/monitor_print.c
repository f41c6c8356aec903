// SPDX-License-Identifier: GPL-2.0
/*
 * Printing the tables and notices of tap monitor.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "monitor/monitor.h"
#include "stat/agg_tables.h"
#include "stat/probe_state.h"
#include "stat/summary.h"

/* Width of the column of sessions and events. */
#define MIN_WIDTH	28
#define MAX_WIDTH	60

static void put_clock(FILE *to, __u64 ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[16];

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	fprintf(to, "%s.%03u", text, (unsigned int)(ns / 1000000 % 1000));
}

/* In the unit that leaves two or three digits. */
static void describe_age(char *text, size_t size, __u64 ns)
{
	__u64 s = ns / 1000000000;

	if (s < 120)
		snprintf(text, size, "%" PRIu64 " s", (uint64_t)s);
	else if (s < 7200)
		snprintf(text, size, "%" PRIu64 " min", (uint64_t)s / 60);
	else if (s < 172800)
		snprintf(text, size, "%" PRIu64 " h", (uint64_t)s / 3600);
	else
		snprintf(text, size, "%" PRIu64 " d", (uint64_t)s / 86400);
}

static void describe(char *text, size_t size, const struct monitor_row *row)
{
	bool small = row->ring_bytes < 1 << 20;
	char age[32];

	if (row->probe) {
		snprintf(text, size, "%s", row->name);
		return;
	}
	describe_age(age, sizeof(age), row->age);
	snprintf(text, size, "%s, pid %u, uid %u, %s, rings of %" PRIu64 "%c",
		 row->name, row->pid, row->uid, age,
		 (uint64_t)row->ring_bytes >> (small ? 10 : 20),
		 small ? 'K' : 'M');
}

/* In a large session only probes with hits are printed, and those that ended. */
static bool is_shown(const struct monitor_row *row,
		     const struct monitor_row *session)
{
	return !row->probe || session->probes <= STAT_SHOW_ALL ||
	       (row->rated ? row->rate > 0 : row->total.hits > 0) ||
	       probe_state_reason(row->state);
}

static __u64 lost(const struct monitor_row *row)
{
	/* Throttled hits have a column of their own. */
	return summary_lost(&row->total) - row->total.throttled;
}

static void print_row(FILE *to, const struct monitor_row *row, int width)
{
	char id[48], what[TAP_MAX_TARGET + 128], rate[32] = "-";

	snprintf(id, sizeof(id), row->probe ? "%" PRIu64 ".%u" : "%" PRIu64,
		 (uint64_t)row->session, row->probe);
	describe(what, sizeof(what), row);
	if (row->busy) {
		fprintf(to, "%-9s %-*s %-8s %12s %12s %8s %8s %9s\n", id, width,
			what, "busy", "-", "-", "-", "-", "-");
		return;
	}
	if (row->rated)
		snprintf(rate, sizeof(rate), "%.1f", row->rate);
	fprintf(to, "%-9s %-*s %-8s %12" PRIu64 " %12s %8" PRIu64 " %8" PRIu64
		" %9" PRIu64 "\n", id, width, what,
		row->probe ? probe_state_name(row->state) : "",
		(uint64_t)row->total.hits, rate, (uint64_t)lost(row),
		(uint64_t)row->missed, (uint64_t)row->total.throttled);
}

static int width_of(const struct monitor_table *table)
{
	char what[TAP_MAX_TARGET + 128];
	size_t i, width = MIN_WIDTH;

	for (i = 0; i < table->nr; i++) {
		describe(what, sizeof(what), &table->rows[i]);
		if (strlen(what) > width)
			width = strlen(what);
	}
	return width < MAX_WIDTH ? (int)width : MAX_WIDTH;
}

static void print_text(FILE *to, const struct monitor_table *table)
{
	const struct monitor_row *session = NULL;
	int width = width_of(table);
	size_t i, sessions = 0;
	__u64 hidden = 0;

	for (i = 0; i < table->nr; i++)
		sessions += !table->rows[i].probe;
	put_clock(to, table->real);
	fprintf(to, " %zu session%s\n", sessions, sessions == 1 ? "" : "s");
	if (!table->nr)
		return;
	fprintf(to, "%-9s %-*s %-8s %12s %12s %8s %8s %9s\n", "ID", width,
		"SESSION, EVENT", "STATE", "HITS", "PER SECOND", "LOST",
		"MISSED", "THROTTLED");
	for (i = 0; i < table->nr; i++) {
		const struct monitor_row *row = &table->rows[i];

		if (!row->probe)
			session = row;
		if (is_shown(row, session))
			print_row(to, row, width);
		else
			hidden++;
	}
	if (hidden)
		fprintf(to, "and %" PRIu64 " probes without hits\n",
			(uint64_t)hidden);
}

/* Counters have the names of the netlink attributes. */
static void print_counters(FILE *to, const struct monitor_row *row)
{
	const struct tap_counters *c = &row->total;

	fprintf(to, ",\"hits\":%" PRIu64 ",\"written\":%" PRIu64
		",\"filtered\":%" PRIu64 ",\"aggregated\":%" PRIu64,
		(uint64_t)c->hits, (uint64_t)c->written,
		(uint64_t)c->filtered, (uint64_t)c->aggregated);
	fprintf(to, ",\"lost_full\":%" PRIu64 ",\"lost_nested\":%" PRIu64
		",\"lost_fault\":%" PRIu64 ",\"throttled\":%" PRIu64
		",\"missed\":%" PRIu64, (uint64_t)c->lost_full,
		(uint64_t)c->lost_nested, (uint64_t)c->lost_fault,
		(uint64_t)c->throttled, (uint64_t)row->missed);
	if (row->rated)
		fprintf(to, ",\"rate\":%.1f", row->rate);
}

static void print_opener(FILE *to, const struct monitor_row *row,
			 const char *comm)
{
	fprintf(to, ",\"session\":%" PRIu64 ",\"pid\":%u,\"uid\":%u,\"comm\":",
		(uint64_t)row->session, row->pid, row->uid);
	tool_json(to, comm);
	fprintf(to, ",\"age\":%.3f", (double)row->age / 1e9);
}

static void print_json(FILE *to, const struct monitor_row *row, __u64 real)
{
	fprintf(to, "{\"type\":\"%s\",\"time\":%.3f",
		row->probe ? "probe" : "session", (double)real / 1e9);
	if (row->probe) {
		fprintf(to, ",\"session\":%" PRIu64 ",\"probe\":%u,\"event\":",
			(uint64_t)row->session, row->probe);
		tool_json(to, row->name);
		fprintf(to, ",\"state\":\"%s\",\"maxactive\":%u",
			probe_state_name(row->state), row->maxactive);
	} else {
		print_opener(to, row, row->name);
		fprintf(to, ",\"ring_bytes\":%" PRIu64 ",\"busy\":%s",
			(uint64_t)row->ring_bytes, row->busy ? "true" : "false");
		if (!row->busy)
			fprintf(to, ",\"probes\":%u", row->probes);
	}
	if (!row->busy)
		print_counters(to, row);
	fputs("}\n", to);
}

void monitor_print(FILE *to, const struct monitor_table *table, bool json)
{
	size_t i;

	if (!json)
		print_text(to, table);
	for (i = 0; json && i < table->nr; i++)
		print_json(to, &table->rows[i], table->real);
}

/**
 * struct notice - words of a notice
 * @word: in JSON
 * @text: follows the name; %c is the count, %s the size, %t the duration
 */
struct notice {
	const char *word;
	const char *text;
};

static const struct notice notices[] = {
	[TAP_NOTICE_ARMED] = { "armed", "is armed: its module was loaded" },
	[TAP_NOTICE_GONE] = { "gone", "is gone: its module is being unloaded" },
	[TAP_NOTICE_MAXACTIVE_RAISED] = { "maxactive_raised",
		"has room for %s concurrent calls now: %c were missed in %t" },
	[TAP_NOTICE_THROTTLED] = { "throttled",
		"is throttled: it has more than %s hits per second on a CPU" },
	[TAP_NOTICE_RESUMED] = { "resumed",
		"is no longer throttled: %c hits were dropped in %t" },
	[TAP_NOTICE_LOSS_BEGAN] = { "loss_began",
		"is losing hits, %c so far" },
	[TAP_NOTICE_LOSS_ENDED] = { "loss_ended",
		"no longer loses hits: %c were lost in %t" },
	[TAP_NOTICE_OPENED] = { "opened", "was opened" },
	[TAP_NOTICE_CLOSED] = { "closed", "was closed" },
	[TAP_NOTICE_CPU] = { "cpu",
		"found CPU %c online: its ring has %s bytes there (0: no memory)" },
	[TAP_NOTICE_OVER_BUDGET] = { "over_budget",
		"is over its budget: its events are dropped" },
	[TAP_NOTICE_IN_BUDGET] = { "in_budget",
		"is in its budget again: %c events were dropped in %t" },
	[TAP_NOTICE_UNSEEN] = { "unseen",
		"was disarmed for %t: about %c hits were not seen, if they came as before" },
};

/* A module of a later version may send other notices. */
static const struct notice *notice_of(__u64 what)
{
	static const struct notice unknown = {
		"unknown", "has a notice that this version of tap does not know",
	};

	return what < sizeof(notices) / sizeof(notices[0]) && notices[what].word ?
	       &notices[what] : &unknown;
}

static void put_notice_text(FILE *to, const char *text,
			 const struct tap_netlink_message *msg)
{
	for (; *text; text++) {
		if (*text != '%')
			putc(*text, to);
		else if (*++text == 't')
			fprintf(to, "%.3f s",
				(double)tap_netlink_number(msg, TAP_ATTR_DURATION) / 1e9);
		else
			fprintf(to, "%" PRIu64, (uint64_t)tap_netlink_number(msg,
				*text == 'c' ? TAP_ATTR_COUNT : TAP_ATTR_SIZE));
	}
}

void monitor_notice(FILE *to, const struct tap_netlink_message *msg, bool json)
{
	struct tap_netlink_message about = *msg;
	const struct notice *notice =
		notice_of(tap_netlink_number(msg, TAP_ATTR_NOTICE));
	__u64 real = tap_netlink_number(msg, TAP_ATTR_TIME);
	static const struct notice paused = {
		"over_budget", "is over its budget: its probes are disarmed",
	};
	struct monitor_row session, row;

	if (tap_netlink_number(msg, TAP_ATTR_NOTICE) == TAP_NOTICE_OVER_BUDGET &&
	    tap_netlink_number(msg, TAP_ATTR_COUNT))
		notice = &paused;
	monitor_row_take(&row, msg);
	/* The same message without its probe describes the session. */
	about.attrs[TAP_ATTR_PROBE] = NULL;
	monitor_row_take(&session, &about);
	if (!json) {
		put_clock(to, real);
		fprintf(to, " session %" PRIu64 " (%s, pid %u) ",
			(uint64_t)row.session, session.name, row.pid);
		if (row.probe)
			fprintf(to, "%s ", row.name);
		put_notice_text(to, notice->text, msg);
		putc('\n', to);
		return;
	}
	fprintf(to, "{\"type\":\"notice\",\"time\":%.3f,\"what\":\"%s\"",
		(double)real / 1e9, notice->word);
	print_opener(to, &session, session.name);
	if (row.probe) {
		fprintf(to, ",\"probe\":%u,\"event\":", row.probe);
		tool_json(to, row.name);
	}
	if (msg->attrs[TAP_ATTR_DURATION])
		fprintf(to, ",\"lasted\":%.3f",
			(double)tap_netlink_number(msg, TAP_ATTR_DURATION) / 1e9);
	fprintf(to, ",\"count\":%" PRIu64 ",\"size\":%" PRIu64 "}\n",
		(uint64_t)tap_netlink_number(msg, TAP_ATTR_COUNT),
		(uint64_t)tap_netlink_number(msg, TAP_ATTR_SIZE));
}

void monitor_lost(FILE *to, bool json)
{
	fputs(json ? "{\"type\":\"lost\"}\n" :
		     "notices were lost here: tap did not read them fast enough\n", to);
}
