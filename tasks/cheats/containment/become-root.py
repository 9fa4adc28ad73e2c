# Tries to become somebody else, to leave its root, to make devices and to lift its own limits.
# expects: honest
import os, resource

__PROGRAM__

def lift():
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def write_limits():
    with open("/sys/fs/cgroup/memory.max", "w") as file:
        file.write("max")


TRIES = {
    "setuid": lambda: os.setuid(0), "setgid": lambda: os.setgid(0), "setgroups": lambda: os.setgroups([0]), "chroot": lambda: os.chroot("/box"),
    "a device": lambda: os.mknod("/box/memory", 0o20666, os.makedev(1, 1)), "the CPU limit": lift, "the memory limit": write_limits,
    "a file of the root": lambda: open("/etc/evil", "w"), "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
}


for name, attempt in TRIES.items():
    try:
        attempt()
        print("breach:", name, flush=True)
    except OSError:
        pass
    except ValueError:
        pass
