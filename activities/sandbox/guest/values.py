# What evaluators give as scores and metrics, read in one way: by scorer.py for evaluators apart, and by script/outcome.py
# beside the program. This text stands before both.
import decimal, math, numbers, reprlib, types

NAMED = {types.FunctionType: "a function", types.GeneratorType: "a generator", types.AsyncGeneratorType: "a generator", types.ModuleType: "a module", complex: "a complex number", type(None): "nothing"}
HUGE = "a whole number of more than 300 digits"
FLAGS = ("correct", "valid", "success")
VALIDITY = ("valid", "is_valid", "validity")
FAILED = ("error", "failed", "failure", "fail", "timeout", "invalid", "crashed")
short = reprlib.Repr()
short.maxstring = short.maxother = 200


def unboxed(value):
    """A scalar of numpy, torch or decimal, or the one number of an array, as Python's own; anything else as it is."""
    try:
        # numpy gives 0 for a number that is masked.
        if type(value).__name__ == "MaskedConstant":
            return value
        if callable(getattr(value, "item", None)):
            value = value.item()
        if isinstance(value, (decimal.Decimal, numbers.Real)) and not isinstance(value, (int, float)):
            return float(value)
    except Exception:
        pass
    return value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_finite(value):
    """The host knows numbers of 64 bits only: a larger one is infinite there."""
    return is_number(value) and abs(value) < 2**1023 and math.isfinite(value)


def said(value):
    kind = type(value)
    if isinstance(value, str):
        return f"the text {short.repr(value)}"
    if isinstance(value, (float, bool)):
        return str(value)
    return HUGE if isinstance(value, int) else NAMED.get(kind) or f"a {kind.__name__}"


def metric(value):
    """A finite number, a text or a boolean as it is; anything else as a short text, so that nothing is dropped."""
    if is_finite(value):
        return float(value) if isinstance(value, float) else int(value)
    if isinstance(value, (bool, str)):
        return value
    return str(value) if isinstance(value, float) else said(value) if isinstance(value, int) else short.repr(value)


def failure(metrics):
    """The evaluator's own word that the program failed, or None."""
    error = metrics.get("error")
    if isinstance(error, str) and error.strip():
        return error.strip()
    flag = next((name for name in (*FLAGS, *VALIDITY) if metrics.get(name) is False or name in VALIDITY and metrics.get(name) == 0), None)
    if flag is not None:
        return f"the evaluator says {flag}: {str(metrics[flag]).lower()}"
    if metrics.get("timeout") is True:
        return "the evaluator says timeout: true"
    status = metrics.get("status")
    return f"the evaluator says status: {status}" if isinstance(status, str) and status.lower() in FAILED else None
