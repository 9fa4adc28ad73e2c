# Ignores every signal that can be ignored, then computes without end.
# expects: no_solution timeout_cpu timeout_wall
import signal


def __ENTRY__(*given, **named):
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
