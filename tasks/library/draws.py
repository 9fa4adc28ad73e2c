"""Data that no program can know, for the evaluators of function tasks with `data: drawn`: generators made from the hidden key.

The key has 256 bits, too many to try, and is the same for all programs of a run, so that none is lucky with its data.
"""
import numpy as np


def generator(instance, *path):
    """A generator [np.random.Generator] for one part of the data, named by integers; parts do not depend on each other."""
    key = instance["hidden_key"]
    return np.random.default_rng([int(key[at:at + 8], 16) for at in range(0, 64, 8)] + list(path))
