# Closes every descriptor, those of the runner too.
# expects: no_solution program_error invalid_output timeout_wall
import os

__PROGRAM__

honest = __ENTRY__


def __ENTRY__(*given, **named):
    os.closerange(0, 1024)
    return honest(*given, **named)
