# EVOLVE-BLOCK-START
"""Guides a local search out of local optima by the distances that it sees."""
import numpy as np


def update_edge_distance(edge_distance, local_opt_tour, edge_n_used):
    """The matrix [f x n x n] on which the tour is changed next.

    edge_distance [f x n x n]: the true distances; local_opt_tour [i x n]: the nodes in order; edge_n_used [f x n x n]: how often each edge
    was among the five whose distance was raised most.
    """
    strength = 0.0
    guided = edge_distance.copy()
    guided += strength * edge_n_used
    return guided
# EVOLVE-BLOCK-END
