# Writes answers before it is asked.
# variant at-import: IMPORT
# variant ready-at-import: READY
# variant in-a-call: CALL
# variant from-a-thread: THREAD
# variant from-a-child: CHILD
# expects: no_solution invalid_output
import json, os, struct, threading, time

__PROGRAM__

honest = __ENTRY__
IMPORT, READY, CALL, THREAD, CHILD = range(5)
WHEN = __VARIANT__


def reply(kind=b"V", value=1e9):
    text = json.dumps({"value": value, "arrays": []}).encode()
    payload = struct.pack(">I", len(text)) + text if kind == b"V" else b""
    for fd in range(3, 16):
        try:
            os.write(fd, kind + struct.pack(">I", len(payload)) + payload)
        except OSError:
            pass


def again_and_again():
    while True:
        reply()
        time.sleep(0.001)


if WHEN == IMPORT:
    reply()
elif WHEN == READY:
    reply(b"L")
    reply(b"L")


def __ENTRY__(*given, **named):
    if WHEN == CALL:
        reply()
    elif WHEN == THREAD:
        threading.Thread(target=again_and_again, daemon=True).start()
        time.sleep(0.1)
    elif WHEN == CHILD:
        if os.fork() == 0:
            again_and_again()
        time.sleep(0.1)
    return honest(*given, **named)
