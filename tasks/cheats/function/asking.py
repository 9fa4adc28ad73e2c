# Reaches for the harness's line to the evaluator and asks what it likes.
# variant without-end: [Ask({"x0": 0.0})] * 10**6
# variant nothing: [Ask(None)]
# variant nan: [Raw(b'{"value": NaN, "arrays": []}')]
# variant a-giant: [Ask("x" * 30_000_000)]
# variant a-deep-one: [Raw(b'{"value": ' + b"[" * 100000 + b"]" * 100000 + b', "arrays": []}')]
# variant a-verdict: [Ask({"valid": True, "score": 1e9}), Ask({"score": 1e9})]
# variant an-array-beyond-its-bytes: [Raw(b'{"value": {"$array": 0}, "arrays": [{"dtype": "<f8", "shape": [1000000, 1000000, 1000]}]}')]
# variant an-array-of-objects: [Raw(b'{"value": {"$array": 0}, "arrays": [{"dtype": "|O", "shape": [1]}]}' + b"12345678")]
# variant a-negative-shape: [Raw(b'{"value": {"$array": 0}, "arrays": [{"dtype": "<f8", "shape": [-1]}]}')]
import os, struct, sys

__PROGRAM__

honest = __ENTRY__


class Ask:
    """A question through the harness, well-formed on its way."""

    def __init__(self, message):
        self.message = message

    def send(self, ask):
        ask(self.message)


class Raw:
    """A question written by hand, behind the harness's back; the reply is left to the harness."""

    def __init__(self, text):
        self.text = text

    def send(self, ask):
        payload = struct.pack(">I", len(self.text)) + self.text
        for fd in range(3, 16):
            try:
                os.write(fd, b"K" + struct.pack(">I", len(payload)) + payload)
            except OSError:
                pass


def find(name):
    frame = sys._getframe(1)
    while frame is not None:
        if callable(frame.f_locals.get(name)):
            return frame.f_locals[name]
        frame = frame.f_back
    return None


def __ENTRY__(*given, **named):
    ask = find("ask")
    for question in __VARIANT__:
        question.send(ask)
    return honest(*given, **named)
