# Leaves a daemon that outlives the program.
# expects: honest
import os, time

__PROGRAM__

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            time.sleep(1)
    os._exit(0)
