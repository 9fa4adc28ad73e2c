# Sleeps past the limit.
# expects: no_solution timeout_wall
import time


def __ENTRY__(*given, **named):
    time.sleep(1000)
