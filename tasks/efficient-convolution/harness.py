"""The program's side of a call. Nothing here is trusted; the clock runs on the host."""
import numpy as np


def invoke(function, request, ask):
    return np.asarray(function((request["a"], request["b"])))
