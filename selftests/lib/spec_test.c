// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the event language and of symbols: valid specs; wrong specs with their error
 * messages and marks; names, globs and similar names, with a small kernel in files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/lang.h"
#include "resolve/resolve.h"
#include "compile/compile.h"
#include "util/glob.h"
#include "util/util.h"
#include "module/common/kprobe_denylist.h"
#include "selftests/lib/check.h"
#include "compile/program.h"
#include "types/scope.h"
#include "spec/spec.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/spec_counters.h"
#include "selftests/lib/spec_functions.h"
#include "selftests/lib/spec_pmu.h"
#include "selftests/lib/spec_tables.h"
#include "selftests/lib/tmpfile.h"
#include "selftests/lib/op_text.h"
#include "kernel/kallsyms.h"
#include "kernel/ksyms.h"
#include "selftests/lib/arch_operands.h"

/* ------------------------------------------------------------- valid specs */

/* Programs and fields in the format of op_text.h. */
static const struct {
	const char *text;
	enum tap_probe_type type;
	const char *event;
	const char *target;
	const char *ops;
	const char *fields;
} right[] = {
	{ "kprobe:vfs_read", TAP_PROBE_KPROBE, "kprobe:vfs_read", "vfs_read",
	  "", "" },
	{ "  kprobe:vfs_read\t", TAP_PROBE_KPROBE, "kprobe:vfs_read",
	  "vfs_read", "", "" },
	{ "kprobe:vfs_read+16", TAP_PROBE_KPROBE, "kprobe:vfs_read+0x10",
	  "vfs_read+0x10", "", "" },
	{ "kprobe:vfs_read+0x1F", TAP_PROBE_KPROBE, "kprobe:vfs_read+0x1f",
	  "vfs_read+0x1f", "", "" },
	{ "kprobe:vfs_read+010", TAP_PROBE_KPROBE, "kprobe:vfs_read+0xa",
	  "vfs_read+0xa", "", "" },
	{ "kprobe:vfs_read+0 $arg1", TAP_PROBE_KPROBE, "kprobe:vfs_read",
	  "vfs_read", "a0", "arg1/0/0" },
	{ "kprobe:ext4:ext4_sync_fs", TAP_PROBE_KPROBE,
	  "kprobe:ext4:ext4_sync_fs", "ext4:ext4_sync_fs", "", "" },
	{ "func:vfs_read $arg1", TAP_PROBE_FUNC, "func:vfs_read", "vfs_read",
	  "a0", "arg1/0/0" },
	{ "func:ext4:ext4_*", TAP_PROBE_FUNC, "func:ext4:ext4_*",
	  "ext4:ext4_*", "", "" },
	{ "kprobe:snd-pcm:snd_pcm_open+4", TAP_PROBE_KPROBE,
	  "kprobe:snd_pcm:snd_pcm_open+0x4", "snd_pcm:snd_pcm_open+0x4", "",
	  "" },
	{ "kprobe:foo.isra.0 $arg2", TAP_PROBE_KPROBE, "kprobe:foo.isra.0",
	  "foo.isra.0", "a1", "arg2/0/0" },
	{ "kprobe:tcp_* $arg6", TAP_PROBE_KPROBE, "kprobe:tcp_*", "tcp_*",
	  "a5", "arg6/0/0" },
	{ "kprobe:[a-c]?x_[!0-9]*", TAP_PROBE_KPROBE, "kprobe:[a-c]?x_[!0-9]*",
	  "[a-c]?x_[!0-9]*", "", "" },
	{ "kprobe:nf_*:nf_*", TAP_PROBE_KPROBE, "kprobe:nf_*:nf_*",
	  "nf_*:nf_*", "", "" },
	{ "kprobe:f a=$arg1 b=$arg2:x64 c=$arg3:s32", TAP_PROBE_KPROBE,
	  "kprobe:f", "f", "a0 a1 a2", "a/0/0 b/12/1 c/7/2" },
	{ "kprobe:f $arg1:u8 $arg2:u16 $arg3:u32 $arg4:u64", TAP_PROBE_KPROBE,
	  "kprobe:f", "f", "a0 a1 a2 a3", "arg1/1/0 arg2/2/1 arg3/3/2 arg4/4/3" },
	{ "kprobe:f $arg1:s8 $arg2:s16 $arg3:s64 $arg4:char", TAP_PROBE_KPROBE,
	  "kprobe:f", "f", "a0 a1 a2 a3",
	  "arg1/5/0 arg2/6/1 arg3/8/2 arg4/13/3" },
	{ "kprobe:f $arg1:x8 $arg2:x16 $arg3:x32 $arg4:sym", TAP_PROBE_KPROBE,
	  "kprobe:f", "f", "a0 a1 a2 a3",
	  "arg1/9/0 arg2/10/1 arg3/11/2 arg4/17/3" },
	{ "kprobe:f $comm after=$arg1", TAP_PROBE_KPROBE, "kprobe:f", "f",
	  "c a0", "comm/14/0 after/0/2" },
	{ "kprobe:f who=$comm:string", TAP_PROBE_KPROBE, "kprobe:f", "f", "c",
	  "who/14/0" },
	{ "kprobe:f " R1 " x=" R2 ":x64", TAP_PROBE_KPROBE, "kprobe:f", "f",
	  R1_STEP " " R2_STEP, R1_NAME "/0/0 x/12/1" },
	{ "kprobe:f+8 " R2, TAP_PROBE_KPROBE, "kprobe:f+0x8", "f+0x8", R2_STEP,
	  R2_NAME "/0/0" },
	{ "kprobe:f $arg1 again=$arg1", TAP_PROBE_KPROBE, "kprobe:f", "f",
	  "a0 a0", "arg1/0/0 again/0/1" },
	{ "kretprobe:f", TAP_PROBE_KRETPROBE, "kretprobe:f", "f", "v",
	  "ret/16/0" },
	{ "kretprobe:f $retval", TAP_PROBE_KRETPROBE, "kretprobe:f", "f", "v",
	  "ret/16/0" },
	{ "kretprobe:f n=$retval:s64 $comm", TAP_PROBE_KRETPROBE,
	  "kretprobe:f", "f", "v c", "n/8/0 comm/14/1" },
	{ "kretprobe:f $comm rc=$retval", TAP_PROBE_KRETPROBE, "kretprobe:f",
	  "f", "v c", "rc/16/0 comm/14/1" },
	{ "kretprobe:f $retval hex=$retval:x64", TAP_PROBE_KRETPROBE,
	  "kretprobe:f", "f", "v", "ret/16/0 hex/12/0" },
	{ "kretprobe:xfs:f*", TAP_PROBE_KRETPROBE, "kretprobe:xfs:f*",
	  "xfs:f*", "v", "ret/16/0" },
	{ "call:f", TAP_PROBE_CALL, "call:f", "f", "", "" },
	{ "call:do_sys_openat2 dfd=$arg1", TAP_PROBE_CALL,
	  "call:do_sys_openat2", "do_sys_openat2", "a0", "dfd/0/2" },
	{ "call:f $comm $arg1 " R1, TAP_PROBE_CALL, "call:f", "f",
	  "c a0 " R1_STEP, "comm/14/2 arg1/0/4 " R1_NAME "/0/5" },
	{ "call:f rc=$retval $arg1", TAP_PROBE_CALL, "call:f", "f", "a0",
	  "rc/16/1 arg1/0/2" },
	{ "call:f ret=$arg1 rc=$retval:s32", TAP_PROBE_CALL, "call:f", "f",
	  "a0", "ret/0/2 rc/7/1" },
	{ "call:mod:f", TAP_PROBE_CALL, "call:mod:f", "mod:f", "", "" },
	{ "rawtracepoint:sched_switch", TAP_PROBE_RAWTP,
	  "rawtracepoint:sched_switch", "sched_switch", "", "" },
	{ "rawtp:sched_switch prev=$arg2:x64", TAP_PROBE_RAWTP,
	  "rawtracepoint:sched_switch", "sched_switch", "a1", "prev/12/0" },
	{ "rawtracepoint:kvm:kvm_entry", TAP_PROBE_RAWTP,
	  "rawtracepoint:kvm:kvm_entry", "kvm:kvm_entry", "", "" },
	{ "rawtracepoint:sched_* $arg1 $comm $arg6", TAP_PROBE_RAWTP,
	  "rawtracepoint:sched_*", "sched_*", "a0 c a5",
	  "arg1/0/0 comm/14/1 arg6/0/3" },
	{ "watchpoint:v:4:w", TAP_PROBE_WATCHPOINT, "watchpoint:v:4:w", "v",
	  "f0 f8:4 f16:4", "ip/17/0 old/0/1 new/0/2" },
	{ "watchpoint:a-mod:v+8:8:rw new", TAP_PROBE_WATCHPOINT,
	  "watchpoint:a_mod:v+0x8:8:rw", "a_mod:v+0x8", "f16", "new/0/0" },
	{ "watchpoint:0xFFFFffff82000001:2:x", TAP_PROBE_WATCHPOINT,
	  "watchpoint:0xffffffff82000001:2:x", "0xffffffff82000001", "f0",
	  "ip/17/0" },
	{ "watchpoint:(& d->x[1]):8:rw in (kprobe:f if $arg1 == 3) new", TAP_PROBE_WATCHPOINT,
	  "watchpoint:(& d->x[1]):8:rw", "(& d->x[1])", "f16", "new/0/0" },
	{ "watchpoint:./app:count+4:4:w", TAP_PROBE_USER_WATCH, "watchpoint:./app:count+0x4:4:w",
	  "./app:count+0x4", "f0 f8:4 f16:4", "ip/28/0 old/0/1 new/0/2" },
	{ "watchpoint:\"a b\":n::v:1:x", TAP_PROBE_USER_WATCH, "watchpoint:\"a b\":n::v:1:x",
	  "\"a b\":n::v", "f0", "ip/28/0" },
};

