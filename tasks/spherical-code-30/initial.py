# EVOLVE-BLOCK-START
"""Spreads n = 30 points over the sphere one after the other: each is the best of 2000 random directions."""
import numpy as np


def random_directions(random, count):
    """Directions as an array (count, 3)."""
    vectors = random.standard_normal((count, 3))
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / lengths[:, None]


def farthest(candidates, chosen):
    """The candidate whose nearest chosen point is farthest away."""
    cosines = candidates @ np.array(chosen).T
    nearest = np.max(cosines, axis=1)
    return candidates[np.argmin(nearest)]


def spread(instance):
    # A seed of its own, in place of instance["seed"]: every run starts from the same points.
    seed = 42
    tries = 2000
    random = np.random.default_rng(seed)
    chosen = [random_directions(random, 1)[0]]
    while len(chosen) < instance["n"]:
        candidates = random_directions(random, tries)
        chosen.append(farthest(candidates, chosen))
    return [point.tolist() for point in chosen]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the points are handed back as {"points": [[x, y, z], ...]}."""
    return {"points": spread(instance)}
