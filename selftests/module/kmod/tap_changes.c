// SPDX-License-Identifier: GPL-2.0
/*
 * A device whose members a function changes by a seeded table, for tests of whole structs and of
 * what a call has changed. /proc/tap_changes has each change as tap prints it: "CALL MEMBER OLD->NEW".
 *
 * The parameter "calls" makes so many calls more; 0 empties the list of changes, and calls are counted
 * from 0 again. "race" lets another CPU write one member meanwhile.
 */
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

enum changes_state { CHANGES_IDLE, CHANGES_READY, CHANGES_BUSY = 7 };

struct changes_desc {
	u64 addr;
	u32 len;
	u16 flags;
};

/* A struct of 1 KiB with every kind of member. */
struct changes_dev {
	u8 byte;
	s8 sbyte;
	u16 half;
	s16 shalf;
	u32 word;
	s32 sword;
	u64 wide;
	s64 swide;
	bool on;
	char letter;
	enum changes_state state;
	u32 three : 3;
	u32 eleven : 11;
	s32 sfive : 5;
	u64 forty : 40;
	union {
		u32 whole;
		struct {
			u16 low;
			u16 high;
		};
	};
	struct {
		u32 ctrl;
		u32 status;
	} regs;
	char name[16];
	void *data;
	void (*handler)(void);
	u32 lut[20];
	u8 grid[12];
	struct changes_desc ring[20];
	void *racing;
	u8 rest[504];
} __aligned(64);

static void changes_first(void)
{
}

static void changes_second(void)
{
}

/* The device, the list of changes and the number of calls are changed under the lock. */
static DEFINE_MUTEX(changes_lock);
static struct changes_dev changes_dev;
static char *changes_log;
static size_t changes_len;
static u32 changes_seed;
static u32 changes_calls;
static struct task_struct *changes_writer;

#define CHANGES_LOG	(24 << 20)

static u32 changes_next(void)
{
	changes_seed = changes_seed * 1103515245 + 12345;
	return changes_seed >> 8;
}

