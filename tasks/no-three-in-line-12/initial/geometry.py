# EVOLVE-BLOCK-START
"""What it means that three points are in a line."""


def in_line(points, new):
    """Whether the new point is in a line with two of the points."""
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            (ax, ay), (bx, by), (cx, cy) = points[i], points[j], new
            if (bx - ax) * (cy - ay) == (by - ay) * (cx - ax):
                return True
    return False
# EVOLVE-BLOCK-END
