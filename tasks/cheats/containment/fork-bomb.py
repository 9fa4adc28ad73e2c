# Forks without end.
# expects: no_solution timeout_cpu timeout_wall program_error memory
import os


def __ENTRY__(*given, **named):
    while True:
        try:
            os.fork()
        except OSError:
            pass
