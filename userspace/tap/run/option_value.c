// SPDX-License-Identifier: GPL-2.0
/*
 * The values of options: numbers, sizes, seconds and words.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/option_value.h"

int option_bad(const char *option, const char *arg, const char *what)
{
	tool_error("%s '%s': %s", option, arg, what);
	return TOOL_USAGE;
}

int option_seconds(const char *option, const char *arg, double least, double most, __u64 *ns)
{
	char what[80];
	char *end;
	double v;

	errno = 0;
	v = strtod(arg, &end);
	if (errno || end == arg || *end || !isfinite(v) || v < least || v > most) {
		snprintf(what, sizeof(what), "give seconds from %g to %.0f, e.g. %g or 0.5", least,
			 most, least < 0.001 ? 0.002 : 10);
		return option_bad(option, arg, what);
	}
	*ns = (__u64)(v * 1e9);
	return -1;
}

int option_time(const char *option, const char *arg, __u64 *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "m", 60e9 } };
	double v;
	char *end;
	size_t i;

	errno = 0;
	v = strtod(arg, &end);
	for (i = 0; !errno && end != arg && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name) && isfinite(v) && v >= 0 &&
		    v * units[i].ns <= 1e15) {
			*ns = (__u64)(v * units[i].ns);
			return -1;
		}
	return option_bad(option, arg, "give a time, e.g. 2s, 100ms or 5m");
}

int option_size(const char *option, const char *arg, __u64 *size)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	unsigned int shift = 0;
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (errno || end == arg || *arg == '-')
		return option_bad(option, arg,
				 "give a size, e.g. 65536, 64K or 1M");
	suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
	if (suffix && *suffix) {
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
		end++;
	}
	if (*end)
		return option_bad(option, arg,
				 "give a size, e.g. 65536, 64K or 1M");
	*size = v > UINT64_MAX >> shift ? UINT64_MAX : (__u64)v << shift;
	return -1;
}

int option_keep_memory(const char *arg, __u64 *size)
{
	int ret = option_size("--keep-memory", arg, size);

	if (ret < 0 && (*size < TAP_KEEP_MIN_MEMORY || *size > TAP_KEEP_MAX_MEMORY))
		return option_bad("--keep-memory", arg, "give a size from 1M to 64G");
	return ret;
}

int option_number(const char *option, const char *arg, __u32 least,
			__u32 most, __u32 *number)
{
	unsigned long v;
	char what[64];
	char *end;

	errno = 0;
	v = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-' || v < least || v > most) {
		snprintf(what, sizeof(what), "give a number from %u to %u",
			 least, most);
		return option_bad(option, arg, what);
	}
	*number = (__u32)v;
	return -1;
}

int option_limit(const char *option, const char *arg, __u32 *limit)
{
	if (strcmp(arg, "none"))
		return option_number(option, arg, 1, TAP_NO_LIMIT - 1, limit);
	*limit = TAP_NO_LIMIT;
	return -1;
}

int option_permille(const char *option, const char *arg, __u32 *permille)
{
	double v;
	char *end;

	errno = 0;
	v = strtod(arg, &end);
	if (errno || end == arg || (*end && strcmp(end, "%")) || !isfinite(v) || v < 0.1 || v > 100)
		return option_bad(option, arg, "give percent from 0.1 to 100, e.g. 2%");
	*permille = (__u32)(v * 10 + 0.5);
	return -1;
}

int option_word(const char *option, const char *arg, const char *const names[3], __u32 *value)
{
	char help[64];

	for (*value = 0; *value < 3; ++*value)
		if (!strcmp(arg, names[*value]))
			return -1;
	snprintf(help, sizeof(help), "give %s, %s or %s", names[0], names[1], names[2]);
	return option_bad(option, arg, help);
}
