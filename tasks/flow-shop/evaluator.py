"""Iterated local search in permutation flow shops, perturbed by a program (reference `tasks`, 4.7; CodeEvolve, EoH).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The program sees copies of sequence and times and answers with a matrix and
with jobs; sequences and makespans are the evaluator's own. The times are drawn from the hidden key, and makespans are told on the scale of the
published shops.
"""
import math

import numpy as np
from draws import generator
from form import answer, integer_error, invalid
from makespans import Shop, improve_all, improve_jobs, lower_bound, neh
from taillard import LONGEST, instance as taillard_instance, processing_times
from trails import trail_metrics

CALL_SECONDS = 20
RETURN_EVERY = 50
# EoH's programs name five or ten jobs, single ones where few are left.
LEAST_JOBS, MOST_JOBS = 1, 10
LARGEST = 1e9
TAILLARD_SHOPS = 10
GRAIN = 2**20


class Malformed(Exception):
    """An answer is not of the asked form; says what was expected."""


def jobs_error(jobs, n):
    if not isinstance(jobs, list) or not LEAST_JOBS <= len(jobs) <= MOST_JOBS:
        return f"expected a list of {LEAST_JOBS} to {MOST_JOBS} jobs"
    error = next((found for found in (integer_error(job, "jobs", 0, n - 1) for job in jobs) if found), None)
    return error or (None if len(set(jobs)) == len(jobs) else "expected different jobs")


def checked(given, shape):
    """(matrix, jobs) of an answer; raises Malformed."""
    if not isinstance(given, dict) or set(given) != {"matrix", "jobs"}:
        raise Malformed("expected a matrix and jobs")
    matrix, jobs = given["matrix"], given["jobs"]
    if not isinstance(matrix, np.ndarray) or matrix.dtype.kind != "f" or matrix.shape != shape:
        raise Malformed(f"expected a matrix of {shape[0]} x {shape[1]} numbers")
    if matrix.min() < 0 or matrix.max() > LARGEST:
        raise Malformed(f"expected numbers from 0 to {LARGEST:g} in the matrix")
    error = jobs_error(jobs, shape[0])
    if error:
        raise Malformed(error)
    return matrix, jobs


def search(candidate, times, iterations):
    """(makespans after each pass, NEH's, mean relative change of a time, mean number of jobs). Times are told in multiples of 2**-20: every sum is exact."""
    shop = Shop(times)
    candidate.call({"times": times}, seconds=CALL_SECONDS)
    sequence, makespan = neh(shop)
    best, shortest, start = sequence, makespan, makespan
    changes, chosen, trail = [], 0, []
    for iteration in range(1, iterations + 1):
        sequence, makespan = improve_all(shop, sequence, shop.makespan(sequence))
        trail.append(makespan)
        if makespan < shortest:
            best, shortest = sequence, makespan
        matrix, jobs = checked(candidate.call({"sequence": sequence}, seconds=CALL_SECONDS).value, times.shape)
        changes.append(float(np.abs(matrix - times).sum()) / float(times.sum()))
        chosen += len(jobs)
        sequence = improve_jobs(Shop(np.rint(matrix * GRAIN)), sequence, jobs)
        if iteration % RETURN_EVERY == 0:
            sequence = best
    return trail, start, math.fsum(changes) / iterations, chosen / iterations


def searched(candidate, problems, iterations, scale=None):
    """(makespans, metrics) over problems: times [i x n x m]. Makespans are told as if NEH's were those of `scale`, or as they are."""
    found = [search(candidate, times, iterations) for times in problems]
    scale = scale or [start for _, start, _, _ in found]
    makespans = [min(trail) * known / start for (trail, start, _, _), known in zip(found, scale)]
    bounds = [lower_bound(times) * known / start for times, (_, start, _, _), known in zip(problems, found, scale)]
    metrics = {f"makespan_{index}": makespan for index, makespan in enumerate(makespans)}
    metrics["gap_to_bound_pct"] = 100 * math.fsum(made / bound - 1 for made, bound in zip(makespans, bounds)) / len(found)
    metrics["change"] = math.fsum(change for _, _, change, _ in found) / len(found)
    metrics["jobs_per_call"] = math.fsum(chosen for _, _, _, chosen in found) / len(found)
    return makespans, {**metrics, **trail_metrics([trail for trail, _, _, _ in found])}


def shops(instance):
    """The times [i x n x m] of each shop, uniform in 1..99."""
    jobs, first = instance["jobs"], instance["first_time_seed"]
    if first is not None:
        return [processing_times(jobs, machines, first + j) for j, machines in enumerate(instance["machines"])]
    return [generator(instance, j).integers(1, LONGEST + 1, (jobs, machines)) for j, machines in enumerate(instance["machines"])]


def evaluate_taillard(instance, candidate):
    """One of Taillard's sets of ten shops, with the gap to their upper bounds in percent (CodeEvolve, Table 5)."""
    known = [taillard_instance(instance["taillard"], number) for number in range(TAILLARD_SHOPS)]
    makespans, metrics = searched(candidate, [times for times, _, _ in known], instance["iterations"])
    gaps = [100 * (made / upper - 1) for made, (_, upper, _) in zip(makespans, known)]
    metrics["gap_to_upper_pct"] = math.fsum(gaps) / len(gaps)
    return answer(True, math.fsum(makespans) / len(makespans), metrics, [])


def evaluate(instance, candidate):
    try:
        if instance.get("taillard"):
            return evaluate_taillard(instance, candidate)
        makespans, metrics = searched(candidate, shops(instance), instance["iterations"], instance["neh"])
    except Malformed as error:
        return invalid(str(error))
    return answer(True, math.fsum(makespans) / len(makespans), metrics, [])


def evaluate_hidden(instance, candidate):
    """Other shops, drawn in the same way, then the first shops of sets of Taillard's with their upper bounds; reported only."""
    known = [taillard_instance(name, 0) for name in instance["taillard_sets"]]
    try:
        makespans, metrics = searched(candidate, shops(instance), instance["iterations"], instance["neh"])
        others = [min(search(candidate, times, instance["iterations"])[0]) for times, _, _ in known]
    except Malformed as error:
        return invalid(str(error))
    gaps = [100 * (made / upper - 1) for made, (_, upper, _) in zip(others, known)]
    metrics["taillard_gap_pct"] = math.fsum(gaps) / len(gaps)
    return answer(True, math.fsum(makespans) / len(makespans), metrics, [])
