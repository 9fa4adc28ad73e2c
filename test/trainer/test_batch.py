"""Batches: what is read, and how each contradiction is refused before anything is computed. The formulas in plain double
precision, against the golden vectors that TypeScript and autograd are held to.
"""

from __future__ import annotations

import hashlib
import json
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from evolve_trainer.batch import read_batch
from evolve_trainer.formulas import importance_weight, minibatches, token_loss
from evolve_trainer.protocol import BadBatch, Rollouts

GOLDEN = json.loads((Path(__file__).parents[1] / "fixtures" / "learning" / "golden.json").read_text(encoding="utf-8"))

GOOD: dict[str, Any] = {
    "id": "run:1:0:0",
    "group": "run:1:0:0",
    "prompt": [1, 2, 3],
    "response": [4, 5],
    "logprobs": [-0.5, -0.25],
    "reward": 1.0,
    "advantage": 0.5,
    "truncated": False,
}
SCHEMA = [
    ("id", pa.string()),
    ("group", pa.string()),
    ("prompt", pa.list_(pa.int32())),
    ("response", pa.list_(pa.int32())),
    ("logprobs", pa.list_(pa.float32())),
    ("reward", pa.float64()),
    ("advantage", pa.float64()),
    ("truncated", pa.bool_()),
]


def arrow(rows: list[dict[str, Any]], **metadata: str) -> tuple[bytes, str]:
    schema = pa.schema(SCHEMA, {"format": "evolve-batch/1", "kind": "policy", "total": "4", "hyper": "{}"} | metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        # Two record batches, as a writer of large batches makes them.
        for half in (rows[:1], rows[1:]):
            writer.write_table(pa.Table.from_pylist(half, schema))
    data = sink.getvalue().to_pybytes()
    return data, hashlib.sha256(data).hexdigest()


class Batches(unittest.TestCase):
    def test_what_is_written_is_read(self) -> None:
        data, file = arrow([GOOD, {**GOOD, "id": "run:1:0:1", "response": [7], "logprobs": [-1.0], "truncated": True}])
        batch = read_batch(data, file, "policy")
        assert isinstance(batch, Rollouts)
        self.assertEqual((len(batch.rows), batch.total), (2, 4))
        self.assertEqual(batch.rows[0].response.tolist(), [4, 5])
        self.assertEqual((batch.rows[1].response.tolist(), batch.rows[1].logprobs.tolist()), ([7], [-1.0]))
        self.assertTrue(batch.rows[1].truncated)

    def test_contradictions_are_refused(self) -> None:
        for change, words in (
            ({"logprobs": [-0.5]}, "2 tokens and 1 logprobs"),
            ({"logprobs": [-0.5, float("nan")]}, "finite logprobs, got nan at token 1"),
            ({"advantage": float("inf")}, "finite advantage, got inf"),
            ({"reward": float("nan")}, "finite reward, got nan"),
            ({"response": [], "logprobs": []}, "at least one token"),
            ({"response": [-1, 5]}, "at least 0 in the response, got -1"),
        ):
            with self.subTest(words):
                data, file = arrow([{**GOOD, **change}])
                with self.assertRaisesRegex(BadBatch, words):
                    read_batch(data, file, "policy")

    def test_other_bytes_another_format_and_another_kind_are_refused(self) -> None:
        data, file = arrow([GOOD])
        with self.assertRaisesRegex(BadBatch, "SHA-256"):
            read_batch(data[:-1], file, "policy")
        with self.assertRaisesRegex(BadBatch, "kind supervised"):
            read_batch(data, file, "supervised")
        with self.assertRaisesRegex(BadBatch, "'evolve-batch/9'"):
            read_batch(*arrow([GOOD], format="evolve-batch/9"), "policy")
        with self.assertRaisesRegex(BadBatch, "twice"):
            read_batch(*arrow([GOOD, GOOD]), "policy")
        with self.assertRaisesRegex(BadBatch, "at least the 1 rows, got 0"):
            read_batch(*arrow([GOOD], total="0"), "policy")
        with self.assertRaisesRegex(BadBatch, "Arrow IPC stream"):
            read_batch(b"nonsense", hashlib.sha256(b"nonsense").hexdigest(), "policy")


class Formulas(unittest.TestCase):
    def test_golden_vectors(self) -> None:
        for row in GOLDEN["tokens"]:
            with self.subTest(**row):
                weight = min(max(row["weight"], 0.0), 2.0)
                got = token_loss(row["ratio"], weight, row["advantage"])
                self.assertAlmostEqual(got.loss, row["loss"], delta=1e-12)
                self.assertAlmostEqual(got.gradient, row["gradient"], delta=1e-12)

    def test_importance_weights(self) -> None:
        half, three = float(np.log(0.5)), float(np.log(3.0))
        self.assertAlmostEqual(importance_weight(half, 0.0, (0.0, 2.0)), 0.5, delta=1e-15)
        self.assertEqual(importance_weight(three, 0.0, (0.0, 2.0)), 2.0)
        self.assertEqual(importance_weight(three, 0.0, (0.0, 2.0), icepop=True), 0.0)
        self.assertEqual(importance_weight(5_000.0, 0.0, (0.0, 2.0)), 2.0)
        self.assertEqual(importance_weight(three, 0.0, None), 1.0)

    def test_examples_are_used_up_before_they_come_again(self) -> None:
        steps = list(minibatches(rows=6, steps=4, batch=3, seed=5))
        self.assertEqual(sorted(steps[0] + steps[1]), list(range(6)))
        self.assertEqual(sorted(steps[2] + steps[3]), list(range(6)))
        self.assertEqual(steps, list(minibatches(rows=6, steps=4, batch=3, seed=5)))


if __name__ == "__main__":
    unittest.main()
