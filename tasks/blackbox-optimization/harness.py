"""The program's side of a case: a problem whose evaluations are questions to the evaluator. Nothing here is trusted."""
import numpy as np


class Problem:
    def __init__(self, dimension, ask):
        self.dimension = dimension
        self.lower_bounds = np.full(dimension, -5.0)
        self.upper_bounds = np.full(dimension, 5.0)
        self._ask = ask

    def evaluate(self, point):
        """The value at point["x0"]; one evaluation of the budget. Raises ValueError where the evaluator refuses."""
        x = np.asarray(point["x0"], dtype=float).reshape(-1)
        reply = self._ask({"x": x})
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["value"]


def invoke(function, request, ask):
    function(Problem(request["dimension"], ask), budget=request["budget"], seed=request["seed"])
    return None
