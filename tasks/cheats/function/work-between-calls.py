# Goes on computing in a thread and in a child between its calls, where nobody measures.
# expects: honest or valid or no_solution
import os, threading

__PROGRAM__

honest = __ENTRY__
started = []


def burn():
    while True:
        pass


def __ENTRY__(*given, **named):
    if not started:
        started.append(True)
        threading.Thread(target=burn, daemon=True).start()
        if os.fork() == 0:
            burn()
    return honest(*given, **named)
