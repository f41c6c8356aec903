// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the events of tracefs: formats recorded from three kernels (data/), in a directory
 * like tracefs; then the same truncated at every byte, and with every byte changed. Built with
 * sanitizers.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The test makes tens of thousands of checks. */

#include "lang/lang.h"
#include "kernel/tracepoint_format.h"
#include "resolve/resolve.h"
#include "util/value_names.h"
#include "selftests/lib/check.h"
#include "spec/spec.h"
#include "kernel/tracefs.h"

#define MAX_TEXT	(1 << 16)
#define MAX_EVENT	8192
#define ALL		7

/* libtraceevent leaks memory if it cannot parse a format. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static char root[] = "/tmp/tap-tracefs-test-XXXXXX";

/* Bit 0 of a mask stands for "6.1", and so on. */
static const char *const kernels[] = { "6.1", "6.12", "7.2" };

/**
 * struct expectation - the expected fields of an event
 * @kernels: mask of kernels with these fields
 * @event: SUBSYS:NAME
 * @fields: in the format of describe(); if it ends with "...", only the start is compared
 */
static const struct {
	unsigned int kernels;
	const char *event;
	const char *fields;
} expectations[] = {
	{ ALL, "sched:sched_switch",
	  "prev_comm@8 char[16]; prev_pid@24 s32; prev_prio@28 s32; "
	  "prev_state@32 s64 flags 1=S 2=D 4=T 8=t 10=X 20=Z 40=P 80=I 0=R 100=R+; "
	  "next_comm@40 char[16]; next_pid@56 s32; next_prio@60 s32; " },
	{ ALL, "sched:sched_process_exec",
	  "filename@8 loc char[]; pid@12 s32; old_pid@16 s32; " },
	{ ALL, "kmem:kmalloc",
	  "call_site@8 u64 symbol; ptr@16 pointer; bytes_req@24 u64; "
	  "bytes_alloc@32 u64; gfp_flags@40 u64 flags 1c24ca=GFP_TRANSHUGE ..." },
	{ 1 | 2, "syscalls:sys_enter_openat",
	  "__syscall_nr@8 s32; dfd@16 s32; filename@24 user pointer x64; "
	  "flags@32 s32; mode@40 u64; " },
	{ 4, "syscalls:sys_enter_openat",
	  "__syscall_nr@8 s32; dfd@16 s32; filename@24 user pointer x64; "
	  "flags@32 s32 flags 1=O_WRONLY 2=O_RDWR 40=O_CREAT ..." },
	{ ALL, "syscalls:sys_exit_openat",
	  "__syscall_nr@8 s32; ret@16 s64 errno; " },
	{ ALL, "irq:softirq_raise",
	  "vec@8 u32 label 0=HI 1=TIMER 2=NET_TX 3=NET_RX 4=BLOCK 5=IRQ_POLL "
	  "6=TASKLET 7=SCHED 8=HRTIMER 9=RCU; " },
	{ ALL, "workqueue:workqueue_queue_work",
	  "work@8 pointer; function@16 pointer symbol; "
	  "workqueue@24 loc char[]; req_cpu@28 s32; cpu@32 s32; " },
	/* Enumerators that cannot be resolved give no name, rather than a wrong one. */
	{ ALL, "timer:hrtimer_start",
	  "hrtimer@8 pointer; function@16 pointer symbol; expires@24 s64; "
	  "softexpires@32 s64; mode@40 u32; was_armed@44 bool; " },
	{ ALL, "tcp:tcp_probe",
	  "saddr@8 u8[28]; daddr@36 u8[28]; sport@64 u16; dport@66 u16; "
	  "family@68 u16 label 2=AF_INET a=AF_INET6; mark@72 u32 x32; ..." },
	{ ALL, "xdp:xdp_exception",
	  "prog_id@8 s32; act@12 u32 label 0=ABORTED 1=DROP 2=PASS 3=TX "
	  "4=REDIRECT; ifindex@16 s32; " },
	{ ALL, "raw_syscalls:sys_enter", "id@8 s64; args@16 u64[6]; " },
	{ ALL, "exceptions:page_fault_user",
	  "address@8 u64 symbol; ip@16 u64 symbol; error_code@24 u64 x64; " },
	/* libtraceevent cannot parse its print format; the fields are read. */
	{ ALL, "ras:mc_event",
	  "error_type@8 u32; msg@12 loc char[]; label@16 loc char[]; "
	  "error_count@20 u16; mc_index@22 u8; top_layer@23 s8; "
	  "middle_layer@24 s8; lower_layer@25 s8; address@32 s64; "
	  "grain_bits@40 u8; syndrome@48 s64; driver_detail@56 loc char[]; " },
	{ 2, "ipi:ipi_raise", "target_cpus@8 loc u64[]; reason@16 pointer; " },
	{ 2, "dma:dma_map_sg",
	  "device@8 loc char[]; full_nents@12 s32; full_ents@16 s32; "
	  "truncated@20 bool; phys_addrs@24 loc u64[]; dma_addrs@28 loc u64[]; "
	  "lengths@32 loc u32[]; dir@36 u32; attrs@40 u64; " },
};

