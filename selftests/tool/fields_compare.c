// SPDX-License-Identifier: GPL-2.0
/*
 * Compares every field of the same hits of tracepoints between ftrace's own record and tap's.
 *
 * Runs a load in one task on CPU 0 twice. First ftrace alone has all events, and tells which of
 * them the load makes fire. Then those are armed in ftrace and in tap at the same time. The records
 * of the load's task are read from ftrace's buffer as they are (trace_pipe_raw), and tap's with
 * libtap; of each event the n-th hit is the same one. A field of ftrace is at the place that
 * "format" of the event says, read here without libtap.
 *
 * usage: fields_compare [--least EVENTS] [--wrong] [SYSTEM]...
 *	--least		so many events have to be compared; default 200
 *	--wrong		reads fields of ftrace one byte off: must fail
 *	SYSTEM		only events of these
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libtap.h>

#define TRACING		"/sys/kernel/tracing"
#define INSTANCE	TRACING "/instances/fields"
#define MAX_EVENTS	4096
#define MAX_FIELDS	64
/* Of ftrace's pages and of a record in them. */
#define PAGE		4096
#define COMMON_PID	4

/* A field in ftrace's record. @loc: 4 bytes that have offset and length of the data. */
struct field {
	char name[TAP_FIELD_NAME_LEN];
	unsigned int offset, size;
	bool loc, array, argument;
};

/* A hit: a copy of ftrace's record, or of the words of tap's. */
struct hit {
	unsigned char *data;
	size_t len;
	uint32_t flags;
};

struct hits {
	struct hit *list;
	size_t nr, room;
};

/* @fired: in the first run. @probe: of tap's, or NULL. */
struct event {
	char *system, *name;
	unsigned int id;
	struct field fields[MAX_FIELDS];
	unsigned int nr_fields;
	bool fired;
	uint32_t probe;
	struct hits ftrace, tap;
};

static struct event *events[MAX_EVENTS];
static size_t nr_events;
static struct event *by_id[1 << 16], *by_probe[1 << 16];
static pid_t load_pid;
static bool wrong;
static size_t failures, compared_fields, compared_hits, compared_events, uncovered, missed_hits;

static void put(const char *file, const char *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), INSTANCE "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

static char *slurp(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY);
	ssize_t n, at = 0;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, text + at, sizeof(text) - 1 - at)) > 0)
		at += n;
	close(fd);
	text[at] = '\0';
	return text;
}

