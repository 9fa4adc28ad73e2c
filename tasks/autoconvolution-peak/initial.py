# EVOLVE-BLOCK-START
"""The peak of an autoconvolution: the heights cos^2(pi x / 2) at 128 points of [-1, 1]."""
import math


def height_at(x):
    """Height over a point of [-1, 1]."""
    quarter_turn = math.pi / 2
    power = 2
    return math.cos(quarter_turn * x) ** power


def search(instance):
    count = 128
    left = -1.0
    right = 1.0
    step = (right - left) / (count - 1)
    heights = []
    for i in range(count):
        x = left + step * i
        heights.append(max(0.0, height_at(x)))
    return heights
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s; the step heights on a support of length 1 are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance)}
