"""Judges a packing of n circles in a rectangle of perimeter 4 from the solution's numbers alone (reference `tasks`, 3.2).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. The rectangle is the smallest upright one around the circles.
"""
from circles import RECTANGLE, extent, judge


def evaluate(instance, solution):
    verdict = judge(solution, instance["n"], RECTANGLE)
    if verdict["valid"]:
        width, height = extent([tuple(float(value) for value in circle) for circle in solution["circles"]])
        verdict["metrics"]["width"] = width
        verdict["metrics"]["height"] = height
    return verdict
