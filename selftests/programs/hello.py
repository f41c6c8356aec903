# SPDX-License-Identifier: GPL-2.0
def tap_leaf(n):
    return n + 1


def tap_branch(n):
    return tap_leaf(n) + tap_leaf(n)

# The number of calls is known: uprobe_guest counts them by the interpreter's own USDT probes.
for i in range(25):
    tap_branch(i)
