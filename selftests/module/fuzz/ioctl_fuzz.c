// SPDX-License-Identifier: GPL-2.0
/*
 * Makes random calls of a session's interface: ioctl, mmap, poll. A sequence of calls begins
 * without a session. Arguments are valid, or wrong in one field, or random. The fuzzer fails if a
 * command returns an error that uapi/linux/tap.h does not allow, if a command fails and has changed
 * its argument, if counters do not add up, or if a probe remains armed. Debug kernels (KASAN,
 * lockdep) report other errors in the log.
 *
 * A batch is a process that runs 64 sequences. With KCOV, sequences that reach new branches are
 * kept, and later batches are made from them. The parameters of each batch are printed before it
 * starts, in the form that --replay takes. In one of eight batches other threads change arguments
 * while the kernel reads them, map, unmap, and make calls for the same sessions. Those batches
 * cannot be repeated exactly, nor can the interaction of several processes (--jobs 1).
 */
#include "selftests/module/tap_session.h"

#include <signal.h>

#include "selftests/module/fuzz/fuzz_main.h"
#include "selftests/module/fuzz/ioctl_calls.h"
#include "selftests/module/fuzz/kcov.h"

#define SEQUENCES	64	/* in a batch */
#define CROWDED		16	/* in a batch with disturbing threads */
#define MAX_CALLS	30	/* in a sequence */
#define MAX_JOBS	32
#define MAX_KEPT	512
/* New sequences of one batch that are kept, at most. */
#define MAX_FOUND	16

static struct {
	__u64 calls;
	__u64 jobs;
	__u64 end;
	__u64 batch;
	const char *base;
	const char *blocks;
	bool replay;
	bool all;
	bool keep;
} options = {
	.calls = 100000,
	.jobs = 1,
	.end = -1ULL,
};

struct sequence {
	unsigned int nr;
	bool costly;
	struct call call[MAX_CALLS];
};

/* New sequences that a batch found, for later batches. */
struct found {
	unsigned int nr;
	struct sequence sequence[MAX_FOUND];
};

/**
 * struct job - a running batch
 * @pid: its process; 0: none
 * @number: number of the batch
 * @found: memory shared with the process
 */
struct job {
	pid_t pid;
	__u64 number;
	struct found *found;
};

static struct sequence kept[MAX_KEPT];
static unsigned int nr_kept;

/*
 * Sequences.
 */

static void sequence_make(struct sequence *s)
{
	unsigned int i;

	s->nr = 3 + below(MAX_CALLS - 2);
	/* Costly calls take some hundred times as long. */
	s->costly = !below(16);
	for (i = 0; i < s->nr; i++)
		s->call[i] = (struct call){ .seed = next() };
}

static void sequence_change(struct sequence *s)
{
	unsigned int at = below(s->nr);

	switch (below(6)) {
	case 0:
		s->call[at] = (struct call){ .seed = next() };
		break;
	case 1:
		if (s->nr == MAX_CALLS)
			break;
		memmove(&s->call[at + 1], &s->call[at], (s->nr - at) * sizeof(*s->call));
		s->call[at] = (struct call){ .seed = next() };
		s->nr++;
		break;
	case 2:
		if (s->nr <= 3)
			break;
		s->nr--;
		memmove(&s->call[at], &s->call[at + 1], (s->nr - at) * sizeof(*s->call));
		break;
	case 3:
		s->call[at] = s->call[below(s->nr)];
		break;
	case 4:
		s->call[at].spoil = 1 + below(0xffff);
		break;
	default:
		while (s->nr < MAX_CALLS && below(6))
			s->call[s->nr++] = (struct call){ .seed = next() };
	}
}

static void sequence_print(const struct sequence *s)
{
	unsigned int i;

	printf("%c", s->costly ? 'c' : 'p');
	for (i = 0; i < s->nr; i++) {
		printf("%s%x", i ? "," : "", s->call[i].seed);
		if (s->call[i].spoil)
			printf(".%x", s->call[i].spoil);
	}
}

static bool sequence_read(struct sequence *s, const char *text)
{
	char *end;

	memset(s, 0, sizeof(*s));
	s->costly = *text == 'c';
	do {
		text++;
		if (s->nr == MAX_CALLS)
			return false;
		s->call[s->nr].seed = strtoul(text, &end, 16);
		if (end == text)
			return false;
		if (*end == '.')
			s->call[s->nr].spoil = strtoul(end + 1, &end, 16);
		s->nr++;
		text = end;
	} while (*text == ',');
	return !*text;
}

