"""Fits the parameters of a program's formula to an oscillator's acceleration (reference `tasks`, 4.2; DeltaEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The parameters are fitted here; the program only computes the formula, for
one row whatever rows stand beside it. The oscillator and its states are drawn from the hidden key.
What it comes to on rows that were held out is for evaluate_hidden alone: no program is told, and none is ranked by it.
"""
import math

import numpy as np
from candidate import CandidateError
from draws import generator
from form import answer, invalid, row
from oscillator import data, drawn
from scipy.optimize import minimize

PARAMETERS = 10
FLOOR = 1e-9
FIRST_SECONDS, CALL_SECONDS = 5, 30
TRIAL_ROWS = 5
ALONE, SAME = 8, 1e-9
VARIABLES, THIRDS, BINS = "xtv", 3, 40


class Unusable(Exception):
    """The formula gave no usable numbers; says what was expected."""


class Formula:
    """The program's function on rows that it was sent once; every call gets fresh copies of them."""

    def __init__(self, candidate):
        self.candidate, self.rows = candidate, {}

    def send(self, name, rows):
        self.candidate.call({"name": name, "rows": rows}, seconds=CALL_SECONDS)
        self.rows[name] = len(rows)

    def __call__(self, name, params, seconds=CALL_SECONDS):
        value = self.candidate.call({"name": name, "params": params}, seconds=seconds).value
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fi" or value.shape != (self.rows[name],):
            raise Unusable(f"expected {self.rows[name]} real numbers for {self.rows[name]} rows")
        return value.astype(float)


    def each_row_by_itself(self, name, rows, params):
        """Raises Unusable where an answer changes with the other rows of the call: all in another order, and some alone."""
        values = self(name, params)
        order = np.random.default_rng(len(rows)).permutation(len(rows))
        for chosen in [order, *order[:ALONE, None]]:
            self.send("again", rows[chosen])
            apart = np.abs(self("again", params) - values[chosen]).max()
            if not apart <= SAME * (1 + np.abs(values).max()):
                raise Unusable(f"expected the same acceleration for a row whatever other rows are in the call, got one that differs by {apart:.3g}")


def mean_square(prediction, target):
    with np.errstate(over="ignore"):
        error = float(np.mean((prediction - target) ** 2))
    return error if math.isfinite(error) else 1e300


def digits(error):
    return -math.log10(error + FLOOR)


def fit(formula, name, target, starts):
    """The best of BFGS runs from seeded starts: (mean square error, parameters, whether each was moved: the formula uses no other)."""
    starts = [np.random.default_rng(k).random(PARAMETERS) for k in range(starts)]
    runs = [minimize(lambda p: mean_square(formula(name, p), target), start, method="BFGS") for start in starts]
    best, start = min(zip(runs, starts), key=lambda pair: pair[0].fun)
    return float(best.fun), best.x, best.x != start


def fitted(instance, formula, parts):
    """What fit() gives on the training rows; raises Unusable."""
    formula.send("trial", parts["train"][0][:TRIAL_ROWS])
    formula("trial", np.ones(PARAMETERS), FIRST_SECONDS)
    rows, target = parts["train"]
    formula.send("train", rows)
    error, params, moved = fit(formula, "train", target, instance["starts"])
    formula.each_row_by_itself("train", rows, params)
    return error, params, moved


def parts_of(instance):
    """Rows and accelerations by part: of the published motion, which every program can compute, or drawn."""
    return data() if instance["published"] else drawn(generator(instance))


def residual_metrics(rows, residuals):
    """By variable: the root mean square of the residuals in the thirds of its range, and the share of their variance that their means in narrow bins have."""
    metrics, explained = {}, []
    for name, values in zip(VARIABLES, rows.T):
        places = (values - values.min()) / (np.ptp(values) + 1e-12)
        thirds = [residuals[(places * THIRDS).astype(int) == third] for third in range(THIRDS)]
        metrics[f"rms_by_{name}"] = row(math.sqrt(mean_square(third, 0.0)) for third in thirds)
        bins = (places * BINS).astype(int)
        means = np.bincount(bins, residuals) / np.maximum(np.bincount(bins), 1)
        explained.append(float(np.var(means[bins]) / max(np.var(residuals), 1e-300)))
    return {**metrics, "explained_by": row(explained, 2)}


def evaluate(instance, candidate):
    parts, formula = parts_of(instance), Formula(candidate)
    try:
        error, params, moved = fitted(instance, formula, parts)
        rows, target = parts["train"]
        residuals = formula("train", params) - target
    except Unusable as error:
        return invalid(str(error))
    return answer(True, digits(error), {"mse": error, "fitted": row(np.where(moved, params, 0.0)), **residual_metrics(rows, residuals)}, [])


def evaluate_hidden(instance, candidate):
    """The same fit on rows that it has not seen: in the range of the training rows (the score), and beyond it; reported only."""
    parts, formula = parts_of(instance), Formula(candidate)
    try:
        _, params, _ = fitted(instance, formula, parts)
        for name in ("test", "ood"):
            formula.send(name, parts[name][0])
        test, ood = (digits(mean_square(formula(name, params), parts[name][1])) for name in ("test", "ood"))
    except Unusable as error:
        return invalid(str(error))
    return answer(True, test, {"neg_log10_mse_ood": ood}, [])
