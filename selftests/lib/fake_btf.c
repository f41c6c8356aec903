// SPDX-License-Identifier: GPL-2.0
/*
 * Types and prototypes of a kernel, in a BTF file, for tests of expressions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "types/btf.h"
#include "selftests/lib/fake_btf.h"

static void add_member(struct btf *btf, const char *name, int type,
			      size_t offset)
{
	if (btf__add_field(btf, name, type, offset * 8, 0))
		abort();
}

#define REC_MEMBER(name, type)	\
	add_member(btf, #name, type, offsetof(struct rec, name))

static void add_function(struct btf *btf, const char *name, int ret,
				const char *const *names, const int *types)
{
	int proto = btf__add_func_proto(btf, ret);

	for (; *names; names++, types++)
		if (btf__add_func_param(btf, *names, *types))
			abort();
	if (btf__add_func(btf, name, BTF_FUNC_STATIC, proto) < 0)
		abort();
}

/* Bitfields of struct rec have no holes: bits count from 32 on. */
static int add_rec(struct btf *btf, int s8, int u8, int s16, int u16,
			  int s32, int u32, int s64, int u64)
{
	int rec, ptr, arr;
	size_t bits = offsetof(struct rec, ul) + 8;

	arr = btf__add_array(btf, u32, u32, 4);
	/* A pointer may precede the type that it points to. */
	ptr = btf__add_ptr(btf, btf__type_cnt(btf) + 1);
	rec = btf__add_struct(btf, "rec", sizeof(struct rec));
	REC_MEMBER(sc, s8);
	REC_MEMBER(uc, u8);
	REC_MEMBER(ss, s16);
	REC_MEMBER(us, u16);
	REC_MEMBER(si, s32);
	REC_MEMBER(ui, u32);
	REC_MEMBER(sl, s64);
	REC_MEMBER(ul, u64);
	if (btf__add_field(btf, "b3", u32, bits * 8, 3) ||
	    btf__add_field(btf, "b11", u32, bits * 8 + 3, 11) ||
	    btf__add_field(btf, "s5", s32, bits * 8 + 14, 5) ||
	    btf__add_field(btf, "b13", u32, bits * 8 + 19, 13))
		abort();
	REC_MEMBER(arr, arr);
	REC_MEMBER(next, ptr);
	if (rec != ptr + 1)
		abort();
	return ptr;
}