/* Parses, and makes the program as for a target without names. */
static int make(const char *text, struct tap_spec *spec, struct tap_error *err)
{
	struct tap_scope scope = { .why = "nothing is known here" };
	int ret = tap_spec_parse_into(spec, text, err);

	if (ret)
		return ret;
	if (spec->type == TAP_PROBE_WATCHPOINT || spec->type == TAP_PROBE_USER_WATCH)
		ret = tap_scope_watchpoint(&scope, spec, err);
	return make_event_end(ret, spec, &scope, err);
}

static void test_right(void)
{
	char ops[1024], fields[8192];
	struct tap_error err;
	struct tap_spec spec;
	size_t i;
	bool ok;
	int ret;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		ret = make(right[i].text, &spec, &err);
		if (ret) {
			check(false, "%s: %s", right[i].text, err.text);
			continue;
		}
		put_steps(ops, &spec);
		put_fields(fields, &spec);
		ok = spec.type == right[i].type && !err.code && !*err.text &&
		     !strcmp(spec.event, right[i].event) &&
		     !strcmp(spec.target, right[i].target) &&
		     !strcmp(ops, right[i].ops) &&
		     !strcmp(fields, right[i].fields);
		check(ok, "right: %s", right[i].text);
		if (!ok)
			printf("# %s %s ops [%s] fields [%s]\n", spec.event,
			       spec.target, ops, fields);
		tap_spec_clear(&spec);
	}
}

