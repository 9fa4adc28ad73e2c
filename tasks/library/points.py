"""Points of a solution as whole numbers on one scale, so that squared distances and areas are exact; angles on a sphere in doubles.
Imported by the evaluators of max-min-distance, heilbronn-square and spherical-code."""
import math
from itertools import combinations


def on_one_scale(points):
    """(rows of ints, unit): every double is a whole number of 1/unit, unit a power of two (reference `tasks`, section 2)."""
    ratios = [[float(value).as_integer_ratio() for value in point] for point in points]
    unit = max(below for row in ratios for _, below in row)
    return [[above * (unit // below) for above, below in row] for row in ratios], unit


def squared_distances(points):
    """Of all pairs of rows of ints, exactly."""
    return [sum((a - b) ** 2 for a, b in zip(first, second)) for first, second in combinations(points, 2)]


def doubled_areas(points):
    """Twice the area of every triple of rows of two ints, exactly."""
    return [abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) for (ax, ay), (bx, by), (cx, cy) in combinations(points, 3)]


def within(values, extreme, share):
    """How many values lie no farther from the extreme than this share of it."""
    return sum(1 for value in values if abs(value - extreme) <= share * extreme)


def members(count, size, values, extreme, share):
    """The points that a pair or triple of such a value holds: `values` are of all groups of `size` of the `count` points."""
    return {point for group, value in zip(combinations(range(count), size), values) if abs(value - extreme) <= share * extreme for point in group}


def unit_vectors(points):
    """The points moved to the unit sphere; none may be the origin."""
    return [[value / math.hypot(*point) for value in point] for point in points]


def angles(vectors):
    """Of all pairs of unit vectors, in radians: 2 asin of half the chord, which keeps its digits at small angles."""
    return [2 * math.asin(min(1.0, math.dist(first, second) / 2)) for first, second in combinations(vectors, 2)]
