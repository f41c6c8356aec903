// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the debug information of a module, and keeps what was found until the end.
 *
 * A place in a function, or a member of a struct, may differ between two builds of a module. So
 * the build-id decides: it must be that of the loaded module. If none is loaded, a module that
 * is named with --debug is the one that will be loaded, or else the one in /lib/modules.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <elf.h>

#include "dwarf/dwarf_internal.h"
#include "util/array.h"

#define MAX_PATH	4096

/* A file that was looked for: of a module of this name, also without debug information if @plain, or of a program. */
struct entry {
	char *name;
	bool plain;
	struct tap_elf *elf;
	struct tap_dwarf *dwarf;
	struct tap_error err;
};

struct tap_dwarfs {
	size_t nr;
	struct entry *entries;
};

/* A build-id; @len 0: none */
struct build_id {
	uint8_t bytes[TAP_BUILD_ID_MAX];
	size_t len;
};

/*
 * A search. @want is that of the module, once it is @known; @whose says where it is from. The
 * first file of another build, and else the first that could not be used, are in @wrong and @poor.
 * @path is what take_path() found. @plain: the module itself is wanted, with or without debug
 * information.
 */
struct search {
	const struct tap_debug *debug;
	const char *module;
	struct build_id want;
	bool known;
	const char *whose;
	struct tap_dwarf *found;
	struct tap_error wrong;
	struct tap_error poor;
	char *path;
	bool plain;
};

static void id_text(const struct build_id *id, char text[2 * TAP_BUILD_ID_MAX + 8])
{
	size_t i;

	strcpy(text, "none");
	for (i = 0; i < id->len; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
}

/**
 * tap_dwarf_module_of() - the module whose file this is, by the file's name
 * @path: with or without directories
 * @name: filled in: of "./snd-hda.ko.xz", "snd_hda"; "" if it is no name of such a file
 */
void tap_dwarf_module_of(const char *path, char name[TAP_MAX_TARGET])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *end = strstr(base, ".ko");
	size_t i;

	*name = '\0';
	if (!end || (end[3] && end[3] != '.') || end - base >= TAP_MAX_TARGET)
		return;
	for (i = 0; base + i < end; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[i] = '\0';
}

static bool is_named(const char *path, const char *module)
{
	char name[TAP_MAX_TARGET];

	tap_dwarf_module_of(path, name);
	return *name && !strcmp(name, module);
}

/* A module itself, not its debug symbols alone. */
static bool is_module_file(const char *path)
{
	const char *end = strstr(path, ".ko");

	while (end && strcmp(end, ".ko") && strcmp(end, ".ko.xz") && strcmp(end, ".ko.zst") &&
	       strcmp(end, ".ko.gz"))
		end = strstr(end + 1, ".ko");
	return end;
}

static int refuse(struct search *s, const char *path, const struct build_id *id)
{
	char is[2 * TAP_BUILD_ID_MAX + 8], want[2 * TAP_BUILD_ID_MAX + 8];

	if (s->wrong.code)
		return s->wrong.code;
	id_text(id, is);
	id_text(&s->want, want);
	return tap_error_set(&s->wrong, -ESTALE,
			     "%s: is of another build of the module %s: its build-id is %s, that of %s is %s; name the file of this build with --debug, or load the module again",
			     path, s->module, is, s->whose, want);
}

/* Takes a file if it is of the wanted build and has what is wanted. */
static bool try_file(struct search *s, const char *path)
{
	struct tap_error err = { 0 };
	struct build_id id = { 0 };
	struct tap_dwarf *dwarf;

	if (s->found)
		return true;
	if (s->plain && !is_module_file(path))
		return false;
	if ((s->plain ? tap_dwarf_open_plain : tap_dwarf_open)(&dwarf, path, &err)) {
		if (!s->poor.code)
			s->poor = err;
		return false;
	}
	id.len = tap_dwarf_build_id(dwarf, id.bytes);
	if (!s->known || (id.len && id.len == s->want.len &&
			  !memcmp(id.bytes, s->want.bytes, id.len))) {
		s->found = dwarf;
		return true;
	}
	refuse(s, path, &id);
	tap_dwarf_close(dwarf);
	return false;
}

/* Calls @fn with each file below @dir that has the module's name, until it returns true. */
static bool each_file(struct search *s, const char *dir, bool (*fn)(struct search *s,
								     const char *path))
{
	char *dirs[] = { (char *)dir, NULL };
	FTS *walk = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	bool done = false;
	FTSENT *e;

	while (walk && !done && (e = fts_read(walk)))
		if ((e->fts_info == FTS_F || e->fts_info == FTS_NSOK) &&
		    is_named(e->fts_path, s->module))
			done = fn(s, e->fts_path);
	if (walk)
		fts_close(walk);
	return done;
}

/* DIR/.build-id/ab/cdef.debug */
static bool try_build_id(struct search *s, const char *dir)
{
	char path[MAX_PATH], text[2 * TAP_BUILD_ID_MAX + 8];

	if (!s->known || s->want.len < 2)
		return false;
	id_text(&s->want, text);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir, text, text + 2);
	return !access(path, F_OK) && try_file(s, path);
}

