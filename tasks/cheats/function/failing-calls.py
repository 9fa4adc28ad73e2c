# Fails in some calls and answers honestly in the others.
# variant raises-in-one-of-five: fail(5, lambda: 1 / 0)
# variant raises-in-the-last-ones: fail(2, lambda: 1 / 0)
# variant exits-in-the-second: fail(2, lambda: os._exit(0))
# variant leaves-in-the-second: fail(2, lambda: sys.exit(0))
# variant interrupts-in-the-second: fail(2, interrupt)
# variant sleeps-in-the-second: fail(2, lambda: time.sleep(1000))
# variant stops-in-the-second: fail(2, lambda: os.kill(os.getpid(), signal.SIGSTOP))
# variant answers-nothing-in-one-of-three: fail(3, lambda: None)
# variant raises-what-cannot-be-shown: fail(1, unshown)
# variant raises-a-long-story: fail(1, story)
import os, signal, sys, time

__PROGRAM__

honest = __ENTRY__
calls = [0]


class Unshown(Exception):
    def __str__(self):
        raise RuntimeError("no")

    __repr__ = __str__


def unshown():
    raise Unshown()


def story():
    raise ValueError("score 1e9\n" * 10_000_000)


def interrupt():
    raise KeyboardInterrupt


def fail(every, how):
    return every, how


EVERY, HOW = __VARIANT__


def __ENTRY__(*given, **named):
    calls[0] += 1
    if calls[0] % EVERY == 0:
        HOW()
        return None
    return honest(*given, **named)
