"""Descends from random step functions to a low peak of the autoconvolution, coarse cells first. Called by fixtures/gold of the autocorrelation tasks.

The peak 2n max|h*h| / (sum h)^2 is smoothed to a log-sum-exp, sharpened in stages, minimised by L-BFGS with gradients by FFT; at the end the true
peak is lowered by linear programs around the heights. Without `signed`, heights are kept at 0 or above.
"""
import numpy as np
from scipy.linalg import toeplitz
from scipy.optimize import linprog, minimize

FIRST = (10, 30, 100, 300, 1000, 3000, 10000)
AGAIN = (100, 300, 1000, 3000, 10000, 30000)
LEAST_GAIN = 1e-7
SMALLEST_REACH = 1e-6


def peak(h):
    """2n max|h*h| / (sum h)^2."""
    return float(2 * len(h) * np.abs(np.convolve(h, h)).max() / h.sum() ** 2)


def smooth_peak(h, sharpness):
    """(value, gradient [n]) of log(sum exp(sharpness |r|)) / sharpness, r = 2n h*h / (sum h)^2."""
    n, total = len(h), h.sum()
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(h, size)
    ratios = 2 * n / total**2 * np.fft.irfft(spectrum * spectrum, size)[: 2 * n - 1]
    top = np.abs(ratios).max()
    weights = np.exp(sharpness * (np.abs(ratios) - top))
    mass = weights.sum()
    weights *= np.sign(ratios) / mass
    along = np.fft.irfft(np.fft.rfft(weights, size) * np.conj(spectrum), size)[:n]
    return top + np.log(mass) / sharpness, 4 * n / total**2 * along - 2 / total * (weights @ ratios)


def descended(h, stages, signed, iterations=1500):
    """Heights [n] of mean 1, minimised for each sharpness in turn."""
    bounds = None if signed else [(0, None)] * len(h)
    for sharpness in stages:
        h = minimize(smooth_peak, h / h.mean(), (sharpness,), "L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": iterations, "maxfun": 2 * iterations}).x
    return h / h.mean()


def best_start(n, starts, signed, rng):
    """The best of so many descents from random heights."""
    made = (descended(1 + rng.standard_normal(n) / 2 if signed else rng.random(n), FIRST, signed) for _ in range(starts))
    return min(made, key=peak)


def kicked(h, kicks, size, signed, rng):
    """The best of descents from the best heights multiplied by random factors and lifted off 0."""
    best = h
    for _ in range(kicks):
        start = best * np.exp(size * rng.standard_normal(len(h))) + 0.3 * size * rng.random(len(h))
        best = min(best, descended(start, AGAIN, signed), key=peak)
    return best


def polished(h, programs, signed, reach=0.01):
    """Lowers the true peak: b is linearised around h, the heights move by at most `reach`, at fixed sum."""
    h = h / h.mean()
    n = len(h)
    for _ in range(programs):
        b = np.convolve(h, h)
        slopes = 2 * toeplitz(np.concatenate([h, np.zeros(n - 1)]), np.concatenate([h[:1], np.zeros(n - 1)]))
        near = np.flatnonzero(np.abs(b) > np.abs(b).max() - 4 * reach * np.abs(h).sum())
        sides = np.sign(b[near])
        rows = np.hstack([sides[:, None] * slopes[near], -np.ones((len(near), 1))])
        low = np.full(n, -reach) if signed else np.maximum(-h, -reach)
        answer = linprog(np.eye(n + 1)[n], A_ub=rows, b_ub=-np.abs(b[near]), A_eq=[np.append(np.ones(n), 0.0)], b_eq=[0.0],
                         bounds=[*zip(low, np.full(n, reach)), (0, None)], method="highs")
        moved = h + answer.x[:n] if answer.success else h
        moved = moved if signed else np.maximum(moved, 0)
        if peak(moved) < peak(h) - LEAST_GAIN:
            h = moved
        elif reach > SMALLEST_REACH:
            reach /= 4
        else:
            break
    return h


def coarse_to_fine(n, starts, rounds, kicks, size, signed, rng, say=lambda h: None):
    """The best start on n cells, kicked; then every height twice, descended and kicked, in so many rounds."""
    h = best_start(n, starts, signed, rng)
    for round in range(rounds + 1):
        h = kicked(h if round == 0 else descended(np.repeat(h, 2), AGAIN, signed), kicks >> round, size, signed, rng)
        say(h)
    return h
