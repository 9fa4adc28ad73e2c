"""What this worker does where a newer version of the project works in the same database."""

from __future__ import annotations

import asyncio
import re
import signal
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from evolve_trainer.metrics import Work
from evolve_trainer.protocol import Place
from evolve_trainer.store import SCHEMA, NewerSchema, TrainerStore
from evolve_trainer.worker import Activities
from temporalio.common import MetricMeter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

ROOT = Path(__file__).parents[2]


class Collection:
    """Answers each question with one document, and remembers what was to be written."""

    def __init__(self, document: dict[str, Any] | None) -> None:
        self.document, self.written = document, []

    def find_one(self, _: dict[str, Any]) -> dict[str, Any] | None:
        return self.document

    def update_one(self, *write: Any, **_: Any) -> None:
        self.written.append(write)


def store_of(update: dict[str, Any] | None = None, identity: dict[str, Any] | None = None) -> TrainerStore:
    store = TrainerStore.__new__(TrainerStore)
    store._db = {"updates": Collection(update), "identity": Collection(identity)}
    return store


class Schema(unittest.TestCase):
    def test_it_is_that_of_the_typescript_workers(self) -> None:
        text = (ROOT / "activities" / "store" / "documents" / "schema.ts").read_text()
        self.assertEqual(re.findall(r"SCHEMA_VERSION = (\d+);", text), [str(SCHEMA)])

    def test_a_database_that_wants_newer_software_is_not_worked_in(self) -> None:
        for least in (None, {"id": "x"}, {"id": "x", "leastSchema": SCHEMA}):
            store_of(identity=least).check_schema()
        with self.assertRaisesRegex(NewerSchema, f"schema {SCHEMA} or older, but the database has schema 9: .*Update"):
            store_of(identity={"id": "x", "leastSchema": 9}).check_schema()

    def test_an_update_of_a_newer_schema_ends_the_worker_before_it_writes(self) -> None:
        store = store_of({"_id": "r:u", "schema": SCHEMA + 1, "state": "planned"})
        place = Place(policies="/nowhere", trainer_url=None)
        activities = Activities(store, place, Path("/nowhere"), Work(MetricMeter.noop))
        with mock.patch("os.kill") as kill, self.assertRaises(ApplicationError) as refused:
            asyncio.run(ActivityEnvironment().run(activities.apply_update, {"run": "r", "updateId": "u"}))
        # A worker that knows the schema takes it.
        self.assertEqual((refused.exception.type, refused.exception.non_retryable), ("NewerSchema", False))
        self.assertEqual([call.args[1] for call in kill.call_args_list], [signal.SIGTERM])
        self.assertEqual(store._db["updates"].written, [])


if __name__ == "__main__":
    unittest.main()
