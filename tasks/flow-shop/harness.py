"""The program's side: holds the times of the present shop, so that a call carries one sequence. Nothing here is trusted; makespans are the
evaluator's own.

Requests: {"times": matrix} begins a shop; {"sequence": jobs} gives {"matrix", "jobs"}.
"""
import numpy as np

times = np.zeros((0, 0))


def invoke(function, request, ask):
    global times
    if "times" in request:
        times = request["times"].astype(float)
        return None
    n, m = times.shape
    matrix, jobs = function(request["sequence"], times.copy(), m, n)
    matrix = np.asarray(matrix)
    if matrix.dtype.kind not in "fiu":
        raise ValueError(f"expected a matrix of numbers, got {matrix.dtype}")
    jobs = np.asarray(jobs)
    if jobs.dtype.kind not in "iu" or jobs.ndim != 1:
        raise ValueError(f"expected a list of integers as jobs, got {jobs.ndim} dimensions of {jobs.dtype}")
    return {"matrix": matrix.astype(float), "jobs": jobs.tolist()}
