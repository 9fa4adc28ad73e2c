# Writes frames of every kind, filled with nothing sensible, then goes on as if nothing had happened.
# expects: no_solution invalid_output
import os, struct

__PROGRAM__

honest = __ENTRY__


def __ENTRY__(*given, **named):
    for kind in b"RLCSVEKQPZTXA":
        for fd in range(3, 16):
            try:
                os.write(fd, bytes([kind]) + struct.pack(">I", 3) + b"\xff{]")
            except OSError:
                pass
    return honest(*given, **named)
