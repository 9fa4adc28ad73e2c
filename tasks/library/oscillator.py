"""A driven, damped oscillator as data for symbolic regression (reference `tasks`, 4.2): generated, never shipped.

data() gives {"train", "test", "ood"}, each (X [f x rows, 3] with rows (x, t, v), acceleration [f x rows]).
"""
import numpy as np
from scipy.integrate import solve_ivp

F, B, M = 0.3044, 0.50267112, 0.11806399
POINTS, END, SPLIT = 5000, 40.0, 36.0


def acceleration(x, t, v):
    return F * np.sin(t) - B * np.log(np.abs(v) + 1) - B * np.sin(v) - 2 * B * v - M * (1 - x**2) * v


def data():
    t = np.linspace(0, END, POINTS)
    path = solve_ivp(lambda at, y: [y[1], acceleration(y[0], at, y[1])], (0, END), [1.0, 0.0], t_eval=t).y
    rows = np.column_stack([path[0], t, path[1]]).astype(np.float32).astype(float)
    values = acceleration(path[0], t, path[1]).astype(np.float32).astype(float)
    far = t > SPLIT
    inside = np.random.default_rng(0).permutation(np.flatnonzero(~far))
    parts = {"train": inside[:4000], "test": inside[4000:], "ood": np.flatnonzero(far)}
    return {name: (rows[chosen], values[chosen]) for name, chosen in parts.items()}
