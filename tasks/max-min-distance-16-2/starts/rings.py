# EVOLVE-BLOCK-START
"""Places n = 16 points in the plane: one in the middle, a ring of five and a ring of ten around it."""
import math


def ring(count, radius, turn):
    """Points evenly spaced on a circle around the middle."""
    angles = [2 * math.pi * i / count + turn for i in range(count)]
    return [[radius * math.cos(angle), radius * math.sin(angle)] for angle in angles]


def arrange(instance):
    inner_radius = 0.5072
    outer_turn = 0.3
    return [[0.0, 0.0]] + ring(5, inner_radius, 0.0) + ring(10, 1.0, outer_turn)
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, d, seed and time_limit_s; the points are handed back as {"points": [[x, ...], ...]}."""
    return {"points": arrange(instance)}
