"""Judges 512 signs as coefficients of a polynomial by its largest modulus on the unit circle (reference `tasks`, 3.11).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. The modulus is taken on 2^20 points of the circle.
"""
import math

import numpy

from form import answer, invalid, keys_error
from integers import signs_error

POINTS = 2**20
COARSE_POINTS = 2**14
CONSTRUCTION = 32


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "coeffs") or signs_error(solution["coeffs"], "coeffs", n)
    if error:
        return invalid(error)
    coeffs = numpy.array(solution["coeffs"], dtype=float)
    sup_norm = largest_modulus(coeffs, POINTS)
    metrics = {
        "ratio": CONSTRUCTION / sup_norm, "sup_16384": largest_modulus(coeffs, COARSE_POINTS),
        "sup_bound": sup_norm / math.sqrt(math.cos((n - 1) * math.pi / POINTS)), "merit_factor": merit_factor(coeffs),
    }
    return answer(True, sup_norm, metrics, [])


def largest_modulus(coeffs, points):
    """On so many points of the circle; real coefficients have the same moduli on both halves."""
    return float(numpy.abs(numpy.fft.rfft(coeffs, points)).max())


def merit_factor(coeffs):
    """n^2 over twice the sum of the squared autocorrelations (Golay): high where the mean fourth power of the modulus is low."""
    correlations = numpy.correlate(coeffs, coeffs, "full")[len(coeffs):]
    return len(coeffs) ** 2 / (2 * float((correlations**2).sum()))