/* Formats that these kernels do not have. */
static const struct {
	const char *what;
	const char *fields;
	const char *print;
	const char *expected;
} formats[] = {
	{ "a field relative to itself cannot be fetched",
	  "\tfield:__rel_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:u8 after;\toffset:12;\tsize:1;\tsigned:0;\n",
	  "\"%u\", REC->after", "after@12 u8; " },
	{ "scalars",
	  "\tfield:char c;\toffset:8;\tsize:1;\tsigned:1;\n"
	  "\tfield:unsigned char uc;\toffset:9;\tsize:1;\tsigned:0;\n"
	  "\tfield:struct pair p;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:__u128 wide;\toffset:32;\tsize:16;\tsigned:0;\n"
	  "\tfield:const char * name;\toffset:48;\tsize:8;\tsigned:0;\n",
	  "\"%d\", REC->c",
	  "c@8 char; uc@9 u8; p@16 struct; wide@32 other; name@48 pointer; " },
	{ "arrays",
	  "\tfield:u16 a[3];\toffset:8;\tsize:6;\tsigned:0;\n"
	  "\tfield:int b[LENGTH];\toffset:16;\tsize:8;\tsigned:1;\n"
	  "\tfield:u8 c[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	  "\tfield:__data_loc u8[] d;\toffset:40;\tsize:4;\tsigned:0;\n"
	  "\tfield:__data_loc unsigned short[] e;\toffset:44;\tsize:4;\tsigned:0;\n",
	  "\"%d\", REC->a[0]",
	  "a@8 u16[3]; b@16 s32[2]; c@24 u8[16]; d@40 loc u8[]; e@44 loc u16[]; " },
	{ "hex, symbols and characters",
	  "\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
	  "\tfield:u16 b;\toffset:10;\tsize:2;\tsigned:0;\n"
	  "\tfield:char c;\toffset:12;\tsize:1;\tsigned:1;\n"
	  "\tfield:u64 d;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:u32 e;\toffset:24;\tsize:4;\tsigned:0;\n",
	  "\"100%% %#x %04hx %c %pS %*u\", REC->a, REC->b, REC->c, (void *)REC->d, 3, REC->e",
	  "a@8 u8 x8; b@10 u16 x16; c@12 char char; d@16 u64 symbol; e@24 u32; " },
	{ "value names beyond the field, negative ones, and no names",
	  "\tfield:s16 a;\toffset:8;\tsize:2;\tsigned:1;\n"
	  "\tfield:u16 b;\toffset:10;\tsize:2;\tsigned:0;\n"
	  "\tfield:u32 c;\toffset:12;\tsize:4;\tsigned:0;\n",
	  "\"%s %s %s\", __print_symbolic(REC->a, { -1, \"NONE\" }, { 0x7, \"SEVEN\" }), "
	  "__print_symbolic(REC->b, { -1, \"NONE\" }, { NAME, \"name\" }), "
	  "__print_symbolic(REC->c >> 4, { 1, \"ONE\" })",
	  "a@8 s16 label ffffffffffffffff=NONE 7=SEVEN; "
	  "b@10 u16 label ffff=NONE; c@12 u32; " },
	{ "many flags beside the listed ones",
	  "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n",
	  "\"%s%s%s%s%s%s\", REC->a ? __print_flags(REC->a, \"|\", { 1, \"A\" }) : \"-\", "
	  "REC->a & 2 ? \"b\" : \"\", REC->a & 4 ? \"c\" : \"\", "
	  "REC->a & 8 ? \"d\" : \"\", REC->a & 16 ? \"e\" : \"\", "
	  "REC->a & 32 ? \"f\" : \"\"",
	  "a@8 u32 flags 1=A 0=- 2=-b 4=-c 8=-d 10=-e 20=-f; " },
};

