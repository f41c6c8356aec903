// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts at every step of a writer, nested up to three deep.
 */
#include <stdio.h>
#include <string.h>

#include "selftests/ring/ring_nested.h"
#include "selftests/ring/ring_world.h"

/* ------------------------------------------- 3: interrupts, everywhere */

/* Operations between two steps of a writer. */
enum op {
	OP_WRITE_1,	/* an interrupt that writes that many slots */
	OP_WRITE_2,
	OP_WRITE_5,
	OP_READ_1,	/* the reader, on its CPU, reads one record */
	OP_READ_ALL,
	OP_FLUSH,
	NR_OPS
};

static const char * const op_name[NR_OPS] = {
	"write 1", "write 2", "write 5", "read 1", "read all", "flush",
};

#define MAX_PLAN	4
#define MAX_DEPTH	3	/* softirq, hard interrupt, NMI */
#define NEST_IDS	128

static struct plan {
	unsigned int nr;
	unsigned int next;
	unsigned int tick;	/* interruptible points passed so far */
	unsigned int depth;
	struct { unsigned int tick; enum op op; } step[MAX_PLAN];
} plan;

static void op_run(enum op op)
{
	static const unsigned int slots[] = { 1, 2, 5 };
	__u64 stale = shim_stale;

	switch (op) {
	case OP_READ_1:
		reader_drain(1);
		break;
	case OP_READ_ALL:
		reader_drain(~0ULL);
		break;
	case OP_FLUSH:
		ring_flush();
		break;
	default:
		ring_write(slots[op]);
	}
	shim_stale = stale;
}

static void plan_point(void)
{
	unsigned int tick = plan.tick++;

	while (plan.next < plan.nr && plan.step[plan.next].tick <= tick &&
	       plan.depth < MAX_DEPTH) {
		plan.depth++;
		op_run(plan.step[plan.next++].op);
		plan.depth--;
	}
}

/* The initial state of a ring. */
struct scene {
	unsigned int slots;	/* of the ring */
	unsigned int watermark;	/* in slots */
	unsigned int begin;	/* slots written and read before */
	unsigned int unread;
	bool pending;		/* one record was lost */
	enum op task;		/* what the task does */
};

static struct {
	struct ring ring;
	struct reader reader;
	struct tap_ring_head head;
	struct tap_ring_tail tail;
	__u64 clock;
	__u8 written[NEST_IDS], read[NEST_IDS];
	char slots[64 * SLOT];
} saved;

static void scene_save(void)
{
	saved.ring = ring;
	saved.reader = reader;
	saved.head = *ring.w.head;
	saved.tail = *ring.tail;
	saved.clock = shim_clock;
	memcpy(saved.written, ring.written_ids, NEST_IDS);
	memcpy(saved.read, reader.read_ids, NEST_IDS);
	memcpy(saved.slots, ring_slots(), ring.bytes);
}

static void scene_restore(void)
{
	ring = saved.ring;
	reader = saved.reader;
	*ring.w.head = saved.head;
	*ring.tail = saved.tail;
	shim_clock = saved.clock;
	memcpy(ring.written_ids, saved.written, NEST_IDS);
	memcpy(reader.read_ids, saved.read, NEST_IDS);
	memcpy((void *)ring_slots(), saved.slots, ring.bytes);
}

static void scene_set(const struct scene *scene)
{
	unsigned int i;

	ring_init(scene->slots * SLOT, scene->watermark * SLOT);
	ring_track_ids();
	for (i = 0; i < scene->begin; i++) {
		ring_write(1);
		reader_drain(~0ULL);
	}
	for (i = 0; i < scene->unread; i++)
		ring_write(1);
	if (scene->pending)
		ring_write(scene->slots);
	scene_save();
}

/* Slots that all writers of the plan need, gap records included. */
static unsigned int scene_demand(const struct scene *scene)
{
	static const unsigned int demand[NR_OPS] = { 1, 2, 5, 0, 0, 0 };
	unsigned int i, sum = demand[scene->task] + scene->pending;

	for (i = 0; i < plan.nr; i++)
		sum += demand[plan.step[i].op];
	return sum;
}

static ull nest_runs;

