"""One run: what it is, how it goes on, what it made, and what can be done to it."""

from __future__ import annotations

import time
from typing import Any, Iterator, Sequence
from urllib.parse import quote
from uuid import uuid4
from warnings import warn

from .errors import Away, EvolveError
from .program import Program
from .server import Server, refusal
from .show import Bar, Page, Plot, curve_svg
from .tables import Frame, frame_of, table_of

PATIENCE_SECONDS = 120.0
"""So long `watch` waits for a server that has gone."""


class Run:
    def __init__(self, server: Server, run: str) -> None:
        self._server = server
        self.id = run
        self._path = f"/runs/{run}"

    def __repr__(self) -> str:
        return f"<run {self.id} at {self._server.url}>"

    @property
    def page(self) -> Page:
        """Its page: a link, and in a notebook a frame that shows it."""
        return Page(f"{self._server.url}/#/run/{self.id}")

    def status(self) -> dict[str, Any]:
        """State, steps, programs, best, tokens, cost, as `evolve status --json`."""
        found: dict[str, Any] = self._server.get(self._path)
        return found

    def watch(self, *, progress: bool = True) -> Iterator[dict[str, Any]]:
        """The states of the run, as of `status`, until it has ended. A server that goes away is waited for."""
        bar = Bar() if progress else None
        told, lost = None, None
        try:
            while True:
                try:
                    for name, state in self._server.events(f"{self._path}/watch"):
                        if error := refusal(state):
                            raise error
                        lost = None
                        if bar:
                            bar.show(state)
                        key = (state["steps"], state["state"], state["stopReason"])
                        if key != told:
                            told = key
                            yield state
                        if name == "end":
                            return
                except Away as error:
                    lost = lost or time.monotonic()
                    if time.monotonic() - lost > PATIENCE_SECONDS:
                        said = f"{error}; it was waited for {PATIENCE_SECONDS:.0f} s, and run {self.id} may go on"
                        raise EvolveError(said) from None
                time.sleep(1)
        finally:
            if bar:
                bar.end()

    def wait(self) -> dict[str, Any]:
        """Follows the run to its end, with a progress bar. An interrupt (Ctrl-C, the stop button) ends the wait alone."""
        try:
            for _ in self.watch():
                pass
        except KeyboardInterrupt:
            print(f"the wait is over, and run {self.id} goes on: run.wait() follows it again, run.stop() ends it")
        return self.status()

    def programs(self, columns: Sequence[str] | None = None) -> Frame:
        """A row for each program, in the order in which they were made."""
        return frame_of(self._server, f"{self._path}/programs", columns)

    def steps(self, columns: Sequence[str] | None = None) -> Frame:
        """A row for each committed step."""
        return frame_of(self._server, f"{self._path}/steps", columns)

    def usage(self, columns: Sequence[str] | None = None) -> Frame:
        """Tokens and dollars by model, role and step."""
        return frame_of(self._server, f"{self._path}/usage", columns)

    def curve(self, columns: Sequence[str] | None = None) -> Frame:
        """The best score so far, by step, programs, tokens and cost."""
        return frame_of(self._server, f"{self._path}/curve", columns)

    def plot(self) -> Plot:
        """The best score over the programs, drawn in a notebook."""
        table = table_of(self._server, f"{self._path}/curve", ["programs", "ranking"])
        return Plot(curve_svg(table["programs"].to_pylist(), table["ranking"].to_pylist(), self.id))

    def best(self) -> Program:
        """The best program so far."""
        return self.show(str(self._server.get(f"{self._path}/best")["program"]))

    def show(self, program: str) -> Program:
        """A program by its id, as a frame of `programs` names it."""
        if not isinstance(program, str):
            raise EvolveError(f"program: expected the id of a program, as {self.id}:000001:0:000000, got {program!r}")
        facts = self._server.get(f"{self._path}/programs/{quote(program, safe='')}")
        entry = self._server.get(f"{self._path}/task").get("entry")
        return Program(facts, f"{self.page.url}/program/{quote(program, safe='')}", entry)

    def act(self, verb: str, **fields: Any) -> str:
        """Any verb of docs/steering.md, with the fields of its message. The answer is what the command would print."""
        body = {key: value for key, value in fields.items() if value is not None}
        done = self._server.post(f"{self._path}/{verb}", {**body, "request": str(uuid4())})
        for warning in done["warnings"]:
            warn(warning, stacklevel=3)
        return str(done["text"])

    def pause(self, *, now: bool = False, reason: str | None = None) -> str:
        """After the step under way, or now."""
        return self.act("pause", mode="now" if now else "step", reason=reason)

    def resume(self) -> str:
        return self.act("resume")

    def stop(self, *, now: bool = False, reason: str | None = None) -> str:
        """After the step under way, or now."""
        return self.act("stop", mode="now" if now else "step", reason=reason)

    def extend(self, *, add: bool = False, **limits: float | None) -> str:
        """New limits: extend(steps=20, add=True), extend(costUsd=5)."""
        return self.act("extend", add=add or None, **limits)

    def set(self, **settings: Any) -> str:
        """Changes settings from the next step on: set(batch=4, diff={"maxCodeChars": 20000})."""
        return self.act("set", patch=settings)

    def hint(self, text: str, *, island: int | None = None) -> str:
        """Words for the prompts, from the next step on."""
        return self.act("hint", hint=text, island=island)
