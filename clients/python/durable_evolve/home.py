"""A home: the runs of one installation, found on this machine or named by its address."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Sequence, Union
from uuid import uuid4
from warnings import warn

from .errors import Away, EvolveError
from .run import Run
from .server import Server
from .tables import Frame, frame_of
from .task import Evaluator, files_of

Task = Union[str, "os.PathLike[str]", "tuple[Callable[..., Any] | str, Evaluator]"]


def connect(url: str | None = None, token: str | None = None) -> Home:
    """The home that is up on this machine (EVOLVE_HOME, or the one that `evolve up` started), or the one at the address."""
    if url is not None:
        return Home(Server(url, token))
    homes = _homes()
    pages = [(home, page) for home in homes if (page := _page(home)) is not None]
    if not pages:
        where = f"{homes[0]} serves no page" if len(homes) == 1 else "no home of DurableEvolve is up on this machine"
        raise EvolveError(f"{where}: `evolve up` starts one, and connect(url, token) takes one elsewhere")
    if len(pages) > 1:
        raise EvolveError(
            f"{len(pages)} homes are up ({', '.join(str(home) for home, _ in pages)}): name one in EVOLVE_HOME, or connect(url)"
        )
    return Home(pages[0][1])


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf8"))
    except (OSError, ValueError):
        return {}


def _homes() -> list[Path]:
    """Named by EVOLVE_HOME, else all that `evolve up` remembers (deploy/host/remembered-home.ts)."""
    if named := os.environ.get("EVOLVE_HOME"):
        return [Path(named).expanduser()]
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    remembered = {Path(one["home"]) for one in _read(config / "evolve" / "home.json").values()}
    return sorted(home for home in remembered if (home / "up.json").exists())


def _page(home: Path) -> Server | None:
    """The server of its page, where it answers."""
    up = _read(home / "up.json")
    port = next((one["port"] for one in up.get("processes", []) if one["name"] == "page"), None)
    if port is None:
        return None
    file = up.get("page", {}).get("tokenFile")
    server = Server(f"http://127.0.0.1:{port}", Path(file).read_text("utf8").strip() if file else None)
    try:
        server.site()
    except Away:
        return None
    return server


class Home:
    """Starts runs and lists them."""

    def __init__(self, server: Server) -> None:
        site = server.site()
        self._server = server
        self.url = server.url
        self.version = str(site["version"])
        self.name = str(site.get("home", {}).get("name", ""))

    def __repr__(self) -> str:
        return f"<DurableEvolve {self.version} {self.name} at {self.url}>"

    def run(self, run: str = "latest") -> Run:
        """A run by its id; the newest without one."""
        return Run(self._server, str(self._server.get(f"/runs/{run}")["run"]))

    def runs(self, columns: Sequence[str] | None = None) -> Frame:
        """All runs, newest first."""
        return frame_of(self._server, "/runs", columns)

    def start(
        self,
        task: Task = "circle-packing-square-26",
        *,
        method: str | None = None,
        steps: int | None = None,
        run: str | None = None,
        **settings: Any,
    ) -> Run:
        """Starts a run and returns at once.

        `task`: the id of a task, a folder on the server's machine, or (initial, evaluate): a function or its source, and
        a function that is marked by @evaluate. `settings`: docs/configuration.md; limits={"costUsd": 2} is limits.costUsd.
        """
        if steps is not None:
            settings["limits"] = {**settings.get("limits", {}), "steps": steps}
        if method is not None:
            settings["method"] = method
        body: dict[str, Any] = {"settings": settings, "request": str(uuid4())}
        if run is not None:
            body["run"] = run
        if isinstance(task, tuple):
            name, body["files"] = files_of(*task)
            # The server knows the task by its content alone.
            body.setdefault("run", f"{name}-{uuid4().hex[:5]}")
        elif not isinstance(task, (str, os.PathLike)):
            raise EvolveError(f"task: expected the id of a task, a folder, or (initial, evaluate), got {task!r}")
        elif isinstance(task, str) and not Path(task).expanduser().is_dir():
            settings["task"] = task
        else:
            settings["task"] = str(Path(task).expanduser().resolve())
        done = self._server.post("/runs", body)
        for warning in done.get("warnings", []):
            warn(warning, stacklevel=2)
        return Run(self._server, str(done["run"]))