/* NAME= in front of a known kind is the name of the event; any other text is what it was. */
static const struct {
	const char *text;
	size_t len;	/* of the name with its =; 0: the text has none */
} names[] = {
	{ "w=kprobe:vfs_write", 2 },
	{ "a_1=tp:sched:sched_switch prev_pid", 4 },
	{ "tick=interval:ms:10", 5 },
	{ "m=mark if text == \"x\"", 2 },
	{ "if=kprobe:f", 3 },
	{ "s=span:rq from kprobe:f on $arg1 to kprobe:g on $arg1", 2 },
	{ "kprobe=kprobe:f", 7 },
	{ "w=mark1", 0 },
	{ "w=kprobe", 0 },
	{ "w=nonesuch:f", 0 },
	{ "1w=kprobe:f", 0 },
	{ "w.x=kprobe:f", 0 },
	{ "=kprobe:f", 0 },
	{ "w==kprobe:f", 0 },
	{ "x=$arg1 kprobe:f", 0 },
	{ "cpu/event=0x3c/", 0 },
};

static void test_names(void)
{
	struct tap_spec spec, copy, other;
	char text[200];
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		len = tap_spec_name_len(names[i].text);
		check(len == names[i].len, "%zu bytes of \"%s\" are a name", names[i].len,
		      names[i].text);
		if (!len)
			continue;
		if (tap_spec_parse_into(&spec, names[i].text, NULL)) {
			check(false, "%s is accepted", names[i].text);
			continue;
		}
		snprintf(text, sizeof(text), "%.*s", (int)len - 1, names[i].text);
		check(!strcmp(tap_spec_name(&spec), text) && !strcmp(tap_spec_event(&spec), text) &&
		      *tap_spec_text(&spec) == names[i].text[len] &&
		      !strchr(tap_spec_text(&spec), '='), "its name is %s", text);
		tap_spec_clear(&spec);
	}
	check(!tap_spec_parse_into(&spec, "w=kprobe:vfs_*", NULL) &&
	      !tap_spec_copy(&spec, "kprobe:vfs_read", "vfs_read", &copy) &&
	      !tap_spec_copy(&spec, "kprobe:vfs_open", "vfs_open", &other), "a glob with a name");
	check(tap_spec_same_event(&copy, &other) && !strcmp(tap_spec_event(&copy), "w") &&
	      !strcmp(tap_spec_text(&copy), "kprobe:vfs_read") &&
	      !strcmp(tap_spec_wanted(&copy), "kprobe:vfs_*"), "all its probes are one event");
	tap_spec_clear(&copy);
	tap_spec_clear(&spec);
	check(!tap_spec_parse_into(&spec, "kprobe:vfs_open", NULL) &&
	      !tap_spec_same_event(&spec, &other) && !tap_spec_name(&spec) &&
	      !strcmp(tap_spec_event(&spec), "kprobe:vfs_open"), "an event without a name");
	tap_spec_clear(&spec);
	tap_spec_clear(&other);
}

/* ------------------------------------------------------------- wrong specs */

static void test_limits(void)
{
	char text[4096], name[300];
	struct tap_error err;
	struct tap_spec spec;
	size_t at, i;
	int ret;

	at = sprintf(text, "kprobe:f");
	for (i = 0; i < 62; i++)
		at += sprintf(text + at, " v%zu=$arg1", i);
	ret = make(text, &spec, &err);
	check(!ret && spec.nr_ops == 62, "62 values fit");
	check(!ret && !tap_spec_fetch_comm(&spec) &&
	      !tap_spec_test(&spec, TAP_VAR_TGID, 0, 1) && spec.nr_ops == 65,
	      "tap can add values");
	check(!ret && spec.ops[0].code == TAP_OP_VAR &&
	      spec.ops[1].imm == 1 && spec.fields[62].word == 62 &&
	      spec.fields[62].flags == TAP_FIELD_F_HIDDEN,
	      "a condition is placed first, the hidden comm last");
	while (!ret && spec.nr_ops < TAP_MAX_OPS - 1)
		ret = tap_spec_test(&spec, TAP_VAR_TGID, 0, 1);
	check(tap_spec_test(&spec, TAP_VAR_TGID, 0, 1) == -E2BIG, "one more value is refused");
	tap_spec_clear(&spec);
	tap_spec_clear(&spec);
	sprintf(text + at, " $arg2");
	ret = tap_spec_parse_into(&spec, text, &err);
	check(ret == -E2BIG && strstr(err.text, "at most 62 values"),
	      "63 values are refused");
	/* The message shows the part of a long text around the error. */
	check(strlen(strchr(err.text, '\n')) < 160 &&
	      strstr(err.text, "v61=$arg1 $arg2\n"), "a long text is shortened in the message");

	/* Continuation bytes of UTF-8 without a first byte. */
	sprintf(text, "kprobe:");
	memset(text + 7, 0x80, 100);
	text[107] = '\0';
	ret = tap_spec_parse_into(&spec, text, &err);
	check(ret == -EINVAL && strlen(strchr(err.text, '\n')) < 160,
	      "a hundred UTF-8 continuation bytes");

	memset(name, 'x', 255);
	name[255] = '\0';
	sprintf(text, "kprobe:%s", name);
	ret = tap_spec_parse_into(&spec, text, &err);
	check(!ret && strlen(spec.target) == 255, "a target of 255 bytes");
	if (!ret)
		tap_spec_clear(&spec);
	sprintf(text, "kprobe:%s+1", name);
	ret = tap_spec_parse_into(&spec, text, &err);
	check(ret == -EINVAL && strstr(err.text, "longer than 255"),
	      "a target of 256 bytes");
	name[64] = '\0';
	sprintf(text, "kprobe:f %s=$arg1", name);
	ret = tap_spec_parse_into(&spec, text, &err);
	check(ret == -EINVAL && strstr(err.text, "at most 63 characters"),
	      "a name of 64 bytes");
	check(tap_spec_parse_into(&spec, "kprobe:f $retval", NULL) == -EINVAL,
	      "no room for an error message");
	tap_spec_free(NULL);
}

