# EVOLVE-BLOCK-START
"""Packing n = 26 circles into the unit square: all of them points in one corner."""


def place_centres(n):
    """Centres of n circles, as [x, y]."""
    corner_x = 0.0
    corner_y = 0.0
    centres = []
    for i in range(n):
        centres.append([corner_x, corner_y])
    return centres


def choose_radii(centres):
    """One radius a centre; none may pass a wall or reach into another circle."""
    radius = 0.0
    radii = []
    for x, y in centres:
        radii.append(radius)
    return radii


def pack(instance):
    centres = place_centres(instance["n"])
    radii = choose_radii(centres)
    return [[x, y, r] for (x, y), r in zip(centres, radii)]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the packing is handed back as {"circles": [[x, y, r], ...]}."""
    return {"circles": pack(instance)}
