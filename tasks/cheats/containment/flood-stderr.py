# Writes to stderr without end.
# expects: no_solution output_limit timeout_cpu
import sys


def __ENTRY__(*given, **named):
    while True:
        sys.stderr.write("x" * 100000)