/* Any text gives a spec or an error message, and never accesses other memory. */
static void test_noise(void)
{
	static const char parts[] =
		"kprobe:call:rawtp:$arg1%di=:+0x*[]-> ,if\t\n\xc3\xbc_f9$retval";
	struct tap_error err;
	struct tap_spec spec;
	unsigned int seed = 1;
	bool ok = true;
	char text[200];
	int i, k, len;

	for (i = 0; i < 50000 && ok; i++) {
		len = i % 3 ? sprintf(text, "kprobe:f ") : 0;
		seed = seed * 1103515245 + 12345;
		for (k = (seed >> 16) % 100; k > 0; k--) {
			seed = seed * 1103515245 + 12345;
			text[len++] = parts[(seed >> 16) % (sizeof(parts) - 1)];
		}
		text[len] = '\0';
		if (tap_spec_parse_into(&spec, text, &err))
			ok = err.code < 0 && *err.text;
		else
			tap_spec_clear(&spec);
	}
	check(ok, "50000 random texts");
}

/* ------------------------------------------------------------------- globs */

static void test_globs(void)
{
	static const struct {
		const char *glob;
		const char *text;
		bool matches;
	} rows[] = {
		{ "vfs_read", "vfs_read", true },
		{ "vfs_read", "vfs_readv", false },
		{ "vfs_*", "vfs_", true },
		{ "vfs_*", "vfs_read", true },
		{ "vfs_*", "xvfs_read", false },
		{ "*", "", true },
		{ "*read*", "vfs_readv", true },
		{ "*a*b*c", "xaxbxbc", true },
		{ "*a*b*c", "xaxbxbcd", false },
		{ "*ab", "aab", true },
		{ "v?s", "vfs", true },
		{ "v?s", "vs", false },
		{ "[a-c]x", "bx", true },
		{ "[a-c]x", "dx", false },
		{ "[!a-c]x", "dx", true },
		{ "[^a-c]x", "ax", false },
		{ "[]]x", "]x", true },
		{ "[-a]x", "-x", true },
		{ "x[ab", "x[ab", true },
		{ "x[ab", "xa", false },
		{ "*[0-9]", "f12", true },
		{ "vfs_{read,write}", "vfs_read", true },
		{ "vfs_{read,write}", "vfs_write", true },
		{ "vfs_{read,write}", "vfs_readv", false },
		{ "vfs_{read,write}v", "vfs_readv", true },
		{ "vfs_{read,write}*", "vfs_writev", true },
		{ "{vfs,ksys}_{read,write}", "ksys_read", true },
		{ "{vfs,ksys}_{read,write}", "ksys_open", false },
		{ "x{a,}", "x", true },
		{ "x{a,b{c,d}e}", "xbde", true },
		{ "x{a,b{c,d}e}", "xbe", false },
		{ "x{[a-c],?z}", "xyz", true },
		/* No alternatives: names of C++ and Rust. */
		{ "f{lambda(int,int)#1}", "f{lambda(int,int)#1}", true },
		{ "f{{closure}}*", "f{{closure}}::g", true },
		{ "f{a}", "f{a}", true },
		{ "f{a,b", "f{a,b", true },
		{ "f{g<int,int>,h}", "fg<int,int>", true },
		{ "a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		check(tap_glob_match(rows[i].glob, rows[i].text) ==
		      rows[i].matches, "glob: %s %s %s", rows[i].glob,
		      rows[i].matches ? "matches" : "does not match",
		      rows[i].text);
}

/* ---------------------------------------------------------- a small kernel */

static char fixture_dir[] = "/tmp/spec_test.XXXXXX";

static const char *fixture(const char *name, const char *text)
{
	static char paths[8][64];
	static unsigned int next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];
	FILE *f;

	snprintf(path, sizeof(paths[0]), "%s/%s", fixture_dir, name);
	unlink(path);
	if (!text)
		return path;
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	return path;
}

