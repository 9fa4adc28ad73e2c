"""Packings of n circles of free radii: the unit square and the rectangle of perimeter 4 (reference `tasks`, 3.1 and 3.2).

judge(solution, n, container) -> {valid, score, metrics, reasons}. Tolerant: a slack of 1e-6 at walls and between circles. Strict: none, exactly.
"""
import math
import struct
from collections import namedtuple

from form import answer, invalid, keys_error, row, rows_error

TOLERANCE = 1e-6
LARGEST = 2.0
FIRST_AMOUNT = 2.0**-60
HALF_PERIMETER = 2.0
NEAR, HELD = 1e-3, 3
GRID, HALVINGS = 32, 24

# errors(circles) -> reasons beyond the tolerance; excess(circles) -> what to take from each radius so that the walls hold, in floating point;
# holds(circles, one) -> whether the walls hold exactly, of integers in units of 1/one; box(circles) -> (left, bottom, right, top).
Container = namedtuple("Container", "errors excess holds box")


def judge(solution, n, container):
    error = keys_error(solution, "circles") or rows_error(solution["circles"], "circles", n, 3, LARGEST)
    if error:
        return invalid(error)
    circles = [tuple(float(value) for value in circle) for circle in solution["circles"]]
    reasons = radius_errors(circles) or container.errors(circles) + overlap_errors(circles)
    if reasons:
        return invalid(*reasons)
    strict_valid = is_strict(circles, container)
    repaired = circles if strict_valid else repair(circles, container)
    radii = [r for _, _, r in circles]
    metrics = {"strict_valid": strict_valid, "sum_radii_strict": sum_radii(repaired), "smallest_radius": min(radii), "largest_radius": max(radii)}
    return answer(True, sum_radii(circles), {**metrics, **room_metrics(circles, container.box(circles))}, [])


def room_metrics(circles, box):
    """Where room is left: what touches, which circles too little holds, and the largest circle that fits between them."""
    gaps = [(distance(circles[i], circles[j]) - circles[i][2] - circles[j][2], i, j) for i, j in pairs(circles)]
    gaps += [(gap, index, index) for index, (x, y, r) in enumerate(circles) for gap in wall_gaps(x, y, r, box)]
    near = [(i, j) for gap, i, j in gaps if gap <= NEAR]
    loose = sum(sum(index in pair for pair in near) < HELD for index in range(len(circles)))
    return {
        "contacts": sum(gap <= TOLERANCE for gap, _, _ in gaps), "near_contacts": len(near), "loose_circles": loose,
        "largest_hole": row(largest_hole(circles, box)),
    }


def wall_gaps(x, y, r, box):
    left, bottom, right, top = box
    return x - r - left, y - r - bottom, right - x - r, top - y - r


def largest_hole(circles, box):
    """(radius, x, y) of about the largest circle that fits between the others: the best point of a grid, moved by ever smaller steps."""
    def room(x, y):
        return min(*wall_gaps(x, y, 0.0, box), min(math.hypot(x - a, y - b) - r for a, b, r in circles)), x, y
    left, bottom, right, top = box
    dx, dy = (right - left) / GRID, (top - bottom) / GRID
    best = max(room(left + (i + 0.5) * dx, bottom + (j + 0.5) * dy) for i in range(GRID) for j in range(GRID))
    for _ in range(HALVINGS):
        _, x, y = best
        best = max(best, *(room(x + a * dx, y + b * dy) for a in (-1, 0, 1) for b in (-1, 0, 1)))
        dx, dy = (dx / 2, dy / 2) if best[1:] == (x, y) else (dx, dy)
    return best


def sum_radii(circles):
    return math.fsum(r for _, _, r in circles)


def radius_errors(circles):
    """No slack here: negative radii would make room for others."""
    return [f"circle {index}: expected a radius of at least 0, got {r:.10g}" for index, (_, _, r) in enumerate(circles) if r < 0]


def overlap_errors(circles):
    reasons = []
    for i, j in pairs(circles):
        overlap = circles[i][2] + circles[j][2] - distance(circles[i], circles[j])
        if overlap > TOLERANCE:
            reasons.append(f"circles {i} and {j}: expected no overlap, they overlap by {overlap:.3g}")
    return reasons


