"""Packs items that arrive one at a time by a program's priorities (reference `tasks`, 4.5; CodeEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The bins are the evaluator's own; the program only names one of them. The
items are drawn from the hidden key.
"""
import math

import numpy as np
from draws import generator
from form import answer, invalid, row

ITEM_SECONDS = 20
# Shares of the capacity that are left in a bin.
LEFT_UP_TO = (0.05, 0.1, 0.2, 0.4, 1.0)
OPEN = 0.2


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
    """(what is left in each bin used [f x bins], bins opened although a used one had room, None), or (None, None, what was wrong). With the offer
    "used" an empty bin is opened only where no used one has room."""
    remaining, early = np.full(len(items), float(capacity)), 0
    candidate.call({"start": float(capacity), "bins": len(items), "offer": offer})
    for number, item in enumerate(items):
        chosen = candidate.call({"item": float(item)}, seconds=ITEM_SECONDS).value
        if type(chosen) is not int or not 0 <= chosen < len(remaining) or remaining[chosen] < item:
            return None, None, f"item {number}: expected the index of a bin into which {item:g} fits"
        opened_early = remaining[chosen] == capacity and bool(((remaining >= item) & (remaining < capacity)).any())
        early += opened_early
        if offer == "used" and opened_early:
            return None, None, f"item {number}: expected a used bin, an empty one was chosen"
        remaining[chosen] -= item
    return remaining[remaining < capacity], early, None


def waste(lefts, capacity):
    """The sum of what is left in the bins of all sets by how much is left in a bin, as shares of it."""
    left = np.concatenate(lefts) / capacity
    amounts = [float(left[left <= most].sum()) for most in LEFT_UP_TO]
    return row((after - before) / max(amounts[-1], 1e-9) for before, after in zip([0.0, *amounts], amounts))


def evaluate(instance, candidate):
    """The mean excess over the lower bound of the means, over sets of items."""
    lefts, opened, bounds = [], [], []
    for items in sets_of(instance):
        left, early, wrong = pack(candidate, items, instance["capacity"], instance["offer"])
        if wrong:
            return invalid(wrong)
        lefts.append(left)
        opened.append(early)
        bounds.append(lower_bound(items, instance["capacity"]))
    sets, capacity = len(bounds), instance["capacity"]
    mean, bound = sum(map(len, lefts)) / sets, math.fsum(bounds) / sets
    metrics = {
        "mean_bins": mean, "mean_bound": bound, "full_share": math.fsum(float((left == 0).mean()) for left in lefts) / sets,
        "waste_by_left": waste(lefts, capacity), "open_at_end": sum(int((left > OPEN * capacity).sum()) for left in lefts) / sets,
        "opened_early": sum(opened) / sets,
    }
    return answer(True, (mean - bound) / bound, metrics, [])


def evaluate_hidden(instance, candidate):
    """Other sets, drawn in the same way; reported only."""
    return evaluate(instance, candidate)
