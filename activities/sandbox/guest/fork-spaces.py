# Third part of the parent of the level `fork`: the namespaces of its candidates. A helper, forked before anything is
# imported, makes those of the next candidate as soon as the last one's are gone: its child is PID 1 there, mounts what a
# candidate is to see, and waits. It runs no candidate and has nothing of one. With it the kernel ends all that is left in
# the namespaces.
FIRST_UID, UIDS = 20000, 40001
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
BESIDE = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWNET
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x20, 0x1000, 0x4000, 0x40000
PR_SET_DUMPABLE, SYS_CLONE = 4, 56
HELD = NOSUID | NODEV | NOEXEC
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


def lay_out_shared():
    """What all candidates see alike and none can write to. No counter, and no time of a file, that an earlier one moved is there."""
    checked(LIBC.unshare(NEWNS), "a mount namespace")
    mount("/", None, REC | PRIVATE)
    mount("/sys", "tmpfs", HELD | RDONLY, "size=0")
    mount("/dev/tty", None, BIND, source="/dev/null")
    mount("/dev", None, REMOUNT | BIND | RDONLY | NOSUID)


def lay_out():
    """A /proc of the candidate's own processes, and empty places to write to, which vanish with the namespace."""
    mount("/proc", "proc", HELD)
    for path in HIDDEN:
        if path in HIDDEN_FOLDERS:
            mount(path, "tmpfs", HELD | RDONLY, "size=0")
        else:
            mount(path, None, BIND, source="/dev/null")
    mount("/box", "tmpfs", NOSUID | NODEV, "size=64m,nr_inodes=4096,mode=0700")
    mount("/dev/shm", "tmpfs", HELD, "size=16m,mode=1777")
    mount("/dev/mqueue", "mqueue", HELD)
    mount("/dev/pts", "devpts", NOSUID | NOEXEC, "newinstance,ptmxmode=0666,mode=0620")


def hold(done):
    """In PID 1 of new namespaces. Never returns."""
    try:
        lay_out()
        os.write(done, b"1")
        os.closerange(0, 256)
        while True:
            signal.pause()
    except BaseException as error:
        os.write(2, f"the namespaces of a candidate could not be laid out: {error}\n".encode())
    finally:
        os._exit(1)


def make_spaces(asked, answers):
    """In the helper. For each byte new namespaces: the pid of their PID 1 is told, once when it is there and once when it is done.
    The kernel collects it, and what ends in them without a parent."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    gc.disable()
    lay_out_shared()
    while os.read(asked, 1):
        ready, done = os.pipe()
        pid = checked(LIBC.syscall(SYS_CLONE, NEWPID | BESIDE | signal.SIGCHLD, 0, 0, 0, 0), "namespaces")
        if pid == 0:
            hold(done)
        os.close(done)
        os.write(answers, struct.pack("<i", pid))
        if not os.read(ready, 1):
            return
        os.write(answers, struct.pack("<i", pid))
        os.close(ready)


class Spaces:
    """The namespaces of the candidate that runs, or else those of the next one; `pid` is their PID 1."""

    def __init__(self):
        (asked, self.ask), (self.answers, answers) = os.pipe(), os.pipe()
        if os.fork() == 0:
            try:
                os.close(self.ask)
                os.close(self.answers)
                make_spaces(asked, answers)
            except OSError as error:
                os.write(2, f"{error}\n".encode())
            finally:
                os._exit(1)
        os.close(asked)
        os.close(answers)
        self.order()
        self.arrive()

    def answer(self):
        told = os.read(self.answers, 4)
        if len(told) != 4:
            raise OSError("no namespaces could be made")
        return struct.unpack("<i", told)[0]

    def order(self):
        """New ones, which are made while others work; `arrive` waits until their PID 1 is there."""
        os.write(self.ask, b"n")

    def arrive(self):
        self.pid = self.answer()

    def fork(self):
        """As os.fork, without what modules want done at a fork: this process has one thread, and a copy of each page that is touched
        costs more than all else. The child is process 2 of the namespaces, and in the others when it has called `enter`."""
        self.answer()
        self.first = os.pidfd_open(self.pid)
        checked(LIBC.setns(self.first, NEWPID), "the process namespace")
        return checked(LIBC.fork(), "a process")

    def enter(self):
        checked(LIBC.setns(self.first, BESIDE), "the namespaces")

    def kill(self):
        """PID 1 takes everything in the namespaces with it, and waits for the candidate, which the parent must collect."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def end(self):
        self.kill()
        gone = select.poll()
        gone.register(self.first, select.POLLIN)
        gone.poll()
        os.close(self.first)
