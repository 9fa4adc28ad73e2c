"""What the learner writes with EVOLVE_LOG=json: every line an entry in the fields of the other workers, without keys."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

KEY = "sk-" + "a1b2c3d4" * 4
WRITES = """
import logging, sys, threading, warnings
from evolve_trainer.log import LOG, at, failed, open_log
from evolve_trainer.presence import process_name

open_log(process_name(), "json")
print("ready: a queue (pid 1)")
print("two\\nlines", file=sys.stderr, end="")
print()
with at({"run": "r", "step": 3, "activity": "applyUpdate", "attempt": 2}):
    LOG.info("a %s", "thing", extra={"fields": {"wallMs": 5}})
    try:
        raise RuntimeError("mongodb://user:p%40ssword-of-9@host:1/ refused with KEY, and p@ssword-of-9".replace("KEY", sys.argv[1]))
    except RuntimeError as error:
        failed(error)
logging.getLogger("temporalio.activity").warning(
    "of the SDK", extra={"temporal_activity": {"workflow_id": "run/r/step/4/update", "activity_type": "x", "attempt": 1}}
)
logging.getLogger("library").info("not asked for")
warnings.warn("look out")
raise SystemExit("the end")
"""


def written(source: str, mode: str = "json", *args: str) -> tuple[int, str, str]:
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "keys.json").write_text(json.dumps({"http://x": KEY}))
        env = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "EVOLVE_HOME": home,
            "EVOLVE_LOG": mode,
            "EVOLVE_CHILD": "abc/learner",
            "TEMPORAL_API_KEY": "temporal-secret",
            "EVOLVE_PAYLOAD_KEYS": "k1:payload-secret",
            "MONGODB_URI": "mongodb://user:p%40ssword-of-9@host:1/",
        }
        ended = subprocess.run([sys.executable, "-c", source, *args], env=env, capture_output=True, text=True)
        return ended.returncode, ended.stdout, ended.stderr


class Log(unittest.TestCase):
    def test_everything_is_an_entry_that_says_where_it_belongs(self) -> None:
        code, out, err = written(WRITES, "json", f"{KEY} temporal-secret payload-secret")
        self.assertEqual((code, out), (1, ""))
        entries: list[dict[str, Any]] = [json.loads(line) for line in err.splitlines()]
        for entry in entries:
            self.assertRegex(entry["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertEqual(entry["process"], "learner")
        shown = [(entry["level"], entry["message"]) for entry in entries]
        place = {"run": "r", "step": 3, "activity": "applyUpdate", "attempt": 2}
        self.assertEqual(shown[:3], [("info", "ready: a queue (pid 1)"), ("error", "two"), ("info", "a thing")])
        self.assertEqual(entries[2], entries[2] | place | {"wallMs": 5})
        self.assertEqual(entries[3], entries[3] | place | {"level": "error"})
        self.assertIn("Traceback", entries[3]["error"])
        self.assertEqual(entries[4], entries[4] | {"message": "of the SDK", "level": "warn", "run": "r", "step": 4})
        self.assertIn("look out", shown[5][1])
        self.assertEqual(shown[-1][0], "error")
        self.assertIn("the end", shown[-1][1])
        for secret in (KEY, "temporal-secret", "payload-secret", "ssword-of-9"):
            self.assertNotIn(secret, err)

    def test_a_log_of_text_has_no_keys_either(self) -> None:
        code, out, err = written(WRITES.replace('"json"', '"text"'), "text", KEY)
        self.assertEqual((code, "ready: a queue (pid 1)" in out), (1, True))
        self.assertIn("RuntimeError: mongodb://user:[key]@host:1/ refused with [key], and [key]", err)
        self.assertNotIn("a thing", err)

    def test_another_value_is_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "EVOLVE_LOG: expected `text` or `json`, got \"xml\""):
            from evolve_trainer.log import open_log

            open_log("learner", "xml")


if __name__ == "__main__":
    unittest.main()
