"""Judges a non-negative step function on a support of length 1 by its autoconvolution's peak (reference `tasks`, 3.6): mu = n max(h*h) / (sum h)^2.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Negative heights are clipped to 0 before anything is computed.
"""
from form import answer, invalid
from steps import autoconvolution, nonnegative_heights, peak_ratio, shape_metrics


def evaluate(instance, solution):
    h, error = nonnegative_heights(solution)
    if error:
        return invalid(error)
    b = autoconvolution(h)
    mu = peak_ratio(b.max(), h) / 2
    return answer(True, mu, {"inverse_mu": 1 / mu, **shape_metrics(h, b)}, [])
