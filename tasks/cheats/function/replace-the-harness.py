# Replaces the harness's own function, the encoder and numpy's checks by ones that send what they like.
# variant invoke: harness(lambda function, request, ask: 1e9)
# variant encoder-of-nan: runner("wire_encode", lambda value: message(b'{"value": NaN, "arrays": []}'))
# variant encoder-of-duplicate-keys: runner("wire_encode", lambda value: message(b'{"value": 1, "value": 2, "arrays": []}'))
# variant encoder-of-objects: runner("wire_encode", lambda value: message(b'{"value": {"$array": 0}, "arrays": [{"dtype": "|O", "shape": [1]}]}') + b"12345678")
# variant encoder-of-nan-arrays: runner("wire_encode", lambda value: message(b'{"value": {"$array": 0}, "arrays": [{"dtype": "<f8", "shape": [1]}]}') + b"\xff" * 8)
# variant encoder-of-giant-arrays: runner("wire_encode", lambda value: message(b'{"value": {"$array": 0}, "arrays": [{"dtype": "<f8", "shape": [2147483648, 2147483648]}]}'))
# variant encoder-of-missing-arrays: runner("wire_encode", lambda value: message(b'{"value": {"$array": 1}, "arrays": []}'))
# variant encoder-of-nothing: runner("wire_encode", lambda value: b"")
# variant encoder-of-half-a-header: runner("wire_encode", lambda value: b"\xff\xff\xff\xff{")
# variant encoder-of-a-pickle: runner("wire_encode", lambda value: b"\x80\x04cos\nsystem\n(S'true'\ntR.")
# variant decoder: runner("wire_decode", lambda payload: [])
import struct, sys

__PROGRAM__

honest = __ENTRY__


def message(text):
    return struct.pack(">I", len(text)) + text


def runner(name, value):
    setattr(sys.modules["__main__"], name, value)


def harness(value):
    frame = sys._getframe(1)
    while frame is not None:
        if "invoke" in frame.f_globals:
            frame.f_globals["invoke"] = value
        if type(frame.f_locals.get("space")) is dict:
            frame.f_locals["space"]["invoke"] = value
        frame = frame.f_back


def __ENTRY__(*given, **named):
    __VARIANT__
    return honest(*given, **named)
