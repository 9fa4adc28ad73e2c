"""Times a program that finds the smallest gap between numbers, against the initial program in a second container on the same core.

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. Runs in the trusted container; the program runs in its own.
"""
import numpy as np
from form import answer, invalid

TIMED = 3


def exact(draw):
    """Few numbers, and the nearest pair at places where a loop may not look."""
    for count in (2, 3, 7):
        yield draw.uniform(0.0, 1.0, count)
    for first, second in ((0, 1), (0, -1), (-2, -1)):
        numbers = draw.uniform(0.0, 1.0, 100)
        numbers[second] = numbers[first] + 1e-7
        yield numbers


def fault(numbers, given):
    expected = float(np.diff(np.sort(numbers)).min())
    if type(given.value) in (int, float) and abs(given.value - expected) <= 1e-9 * expected:
        return None
    return f"{len(numbers)} numbers: expected the smallest gap {expected:.6g}, got {str(given.value)[:40]}"


def evaluate(instance, candidate):
    draw = np.random.default_rng(int(instance["hidden_key"], 16))
    for numbers in exact(draw):
        wrong = fault(numbers, candidate.call([numbers], seconds=20))
        if wrong is not None:
            return invalid(wrong)
    own, beside = [], []
    for case in range(instance["cases"]):
        times = []
        for _ in range(TIMED):
            numbers = draw.uniform(0.0, 1.0, instance["numbers"])
            given = candidate.call([numbers], seconds=20)
            wrong = fault(numbers, given)
            if wrong is not None:
                return invalid(wrong)
            times.append((given.wall_ms, candidate.reference.call([numbers], seconds=20).wall_ms))
        # The first call of all is not counted.
        counted = times[1:] if case == 0 else times
        own.append(min(mine for mine, _ in counted))
        beside.append(min(other for _, other in counted))
    return answer(True, sum(beside) / sum(own), {"milliseconds": sum(own) / len(own)}, [])
