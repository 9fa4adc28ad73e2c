# Says what the container that it is in has used: for each line of its input one line with the CPU time in microseconds,
# the peak of its memory in bytes, and how many processes were killed for memory, each - where nothing says it. It begins
# before there is a program, which has the same uid: the program may end it, but neither trace it nor write its output.
import ctypes, glob, os, sys

PR_SET_DUMPABLE = 4
ROOT = "/sys/fs/cgroup/"
ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def read(name):
    try:
        with open(ROOT + name) as file:
            return file.read()
    except OSError:
        return None


def field(text, name):
    words = (text or "").split()
    return int(words[words.index(name) + 1]) if name in words else None


def first(*names):
    return next((int(text) for text in map(read, names) if text is not None), None)


def of_processes():
    """The use of living processes and of the children that they waited for, where there are no cgroups."""
    ticks = 0
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
        except OSError:
            pass
    return ticks * 1_000_000 // os.sysconf("SC_CLK_TCK")


def cpu():
    used = field(read("cpu.stat"), "usage_usec")
    if used is None:
        nanoseconds = first("cpuacct/cpuacct.usage", "cpu,cpuacct/cpuacct.usage")
        used = None if nanoseconds is None else nanoseconds // 1000
    return of_processes() if used is None else used


def kills():
    counted = field(read("memory.events"), "oom_kill")
    return field(read("memory/memory.oom_control"), "oom_kill") if counted is None else counted


while True:
    peak = first("memory.peak", "memory/memory.max_usage_in_bytes")
    print(*("-" if value is None else value for value in (cpu(), peak, kills())), flush=True)
    if not sys.stdin.readline():
        break
