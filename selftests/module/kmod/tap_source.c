// SPDX-License-Identifier: GPL-2.0
/*
 * A driver whose statements store their local variables: /proc/tap_source has what each line of
 * SAVE() stored, in the order of execution. A number written to the parameter "run" runs the
 * functions so many times; loading the module runs them once.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#define MOST_ROWS	131072

/* What one line stored. */
struct source_row {
	long line;
	long value[3];
};

struct source_dev {
	int id;
	unsigned short port;
	long bytes;
};

static struct source_row *rows;
static unsigned int nr_rows;

/* A statement that needs its operands: they are alive where the line begins. */
#define SAVE(a, b, c)						\
	do {							\
		struct source_row *to = &rows[nr_rows++ % MOST_ROWS];	\
								\
		to->line = __LINE__;				\
		to->value[0] = (long)(a);			\
		to->value[1] = (long)(b);			\
		to->value[2] = (long)(c);			\
	} while (0)

/* Inlined into each of its callers. */
static __always_inline long source_scale(long value, int by)
{
	SAVE(value, by, value * by); /* line scale */
	return value * by;
}

static noinline long source_loop(struct source_dev *dev, int count)
{
	long sum = 0;
	int i;

	for (i = 0; i < count; i++) {
		u8 low = (u8)(i * 37 + dev->id);

		sum += source_scale(low, 3);
		SAVE(i, sum, low); /* line loop */
	}
	dev->bytes += sum;
	SAVE(count, sum, dev->bytes); /* line end */
	return sum;
}

static noinline void source_add(long *to, long more)
{
	*to += more;
	barrier();
}

/* @total has its place in the stack, and the inner @n hides the outer one. */
static noinline long source_stack(long n)
{
	long total = n;

	source_add(&total, 7);
	if (n & 1) {
		long outer = n;
		short n = (short)(outer * 3);

		source_add(&total, n);
		SAVE(n, total, outer); /* line inner */
	}
	SAVE(n, total, 0); /* line outer */
	return source_scale(total, 5);
}

/* Overwrites the registers that calls leave as they are: variables that are not used below are gone. */
#if defined(CONFIG_ARM64)
#define FORGET()	asm volatile("" : : : "x19", "x20", "x21", "x22", "x23", "x24", "x25", \
				     "x26", "x27", "x28", "memory")
#elif defined(CONFIG_FRAME_POINTER)
#define FORGET()	asm volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory")
#else
#define FORGET()	asm volatile("" : : : "rbx", "rbp", "r12", "r13", "r14", "r15", "memory")
#endif

/* At the last line @n and @depth are nowhere. The message is in another section. */
static noinline long source_entry(long n, int depth)
{
	long local = n * 3;

	SAVE(n, depth, 0); /* line enter */
	source_add(&local, depth);
	if (depth)
		source_entry(n + 1, depth - 1);
	if (depth > 9)
		pr_warn("tap_source: %d frames\n", depth);
	FORGET();
	source_add(&local, 1);
	SAVE(local, 0, 0); /* line leave */
	return local;
}

/*
 * Lines at which "perf probe" differs from the source. source_perf lists the classes. Where such a
 * line is none of SAVE(), the one beside it stores the same.
 */

/* Is inlined, as source_scale() is. */
static __always_inline long source_weigh(long value, int by)
{
	SAVE(value, by, 0);
	return value * by;
}

/* It calls a function of another file, which is inlined and not called in each pass. */
static noinline long source_call(struct source_dev *dev, long n)
{
	long hash = 5;

	source_add(&dev->bytes, n);
	hash = n & 1 ? (long)hash_64((u64)dev->bytes, 8) : hash; /* line call */
	SAVE(n, dev->bytes, hash); /* line called */
	return hash;
}

