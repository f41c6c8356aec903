# SPDX-License-Identifier: GPL-2.0
def tap_leaf(n):
    return n + 1


def tap_branch(n):
    return tap_leaf(n) + tap_leaf(n)

# uprobe_guest counts these calls by USDT probes of the interpreter.
for i in range(25):
    tap_branch(i)