/* The same text as an unprivileged process reads it: all addresses are 0. */
static char *hide(const char *text)
{
	char *hidden = strdup(text), *p;

	for (p = hidden; (p = strstr(p, "ffffffff")); p += 16)
		memset(p, '0', 16);
	return hidden;
}

static struct tap_symbols *load(const char *syms, const char *mods,
				const char *black, struct tap_error *err)
{
	const struct tap_symbols_paths paths = {
		.kallsyms = fixture("kallsyms", syms),
		.modules = fixture("modules", mods),
		.blacklist = fixture("blacklist", black),
	};

	return tap_symbols_load_from(&paths, err);
}

/* Events with the targets that they expand to. */
static const struct expansion expansions[] = {
	{ "kprobe:vfs_read", 0, "vfs_read", "" },
	{ "kprobe:vmlinux:vfs_read", 0, "vfs_read", "" },
	{ "kprobe:vfs_read+0x20", 0, "vfs_read+0x20", "" },
	{ "kprobe:vfs_read+0x200", -EINVAL, NULL,
	  "vfs_read+0x200: the function is only 0xf0 bytes long" },
	{ "kprobe:vfs_raed", -ENOENT, NULL,
	  "vfs_raed: no such function; did you mean vfs_read?" },
	{ "kprobe:vfs_rea", -ENOENT, NULL, "did you mean vfs_read?" },
	{ "kprobe:openat2", -ENOENT, NULL, "did you mean do_sys_openat2?" },
	{ "kprobe:zzzzzzzzz", -ENOENT, NULL,
	  "zzzzzzzzz: no such function; it may be inlined" },
	{ "kprobe:vfs_statx", 0, "vfs_statx.isra.0",
	  "vfs_statx.isra.0 is a clone of vfs_statx: the compiler may have dropped arguments or the return value" },
	{ "kprobe:vfs_statx+4", 0, "vfs_statx.isra.0+0x4", "is a clone of" },
	{ "kprobe:ext4:vfs_statx", -ENOENT, NULL, "no such function" },
	{ "kprobe:cloned", 0, "cloned.constprop.0 cloned.part.0",
	  "cloned: the compiler made 2 clones of it, e.g. cloned.part.0; they are probed instead and may lack arguments or the return value" },
	{ "kprobe:cloned+4", -ENOENT, NULL, "name one" },
	{ "kprobe:clone", -ENOENT, NULL, "no such function" },
	{ "kprobe:vfs_statx.isra.0", 0, "vfs_statx.isra.0", "" },
	{ "kprobe:get_kprobe", -EADDRNOTAVAIL, NULL,
	  "get_kprobe: is blacklisted" },
	{ "kprobe:noinstr_first", -EADDRNOTAVAIL, NULL, "is blacklisted" },
	{ "kprobe:entry_SYSCALL_64", -EADDRNOTAVAIL, NULL, "is blacklisted" },
	{ "kprobe:vfs_init", -EADDRNOTAVAIL, NULL,
	  "ran only while the kernel started" },
	{ "kprobe:__pfx_vfs_read", -EADDRNOTAVAIL, NULL, "not a function" },
	{ "kprobe:_stext", -EADDRNOTAVAIL, NULL, "marks a section" },
	{ "kprobe:vfs_data", -ENOENT, NULL, "no such function" },
	{ "kprobe:__SCT__might_resched", -EADDRNOTAVAIL, NULL, "rewrites" },
	{ "kprobe:__SCT__*", -EADDRNOTAVAIL, NULL, "none can be probed" },
	{ "kprobe:__x86_return_thunk", -EADDRNOTAVAIL, NULL, "runs at every probe" },
	{ "kprobe:.slowpath", 0, ".slowpath", "" },
	{ "call:.slowpath", -EADDRNOTAVAIL, NULL, "a label inside" },
	{ "kprobe:.slow*", -ENOENT, NULL, "no function matches" },
	{ "kprobe:said_to_be_text", -EADDRNOTAVAIL, NULL, "is data" },
	{ "kprobe:said*", -ENOENT, NULL, "no function matches" },
	{ "kprobe:tcp_recvmsg.cold", 0, "tcp_recvmsg.cold", "" },
	{ "call:tcp_recvmsg.cold", -EADDRNOTAVAIL, NULL, "does not return" },
	{ "kprobe:helper", 0, "helper",
	  "helper: 3 functions have this name; the kernel probes the first" },
	{ "kprobe:vmlinux:helper", 0, "helper", "2 functions" },
	{ "kprobe:ext4:helper", 0, "ext4:helper WAIT", "" },
	{ "kprobe:__switch_to", 0, "__switch_to", "" },
	{ "call:__switch_to", -EADDRNOTAVAIL, NULL, "use kprobe:" },
	{ "kretprobe:__switch_to", -EADDRNOTAVAIL, NULL, "use kprobe:" },
	{ "kprobe:__x64_sys_openat", 0, "__x64_sys_openat", "" },
	{ "kprobe:__x64_sys_openat $arg1", 0, "__x64_sys_openat",
	  "points to the saved registers" },
	{ "kprobe:ext4:ext4_sync_fs", 0, "ext4:ext4_sync_fs WAIT", "" },
	{ "call:ext4:ext4_sync_fs", 0, "ext4:ext4_sync_fs WAIT", "" },
	{ "kprobe:ext4:ext4_init_fs", -ENOENT, NULL,
	  "exists only while the module loads" },
	{ "kprobe:ext4_sync_fs", 0, "ext4_sync_fs", "" },
	{ "kprobe:ext4:ext4_read", -EADDRNOTAVAIL, NULL, "is blacklisted" },
	{ "kprobe:xfs:vfs_read", -ENOENT, NULL,
	  "xfs:vfs_read: no such function in that module; did you mean vfs_read?" },
	{ "kprobe:ext4:xfs_read", -ENOENT, NULL, "did you mean xfs:xfs_read?" },
	{ "kprobe:exr4:ext4_sync_fs", 0, "exr4:ext4_sync_fs WAIT",
	  "no module exr4 is loaded; did you mean ext4?" },
	{ "kprobe:btrfs:f", 0, "btrfs:f WAIT", "" },
	{ "kprobe:btrfs:f+8", 0, "btrfs:f+0x8 WAIT", "" },
	{ "call:btrfs:f", 0, "btrfs:f WAIT", "" },
	{ "func:snd-hda:f", 0, "snd_hda:f WAIT", "" },
	{ "kprobe:btrfs:f*", -ENOENT, NULL,
	  "no module btrfs is loaded; load it first, name its file with --debug, or give the full name" },
	{ "func:btrfs:f*", -ENOENT, NULL, "no module btrfs is loaded" },
	{ "kprobe:bpf_prog_6deef7357e7b4530_x", -EADDRNOTAVAIL, NULL,
	  "was generated at run time" },
	{ "kprobe:weak_one", 0, "weak_one", "" },

	{ "kprobe:vfs_*", 0, "vfs_read vfs_readv vfs_statx.isra.0 vfs_write",
	  "" },
	{ "kprobe:vfs_read*", 0, "vfs_read vfs_readv", "" },
	{ "call:tcp_*", 0, "tcp_recvmsg tcp_sendmsg", "" },
	{ "kprobe:*_read", 0, "vfs_read xfs:xfs_read xfs:__traceiter_xfs_read", "" },
	{ "kprobe:ext4:*", 0,
	  "ext4:__traceiter_ext4_sync ext4:__traceiter_shared ext4:ext4_sync_fs ext4:helper",
	  "" },
	{ "kprobe:vmlinux:h*", 0, "helper", "belong to several functions" },
	{ "kprobe:helper*", 0, "helper ext4:helper",
	  "helper*: matches 2 functions; 1 of these names" },
	{ "kprobe:get_k*", -EADDRNOTAVAIL, NULL,
	  "matches 1 functions and none can be probed" },
	{ "kprobe:tpc_*", -ENOENT, NULL,
	  "tpc_*: no function matches; did you mean tcp_*?" },
	{ "kprobe:qqqq*", -ENOENT, NULL, "qqqq*: no function matches" },
	{ "call:__switch_t*", -ENOENT, NULL, "no function matches" },

	{ "rawtracepoint:sched_switch", 0, "sched_switch", "" },
	{ "rawtp:sched_*", 0, "sched_switch sched_wakeup", "" },
	{ "rawtp:ext4_sync", 0, "ext4_sync", "" },
	{ "rawtp:ext4:ext4_sync", 0, "ext4:ext4_sync WAIT", "" },
	{ "rawtp:*", 0,
	  "ext4:ext4_sync sched_switch sched_wakeup ext4:shared xfs:shared xfs:xfs_read",
	  "" },
	{ "rawtp:x?s:*", 0, "xfs:shared xfs:xfs_read", "" },
	{ "rawtp:shared", 0, "shared", "2 modules have a tracepoint" },
	{ "rawtp:sched_swich", -ENOENT, NULL,
	  "sched_swich: no such tracepoint; did you mean sched_switch? If its module" },
	{ "rawtp:zzzzzz", -ENOENT, NULL,
	  "name the module: rawtracepoint:MODULE:zzzzzz" },
	{ "rawtp:ext4:ext4_snyc", -ENOENT, NULL,
	  "the module has no such tracepoint; did you mean ext4_sync?" },
	{ "rawtp:snd-pcm:hwptr", -ENOENT, NULL,
	  "snd_pcm:hwptr: the module has no such tracepoint" },
	{ "rawtp:sched:sched_switch", -ENOENT, NULL,
	  "did you mean rawtracepoint:sched_switch?" },
	{ "rawtp:btrfs:sync", 0, "btrfs:sync WAIT", "" },
	{ "rawtp:btrfs:s*", -ENOENT, NULL, "no module btrfs is loaded" },
	{ "rawtp:zz*", -ENOENT, NULL, "zz*: no tracepoint matches" },
};

