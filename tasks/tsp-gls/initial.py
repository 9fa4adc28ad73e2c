# EVOLVE-BLOCK-START
"""Guides a local search out of local optima by the distances that it sees."""
import numpy as np


def update_edge_distance(edge_distance, local_opt_tour, edge_n_used):
    """The matrix, of shape (n, n), on which the tour is changed next.

    edge_distance: the true distances, of shape (n, n); local_opt_tour: the n nodes in order, integers; edge_n_used: of shape (n, n), how
    often each edge was among the five whose distance was raised most.
    """
    strength = 0.0
    guided = edge_distance.copy()
    guided += strength * edge_n_used
    return guided
# EVOLVE-BLOCK-END
