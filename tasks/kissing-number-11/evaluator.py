"""Judges integer vectors in dimension 11 as a kissing configuration by how many they are (reference `tasks`, 3.14).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Exact integers throughout: where no two vectors are closer to each other than
the longest is long, any two are at least 60 degrees apart, so equal spheres in these directions touch a central one without overlap.
"""
import re
from itertools import combinations
from operator import mul

from form import answer, invalid, keys_error, kind

LARGEST_ENTRY = 10**30
LARGEST_NUMBER = 2**53
DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,30}")
BEST_KNOWN = 604


def evaluate(instance, solution):
    error = keys_error(solution, "vectors") or count_error(solution["vectors"], instance["most"])
    if error:
        return invalid(error)
    vectors, error = read_vectors(solution["vectors"], instance["d"])
    error = error or distance_error(vectors)
    if error:
        return invalid(error)
    norms = {sum(map(mul, vector, vector)) for vector in vectors}
    digits = max(len(str(abs(entry))) for vector in vectors for entry in vector)
    return answer(True, len(vectors), {"ratio": len(vectors) / BEST_KNOWN, "shells": len(norms), "digits": digits}, [])


def count_error(vectors, most):
    if not isinstance(vectors, list):
        return f"vectors: expected a list of vectors, got {kind(vectors)}"
    if not 1 <= len(vectors) <= most:
        return f"vectors: expected 1 to {most} vectors, got {len(vectors)}"
    return None


def read_vectors(rows, d):
    """(vectors as tuples of ints, None), or (None, what is wrong)."""
    vectors = []
    for index, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != d:
            return None, f"vectors[{index}]: expected {d} integers, got {f'{len(row)} values' if isinstance(row, list) else kind(row)}"
        vector = tuple(integer(value) for value in row)
        if None in vector:
            return None, f"vectors[{index}][{vector.index(None)}]: expected an integer of magnitude at most 1e30, beyond 2^53 as a decimal string, got {kind(row[vector.index(None)])}"
        vectors.append(vector)
    return vectors, None


def integer(value):
    """An int of at most 2^53 or, beyond that, a decimal string as Python writes it; None for anything else. A larger number may have been rounded on the way."""
    if isinstance(value, str) and DECIMAL.fullmatch(value) and LARGEST_NUMBER < abs(int(value)) <= LARGEST_ENTRY:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER:
        return value
    return None


def distance_error(vectors):
    """Nonzero, distinct, and no two closer than the longest is long."""
    norms = [sum(map(mul, vector, vector)) for vector in vectors]
    if 0 in norms:
        return f"vectors[{norms.index(0)}]: expected a nonzero vector"
    longest = max(norms)
    for (i, first), (j, second) in combinations(enumerate(vectors), 2):
        square = norms[i] + norms[j] - 2 * sum(map(mul, first, second))
        if square < longest:
            found = "they are equal" if square == 0 else f"got {square}" if square < 10**20 else "it is less"
            return f"vectors[{i}] and vectors[{j}]: expected a squared distance of at least the largest squared length {longest if longest < 10**20 else 'of all'}, {found}"
    return None
