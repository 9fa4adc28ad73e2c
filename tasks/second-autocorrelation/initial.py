# EVOLVE-BLOCK-START
"""Second autocorrelation inequality: gradient ascent from many random sequences, then from the best one on finer and finer cells."""
import time

import numpy as np

EXPLORING_STEPS = 10_000
EXPLORING_RATE = 0.03
NOISE = 1e-3
NOISE_DECAY = 0.55
REFINING_STEPS = 40_000
REFINING_RATE = 3e-3
MEAN_DECAY = 0.9
SQUARE_DECAY = 0.999
# Shares of the time at which exploring and each refinement end at the latest.
EXPLORED_BY = 0.45
REFINED_BY = [0.65, 0.9]
SAVE_EVERY_S = 5.0


def c2_and_gradient(h):
    """c2 [rows] of the heights h [rows, n] and its gradient [rows, n]; the autoconvolution is piecewise linear."""
    n = h.shape[1]
    size = 2 * n
    spectrum = np.fft.rfft(h, size)
    b = np.fft.irfft(spectrum * spectrum, size)
    b[:, -1] = 0
    neighbours = np.roll(b, 1, axis=1) + np.roll(b, -1, axis=1)
    squares = np.sum(b * (4 * b + neighbours), axis=1) / 6
    total = np.sum(b, axis=1)
    rows = np.arange(len(h))
    top = np.argmax(b, axis=1)
    peak = b[rows, top]
    c2 = squares / (total * peak)
    slope = (4 * b + neighbours) / (3 * total * peak)[:, None] - (c2 / total)[:, None]
    slope[rows, top] -= c2 / peak
    slope[:, -1] = 0
    gradient = 2 * np.fft.irfft(np.fft.rfft(slope, size) * np.conj(spectrum), size)[:, :n]
    return c2, gradient


def ascend(h, steps, rate, noise, deadline, rng, save):
    """Adam on every row at once, heights kept at 0 or above; the best heights each row has met, and their c2."""
    best, best_c2 = h.copy(), np.full(len(h), -np.inf, dtype=h.dtype)
    mean, square = np.zeros_like(h), np.zeros_like(h)
    for t in range(steps + 1):
        c2, gradient = c2_and_gradient(h)
        better = c2 > best_c2
        best[better], best_c2[better] = h[better], c2[better]
        save(best, best_c2)
        if time.process_time() > deadline:
            break
        if noise > 0:
            gradient += np.float32(noise / (t + 1) ** NOISE_DECAY) * rng.standard_normal(h.shape, dtype=np.float32)
        mean = MEAN_DECAY * mean + (1 - MEAN_DECAY) * gradient
        square = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * gradient * gradient
        scale = np.sqrt(square / (1 - SQUARE_DECAY ** (t + 1))) + 1e-8
        h = np.maximum(h + rate / (1 - MEAN_DECAY ** (t + 1)) * mean / scale, 0)
    return best, best_c2


def upsampled(h):
    """Twice as many heights, interpolated linearly between the middles of the cells."""
    n = len(h)
    middles = (np.arange(n) + 0.5) / n
    finer = (np.arange(2 * n) + 0.5) / (2 * n)
    return np.interp(finer, middles, h).astype(np.float32)


def saver():
    """Saves the best row met, every 5 s of CPU time."""
    last = [-SAVE_EVERY_S, -np.inf]

    def save(rows, values):
        if time.process_time() - last[0] < SAVE_EVERY_S:
            return
        last[0] = time.process_time()
        if np.max(values) > last[1]:
            last[1] = float(np.max(values))
            checkpoint({"heights": rows[np.argmax(values)].tolist()})

    return save


def search(instance):
    rng = np.random.default_rng(instance["seed"])
    limit = instance["time_limit_s"]
    rows, length = 64, 256
    save = saver()
    h = rng.random((rows, length), dtype=np.float32)
    found, values = ascend(h, EXPLORING_STEPS, EXPLORING_RATE, NOISE, EXPLORED_BY * limit, rng, save)
    best, best_c2 = found[np.argmax(values)], np.max(values)
    for share in REFINED_BY:
        finer = upsampled(best)[None, :]
        found, values = ascend(finer, REFINING_STEPS, REFINING_RATE, 0.0, share * limit, rng, save)
        best, best_c2 = found[0], values[0]
    return best
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s (CPU seconds); the step heights are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance).tolist()}
