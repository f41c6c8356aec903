// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of ioctl_fuzz.c. A call is made from one number and from the state of the descriptors;
 * its result is checked.
 */
#include "selftests/module/tap_session.h"

#include <poll.h>
#include <sys/uio.h>

#include "selftests/module/fuzz/ioctl_calls.h"
#include "selftests/module/fuzz/random.h"

const char *const call_names[NR_CALLS] = {
	"ioctl", "junk", "open", "close", "dup", "mmap", "remap", "touch", "poll",
	"other", "hit",
};

struct sums *sums;
static _Thread_local struct sums mine;

struct mapping {
	volatile char *at;
	size_t bytes;
	int prot;
	bool holes;
};

#define NR_MAPPINGS	8

static _Thread_local struct mapping mapping[NR_MAPPINGS];

void sums_add(void)
{
	__u64 *from = (__u64 *)&mine, *to = (__u64 *)sums;
	unsigned int i;

	for (i = 0; i < sizeof(mine) / sizeof(*from); i++)
		__atomic_add_fetch(&to[i], from[i], __ATOMIC_RELAXED);
	memset(&mine, 0, sizeof(mine));
}

struct call_place call_place;

void call_wrong(const char *name, const char *what)
{
	if (++mine.wrong > 10)
		return;
	printf("# WRONG %s: %s; batch %llu, sequence %u, call %u\n", name, what, call_place.batch,
	       call_place.sequence, call_place.call);
}

/* Whether uapi/linux/tap.h allows this error for the command. */
static bool in_contract(enum command cmd, int error)
{
	switch (error) {
	case EINVAL:
	case E2BIG:
	case EFAULT:
	case EPERM:
	case ENOMEM:
		return true;
	case EBADFD:
		return cmd != CMD_INFO && cmd != CMD_TIME && cmd != CMD_FOLLOW &&
		       cmd != CMD_STACKS && cmd != CMD_STACK;
	case ENOENT:
		return cmd != CMD_INFO && cmd != CMD_SETUP && cmd != CMD_TIME &&
		       cmd != CMD_FLUSH && cmd != CMD_PMU && cmd != CMD_FOLLOW &&
		       cmd != CMD_STACKS && cmd != CMD_TASKS && cmd != CMD_DESCRIBE;
	case ENODATA:
		return cmd == CMD_READ || cmd == CMD_COUNT || cmd == CMD_MARK ||
		       cmd == CMD_SPAN || cmd == CMD_STACK || cmd == CMD_CREATE ||
		       cmd == CMD_TASKS_READ;
	case EOPNOTSUPP:
		return cmd == CMD_CREATE || cmd == CMD_PMU || cmd == CMD_ENABLE ||
		       cmd == CMD_TASKS;
	case ENOSPC:
	case EADDRNOTAVAIL:
		return cmd == CMD_CREATE || cmd == CMD_ENABLE || cmd == CMD_PMU;
	case EBADF:
	case EILSEQ:
		return cmd == CMD_CREATE;
	case ESRCH:
		return cmd == CMD_CREATE || cmd == CMD_FOLLOW;
	case EBUSY:
		return cmd == CMD_ENABLE || cmd == CMD_DELETE || cmd == CMD_STACKS ||
		       cmd == CMD_TASKS;
	case EIO:
		return cmd == CMD_ENABLE;
	default:
		return false;
	}
}

/* The counters of a disabled probe must add up. */
static void check_counters(const struct tap_stats *stats)
{
	const struct tap_counters *c = (const void *)(uintptr_t)stats->counters;
	unsigned int cpu;

	for (cpu = 0; cpu < stats->nr_cpus; cpu++, c++)
		if (c->hits != c->written + c->filtered + c->aggregated + c->lost_full +
			       c->lost_nested + c->lost_fault + c->throttled)
			call_wrong("stats", "the counters do not add up");
}

