# EVOLVE-BLOCK-START
"""The Rudin-Shapiro signs: sign k is minus one to the number of neighbouring ones in binary k."""


def neighbouring_ones(k):
    """How many pairs of neighbouring binary digits of k are both 1."""
    shift = 1
    count = 0
    pairs = k & (k >> shift)
    while pairs:
        count += pairs & 1
        pairs = pairs >> 1
    return count


def signs(instance):
    n = instance["n"]
    coeffs = []
    for k in range(n):
        parity = neighbouring_ones(k) % 2
        coeffs.append(1 - 2 * parity)
    return coeffs
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the signs are handed back as {"coeffs": [1 or -1, ...]}."""
    return {"coeffs": signs(instance)}
