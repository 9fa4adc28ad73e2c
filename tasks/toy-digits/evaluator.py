"""Judges a row of digits: their mean over 9 is the score, and the metric is how many different ones there are.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. All arithmetic is in integers but for the last division.
"""
from form import answer, integer_error, invalid, keys_error, kind


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "digits")
    if error:
        return invalid(error)
    row = solution["digits"]
    if not isinstance(row, list):
        return invalid(f"digits: expected a list of {n} integers, got {kind(row)}")
    if len(row) != n:
        return invalid(f"digits: expected {n} integers, got {len(row)}")
    for index, digit in enumerate(row):
        error = integer_error(digit, f"digits[{index}]", 0, 9)
        if error:
            return invalid(error)
    return answer(True, sum(row) / (9 * n), {"distinct": len(set(row))}, [])
