// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of spec_test: wrong events with the expected error, and the symbols of a small kernel.
 */
#include <errno.h>

#include "util/util.h"
#include "selftests/lib/arch_operands.h"
#include "selftests/lib/spec_tables.h"
const struct wrong_event spec_wrong[] = {
	{ "", NULL, -EINVAL, "the event is empty" },
	{ "  ", NULL, -EINVAL, "the event is empty" },
	{ "vfs_read",
	  "^~~~~~~~", -EINVAL, "did you mean kprobe:vfs_read?" },
	{ "kprob:vfs_read",
	  "^~~~~", -EINVAL, "no event type \"kprob\"; did you mean kprobe:?" },
	{ "banana:vfs_read",
	  "^~~~~~", -EINVAL, "no event type \"banana\"" },
	{ ":vfs_read",
	  "^", -EINVAL, "no event type \"\"" },
	{ "kprobe",
	  "      ^", -EINVAL, "needs a function" },
	{ "kprobe:",
	  "       ^", -EINVAL, "needs a function, e.g. kprobe:vfs_read" },
	{ "rawtp:",
	  "      ^", -EINVAL, "needs a tracepoint" },
	{ "$arg1 kprobe:f",
	  "^~~~~", -EINVAL, "the event comes first" },
	{ "fd=$arg1",
	  "^~~~~~~~", -EINVAL, "the event comes first" },
	{ "tracepoint:sched_switch",
	  "           ^~~~~~~~~~~~", -EINVAL, "the subsystem is missing" },
	{ "syscall:mod:openat",
	  "           ^", -EINVAL, "has no module" },
	{ "profile",
	  "       ^", -EINVAL, "needs a rate" },
	{ "profile:99",
	  "        ^~", -EINVAL, "needs a rate" },
	{ "profile:hz:",
	  "           ^", -EINVAL, "the number is missing" },
	{ "profile:hz:9x",
	  "           ^~", -EINVAL, "the rate is a decimal number" },
	{ "profile:hz:0",
	  "           ^", -EINVAL, "the rate is 1 or more" },
	{ "profile:hz:100001",
	  "           ^~~~~~", -EINVAL, "the kernel's limit" },
	{ "profile:us:9",
	  "           ^", -EINVAL, "the kernel's limit" },
	{ "profile:s:9999999999",
	  "          ^~~~~~~~~~", -EINVAL, "longer than 2^62 ns" },
	{ "profile:min:1",
	  "        ^~~", -EINVAL, "no unit \"min\"" },
	{ "profile:hz:99 $arg1",
	  "              ^~~~~", -EINVAL, "a sample has no arguments" },
	{ "profile:hz:99 " R1,
	  "              ^~~", -EINVAL, "no registers" },
	{ "profile:hz:99 $retval",
	  "              ^~~~~~~", -EINVAL, "a sample has no $retval" },
	{ "hardware:",
	  "         ^", -EINVAL, "needs a counter" },
	{ "software::5",
	  "         ^", -EINVAL, "needs an event" },
	{ "software:cycles",
	  "         ^~~~~~", -EINVAL, "hardware:cycles" },
	{ "hardware:page-faults:1",
	  "         ^~~~~~~~~~~", -EINVAL, "software:page-faults" },
	{ "software:page-fauls:1",
	  "         ^~~~~~~~~~", -ENOENT, "did you mean page-faults?" },
	{ "hardware:cycles:1k",
	  "                ^~", -EINVAL, "a period is a decimal number" },
	{ "hardware:cycles:0",
	  "                ^", -EINVAL, "a period is 1 or more" },
	{ "hardware:cycles:99999999999999999999",
	  "                ^~~~~~~~~~~~~~~~~~~~", -EINVAL, "at most 2^62" },
	{ "watchpoint:",
	  "           ^", -EINVAL, "needs a symbol" },
	{ "watchpoint:v",
	  "           ^", -EINVAL, "LEN or MODE is missing; write watchpoint:SYMBOL:LEN:MODE" },
	{ "watchpoint:v:4",
	  "           ^~~", -EINVAL, "LEN or MODE is missing; write watchpoint:SYMBOL:LEN:MODE" },
	{ "watchpoint:v:4:q",
	  "               ^", -EINVAL, "rw (read or written)" },
	{ "watchpoint:v:4:",
	  "               ^", -EINVAL, "rw (read or written)" },
	{ "watchpoint:v:4:r",
	  "               ^", -EINVAL, "use rw" },
	{ "watchpoint:v:3:w",
	  "             ^", -EINVAL, "1, 2, 4 or 8 bytes" },
	{ "watchpoint:v::w",
	  "             ^", -EINVAL, "1, 2, 4 or 8 bytes" },
	{ "watchpoint:v*:4:w",
	  "           ^~", -EINVAL, "cannot be a glob" },
	{ "watchpoint::4:w",
	  "           ^", -EINVAL, "name of the symbol is missing" },
	{ "watchpoint:(&d->x):8:w",
	  "                      ^", -EINVAL, "the event that names the object is missing; write watchpoint:(EXPR)" },
	{ "watchpoint:(&d->x):8:w at kprobe:f",
	  "                       ^~", -EINVAL, "the event that names the object is missing" },
	{ "watchpoint:(&d->x):8:w in",
	  "                       ^~", -EINVAL, "the event is missing here" },
	{ "watchpoint:(&d->x):8:w in (kprobe:f $arg1)",
	  "                                    ^~~~~", -EINVAL, "only a condition can follow the event here" },
	{ "watchpoint:(&d->x):3:w in kprobe:f",
	  "                   ^", -EINVAL, "a watchpoint covers 1, 2, 4 or 8 bytes" },
	{ "watchpoint:/bin/sh:4:w",
	  "           ^~~~~~~", -EINVAL, "the variable is missing; write watchpoint:PATH:SYMBOL" },
	{ "watchpoint:/bin/sh:0x10:4:w",
	  "                   ^~~~", -EINVAL, "needs the name of a variable" },
	{ "watchpoint:./app:v*:4:w",
	  "           ^~~~~~~~", -EINVAL, "cannot be a glob" },
	{ "watchpoint:0x1001:2:w",
	  "           ^~~~~~", -EINVAL, "a multiple of 2" },
	{ "watchpoint:0xzz:2:w",
	  "           ^~~~", -EINVAL, "this is not an address; write it in hexadecimal" },
	{ "watchpoint:123:2:w",
	  "           ^~~", -EINVAL, "this is not an address; write it in hexadecimal" },
	{ "watchpoint:v:4:w $arg1",
	  "                 ^~~~~", -EINVAL, "has no arguments" },
	{ "watchpoint:v:4:w $retval",
	  "                 ^~~~~~~", -EINVAL, "a watchpoint has no $retval" },
	{ "watchpoint:v:1:x old",
	  "                 ^~~", -EINVAL, "no name \"old\"" },
	{ "kprobe:0xffffffff81000000",
	  "       ^~~~~~~~~~~~~~~~~~", -EINVAL, "addresses are not accepted" },
	{ "kprobe:vfs-read",
	  "          ^", -EINVAL, "cannot contain this character" },
	{ "kprobe:vfs_read/8",
	  "               ^", -EINVAL, "cannot contain this character" },
	{ "kprobe:fü",
	  "        ^", -EINVAL, "cannot contain this character" },
	{ "kprobe:f,kprobe:g",
	  "        ^", -EINVAL, "unexpected comma" },
	{ "kprobe:a:b:c",
	  "          ^", -EINVAL, "one colon too many" },
	{ "kprobe::f",
	  "       ^", -EINVAL, "the name of the module is missing" },
	{ "kprobe:mod:",
	  "           ^", -EINVAL, "the name of the function is missing" },
	{ "kprobe:+4",
	  "       ^", -EINVAL, "the name of the function is missing" },
	{ "kprobe:f+",
	  "         ^", -EINVAL, "the offset is missing" },
	{ "kprobe:f+zz",
	  "         ^", -EINVAL, "an offset is a decimal number" },
	{ "kprobe:f+1f",
	  "          ^", -EINVAL, "hexadecimal after 0x" },
	{ "kprobe:f+0x",
	  "          ^", -EINVAL, "an offset is a decimal number" },
	{ "kprobe:f+-4",
	  "         ^", -EINVAL, "an offset is a decimal number" },
	{ "kprobe:f+99999999999999999999",
	  "         ^~~~~~~~~~~~~~~~~~~~", -EINVAL, "larger than any" },
	{ "kprobe:f*+4",
	  "         ^~", -EINVAL, "an offset needs one function" },
	{ "kretprobe:f+0x10",
	  "           ^~~~~", -EINVAL, "kprobe:f+0x10" },
	{ "call:f+4 $arg1",
	  "      ^~", -EINVAL, "probes a whole function" },
	{ "rawtracepoint:sched_switch+4",
	  "                          ^~", -EINVAL, "a tracepoint has no offset" },
	{ "kprobe:f $arg0",
	  "         ^~~~~", -EINVAL, "numbered from 1" },
	{ "kprobe:f $arg7",
	  "         ^~~~~", -EOPNOTSUPP, "$stackN reads a word of the stack" },
	{ "kprobe:f $arg12",
	  "         ^~~~~~", -EOPNOTSUPP, "only $arg1 to $arg6" },
	{ "kprobe:f $agr1",
	  "         ^~~~~", -EINVAL, "no variable $agr1; did you mean $arg1?" },
	{ "kprobe:f $",
	  "         ^", -EINVAL, "no variable $" },
	{ "kprobe:f $comn",
	  "         ^~~~~", -EINVAL, "did you mean $comm?" },
	{ "kprobe:f $retval",
	  "         ^~~~~~~", -EINVAL, "$retval is not available at the start of a function" },
	{ "kprobe:f r=$retval:u64",
	  "           ^~~~~~~", -EINVAL, "use kretprobe:, or call:" },
	{ "rawtp:t $retval",
	  "        ^~~~~~~", -EINVAL, "a tracepoint has no $retval" },
	{ "rawtp:t " R1,
	  "        ^~~", -EINVAL, "a tracepoint has no registers" },
	{ "kretprobe:f $arg1",
	  "            ^~~~~", -EINVAL, "use call:, which saves them at entry" },
	{ "kretprobe:f x=" R1,
	  "              ^~~", -EINVAL, "at the return the registers are no longer available" },
	{ "kprobe:f+4 $arg1",
	  "           ^~~~~", -EINVAL, "only at the start of the function" },
	{ "kprobe:f %foo",
	  "         ^~~~", -EINVAL, "no register %foo" },
	{ "kprobe:f %",
	  "         ^", -EINVAL, "no register %" },
	{ "kprobe:f arg0",
	  "         ^~~~", -EINVAL, "did you mean $arg1?" },
	{ "kprobe:f x=+(%di)",
	  "           ^", -EINVAL, "the offset is missing; write +0(ADDRESS)" },
	{ "kprobe:f x=-u(%di)",
	  "           ^~", -EINVAL, "the offset is missing" },
	{ "kprobe:f retval",
	  "         ^~~~~~", -EINVAL, "$retval is not available at the start of a function" },
	{ "kprobe:f $arg1:u31",
	  "               ^~~", -EINVAL, "no format \"u31\"; did you mean" },
	{ "kprobe:f $arg1:hexadecimal",
	  "               ^~~~~~~~~~~", -EINVAL, "no format \"hexadecimal\". There are" },
	{ "kprobe:f $arg1:",
	  "               ^", -EINVAL, "the format is missing" },
	{ "kprobe:f $comm:x64",
	  "               ^~~", -EINVAL, "$comm is text" },
	{ "kprobe:f file->f_pos",
	  "         ^~~~", -EINVAL, "no name \"file\": nothing is known here; use $arg1 to $arg6" },
	{ "kprobe:f $arg1->f_pos",
	  "         ^~~~~", -EINVAL, "not a pointer with a known target; cast it" },
	{ "kprobe:f count",
	  "         ^~~~~", -EINVAL, "no name \"count\"" },
	{ "kprobe:f $arg1==3",
	  "         ^~~~~~~~", -EINVAL, "this value needs a name" },
	{ "kprobe:f $arg1 > 3",
	  "               ^", -EINVAL, "an operand is missing in front of this" },
	{ "kprobe:f x=$arg1+ 3",
	  "                 ^", -EINVAL, "a condition after if" },
	{ "kprobe:f $time",
	  "         ^~~~~", -EINVAL, "is not a variable" },
	{ "kprobe:f $gid",
	  "         ^~~~", -EOPNOTSUPP, "not supported yet by this version" },
	{ "kprobe:f \\x",
	  "         ^", -EINVAL, "no meaning in an expression" },
	{ "kprobe:f (a.b)c",
	  "              ^", -EINVAL, "an operator is missing" },
	{ "kprobe:f (a,.b)c",
	  "           ^", -EINVAL, "unexpected comma" },
	{ "kprobe:f (a,b.)c",
	  "           ^", -EINVAL, "unexpected comma" },
	{ "kprobe:f x=$arg1:%pd[2]",
	  "                 ^~~~~~", -EINVAL, "no format" },
	{ "kprobe:f =$arg1",
	  "         ^", -EINVAL, "the name is missing before the =" },
	{ "kprobe:f x=",
	  "           ^", -EINVAL, "the value is missing after the =" },
	{ "kprobe:f 1x=$arg1",
	  "         ^", -EINVAL, "cannot begin with a digit" },
	{ "kprobe:f a-b=$arg1",
	  "          ^", -EINVAL, "only letters, digits and _" },
	{ "kprobe:f a=$arg1, b=$arg2",
	  "                ^", -EINVAL, "unexpected comma" },
	{ "kprobe:f $arg1 $arg1",
	  "               ^~~~~", -EINVAL, "two values have the name \"arg1\"" },
	{ "kprobe:f x=$arg1 x=$arg2",
	  "                   ^~~~~", -EINVAL, "two values have the name \"x\"" },
	{ "kretprobe:f ret=$comm",
	  "                ^~~~~", -EINVAL, "already has a value \"ret\"" },
	{ "kretprobe:f x=$comm x=$retval",
	  "                      ^~~~~~~", -EINVAL, "two values have the name \"x\"" },
	{ "call:f ret=$arg1",
	  "           ^~~~~", -EINVAL, "call: already has a value \"ret\"" },
	{ "call:f duration=$arg1",
	  "                ^~~~~", -EINVAL, "call: already has a value \"duration\"" },
	{ "kprobe:f\n$arg9",
	  "         ^~~~~", -EOPNOTSUPP, "only $arg1 to $arg6" },
};

