"""Judges points of an n x n grid: distinct, inside, no three in a line; their number is the score.

evaluate(instance, solution) -> {valid, score, metrics, reasons}.
"""
from itertools import combinations, product

from form import answer, integer_error, invalid, keys_error, row


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "points")
    if error:
        return invalid(error)
    points = solution["points"]
    if not isinstance(points, list) or not 1 <= len(points) <= 2 * n:
        return invalid(f"expected 1 to {2 * n} points")
    for index, point in enumerate(points):
        if not isinstance(point, list) or len(point) != 2:
            return invalid(f"points[{index}]: expected [x, y]")
        error = integer_error(point[0], f"points[{index}][0]", 0, n - 1) or integer_error(point[1], f"points[{index}][1]", 0, n - 1)
        if error:
            return invalid(error)
    if len({tuple(point) for point in points}) < len(points):
        return invalid("expected distinct points")
    line = three_in_line(points)
    if line:
        return invalid(f"expected no three points in a line, got {line}")
    return answer(True, len(points), room_metrics([tuple(point) for point in points], n), [])


def room_metrics(points, n):
    """The lines of the grid that lack points, and the cells that could still take one or wait for one other point to go."""
    empty = set(product(range(n), repeat=2)) - set(points)
    blocking = [[set(pair) for pair in combinations(points, 2) if in_line(*pair, cell)] for cell in empty]
    return {
        "short_rows": row(at for at in range(n) if sum(y == at for _, y in points) < 2),
        "short_columns": row(at for at in range(n) if sum(x == at for x, _ in points) < 2),
        "free_cells": sum(not pairs for pairs in blocking),
        "exchanges": sum(bool(pairs) and bool(set.intersection(*pairs)) for pairs in blocking),
    }


def in_line(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) == (b[1] - a[1]) * (c[0] - a[0])


def three_in_line(points):
    return next((list(three) for three in combinations(points, 3) if in_line(*three)), None)
