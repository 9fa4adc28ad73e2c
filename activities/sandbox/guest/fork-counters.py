# Second part of the parent of the level `fork`: the counters of its container, and its own state.
OOM_COUNTERS = ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
CPU_COUNTERS = ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu.stat")
# The parent may map so much more than at its start, for frames that were large.
MOST_GROWTH = 32 << 20
# Memory of the container beyond that at its start, which the kernel frees late, and the longest wait for it.
MOST_LEFT, FREE_SECONDS = 8 << 20, 2
MEMORY_COUNTERS = ("/sys/fs/cgroup/memory/memory.stat", "/sys/fs/cgroup/memory.stat")


class OomCounter:
    def __init__(self):
        path = next((path for path in OOM_COUNTERS if os.access(path, os.R_OK)), None)
        if path is None:
            fail(f"expected a counter of killed processes in {' or '.join(OOM_COUNTERS)}")
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self):
        rows = dict(line.split() for line in os.pread(self.fd, 4096, 0).decode().splitlines())
        return int(rows["oom_kill"])


class CpuCounter:
    """Seconds of CPU that the whole container has used, this parent included; None where no counter can be read."""

    def __init__(self):
        path = next((path for path in CPU_COUNTERS if os.access(path, os.R_OK)), None)
        self.fd = None if path is None else os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self):
        if self.fd is None:
            return None
        text = os.pread(self.fd, 4096, 0).decode()
        if text.strip().isdigit():
            return int(text) / 1e9
        return int(dict(line.split() for line in text.splitlines())["usage_usec"]) / 1e6


class MemoryCounter:
    """Bytes of the container that the kernel cannot take back at will; file pages are none of them. 0 where they cannot be read."""

    def __init__(self):
        path = next((path for path in MEMORY_COUNTERS if os.access(path, os.R_OK)), None)
        self.fd = None if path is None else os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self):
        if self.fd is None:
            return 0
        rows = dict(line.split() for line in os.pread(self.fd, 16384, 0).decode().splitlines())
        return sum(int(rows.get(name, 0)) for name in ("rss", "anon", "shmem", "kernel"))


def mapped():
    """Bytes of address space of this process."""
    with open("/proc/self/statm", "rb", 0) as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def own_cpu():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def standing(first):
    """The state that must be the same after each candidate: open files, mounts, and processes of the container but for PID 1 of the
    namespaces."""
    with open("/proc/self/mountinfo", "rb", 0) as file:
        mounts = file.read()
    return (len(os.listdir("/proc/self/fd")), mounts, sorted(name for name in os.listdir("/proc") if name.isdigit() and name != str(first)))
