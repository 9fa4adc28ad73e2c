# The candidate of a `function` task as its evaluator sees it, inside the trusted container: calls go out as frames,
# answers come back as data. The host relays the frames and keeps the clock. This text stands behind resident.py and
# wire.py and before scorer.py.
import math, os, struct


class CandidateError(Exception):
    """A call that gave no answer. `kind` is raised (the program's exception), malformed, late, gone (its process ended)."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Answer:
    """What a call gave: `value`; `wall_ms` from the first byte of the request to the last byte of the answer, by the host's clock;
    `cpu_ms` of the candidate's whole container, or None where it was not asked for or cannot be read."""

    def __init__(self, value, wall_ms, cpu_ms):
        self.value, self.wall_ms, self.cpu_ms = value, wall_ms, cpu_ms


class Candidate:
    """One program in its own container. One call at a time; every call gets fresh copies of everything."""

    def __init__(self, out, beside=False):
        self._out, self._beside = out, beside
        self.calls = 0
        self.gone = None

    def call(self, request, on_ask=None, seconds=None, measure=False):
        """Sends `request` to the harness's `invoke(function, request, ask)`. `on_ask(message)` answers what the program asks meanwhile;
        `seconds` of wall clock end the program; `measure` reads its CPU time. Returns an Answer or raises CandidateError."""
        if self.gone:
            raise CandidateError("gone", self.gone)
        self.calls += 1
        self._send(b"Q", struct.pack(">dB", seconds or 0.0, 1 if measure else 0) + wire_encode(request))
        while True:
            kind, payload = _read_message()
            if kind == b"K":
                self._reply(payload, on_ask)
            elif kind == b"V":
                wall_ms, cpu_ms = struct.unpack(">dd", payload[:16])
                return Answer(self._decoded(payload[16:]), wall_ms, None if math.isnan(cpu_ms) else cpu_ms)
            elif kind == b"E":
                raise CandidateError("raised", payload.decode("utf-8", "replace")[:300])
            else:
                self.gone = payload.decode("utf-8", "replace")[:300]
                raise CandidateError("late" if kind == b"T" else "gone", self.gone)

    def _reply(self, payload, on_ask):
        if on_ask is None:
            raise self._broken("expected an answer, the program asked for something")
        message = self._decoded(payload)
        try:
            reply = wire_encode(on_ask(message))
        except Exception as error:
            self._broken(f"a question could not be answered: {error}"[:300])
            raise
        self._send(b"P", reply)

    def _decoded(self, payload):
        try:
            return wire_decode(payload)
        except WireError as error:
            raise self._broken(str(error)) from None

    def _broken(self, message):
        """After a malformed message nothing that follows can be told apart: the program is ended."""
        self.gone = message
        self._send(b"Z", b"")
        return CandidateError("malformed", message)

    def _send(self, kind, payload):
        kind = kind.lower() if self._beside else kind
        view = memoryview(kind + struct.pack(">I", len(payload)) + payload)
        while view:
            view = view[os.write(self._out, view):]


def _read_message():
    kind = _read_exactly(1)
    return kind, _read_exactly(struct.unpack(">I", _read_exactly(4))[0])
