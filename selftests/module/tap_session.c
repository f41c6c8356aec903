// SPDX-License-Identifier: GPL-2.0
/* Ioctls, sessions and the reader of the programs that call the module. */
#include "selftests/module/tap_session.h"

#include <sys/utsname.h>

int _test_ioctl_info(int fd, struct tap_info *info)
{
	*info = (struct tap_info){ .size = sizeof(*info) };
	return ioctl(fd, TAP_IOC_INFO, info);
}

int _test_ioctl_setup(int fd, __u64 ring_bytes, __u64 watermark, __u32 wake_ms,
		      struct tap_setup *out)
{
	struct tap_setup setup = {
		.size = sizeof(setup),
		.ring_bytes = ring_bytes,
		.watermark = watermark,
		.wake_ms = wake_ms,
	};
	int ret = ioctl(fd, TAP_IOC_SETUP, &setup);

	if (out)
		*out = setup;
	return ret;
}

struct tap_create test_create_arg(__u32 type, const char *target, const struct tap_op *ops,
				  __u32 nr_ops)
{
	return (struct tap_create){
		.size = sizeof(struct tap_create),
		.type = type,
		.target = (uintptr_t)target,
		.target_len = strlen(target),
		.ops = (uintptr_t)ops,
		.nr_ops = nr_ops,
	};
}

int _test_ioctl_create_flags(int fd, __u32 *id, __u32 type, __u32 flags, __u32 maxactive,
			     const char *target, const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(type, target, ops, nr_ops);
	int ret;

	create.flags = flags;
	create.maxactive = maxactive;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

int _test_ioctl_create(int fd, __u32 *id, __u32 type, const char *target,
		       const struct tap_op *ops, __u32 nr_ops)
{
	return _test_ioctl_create_flags(fd, id, type, 0, 0, target, ops, nr_ops);
}

/* Whether a module's tracepoint can be a raw one; tap_target is loaded. */
bool test_has_raw_tracepoints(void)
{
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	bool has = _test_ioctl_setup(fd, TAP_MIN_RING_BYTES, 0, 0, NULL) ||
		   !_test_ioctl_create(fd, NULL, TAP_PROBE_RAWTP, "tap_target_event", NULL, 0) ||
		   errno != EOPNOTSUPP;

	close(fd);
	return has;
}

int _test_ioctl_ref(int fd, unsigned long cmd, __u32 id)
{
	struct tap_probe_ref ref = { .size = sizeof(ref), .id = id };

	return ioctl(fd, cmd, &ref);
}

int _test_ioctl_probe_info(int fd, __u32 id, struct tap_op *ops, __u32 nr_ops,
			   struct tap_probe_info *info)
{
	*info = (struct tap_probe_info){
		.size = sizeof(*info),
		.id = id,
		.ops = (uintptr_t)ops,
		.nr_ops = nr_ops,
	};
	return ioctl(fd, TAP_IOC_PROBE_INFO, info);
}

int _test_ioctl_stats(int fd, __u32 id, struct tap_counters *counters, __u32 nr_cpus,
		      struct tap_stats *stats)
{
	*stats = (struct tap_stats){
		.size = sizeof(*stats),
		.id = id,
		.counters = (uintptr_t)counters,
		.nr_cpus = nr_cpus,
	};
	return ioctl(fd, TAP_IOC_STATS, stats);
}

int _test_ioctl_flush(int fd, __u64 *pending)
{
	struct tap_flush flush = { .size = sizeof(flush) };
	int ret = ioctl(fd, TAP_IOC_FLUSH, &flush);

	*pending = flush.out_pending;
	return ret;
}

int _test_ioctl_time(int fd, struct tap_time *time)
{
	*time = (struct tap_time){ .size = sizeof(*time) };
	return ioctl(fd, TAP_IOC_TIME, time);
}

int _test_ioctl_follow(int fd, __u32 pid)
{
	struct tap_follow follow = { .size = sizeof(follow), .pid = pid };

	return ioctl(fd, TAP_IOC_FOLLOW, &follow);
}

int _test_ioctl_tasks(int fd, __u32 flags, __u32 tasks, __u32 *sources)
{
	struct tap_tasks arg = { .size = sizeof(arg), .flags = flags, .tasks = tasks };
	int ret = ioctl(fd, TAP_IOC_TASKS, &arg);

	if (!ret && sources)
		*sources = arg.out_sources;
	return ret;
}

void *test_map(int fd, size_t length, int prot, __u64 offset)
{
	return mmap(NULL, length, prot, MAP_SHARED, fd, offset);
}

void test_session_unmap(struct test_session *s)
{
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		struct test_ring *ring = &s->ring[cpu];

		if (!ring->tail)
			continue;
		munmap(ring->tail, s->page);
		munmap((void *)ring->head, ring->mapped);
		ring->tail = NULL;
	}
	if (s->meta)
		munmap((void *)s->meta, s->page);
	s->meta = NULL;
	s->nr_rings = 0;
}

