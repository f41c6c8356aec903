// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the file: once for the verdicts, and once for the events that show them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expect/expect.h"

int expect_parse(struct expect *x, struct tap_error *err)
{
	size_t i;
	int ret;

	x->list = calloc(x->nr + 1, sizeof(*x->list));
	if (!x->list)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < x->nr; i++) {
		ret = assertion_parse(&x->list[i].a, x->texts[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_events(struct expect *x, struct tap_file_reader *file, struct losses *losses,
		       struct tap_error *err)
{
	struct tap_event ev;
	__u64 number = 0;
	int bad, ret = 0;
	size_t i;

	while (!ret && tap_file_next(file, &ev)) {
		bad = tap_decode(tap_file_probes(file), &ev);
		if (bad == -EOPNOTSUPP)	/* of a later version */
			continue;
		losses_event(losses, &ev, bad);
		if (bad || !ev.probe)
			continue;
		number++;
		for (i = 0; i < x->nr && !ret; i++)
			ret = judge_event(&x->list[i].judge, &ev, number, err);
	}
	return ret;
}

/* Of a run that was ended: what did not fail until then could still have become true or false. */
static void end_judge(struct expect *x, struct expect_result *r, const struct losses *losses,
		      __u64 end)
{
	judge_end(&r->judge, losses, end, &r->judgement);
	if (!x->stopped || r->early)
		return;
	r->judgement.verdict = VERDICT_STOPPED;
	snprintf(r->judgement.why, sizeof(r->judgement.why),
		 "not judged: the run was ended when another assertion failed (--fast)");
}

static int judge_file(struct expect *x, struct tap_file_reader *file, struct tap_error *err)
{
	struct losses losses;
	int ret = losses_open(&losses, file);
	size_t i;

	if (ret)
		return tap_error_set(err, ret, "out of memory");
	for (i = 0; i < x->nr && !ret; i++)
		ret = judge_open(&x->list[i].judge, &x->list[i].a, tap_file_probes(file),
				 tap_file_timebase(file), err);
	if (!ret)
		ret = read_events(x, file, &losses, err);
	if (!ret) {
		losses_end(&losses, file);
		for (i = 0; i < x->nr; i++)
			end_judge(x, &x->list[i], &losses, tap_file_end(file));
	}
	losses_close(&losses);
	return ret;
}

/* Of what holds there is nothing to be shown. */
static bool has_shown(const struct expect_result *r)
{
	return r->judge.nr_shown && (r->judgement.verdict == VERDICT_FAILS ||
				     r->judgement.verdict == VERDICT_UNKNOWN);
}

static bool shows(const struct expect_result *r, __u64 number)
{
	unsigned int i;

	for (i = 0; has_shown(r) && i < r->judge.nr_shown; i++)
		if (r->judge.shown[i] == number)
			return true;
	return false;
}

static __u64 last_shown(const struct expect *x)
{
	__u64 last = 0;
	size_t i;

	for (i = 0; i < x->nr; i++) {
		const struct judge *j = &x->list[i].judge;

		if (has_shown(&x->list[i]) && j->shown[j->nr_shown - 1] > last)
			last = j->shown[j->nr_shown - 1];
	}
	return last;
}

static int write_event(void *arg, const char *data, size_t len)
{
	struct expect_result **to = arg;

	return fwrite(data, 1, len, (*to)->to) == len ? 0 : -ENOMEM;
}

static int show_events(struct expect *x, struct tap_file_reader *file, __u64 last)
{
	struct expect_result *result;
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .write = write_event, .write_arg = &result,
	};
	struct tap_formatter *formatter = NULL;
	struct tap_event ev;
	__u64 number = 0;
	int ret = tap_file_names(file, &opts);

	if (!ret)
		ret = tap_formatter_open(&formatter, &opts);
	while (!ret && number < last && tap_file_next(file, &ev)) {
		if (tap_decode(tap_file_probes(file), &ev) || !ev.probe)
			continue;
		number++;
		for (result = x->list; !ret && result < x->list + x->nr; result++) {
			if (!shows(result, number))
				continue;
			ret = tap_formatter_event(formatter, &ev);
			if (!ret)
				ret = tap_formatter_flush(formatter);
		}
	}
	tap_formatter_close(formatter);
	return ret;
}

static int show_all(struct expect *x, __u64 last, struct tap_error *err)
{
	struct tap_file_reader *file = NULL;
	int ret = tap_file_open(&file, x->path, err);
	size_t i;

	if (ret)
		return ret;
	for (i = 0; i < x->nr && !ret; i++) {
		x->list[i].to = open_memstream(&x->list[i].events, &x->list[i].len);
		if (!x->list[i].to)
			ret = -ENOMEM;
	}
	if (!ret)
		ret = show_events(x, file, last);
	for (i = 0; i < x->nr; i++)
		if (x->list[i].to && fclose(x->list[i].to))
			ret = -ENOMEM;
	tap_file_close(file);
	return ret ? tap_error_set(err, ret, "%s: %s", x->name, strerror(-ret)) : 0;
}

int expect_judge(struct expect *x, struct tap_error *err)
{
	struct tap_file_reader *file = NULL;
	int ret = tap_file_open(&file, x->path, err);
	__u64 last;
	size_t i;

	if (!ret)
		ret = judge_file(x, file, err);
	last = ret ? 0 : last_shown(x);
	if (last)
		ret = show_all(x, last, err);
	/* The queries of the assertions use the probes of the file. */
	for (i = 0; i < x->nr; i++)
		judge_close(&x->list[i].judge);
	tap_file_close(file);
	return ret;
}

int expect_status(const struct expect *x)
{
	int status = 0;
	size_t i;

	for (i = 0; i < x->nr; i++) {
		if (x->list[i].judgement.verdict == VERDICT_FAILS)
			return EXPECT_FAILS;
		if (x->list[i].judgement.verdict == VERDICT_UNKNOWN)
			status = EXPECT_UNKNOWN;
	}
	return status;
}

void expect_free(struct expect *x)
{
	size_t i;

	for (i = 0; x->list && i < x->nr; i++) {
		assertion_free(&x->list[i].a);
		free(x->list[i].events);
	}
	free(x->list);
	x->list = NULL;
}
