# Third part of the parent of the level `fork`: one candidate, from its fork to its end. A child of this process becomes
# PID 1 of namespaces of its own, mounts what the candidate is to see, and forks the candidate. When the candidate ends,
# PID 1 ends, and the kernel ends all that is left in the namespaces.
TELL_SECONDS = 0.05
NOBODY = 65534
FIRST_UID, UIDS = 20000, 40001
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x20, 0x1000, 0x4000, 0x40000
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, SECCOMP_MODE_FILTER = 4, 22, 24, 2
SYS_CLONE, SYS_CAPSET, CAPABILITY_VERSION = 56, 126, 0x20080522
# Paths of /proc that a container engine hides too.
HIDDEN = [path for path in ("/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats") if os.path.exists(path)]
HIDDEN_FOLDERS = {path for path in HIDDEN if os.path.isdir(path)}
# The lock of the interpreter is held in these calls, so that a child begins with it.
LIBC = ctypes.PyDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
LIBC.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)


def checked(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def mount(target, kind, flags, options=None, source=None):
    checked(LIBC.mount((source or kind or "").encode(), target.encode(), kind and kind.encode(), flags, options and options.encode()), f"mounting {target}")


def put(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def own_user_namespace():
    """Makes this process root of a user namespace and nobody outside of it. A helper that is still root of the container writes the
    map: root and the candidates are uids that nobody else has."""
    (asked, ask), (answered, answer) = os.pipe(), os.pipe()
    parent, helper = os.getpid(), os.fork()
    if helper == 0:
        try:
            os.read(asked, 1)
            for kind in ("uid_map", "gid_map"):
                put(f"/proc/{parent}/{kind}", f"0 {FIRST_UID} {UIDS}\n")
            os.write(answer, b"1")
        except OSError as error:
            os.write(2, f"the uids could not be mapped: {error}\n".encode())
        finally:
            os._exit(0)
    os.close(answer)
    checked(LIBC.unshare(NEWUSER), "a user namespace")
    os.write(ask, b"1")
    if os.read(answered, 1) != b"1":
        raise OSError("no uids were mapped")
    os.waitpid(helper, 0)
    for fd in (asked, ask, answered):
        os.close(fd)
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def fork_into_namespaces():
    """As os.fork, into new namespaces of every kind but users."""
    api = ctypes.pythonapi
    api.PyOS_BeforeFork()
    pid = LIBC.syscall(SYS_CLONE, NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWPID | NEWNET | signal.SIGCHLD, 0, 0, 0, 0)
    number = ctypes.get_errno()
    api.PyOS_AfterFork_Child() if pid == 0 else api.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(number, f"namespaces: {os.strerror(number)}")
    return pid


def lay_out(uid):
    """What the candidate sees: a /proc of its own processes, and empty places to write to, which vanish with the namespace."""
    held = NOSUID | NODEV | NOEXEC
    mount("/", None, REC | PRIVATE)
    mount("/proc", "proc", held)
    for path in HIDDEN:
        if path in HIDDEN_FOLDERS:
            mount(path, "tmpfs", held | RDONLY, "size=0")
        else:
            mount(path, None, BIND, source="/dev/null")
    # Counters, and times of files, that earlier candidates moved.
    mount("/sys", "tmpfs", held | RDONLY, "size=0")
    mount("/dev/tty", None, BIND, source="/dev/null")
    mount("/dev", None, REMOUNT | BIND | RDONLY | NOSUID)
    mount("/box", "tmpfs", held, f"size=64m,nr_inodes=4096,mode=0700,uid={uid},gid={uid}")
    mount("/dev/shm", "tmpfs", held, "size=16m,mode=1777")
    mount("/dev/mqueue", "mqueue", held)
    mount("/dev/pts", "devpts", NOSUID | NOEXEC, "newinstance,ptmxmode=0666,mode=0620")


def give_up(uid):
    """In the candidate: another uid, a user namespace in which it is nobody, no capability."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    checked(LIBC.unshare(NEWUSER), "a user namespace")
    put("/proc/self/setgroups", "deny")
    put("/proc/self/uid_map", f"{NOBODY} {uid} 1\n")
    put("/proc/self/gid_map", f"{NOBODY} {uid} 1\n")
    for capability in range(64):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    header, none = struct.pack("<Ii", CAPABILITY_VERSION, 0), bytes(24)
    checked(LIBC.syscall(SYS_CAPSET, header, none), "dropping capabilities")


def filter_calls(program):
    """From here on the candidate has the system calls of every level."""
    held = ctypes.create_string_buffer(program, len(program))
    order = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(held)))
    checked(LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, order, 0, 0), "the filter of system calls")


def become(order, code, pipes, program):
    """In the candidate: gives up everything, then runs the runner as `python3 -c` would. Never returns."""
    try:
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
        filter_calls(program)
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


def first_process(order, code, pipes, program):
    """In PID 1 of the namespaces: starts the candidate, waits for whoever ends, and ends as the candidate did. Never returns."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        lay_out(order["uid"])
        candidate = os.fork()
        if candidate == 0:
            become(order, code, pipes, program)
        os.closerange(0, 2)
        os.closerange(3, 256)
        ended = None
        while ended != candidate:
            ended, status = os.wait()
        status = os.waitstatus_to_exitcode(status)
    except BaseException as error:
        os.write(2, f"a candidate could not be started: {error}\n".encode())
    finally:
        os._exit(status if status >= 0 else 128 - status)


class Child:
    """The candidate that runs now: its pipes, what is still to be written to it, and what it used."""

    def __init__(self, order, code, whole, program):
        self.whole = whole
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        self.pid = fork_into_namespaces()
        if self.pid == 0:
            first_process(order, code, (stdin, stdout, stderr), program)
        for fd in (stdin, stdout, stderr):
            os.close(fd)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.outputs = {self.stdout: b"O", self.stderr: b"X"}
        self.status = None
        self.pending, self.closing = [], False
        self.cpu, self.peak, self.dispatched = 0.0, 0, False
        self.own_before, self.whole_before, self.told = own_cpu(), None, 0.0

    def note_dispatch(self):
        if not self.dispatched:
            self.dispatched, self.own_before, self.whole_before = True, own_cpu(), self.whole.read()

    def used(self):
        """Milliseconds since it got its program: of all its processes by the container's counter, or else of those that were waited
        for; and of this parent meanwhile."""
        own, now = own_cpu() - self.own_before, self.whole.read()
        counted = None if now is None or self.whole_before is None else now - self.whole_before - own
        return {"cpuMs": 1000 * max(0.0, self.cpu, counted or 0.0), "ownMs": 1000 * own, "counted": counted is not None}

    def tell_use(self):
        """Now and then, so that the host can end it at its limit."""
        now = time.monotonic()
        if self.dispatched and now - self.told >= TELL_SECONDS:
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

    def kill(self):
        """PID 1 of the namespaces takes all with it."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)

    def reap(self):
        """PID 1 is gone when the kernel has ended and collected everything in its namespaces."""
        pid, status, use = os.wait4(self.pid, os.WNOHANG) if self.status is None else (0, 0, None)
        if pid:
            self.status, self.cpu, self.peak = status, use.ru_utime + use.ru_stime, use.ru_maxrss * 1024