/* Runs the task's operation with the interrupts of the plan, and all checks. */
static void scene_run(const struct scene *scene)
{
	__u64 head = saved.head.head, wm = scene->watermark * SLOT;
	__u64 lost = saved.ring.lost_full + saved.ring.lost_nested;
	bool crossed;

	nest_runs++;
	scene_restore();
	shim_wakes = 0;
	plan.next = 0;
	plan.tick = 0;
	plan.depth = 0;
	snprintf(where, sizeof(where),
		 "ring %u wm %u begin %u unread %u%s; %s, [%s@%u] [%s@%u] of %u: ",
		 scene->slots, scene->watermark, scene->begin, scene->unread,
		 scene->pending ? " pending" : "", op_name[scene->task],
		 plan.nr > 0 ? op_name[plan.step[0].op] : "", plan.step[0].tick,
		 plan.nr > 1 ? op_name[plan.step[1].op] : "", plan.step[1].tick,
		 plan.nr);

	shim_hook = plan_point;
	op_run(scene->task);
	shim_hook = NULL;

	crossed = ring.w.head->head / wm > head / wm;
	PROMISE(!crossed || shim_wakes, P_WAKE, "head %llu to %llu", (ull)head,
		(ull)ring.w.head->head);
	/* A gap record needs room, and may be written more than once. */
	if (scene->unread + scene_demand(scene) + plan.nr * scene->pending <=
	    scene->slots)
		PROMISE(ring.lost_full + ring.lost_nested == lost,
			P_NO_FALSE_LOSS, "%llu lost",
			(ull)(ring.lost_full + ring.lost_nested - lost));
	world_check();
	world_check_end();
	world_check();
}

#define NEST_OPS_PAIR	4
static const enum op pair_ops[NEST_OPS_PAIR] = {
	OP_WRITE_1, OP_WRITE_5, OP_READ_ALL, OP_FLUSH,
};

/* Runs every placement of one interrupt, and of two if @pairs. */
static void scene_exhaust(const struct scene *scene, bool pairs)
{
	unsigned int a, b;

	plan.nr = 0;
	scene_run(scene);
	for (a = 0; a < NR_OPS; a++) {
		plan.nr = 1;
		plan.step[0].op = a;
		for (plan.step[0].tick = 0; ; plan.step[0].tick++) {
			scene_run(scene);
			if (!plan.next)
				break;
		}
	}
	if (!pairs)
		return;
	for (a = 0; a < NEST_OPS_PAIR; a++) {
		for (b = 0; b < NEST_OPS_PAIR; b++) {
			plan.nr = 2;
			plan.step[0].op = pair_ops[a];
			plan.step[1].op = pair_ops[b];
			for (plan.step[0].tick = 0; ; plan.step[0].tick++) {
				for (plan.step[1].tick = plan.step[0].tick; ;
				     plan.step[1].tick++) {
					scene_run(scene);
					if (plan.next < 2)
						break;
				}
				if (!plan.next)
					break;
			}
		}
	}
}

/* Runs three or four interrupts at random steps. */
static void scene_random(const struct scene *scene, __u64 *random,
			 unsigned int runs)
{
	unsigned int tick, i;

	while (runs--) {
		plan.nr = 3 + next_random(random) % 2;
		for (tick = 0, i = 0; i < plan.nr; i++) {
			tick += next_random(random) % 24;
			plan.step[i].tick = tick;
			plan.step[i].op = next_random(random) % NR_OPS;
		}
		scene_run(scene);
	}
}

void case_nested(bool thorough)
{
	static const enum op tasks[] = { OP_WRITE_1, OP_WRITE_2, OP_FLUSH };
	static const unsigned int marks[] = { 2, 4, 8 };
	__u64 random = seed ^ 3;
	struct scene scene = { .slots = 8 };
	unsigned int scenes = 0, m, t;

	test_case = 3;
	nest_runs = 0;
	for (m = 0; m < 3; m++) {
		scene.watermark = marks[m];
		/* Starts at a lap, before and after a watermark, at the wrap. */
		for (scene.begin = 8; scene.begin < 16; scene.begin += 1 + m) {
			for (scene.unread = 0; scene.unread <= 8; scene.unread++) {
				for (t = 0; t < 3; t++) {
					int pending;

					scene.task = tasks[t];
					for (pending = 0;
					     pending <= !!scene.unread; pending++) {
						scene.pending = pending;
						scene_set(&scene);
						scene_exhaust(&scene, thorough ||
							      scenes % 16 == 3);
						scene_random(&scene, &random,
							     thorough ? 4000 : 400);
						if (!ring_canary())
							break_promise(P_ONCE,
								      "canary");
						ring_unmap();
						scenes++;
					}
				}
			}
		}
	}
	printf("# %u scenes, %llu runs\n", scenes, nest_runs);
	ok(nest_runs > 100000, "interrupted writers: interruptions at every point");
	report_promises("interrupted writers", ALL_PROMISES);
}
