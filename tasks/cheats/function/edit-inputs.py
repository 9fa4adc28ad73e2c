# Answers honestly, then edits in place everything it was given.
# expects: honest
import copy

import numpy

__PROGRAM__

honest = __ENTRY__


def edit(part):
    if isinstance(part, numpy.ndarray):
        try:
            part[...] = 0
        except (ValueError, TypeError):
            pass
    elif isinstance(part, (list, dict)):
        part.clear()
    else:
        for name in list(getattr(part, "__dict__", {})):
            setattr(part, name, None)


def __ENTRY__(*given, **named):
    answer = copy.deepcopy(honest(*given, **named))
    for part in (*given, *named.values()):
        for item in part if isinstance(part, tuple) else (part,):
            edit(item)
    return answer
