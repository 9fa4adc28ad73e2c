"""Judges a Golomb ruler from its marks alone: all differences distinct; its length is the score.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. It does not matter in which language the program was written.
"""
from form import answer, integer_error, invalid, keys_error, row

LONGEST = 10**6
TOLD = 15


def evaluate(instance, solution):
    count = instance["marks"]
    error = keys_error(solution, "marks")
    if error:
        return invalid(error)
    marks = solution["marks"]
    if not isinstance(marks, list) or len(marks) != count:
        return invalid(f"expected {count} marks")
    for index, mark in enumerate(marks):
        error = integer_error(mark, f"marks[{index}]", 0, LONGEST)
        if error:
            return invalid(error)
    marks = sorted(marks)
    differences = [b - a for index, a in enumerate(marks) for b in marks[index + 1:]]
    if len(set(differences)) < len(differences) or 0 in differences:
        return invalid("expected every difference of two marks once")
    length = marks[-1] - marks[0]
    missing = sorted(set(range(1, min(length, TOLD + len(differences)))) - set(differences))
    metrics = {"gaps": row(b - a for a, b in zip(marks, marks[1:])), "missing": row(missing[:TOLD])}
    return answer(True, length, metrics, [])
