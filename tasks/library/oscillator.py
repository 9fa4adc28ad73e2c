"""A driven, damped oscillator as data for symbolic regression (reference `tasks`, 4.2): generated, never shipped.

data() and drawn(generator) give {"train", "test", "ood"}, each (X [f x rows, 3] with rows (x, t, v), acceleration [f x rows]).
"""
import numpy as np
from scipy.integrate import solve_ivp

F, B, M = 0.3044, 0.50267112, 0.11806399
POINTS, END, SPLIT = 5000, 40.0, 36.0
TRAIN = 4000
# Ranges of a drawn oscillator's constants and states: a linear formula comes to about what it does on the published motion.
FORCE, DAMPING, SWING = (0.155, 0.175), (0.45, 0.55), (0.1, 0.14)
PLACE, SPEED = (0.0, 1.3), (-0.25, 0.25)


def acceleration(x, t, v, force=F, damping=B, swing=M):
    return force * np.sin(t) - damping * np.log(np.abs(v) + 1) - damping * np.sin(v) - 2 * damping * v - swing * (1 - x**2) * v


def data():
    """The published oscillator along one motion. Neighbours in time tell an acceleration by their difference."""
    t = np.linspace(0, END, POINTS)
    path = solve_ivp(lambda at, y: [y[1], acceleration(y[0], at, y[1])], (0, END), [1.0, 0.0], t_eval=t).y
    return split(path[0], t, path[1], acceleration(path[0], t, path[1]), np.random.default_rng(0))


def drawn(generator):
    """Another oscillator of this form, set into states of its own: no row tells anything of another one."""
    force, damping, swing = generator.uniform(*FORCE), generator.uniform(*DAMPING), generator.uniform(*SWING)
    t = np.concatenate([generator.uniform(0, SPLIT, POINTS - POINTS // 10), generator.uniform(SPLIT, END, POINTS // 10)])
    x, v = generator.uniform(*PLACE, POINTS), generator.uniform(*SPEED, POINTS)
    return split(x, t, v, acceleration(x, t, v, force, damping, swing), generator)


def split(x, t, v, values, generator):
    rows, values = (column.astype(np.float32).astype(float) for column in (np.column_stack([x, t, v]), values))
    far = t > SPLIT
    inside = generator.permutation(np.flatnonzero(~far))
    parts = {"train": inside[:TRAIN], "test": inside[TRAIN:], "ood": np.flatnonzero(far)}
    return {name: (rows[chosen], values[chosen]) for name, chosen in parts.items()}
