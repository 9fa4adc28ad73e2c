"""Says what a solution is worth. It never sees the program."""


def evaluate(instance, solution):
    x = solution["x"]
    if not isinstance(x, (int, float)) or isinstance(x, bool):
        return {"valid": False, "score": None, "metrics": {}, "reasons": [f"expected a number x, got {x!r}"]}
    return {"valid": True, "score": 1 - (x - 2) ** 2, "metrics": {}, "reasons": []}
