// SPDX-License-Identifier: LGPL-2.1
/*
 * The memory of a machine out of a file that libkdumpfile reads. The library is loaded when such a file
 * is opened: neither the build nor any other command needs it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "util/util.h"

#define LIBRARY	"libkdumpfile.so.10"

/* Of its header: the address space of physical addresses, and the type of a number. */
#define MACHINE_PHYSICAL	1
#define NUMBER			2

/* No machine has physical addresses beyond this. */
#define MAX_MEMORY		(1ULL << 52)

struct kdump_number {
	int type;
	__u64 number;
};

/**
 * struct tap_kdump - a file that libkdumpfile has opened
 * @library: the library
 * @ctx: the file
 * @new: kdump_new()
 * @free: kdump_free()
 * @get_err: kdump_get_err()
 * @open_fdset: kdump_open_fdset()
 * @read: kdump_read()
 * @get_typed_attr: kdump_get_typed_attr()
 */
struct tap_kdump {
	void *library;
	void *ctx;
	void *(*new)(void);
	void (*free)(void *ctx);
	const char *(*get_err)(void *ctx);
	int (*open_fdset)(void *ctx, unsigned int nr, const int *fds);
	int (*read)(void *ctx, int space, __u64 addr, void *data, size_t *len);
	int (*get_typed_attr)(void *ctx, const char *key, struct kdump_number *value);
};

static bool find(struct tap_kdump *k, const char *name, void *function, size_t len)
{
	void *found = dlsym(k->library, name);

	memcpy(function, &found, len);
	return found;
}

static bool load(struct tap_kdump *k)
{
	k->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	return k->library &&
	       find(k, "kdump_new", &k->new, sizeof(k->new)) &&
	       find(k, "kdump_free", &k->free, sizeof(k->free)) &&
	       find(k, "kdump_get_err", &k->get_err, sizeof(k->get_err)) &&
	       find(k, "kdump_open_fdset", &k->open_fdset, sizeof(k->open_fdset)) &&
	       find(k, "kdump_read", &k->read, sizeof(k->read)) &&
	       find(k, "kdump_get_typed_attr", &k->get_typed_attr, sizeof(k->get_typed_attr));
}

int tap_kdump_open(struct tap_kdump **kdump, int fd, __u64 *end, const char *path,
		   struct tap_error *err)
{
	struct tap_kdump *k = calloc(1, sizeof(*k));
	struct kdump_number pfn = { .type = NUMBER }, size = { .type = NUMBER };

	if (!k)
		return tap_error_set(err, -ENOMEM, "out of memory");
	*kdump = k;
	if (!load(k))
		return tap_error_set(err, -EOPNOTSUPP,
				     "%s: is no ELF file, and other dumps need " LIBRARY
				     "; in Debian: apt install libkdumpfile10 (a static tap cannot load it)",
				     path);
	k->ctx = k->new();
	if (!k->ctx)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (k->open_fdset(k->ctx, 1, &fd) || k->get_typed_attr(k->ctx, "max_pfn", &pfn) ||
	    k->get_typed_attr(k->ctx, "arch.page_size", &size))
		return tap_error_set(err, -EBADMSG,
				     "%s: is no dump of a machine's memory that libkdumpfile can read: %s; of a flattened one makes 'makedumpfile -R NEW < %s' one that it can",
				     path, k->get_err(k->ctx), path);
	/* The pages of the file, which may be larger than those of the machine. */
	if (!size.number || pfn.number > MAX_MEMORY / size.number)
		return tap_error_set(err, -EBADMSG, "%s: is damaged: it says that it has %llu pages", path,
				     (unsigned long long)pfn.number);
	*end = pfn.number * size.number;
	return 0;
}

void tap_kdump_close(struct tap_kdump *k)
{
	if (!k)
		return;
	if (k->ctx)
		k->free(k->ctx);
	if (k->library)
		dlclose(k->library);
	free(k);
}

bool tap_kdump_read(const struct tap_kdump *k, __u64 addr, void *data, size_t len)
{
	size_t got = len;

	return !k->read(k->ctx, MACHINE_PHYSICAL, addr, data, &got) && got == len;
}
