# EVOLVE-BLOCK-START
"""Chooses points of an n x n grid, no three in a line, one after the other. geometry.py says what is in a line, order.py in which order to try."""
from geometry import in_line
from order import candidates


def choose(n, seed):
    """Points (x, y) that were taken greedily."""
    chosen = []
    for point in candidates(n, seed):
        if not in_line(chosen, point):
            chosen.append(point)
    return chosen
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the points are handed back as {"points": [[x, y], ...]}."""
    return {"points": [list(point) for point in choose(instance["n"], instance["seed"])]}
