"""Packs items that arrive one at a time by a program's priorities (reference `tasks`, 4.5; CodeEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The bins are the evaluator's own; the program only names one of them.
"""
import math

import numpy as np
from form import answer, invalid

ITEM_SECONDS = 20


def weibull_items(seed, count):
    """Sizes [f x count]: Weibull with shape 3, scaled to 45, rounded, in 1..100."""
    draw = np.random.RandomState(seed).weibull(3, count)
    return np.round(np.clip(45 * draw, 1, 100))


def lower_bound(items, capacity):
    return math.ceil(math.fsum(items) / capacity)


def pack(candidate, items, capacity, offer):
    """(bins used, None), or (None, what was wrong). With the offer "used" an empty bin is opened only where no used one has room."""
    remaining = np.full(len(items), float(capacity))
    candidate.call({"start": float(capacity), "bins": len(items), "offer": offer})
    for number, item in enumerate(items):
        chosen = candidate.call({"item": float(item)}, seconds=ITEM_SECONDS).value
        if type(chosen) is not int or not 0 <= chosen < len(remaining) or remaining[chosen] < item:
            return None, f"item {number}: expected the index of a bin into which {item:g} fits"
        if offer == "used" and remaining[chosen] == capacity and ((remaining >= item) & (remaining < capacity)).any():
            return None, f"item {number}: expected a used bin, an empty one was chosen"
        remaining[chosen] -= item
    return int((remaining < capacity).sum()), None


def packed(instance, candidate, sets):
    """The mean excess over the lower bound of the means, over sets of items."""
    used, bounds = [], []
    for items in sets:
        bins, wrong = pack(candidate, items, instance["capacity"], instance["offer"])
        if wrong:
            return invalid(wrong)
        used.append(bins)
        bounds.append(lower_bound(items, instance["capacity"]))
    mean, bound = math.fsum(used) / len(used), math.fsum(bounds) / len(bounds)
    return answer(True, (mean - bound) / bound, {"mean_bins": mean, "mean_bound": bound}, [])


def evaluate(instance, candidate):
    return packed(instance, candidate, [weibull_items(instance["first_seed"] + j, instance["items"]) for j in range(instance["sets"])])


def evaluate_hidden(instance, candidate):
    """Sets drawn from hidden_seed; reported only."""
    return packed(instance, candidate, [weibull_items((instance["hidden_seed"] + j) % 2**32, instance["items"]) for j in range(instance["sets"])])
