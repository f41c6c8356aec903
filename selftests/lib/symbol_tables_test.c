// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the kernel's tables of symbols: made up memory of a kernel and two modules, with each of the
 * forms that addresses have, compared with the same symbols as the kernel prints them; what does not fit
 * together, and files that were damaged or cut.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/symbol_tables.h"
#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/tmpfile.h"
#include "util/util.h"

#define KERNEL	0xffffffff82000000
#define STEXT	0xffffffff81000000
#define MODULE	0xffffffffc0200000
/* Another one, whose init function runs. */
#define COMING	0xffffffffc0300000

enum form { RELATIVE, PERCPU, OWN };

/* In front of others that fill the first page of what the kernel prints. */
static const struct symbol {
	char type;
	const char *name;
	uint32_t at;	/* behind STEXT */
} symbols[] = {
	{ 'T', "_stext", 0 }, { 'T', "vfs_read", 0x100 }, { 't', "helper", 0x200 },
	{ 't', "helper", 0x300 }, { 'W', "an_uncommonly_long_piece_of_text", 0x400 },
	{ 't', "vfs_read.cold", 0x500 }, { 'T', "__kprobes_text_start", 0x600 },
	{ 't', "a_refused_one", 0x600 }, { 'T', "__kprobes_text_end", 0x700 },
	{ 't', "__pfx_vfs_write", 0x7f0 }, { 'T', "vfs_write", 0x800 },
};

#define FILLED	200

/* The file: headers and notes, memory of the kernel, memory of the modules. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr part[4];
	Elf64_Nhdr note;
	char note_name[12];
	char note_text[512];
	struct {
		uint32_t nr;
		uint32_t none;
		uint64_t base;
		uint8_t names[8192];
		char text[512];
		uint16_t index[256];
		int32_t offsets[256];
	} kernel;
	struct {
		uint64_t head[60];
		uint64_t pointer;
		uint64_t symbols;
		uint32_t nr;
		uint32_t none;
		uint64_t text;
		uint64_t types;
		Elf64_Sym symbol[4];
		char type[4];
		char names[64];
		char rest[4096];
	} module, coming;
};

static struct image image;
static char dir[] = "/tmp/symbol_tables.XXXXXX";
static char kallsyms[64], modules[64], kcore[64], module_dir[64];
static const struct tap_symbols_paths paths = {
	kallsyms, modules, "/dev/null", .kcore = kcore, .module_dir = module_dir,
};
static char printed[32768];

/* Pieces: each character for itself, and some longer ones in the place of others. */
static void make_pieces(void)
{
	static const struct {
		uint8_t at;
		const char *text;
	} longer[] = { { 1, "T_" }, { 2, "vfs_" }, { 3, "uncommonly_long_piece_of_" }, { 4, "t_" } };
	size_t at = 0, i;

	for (i = 0; i < 256; i++) {
		if (i < ' ' || i > '~')
			continue;
		image.kernel.index[i] = (uint16_t)at;
		image.kernel.text[at] = (char)i;
		at += 2;
	}
	for (i = 0; i < ARRAY_SIZE(longer); i++) {
		image.kernel.index[longer[i].at] = (uint16_t)at;
		strcpy(image.kernel.text + at, longer[i].text);
		at += strlen(longer[i].text) + 1;
	}
}

/* Packs a name with the longest pieces that fit. */
static size_t pack(const char *name, uint8_t *to)
{
	size_t nr = 0, best, i;
	const char *piece;

	for (; *name; name += strlen(image.kernel.text + image.kernel.index[to[nr++]])) {
		for (i = 1, best = (uint8_t)*name; i <= 4; i++) {
			piece = image.kernel.text + image.kernel.index[i];
			if (!strncmp(name, piece, strlen(piece)))
				best = i;
		}
		to[nr] = (uint8_t)best;
	}
	return nr;
}

