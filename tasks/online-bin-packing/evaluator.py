"""Packs items that arrive one at a time by a program's priorities (reference `tasks`, 4.5; CodeEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The bins are the evaluator's own; the program only names one of them. The
items are drawn from the hidden key.
"""
import math

import numpy as np
from draws import generator
from form import answer, invalid

ITEM_SECONDS = 20


def weibull_items(source, count):
    """Sizes [f x count]: Weibull with shape 3, scaled to 45, rounded, in 1..100."""
    return np.round(np.clip(45 * source.weibull(3, count), 1, 100))


def sets_of(instance):
    """Sets of items; first_seed, where it is given, makes those that every program can compute."""
    first = instance["first_seed"]
    for number in range(instance["sets"]):
        yield weibull_items(generator(instance, number) if first is None else np.random.RandomState(first + number), instance["items"])


def lower_bound(items, capacity):
    return math.ceil(math.fsum(items) / capacity)


def pack(candidate, items, capacity, offer):
    """(what is left in each bin used [f x bins], None), or (None, what was wrong). With the offer "used" an empty bin is opened only where no used one has room."""
    remaining = np.full(len(items), float(capacity))
    candidate.call({"start": float(capacity), "bins": len(items), "offer": offer})
    for number, item in enumerate(items):
        chosen = candidate.call({"item": float(item)}, seconds=ITEM_SECONDS).value
        if type(chosen) is not int or not 0 <= chosen < len(remaining) or remaining[chosen] < item:
            return None, f"item {number}: expected the index of a bin into which {item:g} fits"
        if offer == "used" and remaining[chosen] == capacity and ((remaining >= item) & (remaining < capacity)).any():
            return None, f"item {number}: expected a used bin, an empty one was chosen"
        remaining[chosen] -= item
    return remaining[remaining < capacity], None


def evaluate(instance, candidate):
    """The mean excess over the lower bound of the means, over sets of items."""
    used, full, bounds = [], [], []
    for items in sets_of(instance):
        left, wrong = pack(candidate, items, instance["capacity"], instance["offer"])
        if wrong:
            return invalid(wrong)
        used.append(len(left))
        full.append(float((left == 0).mean()))
        bounds.append(lower_bound(items, instance["capacity"]))
    mean, bound = math.fsum(used) / len(used), math.fsum(bounds) / len(bounds)
    return answer(True, (mean - bound) / bound, {"mean_bins": mean, "mean_bound": bound, "full_share": math.fsum(full) / len(full)}, [])


def evaluate_hidden(instance, candidate):
    """Other sets, drawn in the same way; reported only."""
    return evaluate(instance, candidate)