static bool same_targets(const char *want, const struct tap_spec *list,
			 size_t nr)
{
	char word[300], *at;
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *wait = list[i].flags & TAP_CREATE_F_WAIT ?
				   " WAIT" : "";
		size_t len = snprintf(word, sizeof(word), "%s%s",
				      list[i].target, wait);

		at = strstr(want, word);
		while (at && ((at > want && at[-1] != ' ') ||
			      (at[len] && at[len] != ' ')))
			at = strstr(at + 1, word);
		if (!at)
			return false;
		/* The name of the event is its type and target. */
		at = strchr(list[i].event, ':');
		if (!at || strcmp(at + 1, list[i].target))
			return false;
	}
	for (at = strchr(want, ' '); at; at = strchr(at + 1, ' '))
		nr -= strcmp(at, " WAIT") != 0;
	return nr == 1;
}

/* The symbols that expand() uses. */
static struct tap_symbols *expand_symbols;

static int expand(const char *text, struct tap_spec **list, size_t *nr,
		  struct tap_error *err)
{
	struct tap_spec spec;
	int ret = tap_spec_parse_into(&spec, text, err);

	if (ret)
		return ret;
	ret = tap_spec_expand_in(expand_symbols, NULL, &spec, list, nr, err);
	tap_spec_clear(&spec);
	return ret;
}