/* Updates the expected state of the session after a command that succeeded. */
static void session_follow(struct session *s, enum command cmd)
{
	const struct tap_create *create = world->arg;
	const struct tap_probe_ref *ref = world->arg;
	const struct tap_setup *setup = world->arg;
	const struct tap_stats *stats = world->arg;
	unsigned int i;

	switch (cmd) {
	case CMD_SETUP:
		s->ready = true;
		s->ring_bytes = setup->ring_bytes;
		s->offset = setup->out_ring_offset;
		s->stride = setup->out_ring_stride;
		s->next = 1;
		break;
	case CMD_CREATE:
		s->next = create->out_id + 1;
		if (create->out_id < NR_IDS) {
			s->type[create->out_id] = create->type;
			s->aggregates[create->out_id] = create->aggregate;
			s->enabled[create->out_id] = false;
		}
		break;
	case CMD_ENABLE:
	case CMD_DISABLE:
		for (i = 1; i < NR_IDS; i++)
			if (!ref->id || ref->id == i)
				s->enabled[i] = cmd == CMD_ENABLE;
		break;
	case CMD_DELETE:
		if (ref->id < NR_IDS)
			s->type[ref->id] = 0;
		break;
	case CMD_STATS:
		if (world->alone && !s->copied && stats->id < NR_IDS &&
		    !s->enabled[stats->id] && !world->aimed)
			check_counters(stats);
		break;
	default:
		break;
	}
}

/* A command that fails changes no byte of its argument; others change their out_* members only. */
static void check_bytes(const struct layout *l, const unsigned char *before, bool failed)
{
	const unsigned char *now = world->arg;
	unsigned int i;

	for (i = 0; i < l->bytes; i++) {
		if (now[i] == before[i] || (!failed && layout_is_out(l, i)))
			continue;
		call_wrong(l->name, failed ? "it failed and has changed its argument" :
					"it has changed members that are not out_*");
		return;
	}
}

/* Reports fields that a command accepted with a value out of range. */
static void check_fields(const struct layout *l)
{
	__u32 size = *(__u32 *)world->arg;
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		if (l->field[i].offset < size && !field_is_right(&l->field[i], world->arg,
								 place.cpus))
			call_wrong(l->name, "it has accepted a field that is out of range");
}

static void ask(struct session *s, enum command cmd)
{
	const struct layout *l = &commands[cmd];
	unsigned char before[sizeof(struct tap_probe_info)];
	char what[80];
	int ret;

	memcpy(before, world->arg, l->bytes);
	mine.asked[cmd]++;
	mine.made[CALL_IOCTL]++;
	ret = ioctl(s->fd, l->cmd, world->arg);
	mine.accepted[cmd] += !ret;
	mine.done[CALL_IOCTL] += !ret;
	if (ret && !in_contract(cmd, errno) && (errno != EBADF || s->fd >= 0)) {
		snprintf(what, sizeof(what), "%s is not in the contract", strerror(errno));
		call_wrong(l->name, what);
	}
	if (world->alone && !world->aimed)
		check_bytes(l, before, ret);
	if (!ret && world->alone && !world->aimed)
		check_fields(l);
	if (!ret)
		session_follow(s, cmd);
}

/*
 * How often a command is repeated, each time with another wrong field. 0 for commands that are slow
 * even with a good argument.
 */
static unsigned int more_tries(enum command cmd)
{
	switch (cmd) {
	case CMD_ENABLE:
	case CMD_DISABLE:
	case CMD_DELETE:
	case CMD_PMU:
		return 0;
	case CMD_CREATE:
		return world->costly || below(4) ? 0 : below(50);
	default:
		return below(2) ? 0 : below(150);
	}
}

static void call_ioctl(struct session *s, enum command cmd, __u32 spoil)
{
	const struct layout *l = &commands[cmd];
	unsigned char good[sizeof(struct tap_probe_info)];
	unsigned int left;
	bool aimed;

	make_arg(cmd, s);
	aimed = world->aimed;
	memcpy(good, world->arg, l->bytes);
	/* One or two fields are wrong. */
	if (!below(6))
		layout_spoil(l, world->arg, wild_pointer);
	if (!below(30))
		layout_spoil(l, world->arg, wild_pointer);
	left = more_tries(cmd);
	if (spoil) {
		random_state = spoil;
		layout_spoil(l, world->arg, wild_pointer);
	}
	ask(s, cmd);
	while (left--) {
		memcpy(world->arg, good, l->bytes);
		world->aimed = aimed;
		layout_spoil(l, world->arg, wild_pointer);
		ask(s, cmd);
	}
}

