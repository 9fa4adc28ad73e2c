"""Packings of n regular hexagons of side 1 in a regular hexagon whose side counts (reference `tasks`, 3.8).

judge(solution, n, benchmark) -> {valid, score, metrics, reasons}. Vertex k of side s lies at centre + s (cos, sin)(deg + 60k degrees).
Two hexagons are apart where some axis shows a gap above 0, which means one that is beyond the rounding of this arithmetic: coordinates of at most
200 are off by less than 1e-13, and a gap by a few of these. CodeEvolve's check asks for gaps above 1e-6, and `gaps_of_codeevolve` says whether they are. The
tolerance of containment, 1e-6 on a cross product with an edge of the outer hexagon, works for the program, and `side_strict` is the side without it.
"""
import math

from form import answer, invalid, keys_error, number_error, row, rows_error

GAP = 1e-12
GAP_OF_CODEEVOLVE = 1e-6
CONTAINMENT = 1e-6
FARTHEST = 100.0
MOST_DEGREES = 3600.0
LARGEST_SIDE = 100.0
SAME_ANGLE, NEAR = 0.01, 1e-3


def judge(solution, n, benchmark):
    error = form_error(solution, n)
    if error:
        return invalid(error)
    side = float(solution["side"])
    outer = hexagon(solution["outer"], side)
    inner = [hexagon(placement, 1.0) for placement in solution["inner"]]
    gaps = {(i, j): gap(inner[i], inner[j]) for i in range(n) for j in range(i + 1, n)}
    reasons = containment_errors(inner, outer) + gap_errors(gaps)
    if reasons:
        return invalid(*reasons)
    reaches = [wall_reaches([vertices], solution["outer"]) for vertices in inner]
    walls = [max(column) for column in zip(*reaches)]
    needed = max(walls) * 2 / math.sqrt(3)
    turns = [turn(placement[2]) for placement in solution["inner"]]
    smallest_gap = min(gaps.values())
    metrics = {
        "ratio": benchmark / side, "side_needed": needed, "side_strict": max(side, needed), "smallest_gap": smallest_gap,
        "gaps_of_codeevolve": smallest_gap > GAP_OF_CODEEVOLVE,
        "near_pairs": sum(value <= NEAR for value in gaps.values()), "wall_slack": row(round(max(walls) - reach, 6) for reach in walls),
        "loose_hexagons": sum(holders(index, gaps, reaches[index], max(walls)) < 2 for index in range(n)),
        "orientations": orientations(turns), "aligned_share": aligned_share(turns, turn(solution["outer"][2])),
    }
    return answer(True, side, metrics, [])


def form_error(solution, n):
    """The solution is {"inner": [[x, y, deg] x n], "outer": [x, y, deg], "side": s} of sensible numbers."""
    error = (
        keys_error(solution, "inner", "outer", "side")
        or rows_error(solution["inner"], "inner", n, 3, MOST_DEGREES)
        or rows_error([solution["outer"]], "outer", 1, 3, MOST_DEGREES)
        or number_error(solution["side"], "side", LARGEST_SIDE)
    )
    if error:
        return error.replace("outer[0]", "outer")
    for name, placement in [*((f"inner[{index}]", row) for index, row in enumerate(solution["inner"])), ("outer", solution["outer"])]:
        for axis, value in zip("xy", placement):
            if abs(value) > FARTHEST:
                return f"{name}: expected |{axis}| <= {FARTHEST:g}, got {float(value):.6g}"
    if solution["side"] < math.sqrt(n):
        return f"side: expected at least sqrt({n}) = {math.sqrt(n):.6g}, as the areas demand, got {float(solution['side']):.10g}"
    return None


def hexagon(placement, side):
    """The six vertices, counter-clockwise."""
    x, y, degrees = (float(value) for value in placement)
    angles = [math.radians(degrees + 60.0 * k) for k in range(6)]
    return [(x + side * math.cos(angle), y + side * math.sin(angle)) for angle in angles]


def edges(vertices):
    """Pairs of a vertex and the next."""
    return zip(vertices, vertices[1:] + vertices[:1])


def normals(vertices):
    """Outward unit normals of the edges."""
    for (ax, ay), (bx, by) in edges(vertices):
        length = math.hypot(bx - ax, by - ay)
        yield (by - ay) / length, (ax - bx) / length


def gap(first, second):
    """The widest gap on any axis normal to an edge of either (separating axes: convex shapes are apart iff one of these shows a gap)."""
    return max(
        min(px * ux + py * uy for px, py in other) - max(px * ux + py * uy for px, py in one)
        for one, other in ((first, second), (second, first)) for ux, uy in normals(one)
    )


def gap_errors(gaps):
    return [f"hexagons {i} and {j}: expected a gap above 0 (at least {GAP:g}, to be sure of it), got {value:.3g}{' (they overlap)' if value < 0 else ''}" for (i, j), value in gaps.items() if not value > GAP]


def containment_errors(inner, outer):
    """Cross products of outer edges with what leads from them to each vertex; negative outside."""
    reasons = []
    for index, vertices in enumerate(inner):
        least = min((bx - ax) * (py - ay) - (by - ay) * (px - ax) for (ax, ay), (bx, by) in edges(outer) for px, py in vertices)
        if least < -CONTAINMENT:
            reasons.append(f"hexagon {index}: expected it inside the outer hexagon, a vertex is outside (cross product {least:.3g})")
    return reasons


def wall_reaches(inner, outer):
    """How far the vertices reach towards each wall from the centre; the least side that holds them has the largest as its apothem, sqrt(3)/2 sides."""
    x, y = float(outer[0]), float(outer[1])
    return [max((px - x) * ux + (py - y) * uy for vertices in inner for px, py in vertices) for ux, uy in normals(hexagon(outer, 1.0))]


def holders(index, gaps, reaches, apothem):
    """How many other hexagons and walls are near this one."""
    return sum(value <= NEAR for pair, value in gaps.items() if index in pair) + sum(apothem - reach <= NEAR for reach in reaches)


def turn(degrees):
    """The angle that matters: a hexagon turned by 60 degrees is itself."""
    return float(degrees) % 60.0


def between(first, second):
    """Degrees between two turns, at most 30."""
    apart = abs(first - second)
    return min(apart, 60.0 - apart)


def orientations(turns):
    """How many turns differ from all before them, by more than a hundredth of a degree."""
    kept = []
    for one in turns:
        if all(between(one, other) > SAME_ANGLE for other in kept):
            kept.append(one)
    return len(kept)


def aligned_share(turns, outer):
    return sum(between(one, outer) <= SAME_ANGLE for one in turns) / len(turns)
