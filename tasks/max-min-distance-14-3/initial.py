# EVOLVE-BLOCK-START
"""Places n = 14 points in space at random: coordinates drawn from the standard normal distribution."""
import numpy as np


def draw_points(n, d):
    """Points as an array (n, d)."""
    # A seed of its own, in place of instance["seed"]: every run starts from the same points.
    seed = 42
    spread = 1.0
    random = np.random.RandomState(seed)
    return spread * random.randn(n, d)


def arrange(instance):
    n = instance["n"]
    d = instance["d"]
    points = draw_points(n, d)
    return points.tolist()
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, d, seed and time_limit_s; the points are handed back as {"points": [[x, ...], ...]}."""
    return {"points": arrange(instance)}
