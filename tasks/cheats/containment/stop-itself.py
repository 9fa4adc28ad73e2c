# Stops itself and is never continued.
# expects: no_solution timeout_wall
import os, signal


def __ENTRY__(*given, **named):
    os.kill(os.getpid(), signal.SIGSTOP)
    return None
