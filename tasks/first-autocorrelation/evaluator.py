"""Judges a non-negative step function by the first autocorrelation inequality (reference `tasks`, 3.3): c1 = 2n max(h*h) / (sum h)^2.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Negative heights are clipped to 0 before anything is computed.
"""
from form import answer, invalid
from steps import autoconvolution, nonnegative_heights, peak_ratio, shape_metrics


def evaluate(instance, solution):
    h, error = nonnegative_heights(solution)
    if error:
        return invalid(error)
    b = autoconvolution(h)
    return answer(True, peak_ratio(b.max(), h), shape_metrics(h, b), [])
