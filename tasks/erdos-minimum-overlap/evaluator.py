"""Judges a step function on [0, 2] by Erdos' minimum overlap problem (reference `tasks`, 3.15): c5 = (2/n) max_s sum h_i (1 - h_{i+s}).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. The heights lie in [0, 1]; their mean may miss 1/2 by a little and is then put
right inside the box before anything is computed, so that the slack is worth nothing.
"""
import math

import numpy as np

from form import answer, invalid
from steps import flatness, heights_error, tenths

MOST = 4096
MEAN_SLACK = 1e-3


def evaluate(instance, solution):
    error = heights_error(solution, MOST) or box_error(solution["heights"])
    if error:
        return invalid(error)
    h = np.array([float(value) for value in solution["heights"]])
    integral = 2 * math.fsum(h) / len(h)
    if not abs(integral - 1) <= MEAN_SLACK:
        return invalid(f"expected an integral 2 * sum / n of 1 (within {MEAN_SLACK:g}), got {integral:.10g}")
    h = with_integral_one(h, integral)
    overlaps = overlap_sums(h)
    return answer(True, 2 * float(overlaps.max()) / len(h), metrics_of(h, overlaps), [])


def box_error(heights):
    outside = next((index for index, value in enumerate(heights) if not 0 <= value <= 1), None)
    return None if outside is None else f"heights[{outside}]: expected a number in 0..1, got {float(heights[outside]):.10g}"


def with_integral_one(h, integral):
    """Scales h down where the integral is above 1, and 1 - h down where it is below: both keep inside [0, 1]."""
    return h / integral if integral >= 1 else 1 - (1 - h) / (2 - integral)


def overlap_sums(h):
    """sum_i h_i (1 - h_{i+s}) over the cells that both have, for all 2n - 1 shifts s; between whole shifts the overlap is linear."""
    return np.correlate(h, 1 - h, "full")


def metrics_of(h, overlaps):
    return {
        "steps": len(h),
        "extreme_share": float(np.mean((h == 0) | (h == 1))),
        **flatness(overlaps),
        "heights_by_tenths": tenths(h),
    }
