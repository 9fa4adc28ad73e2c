"""The program's side: mirrors the bins, so that an item costs one small message. Its answers are indices, checked by the evaluator.

Requests: {"start": capacity, "bins": count, "offer": "all" | "used"} empties the bins; {"item": size} gives the index of the chosen bin.
"""
import numpy as np

remaining = np.zeros(0)
capacity = 0.0
offer = "all"


def invoke(function, request, ask):
    global remaining, capacity, offer
    if "start" in request:
        capacity, offer = request["start"], request["offer"]
        remaining = np.full(request["bins"], capacity, dtype=float)
        return None
    item = request["item"]
    fits = np.flatnonzero((remaining >= item) & (remaining < capacity)) if offer == "used" else np.flatnonzero(remaining >= item)
    if len(fits) == 0:
        fits = np.flatnonzero(remaining == capacity)[:1]
        remaining[fits[0]] -= item
        return int(fits[0])
    # As in EoH's and CodeEvolve's own evaluators: priorities may be infinite or no number, as 0/0 at an exact fit, and numpy's argmax chooses.
    with np.errstate(all="ignore"):
        priorities = np.asarray(function(item, remaining[fits].copy()))
    if priorities.dtype.kind not in "fiu":
        raise ValueError(f"expected priorities that are real numbers, got {priorities.dtype}")
    if priorities.shape != fits.shape:
        raise ValueError(f"expected {len(fits)} priorities, got an array of shape {priorities.shape}")
    chosen = int(fits[np.argmax(priorities)])
    remaining[chosen] -= item
    return chosen
