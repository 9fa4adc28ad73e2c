"""Judges a non-negative step function by the second autocorrelation inequality (reference `tasks`, 3.4): c2 = |b|_2^2 / (|b|_1 |b|_inf), b = h*h.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Negative heights are clipped to 0 before anything is computed.
"""
import math

import numpy as np

from form import answer, invalid
from steps import autoconvolution, nonnegative_heights, shape_metrics


def evaluate(instance, solution):
    h, error = nonnegative_heights(solution)
    if error:
        return invalid(error)
    b = autoconvolution(h)
    return answer(True, c2(b), shape_metrics(h, b), [])


def c2(b):
    """The square of the piecewise linear function with knots (0, b, 0), integrated exactly, over its integral and peak; the cell width cancels."""
    y = np.concatenate([[0.0], b, [0.0]])
    squares = math.fsum(y[:-1] ** 2 + y[:-1] * y[1:] + y[1:] ** 2) / 3
    return squares / (math.fsum(b) * float(b.max()))
