"""Judges n points in [0, 1] by the smallest gap between neighbours, from the solution's numbers alone.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Runs in the trusted container; it never sees the program.
"""
from form import answer, invalid, keys_error, list_error


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "points") or list_error(solution["points"], "points", n, n, 1.0)
    if error:
        return invalid(error)
    points = sorted(float(x) for x in solution["points"])
    if points[0] < 0.0:
        return invalid(f"expected points of at least 0, got {points[0]:.10g}")
    gaps = [b - a for a, b in zip(points, points[1:])]
    return answer(True, min(gaps), {"largest_gap": max(gaps)}, [])