static void add(size_t *at, char type, const char *name, uint32_t offset, enum form form)
{
	size_t len = snprintf(NULL, 0, "%c%s", type, name);
	uint32_t nr = image.kernel.nr++;
	char whole[512], line[600];
	uint8_t packed[512];

	snprintf(whole, sizeof(whole), "%c%s", type, name);
	len = pack(whole, packed);
	if (len >= 0x80) {
		image.kernel.names[(*at)++] = (uint8_t)(len | 0x80);
		image.kernel.names[(*at)++] = (uint8_t)(len >> 7);
	} else {
		image.kernel.names[(*at)++] = (uint8_t)len;
	}
	memcpy(&image.kernel.names[*at], packed, len);
	*at += len;
	switch (form) {
	case RELATIVE:
		image.kernel.offsets[nr] = (int32_t)offset;
		break;
	case PERCPU:
		image.kernel.offsets[nr] = -1 - (int32_t)offset;
		break;
	case OWN:
		image.kernel.offsets[nr] = (int32_t)(STEXT + offset - KERNEL -
			((char *)&image.kernel.offsets[nr] - (char *)&image.kernel));
	}
	snprintf(line, sizeof(line), "%016llx %c %s\n", STEXT + offset + 0ULL, type, name);
	strcat(printed, line);
}

static void add_segment(size_t i, uint32_t type, uint64_t addr, size_t at, size_t len)
{
	image.part[i] = (Elf64_Phdr) {
		.p_type = type, .p_vaddr = addr, .p_offset = at, .p_filesz = len,
	};
}

/* Where a part of image.module is in the memory of the module at @base. */
#define AT(base, part) ((base) + offsetof(struct image, part) - offsetof(struct image, module))

static void fill_module(__typeof__(image.module) *m, uint64_t base, const char *module,
			const char *first, const char *second)
{
	const struct symbol in[] = {
		{ 'd', "__this_module", 0 }, { 't', first, 0x1000 }, { 't', second, 0x1100 },
	};
	char line[128];
	size_t at = 1, i;

	m->pointer = AT(base, module.symbols);
	m->symbols = AT(base, module.symbol);
	m->text = AT(base, module.names);
	m->types = AT(base, module.type);
	m->nr = 1 + ARRAY_SIZE(in);
	m->type[0] = '?';
	for (i = 0; i < ARRAY_SIZE(in); i++) {
		strcpy(m->names + at, in[i].name);
		m->symbol[i + 1] = (Elf64_Sym) {
			.st_name = (Elf64_Word)at, .st_value = base + in[i].at, .st_size = 0x80,
		};
		m->type[i + 1] = in[i].type;
		at += strlen(in[i].name) + 1;
		if (!module)
			continue;
		snprintf(line, sizeof(line), "%016llx %c %s\t[%s]\n", base + in[i].at + 0ULL,
			 in[i].type, in[i].name, module);
		strcat(printed, line);
	}
}

/* The pointer of the second module leads to a table elsewhere, and the other one has one symbol less. */
static void make_modules(void)
{
	size_t away = sizeof(image.module.rest) / 2;
	char *rest = image.coming.rest + away;

	fill_module(&image.module, MODULE, "mod", "mod_open", "mod_open.cold");
	fill_module(&image.coming, COMING, NULL, "coming_open", "coming_init");
	image.coming.pointer = AT(COMING, module.rest) + away;
	memcpy(rest, &image.coming.symbols, 4 * sizeof(uint64_t));
	image.coming.nr--;
}

static void note(const char *format, const char *name, size_t at)
{
	size_t len = strlen(image.note_text);

	snprintf(image.note_text + len, sizeof(image.note_text) - len, format, name,
		 KERNEL + at - offsetof(struct image, kernel) + 0ULL);
}

