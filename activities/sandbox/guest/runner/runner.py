# Runs one candidate program inside its own single-use container, where it is sent as `python3 -c`. It waits with its
# imports done, reads one frame {code, entry, instance} and answers with frames: R ready, C checkpoint, S solution, D
# done, F where its time went, M a MemoryError ended it. In a `function` task it stays and answers calls: L loaded, then for each Q a V (value) or E (error), with K (a
# question) or G (requests to a model) and P (the reply) between. In a `script` task the harness gets the job and loads the program itself. The candidate shares this process, so whatever comes out is a claim and never a
# score. This text stands behind wire.py,
# files.py and profile.py.
import _thread, importlib, json, linecache, math, os, random, struct, sys, traceback, types

MAX_DEPTH = 8
# Limits on the checkpoints of one run, in units of the largest solution (12 MB, enough for thousands of ordinary ones) and
# as a number. The host allows more of both.
CHECKPOINT_BUDGET_FRAMES = 3
MAX_CHECKPOINTS = 10_000
# Words of programs that read their own file, or start processes that import it.
WANTS_FILES = re.compile("__file__|multiprocess|ProcessPool|joblib|loky|n_jobs")


def plain(value, depth=0):
    """Lists, numbers, strings and dicts with string keys; numpy arrays and scalars become these."""
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if abs(value) <= 2**53 else str(value)
    if kind is float:
        if not math.isfinite(value):
            raise ValueError(f"expected finite numbers, got {value!r}")
        return value
    if kind is list or kind is tuple:
        return [plain(item, depth + 1) for item in value]
    if kind is dict:
        bad = next((key for key in value if type(key) is not str), None)
        if bad is not None:
            raise TypeError(f"expected string keys, got {type(bad).__name__}")
        return {key: plain(item, depth + 1) for key, item in value.items()}
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype != object:
        return plain(value.tolist(), depth)
    raise TypeError(f"expected lists, numbers, strings, dicts or numpy arrays, got {kind.__name__}")


def encode(solution):
    return json.dumps(plain(solution), allow_nan=False, separators=(",", ":")).encode()


def flush():
    """A program may have closed or replaced the stream; that is no failure of its own."""
    try:
        sys.stderr.flush()
    except Exception:
        pass


def claim(solution):
    """The solution as bytes, or None where it is refused."""
    try:
        return encode(solution)
    except MemoryError:
        raise
    except Exception as error:
        flush()
        try:
            os.write(2, f"solution refused: {error}\n".encode("utf-8", "replace"))
        except OSError:
            pass
        return None


def boot():
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    names, sys.argv[1:] = sys.argv[1:], []
    for name in names:
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    return out


def show(error):
    if hasattr(error, "shown"):
        return flush()
    tb = error.__traceback__
    try:
        traceback.print_exception(type(error), error, tb.tb_next if tb else None, limit=-8)
    except Exception:
        pass
    flush()


def let_numba_keep_nothing():
    """Numba keeps what it compiled beside a file and refuses where there is none; here nothing would read it again."""
    for name, kind in (("numba.core.dispatcher", "Dispatcher"), ("numba.np.ufunc.ufuncbuilder", "UFuncDispatcher")):
        try:
            getattr(importlib.import_module(name), kind).enable_caching = lambda _: None
        except Exception:
            pass


def read_message(fd):
    head = read_from(fd, 5)
    return head[:1], read_from(fd, struct.unpack(">I", head[1:])[0])


def read_from(fd, count):
    parts = []
    while count > 0:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def answer_calls(harness, function, emit, exchange, calls):
    """Serves the evaluator until it closes the pipe."""
    space = types.ModuleType("harness").__dict__
    linecache.cache["<harness>"] = (len(harness), None, harness.splitlines(True), "<harness>")
    exec(compile(harness, "<harness>", "exec"), space)

    def ask(message):
        return wire_decode(exchange(b"K", wire_encode(message)))

    flush()
    emit(b"L", b"")
    while True:
        _, payload = read_message(calls)
        try:
            answer = wire_encode(space["invoke"](function, wire_decode(payload), ask))
        except MemoryError:
            raise
        except Exception as error:
            show(error)
            emit(b"E", f"{type(error).__name__}: {error}"[:300].encode("utf-8", "replace"))
        else:
            emit(b"V", answer)


