# A thread reads the evaluator's messages from the pipe before the runner can, and answers some of them itself.
# expects: honest or valid or invalid or no_solution
import json, os, struct, threading

__PROGRAM__

honest = __ENTRY__
started = []


def steal(fd):
    text = json.dumps({"value": 1e9, "arrays": []}).encode()
    payload = struct.pack(">I", len(text)) + text
    try:
        while os.read(fd, 1 << 16):
            for out in range(3, 16):
                try:
                    os.write(out, b"V" + struct.pack(">I", len(payload)) + payload)
                except OSError:
                    pass
    except OSError:
        pass


def __ENTRY__(*given, **named):
    if not started:
        started.append(True)
        for fd in range(3, 16):
            threading.Thread(target=steal, args=(fd,), daemon=True).start()
    return honest(*given, **named)
