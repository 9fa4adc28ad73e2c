# Sets every clock of its process back, so that no time seems to pass.
# expects: honest or valid or no_solution
import time

__PROGRAM__

time.time = time.perf_counter = time.process_time = time.monotonic = lambda: 0.0
time.time_ns = time.perf_counter_ns = time.process_time_ns = time.monotonic_ns = lambda: 0
