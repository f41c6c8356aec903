// SPDX-License-Identifier: GPL-2.0
/*
 * Part of decoder_test: decoding and printing notices.
 */
#include <errno.h>

#include "selftests/lib/check.h"
#include "selftests/lib/decoder_notices.h"
#include "selftests/lib/decoder_test.h"
#include "selftests/lib/fake_ring.h"
#include "spec/probe_table.h"

static const struct {
	__u64 value[TAP_FIRST_VALUES];
	const char *text;
	const char *json;
} notices[] = {
	{ { TAP_NOTICE_THROTTLED, 2000000000, 0, 1000 },
	  "-- kprobe:f has more than 1000 hits a second on a CPU: throttled since 2.000000 --\n",
	  "\"throttled\",\"since\":2.000000000,\"count\":0,\"size\":1000}\n" },
	{ { TAP_NOTICE_RESUMED, 1500000000, 77, 1000 },
	  "-- kprobe:f resumed at 2.000000: 77 hits were dropped since 1.500000 --\n",
	  "\"resumed\",\"since\":1.500000000,\"count\":77,\"size\":1000}\n" },
	{ { TAP_NOTICE_MAXACTIVE_RAISED, 1500000000, 12, 40 },
	  "-- kprobe:f has room for 40 calls at once since 2.000000: 12 were missed since 1.500000 --\n",
	  "\"maxactive_raised\",\"since\":1.500000000,\"count\":12,\"size\":40}\n" },
	{ { TAP_NOTICE_ARMED, 2000000000, 0, 0 },
	  "-- kprobe:f was armed at 2.000000: its module was loaded --\n",
	  "\"armed\",\"since\":2.000000000,\"count\":0,\"size\":0}\n" },
	{ { TAP_NOTICE_GONE, 2000000000, 0, 0 },
	  "-- kprobe:f was removed at 2.000000: its module is being unloaded --\n",
	  "\"gone\",\"since\":2.000000000,\"count\":0,\"size\":0}\n" },
	{ { TAP_NOTICE_MISSED, 2000000000, 1, 0 },
	  "-- kprobe:f missed an event at 2.000000: its data were overwritten while they were copied --\n",
	  "\"missed\",\"since\":2.000000000,\"count\":1,\"size\":0}\n" },
	{ { TAP_NOTICE_UNWATCHED, 2000000000, 2, 0 },
	  "-- kprobe:f missed accesses by 2 threads at 2.000000: a thread was being created, no debug register was free, or there were too many processes --\n",
	  "\"unwatched\",\"since\":2.000000000,\"count\":2,\"size\":0}\n" },
	{ { TAP_NOTICE_DROPPED, 1500000000, 33, 0 },
	  "-- kprobe:f and others: 33 notices were dropped since 1.500000 --\n",
	  "\"dropped\",\"since\":1.500000000,\"count\":33,\"size\":0}\n" },
};