static void junk(struct session *s, __u64 *words)
{
	__u64 address = (uintptr_t)words;
	unsigned int i, cmd = _IO(TAP_IOC_TYPE, below(NR_CMDS + 2));
	bool done;

	if (!below(4))
		cmd = next();
	else if (!below(4))
		cmd ^= 1U << below(32);
	for (i = 0; i < 4; i++)
		words[below(64)] = chance(50) ? next() : field_edge(below(100));
	/* Without this, hardly any call would get past the check of the size. */
	if (chance(70) && _IOC_NR(cmd) < NR_CMDS)
		*(__u32 *)words = commands[_IOC_NR(cmd)].bytes + (below(4) ? 0 : below(64));
	else if (chance(50))
		*(__u32 *)words = field_edge(PAGE);
	/* A valid size of rings would take all memory by chance. */
	words[1] |= 5;
	if (!below(4))
		address = wild_pointer();
	else if (!below(4) && cmd != TAP_IOC_SETUP)
		address += below(PAGE);
	mine.made[CALL_JUNK]++;
	done = !ioctl(s->fd, cmd, address);
	mine.done[CALL_JUNK] += done;
	/* Enables all probes, mostly: their counters then change while they are read. */
	if (done && cmd == TAP_IOC_ENABLE)
		for (i = 0; i < NR_IDS; i++)
			s->enabled[i] = true;
}

static void call_junk(struct session *s)
{
	__u64 *words = (void *)(uintptr_t)arena_address(ARENA_ARG, 0);
	unsigned int i, left = 1 + (below(2) ? 0 : below(100));

	for (i = 0; i < 64; i++)
		words[i] = next();
	while (left--)
		junk(s, words);
}

static void call_open(struct session *s)
{
	static const int flags[] = { O_RDWR, O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_NONBLOCK };

	if (s->fd >= 0)
		close(s->fd);
	*s = (struct session){
		.fd = open(TAP_DEVICE, O_CLOEXEC | (chance(90) ? O_RDWR : pick(flags))),
		.next = 1,
	};
	mine.done[CALL_OPEN] += s->fd >= 0;
}

static void call_close(struct session *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void call_dup(struct session *s)
{
	struct session *to = &world->session[below(NR_SESSIONS)];

	if (s->fd < 0 || to == s)
		return;
	if (to->fd >= 0)
		close(to->fd);
	s->copied = true;
	*to = *s;
	to->fd = dup(s->fd);
	mine.done[CALL_DUP] += to->fd >= 0;
}

static void call_mmap(struct session *s)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_WRITE, PROT_EXEC, PROT_READ | PROT_EXEC,
		PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	__u64 lengths[] = {
		PAGE, s->ring_bytes, s->ring_bytes + PAGE, s->ring_bytes + 2 * PAGE,
		s->ring_bytes + 3 * PAGE, 2 * s->stride, 1ULL << 31, 1ULL << 40, 0, 1,
	};
	__u64 offset = s->offset + below(place.cpus) * s->stride, length = PAGE;
	int prot = PROT_READ, flags = MAP_SHARED;
	struct mapping *m = &mapping[below(NR_MAPPINGS)];
	void *at;

	switch (below(4)) {
	case 0:
		offset = 0;
		break;
	case 1:
		prot |= PROT_WRITE;
		break;
	case 2:
		offset += PAGE;
		length = PAGE + s->ring_bytes;
		break;
	case 3:
		offset += PAGE * below(2 + s->ring_bytes / PAGE + 2);
		length = PAGE * (1 + below(4));
	}
	if (!below(4))
		offset = field_edge(s->stride) & (below(8) ? -PAGE : -1ULL);
	if (!below(6))
		offset += s->stride * (chance(50) ? below(20) : next() >> 40);
	if (!below(4))
		length = pick(lengths);
	if (!below(5))
		prot = chance(50) ? PROT_READ | PROT_WRITE : pick(prots);
	if (!below(10))
		flags = chance(50) ? MAP_PRIVATE : MAP_SHARED | MAP_POPULATE;
	at = mmap(NULL, length, prot, flags, s->fd, offset);
	if (at == MAP_FAILED)
		return;
	mine.done[CALL_MMAP]++;
	if (prot & PROT_EXEC)
		call_wrong("mmap", "it is executable");
	length = (length + PAGE - 1) & -PAGE;
	if (m->at)
		munmap((void *)m->at, m->bytes);
	*m = (struct mapping){ at, length, prot, false };
}

static struct mapping *some_mapping(void)
{
	struct mapping *m = &mapping[below(NR_MAPPINGS)];
	unsigned int i;

	for (i = 0; i < NR_MAPPINGS && !m->at; i++)
		m = &mapping[i];
	return m->at ? m : NULL;
}