def main():
    out = boot()

    writing = [_thread.allocate_lock()]
    # Another thread may write while a program forks, and nothing in the child would ever let go.
    os.register_at_fork(after_in_child=lambda: writing.__setitem__(0, _thread.allocate_lock()))

    def framed(kind, payload):
        return kind + struct.pack(">I", len(payload)) + payload

    def write(frames):
        view = memoryview(frames)
        while view:
            view = view[os.write(out, view):]

    def emit(kind, payload, more=b""):
        with writing[0]:
            write(framed(kind, payload) + more)

    def tell(facts):
        """Comes between any two instructions of the program, so also while a frame is written."""
        if writing[0].acquire(False):
            try:
                write(framed(b"F", facts))
            except OSError:
                pass
            finally:
                writing[0].release()

    def exchange(kind, payload):
        emit(kind, payload)
        return read_message(calls)[1]

    emit(b"R", b"")
    job = json.loads(read_from(0, struct.unpack(">I", read_from(0, 4))[0]))
    if "env" in job:
        os.environ.update(job["env"])
    calls = os.dup(0)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    budget = [job["output_bytes"] * CHECKPOINT_BUDGET_FRAMES, MAX_CHECKPOINTS]

    def checkpoint(solution):
        """Saves a solution: the last one may count when the time runs out."""
        payload = encode(solution)
        if budget[0] >= len(payload) and budget[1] > 0:
            budget[0] -= len(payload)
            budget[1] -= 1
            emit(b"F", profile.facts(), framed(b"C", payload))

    files, seed = program_files(job["code"]), job["instance"].get("seed", 0)
    code = files[0][1]
    random.seed(seed)
    if "numpy" in job["code"] or "numpy" in sys.modules:
        try:
            importlib.import_module("numpy").random.seed(seed % 2**32)
        except ImportError:
            pass
    linecache.cache["<program>"] = (len(code), None, code.splitlines(True), "<program>")
    profile = Profile(["<program>", *(f"<{path.removesuffix('.py').replace('/', '.')}>" for path, _ in files[1:])], tell)
    profile.start()
    try:
        if "script" in job:
            given = {**job, "files": files, "exchange": exchange, "profiled": profile.files}
            answer_calls(job["harness"], given, emit, exchange, calls)
        module = types.ModuleType("program")
        module.checkpoint = checkpoint
        sys.modules["program"] = module
        if WANTS_FILES.search(job["code"]):
            module.__file__ = leave_files(files)
        if len(files) > 1:
            offer_files(files)
        if "numba" in job["code"] and "cache" in job["code"]:
            let_numba_keep_nothing()
        exec(compile(code, "<program>", "exec"), module.__dict__)
        function = getattr(module, job["entry"])
        if job.get("harness") is not None:
            answer_calls(job["harness"], function, emit, exchange, calls)
        payload = claim(function(job["instance"]))
    except SystemExit as stop:
        # Python would say a text, and nothing else says why.
        if stop.code is None or isinstance(stop.code, int):
            flush()
        else:
            show(stop)
        os._exit(stop.code if type(stop.code) is int and 0 <= stop.code < 256 else 0 if stop.code is None else 1)
    except BaseException as error:
        tell(profile.facts())
        show(error)
        if isinstance(error, MemoryError):
            emit(b"M", b"")
        os._exit(1)
    flush()
    if payload is None:
        os._exit(0)
    # D is done. The host looks how the container is while it lives, then closes the pipe and waits for the end.
    emit(b"F", profile.facts(), framed(b"S", payload) + framed(b"D", b""))
    try:
        while os.read(calls, 1 << 16):
            pass
    finally:
        os._exit(0)


main()
