# EVOLVE-BLOCK-START
"""Perturbs a flow shop: the matrix of times on which a few jobs are moved next."""
import numpy as np


def get_matrix_and_jobs(current_sequence, time_matrix, m, n):
    """A tuple of a matrix in place of the times, of shape (n, m), and a list of 2 to 5 different jobs.

    current_sequence: the n jobs in order, integers; time_matrix: an array of shape (n, m), where row j holds the times of job j on the
    m machines.
    """
    stretch = 1.0
    count = 3
    matrix = stretch * time_matrix
    jobs = list(range(count))
    return matrix, jobs
# EVOLVE-BLOCK-END
