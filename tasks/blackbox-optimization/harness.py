"""The program's side of a case: a problem whose evaluations are questions to the evaluator. Nothing here is trusted."""
import numpy as np


class Problem:
    def __init__(self, dimension, ask):
        self.dimension = dimension
        self.lower_bounds = np.full(dimension, -5.0)
        self.upper_bounds = np.full(dimension, 5.0)
        self._ask = ask

    def evaluate(self, point):
        """The value at a point, one evaluation of the budget; raises ValueError where the evaluator refuses.

        A point is {"x0": [f x dimension]} or, as in DeltaEvolve's programs, {"x0": f, "x1": f, ...} with a name for each coordinate.
        """
        if len(point) == 1:
            x = np.asarray(point["x0"], dtype=float).reshape(-1)
        else:
            x = np.array([float(point[f"x{axis}"]) for axis in range(len(point))])
        reply = self._ask({"x": x})
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["value"]


def invoke(function, request, ask):
    function(Problem(request["dimension"], ask), budget=request["budget"], seed=request["seed"])
    return None
