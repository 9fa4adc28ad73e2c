# EVOLVE-BLOCK-START
"""Minimises a black box by uniform random search, keeping the best point."""
import numpy as np


def run_search(problem, budget=1000, seed=42):
    """(best_x, best_value, evaluations). problem.evaluate({"x0": point}) gives a value and costs one evaluation."""
    rng = np.random.default_rng(seed)
    low = problem.lower_bounds
    high = problem.upper_bounds
    best_x = None
    best_value = float("inf")
    evaluations = 0
    while evaluations < budget:
        point = rng.uniform(low, high, problem.dimension)
        value = problem.evaluate({"x0": point})
        evaluations += 1
        if value < best_value:
            best_value = value
            best_x = point
    return best_x, best_value, evaluations
# EVOLVE-BLOCK-END
