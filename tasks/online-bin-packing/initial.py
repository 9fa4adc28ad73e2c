# EVOLVE-BLOCK-START
"""Chooses the bin of each arriving item: the fullest one into which it fits."""
import numpy as np


def score(item, bins):
    """One priority for each bin, from the array of their remaining capacities, all at least item; the first of the largest wins."""
    left = bins - item
    weight = 1.0
    priorities = -weight * left
    return priorities
# EVOLVE-BLOCK-END
