"""Runs a search on five black boxes and counts for itself (reference `tasks`, 4.1; DeltaEvolve D.1): the first is the gate, the others are scored.

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The best value and the number of evaluations are the evaluator's own;
what the program returns is ignored. Metrics and reasons name the functions by number, for models read them and a name would tell a
function. Where the optimum lies, how the function is turned and what is added to its values are drawn.
"""
import math

import numpy as np
from bbob import draw, make
from candidate import CandidateError
from draws import generator
from form import answer, invalid, row

CASE_SECONDS = 60
VALUE_WEIGHT, THRIFT_WEIGHT = 0.7, 0.3
LOW, HIGH = -5.0, 5.0
LARGEST_SHIFT = 1000.0


class Oracle:
    """Answers a program's evaluations of one problem: keeps the best value after each, refuses what is outside the box or beyond the budget."""

    def __init__(self, problem, shift, dimension, budget):
        self.problem, self.shift, self.dimension, self.budget = problem, shift, dimension, budget
        self.bests = []

    def __call__(self, message):
        x = message.get("x") if isinstance(message, dict) else None
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or x.shape != (self.dimension,):
            return {"error": f"expected {self.dimension} numbers"}
        if (x < LOW).any() or (x > HIGH).any():
            return {"error": "expected a point with every coordinate in [-5, 5]"}
        if len(self.bests) >= self.budget:
            return {"error": f"the budget of {self.budget} evaluations is used up"}
        value = self.problem.value(x)
        self.bests.append(min([value, *self.bests[-1:]]))
        return {"value": value + self.shift}


def problem_of(case, number, instance):
    """(problem, what is added to its values): the published instance where it is fixed, else drawn for this case."""
    if instance["fixed"]:
        return make(case["fid"], case["dimension"], case["number"]), 0.0
    draws = generator(instance, number)
    return draw(case["fid"], case["dimension"], case["number"], draws), float(draws.uniform(-LARGEST_SHIFT, LARGEST_SHIFT))


def search(candidate, case, number, instance):
    """(the case's oracle, which has the best values on the published scale, what went wrong or None) of one case."""
    problem, shift = problem_of(case, number, instance)
    oracle = Oracle(problem, shift, case["dimension"], instance["budget"])
    request = {"dimension": case["dimension"], "budget": instance["budget"], "seed": instance["case_seed"]}
    try:
        candidate.call(request, on_ask=oracle, seconds=CASE_SECONDS)
    except CandidateError as error:
        return oracle, str(error)
    return oracle, None if oracle.bests else "no point was evaluated"


def case_score(best, used, v_ref, budget):
    delta = (v_ref - best) / abs(v_ref)
    value = 1 + delta if best <= v_ref else 1 / (1 + abs(delta))
    return VALUE_WEIGHT * value + THRIFT_WEIGHT * max(0.0, 1 - used / budget)


def progress(oracles):
    """Where each search stood still: its evaluations, the one that found its best value, and the share of its gain that the last fifth of them brought."""
    bests = [oracle.bests or [0.0] for oracle in oracles]
    last_fifth = [values[4 * len(values) // 5] - values[-1] for values in bests]
    return {
        "used_by_case": row(len(oracle.bests) for oracle in oracles),
        "best_at_by_case": row(values.index(values[-1]) + 1 for values in bests),
        "late_gain_by_case": row((gain / (values[0] - values[-1]) if gain else 0 for gain, values in zip(last_fifth, bests)), 2),
    }


def evaluate(instance, candidate):
    scores, metrics, reasons, oracles = [], {}, [], []
    for number, case in enumerate(instance["cases"]):
        oracle, wrong = search(candidate, case, number, instance)
        oracles.append(oracle)
        if wrong and not scores:
            return invalid(f"function 1, which must run cleanly: {wrong}")
        scores.append(0.0 if wrong else case_score(oracle.bests[-1], len(oracle.bests), case["v_ref"], instance["budget"]))
        metrics[f"case_{number + 1}"] = scores[-1]
        if wrong:
            reasons.append(f"function {number + 1} scores 0: {wrong}")
    metrics["used_share"] = sum(len(oracle.bests) for oracle in oracles) / (instance["budget"] * len(scores))
    _gate, *ranked = scores
    return answer(True, math.fsum(ranked) / len(ranked), {**metrics, **progress(oracles)}, reasons)


def evaluate_hidden(instance, candidate):
    """The same cases, drawn once more, where the score is on the published functions too; reported only."""
    return evaluate({**instance, "fixed": False}, candidate)
