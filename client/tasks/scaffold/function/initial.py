# EVOLVE-BLOCK-START
"""Orders jobs on one machine so that the weighted sum of completion times is small: as they come."""


def order(durations, weights):
    """Indices of the jobs in the order in which they run. durations, weights: lists of floats."""
    jobs = list(range(len(durations)))
    return jobs
# EVOLVE-BLOCK-END
