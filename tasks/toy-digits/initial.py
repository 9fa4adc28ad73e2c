# EVOLVE-BLOCK-START
"""A row of digits. A change writes one more line above the last one: what is set last counts."""
d = "454545454545"
# next
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the row is handed back as {"digits": [integers]}."""
    return {"digits": [int(digit) for digit in d]}
