# EVOLVE-BLOCK-START
"""Erdos' minimum overlap problem: the constant 1/2 on 200 cells of [0, 2]."""


def height_at(x):
    """Height over a point of [0, 2], in [0, 1]."""
    level = 0.5
    return level


def with_mean_half(heights):
    """Moves all heights by the same amount, inside [0, 1], until their mean is 1/2."""
    wanted = 0.5
    rounds = 20
    for _ in range(rounds):
        shift = wanted - sum(heights) / len(heights)
        heights = [min(1.0, max(0.0, h + shift)) for h in heights]
    return heights


def search(instance):
    count = 200
    width = 2.0 / count
    heights = [height_at((i + 0.5) * width) for i in range(count)]
    return with_mean_half(heights)
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s; the heights over equal cells of [0, 2] are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance)}
