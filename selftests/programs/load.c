// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a library, calls its plug_call() 5 times and unloads it; repeats that as often as its
 * argument says.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (int n = atoi(argv[2]); n; n--) {
		void *lib = dlopen(argv[1], RTLD_NOW);
		int (*call)(int) = lib ? (int (*)(int))dlsym(lib, "plug_call") : NULL;

		if (!call) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		for (int i = 0; i < 5; i++)
			call(i);
		dlclose(lib);
	}
	return 0;
}
