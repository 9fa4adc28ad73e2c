"""Writes what a solver found beside its script, judged by the task's own evaluator. Called by scripts in fixtures/gold."""
import importlib.util
import json
import platform
import sys
from pathlib import Path


def evaluator_of(script):
    """The evaluator.py of the task in whose fixtures/gold the script lies."""
    path = Path(script).resolve().parents[2] / "evaluator.py"
    spec = importlib.util.spec_from_file_location("evaluator", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def machine():
    """The processor and the versions that decide a solver's last digits."""
    import numpy
    import scipy
    named = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")] if Path("/proc/cpuinfo").exists() else []
    return f"one core of {(named or [platform.machine()])[0]}, Python {sys.version.split()[0]}, numpy {numpy.__version__}, scipy {scipy.__version__}"


def write(script, instance, solution, strict, how, seconds):
    """`strict` names the metric of the strict score; None where a task has no tolerance. Raises where the evaluator refuses the solution."""
    verdict = evaluator_of(script).evaluate(instance, solution)
    if not verdict["valid"]:
        raise SystemExit(f"expected a valid solution, got: {'; '.join(verdict['reasons'])}")
    path = Path(script).resolve()
    record = {"name": path.stem, "score": verdict["score"], "strict": verdict["metrics"][strict] if strict else True, "how": how, "script": path.name,
              "seconds": round(seconds, 1), "machine": machine(), "solution": solution}
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items())
    path.with_suffix(".json").write_text("{\n" + head + "\n}\n")
    print(f"{path.stem}: score {verdict['score']!r}, strict {record['strict']!r}, {seconds:.1f} s")
