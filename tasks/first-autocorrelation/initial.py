# EVOLVE-BLOCK-START
"""First autocorrelation inequality: a constant sequence, then one linear program after another, a small step towards each answer."""
import math
import time

import numpy as np
from scipy.linalg import toeplitz
from scipy.optimize import linprog

SHARE_OF_TIME = 0.9
STEP = 0.01
SHORTEST = 100
LONGEST = 999
SAVE_EVERY_S = 20.0


def c1(h):
    """2n max(h*h) / (sum h)^2 of n heights; less is better."""
    return 2 * len(h) * np.max(np.convolve(h, h)) / np.sum(h) ** 2


def start(rng):
    """A constant sequence of random length and height."""
    length = int(rng.integers(SHORTEST, LONGEST + 1))
    height = rng.random() or 1.0
    return np.full(length, height)


def scaled(h):
    """With sum sqrt(2n), so that the largest autoconvolution is c1."""
    return h * math.sqrt(2 * len(h)) / np.sum(h)


def partner(f, seconds):
    """The g >= 0 of largest sum with f*g nowhere above max(f*f), or None where no answer comes in time."""
    n = len(f)
    column = np.concatenate([f, np.zeros(n - 1)])
    first_row = np.zeros(n)
    first_row[0] = f[0]
    products = toeplitz(column, first_row)
    ceiling = np.full(2 * n - 1, np.max(np.convolve(f, f)))
    answer = linprog(-np.ones(n), A_ub=products, b_ub=ceiling, bounds=(0, None), method="highs", options={"time_limit": seconds})
    if not answer.success or np.sum(answer.x) <= 0:
        return None
    return scaled(np.maximum(answer.x, 0.0))


def search(instance):
    """Steps until 90 % of the CPU time is used; the best sequence met."""
    rng = np.random.default_rng(instance["seed"])
    deadline = SHARE_OF_TIME * instance["time_limit_s"]
    h = start(rng)
    best, best_c1 = h, c1(h)
    saved = -SAVE_EVERY_S
    while time.process_time() < deadline:
        f = scaled(h)
        g = partner(f, max(0.1, deadline - time.process_time()))
        if g is None:
            h[1] = (h[1] + rng.random()) % 1.0
        else:
            h = (1.0 - STEP) * h + STEP * g
        value = c1(h)
        if value < best_c1:
            best, best_c1 = h.copy(), value
        if time.process_time() - saved > SAVE_EVERY_S:
            saved = time.process_time()
            checkpoint({"heights": best.tolist()})
    return best
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s (CPU seconds); the step heights are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance).tolist()}
