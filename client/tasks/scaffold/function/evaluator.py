"""Judges orders of jobs by the weighted sum of completion times against the optimum (Smith's rule), over jobs that no program can know.

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. Runs in the trusted container; the program runs in its own.
"""
import math

import numpy as np
from form import answer, invalid


def evaluate(instance, candidate):
    draw = np.random.default_rng(int(instance["hidden_key"], 16))
    ratios = []
    for case in range(instance["cases"]):
        durations = draw.uniform(1.0, 10.0, instance["jobs"])
        weights = draw.uniform(1.0, 10.0, instance["jobs"])
        order = candidate.call({"durations": durations.tolist(), "weights": weights.tolist()}, seconds=10).value
        if not is_order(order, instance["jobs"]):
            return invalid(f"case {case}: expected every job 0..{instance['jobs'] - 1} once")
        best = weighted_completion(durations, weights, np.argsort(durations / weights))
        ratios.append(weighted_completion(durations, weights, order) / best)
    return answer(True, math.fsum(ratios) / len(ratios), {"worst_ratio": max(ratios)}, [])


def is_order(order, jobs):
    return isinstance(order, list) and all(type(job) is int for job in order) and sorted(order) == list(range(jobs))


def weighted_completion(durations, weights, order):
    """Sum over jobs of weight times moment of completion; [f x n], [f x n], [i x n] -> f."""
    order = np.asarray(order)
    return math.fsum(np.cumsum(durations[order]) * weights[order])
