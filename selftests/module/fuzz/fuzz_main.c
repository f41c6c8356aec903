// SPDX-License-Identifier: GPL-2.0
/*
 * main() of the fuzzers: parses the options, picks the seed, and calls the functions of struct
 * fuzz.
 */
#include "selftests/module/tap_session.h"

#include <getopt.h>

#include "selftests/module/fuzz/fuzz_main.h"

#define MAX_OPTIONS	16

__u64 make_seed = 1;
_Thread_local __u64 random_state;

static void take(const struct fuzz_option *option, const char *arg)
{
	if (option->flag)
		*option->flag = true;
	else if (option->number)
		*option->number = strtoull(arg, NULL, 0);
	else
		option->take(arg);
}

static void parse(int argc, char **argv)
{
	struct option longopts[MAX_OPTIONS + 1] = {
		{ "seed", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
	};
	const struct fuzz_option *option = fuzz.options;
	int first = 2, nr, index, c;

	for (nr = first; option->name && nr < MAX_OPTIONS; nr++, option++) {
		longopts[nr].name = option->name;
		longopts[nr].has_arg = option->flag ? no_argument : required_argument;
	}
	while ((c = getopt_long(argc, argv, "", longopts, &index)) != -1) {
		switch (c) {
		case 0:
			take(&fuzz.options[index - first], optarg);
			break;
		case 's':
			make_seed = strtoull(optarg, NULL, 0);
			break;
		default:
			fuzz.usage(c == 'h' ? stdout : stderr);
			exit(c != 'h');
		}
	}
}

int main(int argc, char **argv)
{
	__u64 begin, wrong;

	parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	fuzz.prepare();
	begin = test_now_ms();
	fuzz.run();
	wrong = fuzz.report(test_now_ms() - begin);
	printf("%u passed, %u failed\n", !wrong, !!wrong);
	return !!wrong;
}
