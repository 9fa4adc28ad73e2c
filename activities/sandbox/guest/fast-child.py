# Third part of the fast level's parent: one candidate, from its fork to its end.
FILE_BYTES = 64 << 20
TELL_SECONDS = 0.05
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
# utime, utimes, futimesat and utimensat on x86-64; the container's own filter refuses every other way to call.
TIME_SETTING = (132, 235, 261, 280)
LIBC = ctypes.CDLL(None)


def never_set_times():
    """Calls that set the times of files succeed and do nothing, as on the other levels (seccomp.ts). The parent needs them, so each
    child takes them from itself."""
    load, equal, give = 0x20, 0x15, 0x06
    lines = [(load, 0, 0, 0)]
    for number in TIME_SETTING:
        lines += [(equal, 0, 1, number), (give, 0, 0, 0x00050000)]
    lines.append((give, 0, 0, 0x7FFF0000))
    program = b"".join(struct.pack("<HBBI", *line) for line in lines)
    held = ctypes.create_string_buffer(program, len(program))
    order = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(lines), ctypes.addressof(held)))
    if LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, order, 0, 0) != 0:
        raise OSError("the filter of times was refused")


def own_cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def child_cpu(pid):
    """Seconds that the main thread has used so far; before the program starts there is no other thread."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            return int(file.read().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def become(order, code, pipes):
    """In the child: gives up everything, then runs the runner as `python3 -c` would. Never returns."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        os.closerange(3, 256)
        # The kernel's first choice when the container is out of memory, before the parent.
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
        os.environ["HOME"] = os.environ["TMPDIR"] = order["home"]
        limits = {"RLIMIT_AS": 2 * (order["address"],), "RLIMIT_NPROC": 2 * (order["pids"],), "RLIMIT_FSIZE": 2 * (FILE_BYTES,), "RLIMIT_CORE": (0, 0), "RLIMIT_NOFILE": (256, 256)}
        if order["cpu"] is not None:
            limits["RLIMIT_CPU"] = (order["cpu"], order["cpu"] + 2)
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), value)
        os.setgroups([])
        os.setresgid(order["uid"], order["uid"], order["uid"])
        os.setresuid(order["uid"], order["uid"], order["uid"])
        never_set_times()
        gc.enable()
        sys.argv = ["-c", *order["args"]]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(code, main.__dict__)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


class Child:
    """The candidate that runs now: its pipes, what is still to be written to it, and what it used."""

    def __init__(self, order, code, whole):
        self.uid, self.whole = order["uid"], whole
        order["home"] = f"{BOX}/{self.uid}"
        os.mkdir(order["home"], 0o700)
        os.chown(order["home"], self.uid, self.uid)
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            become(order, code, (stdin, stdout, stderr))
        for fd in (stdin, stdout, stderr):
            os.close(fd)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.outputs = {self.stdout: b"O", self.stderr: b"X"}
        self.status = None
        self.pending, self.closing = [], False
        self.cpu, self.peak, self.dispatched = 0.0, 0, None
        self.own_before, self.whole_before, self.told = own_cpu(), None, 0.0

    def note_dispatch(self):
        if self.dispatched is None:
            self.dispatched, self.own_before, self.whole_before = child_cpu(self.pid), own_cpu(), self.whole.read()

    def used(self):
        """Milliseconds since it got its program: of all its processes by the container's counter, or else of those that were waited
        for; and of this parent meanwhile."""
        own, now = own_cpu() - self.own_before, self.whole.read()
        counted = None if now is None or self.whole_before is None else now - self.whole_before - own
        reaped = self.cpu - (self.dispatched or 0.0)
        return {"cpuMs": 1000 * max(0.0, reaped, counted or 0.0), "ownMs": 1000 * own, "counted": counted is not None}

    def tell_use(self):
        """Now and then, so that the host can end it at its limit."""
        now = time.monotonic()
        if self.dispatched is not None and now - self.told >= TELL_SECONDS:
            self.told = now
            tell(b"U", json.dumps(self.used()).encode())

    def feed(self):
        """Writes what the pipe takes; a child that reads nothing leaves the rest waiting."""
        while self.pending and self.stdin is not None:
            array, offset = self.pending[0]
            try:
                offset += os.write(self.stdin, memoryview(array)[offset:])
            except BlockingIOError:
                return
            except BrokenPipeError:
                self.close_input()
                return
            self.pending[0] = (array, offset)
            if offset == len(array):
                clear(array)
                self.pending.pop(0)
        if self.closing:
            self.close_input()

    def close_input(self):
        for array, _ in self.pending:
            clear(array)
        self.pending = []
        if self.stdin is not None:
            os.close(self.stdin)
            self.stdin = None

    def close(self):
        self.close_input()
        os.close(self.stdout)
        os.close(self.stderr)

    def reap(self):
        """The parent is the subreaper: orphans of the candidate become its children and are counted too."""
        while True:
            try:
                pid, status, use = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.cpu += use.ru_utime + use.ru_stime
            self.peak = max(self.peak, use.ru_maxrss * 1024)
            if pid == self.pid:
                self.status = status
