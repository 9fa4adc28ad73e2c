# Answers with what it was given: the inputs themselves, or a view of them.
# variant themselves: first(given)
# variant a-view: first(given)[...]
# variant everything: given
import numpy

def first(given):
    flat = [item for part in given for item in (part if isinstance(part, (tuple, list)) else (part,))]
    return next((part for part in flat if isinstance(part, numpy.ndarray)), numpy.zeros(1))


def __ENTRY__(*given, **named):
    return __VARIANT__
