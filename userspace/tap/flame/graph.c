// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a tree to a file.
 */
#include <errno.h>
#include <string.h>

#include "flame/fold.h"
#include "flame/graph.h"

bool flame_write(const struct flame_svg *svg, bool folded, const char *path)
{
	FILE *to = stdout;
	int err;

	if (path && strcmp(path, "-"))
		to = fopen(path, "we");
	if (!to) {
		tool_error("%s: %s", path, strerror(errno));
		return false;
	}
	errno = 0;
	if (folded)
		flame_print_folded(svg->tree, to);
	else
		flame_print_svg(svg, to);
	if (to == stdout)
		return true;
	/* errno is that of the first failed write. */
	err = ferror(to) ? errno : 0;
	if (fclose(to) && !err)
		err = errno;
	if (err)
		tool_error("cannot write %s: %s", path, strerror(err));
	return !err;
}
