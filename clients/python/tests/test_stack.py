"""The client against a home that is up (EVOLVE_HOME), as test/e2e/people/python.test.ts calls it."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import threading
import unittest
from pathlib import Path

import durable_evolve as d

SMALL = {"batch": 2, "responses": 2, "seed": 3, "population": {"islands": 2}}
TARGETS = [0.5, 1.5, 2.5]


def solve(x):
    """A line through the points."""
    return 0.25 * x + 1.0


@d.evaluate(direction="minimise")
def error(solve):
    """The mean squared error of solve(x) on three points."""
    misses = [(solve(x) - target) ** 2 for x, target in enumerate(TARGETS)]
    return {"score": sum(misses) / len(misses), "worst": max(misses)}


def broken(x):
    return [][x]


@d.evaluate
def of_a_package(solve):
    import pandas

    return float(pandas.Series([solve(1)]).sum())


@d.evaluate
def without_a_score(solve):
    return {"first": solve(1), "second": solve(2)}


class Stack(unittest.TestCase):
    def test_a_program_without_a_score_starts_no_run(self) -> None:
        home = d.connect()
        for pattern, initial, evaluator in [
            ("^The initial program has no score: IndexError: .*initial.py, line 2", broken, error),
            ('No module named .pandas. \\(evaluator.py, line 2\\). To have it .*@d.evaluate.packages=."pandas"', solve, of_a_package),
            ("^The initial program has no score: which number is the score: first, second", solve, without_a_score),
        ]:
            with self.subTest(pattern), self.assertRaisesRegex(d.EvolveError, pattern) as caught:
                home.start((initial, evaluator), steps=1, run="never", **SMALL)
            self.assertNotIn("\n", str(caught.exception))
        self.assertNotIn("never", list(home.runs(columns=["run"])["run"]))

    def test_two_functions_become_a_run(self) -> None:
        home = d.connect()
        run = home.start((solve, error), method="theta", steps=2, run="by-python", **SMALL)
        states = list(run.watch())
        self.assertEqual((states[-1]["state"], states[-1]["steps"]), ("finished", 2))
        self.assertEqual([run.id, home.run("by-python").status()["programs"]], ["by-python", 8])
        self.assertEqual(run.status()["task"], "test-stack-solve")
        self.assertIn("by-python", list(home.runs(columns=["run", "state"])["run"]))

        programs = run.programs(columns=["id", "outcome", "score", "metrics.worst"])
        self.assertEqual(len(programs), 8)
        self.assertEqual(list(programs.columns), ["id", "outcome", "score", "metrics.worst"])
        self.assertEqual(len(run.programs()), 8)
        self.assertEqual(list(run.steps()["step"]), [0, 1, 2])
        self.assertEqual(set(run.usage()["by"]), {"model", "role", "step", "total"})
        self.assertEqual(list(run.curve(columns=["programs"])["programs"]), [0, 4, 8])
        self.assertRegex(run.plot()._repr_svg_(), "^<svg .*by-python: best score.*8 programs")

        best = run.best()
        self.assertLessEqual(best.score, error(solve)["score"])
        self.assertEqual(error(best.callable())["score"], best.score)
        self.assertEqual(best.metrics["worst"], error(best.callable("solve"))["worst"])
        self.assertEqual(list(best.files), ["main.py"])
        self.assertEqual(run.show(best.id).code, best.code)
        self.assertEqual(best.url, f"{home.url}/#/run/by-python/program/{best.id.replace(':', '%3A')}")
        self.assertIn(f'<iframe src="{home.url}/#/run/by-python"', run.page._repr_html_())

        self.assertIn("limits are now steps 3", run.extend(steps=1, add=True))
        self.assertEqual(run.wait()["steps"], 3)

    def test_steering_and_a_wait_that_is_interrupted(self) -> None:
        home = d.connect()
        run = home.start(steps=200, evaluation={"sandbox": "noop"}, **SMALL)
        self.assertIn("paus", run.pause(reason="look"))
        # The run rests, so the wait would not end.
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with contextlib.redirect_stdout(io.StringIO()) as told:
            state = run.wait()
        self.assertIn(f"run {run.id} goes on", told.getvalue())
        self.assertIn(state["state"], ("pausing", "paused"))
        self.assertIn("hint", run.hint("try hexagons"))
        self.assertIn("maxCodeChars", run.set(diff={"maxCodeChars": 20000}))
        run.resume()
        run.stop(now=True)
        self.assertEqual(run.wait()["state"], "stopped")

    def test_what_the_server_refuses(self) -> None:
        home = d.connect()
        for pattern, act in {
            "bach: unknown key": lambda: home.start(bach=1, **SMALL),
            "no-such-task": lambda: home.start("no-such-task", **SMALL),
            "no-such-run": lambda: home.run("no-such-run"),
            "there is no action .fly.; there are pause": lambda: home.run().act("fly"),
        }.items():
            with self.subTest(pattern), self.assertRaisesRegex(d.EvolveError, pattern):
                act()

    def test_a_program_of_several_files(self) -> None:
        run = d.connect().start("no-three-in-line-12", steps=1, **SMALL)
        run.wait()
        best = run.best()
        self.assertGreater(len(best.files), 1)
        self.assertTrue(callable(best.callable()))


if __name__ == "__main__":
    unittest.main()
