# Recursion without end and without a recursion limit.
# expects: no_solution program_error memory timeout_cpu
import sys


def __ENTRY__(*given, **named):
    sys.setrecursionlimit(1 << 30)

    def dive(depth):
        return dive(depth + 1) + 1

    return dive(0)
