# EVOLVE-BLOCK-START
"""Third autocorrelation inequality: a Gaussian with a cosine and a sine on 400 cells."""
import math


def heights_at(points):
    """Heights over points of [-1/4, 1/4]."""
    width = 0.02
    slow_share = 0.3
    slow_frequency = 8
    fast_share = 0.15
    fast_frequency = 16
    heights = []
    for x in points:
        bump = math.exp(-(x * x) / width)
        slow = slow_share * math.cos(2 * math.pi * slow_frequency * x)
        fast = fast_share * math.sin(2 * math.pi * fast_frequency * x)
        heights.append(bump + slow + fast)
    return heights


def with_sum(heights, wanted):
    """Scaled; the score does not depend on it."""
    total = sum(heights)
    return [h * wanted / total for h in heights]


def search(instance):
    count = 400
    left = -0.25
    right = 0.25
    step = (right - left) / (count - 1)
    points = [left + step * i for i in range(count)]
    return with_sum(heights_at(points), 25.0)
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s; the step heights, of either sign, are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance)}
