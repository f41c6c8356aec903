// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose pace is given, for the tests of tap diff. "CALLS PERCENT SEED" written to the parameter
 * run makes so many calls. Each takes so many percent of a random time.
 */
#include <linux/kernel.h>
#include <linux/module.h>

/* Rounds of a call: some thousand instructions. */
#define PACE_ROUNDS	1000
#define PACE_SPREAD	320

static u32 pace_sum;

static u32 pace_random(u32 random)
{
	return random * 1664525 + 1013904223;
}

static noinline __noclone int pace_work(u32 random, unsigned int percent)
{
	unsigned int rounds = PACE_ROUNDS + (random >> 8) % PACE_SPREAD, i;

	/* One call in 32 takes longer. */
	if (!(random >> 27))
		rounds *= 4;
	rounds = rounds * percent / 100;
	for (i = 0; i < rounds; i++) {
		pace_sum += random ^ i;
		barrier();
	}
	return random >> 24 == 7 ? -EAGAIN : 0;
}

static noinline void pace_send(u32 random, unsigned int percent)
{
	pace_work(random, percent);
	pace_sum++;
}

static noinline void pace_poll(u32 random, unsigned int percent)
{
	pace_work(random, percent);
	barrier();
}

static int pace_run_set(const char *text, const struct kernel_param *param)
{
	unsigned int calls, percent, i;
	u32 random;

	if (sscanf(text, "%u %u %u", &calls, &percent, &random) != 3 || percent > 1000)
		return -EINVAL;
	for (i = 0; i < calls; i++) {
		random = pace_random(random);
		if (i % 4)
			pace_send(random, percent);
		else
			pace_poll(random, percent);
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops pace_run_ops = { .set = pace_run_set };
module_param_cb(run, &pace_run_ops, NULL, 0200);

static int __init pace_init(void)
{
	return 0;
}
module_init(pace_init);

static void __exit pace_exit(void)
{
}
module_exit(pace_exit);

MODULE_DESCRIPTION("Calls whose pace is given, for the tests of tapmod");
MODULE_LICENSE("GPL");