static void test_expand(void)
{
	expand_symbols = load(spec_kallsyms, spec_modules, spec_blacklist, NULL);
	check_expansions(expansions, ARRAY_SIZE(expansions), expand, same_targets);
	tap_symbols_free(expand_symbols);
}

static int expand_one(struct tap_symbols *syms, const char *text, char *target,
		      struct tap_error *err)
{
	struct tap_spec *list;
	size_t nr;
	int ret;

	*target = '\0';
	expand_symbols = syms;
	ret = expand(text, &list, &nr, err);
	if (ret)
		return ret;
	sprintf(target, "%s%s", list[0].target,
		list[0].flags & TAP_CREATE_F_WAIT ? " WAIT" : "");
	free_events(list, nr);
	return 0;
}

static void test_hidden(void)
{
	char *syms_text = hide(spec_kallsyms), *black = hide(spec_blacklist);
	struct tap_symbols *syms;
	struct tap_error err;
	char target[300];

	syms = load(syms_text, spec_modules, black, &err);
	check(syms && !syms->addresses, "hidden: addresses are unknown");
	check(syms->blacklist == TAP_BLACKLIST_KERNEL &&
	      expand_one(syms, "kprobe:get_kprobe", target, &err) ==
	      -EADDRNOTAVAIL, "hidden: the blacklist is checked by name");
	check(expand_one(syms, "kprobe:ext4:ext4_read", target, &err) ==
	      -EADDRNOTAVAIL, "hidden: the blacklist is checked by name in modules");
	check(expand_one(syms, "kprobe:vfs_init", target, &err) ==
	      -EADDRNOTAVAIL, "hidden: sections are known by the order of symbols");
	check(!expand_one(syms, "kprobe:vfs_read+0x200", target, &err),
	      "hidden: the length of a function is unknown");
	check(!expand_one(syms, "kprobe:helper", target, &err) &&
	      strstr(err.text, "3 functions"), "hidden: functions of one name are counted");
	check(tap_symbols_lookup(syms, 0xffffffff81001010, target,
				 sizeof(target)) == -ENOENT,
	      "hidden: an address has no name");
	tap_symbols_free(syms);

	syms = load(syms_text, spec_modules, NULL, &err);
	check(syms && syms->blacklist == TAP_BLACKLIST_SECTIONS &&
	      syms->blacklist_unreadable == ENOENT,
	      "hidden: without a blacklist the sections are checked");
	check(expand_one(syms, "kprobe:noinstr_last", target, &err) ==
	      -EADDRNOTAVAIL, "hidden: noinstr is refused");
	tap_symbols_free(syms);
	free(syms_text);
	free(black);
}

static void test_unreadable(void)
{
	struct tap_symbols *syms = load(NULL, NULL, NULL, NULL);
	struct tap_error err;
	char target[300];

	check(syms && syms->unreadable == ENOENT && !syms->nr,
	      "unreadable: no symbols");
	check(!expand_one(syms, "kprobe:anything", target, &err) &&
	      !strcmp(target, "anything"), "unreadable: a name is passed to the kernel");
	check(!expand_one(syms, "kprobe:vmlinux:f+4", target, &err) &&
	      !strcmp(target, "f+0x4"), "unreadable: without vmlinux:");
	check(!expand_one(NULL, "rawtp:mod:t", target, &err) &&
	      !strcmp(target, "mod:t WAIT"), "unreadable: a tracepoint of an unknown module is deferred");
	check(!expand_one(NULL, "kprobe:mod:f", target, &err) &&
	      !strcmp(target, "mod:f WAIT"), "unreadable: a function of an unknown module is deferred");
	check(expand_one(syms, "kprobe:any*", target, &err) == -ENOTSUP &&
	      strstr(err.text, "No such file"), "unreadable: a glob is refused");
	tap_symbols_free(syms);
	syms = load("", "", "", &err);
	check(syms && !syms->nr && !syms->nr_modules, "empty files");
	tap_symbols_free(syms);
	tap_symbols_free(NULL);
}

