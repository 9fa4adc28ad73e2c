# ptrace of PID 1, a new user namespace, a mount, io_uring, a key ring, SysV memory: all refused.
# expects: honest
import ctypes

__PROGRAM__

CALLS = {
    "ptrace": (101, 16, 1, 0, 0), "unshare": (272, 0x10000000), "mount": (165, 0, b"/box", b"tmpfs", 0, 0), "io_uring_setup": (425, 8, 0),
    "keyctl": (250, 0, -1), "shmget": (29, 0, 4096, 0o1600), "bpf": (321, 0, 0, 0), "userfaultfd": (323, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "clone(NEWUSER)": (56, 0x10000000 | 17, 0, 0, 0, 0),
}

libc = ctypes.CDLL(None, use_errno=True)
for name, (number, *rest) in CALLS.items():
    result = libc.syscall(number, *rest)
    if name.startswith("clone") and result == 0:
        libc._exit(0)
    if result != -1 or ctypes.get_errno() not in (1, 38):
        print("breach:", name, flush=True)
