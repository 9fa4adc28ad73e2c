# EVOLVE-BLOCK-START
"""Third autocorrelation inequality: four heights of changing sign."""


def search(instance):
    last = -0.18
    return [1.0, -1.0, 1.0, last]
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s; the step heights, of either sign, are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance)}