static void make_headers(enum form form)
{
	static const char format[] = "SYMBOL(%s)=%llx\n";

	image.head = (Elf64_Ehdr) {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB }, .e_type = ET_CORE,
		.e_phoff = offsetof(struct image, part), .e_phnum = 4, .e_phentsize = sizeof(Elf64_Phdr),
	};
	add_segment(0, PT_NOTE, 0, offsetof(struct image, note),
		    offsetof(struct image, kernel) - offsetof(struct image, note));
	add_segment(1, PT_LOAD, KERNEL, offsetof(struct image, kernel), sizeof(image.kernel));
	add_segment(2, PT_LOAD, MODULE, offsetof(struct image, module), sizeof(image.module));
	add_segment(3, PT_LOAD, COMING, offsetof(struct image, coming), sizeof(image.coming));
	image.note = (Elf64_Nhdr) { .n_namesz = 11, .n_descsz = sizeof(image.note_text) };
	strcpy(image.note_name, "VMCOREINFO");
	snprintf(image.note_text, sizeof(image.note_text), "OSRELEASE=6\nSYMBOL(_stext)=%llx\n",
		 STEXT + 0ULL);
	note(format, "kallsyms_names", offsetof(struct image, kernel.names));
	note(format, "kallsyms_num_syms", offsetof(struct image, kernel.nr));
	note(format, "kallsyms_token_table", offsetof(struct image, kernel.text));
	note(format, "kallsyms_token_index", offsetof(struct image, kernel.index));
	note(format, "kallsyms_offsets", offsetof(struct image, kernel.offsets));
	if (form != OWN)
		note(format, "kallsyms_relative_base", offsetof(struct image, kernel.base));
}

static void make(enum form form)
{
	size_t at = 0, i;
	char name[256];

	memset(&image, 0, sizeof(image));
	*printed = '\0';
	image.kernel.base = STEXT;
	make_pieces();
	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		add(&at, symbols[i].type, symbols[i].name, symbols[i].at, form);
	for (i = 0; i < FILLED; i++) {
		snprintf(name, sizeof(name), "filled_%zu", i);
		add(&at, i % 2 ? 'd' : 't', name, 0x1000 + 16 * (uint32_t)i, form);
	}
	/* More pieces than fit a length of one byte. */
	memset(name, 'x', 199);
	name[199] = '\0';
	add(&at, 't', name, 0x3000, form);
	add(&at, 'T', "_etext", 0x4000, form);
	add(&at, 'D', "__init_begin", 0x5000, form);
	add(&at, 'R', "__init_end", 0x6000, form);
	make_modules();
	make_headers(form);
	native_write(dir, "kallsyms", printed);
	native_write(dir, "modules", "mod 8192 0 - Live 0xffffffffc0200000\n");
}

/* The kernel does not print where the last function of a module ends. */
static struct tap_symbols *without_ends(struct tap_symbols *syms)
{
	size_t i, nr = 0;

	for (i = 0; i < syms->nr; i++)
		if (*syms->list[i].name || syms->list[i].state != TAP_SYMBOL_MARKER)
			syms->list[nr++] = syms->list[i];
	syms->nr = nr;
	return syms;
}

static struct tap_symbols *read_image(const char *data, size_t len, const char *glob)
{
	struct tap_symbols *syms = calloc(1, sizeof(*syms));

	damage_store(kcore, data, len);
	if (!syms)
		abort();
	if (!tap_symbol_tables_read(syms, &paths, glob))
		return without_ends(syms);
	tap_symbols_free(syms);
	return NULL;
}

static struct tap_symbols *read_now(const char *glob)
{
	return read_image((const char *)&image, sizeof(image), glob);
}

static bool is_same(const struct tap_symbol *a, const struct tap_symbol *b)
{
	return a->addr == b->addr && !strcmp(a->name, b->name) && !strcmp(a->module, b->module);
}

static bool same_states(const struct tap_symbols *a, const struct tap_symbols *b)
{
	size_t i;

	for (i = 0; i < a->nr; i++)
		if (a->list[i].state != b->list[i].state)
			return false;
	return true;
}

/* Whether all of the symbols are those that the kernel prints, in their order. */
static bool are_same(const struct tap_symbols *a, const struct tap_symbols *b)
{
	size_t i;

	for (i = 0; i < a->nr && i < b->nr; i++)
		if (!is_same(&a->list[i], &b->list[i]))
			return false;
	return a->nr == b->nr;
}

/* Whether the first ones that the kernel prints are there: the page is compared. */
static bool has_first(const struct tap_symbols *got, const struct tap_symbols *printed_ones)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		for (k = 0; k < got->nr; k++)
			if (is_same(&got->list[k], &printed_ones->list[i]))
				break;
		if (k == got->nr)
			return false;
	}
	return true;
}

