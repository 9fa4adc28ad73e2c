# The scorer's side inside its trusted container (scorer.ts): gets the task's evaluator at boot, then one solution per request.
# It never sees candidate code.
import math

boot = read_frame()
space = {"__name__": "evaluator"}
exec(compile(boot["evaluator"], "<evaluator>", "exec"), space)


def simple(value):
    if isinstance(value, (bool, str, int)):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def score(solution):
    try:
        result = space["evaluate"](boot["instance"], solution)
    except Exception as error:
        return {"valid": False, "score": None, "metrics": {}, "reasons": [f"the evaluator failed: {type(error).__name__}: {error}"[:300]]}
    raw = result["score"]
    finite = isinstance(raw, (int, float)) and not isinstance(raw, bool) and math.isfinite(raw)
    reasons = [str(reason)[:300] for reason in result["reasons"]][:20]
    if result["valid"] and not finite:
        reasons.append(f"expected a finite score, got {raw!r}"[:300])
    return {
        "valid": bool(result["valid"]) and finite,
        "score": float(raw) if finite else None,
        "metrics": {str(name): simple(value) for name, value in result["metrics"].items()},
        "reasons": reasons,
    }


serve(score)
