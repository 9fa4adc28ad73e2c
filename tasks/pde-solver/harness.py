"""The program's side: a matrix whose products are questions to the evaluator. Nothing here is trusted."""
import numpy as np


class Matrix:
    """Offers shape, diagonal() and `A @ v`; every product is counted where it is computed."""

    def __init__(self, size, diagonal, ask):
        self.shape = (size, size)
        self._diagonal = diagonal
        self._ask = ask

    def diagonal(self):
        return self._diagonal.copy()

    def __matmul__(self, v):
        reply = self._ask({"v": np.asarray(v, dtype=float).reshape(-1)})
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["product"]

    dot = __matmul__


def invoke(function, request, ask):
    matrix = Matrix(request["size"], request["diagonal"], ask)
    return np.asarray(function(matrix, request["b"], request["tol"], request["max_iter"]), dtype=float).reshape(-1)
