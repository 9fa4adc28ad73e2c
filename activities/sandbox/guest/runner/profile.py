# Says where the CPU time of a program goes: looks at its stack 100 times a second of CPU time, and sums up by function.
# It runs in the program's own process, so what comes out is a claim like all else. This text stands before runner.py.
import functools, json, os, signal, time

SAMPLE_SECONDS = 0.01
# A program that is stopped has told so before: after so many seconds, then whenever a tenth more has passed.
TOLD_SECONDS, TOLD_AGAIN = 0.3, 1.1
NAMED, MOST_NAMES, MOST_DEPTH, LONGEST_NAME = 3, 200, 200, 40


class Profile:
    """Counts each sample with the CPU time since the one before, so that a long call of C, in which no handler runs, counts whole.
    `files` are the names of the program's files; `tell` gets the facts as bytes, and may leave them out."""

    def __init__(self, files, tell):
        self.files, self.tell = set(files), tell
        self.clock, self.seconds = time.process_time, {}
        self.began = self.last = self.clock()
        self.due = self.began + TOLD_SECONDS

    def start(self):
        """Where the system grants no timer, nothing is told."""
        try:
            self.listen()
        except (OSError, ValueError):
            pass

    def listen(self):
        signal.signal(signal.SIGPROF, self.sample)
        # Calls of the system that it meets begin again by themselves.
        signal.siginterrupt(signal.SIGPROF, False)
        signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)
        # A process keeps its timers when it becomes another program, which would end by the signal. A fork keeps none.
        for name in ("execv", "execve"):
            setattr(os, name, stopped_before(getattr(os, name)))
        signal.signal = stopped_before(signal.signal, lambda number, handler: number == signal.SIGPROF and handler == signal.SIG_DFL)

    def sample(self, _, frame):
        now = self.clock()
        name = self.name_of(frame)
        if name not in self.seconds and len(self.seconds) >= MOST_NAMES:
            name = "others"
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now
        if now >= self.due:
            self.due = self.began + (now - self.began) * TOLD_AGAIN
            self.tell(self.facts())

    def name_of(self, frame):
        """What the program's innermost function called, or where that is none of Python's, this function itself."""
        called = None
        for _ in range(MOST_DEPTH):
            if frame is None:
                break
            code = frame.f_code
            if code.co_filename in self.files:
                if called is None or called.co_name.startswith("<"):
                    return getattr(code, "co_qualname", code.co_name).split(".<locals>")[0]
                return "import" if called.co_filename.startswith("<frozen importlib") else called.co_name
            called, frame = code, frame.f_back
        return "elsewhere"

    def facts(self):
        now = self.clock()
        passed = now - self.began
        most = sorted(self.seconds.items(), key=lambda item: -item[1])[:NAMED]
        shares = [[name[:LONGEST_NAME], round(100 * seconds / passed)] for name, seconds in most if passed > 0]
        return json.dumps({"seconds": round(passed, 3), "functions": shares}).encode()


def stopped_before(call, ends=lambda *_: True):
    """The call, with no timer any more where the signal would end the process."""

    def stopping(*given, **named):
        if ends(*given, *named.values()):
            signal.setitimer(signal.ITIMER_PROF, 0)
        return call(*given, **named)

    return functools.wraps(call)(stopping)