void test_session_close(struct test_session *s)
{
	test_session_unmap(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static __u64 test_slot_seq(__u64 pos, unsigned int k)
{
	return pos + TAP_SLOT_SIZE + (k ? 1 + (k - 1) % 63 : 0);
}

/* The next record of a ring, in place; NULL if there is none. */
static const struct tap_record *test_ring_head(const struct test_ring *ring)
{
	const struct tap_record *rec =
		(const void *)(ring->slots + (ring->pos & ring->mask));

	return __atomic_load_n(&rec->seq, __ATOMIC_ACQUIRE) ==
	       test_slot_seq(ring->pos, 0) ? rec : NULL;
}

bool test_ring_next(struct test_ring *ring, struct test_record *out)
{
	const struct tap_record *rec = test_ring_head(ring);
	unsigned int k, word = 0;

	if (!rec)
		return false;
	/* Clearing all words would be too slow for a reader to keep up. */
	memset(out, 0, offsetof(struct test_record, word[TEST_SOME_WORDS]));
	out->time = rec->time;
	out->flags = rec->flags;
	out->tid = rec->tid;
	out->tgid = rec->tgid;
	out->probe = rec->probe;
	out->slots = rec->slots;
	out->kind = rec->kind;
	while (word < TAP_FIRST_VALUES) {
		out->word[word] = rec->value[word];
		word++;
	}
	for (k = 1; k < rec->slots; k++) {
		__u64 pos = ring->pos + k * TAP_SLOT_SIZE;
		const struct tap_slot *slot =
			(const void *)(ring->slots + (pos & ring->mask));
		unsigned int i;

		out->broken |= slot->seq != test_slot_seq(pos, k);
		for (i = 0; i < TAP_SLOT_VALUES && word < TEST_MAX_WORDS; i++)
			out->word[word++] = slot->value[i];
	}
	/* A record of 0 slots would not advance the position. */
	out->broken |= !out->slots;
	ring->pos += (__u64)(out->slots ?: 1) * TAP_SLOT_SIZE;
	__atomic_store_n(&ring->tail->tail, ring->pos, __ATOMIC_RELEASE);
	return true;
}

bool test_session_next(struct test_session *s, struct test_record *rec)
{
	unsigned int cpu, oldest = 0;
	__u64 time = 0;
	bool found = false;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		const struct tap_record *head =
			s->ring[cpu].tail ? test_ring_head(&s->ring[cpu]) : NULL;

		if (!head || (found && head->time >= time))
			continue;
		found = true;
		oldest = cpu;
		time = head->time;
	}
	if (!found || !test_ring_next(&s->ring[oldest], rec))
		return false;
	rec->cpu = oldest;
	return true;
}

__u64 test_session_drain(struct test_session *s, __u64 *gaps)
{
	struct test_record rec;
	__u64 events = 0, end;
	unsigned int cpu;

	for (cpu = 0; cpu < s->nr_rings; cpu++) {
		struct test_ring *ring = &s->ring[cpu];

		end = ring->pos + ring->mask + 1;
		while (ring->tail && ring->pos < end && test_ring_next(ring, &rec)) {
			if (rec.kind == TAP_KIND_EVENT)
				events++;
			else if (rec.kind == TAP_KIND_GAP && gaps)
				*gaps += rec.word[TAP_GAP_LOST];
		}
	}
	return events;
}

__u64 test_ticks_to_ns(const struct test_session *s, __u64 ticks)
{
	const __u64 mult = s->meta->clock_mult;
	const __u32 shift = s->meta->clock_shift;

	return ((ticks >> 32) * mult << (32 - shift)) + ((ticks & ~0U) * mult >> shift);
}

int _test_target(int fd, unsigned long cmd, __u32 function, __u64 count, __u32 cpu,
		 __u64 *result)
{
	struct tap_target_run run = {
		.function = function,
		.cpu = cpu,
		.count = count,
	};
	int ret = ioctl(fd, cmd, &run);

	if (!ret && result)
		*result = run.out_result;
	return ret;
}

bool test_wait_blocked(int target, __u64 nr)
{
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		__u64 blocked;

		if (_test_target(target, TAP_TARGET_BLOCKED, 0, 0, 0, &blocked))
			return false;
		if (blocked == nr)
			return true;
		usleep(5000);
	}
	return false;
}

