# Runs a person's own evaluator beside the program, in the program's container: nothing of this can be trusted. The
# evaluator is a copy in a folder with the files that it needs; the program is a file there too. This text stands behind
# shape.py, outcome.py and gateway.py.
import asyncio, base64, importlib.machinery, importlib.util, runpy, shlex, shutil, subprocess, sys, traceback

FOLDER = os.path.join(os.environ.get("TMPDIR", "/tmp"), "task")
RESULTS_FOLDER = os.path.join(os.environ.get("TMPDIR", "/tmp"), "results")
DATA_FOLDER = "/data"


def put(path, text, places=()):
    """A text that begins with NUL is base64 of a file that is no text. `places`: folders that sources name, and where they are here."""
    place = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    for named, here in places if path.endswith(".py") else ():
        text = re.sub(rf"(?<=['\"]){named}/", lambda match: f"{here}/", text)
    with open(place, "wb") as file:
        file.write(base64.b64decode(text[1:]) if text[:1] == "\0" else text.encode("utf-8", "surrogatepass"))
    return place


def link(path):
    place = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    os.symlink(os.path.join(DATA_FOLDER, path), place)


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    # A relative import means a file beside it.
    module.__package__ = "beside"
    sys.modules.setdefault("beside", types.ModuleType("beside")).__path__ = [os.path.dirname(path)]
    spec.loader.exec_module(module)
    return module


def register_loaded():
    """Dataclasses look for their module by its name, so what an evaluator loads from a file has it while it is loaded. Not longer: a
    process that is started has no module of that name."""
    plain = importlib.machinery.SourceFileLoader.exec_module

    def exec_module(loader, module):
        name = module.__name__
        if name in sys.modules:
            return plain(loader, module)
        sys.modules[name] = module
        try:
            return plain(loader, module)
        finally:
            sys.modules.pop(name, None)

    importlib.machinery.SourceFileLoader.exec_module = exec_module


class EvaluationResult:
    """The part that evaluators use of the class of this name in OpenEvolve and SkyDiscover."""

    def __init__(self, metrics=None, artifacts=None):
        self.metrics, self.artifacts = dict(metrics or {}), dict(artifacts or {})

    def to_dict(self):
        return self.metrics


def offer_results(folder):
    """Modules of these packages that lie beside the evaluator are found too."""
    for name in ("openevolve.evaluation_result", "skydiscover.evaluation.evaluation_result"):
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            part = ".".join(parts[:end])
            module = sys.modules.setdefault(part, types.ModuleType(part))
            module.__path__ = [os.path.join(folder, *parts[:end])]
        sys.modules[name].EvaluationResult = EvaluationResult


class Script:
    def __init__(self, job):
        script = self.script = job["script"]
        files = job["files"]
        programs = {script["program"]: job["code"]} if files[0][1] == job["code"] else dict(files)
        self.evaluator = os.path.join(FOLDER, script["file"])
        self.own = os.path.dirname(self.evaluator)
        # The root is read-only here. SkyDiscover's evaluators are in /benchmark.
        places = (("/tmp", os.path.dirname(FOLDER)), ("/benchmark", self.own))
        for path, text in script["files"].items():
            put(path, text, places)
        for path in script.get("data") or []:
            link(path)
        written = [put(path, text) for path, text in programs.items()]
        self.program = written[0]
        self.programs = set(written)
        job["profiled"].update(written)
        os.makedirs(RESULTS_FOLDER, exist_ok=True)
        self.results = os.path.join(RESULTS_FOLDER, "results.json")
        with open(self.evaluator, encoding="utf-8") as file:
            self.source = file.read()
        self.tree = ast.parse(self.source, self.evaluator)
        self.code = job["code"]
        self.name = os.path.splitext(os.path.basename(script["file"]))[0]

    def run(self):
        """What the evaluator returned, or None. Raises what it raises."""
        os.chdir(self.own)
        sys.dont_write_bytecode = True
        register_loaded()
        offer_results(self.own)
        folders = list(dict.fromkeys((self.own, os.path.dirname(self.program))))
        sys.path[:0] = folders
        # For programs that the evaluator starts.
        os.environ["PYTHONPATH"] = os.pathsep.join(folders)
        name = self.script.get("function") or (None if self.script.get("shape") == "script" else function_of(self.source, self.tree))
        if name not in (None, "main"):
            return self.call(name)
        try:
            return self.run_script() if name is None else self.call(name)
        except SystemExit as stop:
            if stop.code not in (None, 0) or self.is_of_program(stop):
                raise
            return None

    def is_of_program(self, stop):
        """Whether the program's code, as a file or as a text, was under way: its evaluator did not come to its own end then."""
        names = {frame.filename for frame in traceback.extract_tb(stop.__traceback__)}
        return any(name in self.programs or not name.startswith("<frozen ") and not os.path.exists(name) for name in names - {"<harness>"})

    def run_script(self):
        sys.argv = [self.evaluator, *argv_of(self.source, self.tree, self.program, RESULTS_FOLDER, self.results)]
        runpy.run_path(self.evaluator, run_name="__main__")

    def call(self, name):
        function = getattr(load(self.evaluator, self.name), name, None)
        if not callable(function):
            raise Refused(f"defines no function {name}")
        wanted = self.script.get("shape") or first_shape(function, name, self.tree)
        others, unknown = others_of(function, RESULTS_FOLDER, self.results, wanted)
        if unknown:
            raise Refused(f"{name} asks for {', '.join(unknown)}, and nothing here is called so: give {'it' if len(unknown) == 1 else 'them'} a default")
        returned = function(*(() if not inspect.signature(function).parameters else (self.first(wanted),)), **others)
        return asyncio.run(waited(returned)) if inspect.isawaitable(returned) else returned

    def first(self, shape):
        if shape == "text":
            return self.code
        if shape not in ("function", "module"):
            return self.program
        module = load(self.program, os.path.splitext(os.path.basename(self.program))[0])
        entry = self.script.get("entry")
        if shape == "module":
            return module
        if not callable(getattr(module, entry or "", None)):
            raise AttributeError(f"expected a function {entry}, the program defines none")
        return getattr(module, entry)


