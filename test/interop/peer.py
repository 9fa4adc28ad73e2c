"""Scores the initial program of an example by the evaluator of its own system, as that system calls it."""
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tempfile

job = json.loads(sys.argv[1])
folder, results = job["folder"], tempfile.mkdtemp()
place = {name: os.path.join(folder, job[name]) for name in ("evaluator", "program")}
NAMES = ("combined_score", "score")


def load(path):
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(name):
    with open(os.path.join(results, name), encoding="utf-8") as file:
        return json.load(file)


def by_script(*arguments):
    subprocess.run([sys.executable, place["evaluator"], *arguments], cwd=os.path.dirname(place["evaluator"]), stdout=sys.stderr, check=True)


def shinkaevolve():
    by_script("--program_path", place["program"], "--results_dir", results)
    return read("metrics.json")


def codeevolve():
    by_script(place["program"], os.path.join(results, "results.json"))
    return read("results.json")


def thetaevolve():
    configs = os.path.join(folder, "configs")
    os.environ["OPENEVOLVE_CONFIG_PATH"] = os.path.join(configs, sorted(os.listdir(configs))[0])
    return load(place["evaluator"]).evaluate(place["program"], results)


def openevolve():
    os.chdir(os.path.dirname(place["evaluator"]))
    found = load(place["evaluator"]).evaluate(place["program"])
    return found if not inspect.isawaitable(found) else __import__("asyncio").run(found)


def llm4ad():
    from llm4ad.base import Evaluation, SecureEvaluator

    module = load(place["evaluator"])
    own = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Evaluation) and one.__module__ == module.__name__]
    evaluator = SecureEvaluator(own[-1](), debug_mode=True)
    return {"score": float(evaluator.evaluate_program(job["initial"].strip()))}


def gepa():
    import gepa.optimize_anything as anything

    called = {}
    anything.optimize_anything = lambda **named: called.update(named)
    module = load(place["evaluator"])
    if job["function"] == "evaluate_candidate":
        module.main()
    evaluator = called.get("evaluator") or getattr(module, job["function"])
    return {"score": evaluator(*[job["initial"].strip(), None][: evaluator.__code__.co_argcount])[0]}


WAYS = {"shinkaevolve": shinkaevolve, "codeevolve": codeevolve, "thetaevolve": thetaevolve, "llm4ad": llm4ad, "gepa": gepa}
said, sys.stdout = sys.stdout, sys.stderr
found = WAYS.get(job["format"], openevolve)()
numbers = dict(getattr(found, "metrics", found))
name = next(name for name in (job["score"], *NAMES, *numbers) if name in numbers)
print(json.dumps({"score": float(numbers[name])}), file=said)
