# A child is killed for its memory, or is refused any, while the parent ends well.
# expects: no_solution memory or honest
import os

__PROGRAM__

child = os.fork()
if child == 0:
    hog = []
    try:
        while True:
            hog.append(bytearray(1 << 24))
    finally:
        os._exit(0)
os.waitpid(child, 0)
