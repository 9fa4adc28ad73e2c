"""Judges a set of integers in 0...29 by how many more sums than differences it has (reference `tasks`, 3.12).

evaluate(instance, solution) -> {valid, score, metrics, reasons}. Exact: both counts are integers.
"""
from form import answer, integer_error, invalid, keys_error, kind, row


def evaluate(instance, solution):
    n = instance["n"]
    error = keys_error(solution, "set") or set_error(solution["set"], n)
    if error:
        return invalid(error)
    members = set(solution["set"])
    sums = {a + b for a in members for b in members}
    differences = {a - b for a in members for b in members}
    metrics = {
        "sums": len(sums), "differences": len(differences), "size": len(members),
        "missing_sums": row(sorted(set(range(min(sums), max(sums))) - sums)[:15]),
        "missing_differences": row(sorted(set(range(max(differences))) - differences)[:15]),
    }
    return answer(True, len(sums) / len(differences), metrics, [])


def set_error(members, n):
    """1 to n distinct integers in 0...n-1."""
    if not isinstance(members, list):
        return f"set: expected a list of integers, got {kind(members)}"
    if not 1 <= len(members) <= n:
        return f"set: expected 1 to {n} integers, got {len(members)}"
    for index, member in enumerate(members):
        error = integer_error(member, f"set[{index}]", 0, n - 1)
        if error:
            return error
    if len(set(members)) != len(members):
        return f"set: expected distinct integers, got {len(members)} with {len(set(members))} values"
    return None
