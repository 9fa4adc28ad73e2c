# Reaches into the runner: replaces its checks and writes its frames itself.
# expects: no_solution invalid_output program_error output_limit or invalid
import sys

__PROGRAM__

honest = __ENTRY__


def __ENTRY__(*given, **named):
    runner = sys.modules["__main__"]
    runner.plain = lambda value, depth=0: value
    runner.encode = lambda solution: b'{"score": NaN}'
    runner.wire_encode = lambda value: b'\x00\x00\x00\x0e{"value": NaN}'
    frame = sys._getframe(1)
    while frame is not None:
        emit = frame.f_locals.get("emit")
        if callable(emit):
            emit(b"S", b'{"score": 1e999}')
            break
        frame = frame.f_back
    return honest(*given, **named)