static void fail(const struct event *e, const char *fmt, ...)
{
	va_list ap;

	if (failures++ >= 20)
		return;
	printf("# %s:%s: ", e->system, e->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* ------------------------------------------------------------------- the events */

/* "\tfield:TYPE NAME[LEN];\toffset:8;\tsize:16;\tsigned:0;" */
static void add_field(struct event *e, char *line)
{
	char *end = strchr(line, ';'), *name;
	struct field *f = &e->fields[e->nr_fields];

	if (!end || e->nr_fields == MAX_FIELDS ||
	    sscanf(end, ";\toffset:%u;\tsize:%u;", &f->offset, &f->size) != 2 || !f->size)
		return;
	*end = '\0';
	f->loc = !!strstr(line, "__data_loc ");
	if (strstr(line, "__rel_loc "))
		return;
	f->argument = !strncmp(e->name, "sys_enter_", 10);
	f->array = false;
	if (end[-1] == ']') {
		while (*--end != '[')
			;
		*end = '\0';
		/* An array without a length stands before the name, of __data_loc. */
		f->array = true;
	}
	name = end;
	while (name > line && name[-1] != ' ' && name[-1] != '*')
		name--;
	snprintf(f->name, sizeof(f->name), "%s", name);
	e->nr_fields++;
}

static void add_event(const char *system, const char *name)
{
	char path[600], *text, *line, *save;
	struct event *e;
	bool own = false;

	snprintf(path, sizeof(path), TRACING "/events/%s/%s/format", system, name);
	text = slurp(path);
	if (!text || nr_events == MAX_EVENTS)
		return;
	e = calloc(1, sizeof(*e));
	e->system = strdup(system);
	e->name = strdup(name);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		sscanf(line, "ID: %u", &e->id);
		if (strncmp(line, "\tfield:", 7))
			continue;
		/* The first four are those that all events have. */
		own = !strstr(line, " common_");
		if (own)
			add_field(e, line + 7);
	}
	if (e->id && e->id < sizeof(by_id) / sizeof(by_id[0])) {
		by_id[e->id] = e;
		events[nr_events++] = e;
	}
}

static void find_events(char **systems)
{
	struct dirent *s, *n;
	char path[512];
	DIR *all = opendir(TRACING "/events"), *one;
	size_t i;

	if (!all)
		err(1, "events");
	while ((s = readdir(all))) {
		/* Those of ftrace cannot be enabled. */
		if (s->d_name[0] == '.' || !strcmp(s->d_name, "ftrace") ||
		    s->d_type != DT_DIR)
			continue;
		for (i = 0; systems[i] && strcmp(systems[i], s->d_name); i++)
			;
		if (systems[0] && !systems[i])
			continue;
		snprintf(path, sizeof(path), TRACING "/events/%s", s->d_name);
		one = opendir(path);
		while (one && (n = readdir(one)))
			if (n->d_name[0] != '.' && n->d_type == DT_DIR)
				add_event(s->d_name, n->d_name);
		if (one)
			closedir(one);
	}
	closedir(all);
}

static void enable(const struct event *e, bool on)
{
	char path[300];

	snprintf(path, sizeof(path), "events/%s/%s/enable", e->system, e->name);
	put(path, on ? "1" : "0");
}

/* ------------------------------------------------------------------------ load */

static bool dangerous(long nr)
{
	switch (nr) {
	case SYS_rt_sigreturn: case SYS_pause: case SYS_clone: case SYS_fork: case SYS_vfork:
	case SYS_exit: case SYS_exit_group: case SYS_vhangup: case SYS_sync: case SYS_clone3:
	case SYS_restart_syscall: case SYS_alarm: case SYS_rt_sigsuspend: case SYS_munlockall:
		return true;
	}
	/* Those that only the kernel's own trampolines make, and what lies between the tables. */
	return nr == 335 || nr == 336;
}

/* All system calls with arguments that none of them accepts. */
static void call_all(void)
{
	long nr;

	for (nr = 0; nr < 470; nr++)
		if (!dangerous(nr))
			syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L);
}

static void use_files(void)
{
	char name[] = "/tmp/fields.XXXXXX", text[600];
	struct iovec iov = { text, sizeof(text) };
	struct stat st;
	int fd = mkstemp(name), fds[2], i;
	char *map;

	memset(text, 'x', sizeof(text));
	for (i = 0; i < 5; i++)
		if (write(fd, text, 100 * i + 1) < 0)
			err(1, "write");
	fsync(fd);
	fstat(fd, &st);
	lseek(fd, 0, SEEK_SET);
	readv(fd, &iov, 1);
	map = mmap(NULL, 4096 * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ftruncate(fd, 4096 * 8);
	map[5000] = 1;
	msync(map, 4096 * 8, MS_SYNC);
	munmap(map, 4096 * 8);
	rename(name, "/tmp/fields.other");
	chmod("/tmp/fields.other", 0600);
	symlink("/tmp/fields.other", "/tmp/fields.link");
	readlink("/tmp/fields.link", text, sizeof(text));
	unlink("/tmp/fields.link");
	unlink("/tmp/fields.other");
	mkdir("/tmp/fields.dir", 0700);
	chdir("/tmp/fields.dir");
	chdir("/tmp");
	rmdir("/tmp/fields.dir");
	close(fd);
	if (!pipe(fds)) {
		write(fds[1], "hello", 5);
		read(fds[0], text, 5);
		close(fds[0]);
		close(fds[1]);
	}
	map = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < 8 << 20; i += 1 << 18)
		map[i] = 1;
	madvise(map, 8 << 20, MADV_DONTNEED);
	mprotect(map, 4096, PROT_READ);
	munmap(map, 8 << 20);
	fd = open("/dev/kmsg", O_WRONLY);
	write(fd, "a line of fields_compare\n", 25);
	close(fd);
}

