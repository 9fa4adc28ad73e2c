"""Solves sparse systems through a program that only gets products with the matrix, and counts them (reference `tasks`, 4.3; DeltaEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The true solution is drawn from the hidden key; error and residual
are recomputed here.
"""
import math

import numpy as np
from candidate import CandidateError
from draws import generator
from form import answer, invalid, row
from laplace import diffusion, laplacian

SIZE_SECONDS = 60
SPEED, ACCURACY, RESIDUAL = 0.3, 0.4, 0.3
NOTHING = (0.0, 0.0, 0.0)
PRODUCTS_PER_SIDE = 5
DIRECT = 2


class Products:
    """Answers products with the matrix and counts them; refuses more than allowed."""

    def __init__(self, operator, allowed):
        self.operator, self.allowed, self.count = operator, allowed, 0

    def __call__(self, message):
        v = message.get("v") if isinstance(message, dict) else None
        if not isinstance(v, np.ndarray) or v.dtype.kind != "f" or v.shape != self.operator.shape[:1]:
            return {"error": f"expected a vector of {self.operator.shape[0]} numbers"}
        if self.count >= self.allowed:
            return {"error": f"the {self.allowed} products are used up"}
        self.count += 1
        return {"product": self.operator.apply(v)}


def system(problem, side, draw):
    """(operator, x_true, b): x_true uniform in [0, 1), then the coefficient, from one generator."""
    x_true = draw.random(side * side)
    operator = laplacian(side) if problem == "laplacian" else diffusion(side, draw)
    return operator, x_true, operator.apply(x_true)


def solve(candidate, problem, side, draw, tol):
    """(terms of the score, products, what went wrong or None) of one size; a size without an answer has no points."""
    operator, x_true, b = system(problem, side, draw)
    allowed = PRODUCTS_PER_SIDE * side
    products = Products(operator, allowed)
    request = {"size": operator.shape[0], "diagonal": operator.diagonal, "b": b, "tol": tol, "max_iter": allowed}
    try:
        x = candidate.call(request, on_ask=products, seconds=SIZE_SECONDS).value
    except CandidateError as error:
        return NOTHING, products.count, str(error)
    if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or x.shape != b.shape or np.abs(x).max() > 1e100:
        return NOTHING, products.count, f"expected {b.size} numbers of magnitude at most 1e100"
    return terms(operator, x, x_true, b, products.count, side, tol), products.count, None


def terms(operator, x, x_true, b, count, side, tol):
    """(speed, accuracy, residual), each from 0 to 1."""
    error = np.linalg.norm(x - x_true) / np.linalg.norm(x_true)
    residual = np.linalg.norm(b - operator.apply(x)) / np.linalg.norm(b)
    accuracy = min(1.0, max(0.0, 1 - math.log10(max(error / 1e-3, 1.0)) / 3))
    return math.exp(-count / side), accuracy, min(1.0, tol / residual) if residual > 0 else 1.0


def run(instance, candidate, problem):
    fixed = instance["fixed_seed"]
    scores, metrics, reasons, share, found = [], {}, [], [], []
    for side in instance["sizes"]:
        draw = generator(instance, side) if fixed is None else np.random.default_rng(fixed)
        (speed, accuracy, residual), count, wrong = solve(candidate, problem, side, draw, instance["tol"])
        scores.append(SPEED * speed + ACCURACY * accuracy + RESIDUAL * residual)
        found.append((speed, accuracy, residual))
        share.append(count / side)
        metrics[f"products_{side}"] = count
        if wrong:
            reasons.append(f"N = {side} scores 0: {wrong}")
    metrics["products_per_side"] = math.fsum(share) / len(share)
    _, metrics["accuracy_by_size"], metrics["residual_by_size"] = map(row, zip(*found))
    metrics["direct"] = any(metrics[f"products_{side}"] <= DIRECT for side in instance["sizes"])
    if len(reasons) == len(scores):
        return invalid(*reasons)
    return answer(True, math.fsum(scores) / len(scores), metrics, reasons)


def evaluate(instance, candidate):
    return run(instance, candidate, instance["problem"])


def evaluate_hidden(instance, candidate):
    """Diffusion with a random coefficient, which no fast transform solves; reported only."""
    return run(instance, candidate, "diffusion")