static void close_scope(struct tap_scope *scope)
{
	size_t i;

	for (i = 0; i < scope->nr; i++)
		tap_value_names_put(scope->names[i].value_names);
	free(scope->names);
	memset(scope, 0, sizeof(*scope));
}

static void describe_type(FILE *out, const struct tap_name *name)
{
	static const char *const classes[] = {
		[TAP_TYPE_BOOL] = "bool",
		[TAP_TYPE_CHAR] = "char",
		[TAP_TYPE_POINTER] = "pointer",
		[TAP_TYPE_STRUCT] = "struct",
		[TAP_TYPE_OTHER] = "other",
	};
	const struct tap_type *type = &name->type;
	bool text = name->format == TAP_FMT_CHARS ||
		    name->format == TAP_FMT_STRING;
	unsigned int size = type->size;

	if (name->kind == TAP_NAME_DATA_LOC)
		fprintf(out, "loc ");
	if (type->user)
		fprintf(out, "user ");
	if (type->cls == TAP_TYPE_ARRAY && type->nr)
		size /= type->nr;
	if (text)
		fprintf(out, "char");
	else if (type->cls == TAP_TYPE_ARRAY || type->cls == TAP_TYPE_INT)
		fprintf(out, "%c%u", type->is_signed ? 's' : 'u', size * 8);
	else
		fprintf(out, "%s", classes[type->cls]);
	if (type->cls == TAP_TYPE_ARRAY && type->nr)
		fprintf(out, "[%u]", type->nr);
	else if (type->cls == TAP_TYPE_ARRAY)
		fprintf(out, "[]");
}

/* Describes all names of a scope in a line; the caller frees it. */
static char *describe(const struct tap_scope *scope)
{
	static const char *const words[__TAP_FMT_MAX] = {
		[TAP_FMT_X8] = " x8",
		[TAP_FMT_X16] = " x16",
		[TAP_FMT_X32] = " x32",
		[TAP_FMT_X64] = " x64",
		[TAP_FMT_CHAR] = " char",
		[TAP_FMT_SYMBOL] = " symbol",
		[TAP_FMT_VALUE_NAME] = " label",
		[TAP_FMT_FLAGS] = " flags",
		[TAP_FMT_ERRNO] = " errno",
	};
	const struct tap_value_names *labels;
	char *text = NULL;
	size_t len, i;
	unsigned int k;
	FILE *out = open_memstream(&text, &len);

	for (i = 0; out && i < scope->nr; i++) {
		const struct tap_name *name = &scope->names[i];

		fprintf(out, "%s@%d ", name->name, name->at);
		describe_type(out, name);
		fprintf(out, "%s", words[name->format] ?: "");
		labels = name->value_names;
		for (k = 0; labels && k < labels->nr; k++)
			fprintf(out, " %llx=%s",
				(unsigned long long)labels->list[k].value,
				labels->list[k].name);
		fprintf(out, "; ");
	}
	if (!out || fclose(out))
		exit(2);
	return text;
}

static bool as_expected(const char *is, const char *expected)
{
	size_t len = strlen(expected);

	if (len > 3 && !strcmp(expected + len - 3, "..."))
		return !strncmp(is, expected, len - 3);
	return !strcmp(is, expected);
}

