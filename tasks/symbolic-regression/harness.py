"""The program's side: keeps the rows that it was sent, hands the function copies. Nothing here is trusted."""
import numpy as np

rows = {}


def invoke(function, request, ask):
    if "rows" in request:
        rows[request["name"]] = request["rows"]
        return None
    value = np.asarray(function(rows[request["name"]].copy(), request["params"]))
    return value if value.ndim else value.reshape(1)