/* Files and directories of --debug. A file of another name must have the wanted build-id. */
static bool try_debug(struct search *s)
{
	struct stat st;
	size_t i;

	for (i = 0; i < s->debug->nr && !s->found; i++) {
		const char *path = s->debug->paths[i];

		if (stat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode)) {
			if (!try_build_id(s, path))
				each_file(s, path, try_file);
		} else if (is_named(path, s->module)) {
			try_file(s, path);
		} else if (s->known) {
			struct search other = *s;

			/* It may well be of another module: no error about it. */
			try_file(&other, path);
			s->found = other.found;
		}
	}
	return s->found;
}

/* The build-id out of the notes of a loaded module. */
static void read_note(struct build_id *id, const char *path)
{
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t bytes[TAP_BUILD_ID_MAX];
	} note;
	const size_t before = sizeof(note) - sizeof(note.bytes);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, &note, sizeof(note));

	if (fd >= 0)
		close(fd);
	if (n < (ssize_t)before || note.head.n_namesz != 4 ||
	    memcmp(note.name, "GNU", 4) || note.head.n_type != NT_GNU_BUILD_ID ||
	    note.head.n_descsz > n - before)
		return;
	id->len = note.head.n_descsz;
	memcpy(id->bytes, note.bytes, id->len);
}

static bool is_loaded(struct search *s)
{
	char path[MAX_PATH];

	/* Built-in modules have a directory too, without this file. */
	snprintf(path, sizeof(path), "%s/sys/module/%s/initstate", s->debug->root, s->module);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", s->debug->root,
		 s->module);
	read_note(&s->want, path);
	s->whose = "the loaded module";
	s->known = true;
	return true;
}

/* A module that is named with --debug will be loaded. */
static bool try_future(struct search *s)
{
	struct stat st;
	size_t i;

	for (i = 0; i < s->debug->nr && !s->found; i++) {
		const char *path = s->debug->paths[i];

		if (is_module_file(path) && is_named(path, s->module) && !stat(path, &st) &&
		    S_ISREG(st.st_mode))
			try_file(s, path);
	}
	return s->found;
}

/* Takes the build-id of the file that modprobe would load, also if it is stripped. */
static bool take_id(struct search *s, const char *path)
{
	if (!is_module_file(path))
		return false;
	s->want.len = tap_dwarf_file_id(path, s->want.bytes);
	s->known = true;
	s->whose = "the module that will be loaded";
	return true;
}

static bool in_modules(struct search *s, const char *release,
		       bool (*fn)(struct search *s, const char *path))
{
	/* The order of depmod. */
	static const char *const dirs[] = { "updates/dkms", "updates", "extra", "" };
	char path[MAX_PATH];
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/lib/modules/%s/%s", s->debug->root, release,
			 dirs[i]);
		if (each_file(s, path, fn))
			return true;
	}
	return false;
}

