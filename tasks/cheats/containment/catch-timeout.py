# Catches the signal of the CPU limit and goes on computing.
# expects: no_solution timeout_cpu timeout_wall
import signal


def __ENTRY__(*given, **named):
    signal.signal(signal.SIGXCPU, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: None)
    while True:
        pass
