# Starts threads until there is no room for another.
# expects: honest or no_solution program_error memory timeout_wall timeout_cpu
import threading, time

__PROGRAM__

try:
    for _ in range(10000):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except RuntimeError:
    pass
