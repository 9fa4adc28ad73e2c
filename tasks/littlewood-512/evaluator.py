"""Judges 512 signs as coefficients of a polynomial by its largest modulus on the unit circle (reference `tasks`, 3.11).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. The score is no grid's maximum: it is the least multiple of 1e-9 that is
proven to be no less than the supremum over the whole circle.
"""
import math

import numpy

from form import answer, invalid, keys_error, row
from integers import signs_error

POINTS = 2**20
COARSE_POINTS = 2**14
CONSTRUCTION = 32
DIGITS = 1e9
# Each round cuts an arc into so many; after the last one an arc of the first grid is cut into 8^6.
PARTS = 8
ROUNDS = 6
# Of a squared modulus, as a share of it: an angle k t of at most 511 pi is off by 2e-13, and so is each of the 512 terms.
ROUNDING = 1e-11
NEAR_PEAK, PARTS = 0.99, 10


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "coeffs") or signs_error(solution["coeffs"], "coeffs", n)
    if error:
        return invalid(error)
    coeffs = numpy.array(solution["coeffs"], dtype=float)
    moduli = modulus_on_grid(coeffs, POINTS)
    bound = math.ceil(supremum_bound(coeffs, moduli) * DIGITS) / DIGITS
    metrics = {
        "ratio": CONSTRUCTION / bound, "sup_16384": float(modulus_on_grid(coeffs, COARSE_POINTS).max()),
        "sup_grid": float(moduli.max()), "merit_factor": merit_factor(coeffs), "peaks": peaks(moduli),
        "peak_by_tenths": row(float(part.max()) for part in numpy.array_split(moduli, PARTS)),
    }
    return answer(True, bound, metrics, [])


def modulus_on_grid(coeffs, points):
    """At the angles 2 pi j / points, j = 0 ... points / 2; real coefficients have the same moduli on both halves of the circle."""
    return numpy.abs(numpy.fft.rfft(coeffs, points))


def supremum_bound(coeffs, moduli):
    """A number of at least the supremum of |p| on the circle, at most about 1e-11 of it too large (the arithmetic's own rounding is in it).

    f = |p|^2 is a real trigonometric polynomial of degree d = n - 1, so that |f''| <= d^2 max f (Bernstein). On an arc of half the width w around t
    f is therefore at most f(t) + |f'(t)| w + d^2 max f w^2 / 2, where max f is bounded by the grid: at most its maximum / (1 - (d w)^2 / 2). Arcs of
    which this bound is below a value that f has been seen to take cannot hold the maximum; the others are cut and looked at again.
    """
    degree, width = len(coeffs) - 1, math.pi / (2 * (len(moduli) - 1))
    best = float(moduli.max()) ** 2
    curvature = degree**2 * best / (1 - (degree * width) ** 2 / 2)
    # On the first grid the slope is not known, but at the largest value on an arc around a point it is 0: f falls from there by the last term only.
    centres = numpy.flatnonzero(moduli**2 >= best * (1 - ROUNDING) - curvature * width**2 / 2) * 2 * width
    for _ in range(ROUNDS):
        width /= PARTS
        centres = (centres[:, None] + width * numpy.arange(1 - PARTS, PARTS, 2)).ravel()
        values, slopes = values_and_slopes(coeffs, centres)
        bounds = values + numpy.abs(slopes) * width + curvature * width**2 / 2
        best = max(best, float(values.max()))
        upper = float(bounds.max())
        centres = centres[bounds >= best * (1 - ROUNDING)]
    return math.sqrt(max(best, upper) * (1 + ROUNDING))


def values_and_slopes(coeffs, angles):
    """|p|^2 and its derivative at these angles."""
    values, slopes = numpy.empty(len(angles)), numpy.empty(len(angles))
    powers = numpy.arange(len(coeffs))
    for start in range(0, len(angles), 1024):
        some = slice(start, start + 1024)
        waves = numpy.exp(1j * numpy.outer(angles[some], powers))
        p, dp = waves @ coeffs, waves @ (1j * powers * coeffs)
        values[some] = numpy.abs(p) ** 2
        slopes[some] = 2 * (p.conjugate() * dp).real
    return values, slopes


def peaks(moduli):
    """How many stretches of the half circle lie within 1 % of the largest modulus."""
    near = moduli >= NEAR_PEAK * moduli.max()
    return int(near[0]) + int((near[1:] & ~near[:-1]).sum())


def merit_factor(coeffs):
    """n^2 over twice the sum of the squared autocorrelations (Golay): high where the mean fourth power of the modulus is low."""
    correlations = numpy.correlate(coeffs, coeffs, "full")[len(coeffs):]
    return len(coeffs) ** 2 / (2 * float((correlations**2).sum()))
