# EVOLVE-BLOCK-START
"""Vectors in dimension 11 on two shells of one length: two on each axis, and all signs on a family of 4-subsets of the coordinates."""
from itertools import combinations, product


def in_conflict(first, second):
    """Whether two subsets share more coordinates than their vectors may."""
    most_shared = 2
    return len(set(first) & set(second)) > most_shared


def subset_family(d):
    """Subsets chosen one after the other: always the one that rules out the fewest of those that remain."""
    size = 4
    remaining = list(combinations(range(d), size))
    chosen = []
    while remaining:
        costs = []
        for subset in remaining:
            cost = sum(in_conflict(subset, other) for other in remaining)
            costs.append((cost, subset))
        best = min(costs)[1]
        chosen.append(best)
        remaining = [other for other in remaining if not in_conflict(best, other)]
    return chosen


def axis_vectors(d):
    length = 2
    vectors = []
    for axis in range(d):
        for sign in (1, -1):
            vector = [0] * d
            vector[axis] = sign * length
            vectors.append(vector)
    return vectors


def subset_vectors(d, subset):
    """One vector for every choice of signs on the subset."""
    entry = 1
    vectors = []
    for signs in product((entry, -entry), repeat=len(subset)):
        vector = [0] * d
        for axis, sign in zip(subset, signs):
            vector[axis] = sign
        vectors.append(vector)
    return vectors


def gather(instance):
    d = instance["d"]
    vectors = axis_vectors(d)
    for subset in subset_family(d):
        vectors.extend(subset_vectors(d, subset))
    return vectors[: instance["most"]]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds d, most, seed and time_limit_s; the vectors are handed back as {"vectors": [[integers], ...]}."""
    return {"vectors": gather(instance)}