static bool take_path(struct search *s, const char *path)
{
	if (!is_module_file(path))
		return false;
	free(s->path);
	s->path = strdup(path);
	return true;
}

/**
 * tap_dwarf_module_path() - find the file of a module that is not loaded
 * @types: with the paths of --debug
 * @module: its name, as in /proc/modules
 *
 * Return: the path of the file that --debug names, or else that modprobe would load, allocated;
 * NULL if there is none.
 */
char *tap_dwarf_module_path(struct tap_types *types, const char *module)
{
	const struct tap_debug *debug = tap_types_debug(types);
	struct search s = { .debug = debug, .module = module };
	struct utsname uts;
	size_t i;

	for (i = 0; i < debug->nr && !s.path; i++)
		if (is_named(debug->paths[i], module))
			take_path(&s, debug->paths[i]);
	uname(&uts);
	if (!s.path)
		in_modules(&s, uts.release, take_path);
	return s.path;
}

/* Where DKMS built it, and where Debian's packages have debug symbols. */
static bool in_builds(struct search *s, const char *release)
{
	static const char *const patterns[] = {
		"%s/var/lib/dkms/*/*/%s/*/module/*.ko*", "%s/var/lib/dkms/*/*/build/*.ko",
	};
	char path[MAX_PATH];
	glob_t found;
	size_t i, k;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		snprintf(path, sizeof(path), patterns[i], s->debug->root, release);
		if (glob(path, 0, NULL, &found))
			continue;
		for (k = 0; k < found.gl_pathc && !s->found; k++)
			if (is_named(found.gl_pathv[k], s->module))
				try_file(s, found.gl_pathv[k]);
		globfree(&found);
	}
	snprintf(path, sizeof(path), "%s/usr/lib/debug", s->debug->root);
	if (s->found || try_build_id(s, path))
		return true;
	snprintf(path, sizeof(path), "%s/usr/lib/debug/lib/modules/%s", s->debug->root, release);
	return each_file(s, path, try_file);
}

static int none_found(const struct search *s, struct tap_error *err)
{
	if (s->known && !s->want.len)
		return tap_error_set(err, -ENODATA,
				     "the build-id of the module %s is unknown, so no %s can be known to be its own; link it with --build-id",
				     s->module, s->plain ? "file" : "debug information");
	if (s->wrong.code) {
		*err = s->wrong;
		return err->code;
	}
	if (s->poor.code && s->poor.code != -ENODATA) {
		*err = s->poor;
		return err->code;
	}
	if (s->plain)
		return tap_error_set(err, -ENODATA,
				     "no file of a module %s was found in /lib/modules; name it with --debug, e.g. --debug ./%s.ko",
				     s->module, s->module);
	return tap_error_set(err, -ENODATA,
			     "the module %s has no BTF, and no debug information was found%s; build it with CONFIG_DEBUG_INFO, have DKMS keep it (STRIP[0]=\"no\" in dkms.conf), or name the built file with --debug",
			     s->module, s->poor.code ? " in its stripped file" : "");
}

static int search(struct search *s, struct tap_error *err)
{
	struct utsname uts;

	uname(&uts);
	if (!is_loaded(s) && !try_future(s))
		in_modules(s, uts.release, take_id);
	if (s->found || try_debug(s) || in_modules(s, uts.release, try_file) ||
	    in_builds(s, uts.release))
		return 0;
	return none_found(s, err);
}

/**
 * tap_dwarf_module_file() - find the file of a module, with or without debug information
 * @types: with the paths of --debug
 * @module: its name, as in /proc/modules; it need not be loaded
 * @path: set to the path on success; allocated
 * @err: an error message on failure, which says what to do
 *
 * Return: 0; -ENODATA if there is no file; -ESTALE if there is only that of another build; -ENOMEM.
 */