static void sequence_run(const struct sequence *s)
{
	unsigned int i;

	world->costly = s->costly;
	for (i = 0; i < s->nr; i++) {
		call_place.call = i;
		call_make(s->call[i]);
	}
	calls_end();
}

/* Threads that disturb. */

static struct {
	bool stop;
	struct world *caller;
} threads;

static bool stopped(void)
{
	return __atomic_load_n(&threads.stop, __ATOMIC_RELAXED);
}

/* Flips only bits that cannot make a large valid size. */
static void *flip(void *data)
{
	volatile __u32 *words = (void *)threads.caller->arena;
	unsigned int at;

	random_state = (uintptr_t)data;
	while (!stopped()) {
		at = chance(60) ? below(64) : chance(50) ? PAGE / 4 - 1 - below(64) :
		     ARENA_NEST * PAGE / 4 + below(256);
		if (chance(50))
			words[at] ^= 1U << (chance(90) ? below(16) : 31);
		else
			words[at] = field_edge(below(40)) & 0x8000ffff;
	}
	return NULL;
}

static void *map(void *data)
{
	char *goes = (char *)threads.caller->arena + ARENA_GOES * PAGE;

	random_state = (uintptr_t)data;
	while (!stopped()) {
		struct session s = threads.caller->session[below(NR_SESSIONS)];
		__u64 offset = below(2) ? 0 : s.offset + PAGE * below(3);
		unsigned int pages = 1 + below(3);
		void *at = mmap(NULL, PAGE * pages, PROT_READ | (below(4) ? 0 : PROT_WRITE),
				MAP_SHARED, s.fd, offset);

		/* Unmaps the last pages first, then all. */
		if (at != MAP_FAILED && pages > 1)
			munmap((char *)at + PAGE, PAGE * (pages - 1));
		if (at != MAP_FAILED)
			munmap(at, PAGE);
		mprotect(goes, PAGE, below(2) ? PROT_NONE : PROT_READ | PROT_WRITE);
		madvise(goes, PAGE, MADV_DONTNEED);
	}
	return NULL;
}

/* Makes calls of its own, also for the sessions of the first thread. */
static void *disturb(void *data)
{
	__u64 round = (uintptr_t)data << 32;
	unsigned int i;

	if (!world_make(1, false))
		return NULL;
	while (!stopped()) {
		for (i = 0; i < NR_SESSIONS; i++) {
			struct session *s = &world->session[i];

			*s = threads.caller->session[i];
			s->copied = true;
			s->fd = dup(s->fd);
		}
		random_state = round++;
		for (i = 0; i < 20; i++)
			call_make((struct call){ .seed = next() });
		calls_end();
	}
	sums_add();
	return NULL;
}

/*
 * Batches.
 */

/* Runs in a process of its own: its exit releases everything. */
static int batch_run(__u64 number, const struct sequence *base, struct found *found)
{
	void *(*const disturbers[])(void *) = { flip, map, disturb };
	pthread_t thread[ARRAY_SIZE(disturbers)];
	struct sequence s;
	unsigned int i, n;
	bool seen;

	if (!world_make(0, number % 8 != 7))
		return 2;
	seen = cover_begin();
	if (!world->alone) {
		threads.caller = world;
		for (i = 0; i < ARRAY_SIZE(disturbers); i++)
			if (pthread_create(&thread[i], NULL, disturbers[i],
					   (void *)(number * 8 + i + 1)))
				return 2;
		if (number % 16 == 7)
			_test_target(place.target, TAP_TARGET_STORM,
				     below(2) ? TAP_TARGET_ADD : TAP_TARGET_EVENT, 0,
				     place.cpus - 1, NULL);
	}
	for (i = 0; i < (world->alone ? SEQUENCES : CROWDED); i++) {
		call_place.batch = number;
		call_place.sequence = i;
		restart(number * SEQUENCES + i);
		sequence_make(&s);
		if (base) {
			s = *base;
			for (n = 1 + below(4); n; n--)
				sequence_change(&s);
		}
		if (seen)
			cover_clear();
		sequence_run(&s);
		if (seen && cover_count() && found->nr < MAX_FOUND)
			found->sequence[found->nr++] = s;
	}
	threads.stop = true;
	for (i = 0; !world->alone && i < ARRAY_SIZE(disturbers); i++)
		pthread_join(thread[i], NULL);
	sums_add();
	return 0;
}