const size_t nr_spec_wrong = ARRAY_SIZE(spec_wrong);

const char spec_kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T __entry_text_start\n"
	"ffffffff81000100 T entry_SYSCALL_64\n"
	"ffffffff81000200 T __entry_text_end\n"
	"ffffffff81001000 T __pfx_vfs_read\n"
	"ffffffff81001010 T vfs_read\n"
	"ffffffff81001100 T vfs_readv\n"
	"ffffffff81001200 T vfs_write\n"
	"ffffffff81001300 t vfs_statx.isra.0\n"
	"ffffffff81001340 t cloned.constprop.0\n"
	"ffffffff81001350 t cloned.part.0\n"
	"ffffffff81001360 t cloned.cold\n"
	"ffffffff81001400 t helper\n"
	"ffffffff81001500 t helper\n"
	"ffffffff81001600 T __x64_sys_openat\n"
	"ffffffff81001700 T do_sys_openat2\n"
	"ffffffff81001800 T __switch_to\n"
	"ffffffff81001900 T tcp_sendmsg\n"
	"ffffffff81001a00 T tcp_recvmsg\n"
	"ffffffff81001b00 t tcp_recvmsg.cold\n"
	"ffffffff81001c00 T get_kprobe\n"
	"ffffffff81001d00 T __traceiter_sched_switch\n"
	"ffffffff81001e00 T __traceiter_sched_wakeup\n"
	"ffffffff81001f00 W weak_one\n"
	"ffffffff81002000 T noinstr_first\n"
	"ffffffff81002000 T __noinstr_text_start\n"
	"ffffffff81002100 T noinstr_last\n"
	"ffffffff81002200 T __noinstr_text_end\n"
	"ffffffff81002300 T __SCT__might_resched\n"
	"ffffffff81002400 T __x86_return_thunk\n"
	"ffffffff81002500 t .slowpath\n"
	"ffffffff81003000 T _etext\n"
	"ffffffff81100000 D vfs_data\n"
	"ffffffff81100100 D __tracepoint_only_data\n"
	"ffffffff81100200 T said_to_be_text\n"
	"ffffffff81200000 D __init_begin\n"
	"ffffffff81200000 T _sinittext\n"
	"ffffffff81200100 t vfs_init\n"
	"ffffffff81200200 T _einittext\n"
	"ffffffff81300000 R __init_end\n"
	"ffffffffc0101000 t ext4_sync_fs\t[ext4]\n"
	"ffffffffc0101100 t ext4_read\t[ext4]\n"
	"ffffffffc0101200 t helper\t[ext4]\n"
	"ffffffffc0101300 T __traceiter_ext4_sync\t[ext4]\n"
	/* As arm64 has them. */
	"ffffffffc0001000 t $x\t[xfs]\n"
	"ffffffffc0001000 t xfs_read\t[xfs]\n"
	"ffffffffc0001040 t $d\t[xfs]\n"
	"ffffffffc0001100 T __traceiter_xfs_read\t[xfs]\n"
	"ffffffffc0001200 T __traceiter_shared\t[xfs]\n"
	"ffffffffc0101400 T __traceiter_shared\t[ext4]\n"
	"ffffffffc0200000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n"
	"a line of nonsense\n"
	"ffffffffc0300000 t cut";

const char spec_modules[] =
	"ext4 1000 1 - Live 0xffffffffc0101000\n"
	"xfs 2000 0 - Live 0xffffffffc0001000\n"
	"snd_pcm 3000 0 - Live 0x0000000000000000\n";

const char spec_blacklist[] =
	"0xffffffff81000100-0xffffffff81000200\tentry_SYSCALL_64\n"
	"0xffffffff81001c00-0xffffffff81001c20\tget_kprobe\n"
	"0xffffffff81002000-0xffffffff81002100\tnoinstr_first\n"
	"0xffffffff81002100-0xffffffff81002200\tnoinstr_last\n"
	"0xffffffffc0101100-0xffffffffc0101180\text4_read [ext4]\n";
