# EVOLVE-BLOCK-START
"""Packing n = 12 unit hexagons into a regular hexagon: loose rows around the middle, none turned, the outer one far too large."""


def place_inner(n):
    """Centre and turn of n hexagons of side 1, as [x, y, degrees]."""
    turn = 0.0
    placements = []

    middle_x = 0.0
    middle_y = 0.0
    placements.append([middle_x, middle_y, turn])

    side_x = 2.5
    for sign in (-1, 1):
        placements.append([middle_x + sign * side_x, middle_y, turn])

    near_x = 1.25
    far_x = 3.75
    row_y = 2.17
    for x in (near_x, far_x):
        for sign_x in (-1, 1):
            for sign_y in (-1, 1):
                placements.append([middle_x + sign_x * x, middle_y + sign_y * row_y, turn])

    lowest_y = -4.0
    placements.append([0.0, lowest_y, turn])

    return placements[:n]


def choose_outer():
    """Centre and turn of the outer hexagon, as [x, y, degrees], and its side."""
    x = 0.0
    y = 0.0
    turn = 0.0
    side = 8.0
    return [x, y, turn], side


def pack(instance):
    inner = place_inner(instance["n"])
    outer, side = choose_outer()
    return inner, outer, side
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; handed back as {"inner": [[x, y, degrees], ...], "outer": [x, y, degrees], "side": s}."""
    inner, outer, side = pack(instance)
    return {"inner": inner, "outer": outer, "side": side}
