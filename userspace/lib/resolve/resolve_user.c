// SPDX-License-Identifier: LGPL-2.1
/*
 * From a place in a program to probes in the file.
 *
 * A name may have several places: static functions of one name, C++ functions that
 * differ in their parameters, places of one USDT probe. Each place gets a probe, and
 * all have the same event. Several symbols of one place get one probe.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/elf_object.h"
#include "lang/target.h"
#include "resolve/resolve.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/arch.h"
#include "util/array.h"
#include "util/glob.h"
#include "util/suggest.h"

/*
 * A spec while its places in the file are looked up.
 *	@t		the target in parts
 *	@file		the program or library as written
 *	@path		the same without quotes
 *	@name		the function or USDT probe, without quotes
 *	@provider	of a USDT probe; NULL: any
 *	@offset		from the start of the function
 *	@indirect	an IFUNC that matches, or NULL
 *	@left_out	number of IFUNCs that match
 */
struct user_expansion {
	const struct tap_spec *spec;
	struct tap_user_target t;
	char *file;
	char *path;
	char *name;
	char *provider;
	__u64 offset;
	bool glob;
	struct tap_elf *elf;
	const char *indirect;
	size_t left_out;
	struct tap_spec *list;
	size_t nr;
	struct tap_error *err;
};

#define FAULT(x, code, fmt, ...)	\
	tap_error_set((x)->err, code, "%s: " fmt, (x)->spec->target, \
		      ##__VA_ARGS__)

static int no_memory(struct user_expansion *x)
{
	return tap_error_set(x->err, -ENOMEM, "out of memory");
}

/* ----------------------------------------------------------------- the probes */

/* The part of an event after the path, in a form that parses to the same place. */
static char *place_text(const char *name, __u64 offset)
{
	const char *quote = strpbrk(name, " *?[+(") ? "\"" : "";
	char *text, plus[32] = "";

	if (offset)
		snprintf(plus, sizeof(plus), "+0x%llx",
			 (unsigned long long)offset);
	if (asprintf(&text, "%s%s%s%s", quote, name, quote, plus) < 0)
		return NULL;
	return text;
}

/* Appends a probe. @place is the part after the path; add() frees it. */
/**
 * tap_target_end() - as much of the target of a place in a program as the kernel takes
 * @target: the target, which is for people only
 *
 * Return: the end of a long target, which differs between targets; else all of it.
 */
const char *tap_target_end(const char *target)
{
	size_t len = strlen(target);

	return target + (len < TAP_MAX_TARGET ? 0 : len - TAP_MAX_TARGET + 1);
}

static int add(struct user_expansion *x, char *place, __u64 offset,
	       __u64 semaphore)
{
	char *event = NULL, *target = NULL;
	struct tap_spec *spec;
	int ret = -ENOMEM;

	if (!place ||
	    asprintf(&event, "%s:%s:%s", tap_spec_type_name(x->spec->type),
		     x->file, place) < 0 ||
	    asprintf(&target, "%s:%s", tap_elf_path(x->elf), place) < 0)
		goto out;
	if (!TAP_GROW(x->list, x->nr))
		goto out;
	spec = &x->list[x->nr];
	ret = tap_spec_copy(x->spec, event, tap_target_end(target), spec);
	if (ret)
		goto out;
	x->nr++;
	spec->elf = tap_elf_get(x->elf);
	spec->offset = offset;
	spec->semaphore = semaphore;
out:
	free(place);
	free(event);
	free(target);
	return ret ? no_memory(x) : 0;
}

static int too_many(struct user_expansion *x, const char *what)
{
	return FAULT(x, -ENOSPC,
		     "matches more than %d %s, the limit of a session; narrow the glob",
		     TAP_MAX_PROBES, what);
}

/* --------------------------------------------------------------- functions */

/* Implementations that an IFUNC chooses from are named like __memcpy_avx_unaligned. */
static bool is_choice(const struct tap_elf_function *fn, const char *name)
{
	const char *rest = fn->name + strspn(fn->name, "_");
	size_t len = strlen(name);

	return !fn->indirect && !strncmp(rest, name, len) && rest[len] == '_';
}

static int only_indirect(struct user_expansion *x)
{
	const struct tap_elf_function *list;
	const char *example = NULL;
	size_t nr, i;
	int ret = tap_elf_functions(x->elf, &list, &nr, x->err);

	if (ret)
		return ret;
	for (i = 0; i < nr && !example; i++)
		if (is_choice(&list[i], x->indirect))
			example = list[i].name;
	if (!example)
		return FAULT(x, -EADDRNOTAVAIL,
			     "is an IFUNC, whose implementation is chosen when a program starts; the implementations have no symbols here, so install the package that has them (-dbgsym)");
	return FAULT(x, -EADDRNOTAVAIL,
		     "is an IFUNC, whose implementation is chosen when a program starts; probe an implementation, e.g. %s",
		     example);
}

static int inside_instruction(struct user_expansion *x)
{
	return FAULT(x, -EILSEQ,
		     "the offset is inside an instruction; use the start of one ('objdump -d %s' shows them)",
		     tap_elf_path(x->elf));
}

static int check_offset(struct user_expansion *x,
			const struct tap_elf_function *fn)
{
	if (fn->size && x->offset >= fn->size)
		return FAULT(x, -EINVAL,
			     "the function is only 0x%llx bytes long",
			     (unsigned long long)fn->size);
	/* If this is unknown, the kernel decides. */
	if (tap_elf_check(x->elf, fn, x->offset) == -EILSEQ)
		return inside_instruction(x);
	return 0;
}

/* Uses the name that was asked for, unless it was a glob. */
static int add_function(struct user_expansion *x,
			const struct tap_elf_function *fn, const char *name)
{
	int ret = check_offset(x, fn);

	if (ret)
		return ret;
	return add(x, place_text(name, x->offset), fn->offset + x->offset, 0);
}

static int each_function(const struct tap_elf_function *fn, void *arg)
{
	struct user_expansion *x = arg;
	const char *name = fn->bare ? fn->bare : fn->name;

	if (fn->indirect) {
		x->indirect = fn->name;
		x->left_out++;
		return 0;
	}
	if (x->nr == TAP_MAX_PROBES)
		return too_many(x, "functions");
	if (x->glob && strchr(x->name, '(') && fn->demangled)
		name = fn->demangled;
	return add_function(x, fn, x->glob ? name : x->name);
}

static int expand_functions(struct user_expansion *x)
{
	int ret = tap_elf_match(x->elf, x->name, each_function, x, x->err);

	if (ret)
		return ret;
	/*
	 * The IFUNC is what programs call; a plain function beside it is an old version
	 * of the symbol.
	 */
	if (!x->nr || (!x->glob && x->left_out))
		return only_indirect(x);
	if (!x->glob && x->nr > 1 && x->offset)
		return FAULT(x, -EINVAL,
			     "%zu functions have this name; select a place in the file with PATH:0xOFFSET",
			     x->nr);
	if (!x->glob && x->nr > 1)
		FAULT(x, 0, "%zu functions have this name; all of them are probed",
		      x->nr);
	else if (x->left_out)
		FAULT(x, 0, "%zu of the matching functions are IFUNCs, e.g. %s, and left out; their implementations have other names",
		      x->left_out, x->indirect);
	return 0;
}

/* An offset in the file, named after the function that contains it, if known. */
static int expand_offset(struct user_expansion *x)
{
	__u64 offset = strtoull(x->name, NULL, 16);
	const struct tap_elf_function *fn;
	struct stat st;

	if (fstat(tap_elf_fd(x->elf), &st))
		return FAULT(x, -errno, "%s", strerror(errno));
	if (offset >= (__u64)st.st_size)
		return FAULT(x, -EINVAL, "the file is only 0x%llx bytes long",
			     (unsigned long long)st.st_size);
	/* The kernel would accept the offset, and the probe would never fire. */
	if (!tap_elf_is_code(x->elf, offset))
		return FAULT(x, -EINVAL,
			     "there is no code at this offset in the file; code is in the segments that 'readelf -lW %s' shows with an E",
			     tap_elf_path(x->elf));
	fn = tap_elf_at(x->elf, offset);
	if (!fn && tap_elf_check_at(x->elf, offset) == -EILSEQ)
		return inside_instruction(x);
	if (!fn)
		return add(x, strdup(x->name), offset, 0);
	x->offset = offset - fn->offset;
	if (x->offset && x->spec->type != TAP_PROBE_UPROBE)
		return FAULT(x, -EINVAL,
			     "this is inside %s, which starts at 0x%llx; %s: probes whole functions",
			     fn->name, (unsigned long long)fn->offset,
			     tap_spec_type_name(x->spec->type));
	return add_function(x, fn, fn->bare ? fn->bare : fn->name);
}

/* ------------------------------------------------------------------- USDT */

static bool usdt_matches(const struct user_expansion *x,
			 const struct tap_usdt *usdt)
{
	return (!x->provider || tap_glob_match(x->provider, usdt->provider)) &&
	       tap_glob_match(x->name, usdt->name);
}

static int no_usdt(struct user_expansion *x, const struct tap_usdt *list,
		   size_t nr)
{
	struct tap_suggest s;
	char near[400];
	size_t i;

	tap_suggest_begin(&s, x->name, strlen(x->name));
	for (i = 0; i < nr; i++)
		tap_suggest_offer(&s, list[i].name, strlen(list[i].name));
	tap_suggest_text(&s, "", "", near, sizeof(near));
	return FAULT(x, -ENOENT,
		     "no such USDT probe in %s%s%s%s%s",
		     tap_elf_path(x->elf), near, *near ? "" :
		     "; 'tap list usdt:", *near ? "" : x->file,
		     *near ? "" : "' shows all");
}

static int add_usdt(struct user_expansion *x, const struct tap_usdt *usdt)
{
	char *place;

	if (x->nr == TAP_MAX_PROBES)
		return too_many(x, "USDT probes");
	if (asprintf(&place, "%s:%s", usdt->provider, usdt->name) < 0)
		place = NULL;
	return add(x, place, usdt->offset, usdt->semaphore);
}

static int expand_usdt(struct user_expansion *x)
{
	const struct tap_usdt *list;
	size_t nr, i;
	int ret = tap_elf_usdt(x->elf, &list, &nr, x->err);

	for (i = 0; !ret && i < nr; i++)
		if (usdt_matches(x, &list[i]))
			ret = add_usdt(x, &list[i]);
	if (ret)
		return ret;
	return x->nr ? 0 : no_usdt(x, list, nr);
}

/* ---------------------------------------------------------------- the file */

static int open_file(struct user_expansion *x)
{
	char path[PATH_MAX];
	int ret = tap_elf_find(x->path, x->spec->pid, path, sizeof(path),
			       x->err);

	if (!ret)
		ret = tap_elf_open(&x->elf, path, x->err);
	if (ret || TAP_ARCH_PROBES_32 || !tap_elf_is_32bit(x->elf))
		return ret;
	return tap_error_set(x->err, -ENOEXEC,
			     "%s: is a 32-bit program, which the kernel cannot probe on "
			     TAP_ARCH_NAME, path);
}

static int take_apart(struct user_expansion *x)
{
	const char *target = x->spec->target;

	tap_user_target_split(x->spec->type, (struct tap_token) {
		target, strlen(target) }, &x->t);
	x->glob = tap_user_target_glob(&x->t);
	x->file = strndup(x->t.file.at, x->t.file.len);
	x->path = strndup(x->t.path.at, x->t.path.len);
	x->name = strndup(x->t.name.at, x->t.name.len);
	if (x->t.provider.at)
		x->provider = strndup(x->t.provider.at, x->t.provider.len);
	if (!x->file || !x->path || !x->name || (x->t.provider.at && !x->provider))
		return no_memory(x);
	if (x->t.offset.at)
		x->offset = strtoull(x->t.offset.at, NULL, 0);
	return 0;
}

/*
 * Finds the places of a program that a spec names. The parameters are those of
 * tap_spec_expand().
 */
int tap_spec_expand_user(const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err)
{
	struct user_expansion x = { .spec = spec, .err = err };
	int ret = take_apart(&x);

	if (!ret)
		ret = open_file(&x);
	if (!ret && spec->type == TAP_PROBE_USDT)
		ret = expand_usdt(&x);
	else if (!ret && !x.t.quoted && isdigit((unsigned char)*x.name))
		ret = expand_offset(&x);
	else if (!ret)
		ret = expand_functions(&x);
	if (x.elf)
		tap_elf_put(x.elf);
	free(x.file);
	free(x.path);
	free(x.name);
	free(x.provider);
	*list = x.list;
	*nr = x.nr;
	return ret;
}
