"""Checks of lists of signs. Imported by the evaluators of hadamard and littlewood."""
from form import kind


def signs_error(values, name, count):
    """A list of exactly `count` integers, each 1 or -1; no bool and no float."""
    if not isinstance(values, list):
        return f"{name}: expected a list of {count} signs, got {kind(values)}"
    if len(values) != count:
        return f"{name}: expected {count} signs, got {len(values)}"
    for index, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int) or value not in (1, -1):
            return f"{name}[{index}]: expected the integer 1 or -1, got {kind(value) if isinstance(value, bool) or not isinstance(value, int) else 'another integer'}"
    return None
