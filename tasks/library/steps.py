"""Step functions of equal cells and their autoconvolution: what the autocorrelation inequalities are scored from.

Heights are divided by the largest magnitude first, so scale is free (reference `tasks`, section 2). Used by the tasks of sections 3.3 to 3.6.
"""
import math

import numpy as np

from form import keys_error, list_error, row

MOST = 100_000
LARGEST = 1e150
SMALLEST = 1e-150
DIRECT = 4096
RECOMPUTED = 64
NEAR_PEAK, AT_PEAK = 0.99, 1 - 1e-6
PARTS = 10


def heights_error(solution, most=MOST):
    """The solution is {"heights": [1..most finite numbers]}."""
    return keys_error(solution, "heights") or list_error(solution["heights"], "heights", 1, most, LARGEST)


def nonnegative_heights(solution):
    """(heights [n] with negative ones clipped to 0 and largest height 1, None), or (None, what is wrong)."""
    error = heights_error(solution)
    if error:
        return None, error
    return normalised(np.maximum(as_array(solution), 0.0), "largest height, negative ones clipped to 0,")


def signed_heights(solution):
    """(heights [n] with largest magnitude 1, None), or (None, what is wrong)."""
    error = heights_error(solution)
    if error:
        return None, error
    return normalised(as_array(solution), "largest magnitude of a height")


def as_array(solution):
    return np.array([float(value) for value in solution["heights"]])


def normalised(h, named):
    """(h divided by its largest magnitude, None), or (None, what is wrong): near 0 doubles lose their digits."""
    largest = float(np.max(np.abs(h)))
    if largest < SMALLEST:
        return None, f"expected a {named} of at least {SMALLEST:g}, got {largest:.6g}"
    return h / largest, None


def autoconvolution(h):
    """Full linear h*h [2n-1]: direct up to 4096 heights, else by FFT with the 64 largest values recomputed by direct products.

    Between these values the autoconvolution of the step function is linear, so their maximum is its maximum.
    """
    n = len(h)
    if n <= DIRECT:
        return np.convolve(h, h)
    size = 1 << (2 * n - 1).bit_length()
    b = np.fft.irfft(np.fft.rfft(h, size) ** 2, size)[: 2 * n - 1]
    for k in np.argpartition(np.abs(b), -RECOMPUTED)[-RECOMPUTED:]:
        part = h[max(0, k - n + 1) : min(k, n - 1) + 1]
        b[k] = np.dot(part, part[::-1])
    return b


def peak_ratio(peak, h):
    """2n peak / (sum h)^2: the constant on a support of length 1/2. None where the sum is too near 0 to divide by."""
    square = math.fsum(h) ** 2
    ratio = 2 * len(h) * float(peak) / square if square > 0 else math.inf
    return ratio if math.isfinite(ratio) else None


def shape_metrics(h, b):
    """Heights h [n] and their autoconvolution b [2n-1] in a few numbers."""
    return {"steps": len(h), "zero_share": float(np.mean(h == 0)), **flatness(np.abs(b))}


def flatness(values):
    """How much of the values is near their peak, how many are at it, and where the others are."""
    peak = np.max(values)
    return {
        "flat_share": float(np.mean(values >= NEAR_PEAK * peak)), "peaks": int(np.sum(values >= AT_PEAK * peak)),
        "fill_by_tenths": tenths(values, peak),
    }


def tenths(values, unit=1.0):
    """The mean of each tenth in this unit, from the left."""
    return row((float(np.mean(part) / unit) for part in np.array_split(values, PARTS) if len(part)), 2)