/* After mremap() or munmap() of a part, the first pages of the mapping remain. */
static void call_remap(void)
{
	static const int advices[] = { MADV_DONTNEED, MADV_DOFORK, MADV_DOFORK, MADV_WILLNEED,
				       MADV_DONTFORK, MADV_REMOVE, MADV_DODUMP };
	struct mapping *m = some_mapping();
	size_t keep, old;
	int prot, advice;
	pid_t child;
	void *at;

	if (!m)
		return;
	keep = PAGE * below(m->bytes / PAGE + 1);
	switch (below(6)) {
	case 0:
		if (keep < m->bytes && !munmap((char *)m->at + keep, m->bytes - keep))
			mine.done[CALL_REMAP]++;
		m->bytes = keep;
		if (!keep)
			m->at = NULL;
		break;
	case 1:
	case 2:
		prot = below(8);
		if (mprotect((char *)m->at, m->bytes, prot))
			break;
		mine.done[CALL_REMAP]++;
		m->prot = m->holes ? PROT_NONE : prot;
		if (prot & PROT_EXEC)
			call_wrong("mprotect", "it is executable");
		break;
	case 3:
		/* An old length of 0 asks for a second mapping of the same pages. */
		old = chance(80) ? m->bytes : 0;
		at = mremap((char *)m->at, old, keep, MREMAP_MAYMOVE);
		if (at == MAP_FAILED)
			break;
		mine.done[CALL_REMAP]++;
		if (keep > old)
			call_wrong("mremap", "a mapping has grown, or is there twice");
		m->at = at;
		m->bytes = keep;
		break;
	case 4:
		advice = pick(advices);
		if (madvise((char *)m->at, m->bytes, advice))
			break;
		mine.done[CALL_REMAP]++;
		/* Removed pages do not come back. */
		if (advice == MADV_DONTNEED || advice == MADV_REMOVE) {
			m->holes = true;
			m->prot = PROT_NONE;
		}
		break;
	default:
		child = below(4) ? -1 : fork();
		if (!child)
			_exit(0);
		mine.done[CALL_REMAP] += child > 0 && waitpid(child, NULL, 0) == child;
	}
}

static void call_touch(void)
{
	struct mapping *m = some_mapping();
	volatile __u64 *tail;

	if (!m)
		return;
	if (m->prot & PROT_READ) {
		(void)m->at[0];
		(void)m->at[m->bytes - 1];
		mine.done[CALL_TOUCH]++;
	}
	if (m->prot & PROT_WRITE) {
		tail = (volatile __u64 *)m->at;
		switch (below(4)) {
		case 0:
			*tail = field_edge(1 << below(20));
			break;
		case 1:
			*tail += 64 * below(100);
			break;
		case 2:
			tail[below(PAGE / 8)] = next();
			break;
		case 3:
			*tail = 0;
		}
		mine.done[CALL_TOUCH]++;
	}
}

static void call_poll(struct session *s)
{
	struct pollfd fd = { .fd = s->fd, .events = chance(80) ? POLLIN : next() };
	int ret = poll(&fd, 1, below(40) ? 0 : 1);

	mine.done[CALL_POLL] += ret > 0;
	if (world->alone && ret > 0 && !s->ready && s->fd >= 0 && !s->copied &&
	    fd.revents & POLLIN)
		call_wrong("poll", "there is something to be read where there are no rings");
}

static void call_other(struct session *s)
{
	struct iovec iov = { (void *)(uintptr_t)wild_pointer(), below(2 * PAGE) };
	int ret = -1;

	switch (below(6)) {
	case 0:
		ret = read(s->fd, iov.iov_base, iov.iov_len);
		break;
	case 1:
		ret = write(s->fd, iov.iov_base, iov.iov_len);
		break;
	case 2:
		ret = readv(s->fd, &iov, 1);
		break;
	case 3:
		ret = lseek(s->fd, field_edge(PAGE), below(5));
		break;
	case 4:
		ret = fcntl(s->fd, F_SETFL, next() & (O_NONBLOCK | O_APPEND));
		break;
	case 5:
		ret = fallocate(s->fd, 0, 0, PAGE);
	}
	mine.done[CALL_OTHER] += ret >= 0;
}