static void test_forms(void)
{
	static const char *const names[] = { "relative", "per-CPU", "own" };
	struct tap_symbols *got, *expected;
	enum form form;

	for (form = RELATIVE; form <= OWN; form++) {
		make(form);
		got = read_now(NULL);
		expected = tap_symbols_load_from(&paths, NULL);
		check(got && expected && got->nr > FILLED / 2 && are_same(got, expected) &&
		      same_states(got, expected),
		      "all symbols are those that the kernel prints: form %s", names[form]);
		tap_symbols_free(got);
		got = read_now("vfs_re*");
		check(got && got->nr >= 2 && got->nr < 12 && got->addresses,
		      "with a glob few symbols are kept: form %s", names[form]);
		tap_symbols_free(got);
		tap_symbols_free(expected);
	}
}

static void refused(const char *why)
{
	struct tap_symbols *syms = read_now(NULL);

	check(!syms, "not used: %s", why);
	tap_symbols_free(syms);
	make(PERCPU);
}

static void test_refused(void)
{
	char *line;

	make(PERCPU);
	image.kernel.base++;
	refused("_stext has another address");
	line = strstr(printed, "filled_20\n");
	line[8]++;
	native_write(dir, "kallsyms", printed);
	refused("a name differs from what the kernel prints");
	memset(strstr(printed, "filled_20\n") - 19, '0', 16);
	native_write(dir, "kallsyms", printed);
	refused("the kernel hides an address");
	native_write(dir, "kallsyms", "");
	refused("the kernel prints nothing");
	image.module.pointer++;
	refused("a module's symbols are not found");
	image.module.symbol[1].st_value++;
	refused("a module is not among its symbols");
	image.kernel.nr++;
	image.part[1].p_filesz = offsetof(struct image, kernel.offsets) - offsetof(struct image, kernel);
	refused("a table is not in the file");
	image.note_name[0] = 'v';
	refused("the kernel tells nothing of its tables");
	native_write(dir, "modules", "mod 8192 0 - Live 0xffffffffc0200000\nother 1 0 - Live 0x1\n");
	refused("a module is not in sysfs");
}

/* Copies the image, with a byte changed; false: most of those that are 0 are left out. */
static bool damaged_at(char *data, size_t i)
{
	memcpy(data, &image, sizeof(image));
	if (!data[i] && i % 64)
		return false;
	data[i] ^= i % 3 ? 0x81 : 1;
	return true;
}

/*
 * Whatever the file has, what is used has what the kernel prints first. States depend on bounds of
 * sections behind that, and the order on all addresses.
 */
static void test_damaged(void)
{
	struct tap_symbols *expected, *got;
	char *data = malloc(sizeof(image));
	size_t i, bad = 0, used = 0, tried = 0;

	make(PERCPU);
	expected = tap_symbols_load_from(&paths, NULL);
	if (!data || !expected)
		abort();
	for (i = 0; i < sizeof(image); i++) {
		if (!damaged_at(data, i))
			continue;
		tried++;
		got = read_image(data, sizeof(image), i % 2 ? NULL : "*");
		used += got != NULL;
		bad += got && !has_first(got, expected);
		tap_symbols_free(got);
	}
	check(tried > 3000 && used && used < tried && !bad,
	      "of %zu damaged files %zu are used, %zu of them wrongly", tried, used, bad);
	for (i = bad = 0; i < sizeof(image); i += i < 2048 ? 1 : 61) {
		got = read_image((const char *)&image, i, NULL);
		bad += got && !are_same(got, expected);
		tap_symbols_free(got);
	}
	check(!bad, "of files that were cut %zu are used wrongly", bad);
	for (i = bad = 0; i < 3000; i++) {
		memcpy(data, &image, sizeof(image));
		damage_at(data, sizeof(image), (size_t)rand() % sizeof(image));
		damage_at(data, sizeof(image), (size_t)rand() % offsetof(struct image, kernel));
		got = read_image(data, sizeof(image), NULL);
		bad += got && !has_first(got, expected);
		tap_symbols_free(got);
	}
	check(!bad, "of files with random damage %zu are used wrongly", bad);
	tap_symbols_free(expected);
	free(data);
}

