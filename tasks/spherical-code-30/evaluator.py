"""Judges 30 points on the sphere by the smallest angle between two of them (reference `tasks`, 3.10).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Points are moved to the unit sphere first, so their lengths do not count.
"""
import math

from form import answer, invalid, keys_error, rows_error
from points import angles, members, unit_vectors, within

BEST_KNOWN = 0.6736467551690225
SHORTEST, LONGEST = 1e-6, 1e6
SAME, NEAR = 1e-6, 0.01


def evaluate(instance, solution):
    error = keys_error(solution, "points") or rows_error(solution["points"], "points", instance["n"], 3, LONGEST)
    if error:
        return invalid(error)
    points = [[float(value) for value in point] for point in solution["points"]]
    for index, point in enumerate(points):
        if not SHORTEST <= math.hypot(*point) <= LONGEST:
            return invalid(f"points[{index}]: expected a length from {SHORTEST:g} to {LONGEST:g}, got {math.hypot(*point):.6g}")
    found = angles(unit_vectors(points))
    min_angle = min(found)
    metrics = {
        "ratio": min_angle / BEST_KNOWN, "cosine": math.cos(min_angle), "contacts": within(found, min_angle, SAME),
        "near_contacts": within(found, min_angle, NEAR), "loose_points": len(points) - len(members(len(points), 2, found, min_angle, NEAR)),
    }
    return answer(True, min_angle, metrics, [])
