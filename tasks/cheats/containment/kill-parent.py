# Stops and kills its parent and PID 1.
# expects: honest or no_solution program_error timeout_wall
import os, signal

__PROGRAM__

for pid in (os.getppid(), 1):
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        try:
            if pid not in (0, os.getpid()):
                os.kill(pid, number)
        except OSError:
            pass
