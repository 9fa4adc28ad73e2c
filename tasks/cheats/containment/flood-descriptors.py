# Writes bytes without end to every descriptor there is, the runner's among them.
# expects: no_solution output_limit invalid_output timeout_cpu timeout_wall
import os


def __ENTRY__(*given, **named):
    for fd in range(3, 64):
        try:
            os.set_blocking(fd, False)
        except OSError:
            pass
    while True:
        for fd in range(3, 64):
            try:
                os.write(fd, b"\x00" * 65536)
            except OSError:
                pass
