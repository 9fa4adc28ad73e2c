"""Judges a packing of 11 unit hexagons in a regular hexagon from the solution's numbers alone (reference `tasks`, 3.8).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. `ratio` is AlphaEvolve's side over this one: above 1 beats it.
"""
from hexagons import judge

ALPHAEVOLVE = 3.930092


def evaluate(instance, solution):
    return judge(solution, instance["n"], ALPHAEVOLVE)
