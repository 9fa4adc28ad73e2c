# Fills the scratch space and shared memory, and the memory that stands behind them.
# expects: honest or no_solution memory
__PROGRAM__

for path in ("/box/fill", "/box/fill2", "/dev/shm/fill"):
    try:
        with open(path, "wb") as file:
            while True:
                file.write(b"x" * (1 << 20))
    except OSError:
        pass
