# The scorer's side inside its trusted container: it gets the task's evaluator at boot, then with each request one
# solution, or one candidate to talk to. It never sees candidate code. This text stands behind resident.py, wire.py and
# candidate.py.
import linecache, math, types

boot = read_frame()
os.environ.update(boot["env"])
support = types.ModuleType("candidate")
support.CandidateError, support.WireError = CandidateError, WireError
sys.modules["candidate"] = support
for module in boot["library"]:
    made = types.ModuleType(module["name"])
    name = f"<library {module['name']}>"
    linecache.cache[name] = (len(module["source"]), None, module["source"].splitlines(True), name)
    sys.modules[module["name"]] = made
    exec(compile(module["source"], name, "exec"), made.__dict__)
space = {"__name__": "evaluator"}
exec(compile(boot["evaluator"], "<evaluator>", "exec"), space)


def simple(value):
    # The host knows numbers of 64 bits only: a larger one is infinite there, and an answer that it cannot read stops the run.
    if isinstance(value, int) and abs(value) >= 2**1023:
        return "a whole number of more than 300 digits"
    if isinstance(value, (bool, str, int)):
        return value
    if not isinstance(value, float) and hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, (bool, int)) or isinstance(value, float) and math.isfinite(value) else str(value)


def refused(reason, failure=None):
    return {"valid": False, "score": None, "metrics": {}, "reasons": [reason[:300]], "failure": failure}


def judged(result):
    raw = simple(result["score"])
    finite = isinstance(raw, (int, float)) and not isinstance(raw, bool) and math.isfinite(raw)
    reasons = [str(reason)[:300] for reason in result["reasons"]][:20]
    if result["valid"] and not finite:
        reasons.append(f"expected a finite score, got {raw!r}"[:300])
    return {
        "valid": bool(result["valid"]) and finite,
        "score": float(raw) if finite else None,
        "metrics": {str(name): simple(value) for name, value in result["metrics"].items()},
        "reasons": reasons,
        "failure": None,
    }


def score(solution):
    try:
        return judged(space["evaluate"](dict(boot["instance"]), solution))
    except Exception as error:
        return refused(f"the evaluator failed: {type(error).__name__}: {error}")


def judge(extra, out):
    """Talks to a candidate: the reference, where the task is timed, is the task's own initial program in a container beside it."""
    candidate = Candidate(out)
    candidate.reference = Candidate(out, beside=True)
    name = "evaluate_hidden" if extra.pop("holdout", False) else "evaluate"
    if name not in space:
        return refused("this task has no hidden evaluation")
    try:
        return judged(space[name]({**boot["instance"], **extra}, candidate))
    except CandidateError as error:
        return refused(str(error), error.kind)
    except Exception as error:
        return refused(f"the evaluator failed: {type(error).__name__}: {error}")


serve(lambda ask, out: judge(ask["extra"], out) if "extra" in ask else score(ask["solution"]))