int tap_dwarf_module_file(struct tap_types *types, const char *module, char **path,
			  struct tap_error *err)
{
	struct search s = { .debug = tap_types_debug(types), .module = module, .plain = true };
	int ret = search(&s, err);

	if (ret)
		return ret;
	*path = strdup(tap_dwarf_path(s.found));
	tap_dwarf_close(s.found);
	return *path ? 0 : tap_error_set(err, -ENOMEM, "out of memory");
}

static void free_all(struct tap_dwarfs *all)
{
	while (all && all->nr) {
		struct entry *e = &all->entries[--all->nr];

		tap_dwarf_close(e->dwarf);
		tap_elf_put(e->elf);
		free(e->name);
	}
	if (all)
		free(all->entries);
	free(all);
}

static struct tap_dwarfs *all_of(struct tap_debug *debug)
{
	if (!debug->found) {
		debug->found = calloc(1, sizeof(*debug->found));
		debug->free = free_all;
	}
	return debug->found;
}

static struct entry *add_entry(struct tap_dwarfs *all, const char *name, struct tap_elf *elf)
{
	struct entry *e;

	if (!TAP_GROW(all->entries, all->nr))
		return NULL;
	e = &all->entries[all->nr];
	*e = (struct entry) { .name = strdup(name) };
	if (!e->name)
		return NULL;
	e->elf = elf ? tap_elf_get(elf) : NULL;
	all->nr++;
	return e;
}

static int answer(const struct entry *e, struct tap_dwarf **dwarf, struct tap_error *err)
{
	if (e->dwarf)
		*dwarf = e->dwarf;
	else if (err)
		*err = e->err;
	return e->dwarf ? 0 : e->err.code;
}

static int find_module(struct tap_types *types, const char *module, bool plain,
		       struct tap_dwarf **dwarf, struct tap_error *err)
{
	struct tap_debug *debug = tap_types_debug(types);
	struct search s = { .debug = debug, .module = module, .plain = plain };
	struct tap_dwarfs *all = all_of(debug);
	struct entry *e;
	size_t i;

	for (i = 0; all && i < all->nr; i++) {
		e = &all->entries[i];
		if (!e->elf && e->plain == plain && !strcmp(e->name, module))
			return answer(e, dwarf, err);
	}
	e = all ? add_entry(all, module, NULL) : NULL;
	if (!e)
		return tap_error_set(err, -ENOMEM, "out of memory");
	e->plain = plain;
	search(&s, &e->err);
	e->dwarf = s.found;
	return answer(e, dwarf, err);
}

/**
 * tap_dwarf_find_module() - find the debug information of a module
 * @types: with the paths of --debug; keeps what was found, or why not, until tap_types_free()
 * @module: its name, as in /proc/modules
 * @dwarf: set on success; belongs to @types
 * @err: an error message on failure, which says what to do
 *
 * Return: 0; -ENODATA if there is none; -ESTALE if there is only that of another build; -ENOMEM.
 */
int tap_dwarf_find_module(struct tap_types *types, const char *module,
			  struct tap_dwarf **dwarf, struct tap_error *err)
{
	return find_module(types, module, false, dwarf, err);
}

/**
 * tap_dwarf_module_section() - find a section in the file of a module
 * @types: with the paths of --debug; keeps the file until tap_types_free()
 * @module: its name, as in /proc/modules; it need not be loaded
 * @name: of the section
 * @data: set on success; belongs to @types
 * @size: set to the bytes of @data; 0: the file has no such section
 * @err: an error message on failure, which says what to do
 *
 * Return: as tap_dwarf_find_module(), but the file needs no debug information.
 */
