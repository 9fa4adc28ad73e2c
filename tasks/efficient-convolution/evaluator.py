"""Times a program's full 2-D convolution on fresh inputs against direct convolution (reference `tasks`, 4.4; DeltaEvolve).

evaluate(instance, candidate) -> {valid, score, metrics, reasons}. The clock is the host's, from the first input byte to the last output byte;
the reference is the task's own initial program in a second container on the same core, timed in turn. The same container also answers requests
of the same size without computing anything, and the least time of these, the pipe's own, is taken off every other.
"""
import math

import numpy as np
from candidate import CandidateError
from draws import generator
from form import answer, invalid
from scipy.signal import oaconvolve

CORRECT, SPEED, RELIABLE = 0.7, 0.2, 0.1
TIMED = 3
LEAST_MS = 0.001
CALL_SECONDS = 60
TOLERANCE, NOTHING = 1e-6, 1e-12


def draw(source, n):
    """(a [f x 30n, 30n], b [f x 8n, 8n]), standard normal."""
    return source.standard_normal((30 * n, 30 * n)), source.standard_normal((8 * n, 8 * n))


def convolve(a, b):
    """The full convolution with zeros outside, [f x ra+rb-1, ca+cb-1]."""
    return oaconvolve(a, b, mode="full")


def wrong(output, a, b, errors):
    """What keeps an output from being the convolution within the tolerance; None when nothing does. Its error, as a share of the norm, joins `errors`."""
    shape = (a.shape[0] + b.shape[0] - 1, a.shape[1] + b.shape[1] - 1)
    if not isinstance(output, np.ndarray) or output.dtype.kind not in "fi" or output.shape != shape:
        return f"expected {shape[0]} x {shape[1]} real numbers"
    expected = convolve(a, b)
    errors.append(float(np.linalg.norm(output - expected) / (np.linalg.norm(expected) + NOTHING)))
    return None if errors[-1] <= TOLERANCE else f"expected an error of at most {TOLERANCE:g} of the norm, got {errors[-1]:.3g}"


class Trials:
    """Timed calls of one program, each with inputs that no call has seen before."""

    def __init__(self, program, source, n):
        self.program, self.source, self.n, self.errors = program, source, n, []

    def call(self):
        """(milliseconds, what is wrong with the output or None); raises CandidateError."""
        a, b = draw(self.source, self.n)
        given = self.program.call({"a": a, "b": b}, seconds=CALL_SECONDS)
        return given.wall_ms, wrong(given.value, a, b, self.errors)

    def nothing(self):
        """Milliseconds of an empty program, which are the pipe's."""
        a, b = draw(self.source, self.n)
        return self.program.call({"a": a, "b": b, "empty": True}, seconds=CALL_SECONDS).wall_ms


def trial(own, reference, warm):
    """(ms of the program, ms of the reference, ms of nothing): the least of a few, one after the other; or what is wrong."""
    times = []
    for _ in range(TIMED + warm):
        ms, error = own.call()
        if error:
            return None, error
        times.append((ms, reference.call()[0], reference.nothing()))
    return tuple(min(column) for column in zip(*times[warm:])), None


def without_pipe(times):
    """([ms of the program, ms of the reference] of each trial, ms of the pipe). The pipe's is its least time of all trials, so that nobody is given more
    than it took; LEAST_MS stands for what is below the clock."""
    pipe = min(nothing for _, _, nothing in times)
    return [[max(LEAST_MS, ms - pipe) for ms in pair[:2]] for pair in times], pipe


def evaluate(instance, candidate):
    n, trials = instance["n"], instance["trials"]
    own = Trials(candidate, generator(instance, 1), n)
    reference = Trials(candidate.reference, generator(instance, 2), n)
    times, reasons = [], []
    for index in range(trials):
        try:
            pair, error = trial(own, reference, 1 if index == 0 else 0)
        except CandidateError as failed:
            reasons.append(f"trial {index}: {failed}")
            if candidate.gone:
                break
            continue
        if error:
            return invalid(f"trial {index}: {error}")
        times.append(pair)
    if not times:
        return invalid(*(reasons or ["no trial was answered"]))
    times, pipe = without_pipe(times)
    milliseconds = math.fsum(ms for ms, _ in times) / len(times)
    speed = math.fsum(1 / (1 + ms) for ms, _ in times) / trials
    score = CORRECT + SPEED * speed + RELIABLE * len(times) / trials
    metrics = {
        "milliseconds": milliseconds, "speedup": math.fsum(direct for _, direct in times) / math.fsum(ms for ms, _ in times),
        "reliability": len(times) / trials, "pipe_milliseconds": pipe, "slowest_milliseconds": round(max(ms for ms, _ in times), 3),
        "largest_error": float(f"{max(own.errors):.2g}"),
    }
    return answer(True, score, metrics, reasons)
