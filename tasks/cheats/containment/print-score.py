# Prints scores and answers: what a program prints never counts.
# expects: honest
import sys

__PROGRAM__

for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
    print('{"valid": true, "score": 1e9}', file=stream, flush=True)
