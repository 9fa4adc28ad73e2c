"""Runs an OpenEvolve evaluator beside the program that it imports, in the program's own container: nothing of this can be trusted.

The evaluator's source is below; it gets the path of a file with the program, and gives a dict of metrics or an EvaluationResult.
"""
import linecache
import os
import sys
import types

EVALUATOR = __EVALUATOR__


class EvaluationResult:
    """The part of OpenEvolve's class of this name that evaluators use."""

    def __init__(self, metrics=None, artifacts=None):
        self.metrics, self.artifacts = dict(metrics or {}), dict(artifacts or {})

    def to_dict(self):
        return self.metrics


def install():
    package, module = types.ModuleType("openevolve"), types.ModuleType("openevolve.evaluation_result")
    module.EvaluationResult = EvaluationResult
    package.evaluation_result = module
    sys.modules.update({"openevolve": package, "openevolve.evaluation_result": module})


def invoke(function, request, ask):
    install()
    folder = os.environ.get("TMPDIR", "/tmp")
    path = os.path.join(folder, "program.py")
    with open(path, "w") as file:
        file.write("".join(linecache.getlines("<program>")))
    evaluator = types.ModuleType("evaluator")
    evaluator.__file__ = os.path.join(folder, "evaluator.py")
    sys.modules["evaluator"] = evaluator
    exec(compile(EVALUATOR, "<evaluator>", "exec"), evaluator.__dict__)
    found = evaluator.evaluate(path)
    metrics = found.metrics if hasattr(found, "metrics") else found
    return {str(name): plain(value) for name, value in metrics.items()}


def plain(value):
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, (bool, int, str)) or isinstance(value, float) and abs(value) < float("inf") else str(value)
