# The scorer's side inside its trusted container: it gets the task's evaluator at boot, then with each request one
# solution, or one candidate to talk to. It never sees candidate code. This text stands behind resident.py, wire.py,
# values.py, artifacts.py and candidate.py.
import linecache

boot = read_frame()
os.environ.update(boot["env"])
support = types.ModuleType("candidate")
support.CandidateError, support.WireError, support.failure = CandidateError, WireError, failure
sys.modules["candidate"] = support
for module in boot["library"]:
    made = types.ModuleType(module["name"])
    name = f"<library {module['name']}>"
    linecache.cache[name] = (len(module["source"]), None, module["source"].splitlines(True), name)
    sys.modules[module["name"]] = made
    exec(compile(module["source"], name, "exec"), made.__dict__)
space = {"__name__": "evaluator"}
exec(compile(boot["evaluator"], "<evaluator>", "exec"), space)


def refused(reason, failure=None):
    return {"valid": False, "score": None, "metrics": {}, "reasons": [reason[:300]], "artifacts": [], "failure": failure}


def judged(result):
    if is_number(unboxed(result)):
        result = {"valid": True, "score": result}
    if not isinstance(result, dict):
        return refused(f"the evaluator gave {said(result)}: expected a dict with valid, score, metrics and reasons")
    raw, valid = unboxed(result.get("score")), unboxed(result["valid"])
    metrics = {str(name): metric(unboxed(value)) for name, value in (result.get("metrics") or {}).items()}
    reasons = result.get("reasons") or []
    reasons = [str(reason)[:300] for reason in ([reasons] if isinstance(reasons, str) else reasons)][:20]
    wrong = None
    if not (isinstance(valid, (bool, int, float)) and valid in (0, 1)):
        wrong = f"valid is {said(valid)}: expected True or False"
    elif valid:
        wrong = failure({**metrics, **{name: unboxed(value) for name, value in result.items()}})
        wrong = wrong or (None if is_finite(raw) else f"expected a finite score, got {said(raw)}")
    return {
        "valid": wrong is None and bool(valid),
        "score": float(raw) if is_finite(raw) else None,
        "metrics": metrics,
        "reasons": [*reasons, *([] if wrong is None else [wrong[:300]])],
        "artifacts": artifacts_of(result.get("artifacts")),
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
        verdict = judged(space[name]({**boot["instance"], **extra}, candidate))
        # What hidden instances show is for nobody.
        return verdict if name == "evaluate" else {**verdict, "artifacts": []}
    except CandidateError as error:
        return refused(str(error), error.kind)
    except Exception as error:
        return refused(f"the evaluator failed: {type(error).__name__}: {error}")


serve(lambda ask, out: judge(ask["extra"], out) if "extra" in ask else score(ask["solution"]))
