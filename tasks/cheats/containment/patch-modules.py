# Patches what the runner uses to write its answer, and the clocks and chance of the standard library.
# expects: invalid or no_solution or honest
import json, math, random, struct, time


def __ENTRY__(*given, **named):
    json.dumps = lambda *args, **rest: '{"valid": true, "score": 1000000000.0}'
    math.isfinite = lambda value: True
    time.time = time.perf_counter = time.process_time = time.monotonic = lambda: 0.0
    random.random = lambda: 0.0
    struct.pack = lambda *args: b"\x00\x00\x00\x02"
    return {}