def run_command(command):
    """Runs it in the folder of all files: 1 where it ends with 0, else the end of what it printed. A module of Python is one too."""
    words = shlex.split(command)
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    elif shutil.which(words[0]) is None and "/" not in words[0] and importlib.util.find_spec(words[0]):
        words[:1] = [sys.executable, "-m", words[0]]
    with open(os.path.join(RESULTS_FOLDER, "printed"), "w+b") as log:
        try:
            status = subprocess.run(words, cwd=FOLDER, env={**os.environ, "PYTHONPATH": FOLDER, "PYTHONDONTWRITEBYTECODE": "1"}, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
        except OSError as error:
            return {"error": f"`{command}` does not run here: {error}"}
        log.seek(max(0, log.seek(0, 2) - LAST_BYTES))
        last = [line for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()][-MOST_LAST:]
    return {"score": 1} if status == 0 else {"error": f"`{command}` ended with {status}", "reasons": last}


MOST_LAST, LAST_BYTES = 15, 4_000


async def waited(value):
    return await value


def failure(error):
    """What the runner tells of an error: its words, with the last line of the evaluator or the program on the way to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(FOLDER)]
    place = f" ({os.path.relpath(frames[-1].filename, FOLDER)}, line {frames[-1].lineno})" if frames else ""
    sys.stderr.write("".join([*traceback.format_list(frames[-8:]), *traceback.format_exception_only(type(error), error)]))
    made = type(type(error).__name__, (Exception,), {"__module__": "builtins", "shown": True})
    return made(f"{error}{place}".strip())


def invoke(job, request, ask):
    own, printed = os.getpid(), Printed(sys.stdout)
    gateway = offer_model(job["exchange"]) if job.get("model") else None
    sys.stdout = printed
    file = job["script"]["file"]
    try:
        script = Script(job)
        if job["script"].get("command"):
            return Claim(run_command(job["script"]["command"])).plain(job["output_bytes"] // 2)
        returned = script.run()
        found = None if type(returned) is not tuple and returned is not None else written(RESULTS_FOLDER, script.own, job["script"]["files"])
        told = printed.found()
        value = returned if found is None else found
        value = told if value is None else value
        if isinstance(found, dict) and isinstance(told, dict):
            # A program may write files beside itself; a failure that the evaluator prints stands.
            value = {**found, **{word: told[word] for word in VERDICTS if word in told}}
        if value is None:
            raise Refused("returned nothing, printed no JSON and wrote no JSON file: return the score from evaluate(program_path)")
        claim = Claim(whole(value))
        claim.shown = {**files_in(RESULTS_FOLDER), **claim.shown}
        return claim.plain(job["output_bytes"] // 2)
    except Refused as refused:
        return {"refused": f"{file} {refused}"}
    except MemoryError:
        raise
    except BaseException as error:
        raise failure(error) from None
    finally:
        # A child that the evaluator forked comes here too: only its parent answers.
        if os.getpid() != own:
            os._exit(0)
        if gateway is not None:
            gateway.close()
        sys.stdout = printed.stream
