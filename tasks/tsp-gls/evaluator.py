"""Guided local search on the travelling salesman, steered by a program (reference `tasks`, 4.6; CodeEvolve, EoH).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The program sees copies of distances, tour and penalties and answers with a
matrix; tours and their lengths are the evaluator's own.
"""
import math

import numpy as np
from form import answer, invalid
from tours import distances, guided_search, random_cities, tour_length

CALL_SECONDS = 20
LARGEST = 1e9


class Malformed(Exception):
    """An answer is no matrix of the asked form; says what was expected."""


class Guide:
    """Asks the program for guided matrices, and counts penalties."""

    def __init__(self, candidate, matrix):
        self.candidate, self.matrix = candidate, matrix
        self.new, self.count, self.edges = [], 0, set()
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


def search(candidate, points, iterations):
    """(length of the best tour, the guide)."""
    matrix = distances(points)
    guide = Guide(candidate, matrix)
    return tour_length(matrix, guided_search(matrix, guide, guide.penalise, iterations)), guide


def searched(instance, candidate, problems):
    """The mean gap in percent over problems: (points, reference length)."""
    gaps, penalties, edges = [], [], []
    for points, reference in problems:
        try:
            length, guide = search(candidate, points, instance["iterations"])
        except Malformed as error:
            return invalid(str(error))
        gaps.append(100 * (length / reference - 1))
        penalties.append(guide.count / instance["iterations"])
        edges.append(len(guide.edges))
    metrics = {f"gap_{index}": gap for index, gap in enumerate(gaps)}
    metrics["penalised_per_call"] = math.fsum(penalties) / len(penalties)
    metrics["penalised_edges"] = math.fsum(edges) / len(edges)
    return answer(True, math.fsum(gaps) / len(gaps), metrics, [])


def cities(instance, first_seed, lengths):
    return [(random_cities(first_seed + j, instance["cities"]), length) for j, length in enumerate(lengths)]


def evaluate(instance, candidate):
    return searched(instance, candidate, cities(instance, instance["first_seed"], instance["reference_lengths"]))


def evaluate_hidden(instance, candidate):
    """Other cities, numbered in an order drawn from hidden_seed; reported only."""
    order = np.random.default_rng(instance["hidden_seed"]).permutation(instance["cities"])
    other = cities(instance, instance["other_first_seed"], instance["other_reference_lengths"])
    return searched(instance, candidate, [(points[order], length) for points, length in other])
