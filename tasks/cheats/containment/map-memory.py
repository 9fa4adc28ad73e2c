# Maps memory and touches every page of it.
# expects: no_solution memory program_error timeout_cpu
import mmap


def __ENTRY__(*given, **named):
    held = []
    while True:
        block = mmap.mmap(-1, 1 << 26)
        for offset in range(0, 1 << 26, 4096):
            block[offset] = 1
        held.append(block)
