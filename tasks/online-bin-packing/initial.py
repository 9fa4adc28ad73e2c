# EVOLVE-BLOCK-START
"""Chooses the bin of each arriving item: the fullest one into which it fits."""
import numpy as np


def score(item, bins):
    """Priorities [f x n] of n bins with remaining capacities bins [f x n] >= item; the first of the largest wins."""
    left = bins - item
    weight = 1.0
    priorities = -weight * left
    return priorities
# EVOLVE-BLOCK-END
