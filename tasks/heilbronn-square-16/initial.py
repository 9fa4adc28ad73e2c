# EVOLVE-BLOCK-START
"""Places n = 16 points in the unit square on a parabola modulo a prime: no three of them lie on a line."""


def parabola_point(i, n):
    """Point i of n, as [x, y]."""
    prime = 17
    power = 2
    scale = 1.0 / n
    x = i * scale
    y = (i ** power % prime) * scale
    return [x, y]


def arrange(instance):
    n = instance["n"]
    points = []
    for i in range(n):
        points.append(parabola_point(i, n))
    return points
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the points are handed back as {"points": [[x, y], ...]}."""
    return {"points": arrange(instance)}
