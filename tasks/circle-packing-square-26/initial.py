# EVOLVE-BLOCK-START
"""Packing n = 26 circles into the unit square: one in the middle, two rings around it, one in a corner."""
import math


def place_centres(n):
    """Centres of n circles, as [x, y]."""
    centres = []

    middle_x = 0.5
    middle_y = 0.5
    centres.append([middle_x, middle_y])

    inner_count = 8
    inner_radius = 0.3
    inner_offset = 0.0
    for i in range(inner_count):
        angle = 2 * math.pi * i / inner_count + inner_offset
        x = middle_x + inner_radius * math.cos(angle)
        y = middle_y + inner_radius * math.sin(angle)
        centres.append([x, y])

    outer_count = 16
    outer_radius = 0.7
    outer_offset = 0.0
    for i in range(outer_count):
        angle = 2 * math.pi * i / outer_count + outer_offset
        x = middle_x + outer_radius * math.cos(angle)
        y = middle_y + outer_radius * math.sin(angle)
        centres.append([x, y])

    corner_x = 0.0
    corner_y = 0.0
    while len(centres) < n:
        centres.append([corner_x, corner_y])

    low = 0.01
    high = 0.99
    return [[min(max(x, low), high), min(max(y, low), high)] for x, y in centres[:n]]


def grow_radii(centres):
    """Radii that keep inside the square; where two circles overlap, both shrink in proportion."""
    largest = 1.0
    radii = []
    for x, y in centres:
        radii.append(min(x, y, 1.0 - x, 1.0 - y, largest))
    for i in range(len(centres)):
        for j in range(i + 1, len(centres)):
            dx = centres[i][0] - centres[j][0]
            dy = centres[i][1] - centres[j][1]
            distance = math.sqrt(dx * dx + dy * dy)
            total = radii[i] + radii[j]
            if total > distance:
                scale = distance / total
                radii[i] = radii[i] * scale
                radii[j] = radii[j] * scale
    return radii


def pack(instance):
    centres = place_centres(instance["n"])
    radii = grow_radii(centres)
    return [[x, y, r] for (x, y), r in zip(centres, radii)]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the packing is handed back as {"circles": [[x, y, r], ...]}."""
    return {"circles": pack(instance)}
