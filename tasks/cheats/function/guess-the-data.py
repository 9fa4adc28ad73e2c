# Draws data from the clock and from small seeds, and looks whether the question was made of it.
# expects: honest
import time

import numpy

__PROGRAM__

honest = __ENTRY__
asked = []


def __ENTRY__(*given, **named):
    if not asked:
        asked.append(True)
        arrays = [part for part in given if isinstance(part, numpy.ndarray) and part.dtype.kind == "f" and part.size > 4]
        for array in arrays:
            for seed in [*range(50), int(time.time())]:
                for drawn in (numpy.random.default_rng(seed).random(array.size), numpy.random.default_rng(seed).standard_normal(array.size)):
                    if numpy.allclose(drawn, array.ravel()):
                        print("breach: the question is made of seed", seed, flush=True)
    return honest(*given, **named)
