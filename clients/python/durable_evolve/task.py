"""A task of two Python functions. Their sources, with all that they use, become its files."""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import re
import symtable
import sys
from functools import update_wrapper
from typing import Any, Callable, Iterator, Sequence, overload

from .errors import EvolveError

Function = Callable[..., Any]


class Evaluator:
    """A function that says what a program is worth. It can be called as before."""

    def __init__(self, function: Function, direction: str, packages: Sequence[str]) -> None:
        if direction not in ("maximise", "minimise"):
            raise EvolveError(f"evaluate: direction: expected maximise or minimise, got {direction!r}")
        update_wrapper(self, function)
        self.function, self.direction, self.packages = function, direction, list(packages)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


@overload
def evaluate(function: Function) -> Evaluator: ...
@overload
def evaluate(*, direction: str = ..., packages: Sequence[str] = ...) -> Callable[[Function], Evaluator]: ...
def evaluate(
    function: Function | None = None, *, direction: str = "maximise", packages: Sequence[str] = ()
) -> Evaluator | Callable[[Function], Evaluator]:
    """Marks a function that gets the program's function and returns its score, or a dict with `score` and other numbers."""
    if function is None:
        return lambda marked: Evaluator(marked, direction, packages)
    return Evaluator(function, direction, packages)


def files_of(initial: Function | str, evaluator: Evaluator) -> tuple[str, dict[str, str]]:
    """A name for runs of the task, and its files. Throws EvolveError where a source is not whole."""
    if not isinstance(evaluator, Evaluator):
        raise EvolveError("task: expected (initial, evaluate) with a function that is marked by @evaluate")
    source = initial if isinstance(initial, str) else Sources(initial).text
    entry = _only_function(source) if isinstance(initial, str) else initial.__name__
    name = evaluator.function.__name__
    module = evaluator.function.__module__.rpartition(".")[2]
    task = {
        # The name of the task, and so of an experiment of MLflow.
        "title": entry if module == "__main__" else f"{module} {entry}",
        "kind": "script",
        "direction": evaluator.direction,
        "entry": entry,
        "evaluate": {"file": "evaluator.py", "program": "initial.py", "shape": "function", "function": name},
        "limits": {"cpuSeconds": 300, "memoryMiB": 2048},
        **({"packages": evaluator.packages} if evaluator.packages else {}),
        **({"problem": evaluator.__doc__} if evaluator.__doc__ else {}),
    }
    evaluator_source = Sources(evaluator.function).text
    files = {"task.yaml": json.dumps(task, indent=2), "initial.py": source, "evaluator.py": evaluator_source}
    return re.sub("[^a-z0-9]+", "-", entry.lower()).strip("-")[:50] or "run", files


def _only_function(source: str) -> str:
    try:
        names = [one.name for one in ast.parse(source).body if isinstance(one, ast.FunctionDef)]
    except SyntaxError as error:
        raise EvolveError(f"initial: line {error.lineno}: {error.msg}") from None
    public = [name for name in names if not name.startswith("_")]
    if len(public) != 1:
        raise EvolveError(f"initial: expected one function without _ before its name, got {', '.join(public) or 'none'}")
    return public[0]


class Sources:
    """The text of a function of a file or a notebook, with the imports, constants, functions and classes that it uses."""

    def __init__(self, function: Function) -> None:
        self._name = getattr(function, "__name__", str(function))
        if not inspect.isfunction(function):
            raise EvolveError(f"expected a function, got {self._name}")
        if function.__code__.co_freevars:
            raise self._refusal(function.__code__.co_freevars[0], "a variable of the function around it")
        self._space = function.__globals__
        self._defined = dict(_definitions(function, self._space))
        self._imports: dict[str, None] = {}
        self._parts: dict[str, str] = {}
        if not isinstance(self._defined.get(self._name, ("", None))[1], (ast.FunctionDef, ast.AsyncFunctionDef)):
            raise EvolveError(f"expected {self._name} at the top level of a file or of a notebook's cell, where its source is known")
        self._take(self._name)

    @property
    def text(self) -> str:
        return "\n\n".join(["\n".join(self._imports), *self._parts.values()]).lstrip("\n") + "\n"

    def _take(self, name: str) -> None:
        """What it uses stands before it."""
        if name in self._parts:
            return
        text, node = self._defined.get(name, ("", None))
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._imports[text] = None
        elif node is not None:
            self._parts[name] = ""
            for used in _used(text):
                self._take(used)
            self._parts[name] = self._parts.pop(name) + text
        elif name in self._space and not name.startswith("__"):
            self._parts[name] = f"{name} = {self._constant(name)}"
        elif not hasattr(builtins, name) and not name.startswith("__"):
            raise EvolveError(f"{self._name} uses {name}, which is not defined")

    def _constant(self, name: str) -> str:
        value = self._space[name]
        try:
            if ast.literal_eval(repr(value)) == value:
                return repr(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            pass
        raise self._refusal(name, f"of type {type(value).__name__}, which is made outside of it")

    def _refusal(self, name: str, what: str) -> EvolveError:
        return EvolveError(f"{self._name} uses {name}, {what}: make it inside of the function, or start a folder of files")


def _used(text: str) -> Iterator[str]:
    """The names that a definition takes from its module."""
    table = symtable.symtable(text, "definition", "exec")
    yield from (one.get_name() for one in table.get_symbols() if one.is_referenced() and not one.is_assigned())
    scopes = list(table.get_children())
    for scope in scopes:
        scopes.extend(scope.get_children())
        yield from (one.get_name() for one in scope.get_symbols() if one.is_global() and one.is_referenced())


def _definitions(function: Function, space: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ast.stmt]]]:
    """The imports, functions and classes at the top level of its module, or of the cells of its notebook."""
    for text in _texts(function, space):
        try:
            body = ast.parse(text).body
        except SyntaxError:
            continue
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                marks = [one for one in node.decorator_list if not _is_mark(one)]
                decorators = "".join(f"@{ast.get_source_segment(text, one)}\n" for one in marks)
                yield node.name, (decorators + str(ast.get_source_segment(text, node)), node)
            elif isinstance(node, ast.Import):
                for one in node.names:
                    yield one.asname or one.name.split(".")[0], (ast.unparse(ast.Import([one])), node)
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    alone = ast.ImportFrom(node.module, [one], node.level)
                    yield one.asname or one.name, (ast.unparse(alone), node)


def _texts(function: Function, space: dict[str, Any]) -> list[str]:
    if "In" in space and function.__module__ == "__main__":
        shell = space["get_ipython"]()
        # Lines such as `%time` and `!pip` become Python.
        return [shell.transform_cell(cell) for cell in space["In"]]
    try:
        return [inspect.getsource(sys.modules[function.__module__])]
    except (OSError, TypeError, KeyError):
        return []


def _is_mark(node: ast.expr) -> bool:
    return re.fullmatch(r"(\w+\.)?evaluate", ast.unparse(node.func if isinstance(node, ast.Call) else node)) is not None
