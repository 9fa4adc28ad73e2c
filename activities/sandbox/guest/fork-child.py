# Fourth part of the parent of the level `fork`: one candidate, from its fork to its end.
TELL_SECONDS = 0.05
NOBODY = 65534
PR_SET_SECCOMP, PR_CAPBSET_DROP, SECCOMP_MODE_FILTER, SYS_CAPSET = 22, 24, 2, 126
CAPSET_HEADER, NO_CAPABILITIES = struct.pack("<Ii", 0x20080522, 0), bytes(24)
with open("/proc/sys/kernel/cap_last_cap") as file:
    CAPABILITIES = range(int(file.read()) + 1)


class Filter:
    """The system calls of every level, as the kernel takes them."""

    def __init__(self, program):
        self.held = ctypes.create_string_buffer(program, len(program))
        self.order = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(self.held)))

    def lay_on(self):
        checked(LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, self.order, 0, 0), "the filter of system calls")


def give_up(uid):
    """In the candidate: another uid, a user namespace in which it is nobody, no capability."""
    os.chown("/box", uid, uid)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    checked(LIBC.unshare(NEWUSER), "a user namespace")
    put("/proc/self/setgroups", "deny")
    put("/proc/self/uid_map", f"{NOBODY} {uid} 1\n")
    put("/proc/self/gid_map", f"{NOBODY} {uid} 1\n")
    for capability in CAPABILITIES:
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    checked(LIBC.syscall(SYS_CAPSET, CAPSET_HEADER, NO_CAPABILITIES), "dropping capabilities")


def become(order, pipes, parent):
    """In the candidate: gives up everything, then runs the runner as `python3 -c` would. Never returns."""
    try:
        parent.spaces.enter()
        os.setsid()
        for target, fd in enumerate(pipes):
            os.dup2(fd, target)
        os.closerange(3, 256)
        # The kernel's first choice when the container is out of memory, before the parent.
        put("/proc/self/oom_score_adj", "1000")
        resource.setrlimit(resource.RLIMIT_NPROC, 2 * (order["pids"],))
        if order["cpu"] is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (order["cpu"], order["cpu"] + 2))
        give_up(order["uid"])
        parent.filter.lay_on()
        gc.enable()
        sys.argv = ["-c", *order["args"]]
        parent.runner.start()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(1)


class Child:
    """The candidate that runs now: its pipes, what is still to be written to it, and what it used."""

    def __init__(self, order, parent):
        self.whole = parent.whole
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        self.pid = parent.spaces.fork()
        if self.pid == 0:
            become(order, (stdin, stdout, stderr), parent)
        self.end = os.pidfd_open(self.pid)
        for fd in (stdin, stdout, stderr):
            os.close(fd)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.outputs = {self.stdout: b"O", self.stderr: b"X"}
        self.status = None
        self.pending, self.closing = [], False
        self.cpu, self.peak, self.begun = 0.0, 0, False
        self.own_before, self.whole_before = own_cpu(), None

    def begin(self):
        """The runner has greeted, and is given its program: what is used from now on is the candidate's."""
        self.begun, self.own_before, self.whole_before, self.told = True, own_cpu(), self.whole.read(), time.monotonic()
        self.feed()

    def used(self):
        """Milliseconds since it got its program: of all its processes by the container's counter, or else of those that were waited
        for; and of this parent meanwhile."""
        own, now = own_cpu() - self.own_before, self.whole.read()
        counted = None if now is None or self.whole_before is None else now - self.whole_before - own
        return {"cpuMs": 1000 * max(0.0, self.cpu, counted or 0.0), "ownMs": 1000 * own, "counted": counted is not None}

    def is_due(self):
        """Whether the host is to hear what it used, which it heard some time ago."""
        now = time.monotonic()
        due = self.begun and now - self.told >= TELL_SECONDS
        if due:
            self.told = now
        return due

    def feed(self):
        """Writes what the pipe takes; a child that reads nothing leaves the rest waiting."""
        if not self.begun:
            return
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
        for fd in (self.stdout, self.stderr, self.end):
            os.close(fd)

    def collect(self):
        _, self.status, use = os.wait4(self.pid, 0)
        self.cpu, self.peak = use.ru_utime + use.ru_stime, use.ru_maxrss * 1024
