"""Points judged by the ratio of their largest to their smallest distance, squared (reference `tasks`, 3.9). Exact: a quotient of whole numbers,
rounded once. Imported by the evaluators of max-min-distance."""
from fractions import Fraction

from form import answer, invalid, keys_error, rows_error
from points import members, on_one_scale, squared_distances, within

FARTHEST = 1e6
LEAST_DISTANCE = Fraction(1, 10**9)
# Of squares; NEAR is about 1 % of a distance.
SAME, NEAR = Fraction(1, 10**6), Fraction(1, 50)


def spread(instance, solution, best_known):
    """n points of d coordinates each; the metric `ratio` is the best value known over the score."""
    error = keys_error(solution, "points") or rows_error(solution["points"], "points", instance["n"], instance["d"], FARTHEST)
    if error:
        return invalid(error)
    points, unit = on_one_scale(solution["points"])
    squares = squared_distances(points)
    shortest, longest = min(squares), max(squares)
    if shortest < (LEAST_DISTANCE * unit) ** 2:
        return invalid(f"points: expected distances of at least 1e-9, got {float(Fraction(shortest, unit**2)) ** 0.5:.6g}")
    ratio_sq = float(Fraction(longest, shortest))
    held = members(instance["n"], 2, squares, shortest, NEAR) | members(instance["n"], 2, squares, longest, NEAR)
    metrics = {
        "ratio": best_known / ratio_sq, "shortest_pairs": within(squares, shortest, SAME), "longest_pairs": within(squares, longest, SAME),
        "near_shortest": within(squares, shortest, NEAR), "loose_points": instance["n"] - len(held),
    }
    return answer(True, ratio_sq, metrics, [])
