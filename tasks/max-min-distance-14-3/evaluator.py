"""Judges 14 points in space by the ratio of their largest to their smallest distance (reference `tasks`, 3.9).

evaluate(instance, solution) -> {valid, score, metrics, reasons}.
"""
from distances import spread

ALPHAEVOLVE = 4.165849767


def evaluate(instance, solution):
    return spread(instance, solution, ALPHAEVOLVE)