static void test_symbols(void)
{
	static const struct {
		uint64_t addr;
		const char *name;
	} rows[] = {
		{ 0xffffffff81001010, "vfs_read+0x0" },
		{ 0xffffffff810010ff, "vfs_read+0xef" },
		{ 0xffffffff81001100, "vfs_readv+0x0" },
		{ 0xffffffff81002004, "noinstr_first+0x4" },
		{ 0xffffffffc0101004, "ext4_sync_fs+0x4 [ext4]" },
		{ 0xffffffffc0001000, "xfs_read+0x0 [xfs]" },
		{ 0xffffffff81000000, NULL },
		{ 0xffffffff81003010, NULL },
		{ 0xffffffff81100204, NULL },
		{ 0xffffffff80000000, NULL },
		{ 0xffffffffff000000, NULL },
		{ 0, NULL },
	};
	struct tap_symbols *syms = load(spec_kallsyms, spec_modules, spec_blacklist, NULL);
	char buf[64];
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = tap_symbols_lookup(syms, rows[i].addr, buf, sizeof(buf));
		check(rows[i].name ? !ret && !strcmp(buf, rows[i].name) :
		      ret == -ENOENT, "lookup: 0x%llx is %s",
		      (unsigned long long)rows[i].addr,
		      rows[i].name ? rows[i].name : "nothing");
	}
	check(!tap_symbols_lookup(syms, rows[0].addr, buf, 4) &&
	      !strcmp(buf, "vfs"), "lookup: the text is truncated to the buffer");
	check(syms->counts[TAP_SYMBOL_BLACKLISTED] == 5 &&
	      syms->counts[TAP_SYMBOL_INIT] == 1 &&
	      syms->counts[TAP_SYMBOL_COLD] == 2 &&
	      syms->counts[TAP_SYMBOL_PADDING] == 1 &&
	      syms->counts[TAP_SYMBOL_GENERATED] == 1,
	      "counts of symbols by use");
	check(syms->nr_tracepoints == 6, "tracepoints");
	tap_symbols_free(syms);

	syms = load("0 T f\n0 d __tracepoint_old\n0 d __tracepoint_ptr_old\n",
		    "", NULL, NULL);
	check(syms->nr_tracepoints == 1 &&
	      !strcmp(syms->tracepoints[0].name, "old"),
	      "tracepoints of a kernel without iterators");
	tap_symbols_free(syms);
}

static void test_many(void)
{
	size_t nr = 200000, i, len = 0;
	char *text = malloc(nr * 48);
	struct tap_symbols *syms;
	struct tap_error err;
	char target[300];

	/* 7919 is prime to the number of functions: the names are not sorted. */
	for (i = 0; i < nr; i++)
		len += sprintf(text + len, "%016zx t function_%zu\n",
			       0xffffffff81000000 + i * 16, i * 7919 % nr);
	syms = load(text, "", "", &err);
	check(syms && syms->nr == nr, "200000 symbols");
	check(expand_one(syms, "kprobe:function_*", target, &err) == -ENOSPC &&
	      strstr(err.text, "matches 200000 functions, a session has at most 16384"),
	      "a glob that matches too many functions");
	check(!expand_one(syms, "kprobe:function_123456", target, &err),
	      "one of many functions");
	check(expand_one(syms, "kprobe:funtcion_1234x", target, &err) ==
	      -ENOENT && strstr(err.text, "did you mean function_1234"),
	      "similar names of many functions");
	tap_symbols_free(syms);
	free(text);
}

/* Modules at any address, names with common prefixes, and duplicate names. */
static void test_orders(void)
{
	static const char *const parts[] = { TAP_DENIED_NAMES };
	const struct tap_symbol *a, *b;
	char *text = malloc(1 << 20);
	struct tap_symbols *syms;
	bool addresses = true, names = true, denied = true;
	size_t i, len = 0, seen = 0;
	unsigned int x = 1;

	for (i = 0; i < 4000; i++) {
		x = x * 1103515245 + 12345;
		len += sprintf(text + len, "ffffffff%08x t %.*s%x\t[m%u]\n",
			       i < 2000 ? (unsigned int)i << 20 : x & ~0xfffu,
			       (int)(x >> 20 & 15), "__pfx_something", x >> 24,
			       (unsigned int)(i % 3));
	}
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		len += sprintf(text + len, "ffffffff%08zx t %.*s%s%s\n", i * 7,
			       (int)(i % 7), "before", parts[i], i & 1 ? "" : "_x");
	syms = load(text, "", "", NULL);
	if (!syms || tap_symbols_sort(syms))
		abort();
	for (i = 0; i < syms->nr; i++) {
		seen += !*syms->list[i].module;
		if (!*syms->list[i].module)
			denied &= syms->list[i].state == TAP_SYMBOL_TRAMPOLINE;
		if (!i)
			continue;
		a = &syms->list[i - 1];
		b = &syms->list[i];
		addresses &= a->addr < b->addr || (a->addr == b->addr && a->order < b->order);
		a = tap_symbols_by_name(syms, i - 1);
		b = tap_symbols_by_name(syms, i);
		names &= strcmp(a->name, b->name) < 0 || (!strcmp(a->name, b->name) && a < b);
	}
	check(syms->nr == 4000 + ARRAY_SIZE(parts) && addresses, "symbols are sorted by address");
	check(names, "symbols are sorted by name, equal names by address");
	check(denied && seen == ARRAY_SIZE(parts), "a name with a denied part is denied");
	tap_symbols_free(syms);
	free(text);
}

int main(void)
{
	native_dir(fixture_dir);
	test_right();
	test_names();
	test_counters();
	test_pmu_right();
	test_pmu_names();
	check_wrong_events(spec_wrong, nr_spec_wrong, make);
	test_limits();
	test_noise();
	test_globs();
	test_expand();
	test_hidden();
	test_unreadable();
	test_symbols();
	test_many();
	test_orders();
	test_functions();
	fixture("kallsyms", NULL);
	fixture("modules", NULL);
	fixture("blacklist", NULL);
	rmdir(fixture_dir);
	return check_end();
}
