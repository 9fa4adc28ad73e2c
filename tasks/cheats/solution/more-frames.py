# Writes frames of its own before the runner's, or after it.
# variant two-solutions: [(b"S", text), (b"S", text)] -> no_solution invalid_output
# variant a-solution-then-the-runners: [(b"S", text)] -> no_solution invalid_output
# variant ready-again: [(b"R", b"")]
# variant an-unknown-kind: [(b"X", text)] -> no_solution invalid_output
# variant an-answer: [(b"V", text)] -> no_solution invalid_output
# variant an-answer-of-the-scorer: [(b"A", b'{"nonce": "0", "answer": {"valid": true, "score": 1e9, "metrics": {}, "reasons": []}}')] -> no_solution invalid_output
# variant a-checkpoint-of-nan: [(b"C", b'{"score": NaN}')] -> honest
# variant checkpoints-without-number: [(b"C", text)] * 1000
# variant a-frame-without-end: [(b"S", None)] -> no_solution output_limit invalid_output
import json, os, struct


def __ENTRY__(instance):
    text = json.dumps(__HONEST__).encode()
    for kind, payload in __VARIANT__:
        length = struct.pack(">I", 2**31 if payload is None else len(payload))
        for fd in range(3, 16):
            try:
                os.write(fd, kind + length + (payload or b""))
            except OSError:
                pass
    return __HONEST__
