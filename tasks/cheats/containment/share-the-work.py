# Lets children compute, each below the CPU limit of a process.
# expects: no_solution timeout_cpu
import os


def __ENTRY__(*given, **named):
    while True:
        if os.fork() == 0:
            for _ in range(10**7):
                pass
            os._exit(0)
        os.wait()
