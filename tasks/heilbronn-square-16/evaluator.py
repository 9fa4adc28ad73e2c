"""Judges 16 points in the unit square by the smallest triangle among them (reference `tasks`, 3.13).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Exact: areas are whole numbers on one scale, rounded once; no slack.
"""
from fractions import Fraction

from form import answer, invalid, keys_error, rows_error
from points import doubled_areas, members, on_one_scale, within

SAME, NEAR = Fraction(1, 10**6), Fraction(1, 20)


def evaluate(instance, solution):
    error = keys_error(solution, "points") or rows_error(solution["points"], "points", instance["n"], 2, 1.0)
    if error:
        return invalid(error)
    for index, point in enumerate(solution["points"]):
        if min(point) < 0:
            return invalid(f"points[{index}]: expected coordinates in 0..1, got {float(min(point)):.6g}")
    points, unit = on_one_scale(solution["points"])
    areas = doubled_areas(points)
    smallest = min(areas)
    min_area = float(Fraction(smallest, 2 * unit**2))
    metrics = {
        "smallest_triangles": within(areas, smallest, SAME), "near_smallest": within(areas, smallest, NEAR),
        "loose_points": len(points) - len(members(len(points), 3, areas, smallest, NEAR)),
        "boundary_points": sum(1 for point in points if 0 in point or unit in point),
    }
    return answer(True, min_area, metrics, [])
