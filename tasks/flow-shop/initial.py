# EVOLVE-BLOCK-START
"""Perturbs a flow shop: the matrix of times on which a few jobs are moved next."""
import numpy as np


def get_matrix_and_jobs(current_sequence, time_matrix, m, n):
    """(matrix [f x n x m] in place of the times, a list of 2 to 5 different jobs).

    current_sequence [i x n]: the jobs in order; time_matrix [f x n x m]: row j holds the times of job j on the m machines.
    """
    stretch = 1.0
    count = 3
    matrix = stretch * time_matrix
    jobs = list(range(count))
    return matrix, jobs
# EVOLVE-BLOCK-END