/* A disk of a test module, if it was loaded. */
static void use_disk(void)
{
	static char data[8192] __attribute__((aligned(4096)));
	int fd = open("/dev/tap_disk", O_RDWR | O_DIRECT);

	if (fd < 0)
		return;
	write(fd, data, sizeof(data));
	read(fd, data, 4096);
	close(fd);
	fd = open("/dev/tap_disk", O_RDWR);
	write(fd, data, sizeof(data));
	fsync(fd);
	close(fd);
}

static void use_net(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	struct ifreq lo = { .ifr_name = "lo" };
	char text[2000] = "";
	int a = socket(AF_INET, SOCK_DGRAM, 0), b, c;

	if (a < 0)
		return;
	lo.ifr_flags = IFF_UP | IFF_RUNNING;
	ioctl(a, SIOCSIFFLAGS, &lo);
	bind(a, (struct sockaddr *)&at, sizeof(at));
	getsockname(a, (struct sockaddr *)&at, &len);
	b = socket(AF_INET, SOCK_DGRAM, 0);
	sendto(b, text, 100, 0, (struct sockaddr *)&at, len);
	recv(a, text, sizeof(text), MSG_DONTWAIT);
	close(a);
	close(b);
	at.sin_port = 0;
	a = socket(AF_INET, SOCK_STREAM, 0);
	bind(a, (struct sockaddr *)&at, sizeof(at));
	listen(a, 1);
	getsockname(a, (struct sockaddr *)&at, &len);
	b = socket(AF_INET, SOCK_STREAM, 0);
	if (!connect(b, (struct sockaddr *)&at, len)) {
		c = accept(a, NULL, NULL);
		send(b, text, sizeof(text), 0);
		recv(c, text, sizeof(text), MSG_DONTWAIT);
		shutdown(b, SHUT_RDWR);
		close(c);
	}
	close(a);
	close(b);
}

static void on_signal(int sig)
{
	(void)sig;
}

static void use_tasks(void)
{
	const struct itimerval soon = { .it_value = { 0, 2000 } };
	cpu_set_t two;
	pid_t pid;
	int i;

	signal(SIGUSR1, on_signal);
	signal(SIGALRM, on_signal);
	raise(SIGUSR1);
	setitimer(ITIMER_REAL, &soon, NULL);
	usleep(5000);
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			if (i)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		sched_yield();
		waitpid(pid, NULL, 0);
	}
	setpriority(PRIO_PROCESS, 0, 1);
	CPU_ZERO(&two);
	CPU_SET(0, &two);
	sched_setaffinity(0, sizeof(two), &two);
	getrandom(&two, 8, 0);
}

static void run_load(int go)
{
	char c;

	if (read(go, &c, 1) != 1)
		_exit(1);
	use_files();
	use_disk();
	use_net();
	use_tasks();
	call_all();
	_exit(0);
}

static int start_load(void)
{
	cpu_set_t first;
	int fds[2];

	if (pipe(fds))
		err(1, "pipe");
	load_pid = fork();
	if (load_pid < 0)
		err(1, "fork");
	if (!load_pid) {
		CPU_ZERO(&first);
		CPU_SET(0, &first);
		sched_setaffinity(0, sizeof(first), &first);
		run_load(fds[0]);
	}
	close(fds[0]);
	/* It waits before tracing begins. */
	usleep(100000);
	return fds[1];
}

static void end_load(int go)
{
	int status;

	if (write(go, "", 1) != 1 || waitpid(load_pid, &status, 0) != load_pid || status)
		errx(1, "the load ended with status 0x%x", status);
	close(go);
	/* Its last switch to another task comes after that. */
	usleep(100000);
}

/* --------------------------------------------------------------------- records */

static void add_hit(struct hits *hits, const void *data, size_t len, uint32_t flags)
{
	struct hit *hit;

	if (hits->nr == hits->room) {
		hits->room = hits->room ? 2 * hits->room : 16;
		hits->list = realloc(hits->list, hits->room * sizeof(*hits->list));
	}
	hit = &hits->list[hits->nr++];
	*hit = (struct hit) { malloc(len + 8), len, flags };
	memcpy(hit->data, data, len);
}

