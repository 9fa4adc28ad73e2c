# EVOLVE-BLOCK-START
"""A formula for the acceleration of an oscillator: linear in position, time and velocity."""
import numpy as np


def func(X, params):
    """One acceleration for each row (x, t, v) of the array X, from 10 parameters."""
    x = X[:, 0]
    t = X[:, 1]
    v = X[:, 2]
    acceleration = params[0] * x + params[1] * t + params[2] * v
    return acceleration
# EVOLVE-BLOCK-END
