# Kills every process it may, itself last.
# expects: no_solution program_error
import os, signal, time


def __ENTRY__(*given, **named):
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError:
        pass
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)