static void ftrace_record(const unsigned char *data, size_t len)
{
	uint16_t id;
	int32_t pid;

	memcpy(&id, data, sizeof(id));
	memcpy(&pid, data + COMMON_PID, sizeof(pid));
	if (len < 8 || pid != load_pid || !by_id[id])
		return;
	by_id[id]->fired = true;
	add_hit(&by_id[id]->ftrace, data, len, 0);
}

/* The format of a page is in events/header_page and header_event of tracefs. */
static void ftrace_page(const unsigned char *page)
{
	uint64_t commit;
	size_t at = 16, end, len;
	uint32_t head, first;

	memcpy(&commit, page + 8, sizeof(commit));
	if (commit >> 30 & 3)
		errx(1, "ftrace lost events");
	end = at + (commit & 0xfffff);
	while (at + 4 <= end) {
		memcpy(&head, page + at, sizeof(head));
		memcpy(&first, page + at + 4, sizeof(first));
		switch (head & 31) {
		case 29:
			if (!(head >> 5))
				return;
			at += 4 + first;
			continue;
		case 30:
		case 31:
			at += 8;
			continue;
		case 0:
			len = first - 4;
			ftrace_record(page + at + 8, len);
			at += 4 + ((first + 3) & ~3U);
			continue;
		}
		len = (head & 31) * 4;
		ftrace_record(page + at + 4, len);
		at += 4 + len;
	}
}

