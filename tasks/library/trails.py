"""What an iterated local search went through, in four numbers. For the evaluators of tsp-gls and flow-shop."""
import math


def trail_metrics(trails):
    """`trails`: the lengths of the local optima of each search in their order, the first one from before anything was changed."""
    def mean(of):
        return round(math.fsum(of(trail, min(trail)) for trail in trails) / len(trails), 3)
    return {
        "start_gap_pct": mean(lambda trail, best: 100 * (trail[0] / best - 1)),
        "repeated_share": mean(lambda trail, _: sum(one == other for one, other in zip(trail, trail[1:])) / max(1, len(trail) - 1)),
        "excess_pct": mean(lambda trail, best: 100 * (math.fsum(trail) / len(trail) / best - 1)),
        "last_gain": mean(lambda trail, best: trail.index(best) / max(1, len(trail) - 1)),
    }
