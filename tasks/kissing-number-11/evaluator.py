"""Judges vectors in dimension 11 as a kissing configuration by how many they are (reference `tasks`, 3.14).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Coordinates are integers or, with "sqrt": k, numbers p + q sqrt(k) of integers p and q.
Both are computed with exactly: where no two vectors are closer to each other than the longest is long, any two are at least 60 degrees apart, so
equal spheres in these directions touch a central one without overlap.
"""
import math
import re
from collections import Counter
from functools import cmp_to_key
from itertools import combinations
from operator import mul

from form import answer, integer_error, invalid, keys_error, kind, row

LARGEST_ENTRY = 10**30
LARGEST_NUMBER = 2**53
LARGEST_ROOT = 1000
DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,30}")


def evaluate(instance, solution):
    rooted = isinstance(solution, dict) and "sqrt" in solution
    error = keys_error(solution, "vectors", *(["sqrt"] if rooted else []))
    error = error or (root_error(solution["sqrt"]) if rooted else None) or count_error(solution["vectors"], instance["most"])
    if error:
        return invalid(error)
    root = solution["sqrt"] if rooted else 0
    vectors, error = read_vectors(solution["vectors"], instance["d"], root)
    contacts = [0] * len(vectors or [])
    error = error or distance_error(vectors, root, contacts)
    if error:
        return invalid(error)
    shells = Counter(product(vector, vector, root) for vector in vectors)
    metrics = {
        "shells": len(shells), "shell_sizes": row(count for _, count in shells.most_common(5)),
        "fewest_contacts": min(contacts), "loose_vectors": contacts.count(0),
    }
    return answer(True, len(vectors), metrics, [])


def root_error(root):
    """A number whose root is irrational, so that p + q sqrt(k) is written in one way only."""
    error = integer_error(root, "sqrt", 2, LARGEST_ROOT)
    return error or (f"sqrt: expected an integer that is no square, got {root}" if math.isqrt(root) ** 2 == root else None)


def count_error(vectors, most):
    if not isinstance(vectors, list):
        return f"vectors: expected a list of vectors, got {kind(vectors)}"
    if not 1 <= len(vectors) <= most:
        return f"vectors: expected 1 to {most} vectors, got {len(vectors)}"
    return None


def read_vectors(rows, d, root):
    """(vectors, None), or (None, what is wrong). A vector is a pair of tuples of ints: the parts p, and the parts q of sqrt(root)."""
    wanted = f"an integer or [p, q] for p + q sqrt({root})" if root else "an integer"
    vectors = []
    for index, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != d:
            return None, f"vectors[{index}]: expected {d} coordinates, got {f'{len(row)} values' if isinstance(row, list) else kind(row)}"
        pairs = [coordinate(value, root) for value in row]
        for position, pair in enumerate(pairs):
            if None in pair:
                where = f"vectors[{index}][{position}]"
                return None, f"{where}: expected {wanted} of magnitude at most 1e30, beyond 2^53 as a decimal string, got {kind(row[position])}"
        vectors.append((tuple(p for p, _ in pairs), tuple(q for _, q in pairs)))
    return vectors, None


def coordinate(value, root):
    """(p, q) of a coordinate; None in it for what is no integer."""
    if root and isinstance(value, list) and len(value) == 2:
        return integer(value[0]), integer(value[1])
    return integer(value), 0


def integer(value):
    """An int of at most 2^53 or, beyond that, a decimal string as Python writes it; None for anything else. A larger number may have been rounded on the way."""
    if isinstance(value, str) and DECIMAL.fullmatch(value) and LARGEST_NUMBER < abs(int(value)) <= LARGEST_ENTRY:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER:
        return value
    return None


def product(first, second, root):
    """Inner product (a, b) of two vectors, which means a + b sqrt(root)."""
    (p, q), (r, s) = first, second
    if not root:
        return sum(map(mul, p, r)), 0
    return sum(map(mul, p, r)) + root * sum(map(mul, q, s)), sum(map(mul, p, s)) + sum(map(mul, q, r))


def sign(a, b, root):
    """-1, 0 or 1: the sign of a + b sqrt(root). Where the two terms disagree, their squares decide, which are integers."""
    if (a >= 0) == (b >= 0) or a == 0 or b == 0:
        return (a + b > 0) - (a + b < 0)
    larger = a * a - root * b * b
    return ((larger > 0) - (larger < 0)) * (1 if a > 0 else -1)


def distance_error(vectors, root, contacts):
    """Nonzero, distinct, and no two closer than the longest is long; those that are exactly so far apart are counted in `contacts`."""
    norms = [product(vector, vector, root) for vector in vectors]
    if (0, 0) in norms:
        return f"vectors[{norms.index((0, 0))}]: expected a nonzero vector"
    longest = max(norms, key=cmp_to_key(lambda one, other: sign(one[0] - other[0], one[1] - other[1], root)))
    for (i, first), (j, second) in combinations(enumerate(vectors), 2):
        a, b = product(first, second, root)
        square = (norms[i][0] + norms[j][0] - 2 * a, norms[i][1] + norms[j][1] - 2 * b)
        if square == longest:
            contacts[i] += 1
            contacts[j] += 1
        elif sign(square[0] - longest[0], square[1] - longest[1], root) < 0:
            found = "they are equal" if square == (0, 0) else f"got {told(square, root)}"
            return f"vectors[{i}] and vectors[{j}]: expected a squared distance of at least the largest squared length {told(longest, root)}, {found}"
    return None


def told(number, root):
    """a + b sqrt(root) for a reason, at most 20 digits a part."""
    a, b = (str(part) if abs(part) < 10**20 else "a larger one" for part in number)
    return a if not root or b == "0" else f"{a} + {b} sqrt({root})"
