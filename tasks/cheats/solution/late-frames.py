# A thread and a child go on writing frames after the runner's own.
# expects: honest or no_solution invalid_output
import os, struct, threading, time


def forge():
    while True:
        for fd in range(3, 16):
            try:
                os.write(fd, b"S" + struct.pack(">I", 4) + b"1e99")
            except OSError:
                pass
        time.sleep(0.001)


def __ENTRY__(instance):
    threading.Timer(0.05, forge).start()
    if os.fork() == 0:
        time.sleep(0.2)
        forge()
    return __HONEST__
