"""Times a program that finds the smallest gap between numbers, against the initial program in a second container on the same core.

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. Runs in the trusted container; the program runs in its own.
"""
import numpy as np
from form import answer, invalid

TIMED = 3


def evaluate(instance, candidate):
    draw = np.random.default_rng(int(instance["hidden_key"], 16))
    own, beside = [], []
    for case in range(instance["cases"]):
        times = []
        for _ in range(TIMED):
            numbers = draw.uniform(0.0, 1.0, instance["numbers"])
            expected = float(np.diff(np.sort(numbers)).min())
            given = candidate.call([numbers], seconds=20)
            if type(given.value) not in (int, float) or abs(given.value - expected) > 1e-9 * expected:
                return invalid(f"case {case}: expected the smallest gap {expected:.6g}, got {str(given.value)[:40]}")
            times.append((given.wall_ms, candidate.reference.call([numbers], seconds=20).wall_ms))
        # The first call of all is not counted.
        counted = times[1:] if case == 0 else times
        own.append(min(mine for mine, _ in counted))
        beside.append(min(other for _, other in counted))
    return answer(True, sum(beside) / sum(own), {"milliseconds": sum(own) / len(own)}, [])
