"""Takes the metrics that an OpenEvolve evaluator computed in the program's container (harness.py). They are claims that nothing has checked: see README.md.

evaluate(instance, candidate) -> {valid, score, metrics, reasons}.
"""
import math

from form import answer, invalid

NAMES = ("combined_score", "score")


def evaluate(instance, candidate):
    metrics = candidate.call({}).value
    if not isinstance(metrics, dict):
        return invalid("expected a dict of metrics")
    numbers = {name: float(value) for name, value in metrics.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
    named = next((name for name in NAMES if name in numbers), None)
    if named is None and not numbers:
        return invalid("expected combined_score, score or another number among the metrics")
    score = numbers[named] if named else math.fsum(numbers.values()) / len(numbers)
    return answer(True, score, {name: value for name, value in metrics.items() if name != "combined_score"}, [])
