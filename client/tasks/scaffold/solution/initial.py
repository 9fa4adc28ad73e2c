# EVOLVE-BLOCK-START
"""Places n points in [0, 1]: squares, which crowd at 0."""


def place(n):
    """Positions of n points in [0, 1]."""
    last = n - 1
    power = 2
    return [(i / last) ** power for i in range(n)]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the points are handed back as {"points": [x, ...]}."""
    return {"points": place(instance["n"])}