static void make_directory(const char *fmt, ...)
{
	char path[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (mkdir(path, 0700) && errno != EEXIST) {
		perror(path);
		exit(2);
	}
}

/* Writes the events of a recording in the layout of tracefs. */
static void lay_out(const char *kernel)
{
	char line[MAX_TEXT], path[MAX_TEXT + 512], *slash;
	FILE *in, *out = NULL;

	snprintf(path, sizeof(path), "selftests/lib/data/tracefs-%s", kernel);
	in = fopen(path, "re");
	if (!in) {
		perror(path);
		exit(2);
	}
	make_directory("%s/%s", root, kernel);
	make_directory("%s/%s/events", root, kernel);
	while (fgets(line, sizeof(line), in)) {
		if (strncmp(line, "FILE ", 5)) {
			fputs(line, out);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		if (out)
			fclose(out);
		slash = strchr(line, '/');
		*slash = '\0';
		make_directory("%s/%s/events/%s", root, kernel, line + 5);
		*slash = '/';
		make_directory("%s/%s/events/%s", root, kernel, line + 5);
		snprintf(path, sizeof(path), "%s/%s/events/%s/format", root,
			 kernel, line + 5);
		out = fopen(path, "we");
		if (!out)
			exit(2);
	}
	if (out)
		fclose(out);
	fclose(in);
}

static void test_recorded(unsigned int k)
{
	struct tap_scope scope = {};
	struct tap_error err;
	char path[512], *text;
	size_t i;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", root, kernels[k]);
	for (i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
		if (!(expectations[i].kernels & 1U << k))
			continue;
		ret = tap_scope_tracepoint(&scope, path,
					   expectations[i].event, &err);
		check(!ret, "%s: %s: %s", kernels[k], expectations[i].event,
		      ret ? err.text : "");
		text = describe(&scope);
		check(as_expected(text, expectations[i].fields),
		      "%s: %s:\n  is       %s\n  expected %s", kernels[k],
		      expectations[i].event, text, expectations[i].fields);
		free(text);
		close_scope(&scope);
	}
}

static void test_own(void)
{
	static const char common[] =
		"name: own\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	struct tap_scope scope = {};
	struct tap_error err;
	char text[4096], *is;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\nprint fmt: %s\n", common,
			 formats[i].fields, formats[i].print);
		ret = tap_scope_format(&scope, "own", text, strlen(text), &err);
		check(!ret, "%s: %s", formats[i].what, ret ? err.text : "");
		is = describe(&scope);
		check(!strcmp(is, formats[i].expected),
		      "%s:\n  is       %s\n  expected %s", formats[i].what, is,
		      formats[i].expected);
		free(is);
		close_scope(&scope);
	}
	/* Fields beyond any event. */
	snprintf(text, sizeof(text),
		 "%s\tfield:int far;\toffset:8190;\tsize:4;\tsigned:1;\n\nprint fmt: \"%%d\", REC->far\n",
		 common);
	check(tap_scope_format(&scope, "own", text, strlen(text), &err) == -EBADMSG,
	      "a field after the longest event");
	close_scope(&scope);
	check(tap_scope_format(&scope, "own", "", 0, &err) == -EBADMSG,
	      "an empty format");
	close_scope(&scope);
}

/* Any text is read without a crash, and names are valid. */
static void check_sane(const char *text, size_t len)
{
	struct tap_scope scope = {};
	struct tap_error err = {};
	int ret = tap_scope_format(&scope, "sched", text, len, &err);
	bool sane = !ret || *err.text;
	size_t i;

	for (i = 0; !ret && i < scope.nr; i++) {
		const struct tap_name *name = &scope.names[i];

		sane &= *name->name && name->at >= 0 && name->type.size &&
			name->at + name->type.size <= MAX_EVENT &&
			(name->type.cls != TAP_TYPE_ARRAY || name->type.nr ||
			 name->kind == TAP_NAME_DATA_LOC) &&
			name->format < __TAP_FMT_MAX &&
			(name->type.cls != TAP_TYPE_INT ||
			 name->type.size <= 8);
	}
	check(sane, "a damaged format: %d %s: %.*s", ret, err.text, (int)len,
	      text);
	close_scope(&scope);
}

/* Of the characters at each place one in @one_in is tried. */
static void test_damaged(const char *event, unsigned int one_in)
{
	static const char others[] = "\0;:,(){}[]\" 9-x\xff";
	char path[512], text[MAX_TEXT], *copy;
	size_t len, i, k;
	FILE *in;

	snprintf(path, sizeof(path), "%s/6.12/events/%s/format", root, event);
	in = fopen(path, "re");
	if (!in)
		exit(2);
	len = fread(text, 1, sizeof(text), in);
	fclose(in);
	for (i = 0; i <= len; i++) {
		/* A copy of the exact size: the sanitizer detects a read beyond it. */
		copy = malloc(i + 1);
		memcpy(copy, text, i);
		check_sane(copy, i);
		free(copy);
	}
	for (i = 0; i < len; i++) {
		char was = text[i];

		for (k = i % one_in; k < sizeof(others) - 1; k += one_in) {
			text[i] = others[k];
			check_sane(text, len);
		}
		text[i] = was;
	}
}

