"""Judges a Golomb ruler from its marks alone: all differences distinct; its length is the score.

evaluate(instance, solution) -> {valid, score, metrics, reasons}. It does not matter in which language the program was written.
"""
from form import answer, integer_error, invalid, keys_error

LONGEST = 10**6


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
    return answer(True, marks[-1] - marks[0], {"missing_below_length": marks[-1] - marks[0] - len(differences)}, [])
