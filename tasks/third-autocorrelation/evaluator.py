"""Judges a signed step function by the third autocorrelation inequality (reference `tasks`, 3.5): c3 = 2n max|h*h| / (sum h)^2.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. c3_typo is |2n max(h*h) / (sum h)^2|, the form of two published programs, without
the absolute value inside: it is reported and never compared with c3.
"""
import numpy as np

from form import answer, invalid
from steps import autoconvolution, peak_ratio, shape_metrics, signed_heights


def evaluate(instance, solution):
    h, error = signed_heights(solution)
    if error:
        return invalid(error)
    b = autoconvolution(h)
    c3 = peak_ratio(np.abs(b).max(), h)
    if c3 is None:
        return invalid("expected a sum of heights that is not 0 beside the largest height")
    metrics = {"c3_typo": abs(peak_ratio(b.max(), h)), "negative_share": negative_share(h), **shape_metrics(h, b)}
    return answer(True, c3, metrics, [])


def negative_share(h):
    """Mass of the negative heights as a share of all mass."""
    return float(-np.minimum(h, 0.0).sum() / np.abs(h).sum())