static void batch_start(struct job *job, __u64 number, const struct sequence *base)
{
	printf("# --seed %llu --replay %llu", make_seed, number);
	if (base) {
		printf(":");
		sequence_print(base);
	}
	printf("\n");
	fflush(stdout);
	job->number = number;
	job->found->nr = 0;
	job->pid = fork();
	if (!job->pid) {
		int status = batch_run(number, base, job->found);

		fflush(stdout);
		_exit(status);
	}
	if (job->pid < 0)
		exit(1);
}

/* Keeps the new sequences; if the corpus is full, each replaces a random one. */
static void batch_end(struct job *job, int status)
{
	unsigned int i;

	if (status) {
		printf("# WRONG batch %llu: it ended with status %#x\n", job->number, status);
		sums->wrong++;
	}
	job->pid = 0;
	for (i = 0; i < job->found->nr; i++)
		kept[nr_kept < MAX_KEPT ? nr_kept++ : below(MAX_KEPT)] =
			job->found->sequence[i];
}

static __u64 calls_made(void)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++)
		sum += __atomic_load_n(&sums->made[i], __ATOMIC_RELAXED);
	return sum;
}

static bool more_wanted(void)
{
	return calls_made() < options.calls && sums->wrong < 20 && test_now_ms() < options.end;
}

static void batches_run(void)
{
	static struct job jobs[MAX_JOBS];
	__u64 number = options.batch;
	unsigned int i, running = 0;
	int status;
	pid_t pid;

	for (i = 0; i < options.jobs; i++)
		jobs[i].found = mmap(NULL, sizeof(struct found), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	while (running || more_wanted()) {
		for (i = 0; i < options.jobs && more_wanted(); i++) {
			if (jobs[i].pid)
				continue;
			restart(~number);
			batch_start(&jobs[i], number, nr_kept && number % 8 ?
				    &kept[below(nr_kept)] : NULL);
			number++;
			running++;
		}
		pid = wait(&status);
		for (i = 0; i < options.jobs; i++) {
			if (jobs[i].pid != pid)
				continue;
			batch_end(&jobs[i], status);
			running--;
		}
		printf("# %llu of %llu calls\n", calls_made(), options.calls);
	}
}

static void batch_replay(void)
{
	static struct job job;
	struct sequence base;
	int status;

	job.found = calloc(1, sizeof(*job.found));
	if (!job.found || (options.base && !sequence_read(&base, options.base))) {
		printf("# not a sequence: %s\n", options.base);
		exit(2);
	}
	batch_start(&job, options.batch, options.base ? &base : NULL);
	waitpid(job.pid, &status, 0);
	batch_end(&job, status);
}

/* Setup and final checks. */

/* At each offset of the file an instruction starts, and it returns. */
static void code_make(void)
{
	static const char path[] = "/tmp/ioctl_fuzz_code";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	unsigned int i;

	for (i = 0; fd >= 0 && i < 256; i++)
#ifdef __x86_64__
		write(fd, i % 16 == 15 ? "\xc3" : "\x90", 1);
#else
		write(fd, i % 4 == 3 ? "\xc0\x03\x5f\xd6" : "\x1f\x20\x03\xd5", 4);
#endif
	place.code_file = fd < 0 || ftruncate(fd, 2 * PAGE) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	place.code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, place.code_file, 0);
	if (place.code == MAP_FAILED ||
	    mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, place.code_file, PAGE) ==
	    MAP_FAILED)
		exit(1);
}

static void functions_find(void)
{
	static const char *const names[] = {
		"tap_target_add", "tap_target_six", "tap_target_fail", "tap_target_pointer",
	};
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	unsigned int i;
	__u64 at;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(name, names[i]))
				place.functions[i] = at;
	}
	if (file)
		fclose(file);
}

static void say(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		write(fd, text, strlen(text));
		close(fd);
	}
}

/* The length of a file of debugfs. */
static long length(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long sum = 0, got;
	char some[4096];

	while (fd >= 0 && (got = read(fd, some, sizeof(some))) > 0)
		sum += got;
	close(fd);
	return sum;
}

/* Probes of the kernel before the module has any. */
static struct {
	long probes;
	long functions;
} others;

static void others_count(long *probes, long *functions)
{
	*probes = length("/sys/kernel/debug/kprobes/list");
	*functions = length("/sys/kernel/tracing/enabled_functions");
}