int test_module_load(const char *name, const char *parameters)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s.ko", TEST_MODULE_DIR, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, parameters, 0);
	close(fd);
	return ret;
}

int test_module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

long test_module_refs(const char *name)
{
	char path[256];
	long refs = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &refs) != 1)
		refs = -1;
	fclose(file);
	return refs;
}

bool test_module_is_going(const char *name)
{
	char path[256], state[16] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = 0;
	fclose(file);
	return !strcmp(state, "going\n");
}

int test_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done;

	if (fd < 0)
		return -1;
	done = write(fd, text, strlen(text));
	close(fd);
	return done == (ssize_t)strlen(text) ? 0 : -1;
}

bool test_kernel_before(unsigned int major, unsigned int minor)
{
	unsigned int is_major = 0, is_minor = 0;
	struct utsname uts;

	return !uname(&uts) && sscanf(uts.release, "%u.%u", &is_major, &is_minor) == 2 &&
	       (is_major < major || (is_major == major && is_minor < minor));
}

int test_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

int test_keep_caps(__u64 mask)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = mask, .permitted = mask },
		{ .effective = mask >> 32, .permitted = mask >> 32 },
	};

	return syscall(SYS_capset, &header, data);
}

__u64 test_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

int test_arm_everything(int fd)
{
	static const struct tap_op arg = OP_ARG(0);
	static const struct tap_op retval = OP_RETVAL;
	static const struct tap_op pid = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 4, 24, 0);

	return _test_ioctl_create(fd, NULL, TAP_PROBE_KPROBE, "tap_target_add",
				  &arg, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_KRETPROBE, "tap_target_add",
				  &retval, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_CALL, "tap_target_add",
				  &arg, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_RAWTP, "sched_switch",
				  &arg, 1) ||
	       _test_ioctl_create(fd, NULL, TAP_PROBE_TRACEPOINT,
				  "sched:sched_switch", &pid, 1) ||
	       _test_ioctl_enable(fd, 0);
}

const struct test_kind test_kprobe = {
	.event = "kprobe",
	.type = TAP_PROBE_KPROBE,
	.function = TAP_TARGET_ADD,
	.target = "tap_target_add",
	.fetch = OP_ARG(0),
};

const struct test_kind test_kretprobe = {
	.event = "kretprobe",
	.type = TAP_PROBE_KRETPROBE,
	.function = TAP_TARGET_ADD,
	.target = "tap_target_add",
	.fetch = OP_RETVAL,
	.first = TAP_TARGET_ADDEND,
};

const struct test_kind test_call = {
	.event = "call",
	.type = TAP_PROBE_CALL,
	.function = TAP_TARGET_ADD,
	.target = "tap_target_add",
	.fetch = OP_ARG(0),
	.word = TAP_CALL_FETCHES,
};

const struct test_kind test_rawtp = {
	.event = "rawtracepoint",
	.type = TAP_PROBE_RAWTP,
	.function = TAP_TARGET_EVENT,
	.target = "tap_target_event",
	.fetch = OP_ARG(0),
};

/* The first field of a trace event is behind the common fields. */
const struct test_kind test_tracepoint = {
	.event = "tracepoint",
	.type = TAP_PROBE_TRACEPOINT,
	.function = TAP_TARGET_EVENT,
	.target = "tap_target:tap_target_event",
	.fetch = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 8, 0),
};
