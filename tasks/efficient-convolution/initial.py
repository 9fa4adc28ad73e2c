# EVOLVE-BLOCK-START
"""Convolves two matrices directly."""
import numpy as np
from scipy import signal


def run_solver(problem):
    """Full 2-D convolution with zeros outside.

    problem = (a, b): arrays of floats of shapes (ra, ca) and (rb, cb). Returns an array of shape (ra + rb - 1, ca + cb - 1).
    """
    a, b = problem
    result = signal.convolve2d(a, b, mode="full", boundary="fill", fillvalue=0)
    return result
# EVOLVE-BLOCK-END
