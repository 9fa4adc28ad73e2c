# Stands for a program in another language: starts it, and calls it by lines of JSON on its stdin and stdout (docs/tasks.md,
# Other languages). To the runner this text is the program, and any function that is asked of it is a call of the other
# one. The host adds a last line that makes PROGRAM.
import json, os, signal, subprocess, sys, zlib

DTYPES = {"float64": "<f8", "float32": "<f4", "int64": "<i8", "int32": "<i4", "bool": "|b1"}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
LONGEST_LINE = 1 << 26


class Program:
    """The other process. What it writes on stderr is what the program prints."""

    def __init__(self, command, files):
        folder = os.environ.get("TMPDIR", "/tmp")
        for name, text in files.items():
            place = os.path.join(folder, name)
            with open(place, "wb") as file:
                file.write(zlib.decompress(bytes.fromhex(text)))
            os.chmod(place, 0o700)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)

    def call(self, name, args):
        """A function among the arguments answers what the program asks."""
        ask = next((one for one in args if callable(one)), None)
        self.send({"call": name}, "args", [one for one in args if not callable(one)])
        while True:
            said = self.read()
            if "value" in said:
                return said["value"]
            if "checkpoint" in said:
                checkpoint(said["checkpoint"])
            elif "ask" in said and ask:
                self.send({}, "answer", ask(said["ask"]))
            elif "error" in said:
                raise failure(str(said["error"]))
            else:
                raise failure(f"expected a line with value, error, checkpoint{' or ask' if ask else ''}, got {str(said)[:100]}")

    def send(self, line, key, value):
        arrays = []
        line[key] = lowered(value, arrays)
        try:
            self.process.stdin.write(json.dumps(line, separators=(",", ":")).encode() + b"\n" + b"".join(arrays))
            self.process.stdin.flush()
        except BrokenPipeError:
            self.ended()

    def read(self):
        line = self.process.stdout.readline(LONGEST_LINE)
        if not line.endswith(b"\n"):
            if len(line) == LONGEST_LINE:
                raise failure(f"expected lines of at most {LONGEST_LINE} bytes on stdout")
            self.ended()
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise failure(f"expected lines of JSON objects on stdout (what it prints goes to stderr), got {line[:100].decode('utf-8', 'replace').strip()!r}")
        return self.raised(said)

    def raised(self, value):
        """With the arrays whose bytes follow the line."""
        if isinstance(value, list):
            return [self.raised(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$array" not in value:
            return {key: self.raised(one) for key, one in value.items()}
        dtype, shape = DTYPES.get(value["$array"]), value.get("shape")
        if dtype is None or not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
            raise failure(f"expected an array of {', '.join(DTYPES)} with its shape, got {str(value)[:100]}")
        count = int(dtype[-1])
        for size in shape:
            count *= size
        data = self.process.stdout.read(count) if count else b""
        if len(data) < count:
            self.ended()
        # The name in one word would have it imported for every program.
        return __import__("num" "py").frombuffer(data, dtype).reshape(shape).copy()

    def ended(self):
        """As if it were this process that ended."""
        code = self.process.wait()
        if code == 0:
            os.write(2, b"the program ended before it gave an answer\n")
        os._exit(128 - code if code < 0 else code or 1)


def lowered(value, arrays):
    """As JSON; arrays become their form, and their bytes a part of `arrays`."""
    if isinstance(value, (list, tuple)):
        return [lowered(one, arrays) for one in value]
    if isinstance(value, dict):
        return {key: lowered(one, arrays) for key, one in value.items()}
    if hasattr(value, "tobytes"):
        if value.ndim == 0:
            return value.item()
        arrays.append(value.tobytes())
        return {"$array": NAMES[value.dtype.str], "shape": list(value.shape)}
    return value


def failure(text):
    """Said in one line: a traceback of this file helps nobody."""
    os.write(2, f"{text[:1000]}\n".encode("utf-8", "replace"))
    error = RuntimeError(text[:1000])
    error.shown = True
    return error


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *args: PROGRAM.call(name, args)


