"""Takes what a person's evaluator gave in the program's container (harness.py), which nothing has checked, and says whether it is a score.

A failure is never a score, however it is told. Where several numbers are there and none is called score, the task has to say which one counts.
"""
from candidate import failure

NAMES = ("combined_score", "score")


def score_name(wanted, numbers, odd):
    """The name of the score among what came, or a refusal."""
    if wanted is not None:
        return (wanted, None) if wanted in numbers or wanted in odd else (None, f"expected a number named {wanted}, got {', '.join([*numbers, *odd][:20]) or 'none'}")
    named = next((name for name in NAMES if name in numbers or name in odd), None)
    if named is not None:
        return named, None
    open_names = [name for name in numbers if name != "error"]
    if len(open_names) == 1:
        return open_names[0], None
    if not open_names:
        return None, f"expected a number as score, got {', '.join(f'{name}: {what}' for name, what in list(odd.items())[:10]) or 'none'}"
    return None, f"which number is the score: {', '.join(open_names[:20])}? Name it in task.yaml: evaluate: {{score: {open_names[0]}}}"


def evaluate(instance, candidate):
    claim = candidate.call({}).value
    if not isinstance(claim, dict) or "refused" in claim or set(claim) != {"metrics", "odd", "texts", "artifacts"}:
        reason = claim.get("refused", "expected a claim") if isinstance(claim, dict) else "expected a claim"
        return {"valid": False, "score": None, "metrics": {}, "reasons": [str(reason)]}
    metrics, odd, texts = claim["metrics"], claim["odd"], claim["texts"]
    numbers = {name: value for name, value in metrics.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
    name, refusal = score_name(instance["evaluate"].get("score"), {key: value for key, value in numbers.items() if key not in odd}, odd)
    reason = failure(metrics) or refusal or (f"{name} is {odd[name]}: expected a finite number" if name in odd else None)
    rest = {key: value for key, value in metrics.items() if key != name}
    if reason is not None:
        # An error in words is the reason.
        rest = {key: value for key, value in rest.items() if key != "error" or not isinstance(value, str)}
        return {"valid": False, "score": None, "metrics": rest, "reasons": [reason, *texts], "artifacts": claim["artifacts"]}
    return {"valid": True, "score": numbers[name], "metrics": rest, "reasons": texts, "artifacts": claim["artifacts"]}