static void test_expand(void)
{
	static const struct {
		const char *target;
		int ret;
		const char *says;	/* the names, or part of the error message */
	} cases[] = {
		{ "sched:sched_switch", 0, "tracepoint:sched:sched_switch " },
		{ "sched:*", 0, "tracepoint:sched:sched_process_exec tracepoint:sched:sched_switch " },
		{ "*:sys_e*", 0, "tracepoint:raw_syscalls:sys_enter tracepoint:syscalls:sys_enter_openat tracepoint:syscalls:sys_exit_openat " },
		{ "sched:sched_swich", -ENOENT, "did you mean tracepoint:sched:sched_switch?" },
		{ "shced:sched_switch", -ENOENT, "did you mean tracepoint:sched:sched_switch?" },
		{ "block:sys_enter", -ENOENT, "did you mean tracepoint:raw_syscalls:sys_enter?" },
		{ "nosuch:nothing", -ENOENT, "no subsystem nosuch" },
		{ "sched:nothing_like_it", -ENOENT, "'tap list tracepoint:sched:*'" },
		{ "sched:x*", -ENOENT, "no tracepoint matches" },
	};
	struct tap_spec spec, *list = NULL;
	struct tap_events events;
	struct tap_error err;
	char path[512], text[1024], all[2048];
	size_t nr, i, k;
	int ret;

	snprintf(path, sizeof(path), "%s/7.2", root);
	check(!tap_events_load(&events, path, &err) && events.nr == 15,
	      "%zu events", events.nr);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "tracepoint:%s", cases[i].target);
		check(!tap_spec_parse_into(&spec, text, &err), "%s", text);
		ret = tap_spec_expand_events(&events, &spec, &list, &nr, &err);
		check(ret == cases[i].ret, "%s: %d", text, ret);
		*all = '\0';
		for (k = 0; !ret && k < nr; k++) {
			check(list[k].type == TAP_PROBE_TRACEPOINT &&
			      !strcmp(list[k].event + sizeof("tracepoint:") - 1,
				      list[k].target), "%s", list[k].event);
			strcat(strcat(all, list[k].event), " ");
			tap_spec_clear(&list[k]);
		}
		check(ret ? !!strstr(err.text, cases[i].says) :
			    !strcmp(all, cases[i].says), "%s: %s", text,
		      ret ? err.text : all);
		if (!ret)
			free(list);
		tap_spec_clear(&spec);
	}
	tap_events_free(&events);
	check(tap_events_load(&events, "/nonexistent", &err) == -ENOENT,
	      "no tracefs");
}

/* A single event is found without the list, and nothing that the list lacks. */
static void test_find(void)
{
	static const char *const none[] = {
		"sched:sched_swich", "sched:", ":sched_switch", "sched", "sched:../sched/sched_switch",
		".:sched", "sched:.", "sched:enable", "ftrace:function", "",
	};
	struct tap_events events;
	char path[512];
	size_t i;

	snprintf(path, sizeof(path), "%s/7.2", root);
	check(!tap_events_find(&events, path, "sched:sched_switch") && events.nr == 1 &&
	      !strcmp(events.names[0], "sched:sched_switch"), "sched:sched_switch");
	tap_events_free(&events);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		check(tap_events_find(&events, path, none[i]) && !events.nr, "no %s", none[i]);
}

static void test_targets(void)
{
	static const struct {
		const char *target;
		int ret;
	} cases[] = {
		{ "sched:nosuch", -ENOENT },
		{ "sched", -EINVAL },
		{ "sched:", -EINVAL },
		{ ":sched_switch", -EINVAL },
		{ "sched:../sched/sched_switch", -EINVAL },
	};
	struct tap_scope scope = {};
	struct tap_error err;
	char path[512];
	size_t i;

	snprintf(path, sizeof(path), "%s/6.1", root);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check(tap_scope_tracepoint(&scope, path, cases[i].target, &err) ==
		      cases[i].ret && strstr(err.text, cases[i].target),
		      "%s", cases[i].target);
		close_scope(&scope);
	}
}

int main(int argc, char **argv)
{
	unsigned int one_in = check_one_in(argc, argv);
	char command[64];
	unsigned int k;

	check_quiet = true;
	if (!mkdtemp(root)) {
		perror(root);
		return 2;
	}
	for (k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		lay_out(kernels[k]);
		test_recorded(k);
	}
	test_own();
	test_expand();
	test_find();
	test_targets();
	test_damaged("sched/sched_switch", one_in);
	test_damaged("irq/softirq_raise", one_in);
	test_damaged("ipi/ipi_raise", one_in);
	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		return 2;
	return check_end();
}