void test_notices(void)
{
	static const char begin[] =
		"{\"type\":\"notice\",\"time\":2.000000000,\"time_ns\":2000000000,\"cpu\":1,\"event\":\"kprobe:f\",\"what\":";
	const __u64 jump[] = { TAP_NOTICE_CLOCK, 7000, 70, 6999 };
	struct tap_probes probes = { 0 };
	struct tap_record r = {
		.time = 2000000000, .probe = 7, .slots = 1, .kind = TAP_KIND_NOTICE,
	};
	struct tap_event ev = { .rec = &r, .slots = 1 };
	char want[512];
	size_t i;

	/* A probe with more slots: a notice is shorter than a record of its probe. */
	fake_probe(&probes, 7, TAP_PROBE_KPROBE, "kprobe:f", 20, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(notices); i++) {
		memcpy(r.value, notices[i].value, sizeof(r.value));
		ok(same(formatted(&probes, &r, 1, false, false), notices[i].text),
		   "text: a notice");
		snprintf(want, sizeof(want), "%s%s", begin, notices[i].json);
		ok(same(formatted(&probes, &r, 1, true, false), want),
		   "JSON: a notice");
	}
	r.probe = 0;
	memcpy(r.value, jump, sizeof(jump));
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- the clock of the events jumped (a suspend, or a move of the virtual machine): the times go on at 2.000000 --\n"),
	   "text: a jump of the clock");
	ok(same(formatted(&probes, &r, 1, true, false),
		"{\"type\":\"notice\",\"time\":2.000000000,\"time_ns\":2000000000,\"cpu\":1,\"what\":\"clock\",\"before\":7000,\"after\":70,\"ticks\":6999}\n"),
	   "JSON: a jump of the clock");
	ok(!tap_decode(&probes, &ev) && !ev.probe, "a jump of the clock is about no probe");
	r.probe = 7;
	ok(tap_decode(&probes, &ev) == -EBADMSG, "one about a probe is refused");
	r.value[0] = 1ULL << 40;
	ok(same(formatted(&probes, &r, 1, false, false), ""),
	   "a notice of an unknown kind is not printed");
	ok(!tap_decode(&probes, &ev) && !ev.probe, "a notice is not decoded as an event of its probe");
	/* A notice of the session. */
	r.probe = 0;
	ev.probe = (const void *)1;
	ok(!tap_decode(&probes, &ev) && !ev.probe, "a notice of the session is decoded");
	memcpy(r.value, (__u64[]){ TAP_NOTICE_CPU, 2000000000, 3, 65536 }, sizeof(r.value));
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- CPU 3 came online at 2.000000 and has a ring of 65536 bytes --\n"),
	   "text: a CPU that came online");
	ok(same(formatted(&probes, &r, 1, true, false),
		"{\"type\":\"notice\",\"time\":2.000000000,\"time_ns\":2000000000,\"cpu\":1,\"what\":\"cpu\",\"since\":2.000000000,\"count\":3,\"size\":65536}\n"),
	   "JSON: a CPU that came online");
	r.value[TAP_NOTICE_SIZE] = 0;
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- CPU 3 came online at 2.000000 without memory for its ring or for the table of a probe: events on it are lost --\n"),
	   "text: a CPU without memory");
	memcpy(r.value, (__u64[]){ TAP_NOTICE_OVER_BUDGET, 2000000000, 0, 20 }, sizeof(r.value));
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- over the budget at 2.000000: events are dropped --\n"),
	   "text: events are dropped");
	r.value[TAP_NOTICE_COUNT] = 1;
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- over the budget at 2.000000: all probes are disarmed, and what happens now is not seen --\n"),
	   "text: probes are disarmed");
	ok(same(formatted(&probes, &r, 1, true, false),
		"{\"type\":\"notice\",\"time\":2.000000000,\"time_ns\":2000000000,\"cpu\":1,\"what\":\"over_budget\",\"since\":2.000000000,\"count\":1,\"size\":20}\n"),
	   "JSON: probes are disarmed");
	memcpy(r.value, (__u64[]){ TAP_NOTICE_IN_BUDGET, 1500000000, 9, 20 }, sizeof(r.value));
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- in the budget at 2.000000: events are recorded again; 9 were dropped since 1.500000 --\n"),
	   "text: events are recorded again");
	r.value[TAP_NOTICE_WHAT] = TAP_NOTICE_UNSEEN;
	ok(same(formatted(&probes, &r, 1, false, false),
		"-- the probes were disarmed from 1.500000 to 2.000000: about 9 hits were not seen, if they came as before --\n"),
	   "text: hits that were not seen");
	ok(same(formatted(&probes, &r, 1, true, false),
		"{\"type\":\"notice\",\"time\":2.000000000,\"time_ns\":2000000000,\"cpu\":1,\"what\":\"unseen\",\"since\":1.500000000,\"count\":9,\"size\":20}\n"),
	   "JSON: hits that were not seen");
	r.value[TAP_NOTICE_WHAT] = TAP_NOTICE_GONE;
	ok(same(formatted(&probes, &r, 1, false, false), ""),
	   "a notice that lacks its probe is not printed");
	r.probe = 8;
	ok(tap_decode(&probes, &ev) == -ENOENT, "a notice without a probe is refused");
	tap_probes_clear(&probes);
}
