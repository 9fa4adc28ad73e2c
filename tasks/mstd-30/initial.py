# EVOLVE-BLOCK-START
"""The smallest set of integers with more sums than differences, found by Conway: eight numbers up to 14."""


def middle_part(first, last, step):
    """Numbers in the middle, evenly spaced."""
    return list(range(first, last, step))


def members(instance):
    n = instance["n"]
    lower_fringe = [0, 2, 3, 4]
    middle = middle_part(7, 8, 1)
    upper_fringe = [11, 12, 14]
    chosen = []
    for value in lower_fringe + middle + upper_fringe:
        if 0 <= value < n and value not in chosen:
            chosen.append(value)
    return chosen
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the set is handed back as {"set": [integers in 0...n-1]}."""
    return {"set": members(instance)}
