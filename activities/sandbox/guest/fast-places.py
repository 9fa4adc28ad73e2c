# Second part of the fast level's parent: what candidates can write to, and how it is made empty again.
BOX = "/box"
PLACES = (BOX, "/dev/shm", "/dev/mqueue")
OOM_COUNTERS = ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
CPU_COUNTERS = ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu.stat")
MAX_LEFT = 5000


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


def devices():
    """The device files, which all candidates share."""
    for folder in ("/dev", "/dev/pts"):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if stat.S_ISCHR(os.lstat(path).st_mode) and not name.isdigit():
                yield path


def only_known_places_are_writable():
    """A place that candidates can write to and that is not wiped would carry messages from one to the next."""
    with open("/proc/self/mounts") as file:
        for line in file:
            _, path, kind, options = line.split()[:4]
            if "rw" not in options.split(",") or kind in ("proc", "devpts") or path in PLACES:
                continue
            if os.stat(path).st_mode & stat.S_IWOTH and os.path.isdir(path):
                fail(f"expected {', '.join(PLACES)} as the only writable places, got {path} ({kind}) too")


def levels():
    """What must be the same after each candidate; the times of what all share are set back on the way."""
    found = []
    for place in PLACES:
        os.utime(place, (0, 0))
        rest = os.statvfs(place)
        found.append((place, rest.f_bfree, rest.f_ffree, os.listdir(place)))
    for path in devices():
        os.utime(path, (0, 0))
        now = os.lstat(path)
        found.append((path, now.st_mode, now.st_uid, now.st_gid))
    return found


def wipe(place):
    """Removes all below a place; what is nested is moved up first, so that no path gets long. Nobody else runs now."""
    names, moved = os.listdir(place), 0
    while names:
        path = os.path.join(place, names.pop())
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            continue
        for inner in os.listdir(path):
            moved += 1
            if moved > MAX_LEFT:
                raise OSError(f"more than {MAX_LEFT} files were left")
            os.rename(os.path.join(path, inner), os.path.join(place, f"left.{moved}"))
            names.append(f"left.{moved}")
        os.rmdir(path)


def wait_for_baseline(baseline):
    """Waits for what a dead process held open, which goes a moment after it."""
    for pause in (0.001, 0.01, 0.05, 0.2):
        now = levels()
        if now == baseline:
            return
        time.sleep(pause)
    fail(f"expected {baseline} after a candidate, got {now}")
