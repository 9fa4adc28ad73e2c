"""Judges a packing of n circles in the unit square from the solution's numbers alone (reference `tasks`, 3.1).

evaluate(instance, solution) -> {valid, score, metrics, reasons}.
"""
from circles import SQUARE, judge


def evaluate(instance, solution):
    return judge(solution, instance["n"], SQUARE)