def pairs(circles):
    return ((i, j) for i in range(len(circles)) for j in range(i + 1, len(circles)))


def distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def is_strict(circles, container):
    """Exact: every double is the rational it is, all over one power of 2, and no square root appears (reference `tasks`, section 2)."""
    exact, one = as_integers(circles)
    if any(r < 0 for _, _, r in exact) or not container.holds(exact, one):
        return False
    for i, (xi, yi, ri) in enumerate(exact):
        for xj, yj, rj in exact[i + 1:]:
            if (xi - xj) ** 2 + (yi - yj) ** 2 < (ri + rj) ** 2:
                return False
    return True


def as_integers(circles):
    """(circles as integers, what 1 is in them): doubles are integers over powers of 2, and the largest of these divides by all others."""
    ratios = [[value.as_integer_ratio() for value in circle] for circle in circles]
    one = max(below for circle in ratios for _, below in circle)
    return [[above * (one // below) for above, below in circle] for circle in ratios], one


def repair(circles, container):
    """Takes the same amount from all radii, the smallest double with which the exact check passes; all radii 0 when that alone cannot help.

    What fits with an amount fits with any larger one, because rounding keeps the order, so that halving finds it.
    """
    holds = lambda amount: is_strict(shrunk(circles, amount), container)
    overlaps = max(((circles[i][2] + circles[j][2] - distance(circles[i], circles[j])) / 2 for i, j in pairs(circles)), default=0.0)
    most = max(r for _, _, r in circles)
    enough = max(container.excess(circles), overlaps, FIRST_AMOUNT)
    while not holds(enough):
        if enough >= most:
            return shrunk(circles, most)
        enough = min(2 * enough, most)
    return shrunk(circles, smallest(holds, enough))


def shrunk(circles, amount):
    return [(x, y, max(0.0, r - amount)) for x, y, r in circles]


def smallest(holds, enough):
    """The smallest positive double that holds, given one that does; all larger ones hold too. At most 63 questions.

    Positive doubles are in the order of their bits read as integers, so that the middle of two is found among these.
    """
    low, high = 0, bits(enough)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(double(middle)) else (middle, high)
    return double(high)


def bits(value):
    return int.from_bytes(struct.pack("<d", value), "little")


def double(number):
    return struct.unpack("<d", number.to_bytes(8, "little"))[0]


def square_errors(circles):
    reasons = []
    for index, (x, y, r) in enumerate(circles):
        slack = min(x - r, y - r, 1.0 - x - r, 1.0 - y - r)
        if slack < -TOLERANCE:
            reasons.append(f"circle {index}: expected it inside the unit square, it passes a wall by {-slack:.3g}")
    return reasons


def square_excess(circles):
    return max(max(r - x, r - y, x + r - 1.0, y + r - 1.0) for x, y, r in circles)


def square_holds(circles, one):
    return all(x >= r and y >= r and x + r <= one and y + r <= one for x, y, r in circles)


def extent(circles):
    """(width, height) of the smallest upright rectangle around all circles, wherever it lies; of floats or of integers."""
    left, bottom, right, top = extent_box(circles)
    return right - left, top - bottom


def extent_box(circles):
    """The sides of that rectangle."""
    return min(x - r for x, _, r in circles), min(y - r for _, y, r in circles), max(x + r for x, _, r in circles), max(y + r for _, y, r in circles)


def rectangle_errors(circles):
    width, height = extent(circles)
    if width + height - HALF_PERIMETER > TOLERANCE:
        return [f"expected a rectangle around all circles of width + height at most {HALF_PERIMETER:g}, got {width:.10g} + {height:.10g}"]
    return []


def rectangle_excess(circles):
    """Each of the four walls comes nearer by what is taken from the radii."""
    return (sum(extent(circles)) - HALF_PERIMETER) / 4


def rectangle_holds(circles, one):
    return sum(extent(circles)) <= 2 * one


SQUARE = Container(square_errors, square_excess, square_holds, lambda circles: (0.0, 0.0, 1.0, 1.0))
RECTANGLE = Container(rectangle_errors, rectangle_excess, rectangle_holds, extent_box)
