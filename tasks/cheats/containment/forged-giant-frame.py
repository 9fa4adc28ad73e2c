# Announces a frame of four gigabytes on every descriptor, as a solution, an answer and a question.
# expects: no_solution output_limit invalid_output
import os


def __ENTRY__(*given, **named):
    for kind in (b"S", b"V", b"K"):
        for fd in range(3, 16):
            try:
                os.write(fd, kind + b"\xff" * 4 + b"x" * 1000)
            except OSError:
                pass
    os._exit(0)