static struct tap_symbols *read_module(const char *name, const char *data, size_t len)
{
	struct tap_symbols *syms = calloc(1, sizeof(*syms));

	damage_store(kcore, data, len);
	if (!syms)
		abort();
	if (!tap_symbol_tables_module(syms, &paths, name))
		return without_ends(syms);
	tap_symbols_free(syms);
	return NULL;
}

static bool are(const struct tap_symbols *syms, uint64_t base, const char *module, const char *first,
		const char *second)
{
	const struct tap_symbol one = { .addr = base + 0x1000, .name = first, .module = module };
	const struct tap_symbol two = { .addr = base + 0x1100, .name = second, .module = module };

	return syms && syms->nr == (second ? 2 : 1) && is_same(&syms->list[0], &one) &&
	       (!second || is_same(&syms->list[1], &two));
}

static bool is_named(const struct tap_symbols *syms, uint64_t addr, const char *expected)
{
	char name[64] = "";

	return (tap_symbols_lookup(syms, addr, name, sizeof(name)) == 0) == !!expected &&
	       (!expected || !strcmp(name, expected));
}

static bool is_bounded(const struct tap_symbols *syms)
{
	return is_named(syms, MODULE + 0x1000, "mod_open+0x0 [mod]") &&
	       is_named(syms, MODULE + 0x117f, "mod_open.cold+0x7f [mod]") &&
	       is_named(syms, MODULE + 0x1180, NULL) && is_named(syms, MODULE + 0x5000, NULL);
}

/* Behind a module may be its init function, which the kernel still prints, or a BPF program. */
static void test_ends(void)
{
	struct tap_symbols *all = calloc(1, sizeof(*all)), *one = calloc(1, sizeof(*one));

	make(PERCPU);
	damage_store(kcore, (const char *)&image, sizeof(image));
	if (!all || !one)
		abort();
	check(!tap_symbol_tables_read(all, &paths, NULL) && is_bounded(all) &&
	      !tap_symbol_tables_module(one, &paths, "mod") && is_bounded(one),
	      "an address behind the last function of a module has no name");
	tap_symbols_free(all);
	tap_symbols_free(one);
}

struct found {
	char text[512];
	size_t nr;
	size_t most;
};

static int note_symbol(const struct tap_kallsym *sym, void *arg)
{
	struct found *found = arg;
	size_t len = strlen(found->text);

	snprintf(found->text + len, sizeof(found->text) - len, "%s%llx %c %s%s%s", len ? ", " : "",
		 (unsigned long long)sym->addr, sym->type, sym->name, *sym->module ? " " : "", sym->module);
	return sym->len == strlen(sym->name) ? ++found->nr == found->most : -EINVAL;
}

static bool finds(const char *const *names, size_t most, const char *expected)
{
	struct found found = { .most = most };
	int ret = tap_symbol_tables_named(&paths, names, note_symbol, &found);

	if (ret == (found.nr == most) && !strcmp(found.text, expected))
		return true;
	printf("# %d: %s\n", ret, found.text);
	return false;
}

#define NAMES(...)	((const char *const []){ __VA_ARGS__, NULL })

static void test_named(void)
{
	struct found found = { .most = 9 };

	make(OWN);
	damage_store(kcore, (const char *)&image, sizeof(image));
	check(finds(NAMES("helper"), 9, "ffffffff81000200 t helper, ffffffff81000300 t helper") &&
	      finds(NAMES("helper"), 1, "ffffffff81000200 t helper"),
	      "by name: all symbols of a name, or the first");
	check(finds(NAMES("filled_1", "__this_module", "vfs_read"), 9,
		    "ffffffff81000100 T vfs_read, ffffffff81001010 d filled_1, ffffffffc0200000 d __this_module mod"),
	      "by name: data as well, in the order of the kernel");
	check(finds(NAMES("mod_open"), 9, "ffffffffc0201000 t mod_open mod"), "by name: of a module");
	check(finds(NAMES("vfs_rea"), 9, "") && finds(NAMES("vfs_reads"), 9, "") && finds(NAMES(""), 9, "") &&
	      finds((const char *const []){ NULL }, 9, ""), "by name: not a part of a name, nor more");
	image.kernel.base = 1;
	image.kernel.names[0] = 0;
	damage_store(kcore, (const char *)&image, sizeof(image));
	check(tap_symbol_tables_named(&paths, NAMES("helper"), note_symbol, &found) < 0 && !found.nr,
	      "by name: nothing of tables that are not what the kernel prints");
	make(PERCPU);
}

