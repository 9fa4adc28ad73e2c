"""Judges points of an n x n grid: distinct, inside, no three in a line; their number is the score.

evaluate(instance, solution) -> {valid, score, metrics, reasons}.
"""
from form import answer, integer_error, invalid, keys_error


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
    return answer(True, len(points), {"full_rows": sum(sum(y == row for _, y in points) == 2 for row in range(n))}, [])


def three_in_line(points):
    for i, (ax, ay) in enumerate(points):
        for j in range(i + 1, len(points)):
            bx, by = points[j]
            for cx, cy in points[j + 1:]:
                if (bx - ax) * (cy - ay) == (by - ay) * (cx - ax):
                    return [[ax, ay], [bx, by], [cx, cy]]
    return None