#define changes_note(nr, format, ...)	\
	(changes_len += scnprintf(changes_log + changes_len, CHANGES_LOG - changes_len, \
				  "%u " format "\n", nr, ##__VA_ARGS__))

/* Adds a number other than 0 modulo 2^bits, so that the member changes. */
#define changes_number(nr, member, bits, as, format) do {				\
	typeof(dev->member + 0) old = dev->member;					\
											\
	dev->member += 1 + changes_next() % ((1ULL << ((bits) < 31 ? (bits) : 31)) - 1);	\
	changes_note(nr, #member " " format "->" format, (as)old, (as)dev->member);	\
} while (0)

static const char *changes_state_name(enum changes_state state)
{
	return state == CHANGES_IDLE ? "CHANGES_IDLE" :
	       state == CHANGES_READY ? "CHANGES_READY" : "CHANGES_BUSY";
}

static void changes_state_set(struct changes_dev *dev, u32 nr)
{
	enum changes_state old = dev->state;

	dev->state = old == CHANGES_IDLE ? CHANGES_READY :
		     old == CHANGES_READY ? CHANGES_BUSY : CHANGES_IDLE;
	changes_note(nr, "state %s->%s", changes_state_name(old), changes_state_name(dev->state));
}

static void changes_name_set(struct changes_dev *dev, u32 nr)
{
	char old[sizeof(dev->name)];

	memcpy(old, dev->name, sizeof(old));
	/* The last digit of the number and that of the old name differ. */
	snprintf(dev->name, sizeof(dev->name), "dev%u%c", nr % 1000,
		 old[strlen(old) ? strlen(old) - 1 : 0] == 'a' ? 'b' : 'a');
	changes_note(nr, "name \"%s\"->\"%s\"", old, dev->name);
}

static void changes_handler_set(struct changes_dev *dev, u32 nr)
{
	bool first = dev->handler == changes_first;

	dev->handler = first ? changes_second : changes_first;
	changes_note(nr, "handler changes_%s+0x0 [tap_changes]->changes_%s+0x0 [tap_changes]",
		     first ? "first" : "second", first ? "second" : "first");
}

/* Both names of the same bytes, in the order of the struct. */
static void changes_union_set(struct changes_dev *dev, u32 nr)
{
	u32 old = dev->whole;

	dev->whole += 0x10001;
	changes_note(nr, "whole %u->%u", old, dev->whole);
	changes_note(nr, "low %u->%u", old & 0xffff, dev->low);
	changes_note(nr, "high %u->%u", old >> 16, dev->high);
}

static void changes_elements(struct changes_dev *dev, u32 nr, unsigned int kind)
{
	unsigned int i = changes_next() % 20, k = changes_next() % 4;
	u64 old;

	switch (kind) {
	case 0:
		old = dev->lut[i]++;
		changes_note(nr, "lut[%u] %u->%u", i, (u32)old, dev->lut[i]);
		break;
	case 1:
		i = i % 3 * 4 + k;
		old = dev->grid[i]++;
		changes_note(nr, "grid[%u] %u->%u", i, (u8)old, dev->grid[i]);
		break;
	case 2:
		old = dev->ring[i].addr;
		dev->ring[i].addr += 4096;
		changes_note(nr, "ring[%u].addr %llu->%llu", i, old, dev->ring[i].addr);
		break;
	default:
		old = dev->ring[i].flags;
		dev->ring[i].flags ^= 1 << k;
		changes_note(nr, "ring[%u].flags %u->%u", i, (u32)old, dev->ring[i].flags);
		break;
	}
}

static void changes_one(struct changes_dev *dev, u32 nr, unsigned int kind)
{
	switch (kind) {
	case 0: changes_number(nr, byte, 8, u32, "%u"); break;
	case 1: changes_number(nr, sbyte, 8, s32, "%d"); break;
	case 2: changes_number(nr, half, 16, u32, "%u"); break;
	case 3: changes_number(nr, shalf, 16, s32, "%d"); break;
	case 4: changes_number(nr, word, 32, u32, "%u"); break;
	case 5: changes_number(nr, sword, 31, s32, "%d"); break;
	case 6: changes_number(nr, wide, 64, u64, "%llu"); break;
	case 7: changes_number(nr, swide, 63, s64, "%lld"); break;
	case 8: changes_number(nr, three, 3, u32, "%u"); break;
	case 9: changes_number(nr, eleven, 11, u32, "%u"); break;
	case 10: changes_number(nr, sfive, 5, s32, "%d"); break;
	case 11: changes_number(nr, forty, 40, u64, "%llu"); break;
	case 12: changes_number(nr, regs.ctrl, 32, u32, "%u"); break;
	case 13: changes_number(nr, regs.status, 32, u32, "%u"); break;
	case 14:
		dev->on = !dev->on;
		changes_note(nr, "on %s->%s", dev->on ? "false" : "true", dev->on ? "true" : "false");
		break;
	case 15:
		dev->letter = dev->letter == 'z' ? 'a' : dev->letter + 1;
		changes_note(nr, "letter '%c'->'%c'",
			     dev->letter == 'a' ? 'z' : dev->letter - 1, dev->letter);
		break;
	case 16:
		dev->data += 4096;
		changes_note(nr, "data 0x%lx->0x%lx", (unsigned long)dev->data - 4096,
			     (unsigned long)dev->data);
		break;
	case 17: changes_state_set(dev, nr); break;
	case 18: changes_name_set(dev, nr); break;
	case 19: changes_handler_set(dev, nr); break;
	case 20: changes_union_set(dev, nr); break;
	default: changes_elements(dev, nr, (kind - 21) % 4); break;
	}
}

/* The function that tests probe. It changes up to 6 members, each once; those of elements apart. */
static noinline __noclone int changes_apply(struct changes_dev *dev, u32 nr)
{
	unsigned int n = changes_next() % 7, first = changes_next(), i;

	barrier_data(dev);
	/* The step has no divisor with the number of kinds without elements, which is prime. */
	for (i = 0; i < n; i++)
		changes_one(dev, nr, i == 5 ? 21 + first % 4 : (first + 5 * i) % 21);
	barrier_data(dev);
	return n;
}

/* Words whose bytes are equal: a reader that sees two different ones has read a torn word. */
static int changes_write(void *data)
{
	unsigned long byte = 0;

	while (!kthread_should_stop()) {
		byte = byte % 255 + 1;
		WRITE_ONCE(changes_dev.racing, (void *)(byte * 0x0101010101010101UL));
		cond_resched();
	}
	return 0;
}

static int changes_calls_set(const char *text, const struct kernel_param *param)
{
	u32 calls, i;
	int ret = kstrtou32(text, 0, &calls);

	if (ret)
		return ret;
	mutex_lock(&changes_lock);
	if (!calls)
		changes_len = changes_calls = 0;
	for (i = 0; i < calls; i++) {
		changes_apply(&changes_dev, changes_calls++);
		cond_resched();
	}
	mutex_unlock(&changes_lock);
	return 0;
}

static const struct kernel_param_ops changes_calls_ops = {
	.set = changes_calls_set,
};
module_param_cb(calls, &changes_calls_ops, NULL, 0200);

static int changes_race_set(const char *text, const struct kernel_param *param)
{
	bool on;
	int ret = kstrtobool(text, &on);

	if (ret)
		return ret;
	mutex_lock(&changes_lock);
	if (on && !changes_writer) {
		changes_writer = kthread_run(changes_write, NULL, "tap_changes");
		if (IS_ERR(changes_writer)) {
			ret = PTR_ERR(changes_writer);
			changes_writer = NULL;
		}
	} else if (!on && changes_writer) {
		kthread_stop(changes_writer);
		changes_writer = NULL;
	}
	mutex_unlock(&changes_lock);
	return ret;
}

static const struct kernel_param_ops changes_race_ops = {
	.set = changes_race_set,
};
module_param_cb(race, &changes_race_ops, NULL, 0200);

static ssize_t changes_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&changes_lock);
	ret = simple_read_from_buffer(to, count, pos, changes_log, changes_len);
	mutex_unlock(&changes_lock);
	return ret;
}

static const struct proc_ops changes_proc_ops = {
	.proc_read = changes_read,
	.proc_lseek = default_llseek,
};

static int __init changes_init(void)
{
	BUILD_BUG_ON(sizeof(struct changes_dev) != 1024);
	changes_seed = 23;
	changes_dev.letter = 'a';
	changes_dev.handler = changes_first;
	changes_dev.racing = (void *)0x0101010101010101UL;
	strcpy(changes_dev.name, "device");
	changes_log = vmalloc(CHANGES_LOG);
	if (!changes_log)
		return -ENOMEM;
	if (!proc_create("tap_changes", 0400, NULL, &changes_proc_ops)) {
		vfree(changes_log);
		return -ENOMEM;
	}
	return 0;
}
module_init(changes_init);

static void __exit changes_exit(void)
{
	remove_proc_entry("tap_changes", NULL);
	if (changes_writer)
		kthread_stop(changes_writer);
	vfree(changes_log);
}
module_exit(changes_exit);

MODULE_DESCRIPTION("device whose members change, for the tests of tapmod");
MODULE_LICENSE("GPL");
