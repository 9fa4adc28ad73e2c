"""Judges a packing of n circles in the unit square from the solution's numbers alone (reference `tasks`, 3.1).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Standard library only; runs in the trusted container.
"""
import math
from fractions import Fraction

TOLERANCE = 1e-6
LARGEST = 2.0
SMALLEST_REPAIR = 2.0**-54


def evaluate(instance, solution):
    reasons = form_errors(solution, instance["n"])
    if reasons:
        return answer(False, None, {}, reasons)
    circles = [tuple(float(value) for value in circle) for circle in solution["circles"]]
    reasons = feasibility_errors(circles)
    if reasons:
        return answer(False, None, {}, reasons)
    strict_valid = is_strict(circles)
    repaired = circles if strict_valid else repair(circles)
    metrics = {"strict_valid": strict_valid, "sum_radii_strict": sum_radii(repaired)}
    return answer(True, sum_radii(circles), metrics, [])


def answer(valid, score, metrics, reasons):
    return {"valid": valid, "score": score, "metrics": metrics, "reasons": reasons[:5]}


def sum_radii(circles):
    return math.fsum(circle[2] for circle in circles)


def form_errors(solution, n):
    """What keeps the solution from being n triples of finite numbers of sensible size; empty when nothing does."""
    if not isinstance(solution, dict) or set(solution) != {"circles"}:
        return ['expected an object with the one key "circles"']
    circles = solution["circles"]
    if not isinstance(circles, list):
        return [f"expected a list of {n} circles, got {type(circles).__name__}"]
    if len(circles) != n:
        return [f"expected {n} circles, got {len(circles)}"]
    for index, circle in enumerate(circles):
        if not isinstance(circle, list) or len(circle) != 3:
            return [f"circle {index}: expected [x, y, r]"]
        for name, value in zip("xyr", circle):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return [f"circle {index}: expected a number for {name}, got {type(value).__name__}"]
            if not math.isfinite(value) or abs(value) > LARGEST:
                return [f"circle {index}: expected |{name}| <= {LARGEST:g}, got {value!r}"]
    return []


def feasibility_errors(circles):
    """Violations beyond the tolerance."""
    reasons = []
    for index, (x, y, r) in enumerate(circles):
        if r < 0:
            reasons.append(f"circle {index}: expected a radius of at least 0, got {r:.10g}")
        elif min(x - r, y - r, 1.0 - x - r, 1.0 - y - r) < -TOLERANCE:
            reasons.append(f"circle {index}: expected it inside the unit square, it passes a wall by {-min(x - r, y - r, 1.0 - x - r, 1.0 - y - r):.3g}")
    for i, j in pairs(circles):
        overlap = circles[i][2] + circles[j][2] - distance(circles[i], circles[j])
        if overlap > TOLERANCE:
            reasons.append(f"circles {i} and {j}: expected no overlap, they overlap by {overlap:.3g}")
    return reasons


def pairs(circles):
    return ((i, j) for i in range(len(circles)) for j in range(i + 1, len(circles)))


def distance(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


def is_strict(circles):
    """Exact: every double is the rational it is, and no square root appears (reference `tasks`, section 2)."""
    exact = [tuple(Fraction(value) for value in circle) for circle in circles]
    for x, y, r in exact:
        if r < 0 or x < r or y < r or x + r > 1 or y + r > 1:
            return False
    for i, j in pairs(exact):
        (xi, yi, ri), (xj, yj, rj) = exact[i], exact[j]
        if (xi - xj) ** 2 + (yi - yj) ** 2 < (ri + rj) ** 2:
            return False
    return True


def repair(circles):
    """Subtracts one small amount from all radii, doubled until the exact check passes; all radii 0 when a centre itself is outside."""
    walls = max(max(r - x, r - y, x + r - 1.0, y + r - 1.0) for x, y, r in circles)
    overlaps = max((circles[i][2] + circles[j][2] - distance(circles[i], circles[j])) / 2 for i, j in pairs(circles))
    delta = max(walls, overlaps, SMALLEST_REPAIR)
    while True:
        shrunk = [(x, y, max(0.0, r - delta)) for x, y, r in circles]
        if is_strict(shrunk) or all(r == 0 for _, _, r in shrunk):
            return shrunk
        delta *= 2
