# EVOLVE-BLOCK-START
"""First autocorrelation inequality: a constant sequence."""


def search(instance):
    count = 100
    height = 1.0
    return [height] * count
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s (CPU seconds); the step heights are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance)}