static void prepare(void)
{
	sums = mmap(NULL, sizeof(*sums), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	place.target = open(TAP_TARGET_DEVICE, O_RDWR | O_CLOEXEC);
	if (sums == MAP_FAILED || place.target < 0 || access(TAP_DEVICE, F_OK)) {
		printf("# no %s, or no %s\n", TAP_DEVICE, TAP_TARGET_DEVICE);
		exit(4);
	}
	place.cpus = sysconf(_SC_NPROCESSORS_CONF);
	code_make();
	functions_find();
	cover_init();
	/* Speeds up waits for RCU; limits the rate of samples. */
	say("/sys/kernel/rcu_expedited", "1");
	say("/proc/sys/kernel/perf_event_max_sample_rate", "1000");
	printf("# seed %llu, %llu jobs, %s\n", make_seed, options.jobs, cover->base ?
	       "guided by coverage" : "blind: this kernel has no KCOV");
	others_count(&others.probes, &others.functions);
}

static void print_sums(__u64 ms)
{
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++)
		printf("# %-10s %9llu made %9llu did something\n", call_names[i],
		       sums->made[i], sums->done[i]);
	for (i = 0; i < NR_CMDS; i++)
		printf("# %-10s %9llu asked %9llu accepted\n", commands[i].name,
		       sums->asked[i], sums->accepted[i]);
	if (cover->base) {
		printf("# reached in all: %llu blocks, %llu steps between them; %u sequences kept\n",
		       cover->blocks, cover->steps, nr_kept);
		if (options.blocks)
			cover_report(options.blocks, options.all);
	}
	for (i = 0; options.keep && i < nr_kept; i++) {
		sequence_print(&kept[i]);
		printf("\n");
	}
	printf("# all %llu calls, seed %llu, in %llu s: %llu a second\n", calls_made(),
	       make_seed, ms / 1000, calls_made() * 1000 / (ms ?: 1));
}

/* No probe of the module may remain. */
static void check_rest(void)
{
	long probes, functions;

	close(place.target);
	others_count(&probes, &functions);
	if (probes != others.probes)
		call_wrong("kprobes", "a kprobe is left");
	if (functions != others.functions)
		call_wrong("ftrace", "a function is left");
	if (test_module_unload("tapmod") || test_module_load("tapmod", ""))
		call_wrong("tapmod", strerror(errno));
	sums_add();
}

static void run(void)
{
	if (options.replay)
		batch_replay();
	else
		batches_run();
}

static __u64 report(__u64 ms)
{
	print_sums(ms);
	check_rest();
	return sums->wrong;
}

static void usage(FILE *to)
{
	fprintf(to, "usage: ioctl_fuzz [--seed N] [--calls N] [--seconds N] [--jobs N] [--first N]\n"
		"       ioctl_fuzz --seed N --replay BATCH[:SEQUENCE]\n"
		"Makes random calls. The same seed makes the same batches.\n"
		"  --seconds N   start no batch after N seconds\n"
		"  --jobs N      run N batches at a time, at most %u\n"
		"  --first N     start with batch N\n"
		"  --replay B    run only batch B, in the form that the output has\n"
		"  --blocks F    the output of kcov-blocks: print how many blocks of each file were reached\n"
		"  --missing     print the blocks that were not reached\n"
		"  --keep        print the kept sequences at the end\n", MAX_JOBS);
}

static void take_jobs(const char *arg)
{
	options.jobs = strtoull(arg, NULL, 0);
	if (options.jobs && options.jobs <= MAX_JOBS)
		return;
	usage(stderr);
	exit(1);
}

static void take_seconds(const char *arg)
{
	options.end = test_now_ms() + 1000 * strtoull(arg, NULL, 0);
}

static void take_replay(const char *arg)
{
	options.replay = true;
	options.batch = strtoull(arg, NULL, 0);
	options.base = strchr(arg, ':');
	options.base += !!options.base;
}

static void take_blocks(const char *arg)
{
	options.blocks = arg;
}

static const struct fuzz_option fuzz_options[] = {
	{ .name = "calls", .number = &options.calls },
	{ .name = "jobs", .take = take_jobs },
	{ .name = "seconds", .take = take_seconds },
	{ .name = "first", .number = &options.batch },
	{ .name = "replay", .take = take_replay },
	{ .name = "blocks", .take = take_blocks },
	{ .name = "missing", .flag = &options.all },
	{ .name = "keep", .flag = &options.keep },
	{},
};

const struct fuzz fuzz = {
	.usage = usage,
	.options = fuzz_options,
	.prepare = prepare,
	.run = run,
	.report = report,
};
