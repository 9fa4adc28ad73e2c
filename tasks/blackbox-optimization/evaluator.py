"""Runs a search on five black boxes and counts for itself (reference `tasks`, 4.1; DeltaEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The best value and the number of evaluations are the evaluator's own;
what the program returns is ignored. Metrics and reasons name the functions by number, for models read them and a name would tell a
function. Where the optimum lies, how the function is turned and what is added to its values are drawn.
"""
import math

import numpy as np
from bbob import draw, make
from candidate import CandidateError
from draws import generator
from form import answer, invalid

CASE_SECONDS = 60
VALUE_WEIGHT, THRIFT_WEIGHT = 0.7, 0.3
LOW, HIGH = -5.0, 5.0
LARGEST_SHIFT = 1000.0


class Oracle:
    """Answers a program's evaluations of one problem: counts them, refuses what is outside the box or beyond the budget."""

    def __init__(self, problem, shift, dimension, budget):
        self.problem, self.shift, self.dimension, self.budget = problem, shift, dimension, budget
        self.used, self.best = 0, math.inf

    def __call__(self, message):
        x = message.get("x") if isinstance(message, dict) else None
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or x.shape != (self.dimension,):
            return {"error": f"expected {self.dimension} numbers"}
        if (x < LOW).any() or (x > HIGH).any():
            return {"error": "expected a point with every coordinate in [-5, 5]"}
        if self.used >= self.budget:
            return {"error": f"the budget of {self.budget} evaluations is used up"}
        self.used += 1
        value = self.problem.value(x)
        self.best = min(self.best, value)
        return {"value": value + self.shift}


def problem_of(case, number, instance):
    """(problem, what is added to its values): the published instance where it is fixed, else drawn for this case."""
    if instance["fixed"]:
        return make(case["fid"], case["dimension"], case["number"]), 0.0
    draws = generator(instance, number)
    return draw(case["fid"], case["dimension"], case["number"], draws), float(draws.uniform(-LARGEST_SHIFT, LARGEST_SHIFT))


def search(candidate, case, number, instance):
    """(best value on the published scale, evaluations, what went wrong or None) of one case."""
    problem, shift = problem_of(case, number, instance)
    oracle = Oracle(problem, shift, case["dimension"], instance["budget"])
    request = {"dimension": case["dimension"], "budget": instance["budget"], "seed": instance["case_seed"]}
    try:
        candidate.call(request, on_ask=oracle, seconds=CASE_SECONDS)
    except CandidateError as error:
        return oracle.best, oracle.used, str(error)
    return oracle.best, oracle.used, None if oracle.used > 0 else "no point was evaluated"


def case_score(best, used, v_ref, budget):
    delta = (v_ref - best) / abs(v_ref)
    value = 1 + delta if best <= v_ref else 1 / (1 + abs(delta))
    return VALUE_WEIGHT * value + THRIFT_WEIGHT * max(0.0, 1 - used / budget)


def evaluate(instance, candidate):
    scores, metrics, reasons, used = [], {}, [], 0
    for number, case in enumerate(instance["cases"]):
        best, count, wrong = search(candidate, case, number, instance)
        used += count
        if wrong and not scores:
            return invalid(f"function 1, which must run cleanly: {wrong}")
        scores.append(0.0 if wrong else case_score(best, count, case["v_ref"], instance["budget"]))
        metrics[f"case_{number + 1}"] = scores[-1]
        if wrong:
            reasons.append(f"function {number + 1} scores 0: {wrong}")
    metrics["used_share"] = used / (instance["budget"] * len(scores))
    return answer(True, math.fsum(scores) / len(scores), metrics, reasons)


def evaluate_hidden(instance, candidate):
    """The same cases, drawn once more; reported only."""
    return evaluate(instance, candidate)
