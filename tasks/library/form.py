"""Checks of a solution's form, shared by the evaluators: what it is made of, before any of it is computed with.

A check gives the first thing that is wrong as a short sentence, or None. Numbers are finite ints or floats; True is none.
"""
import math


def answer(valid, score, metrics, reasons):
    """What every evaluator gives back; at most five reasons."""
    return {"valid": valid, "score": score, "metrics": metrics, "reasons": list(reasons)[:5]}


def invalid(*reasons):
    return answer(False, None, {}, reasons)


def row(values, digits=3):
    """A few numbers as one metric, such as "0.12 0.5 1"; models read it."""
    return " ".join(str(value) if isinstance(value, int) else f"{value:.{digits}g}" for value in values) or "none"


def keys_error(solution, *keys):
    """The solution is an object with exactly these keys."""
    if isinstance(solution, dict) and set(solution) == set(keys):
        return None
    named = ", ".join(f'"{key}"' for key in keys)
    return f"expected an object with the key{'s' if len(keys) > 1 else ''} {named} and no other, got {kind(solution)}"


def kind(value):
    """A value in a word or two, for a reason; never its content at length."""
    if isinstance(value, dict):
        return "an object with " + (", ".join(repr(str(key)[:20]) for key in list(value)[:4]) or "no keys")
    return {list: "a list", str: "a string", bool: "a boolean", type(None): "null"}.get(type(value), type(value).__name__)


def number_error(value, name, largest):
    """A finite number of magnitude at most `largest`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"{name}: expected a number, got {kind(value)}"
    if not -largest <= value <= largest:
        return f"{name}: expected a finite number of magnitude at most {largest:g}, got {float(value):.6g}" if -1e300 < value < 1e300 else f"{name}: expected a magnitude of at most {largest:g}"
    return None


def integer_error(value, name, low, high):
    """An int, no bool and no float, in low..high."""
    if isinstance(value, bool) or not isinstance(value, int):
        return f"{name}: expected an integer, got {kind(value)}"
    if not low <= value <= high:
        return f"{name}: expected an integer in {low}..{high}"
    return None


def rows_error(rows, name, count, width, largest):
    """A list of `count` lists of `width` finite numbers: [f x width] x count."""
    if not isinstance(rows, list):
        return f"{name}: expected a list of {count} rows, got {kind(rows)}"
    if len(rows) != count:
        return f"{name}: expected {count} rows, got {len(rows)}"
    for index, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != width:
            return f"{name}[{index}]: expected {width} numbers, got {f'{len(row)} values' if isinstance(row, list) else kind(row)}"
        for position, value in enumerate(row):
            error = number_error(value, f"{name}[{index}][{position}]", largest)
            if error:
                return error
    return None


def list_error(values, name, least, most, largest):
    """A list of `least`..`most` finite numbers."""
    if not isinstance(values, list):
        return f"{name}: expected a list of numbers, got {kind(values)}"
    if not least <= len(values) <= most:
        return f"{name}: expected {least} to {most} numbers, got {len(values)}"
    for index, value in enumerate(values):
        error = number_error(value, f"{name}[{index}]", largest)
        if error:
            return error
    return None
