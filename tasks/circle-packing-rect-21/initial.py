# EVOLVE-BLOCK-START
"""Packing n = 21 circles into a rectangle of perimeter 4: all of them points in one corner."""


def choose_sides(half_perimeter):
    """Width and height of the rectangle; they sum to half its perimeter."""
    width = 1.0
    height = half_perimeter - width
    return width, height


def place_centres(n, width, height):
    """Centres of n circles, as [x, y]."""
    across = 0.0
    upwards = 0.0
    centres = []
    for i in range(n):
        centres.append([across * width, upwards * height])
    return centres


def choose_radii(centres):
    """One radius a centre; no circle may reach into another, and all must fit the rectangle."""
    radius = 0.0
    radii = []
    for x, y in centres:
        radii.append(radius)
    return radii


def pack(instance):
    width, height = choose_sides(instance["half_perimeter"])
    centres = place_centres(instance["n"], width, height)
    radii = choose_radii(centres)
    return [[x, y, r] for (x, y), r in zip(centres, radii)]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, half_perimeter, seed and time_limit_s; handed back as {"circles": [[x, y, r], ...]}."""
    return {"circles": pack(instance)}
