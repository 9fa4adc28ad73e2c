"""Judges a 29 x 29 matrix of signs by its determinant (reference `tasks`, 3.7).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. The determinant is an exact integer, its ratio to the reference rounded once.
"""
from fractions import Fraction

import numpy as np

from form import answer, invalid, keys_error, kind, row
from integers import signs_error

REFERENCE = 2**28 * 7**12 * 342


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "matrix") or matrix_error(solution["matrix"], n)
    if error:
        return invalid(error)
    matrix = solution["matrix"]
    size = abs(determinant(matrix))
    products = [abs(sum(a * b for a, b in zip(matrix[i], matrix[j]))) for i in range(n) for j in range(i)]
    metrics = {
        "orthogonal_share": products.count(1) / len(products),
        "row_products": row([*(products.count(value) for value in (1, 3, 5)), sum(value > 5 for value in products)]),
        **(gains(np.array(matrix, dtype=float)) if size else {}),
    }
    return answer(True, float(Fraction(size, REFERENCE)), metrics, [])


def gains(matrix):
    """The factors by which the best change of one sign, and of one row or column, would make the determinant larger: its cofactors say both."""
    shares = matrix * np.linalg.inv(matrix).T
    lines = [np.abs(shares).sum(axis=axis).max() for axis in (0, 1)]
    return {"best_flip": round(float(np.abs(1 - 2 * shares).max()), 4), "best_line": round(float(max(lines)), 4)}


def matrix_error(matrix, n):
    """n lists of n signs."""
    if not isinstance(matrix, list):
        return f"matrix: expected a list of {n} rows, got {kind(matrix)}"
    if len(matrix) != n:
        return f"matrix: expected {n} rows, got {len(matrix)}"
    return next((error for index, row in enumerate(matrix) if (error := signs_error(row, f"matrix[{index}]", n))), None)


def determinant(matrix):
    """Bareiss elimination: every division is exact, every number on the way an integer."""
    rows = [list(row) for row in matrix]
    sign, divisor = 1, 1
    for k in range(len(rows) - 1):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i in range(k + 1, len(rows)):
            rows[i] = [0] * (k + 1) + [(rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // divisor for j in range(k + 1, len(rows))]
        divisor = rows[k][k]
    return sign * rows[-1][-1]