/* The line of its name is not that of its first instruction, but of those of its inlined copy. */
static __always_inline notrace u64
source_named(struct source_dev *dev, long rest) /* line entry */
{
	u64 left = READ_ONCE(dev->port);

	if (rest & 1)
		source_add(&dev->bytes, rest);
	SAVE(rest, left, 0); /* line entered */
	return left + rest;
}

static u64 (*source_any)(struct source_dev *dev, long rest) = source_named;

static noinline u64 source_entered(struct source_dev *dev)
{
	return READ_ONCE(source_any)(dev, -22) + source_named(dev, dev->id);
}

/* @value is gone, and that of source_weigh() is not. */
static noinline long source_crash(struct source_dev *dev, long n)
{
	long value = READ_ONCE(dev->id), by;

	source_add(&dev->bytes, value);
	FORGET();
	by = READ_ONCE(dev->bytes);
	SAVE(n, by, source_weigh(by, n)); /* line crashed */
	return by;
}

/* @at is the stack pointer. */
static __always_inline void source_fill(long *at, long n)
{
	barrier();
	*at = n;
	SAVE(at, n, 0); /* line pointer */
	source_add(at, n);
}

static noinline long source_values(long n)
{
	long local = n;

	source_fill(&local, n + 2); /* line values */
	return local;
}

static long source_total;

/* @used is gone, and that of its caller is not. */
static __always_inline long source_inner(long value, long used) /* line hidden */
{
	source_add(&source_total, value);
	SAVE(value, 0, 0); /* line inside */
	return value + used;
}

static noinline long source_hidden(struct source_dev *dev, long used)
{
	source_inner(READ_ONCE(dev->bytes), READ_ONCE(dev->id));
	source_add(&dev->bytes, used);
	return used;
}

/* Its first instruction is one before the arguments of source_weigh() are known. */
static noinline notrace long source_later(struct source_dev *dev) /* line later */
{
	long more = source_weigh(READ_ONCE(dev->bytes), READ_ONCE(dev->id));

	SAVE(dev->bytes, dev->id, 0); /* line latest */
	return more;
}

static noinline void source_run(int n)
{
	struct source_dev dev = { .id = n, .port = 80, .bytes = -n };
	long result = source_loop(&dev, 3);

	result += source_stack(n);
	source_entry(n, n % 4);
	source_call(&dev, n);
	source_entered(&dev);
	source_crash(&dev, n);
	source_values(n);
	source_hidden(&dev, n);
	source_later(&dev);
	SAVE(n, result, dev.port); /* line run */
}

static int source_param(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int ret = kstrtouint(text, 0, &n);

	if (ret)
		return ret;
	for (i = 0; i < n; i++)
		source_run((int)i);
	return 0;
}

static const struct kernel_param_ops source_ops = { .set = source_param };

module_param_cb(run, &source_ops, NULL, 0200);

static int source_show(struct seq_file *file, void *unused)
{
	unsigned int i;

	for (i = 0; i < nr_rows && i < MOST_ROWS; i++)
		seq_printf(file, "%ld %ld %ld %ld\n", rows[i].line, rows[i].value[0],
			   rows[i].value[1], rows[i].value[2]);
	return 0;
}

/* Not in source_init(): no line of a module's last function can be probed on kernels since 6.4. */
static noinline void __init source_first(void)
{
	long first = 4711, second = first + rows[0].line;

	OPTIMIZER_HIDE_VAR(first);
	SAVE(first, second, nr_rows); /* line init */
	source_run(1);
}

static int __init source_init(void)
{
	rows = vzalloc(MOST_ROWS * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	source_first();
	if (proc_create_single("tap_source", 0444, NULL, source_show))
		return 0;
	vfree(rows);
	return -ENOMEM;
}

static void __exit source_exit(void)
{
	remove_proc_entry("tap_source", NULL);
	vfree(rows);
}

module_init(source_init);
module_exit(source_exit);
MODULE_DESCRIPTION("Test driver for tapmod that stores its local variables");
MODULE_LICENSE("GPL");
