# Calls whose number is known: users_guest counts them by the interpreter's own USDT probes.
def tap_leaf(n):
    return n + 1


def tap_branch(n):
    return tap_leaf(n) + tap_leaf(n)


for i in range(25):
    tap_branch(i)
