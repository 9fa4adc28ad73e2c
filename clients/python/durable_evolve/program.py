"""A program of a run: what it is worth, its code, and its function."""

from __future__ import annotations

import inspect
import re
import sys
import tempfile
from html import escape
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

from .errors import EvolveError

_HEAD = re.compile(r"^# === FILE: ([A-Za-z_]\w*(?:/[A-Za-z_]\w*)*\.py) ===\n", re.MULTILINE)
"""The line that begins each file of a program of several files (evolution/files/program-files.ts)."""


class Program:
    """`facts` is all that the server knows of it (docs/http.md)."""

    def __init__(self, facts: dict[str, Any], url: str, entry: str | None) -> None:
        self.facts = facts
        self.id = str(facts["_id"])
        self.score: float | None = facts["score"]
        self.metrics: dict[str, float] = (facts["evaluationResult"] or {}).get("metrics") or {}
        self.code: str = facts["code"] or ""
        self.url = url
        self._entry = entry

    @property
    def files(self) -> dict[str, str]:
        """The code by file; `main.py` for a program of one file."""
        _, *parts = _HEAD.split(self.code)
        found = dict(zip(parts[::2], (text.rstrip("\n") + "\n" for text in parts[1::2])))
        return found if self.code.startswith("# === FILE: ") else {"main.py": self.code}

    def callable(self, name: str | None = None) -> Callable[..., Any]:
        """The function of the program. This runs the program's code in this process, without a sandbox: read it first."""
        module = self._load()
        functions = {key: one for key, one in vars(module).items() if inspect.isfunction(one) and one.__module__ == module.__name__}
        wanted = name or self._entry or (next(iter(functions)) if len(functions) == 1 else "")
        if wanted not in functions:
            raise EvolveError(f"{self.id}: expected a function {wanted or 'by its name'}, the program has {', '.join(functions) or 'none'}")
        return functions[wanted]

    def _load(self) -> ModuleType:
        folder = Path(tempfile.mkdtemp(prefix="durable-evolve-"))
        for path, text in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf8")
        name = f"program_{re.sub(r'[^0-9A-Za-z]', '_', self.id)}"
        spec = spec_from_file_location(name, folder / next(iter(self.files)))
        if spec is None or spec.loader is None:
            raise EvolveError(f"{self.id} is no program in Python")
        module = sys.modules[name] = module_from_spec(spec)
        before = set(sys.modules)
        sys.path.insert(0, str(folder))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(folder))
            # Files of another program may have the same names.
            for other in set(sys.modules) - before:
                if str(getattr(sys.modules[other], "__file__", "") or "").startswith(str(folder)):
                    del sys.modules[other]
        return module

    def __repr__(self) -> str:
        return f"<program {self.id}, score {self.score}>"

    def _repr_html_(self) -> str:
        link = f'<a href="{escape(self.url)}" target="_blank">{escape(self.id)}</a>'
        return f"{link}, score {self.score}<pre>{escape(self.code)}</pre>"
