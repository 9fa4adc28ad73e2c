"""Judges 16 points in the plane by the ratio of their largest to their smallest distance (reference `tasks`, 3.9).

evaluate(instance, solution) -> {valid, score, metrics, reasons}.
"""
from distances import spread

ALPHAEVOLVE = 12.889266112


def evaluate(instance, solution):
    return spread(instance, solution, ALPHAEVOLVE)
