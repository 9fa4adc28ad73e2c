# EVOLVE-BLOCK-START
"""The order in which points of the grid are tried."""


def candidates(n, seed):
    """All points of the grid, row by row."""
    return [(x, y) for y in range(n) for x in range(n)]
# EVOLVE-BLOCK-END
