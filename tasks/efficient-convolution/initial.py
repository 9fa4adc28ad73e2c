# EVOLVE-BLOCK-START
"""Convolves two matrices directly."""
import numpy as np
from scipy import signal


def run_solver(problem):
    """Full 2-D convolution, zeros outside, of problem = (a [f x ra, ca], b [f x rb, cb]): [f x ra+rb-1, ca+cb-1]."""
    a, b = problem
    result = signal.convolve2d(a, b, mode="full", boundary="fill", fillvalue=0)
    return result
# EVOLVE-BLOCK-END