int tap_dwarf_module_section(struct tap_types *types, const char *module, const char *name,
			     const void **data, size_t *size, struct tap_error *err)
{
	struct tap_dwarf *dwarf;
	const Elf_Data *section;
	GElf_Addr bias;
	Elf *elf;
	int ret = find_module(types, module, true, &dwarf, err);

	if (ret)
		return ret;
	elf = dwfl_module_getelf(dwarf->mod, &bias);
	section = elf ? tap_dwarf_section(elf, name) : NULL;
	*data = section ? section->d_buf : NULL;
	*size = section ? section->d_size : 0;
	return 0;
}

/**
 * tap_dwarf_find_elf() - find the debug information of a program or library
 * @types: keeps it until tap_types_free()
 * @elf: the file
 * @dwarf: set on success; belongs to @types
 * @err: an error message on failure
 *
 * Return: as tap_dwarf_open_elf().
 */
int tap_dwarf_find_elf(struct tap_types *types, struct tap_elf *elf, struct tap_dwarf **dwarf,
		       struct tap_error *err)
{
	struct tap_dwarfs *all = all_of(tap_types_debug(types));
	struct entry *e;
	size_t i;

	for (i = 0; all && i < all->nr; i++)
		if (all->entries[i].elf && tap_elf_is_same(all->entries[i].elf, elf))
			return answer(&all->entries[i], dwarf, err);
	e = all ? add_entry(all, tap_elf_path(elf), elf) : NULL;
	if (!e)
		return tap_error_set(err, -ENOMEM, "out of memory");
	tap_dwarf_open_elf(&e->dwarf, elf, &e->err);
	return answer(e, dwarf, err);
}

/* The file of a module may be in use for its debug information, and for its sections. */
static bool is_listed(const struct tap_dwarf_build *list, int nr, const char *module)
{
	while (nr)
		if (!strcmp(list[--nr].module, module))
			return true;
	return false;
}

/**
 * tap_dwarf_builds() - list the modules whose files are in use
 * @types: that has it
 * @list: set to their builds, for tap_dwarf_check_build(); the caller has to free it
 *
 * Return: number of @list; -ENOMEM.
 */
int tap_dwarf_builds(struct tap_types *types, struct tap_dwarf_build **list)
{
	struct tap_debug *debug = tap_types_debug(types);
	const struct tap_dwarfs *all = debug->found;
	int nr = 0;
	size_t i;

	*list = all ? calloc(all->nr + 1, sizeof(**list)) : NULL;
	if (!*list)
		return all ? -ENOMEM : 0;
	for (i = 0; i < all->nr; i++) {
		const struct entry *e = &all->entries[i];
		struct tap_dwarf_build *b = &(*list)[nr];

		if (e->elf || !e->dwarf || strlen(e->name) >= sizeof(b->module) ||
		    is_listed(*list, nr, e->name))
			continue;
		b->root = debug->root;
		strcpy(b->module, e->name);
		b->len = tap_dwarf_build_id(e->dwarf, b->id);
		nr++;
	}
	return nr;
}

/**
 * tap_dwarf_check_build() - check the build of a module that was loaded since
 * @build: that of its debug information
 * @err: an error message on failure
 *
 * Return: 0, also if the module is not loaded; -ESTALE if another build is.
 */
int tap_dwarf_check_build(const struct tap_dwarf_build *build, struct tap_error *err)
{
	const struct tap_debug debug = { .root = build->root };
	struct search s = { .debug = &debug, .module = build->module };
	char is[2 * TAP_BUILD_ID_MAX + 8], was[2 * TAP_BUILD_ID_MAX + 8];
	struct build_id of = { .len = build->len };

	memcpy(of.bytes, build->id, build->len);
	if (!is_loaded(&s) || (s.want.len == of.len && !memcmp(s.want.bytes, of.bytes, of.len)))
		return 0;
	id_text(&s.want, is);
	id_text(&of, was);
	return tap_error_set(err, -ESTALE,
			     "another build of the module %s was loaded than that whose file was read: the build-ids are %s and %s; values of its parameters, variables, fields and members are wrong",
			     build->module, is, was);
}