static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int s8 = btf__add_int(btf, "signed char", 1, BTF_INT_SIGNED);
	int u8 = btf__add_int(btf, "unsigned char", 1, 0);
	int s16 = btf__add_int(btf, "short", 2, BTF_INT_SIGNED);
	int u16 = btf__add_int(btf, "unsigned short", 2, 0);
	int s32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int u32 = btf__add_int(btf, "unsigned int", 4, 0);
	int s64 = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	int u64 = btf__add_int(btf, "unsigned long", 8, 0);
	int boolean = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	int c = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	int text = btf__add_ptr(btf, btf__add_const(btf, c));
	int utext = btf__add_ptr(btf, btf__add_type_tag(btf, "user",
							btf__add_const(btf, c)));
	int name = btf__add_array(btf, u32, c, 16);
	int bytes = btf__add_array(btf, u32, u8, 8);
	int ubytes = btf__add_ptr(btf, btf__add_const(btf, u8));
	int numbers = btf__add_array(btf, u32, u64, 4);
	int any = btf__add_ptr(btf, 0);
	int fn = btf__add_ptr(btf, btf__add_func_proto(btf, 0));
	int rec = add_rec(btf, s8, u8, s16, u16, s32, u32, s64, u64);
	int state, level, mask, inode, qstr, dentry, file, pfile, pinode, pdentry;

	state = btf__add_enum(btf, "state", 4);
	if (btf__add_enum_value(btf, "IDLE", 0) ||
	    btf__add_enum_value(btf, "BUSY", 1) ||
	    btf__add_enum_value(btf, "DONE", 7))
		abort();
	btf__add_enum(btf, "other", 4);
	if (btf__add_enum_value(btf, "TWICE", 1))
		abort();
	btf__add_enum(btf, "another", 4);
	if (btf__add_enum_value(btf, "TWICE", 2))
		abort();

	level = btf__add_enum(btf, "level", 4);
	if (btf__add_enum_value(btf, "BELOW", -1) || btf__add_enum_value(btf, "ABOVE", 1))
		abort();
	mask = btf__add_enum64(btf, "mask", 8, false);
	if (btf__add_enum64_value(btf, "HIGH", 1ULL << 40))
		abort();

	inode = btf__add_struct(btf, "inode", 24);
	add_member(btf, "i_ino", u64, 0);
	add_member(btf, "i_mode", u16, 8);
	add_member(btf, "i_uid", u32, 12);
	if (btf__add_field(btf, "i_small", u32, 128, 1) ||
	    btf__add_field(btf, "i_bits", u32, 131, 5) ||
	    btf__add_field(btf, "i_sbits", s32, 136, 8))
		abort();
	pinode = btf__add_ptr(btf, inode);
	qstr = btf__add_struct(btf, "qstr", 16);
	add_member(btf, "hash", u32, 0);
	add_member(btf, "len", u32, 4);
	add_member(btf, "name", text, 8);
	dentry = btf__add_struct(btf, "dentry", 104);
	add_member(btf, "d_name", qstr, 0);
	add_member(btf, "d_inode", pinode, 16);
	add_member(btf, "d_iname", name, 24);
	add_member(btf, "d_numbers", numbers, 40);
	add_member(btf, "d_sname", bytes, 72);
	add_member(btf, "d_pname", ubytes, 80);
	add_member(btf, "d_raw", bytes, 88);
	add_member(btf, "d_address", ubytes, 96);
	pdentry = btf__add_ptr(btf, dentry);
	file = btf__add_struct(btf, "file", 64);
	add_member(btf, "f_inode", pinode, 0);
	add_member(btf, "f_dentry", pdentry, 8);
	add_member(btf, "f_pos", s64, 16);
	add_member(btf, "f_mode", u32, 24);
	add_member(btf, "f_state", state, 28);
	add_member(btf, "f_user", utext, 32);
	add_member(btf, "f_ok", boolean, 40);
	add_member(btf, "f_op", fn, 48);
	add_member(btf, "private_data", any, 56);
	pfile = btf__add_ptr(btf, file);

	add_function(btf, "write", s64,
		     (const char *const []) { "file", "buf", "count", "pos",
					      NULL },
		     (const int []) { pfile, utext, u64,
				      btf__add_ptr(btf, s64) });
	add_function(btf, "doit", s32,
		     (const char *const []) { "fd", "flags", "yes", "tiny",
					      "name", "state", NULL },
		     (const int []) { s32, u32, boolean, s8, text, state });
	add_function(btf, "is_it", boolean,
		     (const char *const []) { "what", NULL },
		     (const int []) { state });
	add_function(btf, "ratio", btf__add_float(btf, "double", 8),
		     (const char *const []) { "fd", NULL },
		     (const int []) { s32 });
	add_function(btf, "which", state,
		     (const char *const []) { "what", NULL },
		     (const int []) { state });
	add_function(btf, "enums", 0,
		     (const char *const []) { "level", "state", "mask", NULL },
		     (const int []) { level, state, mask });
	add_function(btf, "ret_param", s32,
		     (const char *const []) { "ret", NULL },
		     (const int []) { s32 });
	add_function(btf, "shadow", 0,
		     (const char *const []) { "pid", "comm", NULL },
		     (const int []) { u64, text });
	add_function(btf, "find", any,
		     (const char *const []) { "fd", NULL },
		     (const int []) { s32 });
	add_function(btf, "rnd", s64,
		     (const char *const []) { "i", "u", "l", "ul", "p", "c",
					      NULL },
		     (const int []) { s32, u32, s64, u64, rec, s8 });
	return btf;
}

struct tap_types *fake_btf_types(struct btf *btf)
{
	char btf_dir[] = "/tmp/fake_btf.XXXXXX";
	struct tap_types *types;
	struct tap_error err;
	char path[64];
	const void *raw;
	__u32 size;
	FILE *f;

	if (!mkdtemp(btf_dir))
		abort();
	snprintf(path, sizeof(path), "%s/vmlinux", btf_dir);
	raw = btf__raw_data(btf, &size);
	f = fopen(path, "w");
	if (!f || fwrite(raw, size, 1, f) != 1 || fclose(f))
		abort();
	if (tap_types_open_from(&types, btf_dir, &err)) {
		printf("# %s\n", err.text);
		abort();
	}
	btf__free(btf);
	unlink(path);
	rmdir(btf_dir);
	return types;
}

struct tap_types *fake_btf_open(void)
{
	return fake_btf_types(make_btf());
}
