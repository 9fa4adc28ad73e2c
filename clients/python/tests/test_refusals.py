"""What is wrong is told in one sentence, and large answers are read in parts."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import durable_evolve as d
import pyarrow as pa
from durable_evolve import run as run_module
from durable_evolve.show import line_of
from durable_evolve.task import files_of

from fake import SITE, Answer, Fake, as_json, refused

N = 3
made_elsewhere = object()


def times(x):
    return x * N


def helped(x):
    return times(x)


@d.evaluate(direction="minimise", packages=["numpy"])
def near(solve):
    """Close to nothing is best."""
    return {"score": abs(helped(solve(1)))}


@d.evaluate
def of_an_object(solve):
    return solve(made_elsewhere)


@d.evaluate
def of_nothing(solve):
    return not_defined  # noqa: F821


def around():
    n = 1
    return lambda x: x + n


class Refusals(unittest.TestCase):
    def fake(self, **answers: object) -> Fake:
        fake = Fake({path: answer for path, answer in answers.items()})
        self.addCleanup(fake.close)
        return fake

    def says(self, pattern: str, act: object, *args: object, **kwargs: object) -> None:
        with self.assertRaisesRegex(d.EvolveError, pattern) as caught:
            act(*args, **kwargs)
        self.assertNotIn("\n", str(caught.exception))

    def test_nothing_is_up(self) -> None:
        with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_CONFIG_HOME": folder}):
            os.environ.pop("EVOLVE_HOME", None)
            self.says("^no home of DurableEvolve is up on this machine: `evolve up` starts one", d.connect)
            os.environ["EVOLVE_HOME"] = folder
            self.says("serves no page: `evolve up` starts one", d.connect)

    def test_homes_that_are_up(self) -> None:
        fake = self.fake()
        with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_CONFIG_HOME": folder}):
            os.environ.pop("EVOLVE_HOME", None)
            remembered = {}
            for name in ("a", "b"):
                home = Path(folder, name)
                home.mkdir()
                (home / "token").write_text("the token of it\n")
                page = {"name": "page", "port": int(fake.url.rsplit(":", 1)[1]), "healthy": name == "b"}
                up = {"processes": [page], "page": {"tokenFile": str(home / "token")}}
                (home / "up.json").write_text(json.dumps(up))
                remembered[f"clone-{name}"] = {"home": str(home)}
                Path(folder, "evolve").mkdir(exist_ok=True)
                Path(folder, "evolve", "home.json").write_text(json.dumps(remembered))
                if name == "a":
                    self.assertEqual(repr(d.connect()), f"<DurableEvolve 1.0.0 fake at {fake.url}>")
                    self.assertEqual(fake.asked[-1], ("/site", "Bearer the token of it"))
            self.says(r"^2 homes are up \(.*/a, .*/b\): name one in EVOLVE_HOME", d.connect)

    def test_servers_that_do_not_fit(self) -> None:
        self.says("^url: expected http://host:port, got 'localhost:8235'", d.connect, "localhost:8235")
        self.says("does not answer .*Connection refused.*`evolve up`", d.connect, "http://127.0.0.1:9")
        self.says("is no server of DurableEvolve, or one of another version: it answers HTTP 404", d.connect, self.fake(**{"/site": lambda: (404, "text/html", [b"<p>"])}).url)
        self.says("is no server of DurableEvolve: its answer is no JSON", d.connect, self.fake(**{"/site": lambda: (200, "text/html", [b"<p>"])}).url)
        for version in ("2.1.0", "0.9.0"):
            other = self.fake(**{"/site": lambda version=version: as_json({**SITE, "version": version})})
            self.says(f"is DurableEvolve {version} and this client is 1.0.0: install the client of that version", d.connect, other.url)
        closed = self.fake(**{"/site": lambda: refused("refused", "expected the token", 401)})
        self.says("asks for a token: connect", d.connect, closed.url)
        self.says("does not know this token", d.connect, closed.url, "wrong")
        self.says("does not know this token", d.connect, f"{closed.url}/#token=wrong%20too")
        self.assertEqual(closed.asked[-1][1], "Bearer wrong too")

    def test_the_server_goes_away_while_a_run_is_watched(self) -> None:
        state = {"run": "r", "steps": 1, "state": "running", "stopReason": None, "best": None, "programs": 3, "costUsd": 0}
        ended = {**state, "steps": 2, "state": "finished"}
        event = lambda name, data: f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()  # noqa: E731
        parts = iter([[event("state", state), b":\n\n", None], [event("state", state), event("state", ended), event("end", ended)]])
        lost = iter([False, True, False])
        watch = lambda: refused("away", "the database is away", 503) if next(lost) else (200, "text/event-stream", next(parts))  # noqa: E731
        fake = self.fake(**{"/runs/r": lambda: as_json(state), "/runs/r/watch": watch})
        run = d.connect(fake.url).run("r")
        self.assertEqual([one["steps"] for one in run.watch()], [1, 2])
        waiting = {**state, "limits": {"steps": 2}, "state": "needs attention", "stopReason": "no key"}
        self.assertRegex(line_of(waiting), r"^r  █{10}░{10} 1/2 steps  needs attention: no key  no valid program yet  3 programs  \$0.00$")
        gone = self.fake(**{"/runs/r": lambda: as_json(state), "/runs/r/watch": lambda: refused("away", "the database is away", 503)})
        with patch.object(run_module, "PATIENCE_SECONDS", 0):
            self.says("^the database is away; it was waited for 0 s, and run r may go on", lambda: list(d.connect(gone.url).run("r").watch()))

    def test_arguments_of_another_kind(self) -> None:
        home = d.connect(self.fake(**{"/runs/r": lambda: as_json({"run": "r"})}).url)
        self.says("^program: expected the id of a program, as r:000001:0:000000, got 3", home.run("r").show, 3)
        self.says(r"^task: expected the id of a task, a folder, or \(initial, evaluate\), got 3", home.start, 3)
        self.says("^expected texts, numbers, lists and dicts, as JSON has them: Object of type object", home.start, batch=object())

    def test_a_table_that_is_cut_or_has_no_such_column(self) -> None:
        run = d.connect(self.fake(**{"/runs/r": lambda: as_json({"run": "r"}), "/runs/r/programs": lambda: table(3, cut=True), "/runs/r/steps": lambda: table(1)}).url).run("r")
        self.says("ended its answer in the middle .*: ask again", run.programs)
        self.says("^columns: expected some of id, c0, .*, got c99", run.steps, columns=["id", "c99"])
        self.assertEqual(list(run.steps(columns=["c1", "id"]).columns), ["c1", "id"])

    def test_a_million_programs(self) -> None:
        run = d.connect(self.fake(**{"/runs/r": lambda: as_json({"run": "r"}), "/runs/r/programs": lambda: table(1_000)}).url).run("r")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        frame = run.programs(columns=["id", "c1"])
        self.assertEqual((len(frame), list(frame["id"])[-1]), (1_000_000, "r:999:0:999"))
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 500_000)

    def test_sources_that_are_whole_and_those_that_are_not(self) -> None:
        name, files = files_of(times, near)
        self.assertEqual(name, "times")
        self.assertEqual(files["initial.py"], "N = 3\n\ndef times(x):\n    return x * N\n")
        self.assertEqual(files["evaluator.py"].count("def "), 3)
        self.assertNotIn("d.evaluate", files["evaluator.py"])
        task = json.loads(files["task.yaml"])
        self.assertEqual(task["title"], "test_refusals times")
        self.assertEqual((task["direction"], task["entry"], task["packages"], task["problem"]), ("minimise", "times", ["numpy"], near.__doc__))
        space: dict[str, object] = {}
        exec(files["evaluator.py"], space)
        self.assertEqual((space["near"](lambda x: -x), near(lambda x: -x)), ({"score": 3}, {"score": 3}))
        self.says("^of_an_object uses made_elsewhere, of type object, which is made outside of it: make it inside", files_of, times, of_an_object)
        self.says("^of_nothing uses not_defined, which is not defined", files_of, times, of_nothing)
        self.says("uses n, a variable of the function around it", files_of, around(), near)
        self.says("^expected <lambda> at the top level of a file or of a notebook's cell", files_of, lambda x: x, near)
        self.says("^task: expected .* marked by @evaluate", files_of, times, times)
        self.says("^initial: expected one function without _ before its name, got a, b", files_of, "def a(): pass\ndef b(): pass", near)
        self.says("^initial: line 1: ", files_of, "x = (", near)
        self.says("^evaluate: direction: expected maximise or minimise, got 'up'", d.evaluate(direction="up"), times)


def table(batches: int, cut: bool = False) -> Answer:
    """Rows with 35 columns, a thousand a batch."""

    def chunks():
        sink = pa.BufferOutputStream()
        schema = pa.schema([("id", pa.string()), *((f"c{column}", pa.float64()) for column in range(34))])
        numbers = pa.array([float(row) for row in range(1_000)])
        with pa.ipc.new_stream(sink, schema):
            pass
        end = sink.getvalue().to_pybytes()
        yield schema.serialize().to_pybytes()
        for batch in range(batches):
            ids = pa.array([f"r:{batch}:0:{row}" for row in range(1_000)])
            content = pa.record_batch([ids, *[numbers] * 34], schema=schema).serialize().to_pybytes()
            yield content[:900] if cut else content
            if cut:
                yield None
        yield end[-8:]

    return 200, "application/vnd.apache.arrow.stream", chunks()


if __name__ == "__main__":
    unittest.main()