static bool reads(const char *name)
{
	struct tap_symbols *syms = read_module(name, (const char *)&image, sizeof(image));

	tap_symbols_free(syms);
	return syms;
}

#define MOD_LIVE	"mod 8192 0 - Live 0xffffffffc0200000\n"

static void test_module(void)
{
	struct tap_symbols *syms;
	size_t i, tried = 0, used = 0;
	char *data = malloc(sizeof(image));

	make(PERCPU);
	native_write(dir, "modules", "coming 4096 1 - Loading 0xffffffffc0300000\n" MOD_LIVE);
	syms = read_module("mod", (const char *)&image, sizeof(image));
	check(are(syms, MODULE, "mod", "mod_open", "mod_open.cold"), "the symbols of a module");
	tap_symbols_free(syms);
	syms = read_module("coming", (const char *)&image, sizeof(image));
	check(are(syms, COMING, "coming", "coming_open", NULL),
	      "of one whose init function runs, those that will stay");
	tap_symbols_free(syms);
	image.coming.pointer = AT(COMING, module.symbols);
	syms = read_module("coming", (const char *)&image, sizeof(image));
	check(are(syms, COMING, "coming", "coming_open", NULL), "when it has run, those that are left");
	tap_symbols_free(syms);
	check(!reads("none") && !reads("") && !reads("../mod"), "one that is not loaded has none");
	image.coming.symbol[1].st_value++;
	check(!reads("coming"), "a module that is not among its symbols is not used");
	native_write(dir, "modules", "coming 4096 1 - Loading 0xffffffffc0300000\n");
	check(!reads("coming"), "nor one if no live module shows where struct module has its symbols");
	make(PERCPU);
	native_write(dir, "modules", "coming 4096 1 - Loading 0xffffffffc0300000\n" MOD_LIVE);
	if (!data)
		abort();
	for (i = offsetof(struct image, module); i < sizeof(image); i++) {
		if (!damaged_at(data, i))
			continue;
		tried++;
		syms = read_module("coming", data, sizeof(image));
		used += syms != NULL;
		tap_symbols_free(syms);
	}
	for (i = 0; i < sizeof(image); i += i < 2048 ? 1 : 61) {
		syms = read_module("coming", data, i);
		tried++;
		used += syms != NULL;
		tap_symbols_free(syms);
	}
	check(tried > 200 && used < tried, "of %zu files that were damaged or cut %zu are read", tried, used);
	free(data);
}

int main(void)
{
	char path[160];

	native_dir(dir);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	snprintf(modules, sizeof(modules), "%s/modules", dir);
	snprintf(kcore, sizeof(kcore), "%s/kcore", dir);
	snprintf(module_dir, sizeof(module_dir), "%s/module", dir);
	snprintf(path, sizeof(path), "%s/mod", module_dir);
	if (mkdir(module_dir, 0700) || mkdir(path, 0700))
		abort();
	strcat(path, "/sections");
	if (mkdir(path, 0700))
		abort();
	native_write(path, ".gnu.linkonce.this_module", "0xffffffffc0200000\n");
	snprintf(path, sizeof(path), "mkdir -p %s/coming/sections", module_dir);
	if (system(path))
		abort();
	snprintf(path, sizeof(path), "%s/coming/sections", module_dir);
	native_write(path, ".gnu.linkonce.this_module", "0xffffffffc0300000\n");
	test_forms();
	test_refused();
	test_damaged();
	test_module();
	test_ends();
	test_named();
	snprintf(path, sizeof(path), "rm -r %s", dir);
	return system(path) ? 1 : check_end();
}