static void call_hit(void)
{
	static const __u32 functions[] = {
		TAP_TARGET_ADD, TAP_TARGET_ADD, TAP_TARGET_SIX, TAP_TARGET_RECURSE,
		TAP_TARGET_EVENT, TAP_TARGET_PUSH, TAP_TARGET_WRITE, TAP_TARGET_HARDIRQ,
		TAP_TARGET_VALUES,
	};
	unsigned int i, nr = 1 + below(10);

	switch (below(3)) {
	case 0:
		for (i = 0; i < nr; i++)
			((void (*)(void))((char *)place.code + 16 * below(16)))();
		break;
	case 1:
		for (i = 0; i < nr; i++)
			syscall(SYS_getppid);
		break;
	default:
		_test_target(place.target, TAP_TARGET_CALL, pick(functions), nr, 0, NULL);
	}
	mine.done[CALL_HIT]++;
}

/* Picks a command that the state of the session is likely to allow. */
static enum command some_command(const struct session *s)
{
	static const enum command some[] = {
		CMD_CREATE, CMD_CREATE, CMD_CREATE, CMD_ENABLE, CMD_ENABLE, CMD_DISABLE,
		CMD_DELETE, CMD_PROBE_INFO, CMD_PROBE_INFO, CMD_STATS, CMD_STATS,
		CMD_STATS, CMD_FLUSH, CMD_READ, CMD_READ, CMD_COUNT, CMD_MARK, CMD_MARK,
		CMD_MARK, CMD_TIME, CMD_INFO, CMD_SETUP, CMD_PMU,
		CMD_FOLLOW, CMD_SPAN, CMD_SPAN, CMD_STACKS, CMD_STACK, CMD_TASKS,
		CMD_TASKS_READ, CMD_WINDOW, CMD_WINDOW, CMD_DESCRIBE, CMD_BUDGET, CMD_GATE,
	};

	if (!s->ready && chance(60))
		return CMD_SETUP;
	if (s->ready && s->next == 1 && chance(60))
		return CMD_CREATE;
	return pick(some);
}

static enum call_kind some_call(const struct session *s)
{
	static const enum call_kind some[] = {
		CALL_OPEN, CALL_CLOSE, CALL_DUP, CALL_MMAP, CALL_MMAP, CALL_MMAP,
		CALL_REMAP, CALL_TOUCH, CALL_TOUCH, CALL_POLL, CALL_OTHER, CALL_HIT,
		CALL_HIT, CALL_HIT,
	};

	if (s->fd < 0 && chance(85))
		return CALL_OPEN;
	if (chance(25))
		return CALL_JUNK;
	return s->ready && chance(30) ? pick(some) : !below(12) ? pick(some) : CALL_IOCTL;
}

void call_make(struct call c)
{
	struct session *s;
	enum call_kind kind;
	enum command cmd;

	random_state = c.seed * 0x2545f4914f6cdd1dULL;
	next();
	s = &world->session[chance(70) ? 0 : below(NR_SESSIONS)];
	world->nested = 0;
	world->aimed = false;
	kind = some_call(s);
	if (kind != CALL_IOCTL && kind != CALL_JUNK)
		mine.made[kind]++;
	switch (kind) {
	case CALL_IOCTL:
		cmd = some_command(s);
		/* At the start of the page, or directly before the inaccessible page. */
		world->arg = (void *)(uintptr_t)arena_address(ARENA_ARG,
			below(4) ? 0 : PAGE - commands[cmd].bytes);
		call_ioctl(s, cmd, c.spoil);
		break;
	case CALL_JUNK:
		call_junk(s);
		break;
	case CALL_OPEN:
		call_open(s);
		break;
	case CALL_CLOSE:
		mine.done[CALL_CLOSE] += s->fd >= 0;
		call_close(s);
		break;
	case CALL_DUP:
		call_dup(s);
		break;
	case CALL_MMAP:
		call_mmap(s);
		break;
	case CALL_REMAP:
		call_remap();
		break;
	case CALL_TOUCH:
		call_touch();
		break;
	case CALL_POLL:
		call_poll(s);
		break;
	case CALL_OTHER:
		call_other(s);
		break;
	default:
		call_hit();
	}
}

void calls_end(void)
{
	unsigned int i;

	for (i = 0; i < NR_MAPPINGS; i++) {
		if (mapping[i].at)
			munmap((char *)mapping[i].at, mapping[i].bytes);
		mapping[i].at = NULL;
	}
	for (i = 0; i < NR_SESSIONS; i++)
		call_close(&world->session[i]);
}