static void read_ftrace(void)
{
	static unsigned char page[PAGE];
	int fd = open(INSTANCE "/per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
	char *stats;

	if (fd < 0)
		err(1, "trace_pipe_raw");
	while (read(fd, page, sizeof(page)) == sizeof(page))
		ftrace_page(page);
	close(fd);
	stats = slurp(INSTANCE "/per_cpu/cpu0/stats");
	if (!stats || !strstr(stats, "overrun: 0\n"))
		errx(1, "ftrace's buffer is too small");
}

/* ------------------------------------------------------------------------- tap */

static struct tap_session *session;
static struct tap_probes *probes;

static void arm_tap(void)
{
	const struct tap_session_opts opts = { .size = sizeof(opts), .ring_bytes = 32 << 20 };
	struct tap_types *types = tap_types_new();
	struct tap_spec *spec, **list;
	struct tap_error why;
	char text[256];
	size_t i, nr;

	probes = tap_probes_new();
	if (tap_session_open(&session, &why) || tap_session_setup(session, &opts, &why))
		errx(1, "%s", why.text);
	for (i = 0; i < nr_events; i++) {
		struct event *e = events[i];

		if (!e->fired)
			continue;
		snprintf(text, sizeof(text), "tracepoint:%s:%s", e->system, e->name);
		if (tap_spec_parse(text, &spec, &why) ||
		    tap_spec_expand(NULL, types, spec, &list, &nr, &why) ||
		    tap_spec_test(list[0], TAP_VAR_TID, 0, load_pid) ||
		    tap_probe_create(probes, session, list[0], &why)) {
			fail(e, "%s", why.text);
			e->fired = false;
			continue;
		}
		list[0] = NULL;
		tap_spec_list_free(list, nr);
		tap_spec_free(spec);
		e->probe = tap_probe_id(tap_probes_get(probes, tap_probes_nr(probes) - 1));
		by_probe[e->probe] = e;
	}
	tap_types_free(types);
	if (tap_session_enable(session, 0))
		err(1, "enable");
}

static void tap_record(const struct tap_event *ev)
{
	uint64_t words[TAP_FIRST_VALUES + TAP_MAX_SLOTS * TAP_SLOT_VALUES];
	size_t i, nr = TAP_FIRST_VALUES + (ev->rec->slots - 1) * TAP_SLOT_VALUES;

	if (ev->rec->tid != (__u32)load_pid || !by_probe[ev->rec->probe])
		return;
	for (i = 0; i < nr; i++)
		words[i] = tap_event_word(ev, i);
	add_hit(&by_probe[ev->rec->probe]->tap, words, nr * 8, ev->rec->flags);
}

static void read_tap(void)
{
	struct tap_reader *reader;
	struct tap_error why;
	struct tap_event ev;

	if (tap_reader_open(&reader, session, &why))
		errx(1, "%s", why.text);
	tap_reader_drain(reader, true);
	while (tap_reader_next(reader, &ev) > 0)
		if (!tap_decode(probes, &ev) && ev.probe)
			tap_record(&ev);
	tap_reader_close(reader);
}

/* --------------------------------------------------------------------- compare */

/* Bytes of the field of ftrace's hit; *len is set. NULL if it is not in the record. */
static const unsigned char *ftrace_value(const struct field *f, const struct hit *hit, size_t *len)
{
	size_t at = f->offset + wrong;
	uint32_t loc;

	*len = f->size;
	if (f->loc) {
		memcpy(&loc, hit->data + f->offset, sizeof(loc));
		at = (loc & 0xffff) + wrong;
		*len = loc >> 16;
	}
	return at + *len <= hit->len + wrong ? hit->data + at : NULL;
}

/* Whether tap has the same; NULL, or what differs. */
static const char *differs(const struct field *f, const struct tap_field *t, const struct hit *a,
			   const struct hit *b)
{
	const unsigned char *words = b->data + t->word * 8, *data;
	uint64_t info, number = 0;
	size_t len, n;

	data = ftrace_value(f, a, &len);
	if (!data)
		return "ftrace's is not in its record";
	if (t->word * 8 + t->words * 8 > b->len)
		return "tap's is not in its record";
	memcpy(&info, words, sizeof(info));
	switch (t->format) {
	case TAP_FMT_STRING:
		len = strnlen((const char *)data, len);
		/* fall through */
	case TAP_FMT_DATA:
		n = info & TAP_TEXT_LEN;
		if (info & TAP_TEXT_ABSENT)
			return "absent";
		if (info & TAP_TEXT_TRUNCATED ? n > len : n != len)
			return "another length";
		return memcmp(words + 8, data, n) ? "other bytes" : NULL;
	case TAP_FMT_CHARS:
	case TAP_FMT_COMM:
		len = strnlen((const char *)data, len);
		return memcmp(words, data, len) ? "other text" : NULL;
	default:
		break;
	}
	if (f->array || t->element != TAP_FMT_AUTO) {
		if (len > t->words * 8U)
			return "an array that is too short";
		return memcmp(words, data, len) ? "other elements" : NULL;
	}
	if (len > 8)
		return "a number of more than 8 bytes";
	memcpy(&number, data, len);
	if (!memcmp(&number, &info, len))
		return NULL;
	/* An argument of a system call: ftrace has the register, tap a value of its type. */
	if (f->argument && (info == (uint64_t)(int32_t)number || info == (uint32_t)number ||
			    info == (uint16_t)number))
		return NULL;
	return "another number";
}

/* Fields that the kernel does not always set: then they have what was in the memory before. */
static bool is_garbage(const struct event *e, const struct field *f)
{
	return !strcmp(e->name, "fib_table_lookup") && !strncmp(f->name, "gw", 2);
}

/* Whether all fields of two hits are equal; else *where is the first that differs, and *why how. */
static bool same(const struct event *e, const struct tap_probe *probe, const struct hit *a,
		 const struct hit *b, const char **why, const char **where)
{
	const struct tap_field *t;
	unsigned int i;

	for (i = 0; i < e->nr_fields; i++) {
		t = tap_probe_find_field(probe, e->fields[i].name);
		if (!t || is_garbage(e, &e->fields[i]))
			continue;
		*where = e->fields[i].name;
		*why = differs(&e->fields[i], t, a, b);
		if (*why)
			return false;
		compared_fields++;
	}
	return true;
}

/*
 * The n-th hit of one is the n-th of the other. An interrupt between the two tracers of one hit may
 * make its own hits of the same event come first: these are exchanged. What tap says that it missed
 * may be missing.
 */
static void compare(struct event *e)
{
	const struct tap_probe *probe = tap_probes_find(probes, e->probe);
	const char *why = "", *where = "";
	struct tap_counters cpus[64], c = { 0 };
	size_t i, k, gone = 0, missed;
	struct tap_stats stats;
	__u32 n, nr = tap_session_nr_rings(session);

	if (nr > 64 || tap_session_stats(session, e->probe, &stats, cpus, nr)) {
		fail(e, "no counters");
		return;
	}
	for (n = 0; n < nr; n++)
		tap_counters_add(&c, &cpus[n]);
	missed = stats.out_nmissed + c.lost_full + c.lost_nested + c.lost_fault + c.throttled;
	for (n = 0; n < e->nr_fields; n++) {
		if (!tap_probe_find_field(probe, e->fields[n].name)) {
			uncovered++;
			if (strcmp(e->fields[n].name, "__syscall_nr"))
				fail(e, "%s is not among tap's fields", e->fields[n].name);
		}
	}
	for (i = 0, k = 0; i < e->ftrace.nr && k < e->tap.nr; i++) {
		struct hit *a = &e->ftrace.list[i], *b = &e->tap.list[k];

		if (same(e, probe, a, b, &why, &where)) {
			k++;
			continue;
		}
		if (k + 1 < e->tap.nr && same(e, probe, a, b + 1, &why, &where)) {
			struct hit first = *b;

			*b = b[1];
			b[1] = first;
			k++;
			continue;
		}
		if (gone++ < missed)
			continue;
		same(e, probe, a, b, &why, &where);
		fail(e, "hit %zu of %zu: %s: %s", i, e->ftrace.nr, where, why);
		break;
	}
	compared_hits += k;
	compared_events += k > 0;
	missed_hits += missed;
	if (missed)
		printf("# %s:%s: %zu hits, %zu missed by tap\n", e->system, e->name,
		       e->ftrace.nr, missed);
	if (e->tap.nr > e->ftrace.nr || e->ftrace.nr - e->tap.nr > missed)
		fail(e, "%zu hits of ftrace, %zu of tap, which missed %zu", e->ftrace.nr, e->tap.nr,
		     missed);
}

int main(int argc, char **argv)
{
	size_t i, least = 200, fired = 0;
	int go;

	for (argv++; *argv && **argv == '-'; argv++) {
		if (!strcmp(*argv, "--wrong"))
			wrong = true;
		else if (!strcmp(*argv, "--least") && argv[1])
			least = strtoul(*++argv, NULL, 10);
		else
			errx(2, "usage: fields_compare [--least EVENTS] [--wrong] [SYSTEM]...");
	}
	(void)argc;
	find_events(argv);
	if (mkdir(INSTANCE, 0700) && errno != EEXIST)
		err(1, INSTANCE);
	put("buffer_size_kb", "32768");

	go = start_load();
	for (i = 0; i < nr_events; i++)
		enable(events[i], true);
	end_load(go);
	put("tracing_on", "0");
	read_ftrace();
	for (i = 0; i < nr_events; i++) {
		fired += events[i]->fired;
		enable(events[i], false);
		events[i]->ftrace.nr = 0;
	}
	printf("# %zu events, %zu of them fire in the load\n", nr_events, fired);
	put("trace", "");

	go = start_load();
	arm_tap();
	for (i = 0; i < nr_events; i++)
		if (events[i]->fired)
			enable(events[i], true);
	put("tracing_on", "1");
	end_load(go);
	put("tracing_on", "0");
	tap_session_disable(session, 0);
	for (i = 0; i < nr_events; i++)
		if (events[i]->fired)
			enable(events[i], false);
	read_ftrace();
	read_tap();
	for (i = 0; i < nr_events; i++)
		if (events[i]->fired)
			compare(events[i]);
	printf("# %zu events, %zu hits, %zu values compared; %zu fields are not tap's, %zu hits missed by tap\n",
	       compared_events, compared_hits, compared_fields, uncovered, missed_hits);
	printf("%s - %zu events are as ftrace has them\n",
	       failures || compared_events < least ? "not ok" : "ok", compared_events);
	tap_probes_free(probes);
	tap_session_close(session);
	rmdir(INSTANCE);
	return failures || compared_events < least;
}
