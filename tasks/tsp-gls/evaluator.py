"""Guided local search on the travelling salesman, steered by a program (reference `tasks`, 4.6; CodeEvolve, EoH).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The program sees copies of distances, tour and penalties and answers with a
matrix; tours and their lengths are the evaluator's own. The cities are drawn from the hidden key.
"""
import math

import numpy as np
from draws import generator
from form import answer, invalid
from tours import distances, guided_search, random_cities, shortest_possible
from trails import trail_metrics

CALL_SECONDS = 20
LARGEST = 1e9


class Malformed(Exception):
    """An answer is no matrix of the asked form; says what was expected."""


class Guide:
    """Asks the program for guided matrices, and counts penalties."""

    def __init__(self, candidate, matrix):
        self.candidate, self.matrix = candidate, matrix
        self.new, self.count, self.edges, self.trail = [], 0, set(), []
        candidate.call({"distances": matrix}, seconds=CALL_SECONDS)

    def penalise(self, a, b):
        self.new.append([a, b])
        self.count += 1
        self.edges.add((a, b))

    def __call__(self, tour):
        guided = self.candidate.call({"tour": tour, "penalised": self.new}, seconds=CALL_SECONDS).value
        self.new = []
        if not isinstance(guided, np.ndarray) or guided.dtype.kind != "f" or guided.shape != self.matrix.shape:
            raise Malformed(f"expected a matrix of {len(tour)} x {len(tour)} numbers")
        if np.abs(guided).max() > LARGEST:
            raise Malformed(f"expected numbers of magnitude at most {LARGEST:g} in the matrix")
        return (guided + guided.T) / 2


def search(candidate, matrix, iterations):
    """(length of the best tour, the guide)."""
    guide = Guide(candidate, matrix)
    guided_search(matrix, guide, guide.penalise, iterations, guide.trail.append)
    return min(guide.trail), guide


def problems(instance):
    """(distances, a length that no tour is below) of each instance. With first_seed they are cities that every program can compute, whose
    shortest tours are proven (fixtures/optimal-tours.py)."""
    for number, proven in enumerate(instance["reference_lengths"]):
        if instance["first_seed"] is None:
            matrix = distances(generator(instance, number).random((instance["cities"], 2)))
            yield matrix, shortest_possible(matrix)
        else:
            yield distances(random_cities(instance["first_seed"] + number, instance["cities"])), proven


def evaluate(instance, candidate):
    """The mean gap in percent."""
    gaps, penalties, edges, trails = [], [], [], []
    for matrix, reference in problems(instance):
        try:
            length, guide = search(candidate, matrix, instance["iterations"])
        except Malformed as error:
            return invalid(str(error))
        gaps.append(100 * (length / reference - 1))
        penalties.append(guide.count / instance["iterations"])
        edges.append(len(guide.edges))
        trails.append(guide.trail)
    metrics = {f"gap_{index}": gap for index, gap in enumerate(gaps)}
    metrics["penalised_per_call"] = math.fsum(penalties) / len(penalties)
    metrics["penalised_edges"] = math.fsum(edges) / len(edges)
    return answer(True, math.fsum(gaps) / len(gaps), {**metrics, **trail_metrics(trails)}, [])


def evaluate_hidden(instance, candidate):
    """Other cities, drawn in the same way; reported only."""
    return evaluate(instance, candidate)
